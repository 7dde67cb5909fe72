"""Ranks and scores of translations and systems, as the functions of ``models`` give them."""

import textwrap

import pandas as pd

from sklearn_mteval._helpers.error_spans import rows_with_marks
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.units import FEW_CLUSTERS
from sklearn_mteval.report.cells import entries, interval, p_values, records, signed, written
from sklearn_mteval.report.formats import Report, Table, align
from sklearn_mteval.report.summaries.pairs import answer
from sklearn_mteval.report.translations import Translations

_SCORED = (
    "Systems are sorted by score, the mean of segments' scores from -1 to 1; higher is better."
)
_SCORELESS = "Systems are sorted by mean rank, since the model has no scores."
_RANKED = "Ranks and strengths hold within a segment; strengths of two segments cannot be compared."
_OF_MARKS = {"error_free": 4}  # digits
_MOST_IN_PAIRS = 20  # systems, 190 lines
_FLAGGED = (
    "Flagged counts segments that contradict a number, name or negation or hold untranslated words."
)


def as_ranks(ranked, flags=None, marks=None):
    """Make what can be written of ``rank_candidates``; flags are those of ``content_flags``, marks
    those of a marker.
    """
    if ranked["score"].isna().all():
        ranked = ranked.drop(columns="score")
    found = _with_more(ranked, flags, marks)
    return Translations(found, digits={"strength": 6} | _OF_MARKS, ascending=True)


def as_scores(scores, flags=None, marks=None):
    """Make what can be written of ``score_candidates``; flags and marks as of ranks."""
    if set(scores.index.names) != {"segment", "system"}:
        raise CandidateError(
            "scores must be indexed by 'segment' and 'system', found the levels "
            f"{list(scores.index.names)}."
        )
    found = _with_more(scores.to_frame("score"), flags, marks)
    return Translations(found.reorder_levels(["segment", "system"]), digits=_OF_MARKS)


def _with_more(found, flags, marks):
    """Add columns of flags, if there are any, of what is error-free, and of marked errors."""
    if flags is not None:
        found = found.assign(flags=flags)
    if marks is not None:
        errors = rows_with_marks(found.index, marks.table.round({"probability": 4}))
        found = found.assign(
            error_free=marks.error_free, errors=pd.Series(errors, found.index, dtype=object)
        )
    return found


def report_of_ranks(found):
    """Return the report of Systems that were ranked; no scores of a model without any."""
    systems = found.table
    scored = bool(systems["score"].notna().any())
    more = {
        "mean rank": [written(rank, ".3f") for rank in systems["mean_rank"]],
        "ranked best": [written(best, ".1%") for best in systems["best"]],
    }
    notes = [_SCORED if scored else _SCORELESS, _RANKED]
    return _report(found, _scored(systems) if scored else {}, more, notes)


def report_of_scores(found):
    """Return the report of Systems that were scored."""
    more = {"segments": list(map(str, found.table["segments"]))}
    return _report(found, _scored(found.table), more, [])


def _scored(systems):
    """Write the columns of scores."""
    return {
        "score": signed(systems["score"]),
        "interval": list(map(interval, systems["low"], systems["high"])),
    }


def _report(found, columns, more, notes):
    """Return the report of systems, given the columns of its table, with flags where there are."""
    systems, record = found.table, {"systems": entries(found.table)}
    compared = found.pairs is not None and len(systems) > 1
    letters = {"letters": list(systems["letters"])} if compared else {}
    columns = {"system": list(map(str, systems.index))} | columns | letters | more
    notes = [*notes, *_notes(found, compared)]
    if "flagged" in systems:
        columns["flagged"] = list(map(str, systems["flagged"]))
        notes = [*notes, _FLAGGED]
    tables = [Table.of_columns("Systems, best first", columns, names="system")]
    if compared:
        pairs = found.pairs.table()
        pairs[["system", "other"]] = pairs[["system", "other"]].map(str)
        record["pairs"] = records(pairs)
        if len(systems) <= _MOST_IN_PAIRS:
            tables.append(_pairs(pairs))
    return Report(tables, notes, "", systems, record)


def _notes(found, compared):
    """Say what letters are, what varies as a whole, and what is left out."""
    notes, documents = [], found.documents
    if compared:
        notes.append(
            "Systems that share a letter are not told apart (paired t tests, Holm's correction, "
            f"p > {found.pairs.alpha:g})."
        )
    if documents is None:
        notes.append(
            "Intervals are by segment: if several are of one document, they are too narrow "
            "(--documents)."
        )
    else:
        only = "only " * (documents < FEW_CLUSTERS)
        notes.append(
            f"Intervals and tests are by document ({only}{documents:,}), with Student's t."
        )
    if found.blank:
        notes.append(
            f"{found.blank:,} of {found.segments + found.blank:,} segments are blank in all texts, "
            "and left out."
        )
    return notes


def _pairs(pairs):
    """Return the table of comparisons."""
    columns = {
        "system": list(pairs["system"]),
        "other": list(pairs["other"]),
        "difference": signed(pairs["difference"]),
        "interval": list(map(interval, pairs["low"], pairs["high"])),
        "p": p_values(pairs["p_value"]),
    }
    return Table.of_columns("Each two systems", columns, names="system", texts=("other",))


# What is found of translations: what can be written of it, and the report of systems.
FOUND = {"ranks": (as_ranks, report_of_ranks), "scores": (as_scores, report_of_scores)}


def answer_of(found):
    """Say in words which of Systems is better; a list of sentences."""
    if found.pairs is None:
        return []
    if found.table["score"].notna().any():
        return answer(found.pairs, "{:.4f}".format)
    return answer(found.pairs, "{:.3f}".format, " in mean rank")


def system_text(found, kind, belief=""):
    """Write which system is better, a table of Systems and its legend, for the terminal.

    ``belief`` is a sentence below: how far to believe the model.
    """
    _, report_of_systems = FOUND[kind]
    report = report_of_systems(found)
    table, said = report.tables[0], answer_of(found)
    notes = map(wrapped, [*report.notes, *filter(None, [belief])])
    lines = [align(table.header, table.rows), *notes]
    return "\n".join([*said, *[""] * bool(said), *lines]) + "\n"


def wrapped(note):
    """Break a note below a table into lines, for the terminal."""
    return textwrap.fill(note, 96, subsequent_indent="  ")
