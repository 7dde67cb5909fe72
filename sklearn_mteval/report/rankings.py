"""Ranks of translations and systems, as ``rank_candidates`` and ``rank_systems`` give them."""

from sklearn_mteval.report.formats import Translations, align, write

__all__ = ["segment_report", "system_report"]


def segment_report(ranked, format="tsv"):
    """Write the ranks of every segment.

    Parameters
    ----------
    ranked : DataFrame of shape (n_candidates, 3)
        As ``rank_candidates`` returns it, indexed by (segment, system).
    format : {"tsv", "jsonl"}, default="tsv"
        Tab-separated, a header and one line for each translation; or JSON lines, one
        object for each segment, its translations best first.

    Returns
    -------
    str
        Lines, the last one ended.
    """
    ranks = Translations(ranked[["rank", "strength"]], digits=6, ascending=True)
    return write(ranks, format, "ranks")


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
