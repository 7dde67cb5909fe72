"""How little the command line loads before it answers."""

import json
import subprocess
import sys

import pytest

HELP = """
import contextlib, io, json, sys
from sklearn_mteval.cli import _NAMES, main
helps = {}
for arguments in [["--version"], ["--help"], *([name, "--help"] for name in _NAMES)]:
    out = io.StringIO()
    sys.argv[1:] = arguments
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(out):
        main()
    helps[arguments[0]] = out.getvalue()
print(json.dumps([helps, list(sys.modules)]))
"""
# What is below numpy is loaded when numpy is; "numpy" may be there and wait for its first use.
HEAVY = ("numpy.", "numba", "pandas", "scipy", "sklearn.", "skops", "matplotlib", "nltk", "torch")


def in_a_new_process(program, *arguments):
    run = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    return run.returncode, run.stdout, run.stderr


@pytest.fixture(scope="module")
def helped():
    """The help of all commands, and the modules that were loaded for it."""
    status, out, err = in_a_new_process(HELP)
    assert (status, err) == (0, "")
    return json.loads(out)


def test_no_help_loads_numpy(helped):
    texts, modules = helped
    assert "usage: sklearn-mteval score " in texts["score"]
    assert [name for name in modules if name.startswith(HEAVY)] == []


def test_the_check_can_fail():
    _, out, _ = in_a_new_process("import sys, numpy; print(*sys.modules)")
    assert any(name.startswith(HEAVY) for name in out.split())


def test_the_help_tells_what_every_command_does(helped):
    from sklearn_mteval.cli import rank

    lines = helped[0]["--help"].splitlines()
    summary = rank.__doc__.splitlines()[0]
    assert sum(line.split() == ["rank", *summary.split()] for line in lines) == 1


def test_a_command_imports_no_other():
    program = "import sys\nfrom sklearn_mteval.cli import main\nassert main(['models']) == 0\n"
    status, _, err = in_a_new_process(program + "print(*sys.modules, file=sys.stderr)")
    assert status == 0
    names = [name.split(".")[2] for name in err.split() if name.startswith("sklearn_mteval.cli.")]
    assert [name for name in names if name[0] != "_"] == ["models"]


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("scores", "Did you mean score?"),
        ("xyz", "There are score, rank, duel, rerank, models, demo, leaderb"),
    ],
)
def test_an_unknown_command_is_told_the_nearest_or_all_that_there_are(command, hint):
    program = f"from sklearn_mteval.cli import main\nmain([{command!r}])"
    status, _, err = in_a_new_process(program)
    assert status == 2
    assert f"error: there is no command {command!r}. {hint}" in err
