"""Judgements as the annotation tool pearmut logs them: JSON lines, one for each document.

Zouhar and Kocmi 2026, "Pearmut: Human Evaluation of Translation Made Trivial".
"""

from pathlib import Path
from typing import Any

import pandas as pd

from sklearn_mteval._helpers.error_spans import OMISSION, unit_places
from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._json import are_objects, is_number
from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.datasets.annotation.key import read_key, tokens_of_checks
from sklearn_mteval.datasets.annotation.results import documents_of_rows, with_equal, with_key
from sklearn_mteval.datasets.campaigns._judged import candidates_of_scores, marked
from sklearn_mteval.datasets.campaigns._pearmut_log import PearmutLog, seconds_of
from sklearn_mteval.exceptions import DataFileError

_COLUMNS = ["segment", "system", "judge", "score", "spans", "textfields", "seconds"]


def load_pearmut(
    path: PathLike, *, score: str = "score", campaign: PathLike | None = None,
    drop_failed: bool = False, average_judges: bool = False, return_X_y: bool = False,
    max_bytes: int | None = None
) -> Any:  # fmt: skip
    """Load the judgements of a campaign of pearmut.

    Parameters
    ----------
    path : path-like
        What pearmut wrote, plain or compressed by gzip: JSON lines (``annotations/CAMPAIGN.jsonl``)
        or the file that its dashboard offers (``annotations.json``), of one campaign.
    score : str, default="score"
        What is the judgement: the score, or the slider of this name; higher is better.
    campaign : path-like, optional
        The key that the command ``campaign`` wrote (``NAME.key.json``), which says the systems of
        tokens, the documents, how likely segments were chosen, and what the checks are.
    drop_failed : bool, default=False
        Whether judges who failed more than half of their checks are left out; needs ``campaign``.
    average_judges, return_X_y, max_bytes : see :func:`load_esa`
        The same.

    Returns
    -------
    Bunch
        - X : DataFrame indexed by (segment, ranking, system), with ``average`` by (segment,
          system); columns ``source`` and ``reference``, if all items have them, and
          ``hypothesis``. ``segment`` is the item's ``item_id``; where items have none, segments
          are numbered from 1, and documents with the same sources are the same. Models are the
          systems.
        - y : Series, the score with its sign changed: lower is better.
        - judges, spans, n_judgements, ratings, marks, n_repeated, n_contradictions : as of
          :func:`load_esa`; pearmut's [missing] is an omission.
        - documents, selection : of the campaign's key, as of :func:`select_segments`.
        - checks : DataFrame indexed by judge: ``asked``, how many checks were answered, and
          ``passed``; with a key, in how many the sound translation had the higher score, else how
          many pearmut logged as passed; there only if there are any.
        - seconds : Series, time per translation of the document, less pauses beyond a minute; NaN
          where it was not logged.
        - annotators : DataFrame indexed by judge: ``minutes``, all the time that was logged, of
          tutorials, checks and what does not count, too; ``asked`` and ``passed`` of ``checks``;
          NaN where there is none.
        - comments : Series indexed by judge and document (pearmut's ``item_i``), remarks to you.
        - answers : Series indexed by judge and question, of forms.
        - textfields : Series, what was typed for a translation, such as a better one; None where
          there is none; without ``average`` and where anything was typed.
        - DESCR : str, what was read and what was left out.

    Raises
    ------
    DataFileError
        Naming file and line: what is not as pearmut writes it; scores that are no finite numbers;
        two texts of one translation or segment; several campaigns; no judgement.

    Notes
    -----
    Left out are tutorials, questions about the user, attention checks (items with ``validation``),
    skipped items, translations without a score, what was reset, and what the same user said of the
    same translations of a document before; and pearmut's ``actions``, but for their times.
    """
    check_boolean(average_judges=average_judges, return_X_y=return_X_y, drop_failed=drop_failed)
    if drop_failed and campaign is None:
        raise ValueError("drop_failed needs campaign=: the key says what the checks are.")
    if not isinstance(score, str):
        raise ValueError(f"score must be the name of a slider or 'score', found {score!r}.")
    path, key = Path(path), None if campaign is None else read_key(campaign)
    log = PearmutLog(path, max_bytes)
    entries, said = log.entries(), log.said()
    rows, texts, absent = [], _Texts(), 0
    for judge, at, entry in entries:
        found, n_absent = _judgements(at, judge, entry, score, texts)
        rows += found
        absent += n_absent
    if not rows:
        problem = (
            f"no judgement with a {score!r}; left out: {log.n_left_out} items, {absent} without."
        )
        raise DataFileError(path, problem)
    judged = texts.added(pd.DataFrame(rows, columns=_COLUMNS))
    if not judged["textfields"].notna().any():
        judged = judged.drop(columns="textfields")
    text = f"Judgements of {path}: {len(rows)}; left out: {log.n_left_out} items that are no "
    text += f"judgements or were judged again, {absent} translations without {score!r}."
    text += "".join(f" {name.title()}: {len(said[name])}." for name in said if len(said[name]))
    more = log.checks()
    if key is not None:
        of_checks = _of_checks(entries, tokens_of_checks(key))
        judged, more, note = with_key(path, judged, key, of_checks, drop_failed=drop_failed)
        judged = with_equal(judged, key)
        text += f" {note}"
    checks = more.get("checks", pd.DataFrame(columns=["asked", "passed"], dtype=float))
    more |= {"annotators": log.minutes().join(checks, how="outer"), **said}
    X, y, others = candidates_of_scores(judged, path.name, average=average_judges)
    if return_X_y:
        return X, y
    if key is not None:
        more["documents"] = documents_of_rows(key.documents, X.index)
    return Loaded(X=X, y=y, **others, **more, DESCR=text)


def _of_checks(entries, tokens):
    """Return the scores of checks, by judge and token."""
    return {
        (judge, token): answer["score"]
        for judge, _, entry in entries
        for said in entry["annotation"]
        if isinstance(said, dict)
        for token, answer in said.items()
        if token in tokens and isinstance(answer, dict) and is_number(answer.get("score"))
    }


def _judgements(at, judge, entry, score, texts):
    """List the judgements of one document as rows, and count translations without a score."""
    rows, absent = [], 0
    document = tuple(str((item.get("src"), item.get("ref"))) for item in entry["item"])
    for place, (item, said) in enumerate(zip(entry["item"], entry["annotation"], strict=True)):
        if said is None or "validation" in item:
            continue
        models = item.get("tgt")
        if not isinstance(said, dict) or not isinstance(models, dict):
            raise at.error(
                "expected 'tgt' and the annotation to be objects from models to texts and to "
                f"judgements, found {type(models).__name__} and {type(said).__name__}."
            )
        for model, judgement in said.items():
            value, spans, typed = _value(at, judgement, score)
            if value is None:
                absent += 1
                continue
            if model not in models or not model.strip() or not model.isprintable():
                there = list(models)[:20]
                raise at.error(f"model {model[:60]!r} is judged, but 'tgt' has {there}.")
            segment = texts.segment(at, item, model, (document, place))
            rows.append((segment, model, judge, value, _spans(at, spans, models[model]), typed))
    seconds = seconds_of(at, entry.get("actions"))
    return [(*row, seconds / len(rows)) for row in rows], absent


def _value(at, judgement, score):
    """Return the score of a judgement, None if there is none, its spans, and what was typed."""
    if not isinstance(judgement, dict):
        raise at.error(f"expected a judgement, found {judgement!r}.")
    values = judgement if score == "score" else judgement.get("sliders") or {}
    if not isinstance(values, dict):
        raise at.error(f"expected sliders by name, found {values!r}.")
    value, spans = values.get(score), judgement.get("error_spans") or []
    if not are_objects(spans):
        raise at.error(f"error_spans must be a list of objects, found {spans!r}.")
    if value is not None and not is_number(value):
        raise at.error(f"{score} must be a finite number that float64 holds, found {value!r}.")
    typed = judgement.get("textfield")
    if typed is not None and not isinstance(typed, str):
        raise at.error(f"textfield must be text, found {typed!r}.")
    return None if value is None else float(value), spans, typed


def _spans(at, spans, text):
    """Return marked errors by characters of the text, beyond which [missing] stands."""
    # The tool counts UTF-16 units from 0, the end of a span among them.
    places, found = unit_places(text), []
    for span in spans:
        start, end = (span.get(name) for name in ("start_i", "end_i"))
        labels = span.get("severity"), span.get("category")
        if not all(isinstance(x, int) and not isinstance(x, bool) for x in (start, end)):
            raise at.error(f"expected whole numbers start_i and end_i, found {start!r}, {end!r}.")
        if start >= len(places) and start == end:
            found.append(marked(at, (0, 0, *labels, OMISSION)))
        elif 0 <= start <= end < len(places):
            found.append(marked(at, (places[start], places[end] + 1, *labels)))
        else:
            raise at.error(
                f"expected 0 <= start_i <= end_i < {len(places)}, found {start} and {end} for the "
                f"text {text[:60]!r}."
            )
    return found


def _item_name(at, name):
    """Return the name of an item as text."""
    known = isinstance(name, str | int) and not isinstance(name, bool)
    if not known or not str(name).strip() or not str(name).isprintable():
        raise at.error(f"item_id must be a name, found {name!r}.")
    return str(name)


class _Texts:
    """The texts of segments and translations, and the segments' labels."""

    def __init__(self):
        self.of_segments = {}  # label → source and reference
        self.of_translations = {}  # label, model → text
        self.labels = {}  # place of an item without a name, in a document → label
        self.named = None  # whether items have names

    def segment(self, at, item, model, place):
        """Return the label of an item's segment, and keep its texts."""
        texts = item.get("src"), item.get("ref"), item["tgt"][model]
        if not all(isinstance(text, str) for text in texts if text is not None) or texts[2] is None:
            raise at.error(f"a text of {model[:60]!r} is no string.")
        name = item.get("item_id")
        if self.named not in (None, name is not None):
            raise at.error("some items have an item_id, and others have none: which are the same?")
        self.named = name is not None
        if name is None:
            label = self.labels.setdefault(place, len(self.labels) + 1)
        else:
            label = _item_name(at, name)
        for known, key, text in (
            (self.of_segments, label, texts[:2]),
            (self.of_translations, (label, model), texts[2]),
        ):
            if known.setdefault(key, text) != text:
                raise at.error(f"{key!r} has another text here than in a line before.")
        return label

    def added(self, judged):
        """Add columns of texts to judgements."""
        for place, column in enumerate(("source", "reference")):
            texts = [self.of_segments[label][place] for label in judged["segment"]]
            if None not in texts:
                judged[column] = texts
        keys = zip(judged["segment"], judged["system"], strict=True)
        judged["hypothesis"] = list(map(self.of_translations.get, keys))
        return judged
