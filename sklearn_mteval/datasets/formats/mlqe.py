"""A file of MLQE-PE."""

from sklearn_mteval.datasets.formats._entry import GOLD, Format
from sklearn_mteval.datasets.judgements import judgements_of


def _read(path, *, gold=None):
    """Load post-edits with translations, or scores of translations."""
    from sklearn_mteval.datasets.campaigns.mlqe import load_mlqe

    mlqe = load_mlqe(path, gold=gold)
    return judgements_of(mlqe, better="higher" if mlqe.y.name.startswith("da_") else "lower")


def _recognised(line):
    """Tell from the header, which any of the tables has."""
    from sklearn_mteval.datasets.campaigns.mlqe import GOLD as COLUMNS
    from sklearn_mteval.datasets.campaigns.mlqe import RENAMED

    header = set(line.split("\t"))
    if set(RENAMED) <= header:
        return True
    return any({"source", *COLUMNS[gold]} <= header for gold in ("post_edit", "da_z", "critical"))


FORMAT = Format(
    "mlqe",
    "MLQE-PE: post-edits, direct assessments or critical errors, one TSV file",
    _read,
    options=(GOLD,),
    recognised=_recognised,
)
