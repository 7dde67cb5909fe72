"""MQM penalties as published."""

from sklearn_mteval.datasets.formats._entry import REFERENCE_SYSTEM, Format, Option
from sklearn_mteval.datasets.judgements import judgements_of


def _read(path, *, reference_system=(), allow_categories=()):
    """Load penalties; all translations are judged ones."""
    from sklearn_mteval.datasets.campaigns.mqm import load_mqm

    references = [reference_system] if isinstance(reference_system, str) else [*reference_system]
    mqm = load_mqm(path, reference_system=references or None, allow_categories=allow_categories)
    others = {"other_systems": tuple(references), "n_judgements": mqm.n_raters, "better": "lower"}
    return judgements_of(mqm, translations=mqm.X, **others)


def _recognised(line):
    """Tell from the header."""
    from sklearn_mteval.datasets.campaigns.mqm import MQM_COLUMNS

    return set(MQM_COLUMNS) <= set(line.split("\t"))


FORMAT = Format(
    "mqm",
    "MQM annotations as published, one TSV file",
    _read,
    options=(
        REFERENCE_SYSTEM,
        Option(
            "allow_categories",
            "categories that are meant, though not of the typology",
            "LABEL",
            kind="texts",
            rare=True,
        ),
    ),
    recognised=_recognised,
    texts_by={"reference": REFERENCE_SYSTEM.flag},
)
