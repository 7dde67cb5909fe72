"""Decomposition, recomposition, and the whole of RankRecomposer."""

import tracemalloc
from itertools import permutations

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import BLEUComp, PairDifference, RankRecomposer
from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval.datasets import make_rankings
from sklearn_mteval.pairwise import GroupRanker
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS
from sklearn_mteval.pairwise.tiers import ranks_in_tiers

from .common import seconds


class TenMillionPairs:
    """Ordered pairs of groups of five."""

    unit = "seconds"

    def setup(self):
        self.sizes = np.full(500_000, 5)
        self.i, _ = pairs_within(self.sizes)
        rng = np.random.default_rng(0)
        self.better = rng.random(len(self.i))
        self.decision = np.where(self.better > 0.5, 1.0, -1.0)

        self.given = {"decisions": self.decision, "probabilities": self.better}

    def _recompose(self, name):
        entry = RECOMPOSITIONS[name]
        terms = entry.function(*(self.given[need] for need in entry.needs))
        return np.bincount(self.i, weights=terms)

    def track_enumerate(self):
        return seconds(lambda: pairs_within(self.sizes))

    def track_hard(self):
        return seconds(lambda: self._recompose("hard"))

    def track_soft(self):
        return seconds(lambda: self._recompose("soft"))

    def track_ratio_of_soft_to_loop(self):
        """A Python loop over the first 200,000 pairs, scaled up."""
        pairs = list(
            zip(
                self.i[:200_000].tolist(),
                self.decision[:200_000].tolist(),
                self.better[:200_000].tolist(),
                strict=True,
            )
        )

        def loop():
            strength = {}
            for i, c, p in pairs:
                strength[i] = strength.get(i, 0.0) + (p if c > 0 else 1 - p) * c

        return seconds(loop) * len(self.i) / 200_000 / seconds(lambda: self._recompose("soft"))

    track_ratio_of_soft_to_loop.unit = "times as fast"

    def _of_100000_segments(self, name):
        matrices = self.better[:2_500_000].reshape(-1, 5, 5)
        return seconds(lambda: RECOMPOSITIONS[name].function(matrices), repeat=1)

    def track_bradley_terry_of_100000_segments(self):
        return self._of_100000_segments("bradley-terry")

    def track_copeland_of_100000_segments(self):
        return self._of_100000_segments("copeland")

    def track_pagerank_of_100000_segments(self):
        return self._of_100000_segments("pagerank")

    def _with_ties_of_100000_segments(self, name):
        better, tie = self.better[:2_500_000].reshape(-1, 5, 5) * 0.7, np.full((100_000, 5, 5), 0.3)
        return seconds(lambda: RECOMPOSITIONS[name].function(better, tie), repeat=1)

    def track_davidson_of_100000_segments(self):
        return self._with_ties_of_100000_segments("davidson")

    def track_rao_kupper_of_100000_segments(self):
        return self._with_ties_of_100000_segments("rao-kupper")

    def track_tiers_of_100000_segments(self):
        sizes = self.sizes[:100_000]
        better = self.better[: sizes.sum() * 4] * 0.7
        strengths = np.random.default_rng(1).random(sizes.sum())
        tie = np.full_like(better, 0.3)
        return seconds(lambda: ranks_in_tiers(strengths, better, tie, sizes), repeat=1)


class OneDirection:
    """predict of a classifier that may declare itself antisymmetric, 200,000 candidates."""

    unit = "seconds"

    def setup(self):
        X, y = make_rankings(40_000, 5)
        self.X = BLEUComp().set_output(transform="pandas").fit_transform(X.iloc[:5000])
        self.X = pd.concat([self.X] * 40).set_axis(X.index)
        inner = make_pipeline(PairDifference(), LogisticRegression(fit_intercept=False))
        self.ranker = RankRecomposer(inner, recomposition="expected").fit(self.X[:5000], y[:5000])

    def track_both_directions(self):
        self.ranker.estimator_.antisymmetric_ = False
        return seconds(lambda: self.ranker.predict(self.X), repeat=1)

    def track_one_direction(self):
        self.ranker.estimator_.antisymmetric_ = True
        return seconds(lambda: self.ranker.predict(self.X), repeat=1)


class WholeRanker:
    """fit and predict on BLEU components of synthetic candidates, in groups of five."""

    params = (10_000, 40_000)
    param_names = ("n_candidates",)

    def setup(self, n_candidates):
        X, self.y = make_rankings(n_candidates // 5, 5)
        self.X = BLEUComp().set_output(transform="pandas").fit_transform(X)
        self.ranker = RankRecomposer().fit(self.X, self.y)

    def time_fit(self, n_candidates):
        RankRecomposer().fit(self.X, self.y)

    def time_fit_with_ties(self, n_candidates):
        RankRecomposer(ties="model").fit(self.X, np.minimum(self.y, 3))

    def track_ratio_of_group_ranker_to_its_ranker(self, n_candidates):
        """Of fit: groups, order and relevance besides."""
        from lightgbm import LGBMRanker

        inner = LGBMRanker(n_jobs=1, verbosity=-1)
        relevance, group = (5 - self.y).to_numpy(int), np.full(n_candidates // 5, 5)
        alone = seconds(lambda: inner.fit(self.X, relevance, group=group), repeat=1)
        return seconds(lambda: GroupRanker(inner).fit(self.X, self.y), repeat=1) / alone

    track_ratio_of_group_ranker_to_its_ranker.unit = "times the time"

    def time_predict(self, n_candidates):
        self.ranker.predict(self.X)

    def track_peak_megabytes_of_predict(self, n_candidates):
        tracemalloc.start()
        self.ranker.predict(self.X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak / 2**20

    track_peak_megabytes_of_predict.unit = "MiB"


class ByHand:
    """The default ranker as one would write it in numpy for groups of five, soft recomposition."""

    def __init__(self):
        self.scaler, self.classifier = StandardScaler(copy=False), LogisticRegression(max_iter=1000)
        self.i, self.j = np.array(list(permutations(range(5), 2))).T

    def _differences(self, X):
        """Subtract the second from the first candidate of each ordered pair."""
        values = X.to_numpy().reshape(-1, 5, X.shape[1])
        return (values[:, self.i] - values[:, self.j]).reshape(-1, X.shape[1])

    def fit(self, X, y):
        """Train on decided pairs."""
        ranks = y.to_numpy().reshape(-1, 5)
        first, second = ranks[:, self.i].ravel(), ranks[:, self.j].ravel()
        decided = first != second
        differences = self.scaler.fit_transform(self._differences(X)[decided])
        self.classifier.fit(differences, (first < second)[decided])
        return self

    def predict(self, X):
        """Rank each candidate in its group."""
        scaled = self.scaler.transform(self._differences(X))
        better = self.classifier.predict_proba(scaled)[:, 1]
        strengths = np.where(better > 0.5, better, better - 1).reshape(-1, 5, 4).sum(axis=2)
        return 1 + (strengths[:, None] > strengths[:, :, None] + 1e-9).sum(axis=2).ravel()


class ReadyColumns:
    """fit and predict on 16 columns of numbers, in groups of five, against the same by hand."""

    unit = "times as fast"
    params = (100_000, 1_000_000)
    param_names = ("n_candidates",)
    timeout = 900

    def setup(self, n_candidates):
        rng = np.random.default_rng(0)
        index = pd.MultiIndex.from_product([range(n_candidates // 5), list("abcde")])
        values = rng.normal(size=(n_candidates, 16))
        self.X = pd.DataFrame(values, index.set_names(["segment", "system"])).add_prefix("f")
        human = values @ rng.normal(size=16) + rng.normal(scale=4, size=n_candidates)
        order = human.reshape(-1, 5).argsort(axis=1).argsort(axis=1)
        self.y = pd.Series(np.minimum(order.ravel(), 3), self.X.index)  # two tie
        self.new = self.X + 0.001
        self.hand, self.ours = (model.fit(self.X, self.y) for model in (ByHand(), RankRecomposer()))
        assert (self.hand.predict(self.new) == self.ours.predict(self.new)).all()

    def track_fit(self, n_candidates):
        theirs = seconds(lambda: self.hand.fit(self.X, self.y))
        return theirs / seconds(lambda: self.ours.fit(self.X, self.y))

    def track_predict(self, n_candidates):
        theirs = seconds(lambda: self.hand.predict(self.new))
        return theirs / seconds(lambda: self.ours.predict(self.new))

    def _peak(self, function, n_candidates):
        tracemalloc.start()
        function()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak / (n_candidates * 4 * 2 * 16 * 8)

    def track_memory_of_fit(self, n_candidates):
        return self._peak(lambda: self.ours.fit(self.X, self.y), n_candidates)

    def track_memory_of_predict(self, n_candidates):
        return self._peak(lambda: self.ours.predict(self.new), n_candidates)

    track_memory_of_fit.unit = track_memory_of_predict.unit = "pair tables"
