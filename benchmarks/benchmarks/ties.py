"""Tie calibration against mt-metrics-eval's exact one, and counting with a tie threshold."""

import numpy as np

from sklearn_mteval.metrics import calibrate_ties, pairwise_accuracy

from .common import mt_metrics_eval, seconds


class Calibration:
    """Random judgements in groups of one size; about two million pairs."""

    params = (5, 15, 2000)
    param_names = ("group_size",)
    unit = "million pairs a second"

    def setup(self, size):
        rng = np.random.default_rng(0)
        n = max(1, 4_000_000 // (size * (size - 1))) * size
        self.human = rng.integers(1, 4, n).astype(float)
        self.metric = rng.normal(size=n) - self.human / 2
        self.groups = np.arange(n) // size
        self.pairs = n * (size - 1) // 2

    def _seconds(self, average="groups"):
        return seconds(
            lambda: calibrate_ties(self.human, self.metric, groups=self.groups, average=average)
        )

    def track_mean_over_groups(self, size):
        return self.pairs / self._seconds() / 1e6

    def track_pooled(self, size):
        return self.pairs / self._seconds("pairs") / 1e6

    def track_accuracy_at_a_threshold(self, size):
        count = seconds(
            lambda: pairwise_accuracy(self.human, self.metric, groups=self.groups, epsilon=0.1)
        )
        return self.pairs / count / 1e6


class AgainstMtMetricsEval:
    """The same accuracy, found with all pairs (its sample_rate 1): groups of 15, 105,000 pairs."""

    def setup(self):
        self.peer = mt_metrics_eval("tau_optimization")
        rng = np.random.default_rng(0)
        self.human = rng.integers(1, 4, (1000, 15)).astype(float)
        self.metric = rng.normal(size=(1000, 15)) - self.human / 2

    def _ours(self, repeats=1):
        human, metric = (np.tile(m, (repeats, 1)) for m in (self.human, self.metric))
        groups = np.repeat(np.arange(len(human)), 15)
        return lambda: calibrate_ties(human.ravel(), metric.ravel(), groups=groups)

    def _theirs(self):
        accuracy = self.peer.TauSufficientStats.acc_23
        return lambda: self.peer.tau_optimization(self.metric, -self.human, accuracy)

    def track_ratio(self):
        return seconds(self._theirs(), repeat=1) / seconds(self._ours())

    track_ratio.unit = "times as fast"

    def track_ratio_for_two_million_pairs(self):
        """Ours of 20 times the rows; a linear multiple of theirs, which sorts, favours it."""
        return 20 * seconds(self._theirs(), repeat=1) / seconds(self._ours(20))

    track_ratio_for_two_million_pairs.unit = "times as fast"

    def track_difference_of_accuracy(self):
        """Zero to rounding."""
        return abs(self._ours()().accuracy - self._theirs()().best_tau)

    track_difference_of_accuracy.unit = "accuracy"
