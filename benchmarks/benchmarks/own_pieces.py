"""Pieces that libraries have too, against these: readers, tokeniser, kernel machine, networks."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from nltk.tokenize import NLTKWordTokenizer
from nltk.tree import Tree
from sklearn.cluster import KMeans
from sklearn.metrics import cohen_kappa_score
from sklearn.svm import SVC

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.datasets._files import read_lines, rows_of
from sklearn_mteval.linguistic.kernels.candidate_rows import decided_pairs
from sklearn_mteval.linguistic.kernels.solution import solve
from sklearn_mteval.linguistic.syntactic import _kernel
from sklearn_mteval.linguistic.syntactic._network import Forest
from sklearn_mteval.linguistic.trees.shipped.words import cluster
from sklearn_mteval.linguistic.trees.tokenizer import treebank_words
from sklearn_mteval.metrics import annotator_agreement
from sklearn_mteval.trees import Trees, read_brackets

from .common import data_dir, seconds


class Readers:
    """3,000 distinct translations of WMT15 cs-en and their trees; a table of 200,000 rows."""

    unit = "times as fast"

    def setup_cache(self):
        X = load_wmt(data_dir() / "wmt15", "cs-en", return_X_y=True)[0]
        X = X.drop_duplicates("hypothesis").iloc[:3000]
        trees = Trees("constituency", ["hypothesis"]).fit_transform(X)
        return X["hypothesis"].tolist(), trees["hypothesis_tree"].tolist()

    def track_brackets_to_nltk(self, found):
        own = seconds(lambda: [read_brackets(tree) for tree in found[1]])
        return seconds(lambda: [Tree.fromstring(tree) for tree in found[1]]) / own

    def track_tokeniser_to_nltk(self, found):
        peer = NLTKWordTokenizer()
        own = seconds(lambda: [treebank_words(text) for text in found[0]])
        return seconds(lambda: [peer.tokenize(text) for text in found[0]]) / own

    def track_table_to_pandas(self, found):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            rows = [f"{k},system{k % 7},{k % 101}.5" for k in range(200_000)]
            path.write_text("\n".join(["segment,system,score", *rows]))
            names = ["segment", "system", "score"]
            own = seconds(lambda: list(rows_of(path, read_lines(path), names)[1]))
            given = {"dtype": str, "keep_default_na": False}
            return seconds(lambda: pd.read_csv(path, **given)) / own


class KernelMachine:
    """2,000 distinct pairs of 1,500 candidates: kernels of candidates, or of pairs."""

    unit = "times as fast"
    timeout = 600

    def setup(self):
        rng = np.random.default_rng(0)
        features = rng.normal(size=(1500, 60))
        self.kernel = np.exp(-((features[:, None] - features) ** 2).sum(axis=2) / 60)
        first, second = rng.integers(0, 1500, (2, 2000))
        better = features[first, 0] + rng.normal(size=2000) > features[second, 0]
        self.pairs = decided_pairs(first, second, better)

    def track_training_to_svc(self):
        kernel, pairs = self.kernel, self.pairs
        given = {"explicit": False, "C": 1.0, "loss": "hinge", "tol": 1e-3, "max_iter": 1000}
        own = seconds(lambda: solve(kernel, pairs, **given))

        def peer():
            # Every second pair exchanged, since a machine of classes needs two of them.
            sign = np.where(np.arange(len(pairs.rows)) % 2, 1, -1)
            differences = kernel[pairs.winners] - kernel[pairs.losers]
            gram = differences[:, pairs.winners] - differences[:, pairs.losers]
            machine = SVC(kernel="precomputed", C=1.0, tol=1e-3, cache_size=1000)
            machine.fit(gram * np.outer(sign, sign), sign)

        return seconds(peer) / own


class Recursive:
    """The network of SyntacticVectors on 2,000 random trees of 40 words, against numpy by level."""

    unit = "times as fast"

    def setup(self):
        rng = np.random.default_rng(0)
        n_trees, n_words, n = 2000, 40, 25
        size = 2 * n_words - 1
        left = np.full((n_trees, size), -1)
        right, source = left.copy(), rng.integers(0, 500, (n_trees, size))
        for tree in range(n_trees):
            roots = list(range(n_words))  # the words, then nodes that join neighbours
            for node in range(n_words, size):
                at = rng.integers(len(roots) - 1)
                left[tree, node], right[tree, node] = roots[at : at + 2]
                roots[at : at + 2] = [node]
                source[tree, node] %= 60
        self.bounds = np.arange(n_trees + 1) * size
        self.nodes = left.ravel(), right.ravel(), source.ravel()
        self.words = rng.normal(size=(500, n)).astype(np.float32)
        self.matrices = rng.normal(size=(60, 2 * n + 1, n), scale=0.1).astype(np.float32)

    def _by_level(self):
        """Compose all nodes of a height, of all trees, by one product."""
        left, right, source = self.nodes
        starts = np.repeat(self.bounds[:-1], np.diff(self.bounds))
        heights = np.zeros(len(left), dtype=int)
        size = self.bounds[1]
        for node in range(size):
            k = self.bounds[:-1] + node
            k = k[left[k] >= 0]
            below = starts[k] + left[k], starts[k] + right[k]
            heights[k] = 1 + np.maximum(heights[below[0]], heights[below[1]])
        nodes = np.empty((len(left), self.words.shape[1]), dtype=np.float32)
        leaves = heights == 0
        nodes[leaves] = self.words[source[leaves]]
        for height in range(1, heights.max() + 1):
            k = np.flatnonzero(heights == height)
            below = [nodes[starts[k] + side[k]] for side in (left, right)]
            rows = np.hstack([*below, np.ones((len(k), 1), dtype=np.float32)])
            nodes[k] = np.tanh(np.matmul(rows[:, None], self.matrices[source[k]])[:, 0])
        return nodes[self.bounds[1:] - 1]

    def track_vectors_to_numpy(self):
        forest = Forest(self.bounds, *self.nodes, np.zeros_like(self.nodes[0]))

        def own():
            return _kernel.encode(tuple(forest), self.words, self.matrices, forest.room(self.words))

        np.testing.assert_allclose(own(), self._by_level(), atol=1e-4)
        return seconds(self._by_level) / seconds(own)


class Clusters:
    """20,000 vectors of whole numbers, 128 clusters, twelve rounds."""

    unit = "times as fast"

    def track_to_scikit_learn(self):
        codes = np.rint(np.random.default_rng(0).normal(size=(20_000, 100)) * 1000)
        start = codes[np.linspace(0, len(codes) - 1, 128).astype(int)]
        peer = KMeans(128, init=start, n_init=1, max_iter=12, tol=0)
        return seconds(lambda: peer.fit(codes), 1) / seconds(lambda: cluster(codes, 128), 1)


class Kappa:
    """Agreement of annotators on WMT13 fr-en, without interval."""

    unit = "times as fast"

    def track_to_scikit_learn(self):
        """Which is given the judgements of all pairs, enumerated by pandas."""
        wmt = load_wmt(data_dir() / "wmt13", "fr-en")
        own = seconds(lambda: annotator_agreement(wmt.y, wmt.judges, n_resamples=1), 1)
        table = wmt.y.rename("rank").reset_index().assign(judge=wmt.judges.to_numpy())

        def peer():
            pairs = table.merge(table, on=["segment", "ranking", "judge"], suffixes=("_a", "_b"))
            pairs = pairs[pairs["system_a"] < pairs["system_b"]]
            pairs["sign"] = np.sign(pairs["rank_a"] - pairs["rank_b"])
            keys = ["segment", "system_a", "system_b"]
            both = pairs.merge(pairs, on=keys, suffixes=("_1", "_2"))
            both = both[both["judge_1"] < both["judge_2"]]
            cohen_kappa_score(both["sign_1"], both["sign_2"])

        return seconds(peer, 1) / own
