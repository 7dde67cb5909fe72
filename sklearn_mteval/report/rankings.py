"""Ranks of translations and systems, as ``rank_candidates`` and ``rank_systems`` give them."""

import json

from sklearn_mteval.report.formats import align, cell, write

__all__ = ["SEGMENT_FORMATS", "segment_report", "system_report"]


def segment_report(ranked, form="tsv"):
    """Write the ranks of every segment.

    Parameters
    ----------
    ranked : DataFrame of shape (n_candidates, 3)
        As ``rank_candidates`` returns it, indexed by (segment, system).
    form : {"tsv", "jsonl"}, default="tsv"
        Tab-separated, a header and one line for each translation; or JSON lines, one
        object for each segment, its translations best first.

    Returns
    -------
    str
        Lines, the last one ended.
    """
    return "".join(f"{line}\n" for line in write(ranked, form, SEGMENT_FORMATS))


def system_report(systems):
    """Write a table of the systems for the terminal.

    Parameters
    ----------
    systems : DataFrame of shape (n_systems, 4)
        As ``rank_systems`` returns it.

    Returns
    -------
    str
        Lines, the last one ended.
    """
    rows = [
        [str(row.Index), f"{row.score:+.4f}", f"{row.mean_rank:.3f}", f"{row.best:.1%}"]
        for row in systems.itertuples()
    ]
    return align(["system", "score", "mean rank", "ranked best"], rows) + "\n"


def _tsv(ranked):
    """Yield a header and a line for each translation."""
    yield "segment\tsystem\trank\tstrength"
    for (segment, system), rank, strength in ranked[["rank", "strength"]].itertuples():
        yield f"{cell(segment)}\t{cell(system)}\t{rank}\t{_rounded(strength):.6f}"


def _json_lines(ranked):
    """Yield an object for each segment, whose rows need not follow each other."""
    segments = {}
    for (segment, system), rank, strength in ranked[["rank", "strength"]].itertuples():
        entry = {"system": system, "rank": rank, "strength": _rounded(strength)}
        segments.setdefault(segment, []).append(entry)
    for segment, entries in segments.items():
        entries.sort(key=lambda entry: entry["rank"])
        yield json.dumps({"segment": segment, "translations": entries}, ensure_ascii=False)


def _rounded(strength):
    """Return a strength with six digits; a zero has no sign."""
    return round(strength, 6) + 0.0


SEGMENT_FORMATS = {"tsv": _tsv, "jsonl": _json_lines}
