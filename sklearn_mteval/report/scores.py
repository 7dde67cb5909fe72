"""Scores of translations and systems, as ``score_candidates`` and ``score_systems`` give them."""

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.report.cells import entries, interval
from sklearn_mteval.report.formats import Report, Table, align, write
from sklearn_mteval.report.translations import Translations

FLAGGED = (
    "Flagged: segments with a contradiction in numbers, names, negation, or untranslated words."
)


def score_report(scores, format="seg", flags=None):
    """Write the score of every translation, as ``score_candidates`` returns them, all digits.

    "seg": the format of the WMT metrics tasks, lines SYSTEM, tab, SCORE, one system after the
    other, the k-th line of a system for the k-th segment; ``None`` is a missing score. "tsv": a
    header and one line for each translation. ``load_scores`` reads both. "jsonl": one object for
    each segment, its translations best first. "parquet" (bytes): one row for each translation.
    ``flags``, as ``content_flags`` returns them, are one more column, for which "seg" has no place.
    """
    if format == "seg" and flags is not None:
        raise ValueError("the format seg has no place for flags: choose tsv or jsonl.")
    return write(as_scores(scores, flags), format, "scores")


def as_scores(scores, flags=None):
    """Make what can be written of scores, all or a part of them; see :func:`score_report`."""
    if set(scores.index.names) != {"segment", "system"}:
        raise CandidateError(
            "scores must be indexed by 'segment' and 'system', found the levels "
            f"{list(scores.index.names)}."
        )
    found = scores.to_frame("score")
    if flags is not None:
        found["flags"] = flags
    return Translations(found.reorder_levels(["segment", "system"]))


def system_score_report(systems):
    """Write a table of the systems, as ``score_systems`` returns it, for the terminal."""
    return system_text(report_of_scores(systems))


def report_of_scores(systems):
    """Return the report of what ``score_systems`` returned."""
    columns = {
        "system": list(map(str, systems.index)),
        "score": [f"{score:+.4f}" for score in systems["score"]],
        "interval": list(map(interval, systems["low"], systems["high"])),
        "segments": list(map(str, systems["segments"])),
    }
    return system_table(systems, columns, [])


def system_table(systems, columns, notes):
    """Return the report of systems, given the columns of its table, with flags where there are."""
    if "flagged" in systems:
        columns = columns | {"flagged": list(map(str, systems["flagged"]))}
        notes = [*notes, FLAGGED]
    table = Table.of_columns("Systems, best first", columns, names="system")
    return Report([table], notes, "", systems, {"systems": entries(systems)})


def system_text(report):
    """Write a table of systems and its legend, without title, for the terminal."""
    (table,) = report.tables
    return "\n".join([align(table.header, table.rows), *report.notes]) + "\n"
