"""What the command line says of itself and of words that it does not understand."""

import pytest

from sklearn_mteval.cli import main

# What somebody may write, and what he is told.
MISTAKES = {
    "output of evaluate": (
        ["evaluate", "x.csv", "--format", "tsv"],
        "Type: sklearn-mteval evaluate x.csv -f tsv",
    ),
    "output of score, joined": (
        ["score", "--format=jsonl", "-t", "a"],
        "Type: sklearn-mteval score -f jsonl -t a",
    ),
    "input": (
        ["evaluate", "x.csv", "-f", "wide"],
        "Type: sklearn-mteval evaluate x.csv --format wide",
    ),
    "input, joined": (
        ["leaderboard", "x.csv", "-fpearmut"],
        "Type: sklearn-mteval leaderboard x.csv --format pearmut",
    ),
    "neither": (["evaluate", "x.csv", "-f", "docx"], "invalid choice: 'docx'"),
    "an old name": (
        ["metrics-task", "x", "--lang-pair", "a-b", "--lang-pairs", "a-b"],
        "there is no option --lang-pairs; did you mean --lang-pair?",
    ),
    "another option": (["rank", "-t", "a", "b", "--zzz"], "there is no option --zzz ("),
    "a file too many": (["evaluate", "a", "b"], "found also b"),
    "a format as option": (
        ["evaluate", "--mqm", "x.tsv"],
        "no option --mqm. Type: sklearn-mteval evaluate x.tsv --format mqm",
    ),
    "joined to its file": (
        ["train", "--wmt=x", "-o", "m"],
        "no option --wmt. Type: sklearn-mteval train x --format wmt -o m",
    ),
    "another name": (
        ["rank", "-t", "a", "b", "--n-jobs", "2"],
        "no option --n-jobs; did you mean --jobs?",
    ),
    "a model twice": (
        ["score", "--model", "any", "static-en", "-t", "a"],
        "MODEL and --model are the same: give one of them",
    ),
    "an option of other commands": (
        ["leaderboard", "x", "--decision", "mbr"],
        "there is no option --decision of this command, only of rerank",
    ),
    "a format that is of nothing": (
        ["rank", "-t", "a", "b", "--mqm"],
        "there is no option --mqm (",
    ),
    "an option first": (["--seed", "3", "rank"], "expected a command before --seed"),
}


@pytest.mark.parametrize(("words", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_told_with_what_was_meant(words, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    out, err = capsys.readouterr()
    usage, error = err.splitlines()
    assert out == "" and usage.startswith("usage: sklearn-mteval")
    assert message in error


@pytest.mark.parametrize("words", [["help"], ["--help"], ["-h"]])
def test_the_overview_is_shown_by_request(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 0
    out, err = capsys.readouterr()
    assert err == "" and "exit status: 0 done; 1 an error" in out


def test_without_a_command_the_overview_is_an_error(capsys):
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2
    out, err = capsys.readouterr()
    assert out == "" and "find out how good metrics are:" in err


def test_help_of_a_command_is_that_of_its_option(capsys):
    said = []
    for words in (["help", "rank"], ["rank", "--help"]):
        with pytest.raises(SystemExit):
            main(words)
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != ""
