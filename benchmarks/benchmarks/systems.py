"""System level: soft pairwise accuracy against mt-metrics-eval, and clusters of systems."""

import numpy as np
import pandas as pd

from sklearn_mteval.datasets import load_mtme
from sklearn_mteval.metrics import soft_pairwise_accuracy, system_clusters

from .common import data_dir, mt_metrics_eval, seconds


class SoftPairwiseAccuracy:
    """Fifteen systems, 1,000 segments, 1,000 permutations."""

    def setup(self):
        rng = np.random.default_rng(0)
        self.human, self.metric = rng.normal(size=(2, 1000, 15)) + np.linspace(0, 0.3, 15)
        self.gaps = np.where(rng.random(self.metric.shape) < 0.1, np.nan, self.metric)

    def track_milliseconds(self):
        return 1000 * seconds(lambda: soft_pairwise_accuracy(self.human, self.metric))

    def track_milliseconds_with_missing_scores(self):
        return 1000 * seconds(lambda: soft_pairwise_accuracy(self.human, self.gaps))

    track_milliseconds.unit = track_milliseconds_with_missing_scores.unit = "ms"


class MtMetricsEval:
    """Soft pairwise accuracy by the field's tool, where it can be had; "mqm" is WMT23 zh-en."""

    params = ("mqm", "12 x 549", "15 x 1000")
    param_names = ("tables",)

    def setup(self, tables):
        self.pce = mt_metrics_eval("pce")
        if tables == "mqm":
            found = load_mtme(data_dir() / "wmt23", "zh-en", metric_scores="BLEU")
            scores = pd.DataFrame({"human": -found.y, "metric": found.X["BLEU"]})
            tables = scores.dropna().pivot_table(index="segment", columns="system").dropna()
            self.tables = [tables[kind].to_numpy() for kind in scores]
        else:
            k, n = map(int, tables.split(" x "))
            drawn = np.random.default_rng(0).normal(size=(2, n, k))
            self.tables = drawn + np.linspace(0, 0.3, k)

    def track_ratio_to_mt_metrics_eval(self, tables):
        def theirs():
            sides = (self.pce.compute_pairwise_p_values(table.T) for table in self.tables)
            return self.pce.compute_one_minus_pce(*sides)

        assert abs(theirs() - soft_pairwise_accuracy(*self.tables)) < 0.02
        return seconds(theirs, 30) / seconds(lambda: soft_pairwise_accuracy(*self.tables), 30)

    track_ratio_to_mt_metrics_eval.unit = "times as fast"


class Clusters:
    """Fifteen systems, 1,000 segments with five of them ranked, 1,000 bootstrap resamples."""

    params = ("expected-wins", "bradley-terry", "trueskill")
    param_names = ("method",)

    def setup(self, method):
        rng = np.random.default_rng(0)
        systems = np.argsort(rng.random((1000, 15)), axis=1)[:, :5].ravel()
        index = pd.MultiIndex.from_arrays(
            [np.repeat(np.arange(1000), 5), systems], names=["segment", "system"]
        )
        self.y = pd.Series((rng.normal(size=5000) - systems / 15).round(), index=index)

    def track_seconds(self, method):
        return seconds(lambda: system_clusters(self.y.to_frame(), self.y, method=method), repeat=1)

    track_seconds.unit = "seconds"
