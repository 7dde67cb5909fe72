"""Pearson's and Spearman's correlation between human judgements and a metric."""

from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.metrics.core.agreement import agreement
from sklearn_mteval.metrics.core.statistics import AVERAGES


def pearson(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None = None,
    average: str = "groups", missing: str = "error"
) -> float:  # fmt: skip
    """Compute Pearson's correlation, over all rows, as a mean over groups, or of differences.

    The judgement is rank-like, lower is better, so its sign is changed: agreement is positive.

    Parameters
    ----------
    y_true, y_score, missing : see :func:`kendall_tau`
        The same; scores must be finite.
    groups : array-like, Index or MultiIndex of length n_rows, or None, default=None
        None correlates all rows at once. Otherwise rows of one group are compared.
    average : {"groups", "pairs"}, default="groups"
        "groups": the mean over groups of each group's own correlation; groups in which the
        judgement or the metric is constant are left out. "pairs": pairwise difference Pearson,
        PDP, the correlation between the differences of judgements and of scores over all pairs of
        rows of one group, in both directions; what is large in one group weighs in all.

    Returns
    -------
    float
        In [-1, 1], higher is better; NaN, with a warning, if it is undefined everywhere.

    References
    ----------
    DiIanni and Deutsch 2025, "Don't Sweat the Small Stuff: Segment-Level Meta-Evaluation Based on
    Pairwise Difference Correlation" (PDP).

    Examples
    --------
    >>> from sklearn_mteval.metrics import pearson
    >>> round(pearson([1, 2, 3, 4], [0.9, 0.8, 0.3, 0.4]), 3)
    0.877
    >>> round(pearson([1, 9, 2, 1], [0.9, 0.1, 0.4, 0.3], groups=[1, 1, 2, 2], average="pairs"), 3)
    0.969
    """
    check_one_of("average", average, AVERAGES)
    statistic = "pearson" if average == "groups" else "pdp"
    return agreement(statistic, y_true, y_score, groups, missing)


def spearman(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None = None,
    missing: str = "error"
) -> float:  # fmt: skip
    """Compute Spearman's rank correlation, over all rows or as a mean over groups.

    Pearson's correlation of ranks, ties sharing the mean of theirs.

    Parameters
    ----------
    y_true, y_score, groups, missing : see :func:`pearson`
        The same; infinite scores are ranked.

    Returns
    -------
    float
        As :func:`pearson`.

    Examples
    --------
    >>> from sklearn_mteval.metrics import spearman
    >>> round(spearman([1, 2, 3, 4], [0.9, 0.8, 0.3, 0.4]), 3)
    0.8
    """
    return agreement("spearman", y_true, y_score, groups, missing)
