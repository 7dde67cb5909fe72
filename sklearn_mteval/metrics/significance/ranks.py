"""Where a new cluster begins, given who is significantly better than whom: a registry of rules."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class RankRule:
    """A rule that groups what is sorted, the best first, by significant differences."""

    name: str
    # From who is significantly better (n, n) and the values (n,), which do not increase, to numbers
    # from 1 that do not decrease (n,).
    number: Callable
    meaning: str  # of the groups, a sentence


def _numbers_of_clusters(better, values):
    """Start a new cluster where all above beat all below."""
    starts = [place == 0 or better[:place, place:].all() for place in range(len(better))]
    return np.cumsum(starts, dtype=np.int64)


def _numbers_of_metrics_tasks(better, values):
    """Start a new cluster at the first that any of the last beats; equal values share one."""
    numbers = np.ones(len(values), dtype=np.int64)
    ends = [*np.flatnonzero(np.diff(values)) + 1, len(values)]
    start = 0  # of the cluster that is open
    for first, last in zip([0, *ends], ends, strict=False):
        if better[start:first, first:last].any():
            numbers[first:] += 1
            start = first
    return numbers


_RULES = (
    RankRule(
        "metrics-task", _numbers_of_metrics_tasks,
        "A new cluster begins at the first metric that any metric of the cluster is significantly "
        "better than, as in the WMT metrics tasks.",
    ),
    RankRule(
        "clusters", _numbers_of_clusters,
        "Each metric of a cluster is significantly better than all metrics of later clusters.",
    ),
)  # fmt: skip
RANKS = {rule.name: rule for rule in _RULES}
