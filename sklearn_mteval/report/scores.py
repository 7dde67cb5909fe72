"""Scores of translations and systems, as ``score_candidates`` and ``score_systems`` give them."""

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.report.cells import interval
from sklearn_mteval.report.formats import Translations, align, write

__all__ = ["score_report", "system_score_report"]


def score_report(scores, format="seg"):
    """Write the score of every translation, as ``score_candidates`` returns them, all digits.

    "seg": the format of the WMT metrics tasks, lines SYSTEM, tab, SCORE, one system after the
    other, the k-th line of a system for the k-th segment; ``None`` is a missing score. "tsv": a
    header and one line for each translation. ``load_scores`` reads both. "jsonl": one object for
    each segment, its translations best first.
    """
    if set(scores.index.names) != {"segment", "system"}:
        raise CandidateError(
            "scores must be indexed by 'segment' and 'system', found the levels "
            f"{list(scores.index.names)}."
        )
    scores = scores.reorder_levels(["segment", "system"])
    return write(Translations(scores.to_frame("score")), format, "scores")


def system_score_report(systems):
    """Write a table of the systems, as ``score_systems`` returns it, for the terminal."""
    rows = [
        [str(row.Index), f"{row.score:+.4f}", interval(row.low, row.high), str(row.segments)]
        for row in systems.itertuples()
    ]
    return align(["system", "score", "interval", "segments"], rows) + "\n"
