"""Exports of Label Studio, read with the key of their campaign."""

import copy
import json
import math
from pathlib import Path

import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.datasets.campaigns.label_studio import load_label_studio
from sklearn_mteval.datasets.formats._registry import find_format
from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.exceptions import DataFileError

SYSTEMS = ["best", "good", "poor"]
WORDS = ["an", "old", "river", "ran", "below", "the", "quiet", "town"]


@pytest.fixture
def key(tmp_path, monkeypatch):
    """Write a contrastive campaign of 12 segments of three systems for two annotators."""
    monkeypatch.chdir(tmp_path)
    for k, name in enumerate(SYSTEMS):
        words = " ".join([*WORDS[k:], *WORDS[:k]])
        lines = [f"{'abcdefghijkl'[n] * 3} 😀 {words} of line {n}." for n in range(12)]
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    Path("source").write_text("".join(f"Quelle {n}\n" for n in range(12)), encoding="utf-8")
    Path("documents").write_text("".join(f"d{n // 3}\n" for n in range(12)), encoding="utf-8")
    plan(key="campaign.json", protocol="cesa")
    return json.loads(Path("campaign.key.json").read_text(encoding="utf-8"))


def plan(key, protocol, *more):
    options = ["--tool", "label-studio", "--protocol", protocol, "-o", key, "--budget", "12"]
    files = ["-s", "source", "--documents", "documents", "-t", *SYSTEMS]
    assert main(["campaign", "--annotators", "2", *options, *more, *files]) == 0


def score(key, token):
    """What an annotator says who sees which system is better, and what was spoilt."""
    good = {sound for sound, _, _ in key["checks"].values()}
    of = {"best": 90, "good": 60, "poor": 30}
    return of[key["systems"][token]] if token in key["systems"] else 95 if token in good else 5


def exported(key, score=score, path="campaign.json", said_by=None):
    """The tasks, annotated, as Label Studio 1.23 exports them."""
    tasks = json.loads(Path(path).read_text(encoding="utf-8"))
    for number, task in enumerate(tasks, 1):
        results = []
        for k, translation in enumerate(task["data"]["translations"]):
            names = {"from_name": f"score_{k}", "to_name": f"translation_{k}", "type": "number"}
            value = {"number": score(key, translation["token"])}
            results.append({"value": value, "id": f"n{k}", "origin": "manual", **names})
        task |= {"id": number, "predictions": [], "drafts": []}
        task["annotations"] = [
            {
                "id": number, "completed_by": said_by or task["data"]["for_annotator"] + 10,
                "result": results, "was_cancelled": False, "lead_time": 12.0,
                "updated_at": f"2026-11-28T20:46:{number:02}.125857Z",
            }
        ]  # fmt: skip
    # As the server writes them, which begins with these.
    return [{"id": t["id"], "annotations": t["annotations"], **t} for t in tasks]


def save(tasks):
    text = json.dumps(tasks, separators=(",", ":"), ensure_ascii=False)
    Path("export.json").write_text(text, encoding="utf-8")


def load(**options):
    return load_label_studio("export.json", "campaign.json", **options)


@pytest.mark.parametrize("protocol", ["cesa", "esa"])
def test_the_leaderboard_is_that_of_judgements_by_hand(key, protocol):
    plan("second.json", protocol)
    key = json.loads(Path("second.key.json").read_text(encoding="utf-8"))
    save(exported(key, path="second.json"))
    assert find_format("export.json") == "label-studio"
    found = load_judgements("export.json", campaign="second.json")
    assert "11 passed 1 of 1, 12 passed 1 of 1" in found.warning
    by = leaderboard(found.X, found.y, by="mean", n_resamples=10).table["score"]
    assert dict(by) == {"best": 90, "good": 60, "poor": 30}
    for (segment, system), row in found.X.iterrows():
        there = Path(system).read_text(encoding="utf-8").splitlines()[segment - 1]
        assert row["hypothesis"] == there and row["source"] == f"Quelle {segment - 1}"
        assert found.documents[segment, system] == f"d{(segment - 1) // 3}"
    assert found.selection is not None and found.better == "higher"


def test_marks_categories_and_time(key):
    tasks = exported(key)
    judged = next(t for t in tasks if t["data"]["translations"][1]["token"] in key["systems"])
    text = judged["data"]["translations"][1]["text"]
    start = text.index("river")  # behind an emoji: Label Studio counts characters
    assert "😀" in text[:start]
    region = {"id": "r1", "to_name": "translation_1", "origin": "manual"}
    place = {"start": start, "end": start + 5, "text": "river"}
    judged["annotations"][0]["result"] += [
        region
        | {"from_name": "errors_1", "type": "labels", "value": place | {"labels": ["major"]}},
        region
        | {"from_name": "category_1", "type": "choices", "value": place | {"choices": ["Style"]}},
        # As it counted before, UTF-16 units.
        region
        | {"id": "r2", "from_name": "errors_1", "type": "labels",
           "value": {"start": start + 1, "end": start + 6, "text": "river", "labels": ["minor"]}},
    ]  # fmt: skip
    save(tasks)
    found = load()
    [spans] = [spans for spans in found.spans if spans]
    assert [tuple(span) for span in spans] == [
        (start, start + 5, "major", "Style", "translation"),
        (start, start + 5, "minor", "", "translation"),
    ]
    assert set(found.seconds) == {4.0}  # of three translations, 12 seconds


def test_who_judges_again_counts_once_skipped_tasks_never(key):
    tasks = exported(key)
    first = tasks[0]["annotations"]
    earlier, skipped = copy.deepcopy(first[0]), copy.deepcopy(first[0])
    earlier["updated_at"] = "2025-01-01T00:00:00Z"
    skipped |= {"was_cancelled": True, "completed_by": 99}
    for annotation in (earlier, skipped):
        for result in annotation["result"]:
            result["value"]["number"] = 1
    first += [earlier, skipped]
    tasks[1]["annotations"][0] |= {"lead_time": None, "completed_by": {"id": 3, "email": "a@b.c"}}
    save(tasks[::-1])
    found = load()
    assert not (found.y == -1).any() and "left out: 2 annotations" in found.DESCR
    assert "a@b.c" in set(found.judges)
    assert {math.isnan(s) for s, judge in zip(found.seconds, found.judges, strict=True)
            if judge == "a@b.c"} == {True}  # fmt: skip


def test_who_fails_the_checks(key):
    save(exported(key, score=lambda key, token: 50))
    with pytest.raises(DataFileError, match="nobody is left"):
        load(drop_failed=True)
    found = load()
    assert found.checks["passed"].sum() == 0


def changed(path, value):
    """Set what stands at a path in the tasks."""

    def change(tasks):
        at = tasks
        for name in path[:-1]:
            at = at[name]
        at[path[-1]] = value
        return tasks

    return change


RESULT = (0, "annotations", 0, "result", 0)


def without_segments(tasks):
    for task in tasks:
        del task["data"]["segment"]
    return tasks


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda tasks: {"a": tasks}, "expected a list of tasks"),
        (lambda tasks: [{"score_0": 1, "annotation_id": 3}], "task 1 .*not JSON-MIN"),
        (lambda tasks: [], "no judgement"),
        (changed((1, "data", "translations"), []), "task 2 of the list: expected data with"),
        (without_segments, "task 1 of the list: expected data with"),
        (changed((1, "data", "segment"), 4), "task 2 of the list: expected data with"),
        (changed((1, "data", "translations", 0, "text"), None), "a token or text is no string"),
        (changed((0, "annotations", 0, "completed_by"), None), "who annotated"),
        (changed((0, "annotations", 0, "lead_time"), "long"), "lead_time must be a number"),
        (changed((0, "annotations", 0, "result"), "x"), "expected a list 'result'"),
        (changed((*RESULT, "from_name"), "score_9"), "expected a score or marks"),
        (changed((*RESULT, "value"), {"number": "9"}), "a score must be a finite number"),
        (changed((*RESULT, "from_name"), "errors_0"), "expected whole numbers start and end"),
        (changed((*RESULT, "from_name"), "category_0"), "expected one of the choices"),
        (changed((1, "data", "translations", 0, "token"), "bcd"), "'bcd' is none of the campaign"),
        (changed((1, "data", "segment"), "77"), "segment '77' is none of the campaign"),
    ],
)
def test_what_is_damaged(key, change, said):
    tasks = [task for task in exported(key) if len(task["data"]["translations"]) == 3]
    save(change(tasks))
    with pytest.raises(DataFileError, match=said):
        load()


def test_marks_of_another_text_are_refused(key):
    tasks = exported(key)
    value = {"start": 2, "end": 7, "text": "never", "labels": ["minor"]}
    tasks[0]["annotations"][0]["result"].append({"from_name": "errors_0", "value": value})
    save(tasks)
    with pytest.raises(DataFileError, match="characters 2 to 7 are marked, said to be 'never'"):
        load()


def test_half_a_file(key):
    save(exported(key))
    text = Path("export.json").read_text(encoding="utf-8")
    Path("export.json").write_text(text[: len(text) // 2], encoding="utf-8")
    with pytest.raises(DataFileError, match="expected JSON"):
        load()
