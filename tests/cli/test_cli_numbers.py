"""Options that are numbers: what they cannot be is told at once, before any file is read."""

import argparse

import pytest

from sklearn_mteval.cli import _NAMES, _parser_of, main
from sklearn_mteval.cli._evaluation import _epsilon
from sklearn_mteval.cli.leaderboard import _weight
from sklearn_mteval.cli.select import _size

IMPOSSIBLE = ["nan", "inf", "-1", "0", "2", "-1e400", "99999999999", "1.5"]
# What a command needs beyond the option, and files that are not there.
NEEDED = {
    "score": ["-t", "nofile"],
    "rank": ["-t", "nofile", "none"],
    "rerank": ["nofile"],
    "select": ["-t", "nofile", "none"],
    "campaign": ["-t", "nofile", "none"],
    "challenge": ["static-en", "-t", "nofile"],
    "metrics-task": ["nofile", "--lang-pair", "de-en"],
    "treebank": ["evaluate", "nofile"],
    "train": ["nofile", "-o", "model"],
    "wmt-submit": ["nofile", "--task", "error-free"],
}
NUMERIC = [
    (command, action.option_strings[-1])
    for command in _NAMES
    for action in _parser_of(command)._actions
    if action.type is not None
]


def error_of(capsys, command, *options):
    """What a command says; the status is 1 or 2."""
    try:
        status = main([command, *NEEDED.get(command, ["nofile"]), *options])
    except SystemExit as stop:
        status = stop.code
    assert status in (1, 2)
    return capsys.readouterr().err.splitlines()[-1]


def test_numeric_options_are_found():
    assert len(NUMERIC) > 50
    types = {action.type for name in _NAMES for action in _parser_of(name)._actions}
    assert types <= {None, float, int, _epsilon, _weight, _size}


@pytest.mark.parametrize(("command", "flag"), NUMERIC)
def test_what_a_number_cannot_be_is_refused_before_anything_is_read(command, flag, capsys):
    (action,) = (a for a in _parser_of(command)._actions if flag in a.option_strings)
    told = []
    for value in IMPOSSIBLE:
        given = f"judge={value}" if action.type is _weight else value
        said = error_of(capsys, command, f"{flag}={given}")
        told.append(flag in said and any(word in said for word in ("must", "expected", "invalid")))
    refused = {value for value, is_told in zip(IMPOSSIBLE, told, strict=True) if is_told}
    assert {"nan", "-1e400"} <= refused and len(refused) > 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate", "nofile", "--confidence", "2"], "must lie between 0 and 1, found 2.0"),
        (["evaluate", "nofile", "--epsilon", "best"], "calibrate, or a number from 0 on"),
        (["leaderboard", "nofile", "--judge-weights", "a=0"], "expected JUDGE=W, W above 0"),
        (["leaderboard", "nofile", "--judge-weights", "1"], "expected JUDGE=W, W above 0"),
        (["decision-table", "nofile", "--agreements", "0.8", "2"], "> 0.5 and <= 1, found 2.0"),
        (["select", "-t", "no", "none", "-n", "nan"], "--size must be a number > 0, found nan"),
    ],
)
def test_the_range_is_told(words, message, capsys):
    try:
        status = main(words)
    except SystemExit as stop:
        status = stop.code
    assert status in (1, 2)
    assert message in capsys.readouterr().err


def test_what_reads_a_number_reads_those_that_are_possible():
    assert [_epsilon("0"), _epsilon("0.5"), _epsilon("calibrate")] == [0, 0.5, "calibrate"]
    assert _weight("a=b=0.5") == ("a=b", 0.5)
    with pytest.raises(argparse.ArgumentTypeError):
        _weight("a=inf")
