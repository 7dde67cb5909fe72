"""Expert MQM annotations, as Freitag et al. 2021 publish them."""

import re
from pathlib import Path

import pandas as pd
from sklearn.utils import Bunch

from sklearn_mteval.datasets._files import read_table
from sklearn_mteval.exceptions import DataFileError

__all__ = ["load_mqm"]

_SPAN = re.compile(r"</?v>")
_COLUMNS = ("system", "seg_id", "rater", "source", "target", "category", "severity")


def load_mqm(path, *, reference_system=None, return_X_y=False):
    """Load MQM penalties of translations.

    Parameters
    ----------
    path : path-like
        Tab-separated file without quoting, one row per error: system, doc, doc_id, seg_id,
        rater, source, target, category, severity; ``<v>…</v>`` marks the error.
    reference_system : str or list of str, optional
        The system(s) whose translations become the column ``reference`` (a list of texts
        where several are named). Their rows are left out: a reference is never ranked. None:
        no such column, and human translations are candidates like any other.
    return_X_y : bool, default=False
        Whether to return only (X, y).

    Returns
    -------
    Bunch
        - X : DataFrame indexed by (segment, system) with the text columns ``source``,
          ``hypothesis`` and, if asked for, ``reference``. ``segment`` is seg_id as an
          integer, or "doc:seg_id" where documents number their segments each by itself.
        - y : Series, MQM penalty in points: sum over a rater's errors, mean over raters.
          0 is best, lower is better.
        - n_raters : Series, how many raters judged the translation.
        - DESCR : str, what was read.

    Raises
    ------
    DataFileError
        Naming file and line, for an unknown severity, another text for the same
        translation, or a reference that is missing.

    References
    ----------
    Freitag et al. 2021: Major 5, Minor 1, minor Fluency/Punctuation 0.1,
    Non-translation 25, Neutral and No-error 0.
    """
    path = Path(path)
    header, rows = read_table(path, _COLUMNS, delimiter="\t", quoted=False)
    column = {name: k for k, name in enumerate(header)}
    if not rows:
        raise DataFileError(path, "no annotation in the file.")
    label = _segment_labels(path, rows, column)
    texts, penalties = {}, {}  # (segment, system) → source, target; rater → points
    for line, cells in rows:
        system, rater, category, severity = (
            cells[column[name]] for name in ("system", "rater", "category", "severity")
        )
        key = (label(cells), system)
        text = tuple(_SPAN.sub("", cells[column[name]]) for name in ("source", "target"))
        if texts.setdefault(key, text) != text:
            raise DataFileError(
                path,
                f"segment {key[0]} of {system!r} has another text than in a line before.",
                line,
            )
        points = penalties.setdefault(key, {})
        points[rater] = points.get(rater, 0.0) + _points(path, line, category, severity)
    names = [reference_system] if isinstance(reference_system, str) else reference_system or []
    keys = [key for key in texts if key[1] not in names]
    if not keys:
        raise DataFileError(path, f"no translation is left but the references {names}.")
    index = pd.MultiIndex.from_tuples(keys, names=["segment", "system"])
    table = {"source": [texts[key][0] for key in keys]}
    if names:
        references = [_references(path, texts, segment, names) for segment, _ in keys]
        table["reference"] = references if len(names) > 1 else [text for (text,) in references]
    table["hypothesis"] = [texts[key][1] for key in keys]
    X = pd.DataFrame(table, index, dtype=object)
    y = pd.Series(
        [sum(penalties[key].values()) / len(penalties[key]) for key in keys],
        index=index,
        name="mqm_penalty",
    )
    if return_X_y:
        return X, y
    n_raters = pd.Series([len(penalties[key]) for key in keys], index=index, name="n_raters")
    return Bunch(X=X, y=y, n_raters=n_raters, DESCR=f"MQM penalties of {path}.")


def _segment_labels(path, rows, column):
    """Return the function that labels a row's segment."""
    sources = {}
    for _, cells in rows:
        source = _SPAN.sub("", cells[column["source"]])
        sources.setdefault(cells[column["seg_id"]], set()).add(source)
    if all(len(texts) == 1 for texts in sources.values()):
        numeric = all(segment.isdecimal() and str(int(segment)) == segment for segment in sources)
        return lambda cells: (int if numeric else str)(cells[column["seg_id"]])
    if "doc" not in column:
        raise DataFileError(path, "segments of one seg_id have several sources, and no column doc.")
    return lambda cells: f"{cells[column['doc']]}:{cells[column['seg_id']]}"


def _points(path, line, category, severity):
    """Return the penalty of one error."""
    kind = severity.lower()
    if kind == "major":
        return 25.0 if category.lower().startswith("non-translation") else 5.0
    if kind == "minor":
        return 0.1 if category.lower() == "fluency/punctuation" else 1.0
    if kind in ("neutral", "no-error", "no error"):
        return 0.0
    raise DataFileError(
        path, f"severity must be Major, Minor, Neutral or No-error, found {severity!r}.", line
    )


def _references(path, texts, segment, names):
    """List the reference texts of a segment."""
    for name in names:
        if (segment, name) not in texts:
            there = any(system == name for _, system in texts)
            found = f"segment {segment} has no translation of {name!r}."
            absent = f"the reference system {name!r} is not in the file."
            raise DataFileError(path, found if there else absent)
    return [texts[segment, name][1] for name in names]
