"""Scores of translations and systems, as ``score_candidates`` and ``score_systems`` give them."""

import json

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.report.formats import UNDEFINED, align, cell, write

__all__ = ["SCORE_FORMATS", "score_report", "system_score_report"]


def score_report(scores, form="seg"):
    """Write the score of every translation, all digits.

    Parameters
    ----------
    scores : Series of length n_scores
        Indexed by (segment, system), as ``score_candidates`` returns it; NaN is missing.
    form : {"seg", "tsv", "jsonl"}, default="seg"
        "seg": the format of the WMT metrics tasks, lines SYSTEM, tab, SCORE, one system after the
        other, the k-th line of a system for the k-th segment; ``None`` is a missing score. "tsv":
        tab-separated, a header and one line for each translation. ``load_scores`` reads both.
        "jsonl": JSON lines, one object for each segment, its translations best first.

    Returns
    -------
    str
        Lines, the last one ended.

    Raises
    ------
    CandidateError
        For another index; for a name of a system that "seg" cannot hold.
    """
    if set(scores.index.names) != {"segment", "system"}:
        raise CandidateError(
            "scores must be indexed by 'segment' and 'system', found the levels "
            f"{list(scores.index.names)}."
        )
    scores = scores.reorder_levels(["segment", "system"])
    return "".join(f"{line}\n" for line in write(scores, form, SCORE_FORMATS))


def system_score_report(systems):
    """Write a table of the systems for the terminal.

    Parameters
    ----------
    systems : DataFrame of shape (n_systems, 4)
        As ``score_systems`` returns it.

    Returns
    -------
    str
        Lines, the last one ended.
    """
    rows = [
        [str(row.Index), f"{row.score:+.4f}", _interval(row.low, row.high), str(row.segments)]
        for row in systems.itertuples()
    ]
    return align(["system", "score", "interval", "segments"], rows) + "\n"


def _interval(low, high):
    """Write an interval, which is undefined of one segment."""
    return UNDEFINED if low != low else f"[{low:+.4f}, {high:+.4f}]"


def _lines(scores):
    """Yield a line for each translation, system after system."""
    systems = scores.index.unique("system")
    table = scores.unstack("system")
    for system in systems:
        name = str(system)
        if not name.isprintable() or name != name.strip() or not name:
            raise CandidateError(
                f"the system's name {name!r} cannot stand in lines 'SYSTEM SCORE': rename the "
                "system, or choose the format tsv."
            )
        for score in table[system]:
            yield f"{name}\t{'None' if score != score else _digits(score)}"


def _tsv(scores):
    """Yield a header and a line for each translation."""
    yield "segment\tsystem\tscore"
    for (segment, system), score in scores.items():
        yield f"{cell(segment)}\t{cell(system)}\t{'' if score != score else _digits(score)}"


def _json_lines(scores):
    """Yield an object for each segment, whose rows need not follow each other."""
    segments = {}
    for (segment, system), score in scores.items():
        score = None if score != score else _digits(score)
        segments.setdefault(segment, []).append({"system": system, "score": score})
    for segment, entries in segments.items():
        entries.sort(key=lambda entry: (entry["score"] is None, -(entry["score"] or 0)))
        yield json.dumps({"segment": segment, "translations": entries}, ensure_ascii=False)


def _digits(score):
    """Return a Python float, which is written with all digits; a zero has no sign."""
    return float(score) + 0.0


SCORE_FORMATS = {"seg": _lines, "tsv": _tsv, "jsonl": _json_lines}
