"""What is said of a table that was read: what it was taken for, and which rows look odd."""

import numpy as np

from sklearn_mteval._helpers.outliers import far_from_others
from sklearn_mteval.datasets.own._dialect import DELIMITERS

_SUMMARIES = frozenset({
    "average", "averages", "avg", "mean", "means", "median", "total", "totals",
    "sum", "overall", "std", "stdev", "sd", "durchschnitt", "mittelwert", "summe",
    "gesamt", "moyenne", "somme", "promedio", "suma", "media", "totale", "somma",
    "gemiddelde", "totaal", "průměr", "celkem", "średnia", "razem", "medelvärde", "summa",
    "среднее", "итого", "всего", "平均", "合計", "总计", "总分", "평균",
    "합계",
})  # fmt: skip
_SHOWN = 3


def description(table, layout, columns, judged):
    """Say what was read."""
    parts = [f"{layout.rows} of {'a DataFrame' if table.path is None else table.path}."]
    if table.delimiter == ";":
        parts.append(f"Cells are separated by {DELIMITERS[';']}.")
    taken = _taken(table, columns)
    if taken:
        parts.append(f"Taken as customary: {', '.join(taken)}.")
    parts += [judged.note] if judged.note else []
    if judged.n_repeated:
        parts.append(
            f"{judged.n_repeated} judgement(s) repeat an earlier one of the same annotator, and "
            f"are rankings of their own; {judged.n_contradictions} contradiction(s)."
        )
    return " ".join(parts)


def _taken(table, columns):
    """List the columns that are written otherwise than is customary, and what they were taken for.

    A column for each system is written alike throughout.
    """
    found = []
    for role, value in columns._asdict().items():
        names = [value] if isinstance(value, str) else [] if role == "names" else list(value or ())
        for name in names[:2]:
            if name in table.written:
                found.append(f"{table.written[name]!r} as {role}")
    return found


def odd_rows(table, judged):
    """List sentences on rows that are hardly judgements: summaries, and numbers far from others."""
    remarks = []
    for role in ("segment", "judge", "system"):
        codes, labels = getattr(judged, role)
        summary = np.array([_is_summary(label) for label in labels], dtype=bool)[codes]
        if summary.any():
            row = int(summary.argmax())
            remarks.append(
                f"{_place(table, judged, row)}: the {role} is {labels[codes[row]]!r}. Is that row "
                "a summary of others? It was read as a judgement; remove it if it is none."
            )
            break
    far = far_from_others(judged.y)
    if len(far):
        others = np.delete(judged.y, far)
        shown = ", ".join(f"{abs(judged.y[row]):g}" for row in far[:_SHOWN])
        low, high = np.sort(np.abs([others.min(), others.max()]))
        remarks.append(
            f"{_place(table, judged, int(far[0]))}: {len(far)} judgement(s) ({shown}) far from all "
            f"others, which are between {low:g} and {high:g}. Is that a total, or a slip?"
        )
    return remarks


def _is_summary(label):
    """Tell whether a label is a customary one of rows that sum others up."""
    return isinstance(label, str) and label.strip(" :.()").casefold() in _SUMMARIES


def _place(table, judged, row):
    """Name the row of a judgement at the beginning of a sentence."""
    where = table.place(judged.place[row])
    return where.capitalize() if table.path is None else f"{table.path}, {where}"
