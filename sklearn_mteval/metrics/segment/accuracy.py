"""Pairwise accuracy with ties (Deutsch et al. 2023)."""

from numpy.typing import ArrayLike

from sklearn_mteval.metrics.core.agreement import agreement


def pairwise_accuracy(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None, epsilon: float = 0.0,
    average: str = "groups", missing: str = "error"
) -> float:  # fmt: skip
    """Compute the proportion of pairs that the metric orders, or ties, as the annotator does.

    Parameters
    ----------
    y_true, y_score, groups, missing : see :func:`kendall_tau`
        The same.
    epsilon : float, default=0.0
        Scores that differ by at most this tie. :func:`calibrate_ties` finds the best one.
    average : {"groups", "pairs"}, default="groups"
        Mean over groups, as the WMT metrics tasks since 2023 have it, or all pairs pooled.

    Returns
    -------
    float
        acc_eq in [0, 1], higher is better; NaN, with a warning, if there is no pair.

    References
    ----------
    Deutsch, Foster and Freitag 2023, "Ties matter", equation 6.

    Examples
    --------
    >>> from sklearn_mteval.metrics import pairwise_accuracy
    >>> pairwise_accuracy([4, 4, 4, 1], [0, 2, 6, 8], groups=[0] * 4, epsilon=4)
    0.6666666666666666
    """
    options = {"average": average, "epsilon": epsilon}
    return agreement("acc_eq", y_true, y_score, groups, missing, **options)
