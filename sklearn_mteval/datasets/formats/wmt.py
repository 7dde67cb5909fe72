"""Rankings of a WMT campaign."""

from sklearn_mteval.datasets.formats._entry import LANG_PAIR, Format
from sklearn_mteval.datasets.judgements import Judgements

__all__ = ["FORMAT"]


def _read(path, lang_pair):
    """Load the rankings, and all translations."""
    from sklearn_mteval.datasets.campaigns.wmt import (
        load_wmt,
        load_wmt_translations,
        wmt_system_names,
    )

    wmt = load_wmt(path, lang_pair)
    return Judgements(
        wmt.X,
        wmt.y,
        load_wmt_translations(path, lang_pair),
        wmt.n_segments,
        tuple(wmt_system_names(path, lang_pair)),
        judges=wmt.judges,
        DESCR=wmt.DESCR,
    )


FORMAT = Format(
    "wmt",
    "rankings: a campaign's folder with rankings/, sources/, references/, system-outputs/",
    _read,
    options=(LANG_PAIR,),
    folder="rankings",
)
