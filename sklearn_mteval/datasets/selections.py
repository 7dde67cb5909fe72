"""Which segments of a test set were chosen to be judged, and how likely each was to be chosen.

A selection is a DataFrame indexed by segment with the columns ``chosen`` (bool), ``probability``
(of being chosen, NaN throughout where it is not known) and, of whole documents, ``document``, ""
for a segment drawn by itself, or ``stratum``. Its file, a TSV under a comment, has all segments.
"""

import numpy as np
import pandas as pd

from sklearn_mteval.datasets._files import Place, read_lines, records_of
from sklearn_mteval.datasets._score_lines import number
from sklearn_mteval.exceptions import CandidateError

_COLUMNS = ("segment", "chosen", "probability", "document", "stratum")
_COMMENT = "# "
_CHOSEN = {"0": False, "1": True}


def selection_text(selection, comment):
    """Write a selection, whose segments are line numbers, as a file that ``comment`` begins."""
    documents = selection.get("document", pd.Series("", selection.index))
    strata = selection.get("stratum", pd.Series("", selection.index))
    lines = [_COMMENT + " ".join(comment.split()), "\t".join(_COLUMNS)]
    columns = selection.index, selection["chosen"], selection["probability"], documents, strata
    for segment, chosen, probability, document, stratum in zip(*columns, strict=True):
        if any(character in document for character in "\t\n\r"):
            raise ValueError(f"the document {document!r} has a tab or a line break: rename it.")
        there = "" if np.isnan(probability) else repr(float(probability))  # in full
        lines.append(f"{segment}\t{int(chosen)}\t{there}\t{document}\t{stratum}")
    return "\n".join(lines) + "\n"


def read_selection(path):
    """Read what the command ``select`` wrote: a selection of segments from 1 on, in their order,
    whose ``attrs["signature"]`` is the comment.
    """
    lines = read_lines(path)
    comment = lines[0].removeprefix(_COMMENT) if lines and lines[0].startswith("#") else ""
    # A comment is taken for a blank line, so that lines keep their numbers.
    body = ["", *lines[1:]] if comment else lines
    read = {}  # of each segment its line, and what that says
    for at, cells in records_of(path, body, _COLUMNS[:3], _COLUMNS)[1]:
        segment, *said = _said(at, cells)
        if segment in read:
            raise at.error(f"segment {segment} is there twice, first in line {read[segment][0]}.")
        read[segment] = at.line, *said
    if not read:
        raise Place(path).error("expected a row for each segment of the test set, found none.")
    for segment in range(1, len(read) + 1):
        if segment not in read:
            raise Place(path).error(
                f"segment {segment} is missing: expected a row for each segment of the test set, "
                f"those not chosen too; the last one here is segment {max(read)}."
            )
    line, chosen, probability, documents, strata = zip(*read.values(), strict=True)
    selection = pd.DataFrame(
        {"chosen": chosen, "probability": np.array(probability, dtype=float)},
        index=pd.Index(list(read), name="segment"),
    )
    if any(documents):
        selection["document"] = documents
    if any(strata):
        selection["stratum"] = strata
    check_selection(selection, lambda problem, row: Place(path, line[row]).error(problem))
    selection = selection.sort_index()
    selection.attrs["signature"] = comment
    return selection


def _said(at, row):
    """Check the cells of a row: segment, chosen, probability, document, stratum."""
    segment = _whole_number(row["segment"])
    if not segment:
        raise at.error(
            f"segment must be the number of a line, from 1 on, found {row['segment'][:40]!r}."
        )
    if row["chosen"] not in _CHOSEN:
        raise at.error(f"chosen must be 0 or 1, found {row['chosen'][:40]!r}.")
    probability = number(row["probability"], missing=("",))
    if probability is None:
        raise at.error(
            f"probability must be a number above 0 and at most 1, or empty, found "
            f"{row['probability'][:40]!r}."
        )
    stratum = _whole_number(row.get("stratum") or "0")
    if stratum is None:
        raise at.error(f"stratum must be a whole number, found {row['stratum'][:40]!r}.")
    return segment, _CHOSEN[row["chosen"]], probability, row.get("document", ""), stratum


def _whole_number(text):
    """Read a whole number from 0 on; None for any other text, and 10^15 for what is larger."""
    if not (text.isascii() and text.isdecimal()) or (text.startswith("0") and text != "0"):
        return None
    return int(text) if len(text) < 16 else 10**15


def check_selection(selection, error=None):
    """Raise unless a table is a selection; ``error`` makes exceptions of problem and row."""
    if not isinstance(selection, pd.DataFrame) or not {"chosen", "probability"} <= {*selection}:
        found = list(selection) if isinstance(selection, pd.DataFrame) else type(selection).__name__
        raise CandidateError(
            "selection must be a DataFrame indexed by segment with the columns 'chosen' and "
            f"'probability', as select_segments returns it; found {found}."
        )
    segments = selection.index
    if error is None:

        def error(problem, row):
            return CandidateError(f"selection, segment {segments[row]!r}: {problem}")

    if not segments.is_unique:
        raise error("is there twice.", int(segments.duplicated().argmax()))
    _check_types(selection)
    chosen, probability = (selection[name].to_numpy() for name in ("chosen", "probability"))
    if not chosen.any():
        raise error("expected chosen segments, found none: no segment was chosen.", 0)
    unknown = np.isnan(probability)
    if unknown.all():
        return
    for wrong, problem in (
        (unknown, "probability is missing: expected one of each segment, or of none."),
        (
            ~((probability > 0) & (probability <= 1)),
            "probability must be above 0 and at most 1, found {:g}.",
        ),
        ((probability == 1) & ~chosen, "has probability 1, but was not chosen."),
    ):
        if wrong.any():
            row = int(wrong.argmax())
            raise error(problem.format(probability[row]), row)
    if "document" in selection:
        _check_documents(selection["document"], chosen, probability, error)


def _check_types(selection):
    """Raise CandidateError unless columns have the types of a selection."""
    if selection["chosen"].dtype != bool or selection["probability"].dtype.kind != "f":
        raise CandidateError(
            "selection must have booleans in 'chosen' and numbers in 'probability', found "
            f"{selection['chosen'].dtype} and {selection['probability'].dtype}."
        )
    if "stratum" in selection and selection["stratum"].dtype.kind not in "iu":
        raise CandidateError(
            f"selection must have whole numbers in 'stratum', found {selection['stratum'].dtype}."
        )


def _check_documents(documents, chosen, probability, error):
    """Raise unless the segments of each document were drawn together."""
    labels, codes = np.unique(documents.astype(str), return_inverse=True)
    _, first = np.unique(codes, return_index=True)
    differs = (chosen != chosen[first][codes]) | (probability != probability[first][codes])
    differs &= labels[codes] != ""
    if differs.any():
        row = int(differs.argmax())
        raise error(
            f"document {labels[codes[row]]!r} was drawn whole, but this segment differs from its "
            "first one in 'chosen' or 'probability'.",
            row,
        )
