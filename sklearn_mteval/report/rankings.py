"""Ranks of translations and systems, as ``rank_candidates`` and ``rank_systems`` give them."""

from sklearn_mteval.report.formats import Translations, align, write

__all__ = ["segment_report", "system_report"]


def segment_report(ranked, format="tsv"):
    """Write ranks, strengths and scores of every segment, as ``rank_candidates`` returns them.

    "tsv": a header and one line for each translation; "jsonl": one object for each segment, its
    translations best first. Scores are left out of a model that has none.
    """
    if ranked["score"].isna().all():
        ranked = ranked.drop(columns="score")
    ranks = Translations(ranked, digits={"strength": 6}, ascending=True)
    return write(ranks, format, "ranks")


def system_report(systems):
    """Write a table of the systems, as ``rank_systems`` returns it, for the terminal."""
    rows = [
        [str(row.Index), f"{row.score:+.4f}", f"{row.mean_rank:.3f}", f"{row.best:.1%}"]
        for row in systems.itertuples()
    ]
    return align(["system", "score", "mean rank", "ranked best"], rows) + "\n"
