"""Translations that are equal: shown once, and what is said of one is said of all."""

import csv
import json
from pathlib import Path

import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.datasets.annotation.key import read_key

WORDS = "an old river ran below the quiet town"
# Of each segment what A, B and C say: all differ; A is B, but for a blank; all are equal; B is C.
TEXTS = ["xyz", "xx z", "xxx", "xyy"]


def said(system, k):
    """Return what a system says of segment k."""
    letters = {"A": 0, "B": 1, "C": 2}
    text = TEXTS[k % 4].replace(" ", "")[letters[system]]
    return f"{WORDS} {k} {text}" + " " * (k % 4 == 1 and system == "B")


@pytest.fixture
def plan(tmp_path, monkeypatch, capsys):
    """Return a function that writes a campaign of given systems for two annotators."""
    monkeypatch.chdir(tmp_path)

    def write(tool, systems="ABC", *more):
        for name in systems:
            lines = [f"{said(name, k)}\n" for k in range(12)]
            Path(name).write_text("".join(lines), encoding="utf-8")
        suffix = "csv" if tool == "sheet" else "json"
        asked = ["campaign", "--tool", tool, "--budget", "12", "--annotators", "2", "-o"]
        asked += [f"c.{suffix}", "--checks", "0", *more, "-t", *systems]
        assert main(asked) == 0
        return read_key("c.key.json"), capsys.readouterr().err

    return write


def read_sheet():
    return list(csv.DictReader(Path("c.csv").read_text(encoding="utf-8-sig").splitlines()))


def save_sheet(rows):
    with open("filled.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def outcomes(found):
    """Return who said what: judge, segment, systems, and which is better."""
    rows = []
    for (segment, _), pair in found.y.groupby(level=["segment", "ranking"]):
        a, b = pair.index.get_level_values("system")
        (judge,) = set(found.judges[pair.index])
        rows.append((judge, segment, *sorted((a, b)), min((pair.iloc[0], a), (pair.iloc[1], b))[1]
                     if pair.iloc[0] != pair.iloc[1] else "tie"))  # fmt: skip
    return sorted(rows)


def test_three_systems_in_a_sheet(plan):
    key, _ = plan("sheet")
    rows = read_sheet()
    shown = {}
    for row in rows:
        assert row["translation_a"].strip() != row["translation_b"].strip()
        name = row["annotator"], int(row["segment"])
        shown[name] = shown.get(name, 0) + 1
    # Segments are counted from 1: of the kinds above 3, 1, 0 and 1 comparisons.
    assert all(n == [3, 1, 0, 1][(segment - 1) % 4] for (_, segment), n in shown.items())
    rank = {system: place for place, system in enumerate("ABC")}
    expected = []
    for row in rows:
        systems = [key.systems[row[f"token_{side}"]] for side in "ab"]
        row["winner (a/b/tie)"] = "ab"[rank[systems[0]] > rank[systems[1]]]
    for judge, segment in shown:
        letters = TEXTS[(segment - 1) % 4].replace(" ", "")
        for a, b in ("AB", "AC", "BC"):
            same = letters["ABC".index(a)] == letters["ABC".index(b)]
            expected.append((judge, segment, a, b, "tie" if same else a))
    save_sheet(rows)
    found = load_judgements("filled.csv", campaign="c.csv")
    got = outcomes(found)
    asked = [row for row in got if (row[1] - 1) % 4 != 2]
    assert asked == sorted(expected)
    # Of segments that are equal throughout: a tie of each two systems, of somebody.
    chosen = key.selection.index[key.selection["chosen"]]
    silent = [segment for segment in chosen if (segment - 1) % 4 == 2]
    assert silent
    for segment in silent:
        ties = [row[2:] for row in got if row[1] == segment]
        assert {*ties} == {(*pair, "tie") for pair in ("AB", "AC", "BC")}
        assert found.X.xs(segment)["hypothesis"].unique() == [f"{WORDS} {segment - 1} x"]
    assert set(found.X.index.unique("segment")) == set(chosen)


def test_what_nobody_judged_is_no_tie(plan):
    key, _ = plan("sheet")
    rows = read_sheet()
    done = next(row["segment"] for row in rows if (int(row["segment"]) - 1) % 4 == 1)
    for row in rows:
        row["winner (a/b/tie)"] = "a" * (row["segment"] == done)
        row["annotator"] = f"annotator {row['annotator']}"
    save_sheet(rows)
    found = load_judgements("filled.csv", campaign="c.csv")
    alone = {each["segment"] for each in key.equal if int(done) in each["beside"]}
    assert set(found.X.index.unique("segment")) == {int(done)} | alone


def test_two_systems_in_a_sheet(plan, capsys):
    key, err = plan("sheet", "AB")
    rows = read_sheet()
    assert {(int(row["segment"]) - 1) % 4 for row in rows} == {0, 3}
    n_segments = len({(row["annotator"], row["segment"]) for row in rows})
    assert f"{n_segments} segments of 2 systems" in err
    for row in rows:
        row["winner (a/b/tie)"] = "ab"[key.systems[row["token_a"]] != "A"]
    save_sheet(rows)
    assert main(["leaderboard", "filled.csv", "--campaign", "c.csv", "-f", "json"]) == 0
    board = json.loads(capsys.readouterr().out)
    first = next(system for system in board["systems"] if system["name"] == "A")
    ties = [row for row in outcomes(load_judgements("filled.csv", campaign="c.csv"))
            if row[-1] == "tie"]  # fmt: skip
    assert (first["wins"], first["ties"]) == (len(rows), len(ties)) and first["losses"] == 0
    # What annotators did is what they were asked.
    assert sum(one["judgements"] for one in board["annotators"]) == len(rows)


def test_a_sheet_without_anything_to_compare(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in "AB":
        Path(name).write_text(f"{WORDS}\n" * 4, encoding="utf-8")
    assert main(["campaign", "--tool", "sheet", "--budget", "3", "-t", "A", "B"]) == 1
    assert "All translations to be judged are equal" in capsys.readouterr().err
    assert not list(Path().glob("campaign*"))


def score_of(text):
    """What anyone would give: by the letter at the end."""
    return {"x": 90.0, "y": 60.0, "z": 30.0}[text.strip()[-1]]


def fill_pearmut():
    lines = []
    for user, task in enumerate(json.loads(Path("c.json").read_text())["data"]):
        for place, items in enumerate(task):
            for item in items:
                assert len({text.strip() for text in item["tgt"].values()}) == len(item["tgt"])
            answers = [{t: {"score": score_of(x)} for t, x in item["tgt"].items()}
                       for item in items]  # fmt: skip
            entry = {"user_id": f"u{user}", "item_i": place, "item": items, "annotation": answers}
            lines.append(json.dumps(entry) + "\n")
    Path("filled.json").write_text("".join(lines), encoding="utf-8")


def fill_label_studio():
    tasks = []
    for n, task in enumerate(json.loads(Path("c.json").read_text(encoding="utf-8"))):
        shown = task["data"]["translations"]
        assert len({each["text"].strip() for each in shown}) == len(shown)
        result = [
            {"from_name": f"score_{k}", "value": {"number": score_of(each["text"])}}
            for k, each in enumerate(shown)
        ]
        who = task["data"]["for_annotator"]
        said = {"completed_by": who, "result": result, "lead_time": 9.0}
        tasks.append({"id": n, "annotations": [said], **task})
    Path("filled.json").write_text(json.dumps(tasks), encoding="utf-8")


@pytest.mark.parametrize("protocol", ["cesa", "esa"])
@pytest.mark.parametrize("tool", ["pearmut", "label-studio"])
def test_scores(plan, tool, protocol, capsys):
    key, _ = plan(tool, "ABC", "--protocol", protocol)
    {"pearmut": fill_pearmut, "label-studio": fill_label_studio}[tool]()
    found = load_judgements("filled.json", campaign="c.json")
    chosen = key.selection.index[key.selection["chosen"]]
    expected = {(n, s): score_of(said(s, n - 1)) for n in chosen for s in "ABC"}
    assert (-found.y).to_dict() == expected
    asked = ["leaderboard", "filled.json", "--campaign", "c.json", "--by", "mean", "-f", "json"]
    assert main(asked) == 0
    board = json.loads(capsys.readouterr().out)
    for system in board["systems"]:
        wanted = [value for (_, name), value in expected.items() if name == system["name"]]
        assert system["score"] == pytest.approx(sum(wanted) / len(wanted))
    # What annotators did is what they were shown.
    made = json.loads(Path("c.json").read_text(encoding="utf-8"))
    if tool == "pearmut":
        n = sum(len(i["tgt"]) for task in made["data"] for items in task for i in items)
    else:
        n = sum(len(task["data"]["translations"]) for task in made)
    assert sum(one["judgements"] for one in board["annotators"]) == n
