"""How annotators agree on a whole campaign; NDCG against scikit-learn's, by group."""

import numpy as np
from sklearn.metrics import ndcg_score

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.metrics import agreement_ceiling, annotator_agreement, disagreements, ndcg

from .common import data_dir, seconds


class Campaign:
    """WMT13 French-English: 10,196 ranking tasks, with intervals of 1,000 resamples."""

    unit = "seconds"

    def setup_cache(self):
        data = load_wmt(data_dir() / "wmt13", "fr-en")
        return data.y, data.judges, data.X["hypothesis"]

    def track_inter_annotator_agreement(self, cache):
        y, judges, _ = cache
        return seconds(lambda: annotator_agreement(y, judges), repeat=1)

    def track_inter_annotator_agreement_without_interval(self, cache):
        y, judges, _ = cache
        return seconds(lambda: annotator_agreement(y, judges, n_resamples=1))

    def track_disagreements_without_interval(self, cache):
        y, _, texts = cache
        return seconds(lambda: disagreements(y, texts=texts, n_resamples=1))

    def track_ceiling_without_interval(self, cache):
        y, _, texts = cache
        return seconds(lambda: agreement_ceiling(y, texts=texts, n_resamples=1))


class RankingQuality:
    """Groups of five rows with ties."""

    def setup(self):
        rng = np.random.default_rng(0)
        self.groups = np.repeat(np.arange(100_000), 5)
        self.human = rng.permuted(np.tile(np.arange(1.0, 6), (100_000, 1)), axis=1).ravel()
        self.metric = rng.integers(0, 10, len(self.human)) / 10

    def track_ndcg_ratio_to_scikit_learn(self):
        """Of the first 500 groups, of which scikit-learn's takes one call each."""
        human, metric = (v[:2500].reshape(-1, 5) for v in (self.human, self.metric))
        gains = human.max(axis=1, keepdims=True) - human
        theirs = seconds(
            lambda: [ndcg_score(g[None], m[None]) for g, m in zip(gains, metric, strict=True)],
            repeat=1,
        )
        ours = seconds(lambda: ndcg(self.human, self.metric, groups=self.groups))
        return theirs / 500 / (ours / 100_000)

    def track_ndcg_ratio_to_one_call_of_scikit_learn(self):
        """Groups of one size as one matrix, which rankings seldom are."""
        human, metric = self.human.reshape(-1, 5), self.metric.reshape(-1, 5)
        gains = human.max(axis=1, keepdims=True) - human
        theirs = seconds(lambda: ndcg_score(gains, metric), repeat=1)
        return theirs / seconds(lambda: ndcg(self.human, self.metric, groups=self.groups))

    track_ndcg_ratio_to_scikit_learn.unit = "times as fast"
    track_ndcg_ratio_to_one_call_of_scikit_learn.unit = "times as fast"
