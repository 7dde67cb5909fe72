"""One metric's figures of segment level, with intervals."""

import warnings

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.candidates import group_codes
from sklearn_mteval.metrics._judgements import aligned
from sklearn_mteval.metrics.figures import counts_of_groups, figure_of_rows, figure_of_weights
from sklearn_mteval.metrics.intervals import (
    bootstrap_figures,
    content_order,
    percentile_interval,
)
from sklearn_mteval.metrics.ties import calibrate_ties

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


def segment_figures(y, score, groups, options):
    """Compute one metric's figures of segment level.

    Parameters
    ----------
    y, score : Series of length n_rows
        Judgements and scores.
    groups : Index of length n_rows, or None
        As :func:`comparable_rows` returns it.
    options : Options
        See :func:`evaluate_metrics`.

    Returns
    -------
    figures : dict of str to (float, float, float)
        Value, lower and upper bound of each figure.
    counts : dict of str to number
        ``metric_ties``, ``epsilon``, ``rows``.
    """
    human, metric, codes, rows = aligned(y, score, groups, options.missing)
    average = options.average if options.statistic == "acc_eq" else "segments"
    epsilon = options.ties
    if epsilon == "calibrate":
        with warnings.catch_warnings():  # NaN says it
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            epsilon = calibrate_ties(human, metric, groups=codes, average=average).epsilon
    labels = group_codes(y.index.get_level_values("segment"), len(y))[rows]
    order, codes, numbers = content_order(labels, codes, human, metric)
    human, metric = human[order], metric[order]
    n_segments = numbers.max(initial=-1) + 1
    statistic, threshold = options.statistic, options.threshold
    wanted = {statistic: {"average": options.average, "threshold": threshold}}
    wanted.setdefault("acc_eq", {"average": average})["epsilon"] = np.nan_to_num(epsilon)
    values = [figure_of_rows(name, human, metric, codes, **given) for name, given in wanted.items()]
    of_weights = [
        figure_of_weights(name, human, metric, codes, numbers, n_segments, **given)
        for name, given in wanted.items()
    ]
    drawn = bootstrap_figures(
        of_weights,
        n_segments,
        n_resamples=options.n_resamples,
        random_state=options.random_state,
    )
    bounds = percentile_interval(drawn, options.confidence)
    counted = counts_of_groups(human, metric, codes, statistic, threshold=threshold).sum(axis=0)
    decided = int(counted[:3].sum())
    figures = {
        name: (value, *map(float, pair))
        for name, value, pair in zip(wanted, values, bounds, strict=True)
    }
    metric_ties = counted[2] / decided if decided else np.nan
    return figures, {"metric_ties": metric_ties, "epsilon": float(epsilon), "rows": len(rows)}
