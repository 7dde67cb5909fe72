"""All judgements of a segment as one ranking (2012 paper, section 4.1)."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval.candidates import (
    check_ranks,
    check_sources,
    comparable_groups,
    group_codes,
    segment_codes,
)
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.pairwise.pairs import plain_columns


def aggregate_rankings(X: pd.DataFrame, y: ArrayLike) -> tuple[pd.DataFrame, pd.Series]:
    """Turn several annotators' rankings of each segment's systems into one ranking.

    Every pair of systems is decided by the majority of its judgements; as many for both, or all
    ties, is a draw. A system's score, by which it is ranked, is the mean over the systems it was
    judged against of +1 for a pair won, 0 for a draw and −1 for a pair lost. An annotator who
    disagrees with the others is outvoted; a system that was judged more often weighs no more.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table whose index has the levels ``segment`` and ``system``, and others
        that tell rankings apart. Rows of one segment and system must have the same content.
    y : array-like of shape (n_candidates,)
        Rank-like, lower is better.

    Returns
    -------
    X : DataFrame of shape (n_translations, n_columns)
        The first row of each segment and system; the index has these two levels only.
    y : Series of shape (n_translations,), int64
        Ranks within each segment, 1 is best; the rank after a tie of k systems is k higher.

    Raises
    ------
    CandidateError
        If the table breaks the contract, a segment has several sources, or a system has
        several translations of a segment.

    References
    ----------
    Avramidis 2012, section 4.1; Copeland 1951 for wins minus losses.

    Examples
    --------
    Two annotators disagree on A and B, one of them saw C.

    >>> import pandas as pd
    >>> from sklearn_mteval import aggregate_rankings
    >>> rows = [(1, "j1", "A"), (1, "j1", "B"), (1, "j1", "C"), (1, "j2", "A"), (1, "j2", "B")]
    >>> index = pd.MultiIndex.from_tuples(rows, names=["segment", "ranking", "system"])
    >>> texts = {"A": "a cat", "B": "the cat", "C": "cat"}
    >>> X = pd.DataFrame({"hypothesis": [texts[system] for *_, system in rows]}, index=index)
    >>> aggregate_rankings(X, [1, 2, 3, 2, 1])[1]
    segment  system
    1        A         1
             B         1
             C         3
    Name: rank, dtype: int64
    """
    ranks = check_ranks(y, X)
    rankings = comparable_groups(X)
    if "source" in X.columns:
        check_sources(X)
    segments = segment_codes(X)
    keys = X.index.droplevel([n for n in X.index.names if n not in ("segment", "system")])
    translations = group_codes(keys, len(X))
    _, first = np.unique(translations, return_index=True)
    _check_same_content(X, first[translations])
    scores = _mean_wins(ranks, rankings, translations)
    placed = pd.Series(-scores).groupby(segments[first]).rank(method="min")
    rows = X.iloc[first].set_axis(keys[first])
    return rows, pd.Series(placed.to_numpy(np.int64), index=rows.index, name="rank")


def _mean_wins(ranks, rankings, translations):
    """Score each translation by its majority decisions, in [−1, 1]."""
    n = translations.max(initial=-1) + 1
    rows = np.argsort(rankings, kind="stable")
    i, j = (rows[k] for k in pairs_within(np.bincount(rankings)))
    votes = (ranks[j] > ranks[i]) * 1.0 - (ranks[j] < ranks[i])
    pairs, pair_of = np.unique(translations[i] * n + translations[j], return_inverse=True)
    decisions = np.sign(np.bincount(pair_of, weights=votes, minlength=len(pairs)))
    winner = pairs // max(n, 1)
    competitors = np.bincount(winner, minlength=n)
    # Sums of -1, 0 and 1 are exact, so equal scores are equal to the bit.
    return np.bincount(winner, weights=decisions, minlength=n) / np.maximum(competitors, 1)


def _check_same_content(X, twin):
    """Raise unless each row has the content of another one."""
    for name, values in zip(X.columns, plain_columns(X), strict=True):
        missing = pd.isna(values)
        differ = (values != values[twin]) & ~(missing & missing[twin])
        if differ.any():
            row = int(np.flatnonzero(differ)[0])
            label = dict(zip(X.index.names, X.index.tolist()[row], strict=True))
            raise CandidateError(
                f"Rows {int(twin[row])} and {row} of X are the same segment and system "
                f"{label}, but differ in the column {name!r}: expected one translation for each. "
                "Tables of several campaigns or language pairs need segment labels of their own "
                "before they are joined."
            )
