"""Scores of translations as a table of segments and systems, and the means of systems."""

from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.order import table_order
from sklearn_mteval.candidates import label_index
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import check_index, expected, known_rows
from sklearn_mteval.segments import document_codes


def score_table(y_score, segments, systems, *, missing="error"):
    """Spread scores over a sorted table of segments and systems: means of rows, or NaN."""
    scores, (segments, systems), labels = _checked_rows(
        y_score, missing, segments=segments, systems=systems
    )
    shape = tuple(map(len, labels))
    means = means_of_groups(segments * shape[1] + systems, scores, shape[0] * shape[1])
    return pd.DataFrame(means.reshape(shape), index=labels[0], columns=labels[1])


def system_scores(
    y_score: ArrayLike, systems: ArrayLike, *, segments: ArrayLike | None = None,
    missing: str = "error"
) -> pd.Series:  # fmt: skip
    """Score systems by the mean of their segments' scores.

    Parameters
    ----------
    y_score, systems, missing : see ``score_table``
        Scores of translations, the system of each, what NaN does.
    segments : array-like or Index of length n_rows, optional
        The segment of each row. Given it, a translation that stands in several rows (it was
        judged in several rankings) counts once.

    Returns
    -------
    Series of length n_systems
        Mean scores, labels sorted; NaN for a system without any score.

    Examples
    --------
    >>> from sklearn_mteval.metrics import system_scores
    >>> system_scores([1.0, 2.0, 4.0], ["a", "b", "a"]).to_dict()
    {'a': 2.5, 'b': 2.0}
    """
    if segments is not None:
        table = score_table(y_score, segments, systems, missing=missing)
        y_score, systems = table.to_numpy().ravel(), np.tile(table.columns, len(table))
        missing = "skip"
    scores, (systems,), (labels,) = _checked_rows(y_score, missing, systems=systems)
    return pd.Series(means_of_groups(systems, scores, len(labels)), index=labels)


def aligned_tables(human, metric):
    """Match two tables by label; return them in an order of content, and positions in ``human``."""
    labelled = [isinstance(table, pd.DataFrame) for table in (human, metric)]
    if labelled[0] != labelled[1]:
        raise CandidateError("human and metric must both be DataFrames, or both arrays.")
    human, *labels = _checked("human", human)
    metric, *others = _checked("metric", metric)
    for axis, kind in enumerate(("segments", "systems")):
        ours, theirs = labels[axis], others[axis]
        if ours.equals(theirs):
            continue
        check_same(kind, ours, theirs)
        metric = metric.take(theirs.get_indexer(ours), axis=axis)
    rows, columns = table_order(human, metric)
    human, metric = (table.take(rows, 0).take(columns, 1) for table in (human, metric))
    return human, metric, columns, rows


def check_same(kind, ours, theirs):
    """Raise unless human and metric have the same labels, in any order."""
    different = sorted(map(str, ours.symmetric_difference(theirs)))
    if different:
        raise CandidateError(
            f"human and metric must score the same {kind}; only one has {', '.join(different[:5])}"
            f"{' …' * (len(different) > 5)}. Bring one to the labels of the other with reindex: "
            "NaN is missing."
        )


def checked_table(name, table):
    """Return a table of scores as a DataFrame of finite floats or NaN with distinct labels."""
    values, segments, systems = _checked(name, table)
    return pd.DataFrame(values, index=segments, columns=systems, copy=False)


def _checked(name, table):
    """Return a table's numbers and the labels of its segments and systems, after checks."""
    with expected(f"{name} must be a table of numbers"):
        # What an array of floats would be as a DataFrame costs more than all that is done here.
        plain = isinstance(table, np.ndarray) and table.ndim == 2 and table.dtype.kind == "f"
        table = table if plain else pd.DataFrame(table)
        values = as_numbers(table)
    labels = [_positions(size) for size in table.shape] if plain else table.axes
    for kind, of_kind in zip(("segment", "system"), labels, strict=True):
        if not of_kind.is_unique:
            twice = of_kind[of_kind.duplicated()][0]
            raise CandidateError(f"{name} has {kind} {twice!r} more than once.")
    if not values.size:
        raise CandidateError(f"{name} must have a segment and a system, found {table.shape}.")
    if np.isinf(values).any():
        raise CandidateError(f"{name} must have finite scores, found infinity.")
    return values, *labels


@lru_cache
def _positions(size):
    """Return the labels of an array's axis, once for each size: pandas takes its time."""
    return pd.RangeIndex(size)


def means_of_cells(values, of_cell, n_cells):
    """Return the mean of each segment's and system's rows, NaN of none."""
    if n_cells == len(values):  # a row each, and any order of the rows is as good
        return values[np.argsort(of_cell)]
    there = ~np.isnan(values)
    return means_of_groups(of_cell[there], values[there], n_cells)


def finite_scores(scores):
    """Return scores as numbers, NaN where one is missing; CandidateError for infinite ones."""
    with expected("scores must be numbers, higher is better"):
        values = as_numbers(scores)
    if np.isinf(values).any():
        raise CandidateError(f"the score of row {int(np.isinf(values).argmax())} is infinite.")
    return values


def means_of_groups(codes, values, n_groups):
    """Return the mean of each group, NaN without rows; no bit depends on the order of rows."""
    # Sorted first, for sums of the same values in another order differ in the last bit.
    order = np.lexsort((values, codes))
    codes, values = codes[order], values[order]
    means = np.full(n_groups, np.nan)
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    if len(starts):
        sizes = np.diff(starts, append=len(codes))
        # Sums of numbers near the largest overflow, those of their 2^-64th do not.
        large = np.maximum.reduceat(np.abs(values), starts) > 1e280
        values = np.ldexp(values, np.repeat(np.where(large, -64, 0), sizes))
        # Subtracting the first leaves the mean of equal numbers exact.
        lowest = values[starts]
        excess = np.add.reduceat(values - np.repeat(lowest, sizes), starts)
        means[codes[starts]] = np.ldexp(lowest + excess / sizes, np.where(large, 64, 0))
    return means


def _checked_rows(y_score, missing, **labels):
    """Return scores without missing ones, and for each kind of label codes and the labels."""
    with expected("y_score must be numbers, higher is better"):
        scores = as_numbers(y_score)
    codes, uniques = [], []
    for name, values in labels.items():
        n_labels = len(values) if np.ndim(values) else "no"
        if scores.shape != (n_labels,):
            raise CandidateError(
                f"y_score and {name} must be 1-D and equally long, found shape {scores.shape} "
                f"and {n_labels} labels."
            )
        check_index("y_score", y_score, name, values)
        with expected(f"{name} must be 1-D labels"):
            index = values if isinstance(values, pd.MultiIndex) else label_index(values)
            numbers, unique = pd.factorize(index, sort=True)
        if (numbers < 0).any():
            raise CandidateError(f"Row {int((numbers < 0).argmax())} has no label in {name}.")
        codes.append(numbers)
        uniques.append(unique.set_names([None] * unique.nlevels))
    if np.isinf(scores).any():
        raise CandidateError(f"y_score is infinite in row {int(np.isinf(scores).argmax())}.")
    there = known_rows(scores, missing)
    return scores[there], [numbers[there] for numbers in codes], uniques


def units_of_segments(documents, table):
    """Number documents, labels of rows or a Series by segment, or each segment; "" is its own."""
    segments = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(len(table))
    if documents is None:
        return np.arange(len(segments))
    if isinstance(documents, pd.Series) and not documents.index.equals(segments):
        missing = segments.difference(documents.index)
        if len(missing) or documents.index.has_duplicates:
            raise CandidateError(
                "documents must be labels of the segments, in their order, or a Series indexed by "
                f"segment, each once; segments without one: {missing.tolist()[:5]}."
            )
        documents = documents.loc[segments]
    labels = np.asarray(documents, dtype=object)
    if labels.shape != (len(segments),):
        raise CandidateError(
            f"documents must be a label for each of {len(segments)} segments, found shape "
            f"{labels.shape}."
        )
    return document_codes(pd.Series(labels).fillna("").astype(str))
