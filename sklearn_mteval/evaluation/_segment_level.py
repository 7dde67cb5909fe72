"""One metric's figures of segment level, with intervals."""

import warnings

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.candidates import group_codes
from sklearn_mteval.metrics.core.agreement import counts_of_groups
from sklearn_mteval.metrics.core.judgements import aligned
from sklearn_mteval.metrics.segment.ties import calibrate_ties
from sklearn_mteval.metrics.significance.intervals import statistic_and_interval

__all__ = ["POOLED", "comparable_rows", "segment_figures"]

POOLED = ("wmt12", "wmt13", "wmt14", "darr")  # pairs are pooled by custom, others averaged


def comparable_rows(index, grouping):
    """Return the label of the group of each row.

    Parameters
    ----------
    index : MultiIndex of length n_rows
        Of the judgements.
    grouping : {"segment", "system", "none"}
        Rows of one segment (and ranking task), of one system, or all are comparable.

    Returns
    -------
    Index of length n_rows, or None
        As ``groups`` of the metrics.

    Raises
    ------
    ValueError
        If ranks of different ranking tasks would be compared.
    """
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


def segment_figures(y, score, options):
    """Compute one metric's figures of segment level.

    Parameters
    ----------
    y, score : Series of length n_rows
        Judgements and scores.
    options : Options
        See :func:`evaluate_metrics`.

    Returns
    -------
    figures : dict of str to (float, float, float)
        Value, lower and upper bound: of the statistic, and of acc_eq, whose groups are those
        of segments as is customary unless it is the statistic.
    counts : dict of str to number
        ``metric_ties``, ``epsilon``, ``rows``.
    """
    groups = comparable_rows(y.index, options.grouping)
    human, metric, codes, rows = aligned(y, score, groups, options.missing)
    counts = counts_of_groups(human, metric, codes, options.statistic, threshold=options.threshold)
    decided, tied = counts[:, :3].sum(), counts[:, 2].sum()
    figures = {}
    if options.statistic != "acc_eq":
        given = {"average": options.average, "threshold": options.threshold}
        figures[options.statistic] = _figure(options.statistic, y, score, groups, options, given)
        groups, average = comparable_rows(y.index, "segment"), "groups"
    else:
        average = options.average
    epsilon = options.ties
    if epsilon == "calibrate":
        with warnings.catch_warnings():  # NaN says it
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            found = calibrate_ties(
                y, score, groups=groups, average=average, missing=options.missing
            )
        epsilon = found.epsilon
    given = {"average": average, "epsilon": np.nan_to_num(epsilon)}
    figures["acc_eq"] = _figure("acc_eq", y, score, groups, options, given)
    return figures, {
        "metric_ties": tied / decided if decided else np.nan,
        "epsilon": float(epsilon),
        "rows": len(rows),
    }


def _figure(name, y, score, groups, options, given):
    """Compute a figure and the bounds of its interval."""
    human, metric, codes, rows = aligned(y, score, groups, options.missing)
    return statistic_and_interval(
        name,
        human,
        metric,
        codes,
        group_codes(y.index.get_level_values("segment"), len(y))[rows],
        confidence=options.confidence,
        n_resamples=options.n_resamples,
        random_state=options.random_state,
        **given,
    )
