"""Ranks and scores of translations and systems, as the functions of ``models`` give them."""

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.report.cells import entries, interval, written
from sklearn_mteval.report.formats import Report, Table, align
from sklearn_mteval.report.translations import Translations

_SCORED = (
    "Sorted by score: the mean of segments' scores, in [-1, 1], higher is better; its interval."
)
_SCORELESS = "Sorted by mean rank, since the model has no scores."
_RANKED = "Ranks and strengths hold within a segment; strengths of two segments cannot be compared."
_FLAGGED = (
    "Flagged: segments with a contradiction in numbers, names, negation, or untranslated words."
)


def as_ranks(ranked, flags=None):
    """Make what can be written of ``rank_candidates``; flags are those of ``content_flags``."""
    if ranked["score"].isna().all():
        ranked = ranked.drop(columns="score")
    if flags is not None:
        ranked = ranked.assign(flags=flags)
    return Translations(ranked, digits={"strength": 6}, ascending=True)


def as_scores(scores, flags=None):
    """Make what can be written of ``score_candidates``; flags are those of ``content_flags``."""
    if set(scores.index.names) != {"segment", "system"}:
        raise CandidateError(
            "scores must be indexed by 'segment' and 'system', found the levels "
            f"{list(scores.index.names)}."
        )
    found = scores.to_frame("score")
    if flags is not None:
        found["flags"] = flags
    return Translations(found.reorder_levels(["segment", "system"]))


def report_of_ranks(systems):
    """Return the report of what ``rank_systems`` returned; no scores of a model without any."""
    scored = bool(systems["score"].notna().any())
    columns = {
        "score": [written(score, "+.4f") for score in systems["score"]],
        "interval": list(map(interval, systems["low"], systems["high"])),
    }
    more = {
        "mean rank": [f"{rank:.3f}" for rank in systems["mean_rank"]],
        "ranked best": [f"{best:.1%}" for best in systems["best"]],
    }
    notes = [_SCORED if scored else _SCORELESS, _RANKED]
    return _report(systems, (columns if scored else {}) | more, notes)


def report_of_scores(systems):
    """Return the report of what ``score_systems`` returned."""
    columns = {
        "score": [f"{score:+.4f}" for score in systems["score"]],
        "interval": list(map(interval, systems["low"], systems["high"])),
        "segments": list(map(str, systems["segments"])),
    }
    return _report(systems, columns, [])


def _report(systems, columns, notes):
    """Return the report of systems, given the columns of its table, with flags where there are."""
    columns = {"system": list(map(str, systems.index))} | columns
    if "flagged" in systems:
        columns["flagged"] = list(map(str, systems["flagged"]))
        notes = [*notes, _FLAGGED]
    table = Table.of_columns("Systems, best first", columns, names="system")
    return Report([table], notes, "", systems, {"systems": entries(systems)})


# What is found of translations: what can be written of it, and the report of systems.
FOUND = {"ranks": (as_ranks, report_of_ranks), "scores": (as_scores, report_of_scores)}


def system_text(report):
    """Write a table of systems and its legend, without title, for the terminal."""
    (table,) = report.tables
    return "\n".join([align(table.header, table.rows), *report.notes]) + "\n"
