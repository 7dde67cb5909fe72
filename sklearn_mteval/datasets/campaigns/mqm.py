"""Expert MQM annotations, as Freitag et al. 2021 and the quality-estimation task publish them."""

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._files import names_of
from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.datasets.campaigns._judged import of_raters
from sklearn_mteval.datasets.campaigns._mqm_rows import POINTS, read_annotations
from sklearn_mteval.datasets.campaigns._mqm_texts import agree_on_texts
from sklearn_mteval.exceptions import DataFileError


def load_mqm(
    path: PathLike, *, reference_system: str | list[str] | None = None,
    points: Mapping[str, float] | None = None, return_X_y: bool = False,
    max_bytes: int | None = None
) -> Any:  # fmt: skip
    """Load MQM penalties of translations.

    Parameters
    ----------
    path : path-like
        Tab-separated file, plain or compressed by gzip. Either one row per error, with the columns
        system, doc, seg_id, rater, source, target, category and severity, where ``<v>…</v>`` marks
        the error; or, as WMT23's quality-estimation task has it, one row per translation and
        rater, with mt_system, doc_id, seg_id, annotator_id, source, target, start_ids, end_ids
        (characters from 0, the end excluded; -1: none) and errors (severities).
    reference_system : str or list of str, optional
        The system(s) whose translations become the column ``reference`` (a list of texts
        where several are named). Their rows are left out: a reference is never ranked. None:
        no such column, and human translations are candidates like any other.
    points : mapping of str to float, optional
        What errors cost where it is not what the campaigns have: "non-translation" 25, "critical"
        10, "major" 5, "minor" 1, "minor punctuation" (Fluency/Punctuation) 0.1.
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
        - marks : Series of the same lists, those of each rater by themselves, indexed by (segment,
          rater, system).
        - ratings : Series of float, the penalty of each rater, indexed like ``marks``.
        - documents : Series of str, the column doc; None where there is none.
        - warning : str, categories beyond the typology, and rows with other texts; often empty.
        - DESCR : str, what was read, and what errors cost.

    Raises
    ------
    ValueError
        For points of what is no kind of error, or that are no numbers from 0 on.
    DataFileError
        Naming file and line, for an unknown severity, a name or a reference that is missing.

    Notes
    -----
    Neither case nor blanks, ``_`` and ``-`` of categories and severities matter. An error of a
    category beyond the typology of Freitag et al. 2021 costs what its severity says. Where raters'
    rows hold several texts of a translation, that of most raters is taken, and marks are moved to
    the same words. Rows with the severity "HOTW-test", which check whether the rater looks, are
    left out.

    References
    ----------
    Freitag et al. 2021, section 3; Blain et al. 2023.
    """
    path = Path(path)
    names = [] if reference_system is None else names_of("reference_system", reference_system)
    rows, has_documents, unknown = read_annotations(path, points, max_bytes)
    labels = _segment_labels(path, rows, has_documents)
    agreed, found = agree_on_texts(rows, labels), defaultdict(lambda: defaultdict(float))
    spans, marks, document = defaultdict(list), defaultdict(list), {}
    for row, label in zip(rows, labels, strict=True):
        key = label, row.system
        found[key][row.rater] += row.points
        spans[key] += row.errors
        if row.system not in names:
            marks[label, row.rater, row.system] += row.errors
        document[key] = row.document
    keys = [key for key in found if key[1] not in names]
    if not keys:
        raise DataFileError(path, f"no translation is left but the references {names}.")
    index = pd.MultiIndex.from_tuples(keys, names=["segment", "system"])
    X = _texts(path, agreed, index, names)
    means = [sum(found[key].values()) / len(found[key]) for key in keys]
    y = pd.Series(means, index, name="mqm_penalty")
    if return_X_y:
        return X, y

    def column(values, name, dtype=object):
        return pd.Series(list(values), index, dtype, name=name)

    warning = f"{_said_of(unknown)}{agreed.said()}".strip()
    costs = ", ".join(f"{name} {cost:g}" for name, cost in (POINTS | dict(points or {})).items())
    return Loaded(
        X=X,
        y=y,
        n_raters=column((len(found[key]) for key in keys), "n_raters", int),
        spans=column((sorted(spans[key]) for key in keys), "spans"),
        **of_raters(
            pd.MultiIndex.from_tuples(marks),
            list(map(sorted, marks.values())),
            [found[label, system][rater] for label, rater, system in marks],
        ),
        documents=column((document[key] for key in keys), "documents") if has_documents else None,
        warning=f"{path}: {warning}" if warning else "",
        DESCR=f"MQM penalties of {path}. Points: {costs}.{' ' * bool(warning)}{warning}",
    )


def _said_of(unknown):
    """Name the categories beyond the typology, the most frequent first, and count their errors."""
    if not unknown:
        return ""
    most = sorted(unknown, key=lambda name: (-unknown[name], name))
    listed = ", ".join(f"{name} ({unknown[name]})" for name in most[:10])
    more = f" and {len(most) - 10} others" if len(most) > 10 else ""
    return f"Categories beyond the typology cost what their severity says: {listed}{more}."


def _texts(path, agreed, index, names):
    """Make a candidate table of translations, with the texts of some systems as references."""
    table = {"source": [agreed.sources[segment] for segment, _ in index]}
    if names:
        references = [_references(path, agreed.targets, segment, names) for segment, _ in index]
        table["reference"] = references if len(names) > 1 else [text for (text,) in references]
    table["hypothesis"] = [agreed.targets[key] for key in index]
    return pd.DataFrame(table, index, dtype=object)


def _segment_labels(path, rows, has_documents):
    """Label the segment of each row: by its number, or within its document."""
    documents, sources = defaultdict(set), defaultdict(set)
    for row in rows:
        documents[row.segment].add(row.document)
        sources[row.segment].add(row.source)
    if has_documents and max(map(len, documents.values())) > 1:
        return [f"{row.document}:{row.segment}" for row in rows]
    if not has_documents and max(map(len, sources.values())) > 1:
        raise DataFileError(path, "segments of one seg_id have several sources, and no column doc.")
    numeric = all(re.fullmatch("0|[1-9][0-9]{0,17}", segment) for segment in documents)
    return [(int if numeric else str)(row.segment) for row in rows]


def _references(path, found, segment, names):
    """List the reference texts of a segment."""
    for name in names:
        if (segment, name) not in found:
            there = any(system == name for _, system in found)
            problem = f"segment {segment} has no translation of {name!r}."
            absent = f"the reference system {name!r} is not in the file."
            raise DataFileError(path, problem if there else absent)
    return [found[segment, name] for name in names]
