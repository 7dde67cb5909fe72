"""Campaigns of the WMT metrics tasks in mt-metrics-eval's layout.

One folder for each test set; LP is a language pair such as "zh-en": ``sources/LP.txt``,
``references/LP.REF.txt``, ``documents/LP.docs``, ``system-outputs/LP/SYSTEM.txt``,
``human-scores/LP.GOLD.seg.score`` and ``.seg.rating``, ``metric-scores/LP/METRIC-REF.seg.score``.
Line k of a text file is segment k. Any file may be compressed: its name then ends in ``.gz``.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from sklearn_mteval.datasets._files import check_same_length, named_files, read_lines
from sklearn_mteval.datasets._ratings import rating_rows
from sklearn_mteval.datasets._score_lines import MISSING, score_blocks, score_rows
from sklearn_mteval.exceptions import DataFileError

__all__ = ["load_mtme"]

_PAIR = re.compile(r"[A-Za-z0-9_]{2,20}-[A-Za-z0-9_]{2,20}")  # also "en-zh_TW"
_SYNTHETIC = "synthetic"  # so begins the name of a reference that no human wrote
_NO_REFERENCE, _ALL_REFERENCES = "src", "all"  # what the name of a metric ends in
_TEXTS = ("source", "reference", "hypothesis")


def load_mtme(
    root,
    lang_pair,
    *,
    gold="mqm",
    reference=None,
    metric_scores=False,
    return_X_y=False,
    max_bytes=None,
):
    """Load one language pair of a campaign in mt-metrics-eval's layout.

    Parameters
    ----------
    root : path-like
        The test set's folder, e.g. ``wmt23``; files in it may be compressed (``.txt.gz``).
    lang_pair : str
        Source and target language as the files name them, e.g. "zh-en" or "en-zh_TW".
    gold : str, default="mqm"
        Which human scores: NAME of ``human-scores/LP.NAME.seg.score``, e.g. "mqm", "da-sqm" or
        "esa", higher is better; or of ``LP.NAME.seg.rating``, e.g. "mqm.rater1": the errors that
        a rater marked, each with its penalty.
    reference : str or list of str, optional
        Which reference(s) become the column ``reference``: texts of one, lists of several. None:
        all but those whose name begins with "synthetic".
    metric_scores : bool, str or list of str, default=False
        Whether the scores of the folder's metrics become columns of X; or which metrics' do. A
        metric is named as its file, "COMET-refA", or without the reference. If ``reference`` is
        given, only variants that read no other reference count.
    return_X_y : bool, default=False
        Whether to return only (X, y).
    max_bytes : int, optional
        Of each file, as for :func:`read_lines`.

    Returns
    -------
    Bunch
        - X : DataFrame indexed by (segment, system), the judged translations: text columns
          ``source``, ``reference`` (if there is one) and ``hypothesis``, then one column of
          float64 for each metric, higher is better, NaN where it has no score. ``segment`` is
          the 1-based line number.
        - y : Series, lower is better: the human score with its sign changed, or the penalty of
          a rater's errors.
        - judges : Series of str, who judged, as far as the files say; "" is unknown.
        - documents, domains : Series of str; "" without ``documents/``.
        - spans : Series of lists of dict, the errors as they are in the file; None unless ``gold``
          names ratings.
        - metrics : list of str, the columns of X that hold scores.
        - translations : DataFrame with the columns of X, all translations by all systems.
        - references : tuple of str. References are no systems, although the folder has their
          texts among the outputs.
        - n_segments : int, lines of the test set.
        - DESCR : str, what was read, and what is missing.

    Raises
    ------
    DataFileError
        Naming file and line: no such language pair, kind of human scores, metric or reference;
        files of unequal length; scores of a system without output, too many or too few of them,
        or one that is no finite number; a file that is there twice, plain and compressed.

    Notes
    -----
    Human scores may leave out systems and segments (``None``); X has what was judged. A judged
    system that a metric's file leaves out has no score of it, NaN; DESCR says so. Metrics are named
    without their reference where one variant is read: "COMET" of ``COMET-refA.seg.score``.

    References
    ----------
    https://github.com/google-research/mt-metrics-eval, "File organization and naming convention".
    """
    test_set = _read_test_set(root, lang_pair, max_bytes)
    chosen = _chosen_references(test_set, reference)
    human_file, values, judges, spans = _human_scores(test_set, gold)
    metrics = {}
    if metric_scores is not False:
        allowed = None if reference is None else chosen
        metrics = _metric_scores(test_set, metric_scores, allowed)
    columns = {"source": _objects(test_set.sources).repeat(len(test_set.systems))}
    if chosen:
        texts = [test_set.references[name] for name in chosen]
        cells = texts[0] if len(texts) == 1 else map(list, zip(*texts, strict=True))
        columns["reference"] = _objects(cells).repeat(len(test_set.systems))
    columns["hypothesis"] = _rows(test_set, test_set.outputs)
    n_segments = len(test_set.sources)
    labels = pd.MultiIndex.from_product(
        [range(1, n_segments + 1), test_set.systems], names=["segment", "system"]
    )
    translations = pd.DataFrame(columns, index=labels, dtype=object)
    for name, blocks in metrics.items():
        translations[name] = _rows(test_set, blocks, np.nan)
    y = pd.Series(_rows(test_set, values, np.nan), labels, name=gold)
    judged = y.notna().to_numpy()
    if not judged.any():
        raise DataFileError(human_file, "has no score of a system, only of references or none.")
    X, y = translations[judged], y[judged]
    if return_X_y:
        return X, y

    def of_judged(name, cells):
        return pd.Series(cells[judged], X.index, name=name, dtype=object)

    documents = np.repeat(_documents(test_set), len(test_set.systems), axis=1)
    there = y.index.unique("system")
    absent = [f"{m} of {s}" for m, blocks in metrics.items() for s in there if s not in blocks]
    also = f" Without scores (NaN): {', '.join(absent)}." if absent else ""
    return Bunch(
        X=X,
        y=y,
        judges=of_judged("judge", _rows(test_set, judges, "")),
        domains=of_judged("domain", documents[0]),
        documents=of_judged("document", documents[1]),
        spans=None if spans is None else of_judged("spans", _rows(test_set, spans)),
        metrics=list(metrics),
        translations=translations,
        references=tuple(test_set.references),
        n_segments=n_segments,
        DESCR=f"{len(y)} human scores {gold!r} of {human_file}.{also}",
    )


class _TestSet(NamedTuple):
    """One language pair of a test set: where it is, and its texts by name."""

    root: Path
    lang_pair: str
    max_bytes: int | None
    source_file: Path
    sources: list
    references: dict  # name → lines
    outputs: dict  # name → lines, of references, too
    systems: list  # names


def _read_test_set(root, lang_pair, max_bytes):
    """Read the texts of a language pair, files of equal length."""
    root = Path(root)
    if not isinstance(lang_pair, str) or not _PAIR.fullmatch(lang_pair):
        raise ValueError(f"lang_pair must be like 'zh-en' or 'en-zh_TW', found {lang_pair!r}.")
    sources = named_files(root / "sources", "", ".txt")
    if lang_pair not in sources:
        there = f"there are {sorted(sources)}" if sources else "root must be one test set, e.g. "
        there += "" if sources else "…/wmt23, with the folders sources/, system-outputs/, …"
        raise DataFileError(root / "sources" / f"{lang_pair}.txt", f"no such file: {there}.")
    source_file = sources[lang_pair]
    lines = read_lines(source_file, max_bytes=max_bytes)
    if not lines:
        raise DataFileError(source_file, "the file is empty, expected one segment per line.")
    folder = root / "system-outputs" / lang_pair
    texts = []
    for files in (
        named_files(root / "references", f"{lang_pair}.", ".txt"),
        named_files(folder, "", ".txt"),
    ):
        texts.append({name: read_lines(file, max_bytes=max_bytes) for name, file in files.items()})
        for name, file in files.items():
            check_same_length(file, texts[-1][name], source_file, lines)
    references, outputs = texts
    systems = [name for name in outputs if name not in references]
    if not systems:
        raise DataFileError(folder, "expected outputs of systems, SYSTEM.txt, found none.")
    return _TestSet(root, lang_pair, max_bytes, source_file, lines, references, outputs, systems)


def _chosen_references(test_set, reference):
    """Return the names of the references to use."""
    there = list(test_set.references)
    if reference is None:
        return [name for name in there if not name.startswith(_SYNTHETIC)]
    names = _names("reference", reference)
    for name in names:
        if name not in there:
            problem = f"no reference {name!r} of {test_set.lang_pair}; there are {there}."
            raise DataFileError(test_set.root / "references", problem)
    return names


def _names(option, value):
    """Return a name or a list of names as a list of distinct ones."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{option} must be a name or a list of names, found {value!r}.")
    return list(dict.fromkeys(names))


def _documents(test_set):
    """Return domain and document of each segment, (2, n_segments); "" without such a file."""
    name, n_segments = f"{test_set.lang_pair}.docs", len(test_set.sources)
    found = np.full((2, n_segments), "", dtype=object)
    for file in named_files(test_set.root / "documents", "", ".docs").values():
        if file.name.removesuffix(".gz") == name:
            lines = read_lines(file, max_bytes=test_set.max_bytes)
            check_same_length(file, lines, test_set.source_file, test_set.sources)
            for k, line in enumerate(lines):
                fields = line.split(maxsplit=1)
                if len(fields) != 2:
                    problem = f"expected a domain and a document, found {line[:60]!r}."
                    raise DataFileError(file, problem, k + 1)
                found[:, k] = fields[0], fields[1].rstrip()
    return found


def _human_scores(test_set, gold):
    """Read human scores: the file, and {system: array} of y, judges and, of ratings, spans."""
    folder, prefix = test_set.root / "human-scores", f"{test_set.lang_pair}."
    scores = named_files(folder, prefix, ".seg.score")
    ratings = named_files(folder, prefix, ".seg.rating")
    if gold in scores:
        blocks = _blocks(test_set, scores[gold], _score_lines(test_set, scores[gold]))
        # A penalty of nothing is 0 and not -0.
        return scores[gold], {name: 0.0 - np.array(v) for name, v in blocks.items()}, {}, None
    if gold in ratings:
        rows = rating_rows(ratings[gold], gold, test_set.max_bytes)
        blocks = _blocks(test_set, ratings[gold], rows)
        parts = {name: list(zip(*block, strict=True)) for name, block in blocks.items()}
        penalties = {name: np.array(part[0]) for name, part in parts.items()}
        judges = {name: _objects(part[1]) for name, part in parts.items()}
        return ratings[gold], penalties, judges, {n: _objects(p[2]) for n, p in parts.items()}
    there = sorted({*scores, *ratings})
    raise DataFileError(
        folder,
        f"no human scores {gold!r} of {test_set.lang_pair}, neither {prefix}{gold}.seg.score nor "
        f".seg.rating: pass gold=, one of {there}.",
    )


def _metric_scores(test_set, wanted, allowed):
    """Read scores of metrics: {name: {system: array}}; ``allowed`` references, None is any."""
    folder = test_set.root / "metric-scores" / test_set.lang_pair
    variants = {}  # base name → full names
    files = named_files(folder, "", ".seg.score")
    for full, file in files.items():
        base, _, read = full.rpartition("-")
        read = [] if read == _NO_REFERENCE else read.split(".")
        read = list(test_set.references) if read == [_ALL_REFERENCES] else read
        if not base or not set(read) <= set(test_set.references):
            raise DataFileError(
                file,
                f"expected METRIC-REF.seg.score, REF being {_NO_REFERENCE!r} (no reference), "
                f"{_ALL_REFERENCES!r}, or of {list(test_set.references)}: rename the file.",
            )
        if allowed is None or set(read) <= set(allowed):
            variants.setdefault(base, []).append(full)
    chosen = {}
    if wanted is True:
        for base, full in variants.items():
            short = len(full) == 1 and base not in (*_TEXTS, "human") and base not in files
            chosen |= {base: full[0]} if short else {name: name for name in full}
    else:
        for name in _names("metric_scores", wanted):
            meant = [name] if name in files else variants.get(name, [])
            if len(meant) != 1:
                found = f"{len(meant)} variants, {meant}" if meant else f"only {sorted(files)}"
                raise DataFileError(folder, f"expected one metric {name!r}, found {found}.")
            chosen[name] = meant[0]
    if not chosen:
        raise DataFileError(folder, "no METRIC-REF.seg.score of a metric.")
    return {
        name: {
            system: np.array(values)
            for system, values in _blocks(
                test_set, files[full], _score_lines(test_set, files[full])
            ).items()
        }
        for name, full in chosen.items()
    }


def _score_lines(test_set, file):
    """Read lines SYSTEM SCORE."""
    rows = score_rows(file, read_lines(file, max_bytes=test_set.max_bytes), [MISSING])
    if rows[0][1] is None:
        raise DataFileError(file, "expected lines 'SYSTEM SCORE', found a line of one word.", 1)
    return rows


def _blocks(test_set, file, rows):
    """Collect rows by system: {system: one value for each segment}."""
    for line, system, _ in rows:
        if system not in test_set.outputs:
            raise DataFileError(
                file,
                f"the system {system[:60]!r} has no output in system-outputs/{test_set.lang_pair}; "
                f"there are {', '.join(map(repr, test_set.outputs))}.",
                line,
            )
    return score_blocks(file, rows, len(test_set.sources))


def _rows(test_set, columns, nothing=None):
    """Put columns of systems {system: n_segments cells} into the order of rows."""
    absent = [nothing] * len(test_set.sources)
    columns = [columns.get(system, absent) for system in test_set.systems]
    if not isinstance(nothing, float):
        columns = [_objects(column) for column in columns]
    return np.column_stack(columns).ravel()


def _objects(cells):
    """Make an array of objects, lists among them."""
    cells = list(cells)
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array
