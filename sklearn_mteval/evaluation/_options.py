"""The options of an evaluation, checked."""

from dataclasses import dataclass

from sklearn_mteval._helpers.options import check_integer, check_number
from sklearn_mteval.evaluation._segment_level import POOLED
from sklearn_mteval.metrics.core.judgements import check_one_of
from sklearn_mteval.metrics.core.statistics import AVERAGES, STATISTICS
from sklearn_mteval.metrics.system.agreement import SYSTEM_STATISTICS

__all__ = ["GROUPINGS", "LEVELS", "SYSTEM_FIGURES", "Options"]

GROUPINGS = ("segment", "system", "none")
LEVELS = ("both", "segment", "system")
SYSTEM_FIGURES = ("pearson", "spearman", "kendall", "accuracy", "spa")


@dataclass(frozen=True)
class Options:
    """What :func:`evaluate_metrics` takes beside the data, under the same names."""

    statistic: str = "wmt12"
    level: str = "both"
    grouping: str = "segment"
    average: str | None = None
    threshold: float = 25.0
    ties: str | float = "calibrate"
    system_statistics: tuple = SYSTEM_FIGURES
    lower_is_better: tuple = ()
    missing: str = "error"
    confidence: float = 0.95
    n_resamples: int = 1000
    n_permutations: int = 1000
    random_state: int = 0

    def __post_init__(self):
        check_one_of("statistic", self.statistic, STATISTICS)
        check_one_of("level", self.level, LEVELS)
        check_one_of("grouping", self.grouping, GROUPINGS)
        check_one_of("missing", self.missing, ("error", "skip"))
        if self.average is None:
            pooled = self.statistic in POOLED
            object.__setattr__(self, "average", "pairs" if pooled else "groups")
        check_one_of("average", self.average, AVERAGES)
        if self.ties != "calibrate":
            check_number("ties ('calibrate', or a threshold)", self.ties, above=-1e-300)
        if not self.system_statistics:
            raise ValueError("system_statistics must name one figure or more.")
        for name in self.system_statistics:
            check_one_of("system_statistics", name, (*SYSTEM_STATISTICS, "spa"))
        check_number("confidence", self.confidence, above=0, maximum=1 - 1e-9)
        check_integer("n_resamples", self.n_resamples, minimum=1)
        check_integer("n_permutations", self.n_permutations, minimum=1)
        check_integer("random_state", self.random_state, minimum=0)

    @property
    def main_figure(self):
        """The figure that metrics are sorted by.

        Returns
        -------
        str
            A column of the table.
        """
        if self.level == "system":
            return f"system_{self.system_statistics[0]}"
        return self.statistic
