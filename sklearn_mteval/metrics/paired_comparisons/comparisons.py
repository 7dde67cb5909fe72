"""Comparisons of two systems each, from a candidate table, in the order of their content."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sklearn_mteval._helpers.order import (
    MULTIPLIER,
    by_content,
    comparison_order,
    hash_rows,
    hash_sets,
)
from sklearn_mteval._helpers.pairs import pairs_of_rows
from sklearn_mteval.candidates import check_ranks, comparable_groups, segment_labels
from sklearn_mteval.exceptions import CandidateError


class Comparisons(NamedTuple):
    """Judgements of two translations of a segment each, sorted by segment, first, second system."""

    segment: np.ndarray  # (n_comparisons,) int64, from 0
    first: np.ndarray  # (n_comparisons,) int64, positions in systems, lower than second
    second: np.ndarray
    outcome: np.ndarray  # (n_comparisons,) int64: 1 the first is better, 0 tie, -1
    covariates: np.ndarray  # (n_comparisons, n_covariates): those of the first less the second's
    systems: pd.Index
    segments: pd.Index  # labels, by number
    both_bad: np.ndarray  # (n_systems, n_systems): comparisons judged so, symmetric, not above
    judge: np.ndarray | None = None  # (n_comparisons,) int64, positions in judges; None: not asked
    judges: pd.Index | None = None

    def taken(self, rows):
        """Return some comparisons, or all in another order; ``both_bad`` stays that of all."""
        parts = {name: getattr(self, name)[rows] for name in self._fields[:5]}
        if self.judge is not None:
            parts["judge"] = self.judge[rows]
        return self._replace(**parts)

    def of_segments(self, labels):
        """Return the comparisons of some segments, which are numbered anew."""
        kept = self.segments.isin(labels)
        found, number = self.taken(kept[self.segment]), np.cumsum(kept) - 1
        return found._replace(segment=number[found.segment], segments=self.segments[kept])


def comparisons_of(X, y, both_bad=None, covariates=None, judges=None, *, connected=True):
    """List the comparisons of a table, with ``covariates`` (n_candidates, k) and names of
    ``judges``, those of rows compared alike; ``connected``: CandidateError for systems never
    compared.
    """
    groups = comparable_groups(X)
    ranks = check_ranks(y, X)
    bad = flags_of(both_bad, X)
    values = np.zeros((len(X), 0)) if covariates is None else covariates
    segments, segment_names = pd.factorize(segment_labels(X))
    judge, judge_names = _judges(judges, X)
    systems, labels = pd.factorize(X.index.get_level_values("system"), sort=True)
    order = np.argsort(groups, kind="stable")
    one, other = (order[rows] for rows in pairs_of_rows(groups[order]))
    outcome = (ranks[other] > ranks[one]).astype(np.int64) - (ranks[other] < ranks[one])
    aside = bad[one] & bad[other]
    if outcome[aside].any():
        row = int(one[aside][(outcome[aside] != 0).argmax()])
        raise CandidateError(
            f"both_bad marks row {row} and another row that y ranks apart from it: what both_bad "
            "marks must have equal ranks."
        )
    n = len(labels)
    cells = np.bincount(systems[one[aside]] * n + systems[other[aside]], minlength=n * n)
    cells = cells.reshape(n, n)
    one, other, outcome = one[~aside], other[~aside], outcome[~aside]
    if not len(one):
        raise CandidateError("There is no comparison: no two rows of a segment can be compared.")
    if judge is not None:
        apart = np.flatnonzero(judge[one] != judge[other])
        if len(apart):
            rows = [one[apart[0]], other[apart[0]]]
            raise CandidateError(
                f"Rows {rows[0]} and {rows[1]} (index {X.index[rows].tolist()}) are compared, but "
                "two judges judged them: give each judge's rows a ranking of their own in the "
                "index."
            )
        judge = judge[one]
    compared, segment = np.unique(segments[one], return_inverse=True)
    first, second = systems[one], systems[other]
    differences = values[one] - values[other]
    if connected:
        _check_connected(first, second, labels)
    content, mirrored = (
        hash_rows([sign * outcome.astype(np.float64), *(sign * differences.T)], len(one))
        for sign in (1, -1)
    )
    if judge is not None:  # what else a judge said is part of what is known of a comparison
        of_judge = hash_sets(content + mirrored, judge)[judge]
        content, mirrored = (part * MULTIPLIER + of_judge for part in (content, mirrored))
    order, number = comparison_order(segment, first, second, content, mirrored)
    place = np.argsort(order)
    segment, first, second = number[segment], place[first], place[second]
    sign = np.where(first < second, 1, -1)
    first, second = np.minimum(first, second), np.maximum(first, second)
    outcome, differences = outcome * sign, differences * sign[:, None]
    keys = *differences.T, outcome, second, first, segment
    if judge is not None:
        columns = [key.astype(np.float64) for key in keys]
        by_content = np.argsort(hash_sets(hash_rows(columns, len(judge)), judge))
        judge, judge_names = np.argsort(by_content)[judge], judge_names[by_content]
        keys = judge, *keys
    rows = np.lexsort(keys)
    return Comparisons(
        segment[rows], first[rows], second[rows], outcome[rows], differences[rows],
        labels[order], segment_names[compared[np.argsort(number)]],
        (cells + cells.T)[np.ix_(order, order)],
        None if judge is None else judge[rows], judge_names,
    )  # fmt: skip


def in_clusters(compared, clusters):
    """Return comparisons with clusters, codes, for segments, sorted, and their positions."""
    codes = np.unique(clusters, return_inverse=True)[1]
    if codes.max() + 1 == len(codes):
        return compared, slice(None)
    cells = [compared.first, compared.second, compared.outcome, *compared.covariates.T]
    if compared.judge is not None:
        cells.append(compared.judge)
    cells = [values.astype(np.float64) for values in cells]
    cluster = codes[compared.segment]
    cluster = np.argsort(by_content(hash_rows(cells, len(cluster)), cluster, cells))[cluster]
    rows = np.lexsort([*cells[::-1], cluster])
    return compared._replace(segment=cluster).taken(rows), rows


def joined_by(key, segment, counts):
    """Join comparisons of one key: the first row of each, and entries of segment, row, counts."""
    _, start, row = np.unique(key, return_index=True, return_inverse=True)
    order = np.lexsort((row, segment))
    new = np.append(True, (np.diff(segment[order]) != 0) | (np.diff(row[order]) != 0))
    counts = np.add.reduceat(counts[order], np.flatnonzero(new), axis=0)
    return start, segment[order][new], row[order][new], counts


def _judges(judges, X):
    """Number the judges of rows; return their names, too."""
    if judges is None:
        return None, None
    if isinstance(judges, pd.Series) and not judges.index.equals(X.index):
        raise CandidateError("X and judges have different indices: use judges.loc[X.index].")
    names = np.asarray(judges, dtype=object)
    if isinstance(judges, str) or names.shape != (len(X),):
        raise CandidateError(
            f"judges must name who judged each of the {len(X)} rows of X, found "
            f"{'a string' if isinstance(judges, str) else names.shape}."
        )
    for row, name in enumerate(names):
        if not isinstance(name, str) or not name.strip():
            raise CandidateError(
                f"judges must be names, found {name!r} in row {row}: who judged there? Leave out "
                "the rows of unknown judges, or do without judges."
            )
    codes, labels = pd.factorize(names)
    return codes, pd.Index(labels, name="judge", dtype=object)


def flags_of(both_bad, X):
    """Return one flag for each row, all False for None."""
    if both_bad is None:
        return np.zeros(len(X), dtype=bool)
    if isinstance(both_bad, pd.Series) and not both_bad.index.equals(X.index):
        raise CandidateError("X and both_bad have different indices: use both_bad.loc[X.index].")
    flags = np.asarray(both_bad)
    if flags.dtype != bool or flags.shape != (len(X),):
        raise CandidateError(
            f"both_bad must be True or False for each of the {len(X)} rows of X, found "
            f"{flags.dtype} of shape {flags.shape}."
        )
    return flags


def _check_connected(first, second, labels):
    """Raise unless all systems are compared with each other, directly or over others."""
    n = len(labels)
    graph = coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(n, n))
    n_parts, part = connected_components(graph, directed=False)
    if n_parts == 1:
        return
    least = labels[part == np.bincount(part).argmin()].tolist()
    some = ", ".join(map(repr, least[:5])) + " …" * (len(least) > 5)
    raise CandidateError(
        f"The comparisons fall into {n_parts} parts without a common scale: {some} and the other "
        f"{n - len(least)} systems were never compared, not even over third ones (both_bad does "
        "not compare). Leave systems out, or score each part by itself."
    )
