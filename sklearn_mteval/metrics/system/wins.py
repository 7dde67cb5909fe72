"""Who beat whom: wins and ties of systems in human rankings, and the scores made of them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, hstack

from sklearn_mteval._helpers.memory import check_memory
from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval._helpers.order import sparse_order, system_order
from sklearn_mteval._helpers.pairs import pairs_of_rows
from sklearn_mteval.candidates import check_ranks, comparable_groups, segment_labels
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.paired_comparisons.strengths import bradley_terry_strengths

_PRIOR_PRECISION = 1e-4  # of strengths: a normal distribution of standard deviation 100


class WinCounts(NamedTuple):
    """How often systems beat each other, segment by segment."""

    # (n_segments, n_systems²): judgements in which the i-th was better than the j-th system, in
    # column i n_systems + j
    won: csr_array
    # (n_segments, n_systems²): judgements in which they were equal; each stands in both columns of
    # its systems
    tied: csr_array
    segments: pd.Index  # (n_segments,): labels, sorted
    systems: pd.Index  # (n_systems,): labels, sorted

    @property
    def wins(self) -> np.ndarray:
        """Return ``won`` as an array of shape (n_segments, n_systems, n_systems), if it fits."""
        return self._whole(self.won)

    @property
    def ties(self) -> np.ndarray:
        """Return ``tied`` as an array of shape (n_segments, n_systems, n_systems), if it fits."""
        return self._whole(self.tied)

    def _whole(self, table):
        needed = 4 * table.shape[0] * table.shape[1]
        check_memory(needed, f"Wins of {table.shape[0]} segments and {len(self.systems)} systems")
        return table.toarray().reshape(len(table.indptr) - 1, *2 * (len(self.systems),))

    def by_segment(self) -> Iterator[np.ndarray]:
        """Yield wins, losses and ties (n_segments, n_systems), columns whatever their order."""
        n = len(self.systems)
        check_memory(40 * len(self.segments) * n, "Tables of segments and systems")
        for table, side in (self.won, 0), (self.won, 1), (self.tied, 0):
            systems = np.divmod(table.indices, n)[side]
            rows = csr_array((table.data, systems, table.indptr), (len(self.segments), n))
            yield rows.toarray().astype(np.float64)

    def in_order(self, segments: ArrayLike | None, systems: ArrayLike) -> "WinCounts":
        """Return counts of segments and systems by position; segment -1 has no judgements."""
        rows, columns = (
            np.arange(len(labels))[chosen] if isinstance(chosen, slice) else np.asarray(chosen)
            for labels, chosen in ((self.segments, segments), (self.systems, systems))
        )
        place = np.full(len(self.systems), -1)
        place[columns] = np.arange(len(columns))
        tables = (_moved(table, rows, place, len(columns)) for table in (self.won, self.tied))
        return WinCounts(*tables, self.segments[rows], self.systems[columns])


def _moved(table, rows, place, n_systems):
    """Return some rows of a table, each system at its place, or left out where that is -1."""
    table = table.tocoo()
    first, second = (place[systems] for systems in np.divmod(table.col, len(place)))
    kept = (first >= 0) & (second >= 0)
    cells = first[kept] * n_systems + second[kept]
    shape = table.shape[0], n_systems**2
    moved = csr_array((table.data[kept], (table.row[kept], cells)), shape)
    there = np.flatnonzero(rows >= 0)
    chosen = csr_array(
        (np.ones(len(there), np.float32), (there, rows[there])), (len(rows), shape[0])
    )
    moved = chosen @ moved
    moved.sort_indices()
    return moved


def win_counts(X: pd.DataFrame, y: ArrayLike) -> WinCounts:
    """Count wins and ties of all pairs of comparable translations.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        Its index says segment, optionally ranking, and system; columns are not looked at.
    y : array-like of shape (n_candidates,)
        Ranks, lower is better.

    Returns
    -------
    WinCounts
        Sparse: memory grows with the comparisons.

    Raises
    ------
    CandidateError
        For an index without segments and systems, y that does not belong to X, NaN; for more
        comparisons than memory holds.

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.metrics import win_counts
    >>> X, y = load_sample(return_X_y=True)
    >>> counts = win_counts(X, y)
    >>> counts.won.shape == (len(counts.segments), len(counts.systems) ** 2)
    True
    """
    groups = comparable_groups(X)
    ranks = check_ranks(y, X)
    segments, segment_names = pd.factorize(segment_labels(X), sort=True)
    systems, system_names = pd.factorize(X.index.get_level_values("system"), sort=True)
    order = np.argsort(groups, kind="stable")
    ranks, segments, systems = ranks[order], segments[order], systems[order]
    first, second = pairs_of_rows(groups[order])
    n, one, other = len(system_names), ranks[first], ranks[second]
    won, lost, tied = one < other, one > other, one == other  # a difference could overflow
    tables = []
    for rows, others in (
        (np.append(first[won], second[lost]), np.append(second[won], first[lost])),
        (np.append(first[tied], second[tied]), np.append(second[tied], first[tied])),
    ):
        cells = segments[rows], systems[rows] * n + systems[others]
        ones = np.ones(len(rows), dtype=np.float32)
        tables.append(csr_array((ones, cells), (len(segment_names), n * n)))  # equal cells add up
    return WinCounts(*tables, segment_names, system_names)


def in_content_order(counts, systems=None):
    """Order segments of win counts, and systems unless their order is given, by their content."""
    if systems is None:
        systems = system_order(counts.by_segment(), lambda: (counts.wins, counts.ties))
    counts = counts.in_order(slice(None), systems)
    return counts.in_order(sparse_order(hstack([counts.won, counts.tied], "csr")), slice(None))


def human_system_scores(
    X: pd.DataFrame, y: ArrayLike, *, method: str = "expected-wins"
) -> pd.Series:
    """Score systems by human rankings.

    Parameters
    ----------
    X, y : see :func:`win_counts`
        Candidates and their ranks.
    method : {"expected-wins", "bradley-terry"}, default="expected-wins"
        The mean over opponents of the proportion of decided judgements won, in [0, 1] (Koehn
        2012); or log-odds by maximum likelihood, mean zero, a tie being half a win for each
        (Bradley and Terry 1952).

    Returns
    -------
    Series of length n_systems
        Higher is better, labels sorted. NaN for a system that never won or lost (expected wins).

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.metrics import human_system_scores
    >>> X, y = load_sample(return_X_y=True)
    >>> bool(human_system_scores(X, y).between(0, 1).all())
    True
    """
    found = win_counts(X, y)
    counts = in_content_order(found)  # no bit of a sum depends on names
    scores = human_scores_of_weights(counts, method)(np.ones((1, len(counts.segments))))[0]
    return pd.Series(scores, index=counts.systems).loc[found.systems]


def human_scores_of_weights(counts, method="expected-wins"):
    """Return system scores as a function of weights (n_resamples, n_segments) of segments."""
    check_one_of("method", method, HUMAN_SCORES)
    of_sums, fields = HUMAN_SCORES[method]
    tables = [getattr(counts, field).T for field in fields]
    shape = 2 * (len(counts.systems),)

    def scores(weights):
        weights = np.asarray(weights, dtype=np.float32).T  # whole numbers: exact up to 2^24
        return of_sums(*((table @ weights).T.reshape(-1, *shape) for table in tables))

    return scores


def expected_wins(wins):
    """Average, over opponents, the proportions won of decided judgements (Koehn 2012); NaN: none.

    ``wins`` (…, n_systems, n_systems): how often the system of the row beat that of the column.
    """
    decided = (wins + wins.swapaxes(-1, -2)) * (1 - np.eye(wins.shape[-1]))
    return ratio(ratio(wins, decided, 0.0).sum(axis=-1), (decided > 0).sum(axis=-1))


def bradley_terry_scores(wins, tied):
    """Estimate strengths s, P(i beats j) = 1 / (1 + exp(s_j - s_i)); a tie is half a win for each.

    The prior keeps those finite that always won or lost: ±6 for two systems and 100 to 0.
    """
    return bradley_terry_strengths(wins + tied / 2, precision=_PRIOR_PRECISION)


# Ways to score systems by wins: a function of sums over segments, and what is summed.
HUMAN_SCORES = {
    "expected-wins": (expected_wins, ("won",)),
    "bradley-terry": (bradley_terry_scores, ("won", "tied")),
}
