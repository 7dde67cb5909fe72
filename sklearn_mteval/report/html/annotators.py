"""What each annotator said of each translation: a judgement, and the errors that were marked."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pandas as pd


class Said(NamedTuple):
    """What one annotator said of one translation."""

    name: str  # "" of who is not known
    value: float  # as it was given, higher or lower is better; NaN: not known
    spans: list  # ErrorSpan


def said_by_annotators(judgements, X):
    """Collect ``annotators``, lists of Said, and ``human``, the mean judgement, of rows of X.

    Where judgements are means of ratings, annotators are their raters, as far as files name them.
    """
    y, ratings = judgements.y, judgements.ratings
    sign = -1.0 if is_score(y) else 1.0
    rows, values = _rows(y.index, X), y.to_numpy(dtype=float)
    unknown = [""] * len(y)
    names = unknown if judgements.judges is None else judgements.judges
    spans = [()] * len(y) if judgements.spans is None else judgements.spans
    judged = pd.Series(values[rows >= 0]).groupby(rows[rows >= 0]).mean()
    said = [[] for _ in range(len(X))]
    if ratings is not None:
        raters = ratings.index.get_level_values("rater")
        _add(said, _rows(ratings.index, X), sign * ratings, raters, judgements.marks)
    rows = [row if row >= 0 and not said[row] else -1 for row in rows.tolist()]
    _add(said, rows, sign * values, names, spans)
    return {"annotators": said, "human": -judged.reindex(range(len(X))).to_numpy()}


def is_score(y):
    """Tell whether judgements are scores with their sign changed: others are never negative."""
    return bool((y < 0).any())


def names_of(said):
    """Name annotators of one translation, each otherwise; none where one is not known."""
    if len(said) == 1 and not said[0].name:
        return []
    names, times = [], Counter()
    for k, one in enumerate(said, 1):
        name = one.name or f"annotator {k}"
        times[name] += 1
        names.append(name if times[name] == 1 else f"{name} ({times[name]})")
    return names


def _rows(index, X):
    """Return the row of X of each label, -1 where there is none."""
    labels = [index.get_level_values(level) for level in ("segment", "system")]
    return X.index.get_indexer(pd.MultiIndex.from_arrays(labels))


def _add(said, rows, values, names, spans):
    """Add what is said of rows that are there, unless it is nothing."""
    for row, value, name, some in zip(rows, np.asarray(values).tolist(), names, spans, strict=True):
        if row >= 0 and (value == value or some):
            said[row].append(Said(str(name), value, list(some)))
