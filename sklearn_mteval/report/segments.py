"""Ranks of every segment as TSV or JSON lines."""

import json

__all__ = ["segment_lines"]


def segment_lines(ranked, form):
    """Write segment ranks as lines of text.

    Parameters
    ----------
    ranked : DataFrame of shape (n_candidates, 2)
        As :func:`rank_candidates` returns it, indexed by (segment, system).
    form : {"tsv", "jsonl"}
        Tab-separated, a header and one line for each translation; or JSON lines, one
        object for each segment, its translations best first.

    Yields
    ------
    str
        A line, without its end.
    """
    if form == "tsv":
        yield "segment\tsystem\trank\tstrength"
        for row in ranked.itertuples():
            segment, system = row.Index
            yield f"{segment}\t{system}\t{row.rank}\t{round(row.strength, 6) + 0.0:.6f}"
        return
    if form != "jsonl":
        raise ValueError(f"form must be 'tsv' or 'jsonl', found {form!r}.")
    segments = {}
    for row in ranked.itertuples():
        segment, system = row.Index
        entry = {"system": system, "rank": row.rank, "strength": round(row.strength, 6) + 0.0}
        segments.setdefault(segment, []).append(entry)
    for segment, entries in segments.items():
        entries.sort(key=lambda entry: entry["rank"])
        yield json.dumps({"segment": segment, "translations": entries}, ensure_ascii=False)
