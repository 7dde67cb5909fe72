"""Tree kernels against a plain recursion and SVM-Light-TK's measured speed; the kernel machine."""

from functools import lru_cache

import numpy as np
import pandas as pd

from sklearn_mteval import RankRecomposer
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.kernels import PartialTreeKernel, PreferenceKernelSVC, RelatedTrees
from sklearn_mteval.trees import BracketTree, read_penn

from .common import data_dir, seconds

# Pairs a second of Moschitti's program, SVM-Light-TK 1.5, for GUM's constituency trees of 41 nodes,
# one thread, on a machine like that of the figures in the guide.
_SVM_LIGHT_TK = 159_000


def _gum(n_trees, mean=None):
    """Return constituency trees of GUM; with ``mean``, the shortest so that they have that size."""
    folder = data_dir() / "gum" / "const"
    trees = [tree for file in sorted(folder.glob("*.ptb")) for tree in read_penn(file)]
    if mean is not None:
        trees.sort(key=lambda tree: len(tree.labels))
        sizes = np.cumsum([len(tree.labels) for tree in trees]) / np.arange(1, len(trees) + 1)
        trees = trees[: int(np.searchsorted(sizes, mean))]
    order = np.random.default_rng(0).permutation(len(trees))[:n_trees]
    return [trees[k] for k in order]


def _random(n_trees, n_nodes=60, n_labels=40, seed=0):
    """Draw trees of uniform labels."""
    rng = np.random.default_rng(seed)
    trees = []
    for _ in range(n_trees):
        parents = [-1]
        for node in range(1, n_nodes):
            on_edge = [node - 1]
            while parents[on_edge[-1]] >= 0:
                on_edge.append(parents[on_edge[-1]])
            parents.append(int(rng.choice(on_edge[-6:])))
        labels = tuple(f"L{k}" for k in rng.integers(n_labels, size=n_nodes))
        trees.append(BracketTree(labels, tuple(parents)))
    return trees


def _plain(one, other, lam=0.4, mu=0.4):
    """Compute the partial tree kernel by its recursion, with one table a pair, in plain Python."""
    table = {}
    for a in reversed(range(len(one.labels))):
        for b in reversed(range(len(other.labels))):
            if one.labels[a] != other.labels[b]:
                continue
            left, right = one.children[a], other.children[b]
            before = [0.0] * (len(right) + 1)
            total = lam * lam
            for x in left:
                run, diagonal, now = 0.0, 0.0, [0.0]
                for k, y in enumerate(right):
                    run *= lam
                    if (x, y) in table:
                        ended = table[x, y] * (1 + diagonal)
                        total += ended
                        run += ended
                    diagonal = before[k + 1]
                    now.append(run + lam * before[k + 1])
                before = now
            table[a, b] = mu * total
    return sum(table.values())


class Gram:
    """Symmetric matrices of 2,000 trees, from lines of brackets on: n (n + 1) / 2 pairs."""

    unit = "pairs a second"
    params = ("GUM, 41 nodes", "GUM", "random, 40 labels")
    param_names = ("trees",)

    def setup_cache(self):
        return {
            "GUM, 41 nodes": _gum(2000, mean=41),
            "GUM": _gum(2000),
            "random, 40 labels": _random(2000),
        }

    def track_pairs_a_second(self, trees, name):
        n = len(set(trees[name]))
        return n * (n + 1) / 2 / seconds(lambda: PartialTreeKernel()(trees[name]), repeat=2)

    def track_nodes(self, trees, name):
        return float(np.mean([len(tree.labels) for tree in trees[name]]))

    track_nodes.unit = "nodes a tree"

    def track_ratio_to_svm_light_tk(self, trees, name):
        return self.track_pairs_a_second(trees, name) / _SVM_LIGHT_TK

    track_ratio_to_svm_light_tk.unit = "times as fast"

    def track_ratio_to_plain_python(self, trees, name):
        some = trees[name][:40]
        peer = seconds(lambda: [_plain(a, b) for a in some for b in some], repeat=1) / 1600
        return peer * self.track_pairs_a_second(trees, name)

    track_ratio_to_plain_python.unit = "times as fast"


@lru_cache(maxsize=1)
def _rankings():
    """Return trees and ranks of WMT13 fr-en."""
    X, y = load_wmt(data_dir() / "wmt13", "fr-en", return_X_y=True)
    return RelatedTrees().fit_transform(X), y


def _of_segments(n_segments):
    """Return the table of the first segments."""
    X, y = _rankings()
    segments = X.index.get_level_values("segment")
    kept = segments.isin(segments.unique()[:n_segments])
    return X[kept], y[kept]


class Machine:
    """Training and prediction, on WMT13 fr-en."""

    unit = "seconds"

    def track_fit_10_000_pairs(self):
        X, y = _of_segments(700)
        return seconds(lambda: RankRecomposer(PreferenceKernelSVC()).fit(X, y), repeat=1)

    def track_predict_1_000_candidates_by_5_000(self):
        X, _ = _rankings()
        machine = PreferenceKernelSVC(calibration_folds=None, C=1e-3)
        distinct = X.drop_duplicates()
        train, test = distinct.iloc[:5000], distinct.iloc[-1000:]
        pairs = pd.concat([train.add_prefix("t1__"), train.shift(-1).add_prefix("t2__")], axis=1)
        machine.fit(pairs.iloc[:-1], np.arange(4999) % 2)
        half = len(test) // 2
        parts = test[:half].add_prefix("t1__"), test[half:].add_prefix("t2__")
        pairs = pd.concat([part.reset_index(drop=True) for part in parts], axis=1)
        return seconds(lambda: machine.decision_function(pairs), repeat=1)
