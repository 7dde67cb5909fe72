"""What is shown of ranks and scores of translations: the first segments, the best first."""

import numpy as np
import pandas as pd

from sklearn_mteval.report.cells import ended, written
from sklearn_mteval.report.html.views.view import View, simple_report
from sklearn_mteval.report.summaries.phrases import counted, name_of

_TEXT = 1000  # characters
_FORMS = {"rank": "d", "strength": ".3f", "score": "+.4f"}


def view_of_segments(part, texts, n_rows):
    """Return the view of ranks or scores of some of ``n_rows`` rows, with the texts of the same."""
    part = part.to_frame() if isinstance(part, pd.Series) else part
    systems = texts.index.get_level_values("system")
    groups = texts.index.droplevel("system")
    label = "/".join(map(str, groups.names))
    segments = []
    places = pd.Series(range(len(texts)), index=groups)
    for group, some in places.groupby(level=list(range(groups.nlevels)), sort=False):
        some = _best_first(part, some.to_numpy())
        both = texts.iloc[some]
        group = "/".join(map(str, group)) if isinstance(group, tuple) else group
        segments.append(
            {
                "label": f"{label} {name_of(group)}",
                "source": _cell(both, "source")[:1],
                "references": _cell(both, "reference"),
                "translations": [
                    _translation(part.iloc[k], texts.iloc[k], systems[k]) for k in some
                ],
            }
        )
    n_segments = texts.index.unique("segment").size
    sentence = (
        f"{counted(n_rows, 'translation')}; shown are those of the first "
        f"{counted(n_segments, 'segment')}, best first."
    )
    title = "Ranked translations" if "rank" in part else "Scored translations"
    return View(title, simple_report([]), [sentence], segments=segments)


def _best_first(table, rows):
    """Sort some rows, the best first."""
    worse = table["rank"] if "rank" in table else -table["score"]
    return rows[np.argsort(worse.to_numpy()[rows], kind="stable")]


def _cell(rows, name):
    """Return the texts of the first row's cell, shortened."""
    if name not in rows:
        return []
    cell = rows[name].iloc[0]
    return [ended(text, _TEXT) for text in (cell if isinstance(cell, list | tuple) else [cell])]


def _translation(numbers, texts, system):
    """Return what is shown of one translation."""
    cells = [
        {"label": name, "text": written(int(x) if name == "rank" else x, _FORMS[name])}
        for name, x in numbers.items()
        if x == x
    ]
    return {
        "system": name_of(system),
        "cells": cells,
        "text": ended(texts.get("hypothesis", ""), _TEXT),
    }
