"""Files of errors that a metric marked, lines ``SYSTEM JSON`` as mt-metrics-eval's ratings."""

from pathlib import Path

import pandas as pd

from sklearn_mteval.datasets._files import Place
from sklearn_mteval.datasets._score_lines import score_blocks
from sklearn_mteval.datasets.campaigns._ratings import rating_rows
from sklearn_mteval.exceptions import CandidateError


def load_spans(path, judgements, missing="error"):
    """Read the errors of translations that were judged, a Series indexed like ``judgements.X``.

    The k-th line of a system is its segment k. DataFileError for a system that the judgements do
    not know, an error beyond its text, and a judged translation without a line of errors, which is
    None with ``missing="skip"``. CandidateError if annotators marked no errors at all.
    """
    path, X = Path(path), judgements.X
    if judgements.spans is None:
        raise CandidateError(
            "expected judgements with marked errors, found none: ESA of Appraise or pearmut, or a "
            "rater's of mtme (gold='mqm.rater1')."
        )
    rows = rating_rows(path, "", None, penalties=False)
    systems, others = set(X.index.unique("system")), judgements.other_systems
    known = systems | set(judgements.translations.index.unique("system"))
    for line, system, _ in rows:
        if others is not None and system not in known and system not in others:
            raise Place(path, line).error(
                f"the judgements know no system {system[:60]!r}, but {sorted(systems)}."
            )
    blocks = score_blocks(path, rows, judgements.n_segments)
    found = []
    for label in X.index:
        segment, system = (label[X.index.names.index(name)] for name in ("segment", "system"))
        cells = blocks.get(system, ())
        numbered = isinstance(segment, int) and 1 <= segment <= len(cells)
        penalty, _, spans = cells[segment - 1] if numbered else (float("nan"), "", [])
        if penalty != penalty and missing == "skip":
            spans = None
        elif penalty != penalty:
            raise Place(path).error(
                f"segment {segment} of {system!r} was judged, but has no line of errors: write "
                '{"errors": []} where there is none, or leave such translations out (--missing '
                "skip). Segments must be numbers from 1."
            )
        text = X["hypothesis"][label] if "hypothesis" in X else None
        for span in spans or ():
            if text is not None and span.place == "translation" and span.end > len(text):
                raise Place(path).error(
                    f"an error of {system!r} in segment {segment} ends at {span.end}, but the "
                    f"translation has {len(text)} characters."
                )
        found.append(spans)
    return pd.Series(found, X.index, dtype=object)
