"""What is shown of judgements and of what loaders return: counts, first rows, description."""

import pandas as pd

from sklearn_mteval.report.cells import ended
from sklearn_mteval.report.formats import Table
from sklearn_mteval.report.html.views.view import View, simple_report
from sklearn_mteval.report.summaries.phrases import counted, listed

_FIRST = 10  # rows
_TEXT = 120  # characters of a text in them


def _distinct(values):
    """Count distinct values that are not empty."""
    return int(values[values.astype(bool)].astype(str).nunique())


# What may be known besides, by field: what it is called, its type, and how many there are.
_COUNTED = {
    "translations": ("translations, judged or not", pd.DataFrame, len),
    "n_segments": ("segments of the test set", int, int),
    "judges": ("judges", pd.Series, _distinct),
    "documents": ("documents", pd.Series, _distinct),
    "domains": ("domains", pd.Series, _distinct),
    "both_bad": ("rows judged both bad", pd.Series, lambda flags: int(flags.sum())),
    "spans": ("marked errors", pd.Series, lambda spans: int(spans.map(len).sum())),
    "scores": ("metrics with scores", pd.DataFrame, lambda scores: scores.shape[1]),
}


def view_of_judgements(found):
    """Return the view of Judgements."""
    fields = found._asdict()
    title = f"Judgements ({found.format})" if found.format else "Judgements"
    return _view(title, fields)


def view_of_data(found):
    """Return the view of what a loader returned; a user may have taken parts of it away."""
    return _view("Judgements", dict(found))


def _view(title, fields):
    """Return the view of a mapping with ``X``, ``y`` and more."""
    X, y = fields.get("X"), fields.get("y")
    others = [
        f"{name}: {value}."
        for name, value in fields.items()
        if name not in ("DESCR", "warning", "format") and isinstance(value, str) and value
    ]
    description = str(fields.get("DESCR") or "")
    warnings = [str(fields["warning"])] if fields.get("warning") else []
    if not isinstance(X, pd.DataFrame) or not {"segment", "system"} <= set(X.index.names):
        names = listed(fields, most=20) if fields else "nothing"
        return View(title, simple_report([], [f"It holds {names}.", *others, description]))
    tables = [_counts(X, fields)]
    if len(X):
        tables.append(_first_rows(X, y))
    notes = [*others, *(line for line in [description] if line)]
    return View(title, simple_report(tables, notes), [_sentence(X)], warnings)


def _sentence(X):
    """Say how much there is."""
    segments, systems = (X.index.unique(level) for level in ("segment", "system"))
    return (
        f"There are {counted(len(X), 'judged row')}: translations by "
        f"{counted(len(systems), 'system')} of {counted(len(segments), 'segment')}."
    )


def _counts(X, fields):
    """Return the table of counts."""
    counts = {name: X.index.unique(name).size for name in X.index.names}
    counts = {f"{name}s": n for name, n in counts.items()} | {"judged rows": len(X)}
    for name, (label, kind, count) in _COUNTED.items():
        if isinstance(fields.get(name), kind):
            counts[label] = count(fields[name])
    columns = {"what": list(counts), "number": [f"{n:,}" for n in counts.values()]}
    return Table.of_columns("How much there is", columns, names="what")


def _first_rows(X, y):
    """Return the table of the first rows: labels, judgement, texts."""
    first = X.iloc[:_FIRST]
    columns = {
        str(name): list(map(str, first.index.get_level_values(name))) for name in X.index.names
    }
    if isinstance(y, pd.Series) and len(y) == len(X):
        columns["y (lower is better)"] = [f"{value:g}" for value in y.iloc[:_FIRST]]
    for name in ("hypothesis", "reference", "source"):
        if name in first:
            columns[name] = [_text(cell) for cell in first[name]]
    texts = tuple(name for name in columns if name not in ("system", "y (lower is better)"))
    return Table.of_columns(f"First rows of {len(X):,}", columns, names="system", texts=texts)


def _text(cell):
    """Write a text, or several references, on one line."""
    several = isinstance(cell, list | tuple)
    return ended(" / ".join(map(str, cell)) if several else cell, _TEXT)
