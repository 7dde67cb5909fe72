"""Random trees, and all of their partial trees, listed one by one."""

from collections import Counter
from itertools import combinations

import numpy as np

from sklearn_mteval.linguistic.trees.brackets import BracketTree


def random_tree(rng, n_nodes, labels="ABC", reach=3):
    """Draw a tree whose leaves may be any labels; ``reach`` small: deep, large: wide."""
    parents = [-1]
    for node in range(1, n_nodes):
        on_edge = [node - 1]
        while parents[on_edge[-1]] >= 0:
            on_edge.append(parents[on_edge[-1]])
        parents.append(int(rng.choice(on_edge[-reach:])))
    return BracketTree(tuple(rng.choice(list(labels), n_nodes).tolist()), tuple(parents))


def forest(seed=0, n_trees=40, most=12, **options):
    rng = np.random.default_rng(seed)
    return [random_tree(rng, int(rng.integers(1, most + 1)), **options) for _ in range(n_trees)]


def partial_trees(tree, lam, mu):
    """Sum, for each partial tree, what its occurrences are worth: all sets of nodes are tried."""
    features = Counter()
    n = len(tree.labels)
    for size in range(1, n + 1):
        for nodes in combinations(range(n), size):
            inside = set(nodes)
            if any(tree.parents[node] not in inside for node in nodes[1:]):
                continue
            shape = tuple(
                (tree.labels[node], nodes.index(tree.parents[node]) if node != nodes[0] else -1)
                for node in nodes
            )
            worth = 1.0
            for node in nodes:
                at = [k for k, child in enumerate(tree.children[node]) if child in inside]
                gaps = at[-1] - at[0] + 1 - len(at) if at else 1  # a leaf costs λ, squared in Δ
                worth *= mu**0.5 * lam**gaps
            features[shape] += worth
    return features
