"""Rankings of a WMT campaign."""

from sklearn_mteval.datasets.formats._entry import LANG_PAIR, Format
from sklearn_mteval.datasets.judgements import judgements_of


def _read(path, lang_pair):
    """Load the rankings, and all translations."""
    from sklearn_mteval.datasets.campaigns.wmt import load_wmt_with_translations, wmt_system_names

    wmt, translations = load_wmt_with_translations(path, lang_pair)
    more = {"other_systems": tuple(wmt_system_names(path, lang_pair)), "better": "lower"}
    return judgements_of(wmt, lang_pair, translations=translations, **more)


FORMAT = Format(
    "wmt",
    "rankings: a campaign's folder with rankings/, sources/, references/, system-outputs/",
    _read,
    options=(LANG_PAIR,),
    folder="rankings",
)
