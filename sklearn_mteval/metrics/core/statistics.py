"""The registry of statistics of agreement at segment level: all that is known of each, once.

Names, labels, defaults, and how a permutation test computes a statistic derive from ``STATISTICS``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from sklearn_mteval.metrics.core.correlations import (
    correlation_of_differences,
    correlations,
    sums_of_differences,
)
from sklearn_mteval.metrics.core.ratios import ratio

AVERAGES = ("pairs", "groups")


@dataclass(frozen=True)
class Statistic:
    """A statistic of agreement between judgements and scores; higher is better.

    It is *counted*, or a function of the rows of each group (``of_groups``), or of sums over pairs
    (``sums_of_groups``, ``of_sums``). Weights, whole numbers, are over the five kinds of pairs in
    the order of TauCounts: orders agree, oppose; only the metric ties, only the human, both.
    """

    name: str
    label: str  # as plots write it: "Kendall's tau (wmt12)"
    heading: str  # as columns of tables are headed: "tau (wmt12)"
    bounds: tuple[float, float] = (-1.0, 1.0)
    is_tau: bool = False  # a variant of Kendall's tau, which kendall_tau accepts
    average: str = "groups"  # by custom: pool the "pairs" of all groups, or the mean over "groups"
    undefined: str = "no comparable pair counts"  # why, where it is
    threshold: bool = False  # human differences below a threshold count as ties
    numerator: tuple | None = None  # weights
    denominators: tuple = ()  # one row of weights, or several whose geometric mean divides
    denominator_of_sizes: Callable | None = None  # instead, from (counts, rows, classes)
    of_groups: Callable | None = None  # from (human, metric, groups) to one value for each group
    sums_of_groups: Callable | None = None  # from the same to sums (n_groups, k)
    of_sums: Callable | None = None  # from sums (..., k), of one group or of many, to values

    def __post_init__(self):
        for weights in (self.numerator or (0,) * 5, *self.denominators):
            if len(weights) != 5 or any(w != int(w) or abs(w) > 100 for w in weights):
                raise ValueError(f"Weights are five whole numbers up to 100, found {weights!r}.")
        if any(min(weights) < 0 for weights in self.denominators):
            raise ValueError(f"A denominator has no negative weights, found {self.denominators!r}.")

    @property
    def counted(self):
        """Whether it is made of counts of pairs."""
        return self.numerator is not None

    @property
    def pooled(self):
        """Whether it has a form for the pairs of all groups together."""
        return bool(self.denominators) or self.of_sums is not None

    # Scores move a pair that the human decides among the first three kinds only, one that the human
    # ties among the last two.
    @property
    def fixed_denominator(self):
        """Whether no change of scores changes the denominator."""
        return bool(self.denominators) and all(_is_fixed(weights) for weights in self.denominators)

    @property
    def epsilon(self):
        """Whether a tie of scores can be right, so that a threshold for ties can be of use."""
        return self.fixed_denominator and self.numerator[4] > 0

    def denominator(self, counts, rows=None, classes=None):
        """Return denominators of counts (..., 5)."""
        if self.denominator_of_sizes is not None:
            return self.denominator_of_sizes(counts, rows, classes)
        bottom = np.asarray(1.0)
        for weights in self.denominators:
            sums = counts @ np.array(weights, dtype=np.float64)
            bottom = bottom * np.asarray(sums) ** (1 / len(self.denominators))
        return bottom

    def of_counts(self, counts, rows=None, classes=None):
        """Compute a counted statistic from counts (..., 5); tau-c needs rows and classes."""
        counts = np.asarray(counts)
        top = counts @ np.array(self.numerator, dtype=np.float64)
        # Roots round: a perfect tau-b would be 1 and two units in the last place.
        return np.clip(ratio(top, self.denominator(counts, rows, classes)), *self.bounds)


def tau_names():
    """Return the names of the variants of Kendall's tau."""
    return tuple(name for name, statistic in STATISTICS.items() if statistic.is_tau)


def _is_fixed(weights):
    """Tell whether no change of scores changes the sum of these weights over pairs."""
    agree, oppose, tied_metric, tied_human, tied_both = weights
    return agree == oppose == tied_metric and tied_human == tied_both


def _stuart(counts, rows, classes):
    """Return tau-c's denominator n² (m - 1) / 2m, m classes; 0 where either side is constant."""
    concordant, discordant, tied_metric, tied_human, _ = np.moveaxis(counts, -1, 0)
    decided = concordant + discordant
    varies = (decided + tied_metric > 0) & (decided + tied_human > 0)
    classes = np.asarray(classes)
    return np.where(varies, np.square(rows) * ratio(classes - 1, classes, 0.0) / 2, 0)


def _tau(name, label=None, **options):
    """Return a variant of Kendall's tau."""
    heading = f"tau ({name})" if label is None else label.removeprefix("Kendall's ")
    label = label or f"Kendall's tau ({name})"
    return Statistic(name, label, heading, is_tau=True, **options)


def _correlation(name, label):
    """Return a correlation, the mean over groups."""
    why = "the judgements or the scores are constant"
    of_groups = partial(correlations, name)
    return Statistic(name, label, name.capitalize(), undefined=why, of_groups=of_groups)


def _quality(name, label, heading):
    """Return a quality of rankings, the mean over groups."""

    def of_groups(human, metric, groups):
        from sklearn_mteval.metrics.core.ranked_lists import quality_of_groups  # slow to load

        return quality_of_groups(name, human, metric, groups)

    why = "the human prefers none in any group"
    return Statistic(name, label, heading, (0.0, 1.0), undefined=why, of_groups=of_groups)


_STRICT = (1, -1, -1, 0, 0)
_DIFFERENCE = (1, -1, 0, 0, 0)
_BY_HUMAN = (1, 1, 1, 0, 0)  # pairs that the human decides
_BY_METRIC = (1, 1, 0, 1, 0)
_ALL = (1, 1, 1, 1, 1)

_REGISTERED = (
    # Callison-Burch et al. 2012; Macháček and Bojar 2013; 2014, also 2015 and 2016; Bojar et al.
    # 2017.
    _tau("wmt12", numerator=_STRICT, denominators=(_BY_HUMAN,), average="pairs"),
    _tau("wmt13", numerator=_DIFFERENCE, denominators=((1, 1, 0, 0, 0),), average="pairs"),
    _tau("wmt14", numerator=_DIFFERENCE, denominators=(_BY_HUMAN,), average="pairs"),
    _tau("darr", numerator=_STRICT, denominators=(_BY_HUMAN,), threshold=True, average="pairs"),
    # Deutsch et al. 2023: 2 acc_eq - 1.
    _tau("eq", numerator=(1, -1, -1, -1, 1), denominators=(_ALL,)),
    # Kendall 1938; 1945; Stuart 1953.
    _tau("tau-a", "Kendall's tau-a", numerator=_DIFFERENCE, denominators=(_ALL,)),
    _tau("tau-b", "Kendall's tau-b", numerator=_DIFFERENCE, denominators=(_BY_HUMAN, _BY_METRIC)),
    _tau("tau-c", "Kendall's tau-c", numerator=_DIFFERENCE, denominator_of_sizes=_stuart),
    # Somers 1962, of the pairs that the metric decides; of those that the human decides it is
    # "wmt14", and the geometric mean of the two is tau-b.
    _tau("somers-d", "Somers' D", numerator=_DIFFERENCE, denominators=(_BY_METRIC,)),
    # Deutsch et al. 2023, equation 6.
    Statistic(
        "acc_eq", "Pairwise accuracy with ties (acc_eq)", "acc_eq", (0.0, 1.0),
        undefined="no group has two rows", numerator=(1, 0, 0, 0, 1), denominators=(_ALL,),
    ),
    _correlation("pearson", "Pearson's correlation"),
    _correlation("spearman", "Spearman's correlation"),
    # DiIanni and Deutsch 2025.
    Statistic(
        "pdp", "Pairwise difference Pearson (PDP)", "PDP", average="pairs",
        undefined="no two comparable rows differ in judgement, or none in score",
        sums_of_groups=sums_of_differences, of_sums=correlation_of_differences,
    ),
    _quality("ndcg", "NDCG", "NDCG"),
    _quality("mrr", "Mean reciprocal rank", "MRR"),
    _quality("err", "Expected reciprocal rank", "ERR"),
    _quality("best_system_rate", "Best system selected", "best system"),
)  # fmt: skip
STATISTICS = {statistic.name: statistic for statistic in _REGISTERED}
