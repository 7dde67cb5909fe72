"""The network of syntactic vectors as its papers write it: plain recursion over nested trees."""

import numpy as np


def nested(nodes, k=-1):
    """A node as (category, word) or (category, left, right)."""
    k = len(nodes.words) - 1 if k < 0 else k
    if nodes.words[k] is not None:
        return nodes.categories[k], nodes.words[k]
    return nodes.categories[k], nested(nodes, nodes.left[k]), nested(nodes, nodes.right[k])


def matrix_number(network, tree):
    pair = [network.categories.index(c) if c in network.categories else 0
            for c in (tree[1][0], tree[2][0])]  # fmt: skip
    found = [k for k, known in enumerate(network.pairs.tolist()) if known == pair]
    return found[0] + 1 if found else 0


def vectors_of(tree, word_vectors, matrices, network):
    """Vectors of a tree's joins, the root's last, each with its matrix and category."""
    if isinstance(tree[1], str):
        return [(word_vectors[tree[1]], None, tree[0])]
    left, right = (vectors_of(part, word_vectors, matrices, network) for part in tree[1:])
    number = matrix_number(network, tree)
    p = np.tanh(np.concatenate([left[-1][0], right[-1][0], [1.0]]) @ matrices[number])
    return [*left, *right, (p, number, tree[0])]


def sentence_loss(trees, margins, word_vectors, weights, network, label_weight):
    """The loss of one sentence: softmax of categories, and the margin."""
    matrices, scorers, labels = weights
    found = [vectors_of(tree, word_vectors, matrices, network) for tree in trees]
    joins = [[node for node in of_tree if node[1] is not None] for of_tree in found]
    scores = [sum(scorers[k] @ p for p, k, _ in of_tree) for of_tree in joins]
    violations = [s + m - scores[0] for s, m in zip(scores[1:], margins[1:], strict=True)]
    loss = max([0.0, *violations])
    for p, _, category in joins[0]:
        logits = labels[:, :-1] @ p + labels[:, -1]
        own = network.categories.index(category)
        loss += label_weight * (np.log(np.exp(logits).sum()) - logits[own])
    return loss
