"""Expert MQM annotations, as Freitag et al. 2021 publish them."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from sklearn_mteval._helpers.error_spans import SOURCE, TRANSLATION, UNKNOWN, ErrorSpan
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._files import names_of, read_lines, records_of
from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.exceptions import DataFileError

_SPAN = re.compile(r"</?v>")
MQM_COLUMNS = ("system", "seg_id", "rater", "source", "target", "category", "severity")
_POINTS = {"major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0, "no error": 0.0}
_CHECK = "hotw-test"  # the severity of an error that was put in to see whether the rater looks
# Of Freitag et al. 2021 (table 1), then as the campaigns of WMT20 to 24 name them besides.
_CATEGORIES = {
    "accuracy": "addition, omission, mistranslation, untranslated text; creative reinterpretation, "
    "source language fragment",
    "fluency": "punctuation, spelling, grammar, register, inconsistency, character encoding",
    "terminology": "inappropriate for context, inconsistent use; inconsistent use of terminology, "
    "inappropriate, inconsistent",
    "style": "awkward; unnatural or awkward, bad sentence structure, archaic or obscure word "
    "choice",
    "locale convention": "address format, currency format, date format, name format, telephone "
    "format, time format",
    "other": "-",
}
_KNOWN = {f"{top}/{sub}" for top, subs in _CATEGORIES.items() for sub in re.split("[,;] ", subs)}
_KNOWN |= {*_CATEGORIES, "source error", "source issue", "non-translation", "non-translation!"}
_KNOWN |= {"no-error", "no error"}


def load_mqm(
    path: PathLike, *, reference_system: str | list[str] | None = None,
    allow_categories: Iterable[str] = (), return_X_y: bool = False, max_bytes: int | None = None
) -> Any:  # fmt: skip
    """Load MQM penalties of translations.

    Parameters
    ----------
    path : path-like
        Tab-separated file without quoting, one row per error, with the columns system, doc, seg_id,
        rater, source, target, category and severity; ``<v>…</v>`` marks the error.
    reference_system : str or list of str, optional
        The system(s) whose translations become the column ``reference`` (a list of texts
        where several are named). Their rows are left out: a reference is never ranked. None:
        no such column, and human translations are candidates like any other.
    allow_categories : iterable of str, default=()
        Categories besides those of the typology; their errors cost what their severity says.
    return_X_y, max_bytes : see :func:`load_rankings`
        The same.

    Returns
    -------
    Bunch
        - X : DataFrame indexed by (segment, system) with the text columns ``source``,
          ``hypothesis`` and, if asked for, ``reference``. ``segment`` is seg_id as an
          integer, or "doc:seg_id" where documents number their segments each by itself.
        - y : Series, MQM penalty in points: sum over a rater's errors, mean over raters.
          0 is best, lower is better.
        - n_raters : Series, how many raters judged the translation.
        - spans : Series of lists of ErrorSpan (start, end, severity, category, place), the errors
          that any rater marked, by place; one that has no ``<v>…</v>`` is at an unknown place.
        - documents : Series of str, the column doc; None where there is none.
        - DESCR : str, what was read.

    Raises
    ------
    DataFileError
        Naming file and line, for an unknown severity or category, a name that is missing,
        another text for the same translation, or a reference that is missing.

    Notes
    -----
    Known categories are those of Freitag et al. 2021, and as WMT20 to WMT24 name them. Rows with
    the severity "HOTW-test", which check whether the rater looks, are left out.

    References
    ----------
    Freitag et al. 2021: Major 5, Minor 1, minor Fluency/Punctuation 0.1,
    Non-translation 25, Neutral and No-error 0.
    """
    path = Path(path)
    names = [] if reference_system is None else names_of("reference_system", reference_system)
    rows = _annotations(path, allow_categories, max_bytes)
    found = _translations(path, rows)
    keys = [key for key in found if key[1] not in names]
    if not keys:
        raise DataFileError(path, f"no translation is left but the references {names}.")
    index = pd.MultiIndex.from_tuples(keys, names=["segment", "system"])
    judged = [found[key] for key in keys]
    X = _texts(path, found, index, names)
    means = [sum(its.points.values()) / len(its.points) for its in judged]
    y = pd.Series(means, index, name="mqm_penalty")
    if return_X_y:
        return X, y
    documents = None
    if "doc" in rows[0][1]:
        documents = pd.Series([its.document for its in judged], index, object, name="documents")
    spans = [sorted(its.spans) for its in judged]
    return Loaded(
        X=X,
        y=y,
        n_raters=pd.Series([len(its.points) for its in judged], index, name="n_raters"),
        spans=pd.Series(spans, index, dtype=object, name="spans"),
        documents=documents,
        DESCR=f"MQM penalties of {path}.",
    )


def _texts(path, found, index, names):
    """Make a candidate table of translations, with the texts of some systems as references."""
    table = {"source": [found[key].source for key in index]}
    if names:
        references = [_references(path, found, segment, names) for segment, _ in index]
        table["reference"] = references if len(names) > 1 else [text for (text,) in references]
    table["hypothesis"] = [found[key].text for key in index]
    return pd.DataFrame(table, index, dtype=object)


class _Translation(NamedTuple):
    """What raters said of a translation."""

    source: str
    text: str
    points: dict  # of each rater
    spans: list
    document: str


def _annotations(path, allow_categories, max_bytes):
    """Read the rows of a file, without those that check the rater."""
    lines = read_lines(path, max_bytes=max_bytes)
    _, rows = records_of(path, lines, MQM_COLUMNS, ("doc", "doc_id"))
    rows = [(at, cells) for at, cells in rows if _plain(cells["severity"]) != _CHECK]
    if not rows:
        raise DataFileError(path, "no annotation in the file.")
    for at, cells in rows:
        for name in ("system", "seg_id", "rater"):
            at.check_label(name, cells[name])
    _check_categories(rows, allow_categories)
    return rows


def _translations(path, rows):
    """Bring the rows of each translation together: {(segment, system): _Translation}."""
    label, found = _segment_labels(path, rows), {}
    for at, cells in rows:
        key = (label(cells), cells["system"])
        texts = _SPAN.sub("", cells["source"]), _SPAN.sub("", cells["target"])
        its = found.setdefault(key, _Translation(*texts, defaultdict(float), [], ""))
        if its[:2] != texts:
            raise at.error(
                f"segment {key[0]} of {key[1]!r} has another text than in a line before."
            )
        its.points[cells["rater"]] += mqm_points(at, cells["category"], cells["severity"])
        its.spans.extend(_error_spans(cells))
        found[key] = its._replace(document=cells.get("doc", ""))
    return found


def _error_spans(cells):
    """List the errors of a row, which marks one, mostly, in the target or in the source."""
    severity, category = _plain(cells["severity"]), cells["category"].strip()
    if severity in ("no-error", "no error"):
        return []
    found = [
        ErrorSpan(start, end, severity, category, place)
        for column, place in (("target", TRANSLATION), ("source", SOURCE))
        for start, end in _ranges(cells[column])
    ]
    return found or [ErrorSpan(0, 0, severity, category, UNKNOWN)]


def _ranges(text):
    """Return where <v> and </v> stand around something, in the text without them."""
    found, start, removed = [], None, 0
    for tag in _SPAN.finditer(text):
        at = tag.start() - removed
        removed += len(tag[0])
        if tag[0] == "<v>":
            start = at
        elif start is not None:
            found += [(start, at)] * (at > start)
            start = None
    return found


def _segment_labels(path, rows):
    """Return the function that labels a row's segment."""
    sources = defaultdict(set)
    for _, cells in rows:
        sources[cells["seg_id"]].add(_SPAN.sub("", cells["source"]))
    if all(len(texts) == 1 for texts in sources.values()):
        numeric = all(re.fullmatch("0|[1-9][0-9]{0,17}", segment) for segment in sources)
        return lambda cells: (int if numeric else str)(cells["seg_id"])
    if "doc" not in rows[0][1]:
        raise DataFileError(path, "segments of one seg_id have several sources, and no column doc.")
    return lambda cells: f"{cells['doc']}:{cells['seg_id']}"


def _plain(label):
    """Take case and white space from a label."""
    return " ".join(label.split()).casefold()


def _check_categories(rows, allowed):
    """Raise for a category that is neither known nor allowed, naming all such."""
    if isinstance(allowed, str):
        raise ValueError(f"allow_categories must be a list of categories, found {allowed!r}.")
    known, unknown = _KNOWN | {_plain(label) for label in allowed}, {}
    for at, cells in rows:
        if _plain(cells["category"]) not in known:
            unknown.setdefault(cells["category"], at)
    if unknown:
        raise next(iter(unknown.values())).error(
            f"unknown category {next(iter(unknown))!r}. If they are meant, allow what the file has "
            f"in addition to the typology: allow_categories={list(unknown)[:20]}."
        )


def mqm_points(at, category, severity):
    """Return the penalty of one error."""
    kind, category = _plain(severity), _plain(category)
    if kind not in _POINTS:
        raise at.error(f"severity must be Major, Minor, Neutral or No-error, found {severity!r}.")
    if kind == "major" and category.startswith("non-translation"):
        return 25.0
    return 0.1 if (kind, category) == ("minor", "fluency/punctuation") else _POINTS[kind]


def _references(path, found, segment, names):
    """List the reference texts of a segment."""
    for name in names:
        if (segment, name) not in found:
            there = any(system == name for _, system in found)
            problem = f"segment {segment} has no translation of {name!r}."
            absent = f"the reference system {name!r} is not in the file."
            raise DataFileError(path, problem if there else absent)
    return [found[segment, name].text for name in names]
