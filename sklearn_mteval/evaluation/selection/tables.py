"""Scores of all translations as tables (n_segments, n_systems), and what is said of segments."""

import numbers

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval.candidates import check_candidates, group_codes
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import expected

_AT_ONCE = 1 << 15  # scores of a metric that are looked at together, what the cache holds


def score_tables(scores):
    """Return a table (n_segments, n_systems) for each metric, and the labels of segments."""
    if not isinstance(scores, pd.DataFrame) or not scores.shape[1]:
        raise CandidateError(
            "scores must be a DataFrame with a column for each metric, indexed by 'segment' and "
            f"'system', found {type(scores).__name__}."
        )
    check_candidates(scores)
    if len(scores.index.names) > 2:
        raise CandidateError(
            "scores must be indexed by 'segment' and 'system', one row for each translation; found "
            f"the levels {list(scores.index.names)}."
        )
    # A segment or system without scores is there all the same.
    (rows, row_of, segments), (columns, column_of, systems) = (
        _numbered(scores.index, level) for level in ("segment", "system")
    )
    tables = np.full((scores.shape[1], len(segments), len(systems)), np.nan)
    for first in range(0, len(scores), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        cells = row_of[rows[part]], column_of[columns[part]]
        for k, table in enumerate(tables):
            with expected(f"The scores of {scores.columns[k]!r} must be numbers"):
                values = as_numbers(scores.iloc[part, k])
            if np.isinf(values).any():
                row = first + int(np.isinf(values).argmax())
                name = scores.columns[k]
                raise CandidateError(f"The score of {name!r} is infinite in row {row}.")
            table[cells] = values
    return tables, segments


def _numbered(index, level):
    """Return codes of rows' labels in a level, the number of each code, and the sorted labels."""
    # Labels are hashed once each, not once for every row.
    codes = index.codes[index.names.index(level)]
    number = np.full(codes.max(initial=-1) + 1, -1)
    number[codes] = np.arange(len(codes))
    there = number >= 0
    labels = index[number[there]].get_level_values(level).rename(None)
    number[there], labels = pd.factorize(labels, sort=True)
    return codes, number, labels


def standardise(table):
    """Scale scores, in place, to mean 0 and standard deviation 1 of all translations."""
    missing = np.isnan(table)
    if missing.all():
        return table
    there = ~missing if missing.any() else ...
    table /= np.abs(table[there]).max() or 1  # squares of the largest numbers overflow
    table -= table[there].mean()
    deviation = np.sqrt(np.mean(table[there] ** 2))
    if deviation > 0:
        table /= deviation
    return table


def judged_mask(judged, segments):
    """Return a mask of the segments that are judged."""
    judged, mask = dict.fromkeys(judged), np.zeros(len(segments), dtype=bool)
    if judged:
        place = {label: k for k, label in enumerate(segments.tolist())}
        for label in judged:
            if label not in place:
                raise ValueError(f"judged has {label!r}, which is no segment of scores.")
            mask[place[label]] = True
    return mask


def labels_of(name, labels, segments):
    """Number the labels that a Series gives segments, in the order of segments; one for None."""
    if labels is None:
        return np.zeros(len(segments), dtype=np.int64)
    return group_codes(_of_segments(name, labels, segments), len(segments))


def costs_of(costs, segments):
    """Return what judging each segment costs: a positive number, 1 for None."""
    if costs is None:
        return np.ones(len(segments))
    with expected("costs must be numbers"):
        values = as_numbers(_of_segments("costs", costs, segments))
    wrong = ~((values > 0) & np.isfinite(values))
    if wrong.any():
        raise CandidateError(
            f"costs must be positive numbers, found {values[wrong][0]:g} of segment "
            f"{segments[wrong].tolist()[0]!r}."
        )
    return values


def _of_segments(name, labels, segments):
    """Return the values that a Series has of segments."""
    if not isinstance(labels, pd.Series) or not labels.index.is_unique:
        raise CandidateError(f"{name} must be a Series with one value for each segment.")
    rows = labels.index.get_indexer(segments)
    if (rows < 0).any():
        missing = segments[rows < 0].tolist()[0]
        raise CandidateError(f"{name} has no entry of segment {missing!r}.")
    return labels.iloc[rows]


def target_cost(size, costs, has_costs):
    """Return how much is to be spent: a proportion of all costs, or an amount."""
    is_real = isinstance(size, numbers.Real) and not isinstance(size, bool)
    if is_real and not isinstance(size, numbers.Integral) and 0 < size < 1:
        return size * costs.sum() if has_costs else round(size * len(costs))
    if not has_costs:
        check_integer("size (or a proportion above 0 and below 1)", size, minimum=1)
        if size > len(costs):
            raise ValueError(f"size is {size}, but there are only {len(costs)} segments.")
        return int(size)
    if not is_real or not size > 0:
        raise ValueError(
            f"size must be an amount of costs, or a proportion above 0 and below 1, found {size!r}."
        )
    if size > costs.sum():
        raise ValueError(f"size is {size:g}, but all segments together cost {costs.sum():g}.")
    return float(size)


def by_parts(function, standard):
    """Apply a function that looks at each segment alone to so many as the cache holds."""
    n_parts = -(-standard[0].size // _AT_ONCE)
    return np.concatenate([function(part) for part in np.array_split(standard, n_parts, axis=1)])
