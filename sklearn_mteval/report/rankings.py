"""Ranks of translations and systems, as ``rank_candidates`` and ``rank_systems`` give them."""

from sklearn_mteval.report.cells import interval, written
from sklearn_mteval.report.formats import write
from sklearn_mteval.report.scores import system_table, system_text
from sklearn_mteval.report.translations import Translations

_SCORED = (
    "Sorted by score: the mean of segments' scores, in [-1, 1], higher is better; its interval."
)
_SCORELESS = "Sorted by mean rank, since the model has no scores."
_RANKED = "Ranks and strengths hold within a segment; strengths of two segments cannot be compared."


def segment_report(ranked, format="tsv", flags=None):
    """Write ranks, strengths and scores of every segment, as ``rank_candidates`` returns them.

    "tsv": a header and one line for each translation; "jsonl": one object for each segment, its
    translations best first; "parquet" (bytes): one row for each translation, with all digits.
    Scores are left out of a model that has none; ``flags``, as ``content_flags`` returns them, are
    one more column.
    """
    return write(as_ranks(ranked, flags), format, "ranks")


def as_ranks(ranked, flags=None):
    """Make what can be written of ranks, all or a part of them; see :func:`segment_report`."""
    if ranked["score"].isna().all():
        ranked = ranked.drop(columns="score")
    if flags is not None:
        ranked = ranked.assign(flags=flags)
    return Translations(ranked, digits={"strength": 6}, ascending=True)


def system_report(systems):
    """Write a table of the systems, as ``rank_systems`` returns it, and a legend, for the terminal.

    Columns of scores are left out of a model that has none.
    """
    return system_text(report_of_ranks(systems))


def report_of_ranks(systems):
    """Return the report of what ``rank_systems`` returned."""
    scored = bool(systems["score"].notna().any())
    columns = {
        "system": list(map(str, systems.index)),
        "score": [written(score, "+.4f") for score in systems["score"]],
        "interval": list(map(interval, systems["low"], systems["high"])),
        "mean rank": [f"{rank:.3f}" for rank in systems["mean_rank"]],
        "ranked best": [f"{best:.1%}" for best in systems["best"]],
    }
    if not scored:
        del columns["score"], columns["interval"]
    notes = [_SCORED if scored else _SCORELESS, _RANKED]
    return system_table(systems, columns, notes)
