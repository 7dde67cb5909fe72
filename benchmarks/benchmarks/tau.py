"""Kendall's tau against scipy for each group, a plain double loop, and mt-metrics-eval."""

import numpy as np
from scipy.stats import kendalltau

from sklearn_mteval.metrics import kendall_tau_counts, pairwise_accuracy
from sklearn_mteval.metrics.core.pair_counts import count_pairs

from .common import mt_metrics_eval, seconds


class Groups:
    """Random judgements in groups of one size; about two million pairs."""

    params = (5, 15, 20, 2000)
    param_names = ("group_size",)

    def setup(self, size):
        rng = np.random.default_rng(0)
        n = max(1, 4_000_000 // (size * (size - 1))) * size
        self.human = rng.integers(1, 6, n).astype(float)
        self.metric = rng.random(n)
        self.groups = np.arange(n) // size
        self.pairs = n * (size - 1) // 2

    def _ours(self):
        return seconds(lambda: kendall_tau_counts(self.human, self.metric, groups=self.groups))

    def track_million_pairs_a_second(self, size):
        return self.pairs / self._ours() / 1e6

    def track_million_pairs_a_second_of_the_kernel(self, size):
        """The counting alone, without checking and grouping the rows."""
        bounds = np.arange(0, len(self.human) + 1, size)
        count = seconds(lambda: count_pairs(self.human, self.metric, bounds, 0.0, 0.0))
        return self.pairs / count / 1e6

    track_million_pairs_a_second_of_the_kernel.unit = "million pairs a second"
    track_million_pairs_a_second.unit = "million pairs a second"

    def track_ratio_to_scipy(self, size):
        """Scipy's tau-b group by group: another tie rule, the same pairs."""
        some = slice(0, size * max(1, 20_000 // size))
        human, metric = self.human[some].reshape(-1, size), self.metric[some].reshape(-1, size)
        theirs = seconds(
            lambda: [kendalltau(h, m) for h, m in zip(human, metric, strict=True)], repeat=1
        )
        return theirs / (len(self.human[some]) / len(self.human)) / self._ours()

    track_ratio_to_scipy.unit = "times as fast"

    def track_ratio_to_loop(self, size):
        human, metric = self.human[:size].tolist(), self.metric[:size].tolist()

        def loop():
            concordant = discordant = tied = 0
            for i in range(size):
                for j in range(i + 1, size):
                    if human[i] != human[j]:
                        if metric[i] == metric[j]:
                            tied += 1
                        elif (human[i] < human[j]) == (metric[i] > metric[j]):
                            concordant += 1
                        else:
                            discordant += 1

        repeat = 1 + 2000 // size**2
        theirs = seconds(lambda: [loop() for _ in range(repeat)]) / repeat
        return theirs / (size * (size - 1) / 2) * self.pairs / self._ours()

    track_ratio_to_loop.unit = "times as fast"


class AgainstMtMetricsEval:
    """1,000 groups of 15: its counts one group after the other, and its accuracy with ties."""

    unit = "times as fast"

    def setup(self):
        self.peer = mt_metrics_eval("stats")
        rng = np.random.default_rng(0)
        self.human = rng.integers(1, 101, (1000, 15)).astype(float)
        self.metric = rng.normal(size=(1000, 15)) - self.human / 30
        self.groups = np.repeat(np.arange(1000), 15)

    def track_ratio_of_counts(self):
        """With the threshold of 25 points, "darr"."""
        rows = [(h.tolist(), m.tolist()) for h, m in zip(-self.human, self.metric, strict=True)]
        theirs = seconds(lambda: [self.peer.KendallLike(h, m) for h, m in rows], repeat=1)
        human, metric = self.human.ravel(), self.metric.ravel()
        ours = seconds(
            lambda: kendall_tau_counts(human, metric, groups=self.groups, statistic="darr")
        )
        return theirs / ours

    def track_ratio_of_accuracy(self):
        theirs = seconds(
            lambda: [
                self.peer.KendallVariants(h, m, variant="acc23", epsilon=0.1)
                for h, m in zip(-self.human, self.metric, strict=True)
            ],
            repeat=1,
        )
        human, metric = self.human.ravel(), self.metric.ravel()
        ours = seconds(lambda: pairwise_accuracy(human, metric, groups=self.groups, epsilon=0.1))
        return theirs / ours
