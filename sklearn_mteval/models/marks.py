"""Marks of a fitted marker in translations, checked: which words are in an error, how severe."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.devices import compute_on
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models.cards import MARKERS
from sklearn_mteval.models.marked_windows import marked_in_windows
from sklearn_mteval.models.opening import open_model
from sklearn_mteval.models.ready_made import load_pretrained
from sklearn_mteval.segments import blank_everywhere

MARKER = "error-marker"  # the ready-made one
SEVERITIES = ("minor", "major")
LIKELY = 0.5  # probability of no error from which a translation counts as error-free
COLUMNS = ["start", "end", "severity", "probability"]


class Marks(NamedTuple):
    """What a marker says of translations: none is both marked and error-free.

    A marker learns spans and the probability of no error apart, so that they contradict each other:
    of 1,600 translations of documents that the ready-made one had not seen (WMT21 en-de, zh-en,
    en-ru, biomedical fr-en; 97 documents), 35 % were marked and, by that probability, error-free.
    Their marks are left out. F x 100 of marked characters becomes 14.0 from 14.6, on average of the
    sets (difference -0.7 [-1.7, 0.2], documents resampled), and what is error-free stays as it
    was. Had marked translations not counted as error-free, F of these would be 21.5 instead of
    54.5 (-32.9 [-37.8, -28.1]), their accuracy 51.7 % instead of 62.8 %; with the probability
    multiplied by that of the strongest mark being wrong, 45.2 and 59.8 %
    (``benchmarks/marks_and_error_free.py``).

    Attributes
    ----------
    table : DataFrame
        A row for each marked span, in the order of translations and of their words, indexed as
        these: start, end, severity, probability, words. None of what is error-free.
    error_free : Series
        Of each translation the probability that it has no error; NaN where all texts are blank.
    """

    table: pd.DataFrame
    error_free: pd.Series


def open_marker(marker=True):
    """Open a marker by its name or folder, True: the ready-made one; ValueError for none."""
    name = MARKER if marker is True else marker
    if hasattr(name, "fit"):
        opened = name
    elif name in MARKERS and not Path(name).exists():
        opened = compute_on(load_pretrained(name))
    else:
        opened = open_model(name)
    if not hasattr(opened, "mark_and_judge"):
        called = "it" if opened is name else Path(name).name
        raise ValueError(
            f"{called} marks no errors: expected an ErrorMarker, found a {type(opened).__name__}. "
            f"The ready-made one is {MARKER!r}."
        )
    return opened


def marks_of(marker, X, threshold=LIKELY):
    """Ask a marker about the translations of a table, but about blank segments: Marks.

    What is error-free with a probability of ``threshold`` or more has no marks, nor have such
    windows of a text that is too long to be read at once.
    """
    there = ~blank_everywhere(X)
    error_free = pd.Series(np.nan, X.index, name="error_free")
    if not there.any():
        return Marks(_checked(pd.DataFrame(columns=COLUMNS, index=X.index[:0]), X), error_free)
    asked = X[there]
    if "source" in asked and not any(map(str.strip, asked["source"])):
        asked = asked.drop(columns="source")  # is there for a model that can do without
    table, error_free[there] = marked_in_windows(marker, asked, threshold)
    if not error_free[there].between(0, 1).all():
        raise CandidateError("the marker's probabilities of no error must lie in [0, 1].")
    return Marks(_checked(table, X), error_free)


def _checked(table, X):
    """Return a table of marks sorted, with their words; CandidateError for what marks no text."""
    rows = X.index.get_indexer(table.index)
    order = np.lexsort((table["start"].to_numpy(dtype=np.int64), rows))
    table, rows = table[COLUMNS].iloc[order], rows[order]
    starts, ends = (table[name].to_numpy(dtype=np.int64) for name in ("start", "end"))
    texts = X["hypothesis"].tolist()
    sizes = np.array([*map(len, texts), 0])  # the last of rows that are not there
    free_from = np.append(0, np.where(rows[1:] == rows[:-1], ends[:-1], 0))[: len(rows)]
    sound = (rows >= 0) & (free_from <= starts) & (starts < ends) & (ends <= sizes[rows])
    sound &= table["severity"].isin(SEVERITIES).to_numpy(dtype=bool)
    sound &= table["probability"].astype(np.float64).between(0, 1).to_numpy()
    if not sound.all():
        row = int(np.argmin(sound))
        raise CandidateError(
            f"the marker's mark {table.iloc[row].to_dict()} of {table.index[row]} must be of a "
            "translation that it was asked about, within its characters, start < end, apart from "
            f"other marks, with a severity of {SEVERITIES} and a probability in [0, 1]."
        )
    words = [texts[row][a:b] for row, a, b in zip(rows, starts, ends, strict=True)]
    return table.assign(words=pd.Series(words, table.index, dtype=object))
