"""Segments that stand in training and in test: where it can be seen, it is said."""

import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from sklearn_mteval._helpers.order import MULTIPLIER
from sklearn_mteval.exceptions import SegmentLeakWarning
from sklearn_mteval.pair_classifiers import declares
from sklearn_mteval.pairwise.folds import SegmentKFold

_REMEMBERED = 1 << 22  # rows of joined tables: 100 MiB


class TrainedRows(NamedTuple):
    """What a ranker was trained on, as sorted hashes: what tells a segment seen from another."""

    names: list  # of the index levels
    table: int
    groups: np.ndarray  # labels of what is comparable
    systems: np.ndarray
    items: np.ndarray  # segment and system
    rows: np.ndarray  # these, with the features

    @classmethod
    def of(cls, X, content, item_level):
        """Note the rows of a table; ``content`` are the hashes of their features."""
        table, *labels = _labels(X.index, content, item_level)
        return cls(list(X.index.names), table, *map(_distinct, labels))

    @classmethod
    def joined(cls, parts):
        """Join what was noted of tables of the same levels; None, never warned of, if too much."""
        if None in parts or sum(len(part.rows) for part in parts) > _REMEMBERED:
            return None
        table = sum(part.table for part in parts) % 2**64
        columns = zip(*(part[2:] for part in parts), strict=True)
        return cls(parts[0].names, table, *(_distinct(np.concatenate(c)) for c in columns))


def warns_of_leak(trained, X, content, item_level, stacklevel):
    """Warn if a table has segments that were trained on, told by a translation's features, else by
    labels, unless it is the training table; return whether. Python shows the text once.
    """
    if trained is None or list(X.index.names) != trained.names:
        return False
    table, groups, systems, items, rows = _labels(X.index, content, item_level)
    if table == trained.table:
        return False
    leaked = _among(items, trained.items)
    if leaked.any():
        if _among(rows[leaked], trained.rows).mean() <= 0.5:
            return False
    else:
        leaked = _among(groups, trained.groups) & _among(systems, trained.systems)
    if leaked.any():
        warnings.warn(
            "The ranker was trained on translations of segments that it now predicts: scores on "
            "them are too good. Split by segment: cv=SegmentKFold(5), or "
            "segment_train_test_split(X, y).",
            SegmentLeakWarning,
            stacklevel=stacklevel + 1,
        )
    return bool(leaked.any())


def _distinct(hashes):
    """Return each hash once, sorted; np.unique takes several times as long."""
    hashes = np.sort(hashes, kind="stable")  # which is fast where sorted arrays are joined
    return hashes[np.append(True, hashes[1:] != hashes[:-1])]


def _among(hashes, known):
    """Tell which hashes are among known ones, that are sorted."""
    return known.take(np.searchsorted(known, hashes), mode="clip") == hashes


def _labels(index, content, item_level):
    """Hash a table's labels: all rows, then by row its group, system, item and content."""
    levels = {
        name: pd.util.hash_array(np.array([ascii(label) for label in level], dtype=object))[codes]
        for name, level, codes in zip(index.names, index.levels, index.codes, strict=True)
    }
    groups = np.zeros(len(index), dtype=np.uint64)
    for name, hashes in levels.items():
        if name != item_level:
            groups = groups * MULTIPLIER + hashes
    systems = levels[item_level]
    items = levels["segment"] * MULTIPLIER + systems
    whole = groups * MULTIPLIER + systems
    return int((whole * (whole | np.uint64(1))).sum()), groups, systems, items, items ^ content


def inner_splits(estimator, *, sees_all_pairs=False):
    """Generate names, owners and values of ``cv`` of an estimator and of those inside."""
    if not sees_all_pairs:
        parameters = estimator.get_params()
        for name, value in parameters.items():
            if name == "cv" or name.endswith("__cv"):
                yield name, parameters.get(name[: -len("__cv")], estimator), value
    elif isinstance(estimator, Pipeline):
        for name, step in estimator.steps:
            if hasattr(step, "get_params"):
                inner = inner_splits(step, sees_all_pairs=True)
                yield from ((f"{name}__{key}", owner, value) for key, owner, value in inner)
    elif "cv" in estimator.get_params(deep=False):
        yield "cv", estimator, estimator.cv


def means_segments(owner, value):
    """Tell whether a classifier takes an integer as cv for folds of whole segments, and has one."""
    return isinstance(value, int) and declares(owner, "cv_keeps_segments")


def warn_of_inner_splits(estimator):
    """Warn if a classifier splits its training pairs in a way that cuts segments."""
    for name, value in splits_that_cut(estimator):
        warnings.warn(
            f"{name}={value!r} of the classifier splits pairs of one segment into training and "
            f"test: what it chooses or calibrates by that is too good. Use "
            f"{name}=SegmentKFold(3).",
            SegmentLeakWarning,
            stacklevel=6,
        )


def splits_that_cut(estimator):
    """Generate names and values of parameters ``cv`` that cut segments."""
    for name, owner, value in inner_splits(estimator):
        by_rows = value is None or isinstance(value, int) or hasattr(value, "split")
        if by_rows and not isinstance(value, SegmentKFold) and not means_segments(owner, value):
            yield name, value
