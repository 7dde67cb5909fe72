"""Pearson's and Spearman's correlation between human judgements and a metric."""

from numpy.typing import ArrayLike

from sklearn_mteval.metrics.core.agreement import agreement

__all__ = ["pearson", "spearman"]


def pearson(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None = None,
    missing: str = "error"
) -> float:  # fmt: skip
    """Compute Pearson's correlation, over all rows or as a mean over groups.

    The judgement is rank-like, lower is better, so its sign is changed: agreement is positive.

    Parameters
    ----------
    y_true, y_score, missing : see :func:`kendall_tau`
        The same; scores must be finite.
    groups : array-like, Index or MultiIndex of length n_rows, or None, default=None
        None correlates all rows at once. Otherwise the mean over groups of each group's own
        correlation; groups in which the judgement or the metric is constant are left out.

    Returns
    -------
    float
        In [-1, 1], higher is better; NaN, with a warning, if it is undefined everywhere.

    Examples
    --------
    >>> from sklearn_mteval.metrics import pearson
    >>> round(pearson([1, 2, 3, 4], [0.9, 0.8, 0.3, 0.4]), 3)
    0.877
    """
    return agreement("pearson", y_true, y_score, groups, missing)


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
