"""Judgements as the annotation tool pearmut logs them: JSON lines, one for each document.

Zouhar and Kocmi 2026, "Pearmut: Human Evaluation of Translation Made Trivial".
"""

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.utils import Bunch

from sklearn_mteval._helpers.files import read_text
from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._files import lines_of
from sklearn_mteval.datasets._json import is_number, parse_json
from sklearn_mteval.datasets.campaigns._judged import candidates_of_scores
from sklearn_mteval.exceptions import DataFileError

__all__ = ["load_pearmut"]

_RESET = "__RESET__"  # what the user said of this document before does not count
_EXTRA = ("welcome_", "random_", "goodbye_")  # documents beside the campaign's own
_IDLE = 60  # seconds after which pearmut itself takes a user to do something else
_COLUMNS = ["segment", "system", "judge", "score", "spans", "seconds"]


def load_pearmut(
    path: PathLike, *, score: str = "score", average_judges: bool = False, return_X_y: bool = False,
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
    average_judges : bool, default=False
        Whether a translation's judgements become their mean, and all translations of a segment
        are compared. Else what one judge says of a segment is a ranking.
    return_X_y : bool, default=False
        Whether to return only (X, y).
    max_bytes : int, optional
        As for :func:`read_lines`.

    Returns
    -------
    Bunch
        - X : DataFrame indexed by (segment, ranking, system), with ``average`` by (segment,
          system); columns ``source`` and ``reference``, if all items have them, and
          ``hypothesis``. ``segment`` is the item's ``item_id``; where items have none, segments
          are numbered from 1, and documents with the same sources are the same. Models are the
          systems.
        - y : Series, the score with its sign changed: lower is better.
        - judges : Series of str, who judged.
        - spans : Series of lists of dict, the marked errors as they are in the file.
        - seconds : Series, time per translation of the document, less pauses beyond a minute; NaN
          where it was not logged.
        - n_judgements : Series, how many were averaged. With ``average`` it stands for the
          three before, which are of single judgements.
        - n_repeated, n_contradictions : int, as of :func:`load_esa`.
        - DESCR : str, what was read and what was left out.

    Raises
    ------
    DataFileError
        Naming file and line: what is no JSON, or not as pearmut writes it; scores that are no
        finite numbers; a name that is there twice in an object; two texts of one translation or
        segment; several campaigns; no judgement.

    Notes
    -----
    Left out are tutorials, questions about the user, attention checks (items with ``validation``),
    skipped items, translations without a score, what was reset, and what the same user submitted
    for the same document before.
    """
    check_boolean(average_judges=average_judges, return_X_y=return_X_y)
    if not isinstance(score, str):
        raise ValueError(f"score must be the name of a slider or 'score', found {score!r}.")
    path = Path(path)
    submitted, n_left_out = {}, 0
    for line, entry in _entries(path, max_bytes):
        key, n_items = _checked(path, line, entry)
        if key is None:
            n_left_out += n_items
            continue
        before = submitted.pop(key, None)
        n_left_out += 0 if before is None else len(before[1]["item"])
        if entry["annotation"] != _RESET:
            submitted[key] = line, entry
    rows, texts, absent = [], _Texts(path), 0
    for (judge, _), (line, entry) in submitted.items():
        found, n_absent = _judgements(path, line, judge, entry, score, texts)
        rows += found
        absent += n_absent
    if not rows:
        raise DataFileError(
            path, f"no judgement with a {score!r}; left out: {n_left_out} items, {absent} without."
        )
    judged = texts.added(pd.DataFrame(rows, columns=_COLUMNS))
    X, y, others, counts = candidates_of_scores(judged, path.name, average=average_judges)
    if return_X_y:
        return X, y
    others = {{"judge": "judges"}.get(name, name): column for name, column in others.items()}
    text = (
        f"Judgements of {path}: {len(rows)}; left out: {n_left_out} items that are no judgements "
        f"or were judged again, {absent} translations without {score!r}."
    )
    return Bunch(X=X, y=y, **others, **counts, DESCR=text)


def _entries(path, max_bytes):
    """Yield the entries of a log with their lines."""
    text = read_text(path, max_bytes=max_bytes)
    lines = [(k, line) for k, line in enumerate(lines_of(text), 1) if line.strip()]
    if not lines:
        raise DataFileError(path, "expected judgements, found an empty file.")
    try:
        first = parse_json(path, lines[0][1], lines[0][0])
    except DataFileError:
        if len(lines) == 1 or text.lstrip()[0] not in "{[" or len(lines[0][1].strip()) > 1:
            raise
        first, lines = parse_json(path, text), lines[:1]  # one value on many lines
    if len(lines) == 1 and isinstance(first, dict) and "user_id" not in first:
        log = list(first.values())
        if len(log) != 1 or not isinstance(log[0], list):
            raise DataFileError(
                path, f"expected the entries of one campaign, found {[*first][:20]}: split them."
            )
        yield from ((lines[0][0], entry) for entry in log[0])
        return
    yield lines[0][0], first
    for line, text in lines[1:]:
        yield line, parse_json(path, text, line)


def _listed(value):
    """Return a list, and no entry of what is none."""
    return value if isinstance(value, list) else []


def _checked(path, line, entry):
    """Check an entry's form; return user and document, None where they say nothing of systems."""
    if not isinstance(entry, dict):
        raise DataFileError(path, f"expected an object, found {type(entry).__name__}.", line)
    user, place, said = (entry.get(name) for name in ("user_id", "item_i", "annotation"))
    if not isinstance(user, str) or not user.strip() or not isinstance(place, int | str):
        problem = f"expected 'user_id' and 'item_i', found {user!r} and {place!r}."
        raise DataFileError(path, problem, line)
    if said == _RESET:
        return (user, place), 0
    items = entry.get("item")
    if not isinstance(items, list) or not isinstance(said, list) or len(items) != len(said):
        raise DataFileError(
            path,
            "expected lists 'item' and 'annotation' of equal length, as pearmut writes since 1.0, "
            f"found {_shown(items)} and {_shown(said)}.",
            line,
        )
    for item in items:
        if not isinstance(item, dict):
            raise DataFileError(path, f"expected items that are objects, found {item!r}.", line)
    form = all("form" in item and "tgt" not in item for item in items)
    if form or str(place).startswith(_EXTRA):
        return None, len(items)
    return (user, place), len(items)


def _shown(value):
    """Show what stands where a list should."""
    return f"one of {len(value)}" if isinstance(value, list) else type(value).__name__


def _judgements(path, line, judge, entry, score, texts):
    """List the judgements of one document as rows, and count translations without a score."""
    rows, absent = [], 0
    document = tuple(str((item.get("src"), item.get("ref"))) for item in entry["item"])
    for place, (item, said) in enumerate(zip(entry["item"], entry["annotation"], strict=True)):
        if said is None or "validation" in item:
            continue
        models = item.get("tgt")
        if not isinstance(said, dict) or not isinstance(models, dict):
            raise DataFileError(
                path,
                "expected 'tgt' and the annotation to be objects from models to texts and to "
                f"judgements, found {type(models).__name__} and {type(said).__name__}.",
                line,
            )
        for model, judgement in said.items():
            value, spans = _value(path, line, judgement, score)
            if value is None:
                absent += 1
                continue
            if model not in models or not model.strip() or not model.isprintable():
                problem = f"model {model[:60]!r} is judged, but 'tgt' has {list(models)[:20]}."
                raise DataFileError(path, problem, line)
            segment = texts.segment(line, item, model, (document, place))
            rows.append((segment, model, judge, value, spans))
    seconds = _seconds(path, line, entry.get("actions"))
    return [(*row, seconds / len(rows)) for row in rows], absent


def _value(path, line, judgement, score):
    """Return the score of a judgement, None if there is none, and its spans."""
    if not isinstance(judgement, dict):
        raise DataFileError(path, f"expected a judgement, found {judgement!r}.", line)
    if score == "score":
        value = judgement.get("score")
    else:
        sliders = judgement.get("sliders") or {}
        if not isinstance(sliders, dict):
            raise DataFileError(path, f"expected sliders by name, found {sliders!r}.", line)
        value = sliders.get(score)
    spans = judgement.get("error_spans") or []
    if not isinstance(spans, list) or not all(isinstance(span, dict) for span in spans):
        raise DataFileError(path, f"error_spans must be a list of objects, found {spans!r}.", line)
    if value is not None and not is_number(value):
        raise DataFileError(
            path, f"{score} must be a finite number that float64 holds, found {value!r}.", line
        )
    return None if value is None else float(value), spans


def _seconds(path, line, actions):
    """Add up the time between actions, less pauses; NaN without a log."""
    if not actions:
        return math.nan
    times = [a.get("time") if isinstance(a, dict) else None for a in _listed(actions)]
    if not times or not all(map(is_number, times)):
        raise DataFileError(path, "expected actions, a list with a number 'time' each.", line)
    times = sorted(times)
    return math.fsum(min(later - earlier, _IDLE) for earlier, later in pairwise(times))


class _Texts:
    """The texts of segments and translations, and the segments' labels."""

    def __init__(self, path):
        self.path = path
        self.of_segments = {}  # label → source and reference
        self.of_translations = {}  # label, model → text
        self.labels = {}  # place of an item without a name, in a document → label
        self.named = None  # whether items have names

    def segment(self, line, item, model, place):
        """Return the label of an item's segment, and keep its texts."""
        texts = item.get("src"), item.get("ref"), item["tgt"][model]
        if not all(isinstance(text, str) for text in texts if text is not None) or texts[2] is None:
            raise DataFileError(self.path, f"a text of {model[:60]!r} is no string.", line)
        name = item.get("item_id")
        if self.named not in (None, name is not None):
            problem = "some items have an item_id, and others have none: which are the same?"
            raise DataFileError(self.path, problem, line)
        self.named = name is not None
        if name is None:
            label = self.labels.setdefault(place, len(self.labels) + 1)
        elif isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
            raise DataFileError(self.path, f"item_id must be a name, found {name!r}.", line)
        else:
            label = str(name)
        for known, key, text in (
            (self.of_segments, label, texts[:2]),
            (self.of_translations, (label, model), texts[2]),
        ):
            if known.setdefault(key, text) != text:
                raise DataFileError(
                    self.path, f"{key!r} has another text here than in a line before.", line
                )
        return label

    def added(self, judged):
        """Add columns of texts to judgements."""
        for place, column in enumerate(("source", "reference")):
            texts = [self.of_segments[label][place] for label in judged["segment"]]
            if None not in texts:
                judged[column] = texts
        labels = zip(judged["segment"], judged["system"], strict=True)
        judged["hypothesis"] = [self.of_translations[label] for label in labels]
        return judged
