"""The same options in every command: parsers, and the page that lists what each has."""

import re
from pathlib import Path

import pytest

from sklearn_mteval.cli import _NAMES, _parser_of, main

PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"
FLAGS = {
    "-s": "--source",
    "-r": "--reference",
    "-t": "--translations",
    "-o": "--output",
    "-f": "--output-format",
    "-n": "--size",
}
SHARED = ["-s", "-r", "-t", "--model", "--lang-pair", "--jobs"]


def options(command):
    return _parser_of(command)._option_string_actions


def rows():
    """Which commands have which options, as the page says: {command: {option}}."""
    found = {}
    text = PAGE.read_text(encoding="utf-8")
    cell = r"\|([^|]*)"
    for names, *cells in re.findall(rf"^\| (`.*`) \|[^|]*{4 * cell}\|$", text, re.MULTILINE):
        texts, *others = (cell.strip() for cell in cells)
        has = {*SHARED[:3]} if texts == "yes" else set()
        has |= {flag for flag, cell in zip(SHARED[3:], others, strict=True) if cell == "yes"}
        found |= dict.fromkeys(re.findall("`([^`]+)`", names), has)
    return found


def test_the_page_lists_which_command_has_which_option():
    assert {name: {*SHARED} & {*options(name)} for name in _NAMES} == rows()


@pytest.mark.parametrize("command", _NAMES)
def test_an_option_is_the_same_in_every_command(command):
    there = options(command)
    for short, long in FLAGS.items():
        assert (short in there) == (long in there)
        if short in there:
            assert there[short] is there[long]
    assert "--no-progress" in there and "--help" in there
    assert ("--help-all" in there) == any(
        title in _parser_of(command)._rare for title in _parser_of(command)._of_title
    )
    if "--jobs" in there:
        assert there["--jobs"].type is int
    if "--seed" in there:
        assert there["--seed"].type is int


@pytest.mark.parametrize("command", ["score", "rank", "challenge"])
def test_a_model_is_given_by_itself_or_by_its_option(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two", "ref"):
        text = "".join(f"{name} house number {k} stands here\n" for k in range(20))
        Path(name).write_text(text, encoding="utf-8")
    printed = []
    for model in (["static-en"], ["--model", "static-en"]):
        given = ["-t", "one", "two", "-r", "ref"]
        assert main([command, *model, *given]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != ""


@pytest.mark.filterwarnings("ignore:Not of the language")
def test_a_language_pair_says_which_model_is_taken(tmp_path, monkeypatch, capsys, no_encoders):
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two", "ref"):
        text = "".join(f"the {name} house number {k} stands here\n" for k in range(20))
        Path(name).write_text(text, encoding="utf-8")
    taken = []
    for pair in ([], ["--lang-pair", "de-en"], ["--lang-pair", "en-de"]):
        for command in (["score"], ["rank"], ["rerank", "--decision", "score"]):
            assert main([*command, "-t", "one", "two", "-r", "ref", *pair]) == 0
            taken += re.findall("^model: (.*)$", capsys.readouterr().err, re.MULTILINE)
    assert taken == ["static-en"] * 6 + ["any"] * 3


@pytest.mark.filterwarnings("ignore:Not of the language")
def test_a_language_pair_says_which_tokeniser_metrics_take(tmp_path, monkeypatch, capsys):
    """13a takes a run of characters for a word; zh takes each."""
    monkeypatch.chdir(tmp_path)
    lines = ["segment,system,score,reference,hypothesis"]
    for k in range(8):
        lines += [f"{k},a,1,ab{k}中文字,ab{k}中文", f"{k},b,0,ab{k}中文字,xy{k}中z"]
    Path("own.csv").write_text("\n".join(lines), encoding="utf-8")
    said = []
    for pair in ([], ["--lang-pair", "en-zh"], ["--lang-pair", "zh-en"]):
        words = ["evaluate", "own.csv", "--better", "higher", "--metrics", "bleu", "-f", "json"]
        assert main([*words, *pair]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]  # by script, and told
    assert said[0] != said[2]
