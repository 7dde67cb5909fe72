"""A test set of the metrics tasks in mt-metrics-eval's layout."""

from sklearn_mteval.datasets.formats._entry import (
    GOLD,
    HUMAN_SYSTEMS,
    LANG_PAIR,
    REFERENCE_SYSTEM,
    Format,
    Option,
)
from sklearn_mteval.datasets.judgements import judgements_of


def _read(
    path, lang_pair, *, gold=None, reference_system=None, human_systems=True, metric_scores=True
):
    """Load human scores, all translations, and the scores of the folder's metrics."""
    from sklearn_mteval.datasets.campaigns.mtme import load_mtme

    options = {"human_systems": human_systems, "metric_scores": metric_scores}
    mtme = load_mtme(path, lang_pair, gold=gold, reference=reference_system, **options)
    return judgements_of(
        mtme,
        lang_pair,
        X=mtme.X.drop(columns=mtme.metrics),
        translations=mtme.translations.drop(columns=mtme.metrics),
        scores=mtme.translations[mtme.metrics] if mtme.metrics else None,
        judges=None,  # files of scores do not say
        better="higher",
    )


FORMAT = Format(
    "mtme",
    "a test set of the metrics tasks in mt-metrics-eval's layout, e.g. wmt23; its metrics are "
    "evaluated, too",
    _read,
    options=(
        LANG_PAIR,
        REFERENCE_SYSTEM,
        HUMAN_SYSTEMS,
        GOLD,
        Option(
            "metric_scores",
            "which metrics of the folder (default: all that read no other reference)",
            "NAME",
            kind="texts",
            rare=True,
        ),
    ),
    folder="human-scores",
    has_scores=True,
    texts_by={"reference": REFERENCE_SYSTEM.flag},
)
