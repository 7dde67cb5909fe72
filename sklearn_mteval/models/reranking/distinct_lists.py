"""Lists of candidates: each different text once, with what it weighs."""

from dataclasses import dataclass
from zlib import crc32

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval.candidates import (
    check_candidates,
    check_sources,
    check_texts,
    comparable_groups,
)
from sklearn_mteval.exceptions import CandidateError


@dataclass(frozen=True)
class DistinctLists:
    """The different texts of each list, list after list, sorted within it: a row of ``table`` each.

    ``sizes`` (n_lists,) tells how many each list has, ``weights`` (n_texts,) what each counts as a
    pseudo-reference, 1 in all of a list, ``place`` (n_rows,) the text of each row given.
    """

    table: pd.DataFrame
    sizes: np.ndarray
    weights: np.ndarray
    place: np.ndarray

    @property
    def starts(self):
        """Where each list begins."""
        return np.cumsum(self.sizes) - self.sizes

    def texts(self):
        """List the texts of each list."""
        flat = self.table["hypothesis"].tolist()
        return [flat[a : a + n] for a, n in zip(self.starts, self.sizes, strict=True)]

    def seeds(self, random_state):
        """Yield where each list begins, its size, and random numbers by its texts alone."""
        for start, texts in zip(self.starts, self.texts(), strict=True):
            content = "\0".join(texts).encode("utf-8", "surrogatepass")
            yield start, len(texts), np.random.default_rng([random_state, crc32(content)])


def distinct_lists(X, weights="count", scale=1.0):
    """Find the different texts of each list of a candidate table, whatever the order of rows."""
    check_candidates(X)
    texts = check_texts(X, "hypothesis")
    if "source" in X.columns:
        check_sources(X)
    groups = comparable_groups(X)
    mass = WEIGHTS[weights](X, groups, scale)
    order = sorted(range(len(X)), key=lambda row: (groups[row], texts[row]))  # stable
    cells = pd.DataFrame({"group": groups, "text": pd.Series(texts, dtype=object)})
    new = ~cells.iloc[order].duplicated().to_numpy()
    place = np.empty(len(X), dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    first = np.array(order)[new]
    # Sorted within lists, so that the sum does not depend on the order of rows.
    mass = mass[order]
    sums = np.bincount(place[order], mass[np.lexsort((mass, np.cumsum(new)))])
    totals = np.bincount(groups[first], sums)
    return DistinctLists(
        X.iloc[first], np.bincount(groups[first]), sums / totals[groups[first]], place
    )


def _count(X, groups, scale):
    """Let each candidate weigh the same: a text as often as it is in the list."""
    return np.ones(len(X))


def _softmax(X, groups, scale):
    """Take the column ``score`` for log-probabilities, but for a factor and what is added."""
    scores = scale * _numbers(X, "score")
    highest = np.full(groups.max(initial=-1) + 1, -np.inf)
    np.maximum.at(highest, groups, scores)
    return np.exp(scores - highest[groups])


def _given(X, groups, scale):
    """Take the column ``weight``."""
    weights = _numbers(X, "weight")
    if (weights < 0).any():
        row = int((weights < 0).argmax())
        raise CandidateError(
            f"Column 'weight', row {row}: expected a number >= 0, found {weights[row]:g}."
        )
    nothing = np.bincount(groups, weights) == 0
    if nothing.any():
        row = int(nothing[groups].argmax())
        raise CandidateError(
            f"The weights of the list with row {row} (index {X.index[row]!r}) are all 0: at least "
            "one candidate of each list must count."
        )
    return weights


WEIGHTS = {"count": _count, "softmax": _softmax, "given": _given}


def _numbers(X, column):
    """Read a column of finite numbers."""
    if column not in X.columns:
        raise CandidateError(
            f"There is no column {column!r}, which the weights are made of; the columns are "
            f"{list(X.columns)}. weights='count' needs none."
        )
    try:
        values = as_numbers(X[column])
    except (TypeError, ValueError) as error:
        raise CandidateError(f"Column {column!r}: expected numbers: {error}") from None
    if not np.isfinite(values).all():
        row = int((~np.isfinite(values)).argmax())
        raise CandidateError(
            f"Column {column!r}, row {row} (index {X.index[row]!r}): expected a finite number, "
            f"found {values[row]}. weights='count' reads no numbers."
        )
    return values
