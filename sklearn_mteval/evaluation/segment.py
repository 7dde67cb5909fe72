"""One metric's statistics of segment level, with intervals."""

import warnings

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.candidates import group_codes
from sklearn_mteval.metrics.core.agreement import counts_of_groups
from sklearn_mteval.metrics.core.aligned import aligned
from sklearn_mteval.metrics.segment.ties import calibrate_ties
from sklearn_mteval.metrics.significance.intervals import statistic_and_interval


def comparable_rows(index, grouping):
    """Return the label of each row's group, or None for one group; ranks of other tasks raise."""
    rest = [level for level in index.names if level not in ("segment", "system")]
    if grouping != "segment" and rest:
        raise ValueError(
            f"grouping={grouping!r} compares judgements of different segments, but y has ranks "
            f"within each {rest[0]!r}, which say nothing about other segments: use "
            "grouping='segment'."
        )
    if grouping == "none":
        return None
    return index.droplevel("system") if grouping == "segment" else index.get_level_values("system")


def segment_statistics(y, score, options, units):
    """Compute {name: (value, low, high)} of statistic and acc_eq by ``units``, and counts."""
    groups = comparable_rows(y.index, options.grouping)
    units = group_codes(units, len(y))
    found, average, threshold = {}, options.average, options.threshold

    def with_interval(name, **given):
        of_rows = human, metric, codes, units[rows], options.bootstrap
        return statistic_and_interval(name, *of_rows, average=average, **given)

    human, metric, codes, rows = aligned(y, score, groups, options.missing)
    counts = counts_of_groups(human, metric, codes, options.statistic, threshold=threshold)
    decided, tied = counts[:, :3].sum(), counts[:, 2].sum()
    if options.statistic != "acc_eq":
        found[options.statistic] = with_interval(options.statistic, threshold=threshold)
        groups, average = comparable_rows(y.index, "segment"), "groups"
        human, metric, codes, rows = aligned(y, score, groups, options.missing)
    epsilon = options.epsilon
    if epsilon == "calibrate":
        given = {"groups": groups, "average": average, "missing": options.missing}
        with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
            epsilon = calibrate_ties(y, score, **given).epsilon  # where undefined NaN says it
    found["acc_eq"] = with_interval("acc_eq", epsilon=np.nan_to_num(epsilon))
    return found, {
        "metric_ties": tied / decided if decided else np.nan,
        "epsilon": float(epsilon),
        "rows": len(rows),
    }
