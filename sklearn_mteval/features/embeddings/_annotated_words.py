"""What annotators marked, as it is learnt from: by translation and annotator, and by word."""

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.error_spans import TRANSLATION, error_spans_of
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.exceptions import CandidateError

_NO_ERROR = ("neutral", "no error", "no-error")  # severities
_MINOR = ("", "minor")


def lists_of(X, marks):
    """Return of each translation a list of errors for each annotator who judged it."""
    if not isinstance(marks, pd.Series):
        raise CandidateError(f"marks must be a Series of lists, found {type(marks).__name__}.")
    absent = [name for name in X.index.names if name not in marks.index.names]
    if absent:
        raise CandidateError(
            f"marks must have the index levels of X, {list(X.index.names)}: {absent[0]!r} is not "
            f"among {list(marks.index.names)}."
        )
    labels = marks.index.to_frame(index=False)[list(X.index.names)]
    rows = X.index.get_indexer(pd.MultiIndex.from_frame(labels))
    texts, found = check_texts(X, "hypothesis"), [[] for _ in range(len(X))]
    for at, (row, cell) in enumerate(zip(rows, marks, strict=True)):
        if row >= 0:
            found[row].append(_errors_of(cell, texts[row], marks.index[at]))
    bare = [row for row, lists in enumerate(found) if not lists]
    if bare:
        raise CandidateError(
            f"marks has no entry for {len(bare)} translations, such as {X.index[bare[0]]}: leave "
            "them out of X, or give an empty list if annotators found no error."
        )
    return found


def _errors_of(cell, text, label):
    """Check one annotator's errors of a translation; neutral ones are left out."""
    try:
        errors = [error for error in error_spans_of(cell) if error.severity not in _NO_ERROR]
    except ValueError as problem:
        raise CandidateError(f"marks, {label}: {problem}.") from None
    for error in errors:
        if error.place == TRANSLATION and error.end > len(text):
            raise CandidateError(
                f"marks, {label}: an error ends at {error.end}, and the hypothesis has "
                f"{len(text)} characters."
            )
    return errors


def shares_of(ranges, lists):
    """Return which share of annotators marked each word: minor and major, (n_words, 2)."""
    found = np.zeros((len(ranges), 2))
    for errors in lists:
        marked = np.zeros((len(ranges), 2), bool)
        for error in errors:
            if error.place == TRANSLATION:
                within = (ranges[:, 0] < error.end) & (ranges[:, 1] > error.start)
                marked[within, int(error.severity not in _MINOR)] = True
        marked[marked[:, 1], 0] = False  # the word is in both
        found += marked
    return found / len(lists)
