"""The JSON that Label Studio exports of a campaign that this package made."""

import math
import re
from pathlib import Path
from typing import Any

import pandas as pd

from sklearn_mteval._helpers.error_spans import unit_places
from sklearn_mteval._helpers.files import read_text
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._files import Place
from sklearn_mteval.datasets._json import are_objects, is_number, parse_json
from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.datasets.annotation.key import read_key, tokens_of_checks
from sklearn_mteval.datasets.annotation.results import documents_of_rows, with_equal, with_key
from sklearn_mteval.datasets.campaigns._judged import candidates_of_scores, marked
from sklearn_mteval.exceptions import DataFileError

_NAME = re.compile("(score|errors|category)_([0-9]{1,4})")
_COLUMNS = ["segment", "system", "judge", "score", "spans", "seconds", "source", "reference",
            "hypothesis"]  # fmt: skip


def load_label_studio(
    path: PathLike, campaign: PathLike, *, drop_failed: bool = False, average_judges: bool = False,
    max_bytes: int | None = None
) -> Any:  # fmt: skip
    """Load the judgements of a campaign that ``campaign --tool label-studio`` made.

    ``campaign`` is its file or key; options and Bunch are as of :func:`load_pearmut`. ``seconds``
    are the ``lead_time`` of a task, in equal parts for its translations. Left out are skipped
    tasks, translations without a score, and what the same judge said of the same task before.
    """
    path, key = Path(path), read_key(campaign)
    checks, rows, said_of_checks, absent = tokens_of_checks(key), [], {}, 0
    submitted, n_left_out = _submitted(path, max_bytes)
    for (judge, tokens), (at, data, annotation) in submitted.items():
        answers = _answers(at, data["translations"], annotation["result"])
        for token, answer, text in zip(tokens, answers, data["translations"], strict=True):
            if answer["score"] is None:
                absent += 1
            elif token in checks:
                said_of_checks[judge, token] = answer["score"]
            else:
                seconds = _seconds(at, annotation) / len(tokens)
                texts = data.get("source_text"), data.get("reference_text"), text["text"]
                said = judge, answer["score"], answer["spans"], seconds
                rows.append((data["segment"], token, *said, *texts))
    if not rows:
        raise DataFileError(
            path,
            f"no judgement with a score; left out: {n_left_out} annotations, {absent} without.",
        )
    judged = pd.DataFrame(rows, columns=_COLUMNS).dropna(axis="columns", how="all")
    judged = judged.assign(seconds=[row[5] for row in rows])
    judged, more, note = with_key(path, judged, key, said_of_checks, drop_failed=drop_failed)
    X, y, others = candidates_of_scores(with_equal(judged, key), path.name, average=average_judges)
    more["documents"] = documents_of_rows(more["documents"], X.index)
    text = (
        f"Judgements of {path}: {len(rows)}; left out: {n_left_out} annotations that were skipped "
        f"or made again, {absent} translations without a score. {note}"
    )
    return Loaded(X=X, y=y, **others, **more, DESCR=text)


def _submitted(path, max_bytes):
    """Return what counts, by judge and tokens, with its place and data; and how much does not."""
    tasks = parse_json(path, read_text(path, max_bytes=max_bytes))
    if not isinstance(tasks, list) or not are_objects(tasks):
        raise DataFileError(path, "expected a list of tasks, as Label Studio exports them (JSON).")
    found, n_left_out = {}, 0
    for k, task in enumerate(tasks, 1):
        at = _Task(path, k)
        if "annotations" not in task or "data" not in task:
            raise at.error(
                "expected 'data' and 'annotations': export the project as JSON, not JSON-MIN."
            )
        data = _data(at, task["data"])
        tokens = tuple(each["token"] for each in data["translations"])
        if not are_objects(task["annotations"]):
            raise at.error(f"annotations must be objects, found {task['annotations']!r:.200}.")
        for annotation in task["annotations"]:
            if annotation.get("was_cancelled"):
                n_left_out += 1
                continue
            if not are_objects(annotation.get("result")):
                raise at.error(
                    f"expected a list 'result', found {annotation.get('result')!r:.200}."
                )
            name = _judge(at, annotation.get("completed_by")), tokens
            before = found.get(name)
            n_left_out += before is not None
            if before is None or _made(before[2]) <= _made(annotation):
                found[name] = at, data, annotation
    return found, n_left_out


class _Task(Place):
    """A task, by its number in the list."""

    def error(self, problem):
        """Make an error that names the task."""
        return DataFileError(self.path, f"task {self.line} of the list: {problem}")


def _data(at, data):
    """Check what a task shows."""
    translations = data.get("translations") if isinstance(data, dict) else None
    if (
        not translations
        or not are_objects(translations)
        or not isinstance(data.get("segment"), str)
    ):
        raise at.error(
            "expected data with 'segment' and 'translations', as 'campaign --tool label-studio' "
            f"writes them, found {data!r:.200}."
        )
    texts = [each.get(name) for each in translations for name in ("token", "text")]
    texts += [data.get(name, "") for name in ("source_text", "reference_text")]
    if not all(isinstance(text, str) for text in texts):
        raise at.error("a token or text is no string.")
    return data


def _made(annotation):
    """Return when an annotation was made; times in ISO 8601 are ordered as texts are."""
    return str(annotation.get("updated_at") or annotation.get("created_at") or "")


def _judge(at, by):
    """Name who annotated: a number, or an object with an address."""
    name = by.get("email") or by.get("id") if isinstance(by, dict) else by
    name = "" if name is None else str(name)
    if not name.strip() or not name.isprintable():
        raise at.error(f"expected 'completed_by', who annotated, found {by!r:.200}.")
    return name


def _seconds(at, annotation):
    """Return how long an annotation took; NaN where that is not known."""
    seconds = annotation.get("lead_time")
    if seconds is not None and not is_number(seconds):
        raise at.error(f"lead_time must be a number of seconds, found {seconds!r:.60}.")
    return math.nan if seconds is None else float(seconds)


def _answers(at, translations, results):
    """Return the score and the marked errors of each translation of a task."""
    answers = [{"score": None, "spans": []} for _ in translations]
    parts = []
    for result in results:
        name, value = _NAME.fullmatch(str(result.get("from_name"))), result.get("value")
        if name is None or int(name[2]) >= len(answers) or not isinstance(value, dict):
            raise at.error(f"expected a score or marks of a translation, found {result!r:.200}.")
        parts.append((name[1], int(name[2]), result.get("id"), value))
    categories = {
        (place, region): _only(at, value, "choices")
        for kind, place, region, value in parts
        if kind == "category"
    }
    for kind, place, region, value in parts:
        if kind == "score":
            if not is_number(value.get("number")):
                raise at.error(f"a score must be a finite number, found {value!r:.60}.")
            answers[place]["score"] = float(value["number"])
        elif kind == "errors":
            start, end = _characters(at, value, translations[place]["text"])
            said = _only(at, value, "labels"), categories.get((place, region), "")
            answers[place]["spans"].append(marked(at, (start, end, *said)))
    return answers


def _only(at, value, name):
    """Return the only label or choice of a result."""
    found = value.get(name)
    if not isinstance(found, list) or len(found) != 1 or not isinstance(found[0], str):
        raise at.error(f"expected one of the {name}, found {found!r:.60}.")
    return found[0]


def _characters(at, value, text):
    """Return start and end of a mark, checked by the text that was marked, if it is there.

    Label Studio counted UTF-16 units, as browsers do, until 2021, and characters since then.
    """
    start, end = value.get("start"), value.get("end")
    if not all(isinstance(x, int) and not isinstance(x, bool) for x in (start, end)):
        raise at.error(f"expected whole numbers start and end, found {value!r:.200}.")
    places = [*unit_places(text), len(text)]
    ranges = [(start, end)]
    if len(places) > len(text) + 1 and 0 <= start <= end < len(places):
        ranges.append((places[start], places[end]))
    for first, last in ranges:
        if 0 <= first <= last <= len(text) and _alike(value.get("text"), text[first:last]):
            return first, last
    raise at.error(
        f"characters {start} to {end} are marked, said to be {value.get('text')!r:.60}, but this "
        f"is not what stands there in {text[:60]!r}."
    )


def _alike(said, there):
    """Tell whether a marked text is what stands there, but for white space; None says nothing."""
    return said is None or "".join(str(said).replace("\\n", "").split()) == "".join(there.split())
