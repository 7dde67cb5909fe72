"""Permutation tests: 20 metrics, 15 systems, 1,000 segments; and the same test by recounting."""

import resource

import numpy as np

from sklearn_mteval.metrics import paired_bootstrap, permutation_test
from sklearn_mteval.metrics.core.agreement import statistic_of_rows
from sklearn_mteval.metrics.system.permutation import system_permutation_test

from .common import mt_metrics_eval, seconds


def campaign(n_segments, n_systems, n_metrics):
    """Judgements with ties and metrics of several qualities, a group for each segment."""
    rng = np.random.default_rng(0)
    human = np.round(rng.normal(size=n_segments * n_systems) * 2)
    noise = rng.normal(size=(len(human), n_metrics)) * rng.uniform(2, 4, n_metrics)
    return human, (noise - human[:, None]).round(2), np.repeat(np.arange(n_segments), n_systems)


class Target:
    """1,000 permutations of all 190 pairs of metrics."""

    params = ("wmt12", "acc_eq", "pearson", "wmt13", "tau-b")
    param_names = ("statistic",)

    def setup(self, statistic):
        self.human, self.scores, self.groups = campaign(1000, 15, 20)
        few = slice(0, 150)  # compiles
        permutation_test(
            self.human[few], self.scores[few], groups=self.groups[few], statistic=statistic
        )

    def track_seconds(self, statistic):
        return seconds(lambda: self._test(statistic, self.groups), repeat=1)

    track_seconds.unit = "seconds"

    def track_peak_memory(self, statistic):
        """Of the process so far: benchmarks before it count."""
        self._test(statistic, self.groups)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3

    track_peak_memory.unit = "MB"

    def _test(self, statistic, groups):
        permutation_test(self.human, self.scores, groups=groups, statistic=statistic)


class Growth:
    """1,000 permutations of four metrics of 8,000 segments, and how many times those of 1,000."""

    params = ("tau-b", "pearson", "acc_eq")
    param_names = ("statistic",)

    def setup(self, statistic):
        self.campaigns = {n: campaign(n, 15, 4) for n in (1000, 8000)}

    def _seconds(self, n_segments, statistic):
        human, scores, groups = self.campaigns[n_segments]
        return seconds(
            lambda: permutation_test(human, scores, groups=groups, statistic=statistic), repeat=1
        )

    def track_seconds(self, statistic):
        return self._seconds(8000, statistic)

    track_seconds.unit = "seconds"

    def track_growth(self, statistic):
        return self._seconds(8000, statistic) / self._seconds(1000, statistic)

    track_growth.unit = "times as long"


class OtherTests:
    """The same table by bootstrap, and by systems."""

    def setup(self):
        self.human, self.scores, self.groups = campaign(1000, 15, 20)

    def track_seconds_of_the_bootstrap(self):
        return seconds(
            lambda: paired_bootstrap(self.human, self.scores, groups=self.groups), repeat=1
        )

    track_seconds_of_the_bootstrap.unit = "seconds"

    def track_seconds_of_systems(self):
        tables = {str(k): column.reshape(1000, 15) for k, column in enumerate(self.scores.T)}
        human = -self.human.reshape(1000, 15).mean(axis=0)
        return seconds(lambda: system_permutation_test(human, tables), repeat=1)

    track_seconds_of_systems.unit = "seconds"


class _TwoMetrics:
    """200 segments, the mean over them."""

    param_names = ("statistic",)

    def setup(self, statistic):
        self.human, self.scores, self.groups = campaign(200, 15, 2)
        self.options = {"statistic": statistic, "average": "groups"}

    def _ours(self):
        return seconds(
            lambda: permutation_test(self.human, self.scores, groups=self.groups, **self.options)
        )


class Recounting(_TwoMetrics):
    """A statistic computed anew for each permutation."""

    params = ("wmt12", "acc_eq", "pearson", "tau-b")

    def _swapped(self, of_scores, n_permutations):
        rng = np.random.default_rng(0)
        one, other = ((s - s.mean()) / s.std() for s in self.scores.T)
        for _ in range(n_permutations):
            kept = rng.random(len(one)) < 0.5
            of_scores(np.where(kept, one, other)), of_scores(np.where(kept, other, one))

    def track_ratio_to_recounting(self, statistic):
        def of_scores(metric):
            return statistic_of_rows(
                metric=metric, human=self.human, groups=self.groups, **self.options
            )

        return seconds(lambda: self._swapped(of_scores, 50), repeat=1) * 20 / self._ours()

    track_ratio_to_recounting.unit = "times as fast"


class MtMetricsEval(_TwoMetrics):
    """The same, by the field's reference tool, where it can be imported."""

    params = ("acc_eq", "tau-b")

    def setup(self, statistic):
        self.stats = mt_metrics_eval("stats")
        super().setup(statistic)

    def track_ratio_to_mt_metrics_eval(self, statistic):
        # Its vectors are systems by segments, higher is better for both.
        gold, *metrics = (
            vector.reshape(200, 15).T.ravel().tolist() for vector in (-self.human, *self.scores.T)
        )
        correlations = [self.stats.Correlation(15, gold, metric) for metric in metrics]
        variant = {"acc_eq": "acc23", "tau-b": "b"}[statistic]

        def test():
            self.stats.PermutationSigDiff(
                *correlations, self.stats.KendallVariants, "item", k=20, variant=variant
            )

        return seconds(test, repeat=1) * 50 / self._ours()

    track_ratio_to_mt_metrics_eval.unit = "times as fast"
