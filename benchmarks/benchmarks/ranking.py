"""Decomposition, recomposition, and the whole of RankRecomposer."""

import tracemalloc

import numpy as np

from sklearn_mteval import BLEUComp, RankRecomposer
from sklearn_mteval.datasets import make_rankings
from sklearn_mteval.pairwise.pairs import ordered_pairs
from sklearn_mteval.pairwise.recomposition import SUMS, bradley_terry

from .common import seconds


class TenMillionPairs:
    """Ordered pairs of groups of five."""

    unit = "seconds"

    def setup(self):
        self.sizes = np.full(500_000, 5)
        self.i, _ = ordered_pairs(self.sizes)
        rng = np.random.default_rng(0)
        self.better = rng.random(len(self.i))
        self.decision = np.where(self.better > 0.5, 1.0, -1.0)

    def _recompose(self, method):
        return np.bincount(self.i, weights=SUMS[method](self.decision, self.better))

    def track_enumerate(self):
        return seconds(lambda: ordered_pairs(self.sizes))

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

    def track_bradley_terry_of_100000_segments(self):
        matrices = self.better[:2_500_000].reshape(-1, 5, 5)
        return seconds(lambda: bradley_terry(matrices), repeat=1)


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

    def time_predict(self, n_candidates):
        self.ranker.predict(self.X)

    def track_peak_megabytes_of_predict(self, n_candidates):
        tracemalloc.start()
        self.ranker.predict(self.X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak / 2**20

    track_peak_megabytes_of_predict.unit = "MiB"
