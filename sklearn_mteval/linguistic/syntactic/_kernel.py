"""The compiled network: vectors of nodes from those of their children, loss and slopes.

A tree of n words is 2n − 1 nodes, children before parents, the root last. Node k of a word has
``left[k] == -1`` and ``source[k]``, the row of its word; any other has two children, ``left[k]``
and ``right[k]``, counted from the tree's first node, and ``source[k]``, the number of its matrix.
Loops over nodes stand for recursion: trees may be as deep as they like.
"""

import math

import numpy as np

from sklearn_mteval._helpers.compiled import compiled


@compiled
def _tree(forest, number):
    """Return left, right, source and categories of a tree's nodes."""
    bounds, left, right, source, categories = forest
    start, end = bounds[number], bounds[number + 1]
    return left[start:end], right[start:end], source[start:end], categories[start:end]


@compiled
def _compose(tree, words, matrices, nodes):
    """Compute the vectors of a tree's nodes: tanh(W [left; right; 1]) where there are children."""
    left, right, source, _ = tree
    n = words.shape[1]
    for k in range(len(left)):
        node = nodes[k]
        if left[k] < 0:
            node[:] = words[source[k]]
            continue
        matrix = matrices[source[k]]
        node[:] = matrix[2 * n]
        for side in range(2):
            child = nodes[left[k] if side == 0 else right[k]]
            for j in range(n):
                for i in range(n):
                    node[i] += matrix[side * n + j, i] * child[j]
        for i in range(n):
            node[i] = math.tanh(node[i])


@compiled
def encode(forest, words, matrices, nodes):
    """Compute the vector of each tree's root; zeros where it has no words."""
    roots = np.zeros((len(forest[0]) - 1, words.shape[1]), dtype=words.dtype)
    for number in range(len(roots)):
        tree = _tree(forest, number)
        if len(tree[0]):
            _compose(tree, words, matrices, nodes)
            roots[number] = nodes[len(tree[0]) - 1]
    return roots


@compiled
def _score(tree, scorers, nodes):
    """Add up v · p of the nodes that have children."""
    left, _, source, _ = tree
    total = 0.0
    for k in range(len(left)):
        if left[k] >= 0:
            for i in range(nodes.shape[1]):
                total += scorers[source[k], i] * nodes[k, i]
    return total


@compiled
def _learn_score(tree, scorers, sign, nodes, slopes, scorer_slopes):
    """Add the slopes of a tree's score, times a sign."""
    left, _, source, _ = tree
    for k in range(len(left)):
        if left[k] >= 0:
            for i in range(nodes.shape[1]):
                slopes[k, i] += sign * scorers[source[k], i]
                scorer_slopes[source[k], i] += sign * nodes[k, i]


@compiled
def _learn_labels(tree, labels, weight, nodes, slopes, label_slopes):
    """Add the slopes of predicting the category of each node that has children; return the loss."""
    left, _, _, categories = tree
    n_labels, n = labels.shape[0], nodes.shape[1]
    odds = np.empty(n_labels, dtype=nodes.dtype)
    loss = 0.0
    for k in range(len(left)):
        if left[k] < 0:
            continue
        node, most = nodes[k], -np.inf
        for c in range(n_labels):
            odds[c] = labels[c, n]
            for i in range(n):
                odds[c] += labels[c, i] * node[i]
            most = max(most, odds[c])
        own = odds[categories[k]] - most
        total = 0.0
        for c in range(n_labels):
            odds[c] = math.exp(odds[c] - most)
            total += odds[c]
        loss += weight * (math.log(total) - own)
        for c in range(n_labels):
            slope = weight * (odds[c] / total - (c == categories[k]))
            label_slopes[c, n] += slope
            for i in range(n):
                label_slopes[c, i] += slope * node[i]
                slopes[k, i] += slope * labels[c, i]
    return loss


@compiled
def _carry_back(tree, matrices, nodes, slopes, word_slopes, matrix_slopes):
    """Carry the slopes of nodes back to words and matrices."""
    left, right, source, _ = tree
    n = nodes.shape[1]
    for k in range(len(left) - 1, -1, -1):
        slope, node = slopes[k], nodes[k]
        if left[k] < 0:
            word_slopes[source[k]] += slope
            continue
        for i in range(n):
            slope[i] *= 1 - node[i] * node[i]  # of tanh
        matrix, of_matrix = matrices[source[k]], matrix_slopes[source[k]]
        for side in range(2):
            child = left[k] if side == 0 else right[k]
            for j in range(n):
                for i in range(n):
                    of_matrix[side * n + j, i] += slope[i] * nodes[child, j]
                    slopes[child, j] += slope[i] * matrix[side * n + j, i]
        of_matrix[2 * n] += slope


@compiled
def learn(chosen, tree_bounds, margins, forest, label_weight, weights, slopes_of, nodes):
    """Return the loss of some sentences, and add its slopes to ``slopes_of``.

    Sentence s has the trees from ``tree_bounds[s]`` on: the treebank's, then alternatives, each
    with its margin. Its loss is that of predicting the categories of the treebank's nodes, times
    ``label_weight``, and how far an alternative's score with its margin surpasses the treebank's.
    Weights are vectors of words, matrices, scorers, and labels (n_categories, n + 1).
    """
    words, matrices, scorers, labels = weights
    word_slopes, matrix_slopes, scorer_slopes, label_slopes = slopes_of
    slopes = np.empty_like(nodes)
    loss = 0.0
    for s in chosen:
        gold = tree_bounds[s]
        best, most, own = gold, 0.0, 0.0
        for number in range(gold, tree_bounds[s + 1]):
            tree = _tree(forest, number)
            _compose(tree, words, matrices, nodes)
            score = _score(tree, scorers, nodes)
            if number == gold:
                own = score
            elif score + margins[number] - own > most:
                best, most = number, score + margins[number] - own
        loss += most
        for number in (gold, best):
            tree = _tree(forest, number)
            _compose(tree, words, matrices, nodes)
            slopes[: len(tree[0])] = 0
            if best != gold:
                sign = -1.0 if number == gold else 1.0
                _learn_score(tree, scorers, sign, nodes, slopes, scorer_slopes)
            if number == gold:
                loss += _learn_labels(tree, labels, label_weight, nodes, slopes, label_slopes)
            _carry_back(tree, matrices, nodes, slopes, word_slopes, matrix_slopes)
            if best == gold:
                break
    return loss
