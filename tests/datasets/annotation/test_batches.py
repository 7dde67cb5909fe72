"""The results of several batches of a campaign, read with the key of the last one."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.datasets.annotation.key import read_key, selection_of
from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.exceptions import DataFileError

SYSTEMS = ["first", "second", "third"]
N = 40
PLAN = ["campaign", "-s", "source", "--budget", "12", "--annotators", "2", "--checks", "0.2"]


def value_of(user, segment, system):
    """A score that differs by judge, segment and system."""
    return 80 - 9 * SYSTEMS.index(system) + int(segment) % 7 + 3 * (user == "bea")


def write_results(name):
    """Write what two judges, of the same names in all batches, logged of a campaign."""
    key, lines = read_key(f"{name}.json"), []
    tasks = json.loads(Path(f"{name}.json").read_text(encoding="utf-8"))["data"]
    for user, task in zip(["ada", "bea"], tasks, strict=True):
        for place, items in enumerate(task):
            said = [
                {
                    token: {"score": 50 + 9 * (token in item["validation"])}
                    if "validation" in item
                    else {"score": value_of(user, item["item_id"], key.systems[token])}
                    for token in item["tgt"]
                }
                for item in items
            ]
            entry = {"user_id": user, "item_i": place, "item": items, "annotation": said}
            lines.append(json.dumps(entry) + "\n")
    Path(f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


@pytest.fixture
def texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    german = "ruhiger Fluss lief unter der Stadt wo niemand lebte"
    for name in ["source", *SYSTEMS, "fourth"]:
        text = german if name == "source" else "quiet river ran below the town where nobody lived"
        words = text.split()
        shuffled = [np.random.RandomState(k + len(name)).permutation(words) for k in range(N)]
        lines = [f"{' '.join(line)} {k} {name}\n" for k, line in enumerate(shuffled)]
        Path(name).write_text("".join(lines), encoding="utf-8")
    Path("documents").write_text("".join(f"d{k // 4}\n" for k in range(N)))
    rng = np.random.default_rng(1)
    scores = "".join(f"{s}\t{rng.normal()}\n" for s in SYSTEMS for _ in range(N))
    Path("scores").write_text(scores)


@pytest.fixture
def batches(texts):
    """Plan three batches, the last of them with metric scores, and have them judged."""
    names = ["one", "two", "three"]
    for name, before in zip(names, [None, "one", "two"], strict=True):
        more = [] if before is None else ["--follow", f"{before}.json"]
        more += ["--scores", "scores"] * (name == "three")
        assert main([*PLAN, "-t", *SYSTEMS, *more, "-o", f"{name}.json"]) == 0
        write_results(name)
    return names


def judged_in(name):
    """Return the segments and the tokens of a campaign's file, of checks and of systems."""
    made = json.loads(Path(f"{name}.json").read_text(encoding="utf-8"))
    items = [item for task in made["data"] for document in task for item in document]
    items += [item for document in made.get("data_welcome", []) for item in document]
    segments = {item["item_id"] for item in items if "validation" not in item}
    checks = {t for item in items if "validation" in item for t in item["tgt"]}
    systems = {t for item in items if "validation" not in item for t in item["tgt"]}
    return segments, checks, systems


def test_batches_have_systems_in_common_and_nothing_else(batches):
    parts = [judged_in(name) for name in batches]
    for which, together in [(0, set.union), (1, set.union)]:
        sets = [part[which] for part in parts]
        assert len(together(*sets)) == sum(map(len, sets)) and all(sets)
    assert parts[0][2] == parts[1][2] == parts[2][2]
    last = read_key("three.json")
    assert [*last.batches] == batches
    of_all = {str(s) for s in last.selection.index[last.selection["chosen"]]}
    assert of_all == set.union(*(part[0] for part in parts))
    for name in batches[:2]:
        key = read_key(f"{name}.json")
        assert key.systems == last.systems and key.checks.items() < last.checks.items()
        # What one batch alone says is read with the last key as with its own.
        alone = selection_of(last, last.selection.index[key.batches[name]["chosen"]])
        pd.testing.assert_frame_equal(alone["chosen"].to_frame(), key.batches[name][["chosen"]])
    # Of the second draw alone: not in the first one, and then drawn.
    first, second = (read_key(f"{name}.json").selection["probability"] for name in batches[:2])
    two = last.selection.index[last.batches["two"]["chosen"]]
    alone = selection_of(last, two)["probability"]
    np.testing.assert_allclose(alone, second - first)


def test_the_leaderboard_of_all_batches_is_that_by_hand(batches, capsys):
    last = read_key("three.json")
    rows, found = [], load_judgements("two.jsonl", batches=["one.jsonl", "three.jsonl"],
                                      campaign="three.json")  # fmt: skip
    for name in batches:
        for line in Path(f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            for item in entry["item"]:
                if "validation" not in item:
                    rows += [
                        (int(item["item_id"]), system, value_of(entry["user_id"], item["item_id"],
                                                                system))
                        for system in SYSTEMS
                    ]  # fmt: skip
    by_hand = pd.DataFrame(rows, columns=["segment", "system", "score"])
    means = by_hand.groupby(["segment", "system"])["score"].mean()
    pd.testing.assert_series_equal(-found.y.sort_index(), means, check_names=False)
    assert found.X.index.equals(found.y.index) and len(found.translations) == len(means)
    pd.testing.assert_frame_equal(found.selection, last.selection)
    assert found.ratings.index.get_level_values("rater").unique().sort_values().tolist() == [
        "ada", "bea"
    ]  # fmt: skip
    weights = 1 / last.selection["probability"].loc[means.index.get_level_values("segment")]
    weighted = (means * weights.to_numpy()).groupby(level="system").sum()
    weighted /= weights.groupby(means.index.get_level_values("system")).sum()
    table = leaderboard(found.X, found.y, by="mean", selection=found.selection).table
    np.testing.assert_allclose(table["score"][SYSTEMS], weighted[SYSTEMS])
    # The command, in another order.
    capsys.readouterr()
    asked = ["leaderboard", "three.jsonl", "--batches", "two.jsonl", "one.jsonl", "--campaign",
             "three.json", "--by", "mean", "-f", "json"]  # fmt: skip
    assert main(asked) == 0
    out, err = capsys.readouterr()
    scores = {row["name"]: row["score"] for row in json.loads(out)["systems"]}
    assert scores == pytest.approx(weighted.to_dict())
    assert err.count("Checks of attention") == 3


def test_one_batch_alone_is_read_as_it_was(batches):
    # With the key of the last batch, or its own: the same leaderboard.
    boards = []
    for key in ("one.json", "three.json"):
        found = load_judgements("one.jsonl", campaign=key)
        boards.append(leaderboard(found.X, found.y, by="mean", selection=found.selection).table)
    pd.testing.assert_frame_equal(*boards)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("one.jsonl --batches one.jsonl --campaign three.json", "Is a file given twice?"),
        ("one.jsonl --batches two.jsonl", "needs the campaign"),
        ("one.jsonl --batches two.jsonl --campaign one.json", "chosen in none of the"),
        ("one.jsonl --batches alien.jsonl --campaign three.json", "none of the campaign"),
        ("one.jsonl --batches half.jsonl --campaign three.json", "half.jsonl"),
        ("one.jsonl --batches missing.jsonl --campaign three.json", "missing.jsonl"),
    ],
)
def test_files_that_do_not_belong_together(batches, capsys, asked, said):
    text = Path("two.jsonl").read_text(encoding="utf-8")
    for token in read_key("one.json").systems:
        Path("alien.jsonl").write_text(text.replace(token, f"{token}x"), encoding="utf-8")
    Path("half.jsonl").write_text(text[: len(text) // 2], encoding="utf-8")
    capsys.readouterr()
    assert main(["leaderboard", *asked.split(), "--by", "mean"]) != 0
    assert said in capsys.readouterr().err


def test_whole_documents_are_followed(texts):
    plan = [*PLAN, "--documents", "documents", "-t", *SYSTEMS]
    assert main([*plan, "-o", "one.json"]) == 0
    assert main([*plan, "--follow", "one.json", "-o", "two.json"]) == 0
    key = read_key("two.json")
    assert set(key.selection["document"]) == {f"d{k}" for k in range(10)}
    for batch in key.batches.values():
        by_document = batch["chosen"].groupby(key.documents).mean()
        assert set(by_document) == {0, 1}


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (["-t", "first", "second"], "missing translations of third"),
        (["-t", *SYSTEMS, "fourth"], "missing translations of fourth"),
        (["-t", *SYSTEMS, "--documents", "documents"], "Expected the documents"),
        (["-t", *SYSTEMS, "-r", "fourth"], "missing reference texts"),
        (["-t", *SYSTEMS, "-o", "folder/one.json"], "the name of an earlier batch"),
        (["-t", *SYSTEMS, "--follow", "none.json"], "none.key.json"),
        (["-t", *SYSTEMS, "--follow", "changed.json"], "damaged"),
    ],
)
def test_what_is_no_next_batch(texts, capsys, plan, said):
    assert main([*PLAN, "-t", *SYSTEMS, "-o", "one.json"]) == 0
    key = json.loads(Path("one.key.json").read_text(encoding="utf-8"))
    changed = json.dumps(key | {"batches": {}})
    Path("changed.key.json").write_text(changed, encoding="utf-8")
    Path("folder").mkdir()
    before = sorted(path.name for path in Path().rglob("*.json"))
    assert main([*PLAN, "--follow", "one.json", "-o", "two.json", *plan]) == 1
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in Path().rglob("*.json")) == before


def test_a_changed_text_and_a_test_set_that_is_used_up(texts, capsys):
    assert main([*PLAN, "-t", *SYSTEMS, "-o", "one.json"]) == 0
    follow = [*PLAN, "--follow", "one.json", "-t", *SYSTEMS]
    assert main([*follow, "--budget", "900", "-o", "all.json"]) == 0
    key = read_key("all.json")
    assert key.selection["chosen"].all() and key.selection["probability"].eq(1).all()
    assert main([*PLAN, "--follow", "all.json", "-t", *SYSTEMS, "-o", "more.json"]) == 1
    assert "All segments are in 'all'" in capsys.readouterr().err
    Path("second").write_text(Path("second").read_text().replace("river", "stream", 1))
    assert main([*follow, "-o", "two.json"]) == 1
    assert "missing translations of second. Give the same files" in capsys.readouterr().err


def test_the_results_of_a_batch_that_was_sure_to_have_segments(batches):
    key = read_key("two.json")
    one, two = key.batches.values()
    sure = one.assign(probability=one["probability"].mask(one["chosen"], 1.0))
    two = two.assign(probability=two["probability"].mask(one["chosen"], 0.0))
    key = key._replace(batches={"one": sure, "two": two})
    with pytest.raises(ValueError, match="results of one are missing"):
        selection_of(key, key.selection.index[two["chosen"]])


def test_judges_who_said_nothing_of_what_was_chosen(batches):
    text = Path("one.jsonl").read_text(encoding="utf-8")
    key = read_key("one.json")
    absent = key.selection.index[~key.selection["chosen"]][0]
    there = key.selection.index[key.selection["chosen"]][0]
    Path("other.jsonl").write_text(
        text.replace(f'"item_id": "{there}"', f'"item_id": "{absent}"'), encoding="utf-8"
    )
    with pytest.raises(DataFileError, match=f"segment {absent} was chosen in none"):
        load_judgements("other.jsonl", campaign="one.json")


@pytest.mark.parametrize(("tool", "ending"), [("sheet", "csv"), ("label-studio", "json")])
def test_other_tools(texts, capsys, tool, ending):
    plan = [*PLAN, "-t", *SYSTEMS, "--tool", tool, "-o"]
    first, second = f"s1.{ending}", f"s2.{ending}"
    assert main([*plan, first]) == 0
    assert main([*plan, second, "--follow", first]) == 0
    key, before = read_key(second), read_key(first)
    assert before.systems.items() < key.systems.items()
    assert len(key.systems) == 3 * key.selection["chosen"].sum()
    for name in (first, second):
        FILL[tool](name, f"{name}.filled", key.systems)
    parts = [f"{name}.filled" for name in (first, second)]
    alone = [load_judgements(part, campaign=second) for part in parts]
    found = load_judgements(parts[1], batches=parts[:1], campaign=second)
    assert len(found.y) == sum(len(part.y) for part in alone)
    assert found.X.index.unique("segment").size == key.selection["chosen"].sum()
    pd.testing.assert_frame_equal(found.selection, key.selection)
    capsys.readouterr()
    asked = ["leaderboard", parts[0], "--batches", parts[1], "--campaign", second, "-f", "json"]
    assert main(asked) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)["systems"]] == SYSTEMS


def fill_sheet(path, filled, systems):
    """Answer what a sheet asks: the better system wins."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        places = [SYSTEMS.index(systems.get(row[f"token_{s}"], "third")) for s in "ab"]
        row["winner (a/b/tie)"] = "a" if places[0] <= places[1] else "b"
    with open(filled, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def fill_label_studio(path, filled, systems):
    """Score what tasks show, the better system higher."""
    tasks = json.loads(Path(path).read_text(encoding="utf-8"))
    for task in tasks:
        said = [
            {
                "from_name": f"score_{k}",
                "value": {"number": 90 - 9 * SYSTEMS.index(systems.get(shown["token"], "third"))},
            }
            for k, shown in enumerate(task["data"]["translations"])
        ]
        task["said"] = [{"completed_by": task["data"]["for_annotator"], "result": said}]
    tasks = [
        {"id": k, "annotations": task["said"], "data": task["data"]}
        for k, task in enumerate(tasks, 1)
    ]
    Path(filled).write_text(json.dumps(tasks), encoding="utf-8")


FILL = {"sheet": fill_sheet, "label-studio": fill_label_studio}
