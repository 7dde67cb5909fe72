"""Similarity scores from rankings, to train ReVal on (2015 paper, section 5)."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import Bunch

from sklearn_mteval._helpers.options import check_boolean, check_integer, check_number
from sklearn_mteval._helpers.restored import is_count, is_number
from sklearn_mteval.candidates import (
    check_ranks,
    check_texts,
    comparable_groups,
    group_codes,
    segment_labels,
)
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import kendall_tau

# Table 1: the variance below which translations of so many judgements are kept, 8 or more alike.
PRINTED_THRESHOLDS = {3: 0.65, 4: 1.0, 5: 1.2, 6: 1.2, 7: 1.3, 8: 0.85}
_MANY = max(PRINTED_THRESHOLDS)
_FIRST, _STEP = 0.25, 0.05  # of Algorithm 1
_ROUNDING = 1e-9  # of a variance, which is a fraction


def similarity_from_rankings(
    X: pd.DataFrame, y: ArrayLike, *, min_judgements: int = 4,
    thresholds: str | Mapping | None = "computed", min_tau: float = 0.78, n_classes: int = 5,
    return_X_y: bool = False
) -> Any:  # fmt: skip
    """Turn rankings into one score for each translation: K + 1 minus its mean rank.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table with the column ``hypothesis``, in which a translation has a row for each
        time that it was judged, as :func:`load_wmt` makes it.
    y : array-like of shape (n_candidates,)
        Ranks from 1, the best, to ``n_classes``.
    min_judgements : int, default=4
        Judgements that a translation needs; 4 makes the paper's sets L and LNF, 3 XL.
    thresholds : {"computed", "printed"}, mapping or None, default="computed"
        Variance of the ranks below which a translation is kept: by number of judgements as
        Algorithm 1 computes it from the rankings; as the paper's Table 1 has it for WMT13; a
        mapping from numbers of judgements to variances, of which the highest stands for more, too;
        or all are kept, whatever their variance (LNF).
    min_tau : float, default=0.78
        What Kendall's tau between the scores that are kept and the judgements must reach in
        Algorithm 1.
    n_classes : int, default=5
        K, the worst rank, and the highest score.
    return_X_y : bool, default=False
        Whether to return (X, y) only.

    Returns
    -------
    Bunch
        - X : DataFrame, one row for each translation that is kept, indexed by segment and system,
          in the order and with the columns of the table;
        - y : Series of their scores in [1, K], higher is better;
        - n_judgements, variances : Series of the same index;
        - thresholds : dict from numbers of judgements (8: 8 or more) to variances, None for LNF.

    Raises
    ------
    CandidateError
        If the index is lost, a rank is not from 1 to K, or no translation is left; the message says
        how many were judged how often.
    ValueError
        If a parameter has no such value.

    Notes
    -----
    A translation is a distinct text of a segment. Systems with equal texts in one ranking are one
    judgement, with their mean rank.

    Algorithm 1: for each number of judgements, 8 and more together, the variance v, Σ(r − r̄)² / n,
    starts at 0.25 and grows by 0.05 while tau ("wmt14") between the scores of translations of
    variance below v and the single judgements stays at ``min_tau`` or above, or no two are
    compared; the last v with such a tau is the threshold.

    References
    ----------
    Gupta, Orăsan and van Genabith 2015, section 5, Algorithm 1, Tables 1 and 2.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.datasets import similarity_from_rankings
    >>> rows = pd.MultiIndex.from_product(
    ...     [[1], ["first", "second", "third"], ["a", "b"]], names=["segment", "ranking", "system"])
    >>> X = pd.DataFrame({"hypothesis": ["A good one.", "A bad one."] * 3}, index=rows)
    >>> found = similarity_from_rankings(X, [1, 4, 2, 5, 1, 5], min_judgements=3)
    >>> found.y.round(2).tolist()
    [4.67, 1.33]
    """
    _check_options(min_judgements, thresholds, min_tau, n_classes, return_X_y)
    ranks = check_ranks(y, X)
    tasks = comparable_groups(X)
    outside = np.flatnonzero((ranks < 1) | (ranks > n_classes))
    if len(outside):
        raise CandidateError(
            f"Expected ranks from 1 to n_classes={n_classes}, found {ranks[outside[0]]:g} in row "
            f"{outside[0]}, and {len(outside)} such row(s)."
        )
    texts = pd.MultiIndex.from_arrays([segment_labels(X), check_texts(X, "hypothesis")])
    translations = group_codes(texts, len(X))
    rows = pd.DataFrame({"task": tasks, "translation": translations, "rank": ranks})
    # Sorted, so that the last bits of means do not depend on the order of the rows.
    judged = rows.sort_values("rank").groupby(["task", "translation"])["rank"].mean().reset_index()
    of_translation = judged.sort_values("rank").groupby("translation")["rank"]
    found = pd.DataFrame(
        {
            "first": np.flatnonzero(~rows["translation"].duplicated()),  # numbered so
            "n": of_translation.size(),
            "score": n_classes + 1 - of_translation.mean(),
            "variance": of_translation.var(ddof=0),
        }
    )
    kept = found["n"] >= min_judgements
    if not kept.any():
        raise CandidateError(
            f"No translation was judged {min_judgements} times or more{_often(found)}: give more "
            "rankings, or lower min_judgements."
        )
    limits = PRINTED_THRESHOLDS if isinstance(thresholds, str) else thresholds
    if isinstance(thresholds, str) and thresholds == "computed":
        numbers = found["n"][kept].clip(upper=_MANY)
        limits = {
            int(n): _threshold(judged, found.loc[numbers.index[numbers == n]], min_tau)
            for n in sorted(numbers.unique())
        }
    if limits is not None:
        n = found["n"].clip(upper=max(limits))
        kept &= found["variance"] < n.map(limits).astype(float) - _ROUNDING
        if not kept.any():
            raise CandidateError(
                f"No translation judged {min_judgements} times or more has a variance below the "
                f"threshold{_often(found)}; thresholds: {limits or 'none'}. Annotators agree too "
                "little, or tie all: lower min_tau, or pass thresholds=None to keep all."
            )
    found = found[kept].sort_values("first")
    table = X.iloc[found["first"].to_numpy()]
    table = table.droplevel([name for name in X.index.names if name not in ("segment", "system")])
    found = found.set_index(table.index)
    names = {"score": "y", "n": "n_judgements", "variance": "variances"}
    series = {name: found[column].rename(name) for column, name in names.items()}
    if return_X_y:
        return table, series["y"]
    return Bunch(X=table, **series, thresholds=limits)


def _check_options(min_judgements, thresholds, min_tau, n_classes, return_X_y):
    check_integer("min_judgements", min_judgements, minimum=1)
    check_integer("n_classes", n_classes, minimum=2)
    check_number("min_tau", min_tau, above=-1, maximum=1)
    check_boolean(return_X_y=return_X_y)
    if isinstance(thresholds, Mapping) and thresholds:
        known = all(is_count(n, 1) and is_number(v) for n, v in thresholds.items())
    else:
        known = thresholds is None or (
            isinstance(thresholds, str) and thresholds in ("computed", "printed")
        )
    if not known:
        raise ValueError(
            "thresholds must be 'computed', 'printed', None or a mapping from numbers of "
            f"judgements to variances, found {thresholds!r}."
        )


def _threshold(judged, found, min_tau):
    """Compute the threshold of one number of judgements by Algorithm 1; -1 keeps nothing."""
    judged = judged[judged["translation"].isin(found.index)]
    scores, variances = (
        judged["translation"].map(found[name]).to_numpy() for name in ("score", "variance")
    )
    threshold, step = -1.0, 0
    while True:
        variance = round(_FIRST + step * _STEP, 2)
        below = variances < variance - _ROUNDING
        ranks, tasks = (judged[name].to_numpy()[below] for name in ("rank", "task"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tau = kendall_tau(ranks, scores[below], groups=tasks, statistic="wmt14")
        if tau >= min_tau:
            threshold = variance
        if tau < min_tau or below.all():  # NaN is neither: no two were compared
            return threshold
        step += 1


def _often(found):
    """Say how many translations were judged how often."""
    counts = found["n"].value_counts().sort_index()
    return " (judgements: translations; " + ", ".join(f"{n}: {k}" for n, k in counts.items()) + ")"
