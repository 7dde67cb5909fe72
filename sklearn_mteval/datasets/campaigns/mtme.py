"""Campaigns of the WMT metrics tasks in mt-metrics-eval's layout.

One folder for each test set; LP is a language pair such as "zh-en": ``sources/LP.txt``,
``references/LP.REF.txt``, ``documents/LP.docs``, ``system-outputs/LP/SYSTEM.txt``,
``human-scores/LP.GOLD.seg.score`` and ``.seg.rating``, ``metric-scores/LP/METRIC-REF.seg.score``.
Texts may also stand in ``.jsonl`` (WMT24++ on), of which ``metadata/LP/SYSTEM.jsonl`` says more.
"""

from typing import Any

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._lines import as_object, in_rows
from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.datasets.campaigns._judged import of_raters
from sklearn_mteval.datasets.campaigns._test_set import TestSet
from sklearn_mteval.exceptions import DataFileError


def load_mtme(
    root: PathLike, lang_pair: str, *, gold: str | None = None,
    reference: str | list[str] | None = None, human_systems: bool = False,
    metric_scores: bool | str | list[str] = False, return_X_y: bool = False,
    max_bytes: int | None = None
) -> Any:  # fmt: skip
    """Load one language pair of a campaign in mt-metrics-eval's layout.

    Parameters
    ----------
    root : path-like
        The test set's folder, e.g. ``wmt23``; files in it may be compressed (``.txt.gz``).
    lang_pair : str
        Source and target language as the files name them, e.g. "zh-en" or "en-zh_TW".
    gold : str, optional
        Which human scores: NAME of ``human-scores/LP.NAME.seg.score``, e.g. "mqm", "da-sqm" or
        "esa", higher is better; or of ``LP.NAME.seg.rating``, e.g. "mqm.rater1": the errors that
        a rater marked, each with its penalty. None: "mqm", else "esa", else "da-sqm", else the
        only ones that there are.
    reference : str or list of str, optional
        Which reference(s) become the column ``reference``: texts of one, lists of several. None:
        those that the folder's metrics read; all but synthetic ones, if it has no metrics.
    human_systems : bool, default=False
        Whether other references among the outputs compete as systems, as in the campaigns' own
        tables: in WMT23 he-en refA, if the reference is refB. Synthetic ones never do.
    metric_scores : bool, str or list of str, default=False
        Whether the scores of the folder's metrics become columns of X; or which metrics' do. A
        metric is named as its file, "COMET-refA", or without the reference. If ``reference`` is
        given, only variants that read no other reference count.
    return_X_y, max_bytes : see :func:`load_rankings`
        The same.

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
        - documents, domains : Series of str, of ``documents/``, else of the sources' JSON lines
          ("domain" and "document_id"); "" without either.
        - metadata : Series of dict, what JSON lines say besides texts, of the segment
          ("is_bad_source") and of its translation; None if all texts stand in ``.txt``.
        - spans : Series, as of :func:`load_esa`; None unless ``gold`` names ratings.
        - marks, ratings : Series of what each rater marked and, of MQM, its penalty, indexed by
          (segment, rater, system): of the raters of ``gold``, "mqm.rater1" and all others of
          "mqm"; None if there is no file of any.
        - metrics : list of str, the columns of X that hold scores.
        - translations : DataFrame with the columns of X, all translations by all systems.
        - references : tuple of str, those of the column ``reference``.
        - other_systems : tuple of str, references and outputs that do not compete.
        - n_segments : int, lines of the test set.
        - DESCR : str, what was read, and what is missing.

    Raises
    ------
    DataFileError
        Naming file and line: no such language pair, kind of human scores, metric or reference;
        files of unequal length, or there twice (``.gz``, ``.jsonl``); scores of a system without
        output, too many, too few, or no finite numbers; what is no JSON, or has no such text.

    Notes
    -----
    Human scores may leave out systems and segments (``None``); X has what was judged. Metrics are
    named without their reference where one variant is read: "COMET" of ``COMET-refA.seg.score``. An
    output that was not supplied (null, or "[No translation supplied]") is an empty translation.

    References
    ----------
    https://github.com/google-research/mt-metrics-eval, "File organization and naming convention".
    """
    check_boolean(human_systems=human_systems, return_X_y=return_X_y)
    test_set = TestSet(root, lang_pair, max_bytes)
    files = test_set.metrics()
    chosen = test_set.chosen_references(reference, files)
    if human_systems:
        test_set.systems.extend(test_set.competing(chosen))
    if not test_set.systems:
        problem = "expected outputs of systems, SYSTEM.txt, found none but references."
        raise DataFileError(test_set.root / "system-outputs" / lang_pair, problem)
    gold = test_set.gold(gold)
    human_file, values, judges, spans = test_set.human_scores(gold)
    metrics = {}
    if metric_scores is not False:
        allowed = chosen if reference is not None or human_systems else test_set.references
        metrics = test_set.metric_scores(files, metric_scores, set(allowed))
    translations = test_set.translations(test_set.systems, chosen)
    for name, blocks in metrics.items():
        translations[name] = _rows(test_set, blocks, np.nan)
    y = pd.Series(_rows(test_set, values, np.nan), translations.index, name=gold)
    judged = y.notna().to_numpy()
    if not judged.any():
        raise DataFileError(human_file, "has no score of a system, only of references or none.")
    X, y = translations[judged], y[judged]
    if return_X_y:
        return X, y

    def of_judged(name, cells):
        return None if cells is None else pd.Series(cells[judged], X.index, object, name)

    documents = np.repeat(test_set.documents(), len(test_set.systems), axis=1)
    also = _missing(test_set, metrics, y.index.unique("system"))
    return Loaded(
        X=X,
        y=y,
        judges=of_judged("judge", _rows(test_set, judges, "")),
        domains=of_judged("domain", documents[0]),
        documents=of_judged("document", documents[1]),
        metadata=of_judged("metadata", _rows(test_set, test_set.metadata())),
        spans=of_judged("spans", _rows(test_set, spans)),
        **_of_raters(test_set.ratings(gold), set(X.index)),
        metrics=list(metrics),
        translations=translations,
        references=tuple(chosen),
        other_systems=test_set.other_than(test_set.systems),
        n_segments=test_set.n_segments,
        DESCR=f"{len(y)} human scores {gold!r} of {human_file}.{also}",
    )


def _of_raters(found, judged):
    """Make Series of what raters marked in judged translations and of their penalties."""
    kept = {key: value for key, value in found.items() if key[::2] in judged}
    if not kept:
        return {"marks": None, "ratings": None}
    penalties, marks = zip(*kept.values(), strict=True)
    return of_raters(pd.MultiIndex.from_tuples(kept), marks, penalties)


def _missing(test_set, metrics, systems):
    """Say which metrics leave judged systems out, and how many translations were not supplied."""
    absent = [f"{m} of {s}" for m, blocks in metrics.items() for s in systems if s not in blocks]
    said = f" Without scores (NaN): {', '.join(absent)}." if absent else ""
    if test_set.n_not_supplied:
        said += f" Translations that were not supplied, and are empty: {test_set.n_not_supplied}."
    return said


def _rows(test_set, columns, nothing=None):
    """Put columns of systems {system: n_segments cells} into the order of rows; None stays."""
    if columns is None:
        return None
    absent = [nothing] * test_set.n_segments
    make = np.array if isinstance(nothing, float) else as_object
    return in_rows(make(columns.get(system, absent)) for system in test_set.systems)
