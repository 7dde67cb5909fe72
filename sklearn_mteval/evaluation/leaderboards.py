"""Leaderboards: from comparisons or rankings of any source to a table of systems."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import (
    check_draws,
    check_integer,
    check_number,
    check_one_of,
    check_proportion,
)
from sklearn_mteval._helpers.order import hash_cells, hash_rows
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import check_columns, check_ranks, check_texts
from sklearn_mteval.evaluation.option_values import SCALES, TIES
from sklearn_mteval.evaluation.signature import short_hash, signature_line
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import expected
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.paired_comparisons.comparisons import comparisons_of
from sklearn_mteval.metrics.paired_comparisons.inference import estimate_strengths
from sklearn_mteval.metrics.significance.multiple_comparisons import cluster_numbers, holm

__all__ = ["Leaderboard", "leaderboard"]

_DIGITS = 9  # log-odds that agree to so many decimals share their rank
# What a log-odds of 1 is on a scale, and the mean; in points, odds of ten to one are 400.
_SCALES = {"log-odds": (1.0, 0.0), "elo": (400 / np.log(10), 1000.0)}


@dataclass(frozen=True)
class Leaderboard:
    """Systems by their strengths, best first.

    Attributes
    ----------
    table : DataFrame of shape (n_systems, 15)
        Indexed by system. ``score``: higher is better; ``low`` and ``high``: interval by bootstrap
        over segments; ``standard_error``, ``sandwich_low``, ``sandwich_high``: of the sandwich
        covariance; ``tier``, from 1; ``rank_low`` and ``rank_high``: best and worst rank that the
        tests leave; ``win_rate``: of its comparisons, a tie half a win; ``wins``, ``losses``,
        ``ties``, ``both_bad``: comparisons; ``segments`` in which it was compared.
    win_rates : DataFrame of shape (n_systems, n_systems)
        Of the comparisons of row and column the proportion that the row won, a tie half a win; NaN
        where there are none. In the order of the table.
    comparisons : DataFrame of shape (n_systems, n_systems), int
        How many there are, without those judged "both bad".
    p_values : DataFrame of shape (n_systems, n_systems)
        Of the two-sided tests whether two systems are equally strong, corrected by Holm's method,
        where the row stands above the column; NaN elsewhere.
    effects : DataFrame of shape (n_covariates, 7)
        Indexed by covariate: ``effect`` on the log-odds of a difference of one ``deviation``, the
        root mean square of the differences; ``low``, ``high``, ``standard_error``,
        ``sandwich_low``, ``sandwich_high`` as above.
    tie_proportion : float or None
        With ``ties="model"``, the probability that two equally strong systems tie.
    counts : dict of str to int
        ``comparisons``, ``ties``, ``both_bad``, ``segments``, ``systems``.
    options : dict
        What was asked for.
    signature : str
        On one line, how the numbers were made.
    """

    table: pd.DataFrame
    win_rates: pd.DataFrame
    comparisons: pd.DataFrame
    p_values: pd.DataFrame
    effects: pd.DataFrame
    tie_proportion: float | None
    counts: dict
    options: dict
    signature: str


def leaderboard(
    X: pd.DataFrame, y: ArrayLike, *, both_bad: ArrayLike | None = None, ties: str = "half",
    covariates: Iterable[str] = (), scale: str = "log-odds", confidence: float = 0.95,
    n_resamples: int = 1000, alpha: float = 0.05, random_state: Seed = 0
) -> Leaderboard:  # fmt: skip
    """Score systems by comparisons of their outputs, and say which can be told apart.

    Each pair of rows that y compares, of one segment (and ranking), is a comparison. Strengths are
    Bradley and Terry's, by maximum likelihood: P(i beats j) = 1 / (1 + exp(s_j - s_i)). Comparisons
    of one segment depend on each other: the bootstrap resamples segments, and the sandwich
    covariance is clustered by segment, its intervals and tests by Student's t with one degree of
    freedom less than segments. Neither the order of rows nor names change a bit.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        Candidates: the index says segment, optionally ranking, and system. Only covariates are
        looked at.
    y : array-like of shape (n_candidates,)
        Ranks, lower is better.
    both_bad : array-like of bool of shape (n_candidates,), optional
        Rows of equal rank that the annotator found bad, both True for a comparison judged "both
        bad": that says nothing of the two systems' order, is no tie, and only counted. None: such
        comparisons are ties.
    ties : {"half", "model"}, default="half"
        A tie is half a win for each, or Davidson's model gives ties a parameter of their own.
    covariates : iterable of str, default=()
        Columns of X with numbers that may sway annotators whatever the system, such as the length;
        "length", if X has no such column, is log(1 + characters of ``hypothesis``). Scores are then
        those of translations alike in all of them.
    scale : {"log-odds", "elo"}, default="log-odds"
        Log-odds with mean zero, or points with mean 1000, 400 of which are odds of ten to one.
    confidence : float, default=0.95
        Coverage of both kinds of intervals, between 0 and 1.
    n_resamples : int, default=1000
        Bootstrap resamples of segments.
    alpha : float, default=0.05
        Level of the tests, above 0, at most 0.5.
    random_state : int, default=0
        Seed of the resamples.

    Returns
    -------
    Leaderboard
        ``table``, ``win_rates``, ``p_values``, ``signature`` and more. A tier begins where each
        system above is significantly better than each below: two systems that cannot be told apart
        stand in one tier. A system that never lost to the rest has the score infinity, and a lower
        bound: where winning as it did is less probable than the tail, a segment's comparisons
        counting as one; a system that never won, likewise, minus infinity.

    Raises
    ------
    CandidateError
        For bad tables (:func:`~sklearn_mteval.metrics.win_counts`); for systems that no comparison
        connects; where nothing is decided, or there is one segment; for covariates that are no
        finite numbers, or whose effects cannot be told from the systems'.

    References
    ----------
    Bradley and Terry 1952; Davidson 1970; Liang and Zeger 1986, "Longitudinal data analysis using
    generalized linear models"; Chiang et al. 2024, "Chatbot Arena"; Hesterberg 2015, "What teachers
    should know about the bootstrap".

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.evaluation import leaderboard
    >>> X, y = load_sample(return_X_y=True)
    >>> found = leaderboard(X, y)
    >>> found.table[["score", "low", "high", "tier"]].shape[1], found.counts["systems"]
    (4, 5)
    """
    check_one_of("ties", ties, TIES)
    check_one_of("scale", scale, SCALES)
    check_proportion("confidence", confidence)
    check_draws("n_resamples", n_resamples)
    check_number("alpha", alpha, above=0, maximum=0.5)
    check_integer("random_state", random_state, minimum=0)
    options = {
        "ties": ties, "covariates": _names(covariates), "scale": scale, "confidence": confidence,
        "n_resamples": n_resamples, "alpha": alpha, "random_state": random_state,
    }  # fmt: skip
    values = _covariate_values(X, options["covariates"])
    compared, deviations = _in_deviations(comparisons_of(X, y, both_bad, values), options)
    drawn = {"n_resamples": n_resamples, "rng": check_random_state(random_state)}
    found = estimate_strengths(compared, ties=ties == "model", confidence=confidence, **drawn)
    order = _order(compared.systems, found)
    labels = compared.systems[order].rename("system")

    def square(cells):
        return pd.DataFrame(cells, index=labels, columns=labels.rename("against"))

    earlier = np.triu(np.ones((len(order), len(order)), dtype=bool), 1)
    p_values = holm(np.where(earlier, found.p_values[np.ix_(order, order)], np.nan))
    wins, tied = (cells[np.ix_(order, order)] for cells in _wins_and_ties(compared))
    judged = wins + wins.T + tied
    better, (factor, mean) = p_values <= alpha, _SCALES[scale]
    columns = {
        "score": mean + factor * found.strengths[order],
        **_uncertainty(found, order, factor, mean),
        "tier": cluster_numbers(better),
        "rank_low": 1 + better.sum(axis=0),
        "rank_high": len(better) - better.sum(axis=1),
        "win_rate": ratio((wins + tied / 2).sum(axis=1), judged.sum(axis=1)),
        "wins": wins.sum(axis=1),
        "losses": wins.sum(axis=0),
        "ties": tied.sum(axis=1),
        "both_bad": compared.both_bad.sum(axis=1)[order],
        "segments": _segments(compared)[order],
    }
    effects = {
        "effect": found.effects,
        **_uncertainty(found, slice(len(order), None)),
        "deviation": deviations,
    }
    covariates = pd.Index(options["covariates"], name="covariate", dtype=object)
    counts = {
        "comparisons": len(compared.outcome),
        "ties": int((compared.outcome == 0).sum()),
        "both_bad": int(compared.both_bad.sum()) // 2,
        "segments": int(compared.segment[-1]) + 1,
        "systems": len(order),
    }
    nu = np.exp(found.log_nu)
    return Leaderboard(
        pd.DataFrame(columns, index=labels),
        square(ratio(wins + tied / 2, judged)),
        square(judged),
        square(p_values),
        pd.DataFrame(effects, index=covariates),
        float(nu / (2 + nu)) if ties == "model" else None,
        counts,
        options,
        _signature(X, y, both_bad, values, counts, options),
    )


def _names(covariates):
    """Return the names of covariates."""
    if isinstance(covariates, str):
        raise ValueError(f"covariates must be a list of names, found the string {covariates!r}.")
    names = tuple(covariates)
    for k, name in enumerate(names):
        if name in names[:k]:
            raise ValueError(f"covariates names {name!r} twice.")
    return names


def _covariate_values(X, names):
    """Return the values of covariates (n_candidates, n_covariates)."""
    columns = []
    for name in names:
        if name == "length" and isinstance(X, pd.DataFrame) and name not in X:
            columns.append(np.log1p([len(text) for text in check_texts(X, "hypothesis")]))
            continue
        check_columns(X, [name])
        with expected(f"Covariate {name!r} must be numbers"):
            columns.append(as_numbers(X[name]))
        bad = ~np.isfinite(columns[-1])
        if bad.any():
            raise CandidateError(
                f"Covariate {name!r} must be finite numbers, found {columns[-1][bad][0]} in row "
                f"{int(bad.argmax())}."
            )
    return np.column_stack(columns) if columns else None


def _in_deviations(compared, options):
    """Divide covariates by the root mean square of their differences; return it too."""
    deviations = np.sqrt(np.mean(compared.covariates**2, axis=0))
    if not deviations.all():
        name = options["covariates"][int((deviations == 0).argmax())]
        raise CandidateError(f"Covariate {name!r} never differs between translations compared.")
    return compared._replace(covariates=compared.covariates / deviations), deviations


def _order(systems, found):
    """Return positions of systems, the strongest first, of equal ones the first label."""
    strengths = np.nan_to_num(found.strengths.round(_DIGITS), posinf=0.0, neginf=0.0)
    # Infinite ones, too, stand over one another: how many there are is the order.
    return np.lexsort((pd.factorize(systems, sort=True)[0], -strengths, -found.net))


def _uncertainty(found, part, factor=1.0, mean=0.0):
    """Return columns of bounds and errors of some parameters, on a scale."""
    low, high = mean + factor * found.bootstrap[part].T
    sandwich_low, sandwich_high = mean + factor * found.sandwich[part].T
    return {
        "low": low,
        "high": high,
        "standard_error": factor * found.errors[part],
        "sandwich_low": sandwich_low,
        "sandwich_high": sandwich_high,
    }


def _wins_and_ties(compared):
    """Return who beat whom, and who tied with whom, (n_systems, n_systems)."""
    n, (first, second) = len(compared.systems), (compared.first, compared.second)
    better = np.where(compared.outcome > 0, first, second)
    worse = np.where(compared.outcome > 0, second, first)
    tied = compared.outcome == 0
    wins, ties = (
        np.bincount(better[kind] * n + worse[kind], minlength=n * n).reshape(n, n)
        for kind in (~tied, tied)
    )
    return wins, ties + ties.T


def _segments(compared):
    """Count the segments in which each system was compared."""
    n = len(compared.systems)
    cells = np.sort(np.concatenate([compared.segment * n + end for end in compared[1:3]]))
    return np.bincount(cells[np.diff(cells, prepend=-1) > 0] % n, minlength=n)


def _signature(X, y, both_bad, values, counts, options):
    """Say on one line how the numbers were made."""
    parts = {"model": "bradley-terry" if options["ties"] == "half" else "davidson"}
    names = options["covariates"]
    parts |= {"covariates": ",".join(names) if names else None, "scale": options["scale"]}
    parts |= {**counts, "interval": f"{options['confidence']:g}", "clusters": "segments"}
    parts |= {"resamples": options["n_resamples"], "test": "wald", "correction": "holm"}
    parts |= {"alpha": f"{options['alpha']:g}"}
    flags = np.zeros(len(X)) if both_bad is None else np.asarray(both_bad, dtype=float)
    columns = [check_ranks(y, X), flags, *([] if values is None else values.T)]
    return signature_line(parts, options["random_state"], _hash_of(X.index, columns))


def _hash_of(index, columns):
    """Hash rows of labels and numbers, whatever their order: 12 hex digits."""
    keys = []
    for labels, codes in zip(index.levels, index.codes, strict=True):
        values = labels.to_numpy()
        if values.dtype.kind not in "iuf":
            values = np.array([ascii(label) for label in labels.tolist()], dtype=object)
        keys.append(hash_cells(values)[codes])
    rows = np.sort(hash_rows([*keys, *columns], len(index)))
    return short_hash(repr((list(index.names), len(columns))), rows.astype("<u8").tobytes())
