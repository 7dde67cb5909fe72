"""The decisions of a model between each two translations of a segment, as sums over families."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.pairs import pairs_of_rows
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.models.explanations.exact import exact_values
from sklearn_mteval.models.explanations.families import families_of
from sklearn_mteval.models.explanations.shapley import SURE, Split
from sklearn_mteval.models.ranking import ranked_rows, tells_probabilities
from sklearn_mteval.pairwise.judged import Judged

MOST_TEXTS = 20  # different translations of a segment that are compared: the best ones
MOST_SEGMENTS = 300  # outside of a pass in which all are ranked
_FEW = 10  # of a model that must be asked about each pair: half a second
_LOST = "sentences without counterpart"
_UNITS = 100  # of log-odds, that values are rounded to


class PairValues(NamedTuple):
    """What families add to the decisions of all pairs of different translations of segments."""

    families: list  # names
    log_odds: bool  # whether decisions are
    text: np.ndarray  # of each row the number of its text, -1: it is in no pair
    first: np.ndarray  # numbers of texts, the first one smaller, sorted
    second: np.ndarray
    values: np.ndarray  # (n_pairs, n_families), for the first one, in 0.01, whole numbers
    told: np.ndarray  # whether a pair can be split: not with other references


def values_of_pairs(model, judged, best):
    """Split what a model decides of each pair of a table: PairValues, or None where it cannot be.

    ``best`` has a number for each row, lower where it is better: it chooses where a segment has
    more than 20 different translations. Values of a pair add up to its decision, rounded.
    """
    families = families_of(model, judged.table.columns)
    split = exact_values(judged.ranker, families)
    if split is None:
        return None
    chosen, groups = _chosen(judged, best)
    i, j = pairs_of_rows(groups)
    rows = chosen[i], chosen[j]
    table = judged.table.to_numpy(np.float64)
    if judged.windows is None:
        values, there = split(table[rows[0]] - table[rows[1]]), np.ones(len(i), dtype=bool)
        values = np.column_stack([values, np.zeros(len(i))])
    else:
        values, there = _of_windows(judged, split, table, *rows)
    text = np.full(len(judged.first), -1)
    text[np.searchsorted(judged.first, chosen)] = np.arange(len(chosen))
    names, log_odds = [*dict.fromkeys(families), _LOST], tells_probabilities(judged.ranker)
    return PairValues(names, log_odds, text[judged.place], i, j, _rounded(values), there)


def values_in_segments(model, X, segments):
    """Split decisions in some segments of a table: PairValues, None where there are none.

    ``segments`` are labels, the most wanted first, of which up to 300 are explained; of models that
    :func:`values_of_pairs` cannot split, the best and the worst translation of the first 10.
    """
    if not len(segments):
        return None
    rows = _rows_of(X, segments[:_FEW])
    found, *judged = _judged(model, X.iloc[rows])
    if found is None:
        found = _of_extremes(model, *judged)
    elif len(segments) > _FEW:
        rows = _rows_of(X, segments[:MOST_SEGMENTS])
        found = _judged(model, X.iloc[rows])[0]
    text = np.full(len(X), -1)
    text[rows] = found.text
    return found._replace(text=text)


def _judged(model, X):
    """Return PairValues or None, Judged and ranks."""
    judged = Judged(model, X)
    ranks = ranked_rows(judged, X)[0]["rank"]
    return values_of_pairs(model, judged, ranks), judged, ranks


def _rows_of(X, segments):
    """Return the rows of segments, as they stand."""
    return np.flatnonzero(X.index.isin(segments, level="segment"))


def _of_extremes(model, judged, ranks):
    """Split decisions between the best and the worst translation of each segment."""
    split, of_pairs = Split(model, judged), []
    text, rows = np.full(len(ranks), -1), pd.Series(np.arange(len(ranks)))
    for _, some in rows.groupby(comparable_groups(pd.DataFrame(index=judged.index))):
        of_some = ranks.to_numpy()[some]
        pair = some.iloc[of_some.argmin()], some.iloc[of_some.argmax()]
        if of_some.min() < of_some.max():
            text[list(pair)] = 2 * len(of_pairs), 2 * len(of_pairs) + 1
            of_pairs.append(split.of_pair(*pair).families)
    values = pd.DataFrame(of_pairs).fillna(0.0)
    first = 2 * np.arange(len(of_pairs))
    told = np.ones(len(of_pairs), dtype=bool)
    log_odds = tells_probabilities(judged.ranker)
    return PairValues(
        list(values), log_odds, text, first, first + 1, _rounded(values.to_numpy()), told
    )


def _rounded(values):
    """Round sums, not summands, so that the parts of a decision add up to it, rounded."""
    return np.diff(np.rint(_UNITS * values.cumsum(axis=1)).astype(np.int64), prepend=0)


def _chosen(judged, best):
    """Return rows of different translations, those of a segment together, and their segments."""
    rows = judged.first
    groups = comparable_groups(pd.DataFrame(index=judged.index[rows]))
    order = np.lexsort((rows, np.asarray(best, dtype=np.float64)[rows], groups))
    place = np.arange(len(rows)) - np.searchsorted(groups[order], groups[order])
    order = np.sort(order[place < MOST_TEXTS])
    order = order[np.argsort(groups[order], kind="stable")]
    return rows[order], groups[order]


def _of_windows(judged, split, table, i, j):
    """Average the values of the windows of pairs, and tell which pairs have the same windows."""
    (take, owner, weights), (other, owner_2, _) = map(judged.shared_windows, (i, j))
    n = [np.bincount(of, minlength=len(i)) for of in (owner, owner_2)]
    there = n[0] == n[1]  # not with other references
    take, owner, weights = (values[there[owner]] for values in (take, owner, weights))
    differences = table[take] - table[other[there[owner_2]]]
    added = judged.windows.added[i], judged.windows.added[j]
    total = np.bincount(owner, weights, len(i)) + added[0] + added[1]
    parts = split(differences) * (weights / total[owner])[:, None]
    columns = [np.bincount(owner, column, len(i)) for column in parts.T]
    values = np.column_stack([*columns, np.zeros(len(i))])
    values[there, -1] = (SURE * (added[1] - added[0]) / total)[there]
    return values, there
