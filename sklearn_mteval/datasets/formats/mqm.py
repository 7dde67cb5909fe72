"""MQM penalties as published."""

from sklearn_mteval.datasets.formats._entry import (
    REFERENCE_SYSTEM,
    Format,
    Option,
    given_by_name,
)
from sklearn_mteval.datasets.judgements import judgements_of


def _read(path, *, reference_system=(), points=None):
    """Load penalties; all translations are judged ones."""
    from sklearn_mteval.datasets.campaigns.mqm import load_mqm

    references = [reference_system] if isinstance(reference_system, str) else [*reference_system]
    mqm = load_mqm(path, reference_system=references or None, points=points)
    others = {"other_systems": tuple(references), "n_judgements": mqm.n_raters, "better": "lower"}
    return judgements_of(mqm, translations=mqm.X, **others)


def _recognised(line):
    """Tell from the header."""
    from sklearn_mteval.datasets.campaigns._mqm_rows import MQM_COLUMNS, SPAN_COLUMNS

    header = set(line.split("\t"))
    return set(MQM_COLUMNS) <= header or set(SPAN_COLUMNS) <= header


def _from_command(given):
    """Take options as they are, and read what errors cost."""
    options, points = given_by_name(given), {}
    for text in options.pop("points", ()):
        name, _, number = text.rpartition("=")
        try:
            points[name] = float(number)
        except ValueError:
            raise ValueError(f"--points must be KIND=P, as in major=5, found {text!r}.") from None
    return options | ({"points": points} if points else {})


FORMAT = Format(
    "mqm",
    "MQM annotations as published, one TSV file",
    _read,
    options=(
        REFERENCE_SYSTEM,
        Option(
            "points",
            "what errors cost, as in critical=25; default: non-translation=25 critical=10 major=5 "
            "minor=1 'minor punctuation=0.1'",
            "KIND=P",
            kind="texts",
            rare=True,
        ),
    ),
    recognised=_recognised,
    texts_by={"reference": REFERENCE_SYSTEM.flag},
    from_command=_from_command,
)
