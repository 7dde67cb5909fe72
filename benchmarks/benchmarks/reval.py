"""ReVal's network against a plain torch loop, one tree at a time, on translations of WMT15."""

from itertools import pairwise

import numpy as np
import pandas as pd
import torch

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.linguistic.reval.forests import read_pairs, scale_of, vectors_of
from sklearn_mteval.linguistic.reval.regressor import target_distributions
from sklearn_mteval.linguistic.reval.solvers import CompiledSolver
from sklearn_mteval.linguistic.reval.weights import initial_weights, shapes_of
from sklearn_mteval.neural import ReValRegressor
from sklearn_mteval.text import load_word_vectors
from sklearn_mteval.trees import Trees

from .common import data_dir, seconds

_OPTIONS = {"batch_size": 25, "lr": 0.05, "l2": 1e-4}


def _table(n_rows):
    """Return distinct translations of WMT15 with their trees, and scores."""
    pairs = ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")
    X = pd.concat([load_wmt(data_dir() / "wmt15", pair, return_X_y=True)[0] for pair in pairs])
    X = X.drop_duplicates(["hypothesis", "reference"]).sample(n_rows, random_state=0)
    y = pd.Series(np.random.RandomState(0).uniform(1, 5, n_rows), index=X.index)
    return Trees("dependency").fit_transform(X[["hypothesis", "reference"]]), y


class _Loop:
    """A child-sum Tree-LSTM and ReVal's layers, one node after another, by torch's gradients."""

    def __init__(self, words, parents, bounds, vectors, weights):
        self.trees = []
        for start, end in pairwise(bounds):
            children = [[] for _ in range(end - start)]
            for node in range(start + 1, end):
                children[parents[node] - start].append(node - start)
            self.trees.append((words[start:end], children))
        self.vectors = torch.from_numpy(vectors)
        self.w = {k: torch.tensor(v, requires_grad=True) for k, v in weights.items()}
        rates = {"lr": _OPTIONS["lr"], "weight_decay": _OPTIONS["l2"]}
        self.optimizer = torch.optim.Adagrad(self.w.values(), **rates)

    def encode(self, text):
        words, children = self.trees[text]
        w, m = self.w, len(self.w["forget"])
        states = [None] * len(words)
        for node in range(len(words) - 1, -1, -1):  # children stand behind
            x = self.vectors[words[node]] @ w["input"] + w["input_bias"] + w["hidden_bias"]
            below = [states[child] for child in children[node]]
            own = x[: 2 * m]
            if below:
                h = torch.stack([h for _, h in below])
                own = own + h.sum(0) @ w["hidden"]
                forgets = torch.sigmoid(x[2 * m :] + h @ w["forget"])
                kept = (forgets * torch.stack([c for c, _ in below])).sum(0)
            c = torch.sigmoid(own[:m]) * torch.tanh(own[m:])
            c = c + kept if below else c
            states[node] = c, torch.tanh(c)
        return states[0][1]

    def epoch(self, pairs, targets):
        """Take a step for each batch."""
        w = self.w
        for start in range(0, len(pairs), _OPTIONS["batch_size"]):
            rows = slice(start, start + _OPTIONS["batch_size"])
            cost = 0
            for (i, j), p in zip(pairs[rows], torch.from_numpy(targets[rows]), strict=True):
                first, second = self.encode(i), self.encode(j)
                seen = torch.cat([first * second, (first - second).abs()])
                units = torch.sigmoid(seen @ w["similarity"] + w["similarity_bias"])
                logs = torch.log_softmax(units @ w["output"] + w["output_bias"], 0)
                cost = cost + torch.nn.functional.kl_div(logs, p, reduction="sum")
            self.optimizer.zero_grad()
            (cost / len(pairs[rows])).backward()
            self.optimizer.step()


class _Levels(_Loop):
    """The same in torch, all nodes of a height of a whole batch at once."""

    def encode(self, texts):
        w, m = self.w, len(self.w["forget"])
        words, parents, heights, roots = [], [], [], []
        for text in texts:
            of_text, children = self.trees[text]
            start = len(words)
            roots.append(start)
            words += of_text.tolist()
            height, parent = [0] * len(children), [-1] * len(children)
            for node in range(len(children) - 1, -1, -1):
                for child in children[node]:
                    height[node] = max(height[node], height[child] + 1)
                    parent[child] = start + node
            heights += height
            parents += parent
        heights, parents = np.array(heights), torch.tensor(parents)
        x = self.vectors[torch.tensor(words)] @ w["input"] + w["input_bias"] + w["hidden_bias"]
        sums = torch.zeros(len(words), m)
        kept = torch.zeros(len(words), m)
        states = torch.zeros(len(words), m)
        for height in range(heights.max() + 1):
            at = torch.from_numpy(np.flatnonzero(heights == height))
            own = x[at, : 2 * m] + sums[at] @ w["hidden"]
            c = torch.sigmoid(own[:, :m]) * torch.tanh(own[:, m:]) + kept[at]
            h = torch.tanh(c)
            states = states.index_add(0, at, h)
            inner = parents[at] >= 0
            above, h, c = parents[at][inner], h[inner], c[inner]
            forgets = torch.sigmoid(x[above, 2 * m :] + h @ w["forget"])
            sums = sums.index_add(0, above, h)
            kept = kept.index_add(0, above, forgets * c)
        return states[roots]

    def epoch(self, pairs, targets):
        """Take a step for each batch."""
        w = self.w
        for start in range(0, len(pairs), _OPTIONS["batch_size"]):
            rows = slice(start, start + _OPTIONS["batch_size"])
            first, second = self.encode(pairs[rows].T.ravel()).chunk(2)
            seen = torch.cat([first * second, (first - second).abs()], dim=1)
            units = torch.sigmoid(seen @ w["similarity"] + w["similarity_bias"])
            logs = torch.log_softmax(units @ w["output"] + w["output_bias"], 1)
            targets_of = torch.from_numpy(targets[rows])
            cost = torch.nn.functional.kl_div(logs, targets_of, reduction="batchmean")
            self.optimizer.zero_grad()
            cost.backward()
            self.optimizer.step()


class Training:
    """An epoch on 500 pairs of WMT15; the loop takes its time on the first 50."""

    unit = "times as fast"
    timeout = 600

    def setup_cache(self):
        return _table(500)

    def setup(self, data):
        torch.set_num_threads(1)
        X, y = data
        read = read_pairs(X, "tree-lstm")
        forest, words = read.forest.arrays(), load_word_vectors("english")
        vectors = vectors_of(read.forest, words, scale_of(words))
        shapes = shapes_of(vectors.shape[1], 150, 50, 5, False)
        weights = initial_weights(shapes, np.random.RandomState(0))
        self.pairs, self.targets = read.pairs, target_distributions(y.to_numpy(), 5)
        self.solver = CompiledSolver(self.pairs, self.targets, forest, vectors, weights, **_OPTIONS)
        words, parents, _, bounds = forest
        self.loop = _Loop(words, parents, bounds, vectors, weights)
        self.levels = _Levels(words, parents, bounds, vectors, weights)

    def track_epoch_against_a_loop_over_trees(self, data):
        own = seconds(lambda: self.solver.epoch(np.arange(500))) / 500
        some = self.pairs[:50], self.targets[:50]
        return seconds(lambda: self.loop.epoch(*some), repeat=2) / 50 / own

    def track_epoch_against_torch_by_level(self, data):
        texts = self.pairs[:25].T.ravel()
        alone = torch.stack([self.loop.encode(text) for text in texts])
        assert torch.allclose(alone, self.levels.encode(texts), atol=1e-5)
        own = seconds(lambda: self.solver.epoch(np.arange(500)))
        return seconds(lambda: self.levels.epoch(self.pairs, self.targets), repeat=2) / own


class Prediction:
    """3,000 translations of WMT15 with their trees."""

    unit = "candidates a second"

    def setup_cache(self):
        return _table(3000)

    def track_candidates_a_second(self, data):
        X, y = data
        net = ReValRegressor(max_epochs=1, random_state=0).fit(X[:500], y[:500])
        return len(X) / seconds(lambda: net.predict(X))

    def track_candidates_a_second_with_an_lstm(self, data):
        X, y = data
        net = ReValRegressor(encoder="lstm", max_epochs=1, random_state=0).fit(X[:500], y[:500])
        return len(X) / seconds(lambda: net.predict(X))
