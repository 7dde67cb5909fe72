"""Correlation of judgements and scores: Kendall's tau, Pearson's and Spearman's coefficient."""

from typing import NamedTuple

from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.metrics.core.agreement import agreement, counts_of_groups
from sklearn_mteval.metrics.core.aligned import aligned
from sklearn_mteval.metrics.core.statistics import AVERAGES, tau_names


class TauCounts(NamedTuple):
    """How many pairs of each kind there are."""

    concordant: int  # human and metric order the pair alike
    discordant: int  # they order it oppositely
    tied_metric: int  # the human decides, the metric ties
    tied_human: int  # the human ties (or differs by less than the threshold), the metric decides
    tied_both: int  # both tie


def kendall_tau_counts(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None, statistic: str = "wmt12",
    threshold: float = 25.0, missing: str = "error"
) -> TauCounts:  # fmt: skip
    """Count concordant, discordant and tied pairs of comparable rows.

    Parameters
    ----------
    y_true, y_score, groups, statistic, threshold, missing : see :func:`kendall_tau`
        The same. Only "darr" changes the counts: it applies the threshold.

    Returns
    -------
    TauCounts
        Numbers of pairs, each unordered pair once.

    Examples
    --------
    >>> from sklearn_mteval.metrics import kendall_tau_counts
    >>> kendall_tau_counts([1, 2, 2], [.9, .5, .5], groups=["a", "a", "a"])
    TauCounts(concordant=2, discordant=0, tied_metric=0, tied_human=0, tied_both=1)
    """
    check_options(statistic)
    human, metric, codes, _ = aligned(y_true, y_score, groups, missing)
    counts = counts_of_groups(human, metric, codes, statistic, threshold=threshold)
    return TauCounts(*counts.sum(axis=0).tolist())


def check_options(statistic, average="pairs"):
    """Raise unless it is a variant of tau, and the average is known."""
    check_one_of("statistic", statistic, tau_names())
    check_one_of("average", average, AVERAGES)


def kendall_tau(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None, statistic: str = "wmt12",
    average: str = "pairs", threshold: float = 25.0, missing: str = "error"
) -> float:  # fmt: skip
    """Compute Kendall's tau between human judgements and a metric, over comparable rows.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Human judgement, rank-like: lower is better.
    y_score : array-like of shape (n_rows,)
        Metric score or strength: higher is better.
    groups : array-like, Index or MultiIndex of length n_rows, or None
        Rows of one label are comparable, e.g. ``X.index.droplevel("system")``; None: all are.
    statistic : str, default="wmt12"
        "wmt12" (strict) takes a metric tie for discordant; "wmt13" leaves it out; "wmt14" counts
        it in the denominator only; "darr" is strict and leaves out pairs whose human difference is
        below the threshold; "eq" rewards tying what the human tied, which others leave out. "tau-a"
        counts all pairs; "tau-b" and "tau-c" are Kendall's and Stuart's; tau-c is that of one group
        or a mean; "somers-d" counts the pairs that the metric decides.
    average : {"pairs", "groups"}, default="pairs"
        Pool the pairs of all groups (the 2012 paper's overall tau), or average the taus
        of the groups that have a pair (its average segment tau).
    threshold : float, default=25.0
        For "darr" only, in points of y_true.
    missing : {"error", "skip"}, default="error"
        What a NaN score does: raise, or take its row out of all pairs.

    Returns
    -------
    float
        In [-1, 1], higher is better; NaN, with a warning, if no pair counts.

    Raises
    ------
    CandidateError
        For unequal lengths or indices, NaN in y_true, NaN in y_score unless skipped.

    References
    ----------
    Avramidis 2012, section 3.6.2; Callison-Burch et al. 2012; Macháček and Bojar 2013, 2014; Bojar
    et al. 2017; Deutsch et al. 2023; Kendall 1938, 1945; Stuart 1953; Somers 1962.

    Examples
    --------
    >>> from sklearn_mteval import kendall_tau
    >>> kendall_tau([1, 2, 3], [.7, .8, .1], groups=[0, 0, 0])
    0.3333333333333333
    """
    check_options(statistic, average)
    options = {"average": average, "threshold": threshold}
    return agreement(statistic, y_true, y_score, groups, missing, **options)


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
    DiIanni and Deutsch 2025 (PDP).

    Examples
    --------
    >>> from sklearn_mteval.metrics import pearson
    >>> round(pearson([1, 2, 3, 4], [0.9, 0.8, 0.3, 0.4]), 3)
    0.877
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
