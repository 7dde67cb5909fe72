"""Exit statuses: what the page and the overview say, and what commands do."""

import re
from pathlib import Path

import pytest

from sklearn_mteval import cli
from sklearn_mteval.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"
KINDS = {
    "done": (0, ["models"], ""),
    "a file that is missing": (1, ["leaderboard", "none.csv"], "none.csv: cannot be read"),
    "a file that is wrong": (1, ["leaderboard", "garbage.csv"], "garbage.csv"),
    "an empty file": (1, ["leaderboard", "empty.csv"], "empty.csv"),
    "options that do not go together": (1, ["evaluate", "x.csv"], "no metric to evaluate"),
    "a folder that is none": (1, ["leaderboard", "b.csv", "-o", "no/x"], "No such folder"),
    "no such model": (1, ["rank", "xyz", "-t", "one", "two"], "Ready-made are "),
}
MISUNDERSTOOD = {
    "no command": [],
    "no such command": ["xyz"],
    "no such option": ["models", "--xyz"],
    "no such choice": ["leaderboard", "b.csv", "--by", "xyz"],
    "not a number": ["rank", "-t", "a", "b", "--seed", "x"],
    "something missing": ["rank"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("garbage.csv").write_bytes(b"\x00\xff\x9a" * 50)
    Path("empty.csv").write_bytes(b"")
    Path("b.csv").write_text("question_id,model_a,model_b,winner\n1,a,b,model_a\n2,b,a,model_a\n")
    Path("one").write_text("a house\n")
    Path("two").write_text("the house\n")


@pytest.mark.parametrize(("status", "words", "message"), KINDS.values(), ids=KINDS)
def test_what_is_done_or_cannot_be(status, words, message, folder, capsys):
    assert main(words) == status
    out, err = capsys.readouterr()
    assert message in err
    if status:
        assert out == "" and re.fullmatch(rf"sklearn-mteval {words[0]}: error: [^\n]+\n", err)


@pytest.mark.parametrize("words", MISUNDERSTOOD.values(), ids=MISUNDERSTOOD)
def test_what_is_not_understood(words, folder, capsys):
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    out, err = capsys.readouterr()
    assert out == "" and "usage: sklearn-mteval" in err


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["help"], ["rank", "--help-all"]])
def test_what_is_shown_by_request(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 0
    assert capsys.readouterr().err == ""


def test_an_interrupt(folder, monkeypatch, capsys):
    def interrupted(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli._module("models"), "run", interrupted)
    assert main(["models"]) == 130
    assert capsys.readouterr().err == "sklearn-mteval models: interrupted\n"


def test_the_page_and_the_overview_name_the_same():
    told = re.findall(r"^\| ([0-9]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert told == ["0", "1", "2", "130", "143"]
    assert re.findall(r"\b[0-9]+\b", cli._STATUS) == told
