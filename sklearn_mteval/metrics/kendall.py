"""Kendall's tau as the WMT metrics tasks used it (docs/architecture.md, "Tau").

Only pairs of comparable rows count. Every variant is a row of one table: what a pair of
each kind adds to the numerator and to the denominator.
"""

import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.candidates import check_ranks, group_codes
from sklearn_mteval.exceptions import CandidateError

__all__ = [
    "VARIANTS",
    "TauCounts",
    "check_options",
    "kendall_tau",
    "kendall_tau_counts",
    "pair_counts",
    "tau_terms",
]

# Kinds of pairs in the order of TauCounts: the two orders agree, oppose; only the metric
# ties, only the human, both. First row: numerator, second row: denominator.
VARIANTS = {
    "wmt12": ((1, -1, -1, 0, 0), (1, 1, 1, 0, 0)),  # Callison-Burch et al. 2012
    "wmt13": ((1, -1, 0, 0, 0), (1, 1, 0, 0, 0)),  # Macháček and Bojar 2013
    "wmt14": ((1, -1, 0, 0, 0), (1, 1, 1, 0, 0)),  # Macháček and Bojar 2014; also 2015, 2016
    "darr": ((1, -1, -1, 0, 0), (1, 1, 1, 0, 0)),  # Bojar et al. 2017; with a threshold
    "eq": ((1, -1, -1, -1, 1), (1, 1, 1, 1, 1)),  # Deutsch et al. 2023: 2 acc_eq - 1
}


class TauCounts(NamedTuple):
    """How many pairs of each kind there are.

    Attributes
    ----------
    concordant : int
        Human and metric order the pair alike.
    discordant : int
        They order it oppositely.
    tied_metric : int
        The human decides, the metric ties.
    tied_human : int
        The human ties (or differs by less than the threshold), the metric decides.
    tied_both : int
        Both tie.
    """

    concordant: int
    discordant: int
    tied_metric: int
    tied_human: int
    tied_both: int


def pair_counts(y_true, y_score, *, groups, threshold=0.0, missing="error"):
    """Count the kinds of pairs, group by group.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Human judgement, rank-like: lower is better.
    y_score : array-like of shape (n_rows,)
        Metric score or strength: higher is better.
    groups : array-like, Index or MultiIndex of length n_rows
        Rows of one label are comparable.
    threshold : float, default=0.0
        Human differences below it count as ties.
    missing : {"error", "skip"}, default="error"
        What a NaN score does: raise, or take its row out of all pairs.

    Returns
    -------
    counts : ndarray of shape (n_groups, 5), int64
        Columns as in :class:`TauCounts`.
    rows : ndarray of shape (n_groups,), int64
        A row (position) of each group, to look its labels up.

    Raises
    ------
    CandidateError
        For unequal lengths or indices, NaN in y_true, NaN in y_score unless skipped.
    """
    if missing not in ("error", "skip"):
        raise ValueError(f"missing must be 'error' or 'skip', found {missing!r}.")
    if not threshold >= 0:
        raise ValueError(f"threshold must be a number >= 0, found {threshold!r}.")
    y_true, y_score = _aligned(y_true, y_score, groups)
    codes = group_codes(groups, len(y_true))
    absent = np.isnan(y_score)
    rows = np.arange(len(y_true))
    if absent.any():
        if missing == "error":
            raise CandidateError(
                f"y_score is missing (NaN) in {int(absent.sum())} of {len(absent)} rows, the "
                f"first is row {int(absent.argmax())}. Pass missing='skip' to leave such rows "
                "out of all pairs."
            )
        rows = rows[~absent]
    from sklearn_mteval.metrics._pair_counts import count_pairs

    if len(rows) < len(codes) or (np.diff(codes) < 0).any():
        rows = rows[np.argsort(codes[rows], kind="stable")]
        y_true, y_score, codes = y_true[rows], y_score[rows], codes[rows]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    bounds = np.append(starts, len(rows))
    return count_pairs(y_true, y_score, bounds, float(threshold)), rows[starts]


def _aligned(y_true, y_score, groups):
    """Check the vectors against each other; return the first two as floats."""
    for name, other in (("y_score", y_score), ("groups", groups)):
        both_series = isinstance(y_true, pd.Series) and isinstance(other, pd.Series)
        if both_series and len(y_true) == len(other) and not y_true.index.equals(other.index):
            raise CandidateError(
                f"y_true and {name} have different indices: use {name}.loc[y_true.index]."
            )
    y_score = np.asarray(y_score)
    if y_score.ndim != 1:
        raise CandidateError(f"y_score must be 1-D, found {y_score.ndim} dimensions.")
    try:
        y_score = y_score.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise CandidateError(f"y_score must be numbers, higher is better: {error}") from None
    return check_ranks(y_true, y_score), y_score


def kendall_tau_counts(
    y_true, y_score, *, groups, variant="wmt12", threshold=25.0, missing="error"
):
    """Count concordant, discordant and tied pairs of comparable rows.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Human judgement, rank-like: lower is better.
    y_score : array-like of shape (n_rows,)
        Metric score or strength: higher is better.
    groups : array-like, Index or MultiIndex of length n_rows
        Rows of one label are comparable, e.g. ``X.index.droplevel("system")``.
    variant : {"wmt12", "wmt13", "wmt14", "darr", "eq"}, default="wmt12"
        Only "darr" changes the counts: it applies the threshold.
    threshold : float, default=25.0
        For "darr": human differences below it (in points of y_true) count as ties.
    missing : {"error", "skip"}, default="error"
        What a NaN score does: raise, or take its row out of all pairs.

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
    check_options(variant)
    counts, _ = pair_counts(
        y_true,
        y_score,
        groups=groups,
        threshold=_threshold(variant, threshold),
        missing=missing,
    )
    return TauCounts(*counts.sum(axis=0).tolist())


def check_options(variant, average="pairs"):
    """Raise unless variant and average are known.

    Parameters
    ----------
    variant, average : see :func:`kendall_tau`
        The same.

    Raises
    ------
    ValueError
        Naming what is known.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant must be one of {sorted(VARIANTS)}, found {variant!r}.")
    if average not in ("pairs", "segments"):
        raise ValueError(f"average must be 'pairs' or 'segments', found {average!r}.")


def _threshold(variant, threshold):
    """Return the threshold that a variant applies."""
    return threshold if variant == "darr" else 0.0


def tau_terms(
    y_true, y_score, *, groups, variant="wmt12", average="pairs", threshold=25.0, missing="error"
):
    """Return each group's share of tau, so that tau is sum(numerator) / sum(denominator).

    Parameters
    ----------
    y_true, y_score, groups, variant, average, threshold, missing : see :func:`kendall_tau`
        The same.

    Returns
    -------
    numerator, denominator : ndarray of shape (n_groups,)
        For ``average="pairs"`` sums over the group's pairs; for ``"segments"`` the
        group's own tau and 1, or 0 and 0 where the group has no pair that counts.
    rows : ndarray of shape (n_groups,)
        A row (position) of each group.
    """
    check_options(variant, average)
    counts, rows = pair_counts(
        y_true,
        y_score,
        groups=groups,
        threshold=_threshold(variant, threshold),
        missing=missing,
    )
    numerator, denominator = (counts @ np.array(weights) for weights in VARIANTS[variant])
    if average == "segments":
        has_pairs = denominator > 0
        numerator = np.divide(numerator, denominator, where=has_pairs, out=np.zeros(len(counts)))
        denominator = has_pairs
    return numerator.astype(np.float64), denominator.astype(np.float64), rows


def kendall_tau(
    y_true, y_score, *, groups, variant="wmt12", average="pairs", threshold=25.0, missing="error"
):
    """Compute Kendall's tau between human judgements and a metric, over comparable rows.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Human judgement, rank-like: lower is better.
    y_score : array-like of shape (n_rows,)
        Metric score or strength: higher is better.
    groups : array-like, Index or MultiIndex of length n_rows
        Rows of one label are comparable, e.g. ``X.index.droplevel("system")``.
    variant : {"wmt12", "wmt13", "wmt14", "darr", "eq"}, default="wmt12"
        How ties count: "wmt12" (strict) takes a metric tie for discordant; "wmt13" leaves
        it out; "wmt14" counts it in the denominator only; "darr" is strict and leaves out
        pairs whose human difference is below the threshold; "eq" rewards tying what the
        human tied. Human ties are left out of all but "eq".
    average : {"pairs", "segments"}, default="pairs"
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
    Avramidis 2012, section 3.6.2; Callison-Burch et al. 2012; Macháček and Bojar 2013,
    2014; Bojar et al. 2017; Deutsch et al. 2023.

    Examples
    --------
    >>> from sklearn_mteval import kendall_tau
    >>> kendall_tau([1, 2, 3], [.7, .8, .1], groups=[0, 0, 0])
    0.3333333333333333
    """
    numerator, denominator, _ = tau_terms(
        y_true,
        y_score,
        groups=groups,
        variant=variant,
        average=average,
        threshold=threshold,
        missing=missing,
    )
    total = denominator.sum()
    if total == 0:
        warnings.warn(
            f"Kendall's tau ({variant}) is undefined: no comparable pair counts.",
            UndefinedMetricWarning,
            stacklevel=2,
        )
        return float("nan")
    return float(numerator.sum() / total)
