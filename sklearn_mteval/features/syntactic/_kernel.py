"""The compiled network: vectors of nodes from those of their children, loss and slopes.

A tree of n words is 2n − 1 nodes, children before parents, the root last. Node k of a word has
``left[k] == -1`` and ``source[k]``, the row of its word; any other has two children, ``left[k]``
and ``right[k]``, counted from the tree's first node, and ``source[k]``, the number of its matrix.
Loops over nodes stand for recursion: trees may be as deep as they like.
"""

import math

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

__all__ = ["encode", "learn", "project", "project_back"]


@compiled
def project(rows, matrix):
    """Multiply rows by a matrix; equal rows give equal bits, whatever stands around them."""
    projected = np.zeros((len(rows), matrix.shape[1]), dtype=rows.dtype)
    for k in range(len(rows)):
        for j in range(len(matrix)):
            for i in range(matrix.shape[1]):
                projected[k, i] += rows[k, j] * matrix[j, i]
    return projected


@compiled
def project_back(rows, slopes):
    """Return the slopes of the matrix that rows were multiplied by, from those of the results."""
    found = np.zeros((rows.shape[1], slopes.shape[1]), dtype=slopes.dtype)
    for k in range(len(rows)):
        if slopes[k].any():  # few words are in a batch
            for j in range(rows.shape[1]):
                for i in range(slopes.shape[1]):
                    found[j, i] += rows[k, j] * slopes[k, i]
    return found


@compiled
def _most_nodes(bounds):
    most = 0
    for tree in range(len(bounds) - 1):
        most = max(most, bounds[tree + 1] - bounds[tree])
    return most


@compiled
def _compose(start, end, left, right, source, words, matrices, nodes):
    """Compute the vectors of a tree's nodes: tanh(W [left; right; 1]) where there are children."""
    n = words.shape[1]
    for k in range(start, end):
        node = nodes[k - start]
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
def encode(bounds, left, right, source, words, matrices):
    """Compute the vector of each tree's root; zeros where it has no words."""
    n = words.shape[1]
    nodes = np.empty((_most_nodes(bounds), n), dtype=words.dtype)
    roots = np.zeros((len(bounds) - 1, n), dtype=words.dtype)
    for tree in range(len(roots)):
        start, end = bounds[tree], bounds[tree + 1]
        if start < end:
            _compose(start, end, left, right, source, words, matrices, nodes)
            roots[tree] = nodes[end - 1 - start]
    return roots


@compiled
def _score(start, end, left, source, scorers, nodes):
    """Add up v · p of the nodes that have children."""
    total = 0.0
    for k in range(start, end):
        if left[k] >= 0:
            for i in range(nodes.shape[1]):
                total += scorers[source[k], i] * nodes[k - start, i]
    return total


@compiled
def _learn_score(start, end, left, source, scorers, sign, nodes, slopes, scorer_slopes):
    """Add the slopes of a tree's score, times a sign."""
    for k in range(start, end):
        if left[k] >= 0:
            for i in range(nodes.shape[1]):
                slopes[k - start, i] += sign * scorers[source[k], i]
                scorer_slopes[source[k], i] += sign * nodes[k - start, i]


@compiled
def _learn_labels(start, end, left, categories, labels, weight, nodes, slopes, label_slopes):
    """Add the slopes of predicting the category of each node that has children; return the loss."""
    n_labels, n = labels.shape[0], nodes.shape[1]
    odds = np.empty(n_labels, dtype=nodes.dtype)
    loss = 0.0
    for k in range(start, end):
        if left[k] < 0:
            continue
        node, most = nodes[k - start], -np.inf
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
                slopes[k - start, i] += slope * labels[c, i]
    return loss


@compiled
def _carry_back(start, end, left, right, source, matrices, nodes, slopes, word_slopes,
                matrix_slopes):  # fmt: skip
    """Carry the slopes of nodes back to words and matrices."""
    n = nodes.shape[1]
    for k in range(end - 1, start - 1, -1):
        slope, node = slopes[k - start], nodes[k - start]
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
def learn(chosen, tree_bounds, margins, forest, label_weight, weights, slopes_of):
    """Return the loss of some sentences, and add its slopes to ``slopes_of``.

    Sentence s has the trees from ``tree_bounds[s]`` on: the treebank's, then alternatives, each
    with its margin. Its loss is that of predicting the categories of the treebank's nodes, times
    ``label_weight``, and how far an alternative's score with its margin surpasses the treebank's,
    at most. ``weights`` and their slopes are vectors of words, matrices, scorers (n_matrices, n)
    and labels (n_categories, n + 1).
    """
    bounds, left, right, source, categories = forest
    words, matrices, scorers, labels = weights
    word_slopes, matrix_slopes, scorer_slopes, label_slopes = slopes_of
    nodes = np.empty((_most_nodes(bounds), words.shape[1]), dtype=words.dtype)
    slopes = np.empty_like(nodes)
    loss = 0.0
    for s in chosen:
        gold = tree_bounds[s]
        best, most, own = gold, 0.0, 0.0
        for tree in range(gold, tree_bounds[s + 1]):
            start, end = bounds[tree], bounds[tree + 1]
            _compose(start, end, left, right, source, words, matrices, nodes)
            score = _score(start, end, left, source, scorers, nodes)
            if tree == gold:
                own = score
            elif score + margins[tree] - own > most:
                best, most = tree, score + margins[tree] - own
        loss += most
        for tree in (gold, best):
            start, end = bounds[tree], bounds[tree + 1]
            _compose(start, end, left, right, source, words, matrices, nodes)
            slopes[: end - start] = 0
            if best != gold:
                sign = -1.0 if tree == gold else 1.0
                _learn_score(start, end, left, source, scorers, sign, nodes, slopes, scorer_slopes)
            if tree == gold:
                loss += _learn_labels(
                    start, end, left, categories, labels, label_weight, nodes, slopes, label_slopes
                )
            _carry_back(
                start, end, left, right, source, matrices, nodes, slopes, word_slopes, matrix_slopes
            )
            if best == gold:
                break
    return loss
