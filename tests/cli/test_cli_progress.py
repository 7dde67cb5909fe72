"""Commands on a terminal: what they show while they work, that it goes away, and what stays."""

import io
import os
import re
import subprocess
import sys
import time
from argparse import Namespace
from contextlib import nullcontext

import pytest
from terminal import COLUMNS, Terminal, screen

from sklearn_mteval._helpers import progress
from sklearn_mteval.cli import _progress
from sklearn_mteval.datasets import load_sample

CLOCK = r" \[\d\d:\d\d(, about \d\d:\d\d left)?\]"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Translations by five systems of 800 segments, all different, and judgements of them."""
    folder = tmp_path_factory.mktemp("texts")
    X, y = load_sample(return_X_y=True)
    table, ranks = X["hypothesis"].unstack("system"), y.unstack("system")
    references = X["reference"].groupby(level="segment").first().tolist()
    lines = range(800)
    for name, texts in {
        "ref": references,
        **{name: table[name].tolist() for name in table},
    }.items():
        text = "".join(f"{texts[k % len(texts)]} {k}\n" for k in lines)
        (folder / name).write_text(text, encoding="utf-8")
    rows = [
        f"{k + 1},{name},{ranks[name].iloc[k % len(ranks)]:g}\n" for k in lines for name in ranks
    ]
    (folder / "ranks.csv").write_text("segment,system,rank\n" + "".join(rows))
    (folder / "systems").write_text("\n".join(table))
    return folder


def systems(files):
    return [files / name for name in (files / "systems").read_text().split()]


def drawn(text):
    """The lines that were drawn one over the other."""
    return [line.rstrip() for line in re.split(r"[\r\n]+", text)]


def test_what_a_screen_shows():
    text = "first\r\nrank [00:01]\rrank [00:02]\r            \rtable\r\nab\rc\r\n"
    assert screen(text) == ["first", "table", "cb"]


@pytest.mark.slow
def test_rank_says_how_far_it_has_come(files, tmp_path):
    words = ["rank", "static-en", "-r", files / "ref", "-t", *systems(files)]
    with open(tmp_path / "ranks.tsv", "wb") as out:
        terminal = Terminal(*words, stdout=out)
        shown, status = terminal.finish()
    assert status == 0
    lines = drawn(terminal.text)
    working = [line for line in lines if re.fullmatch(f"rank.*{CLOCK}", line)]
    assert all(len(line) < COLUMNS for line in working)
    assert any(line.startswith("rank: features ") for line in working)
    assert any(re.search(r", [\d,]+ of [\d,]+ ", line) for line in working)
    assert not any("[00:" in line for line in shown)  # the line is gone
    shown = [line for line in shown if not line.startswith("First run: ")]
    assert shown[0] == "no -s: words that were left untranslated are not noticed"
    assert shown[1].startswith("online is better than ")
    assert shown[2].split()[:2] == ["system", "score"]
    piped = subprocess.run(
        [sys.executable, "-m", "sklearn_mteval.cli", *map(str, words)],
        capture_output=True,
        text=True,
        check=True,
    )
    # What is written is what it is without a terminal, which nothing is drawn on.
    assert (tmp_path / "ranks.tsv").read_text() == piped.stdout
    assert [line for line in piped.stderr.splitlines() if line] == shown


BETTER = "--better lower"
COMMANDS = {
    "evaluate": f"{{ranks}} {BETTER} -t {{systems}} -r {{ref}} --metrics bleu chrf",
    "leaderboard": f"{{ranks}} {BETTER} --resamples 3000",
    "train": f"{{ranks}} {BETTER} -t {{systems}} -r {{ref}} --features bleu --classifier logreg "
    "--even-if-worse -o {out}",
    "score": "static-en -r {ref} -t {systems} -o {out}",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_say_what_they_do(files, tmp_path, name):
    places = {
        "ref": str(files / "ref"),
        "ranks": str(files / "ranks.csv"),
        "systems": " ".join(map(str, systems(files))),
        "out": str(tmp_path / "out"),
    }
    terminal = Terminal(name, *COMMANDS[name].format(**places).split())
    shown, status = terminal.finish()
    assert status == 0, shown
    working = [line for line in drawn(terminal.text) if re.fullmatch(f"{name}.*{CLOCK}", line)]
    assert any(line.startswith(f"{name}: ") for line in working), working
    assert not any(re.search(CLOCK, line) for line in shown)


@pytest.mark.slow
@pytest.mark.parametrize("quiet", ["option", "pipe", "dumb"])
def test_where_nothing_is_drawn(files, tmp_path, quiet):
    words = ["score", "static-en", "-r", files / "ref", "-t", systems(files)[0]]
    options = {"option": {}, "pipe": {"stdout": subprocess.PIPE}}
    given = options.get(quiet, {"environment": {"TERM": "dumb"}})
    words += ["--no-progress"] if quiet == "option" else []
    words += [] if quiet == "pipe" else ["-o", tmp_path / "out"]
    terminal = Terminal(*words, **given)
    if quiet == "pipe":
        assert terminal.process.stdout.read().count(b"\n") == 800
        terminal.process.stdout.close()
    _, status = terminal.finish()
    assert status == 0
    said = re.findall(f".*{CLOCK}.*", terminal.text.replace("\r\n", "\n"))
    assert not said or (quiet != "option" and len(said) < 4)  # as it is said where it is slow
    assert "\r" not in terminal.text.replace("\r\n", "\n")


@pytest.mark.slow
def test_the_first_run_says_that_it_compiles(files, tmp_path):
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    line = f"leaderboard {files}/ranks.csv --better lower --resamples 10 -o {tmp_path}/board"
    said = []
    for _ in range(2):
        terminal = Terminal(*line.split(), environment=environment)
        shown, status = terminal.finish()
        assert status == 0
        said.append(sum("is being compiled for this machine" in line for line in shown))
    assert said == [1, 0]


WAITING = {
    "score": ["static-en", "-t", "-"],
    "rerank": ["-"],
    "evaluate": ["-", "--better", "lower", "--metrics", "bleu"],
    "compare": ["-", "--better", "lower", "--metrics", "bleu"],
    "errors": ["-", "--better", "lower", "--metrics", "bleu"],
    "decision-table": ["-", "--better", "lower", "--metrics", "bleu"],
    "leaderboard": ["-"],
    "next": ["-"],
    "challenge": ["static-en", "-t", "-"],
    "select": ["-t", "-", "x"],
    "train": ["-", "--better", "lower", "-o", "m"],
    "parse": ["-"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WAITING)
def test_a_command_that_is_piped_says_in_a_line_that_it_is_at_work(name):
    words = [sys.executable, "-m", "sklearn_mteval.cli", name, *WAITING[name]]
    environment = os.environ | {"TQDM_DISABLE": ""}
    streams = dict.fromkeys(["stdin", "stdout", "stderr"], subprocess.PIPE)
    with subprocess.Popen(words, env=environment, text=True, **streams) as process:
        said = process.stderr.readline()  # comes while the command waits for its input
        process.kill()
    assert re.fullmatch(rf"sklearn-mteval {name}: .+{CLOCK}\n", said)


def said_in(monkeypatch, work, **options):
    """What is said on standard error of some work, with no patience at all."""
    monkeypatch.setattr(progress, "_SILENT", 0)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.showing(what="sklearn-mteval score", drawn=False):
        work()
    return sys.stderr.getvalue()


def until_said():
    while not sys.stderr.getvalue():
        time.sleep(0.01)


def test_what_is_said_of_a_silence_names_the_open_steps(monkeypatch):
    def work():
        with progress.working("features", parts=4), progress.working("words", 100, "texts") as step:
            step.advance(40)
            until_said()

    said = said_in(monkeypatch, work)
    assert re.fullmatch(
        r"sklearn-mteval score: features 1 of 4: words, 40 of 100 texts \[00:00\]\n", said
    )


def test_nothing_is_said_where_something_else_is(monkeypatch):
    monkeypatch.setattr(progress, "_LONGEST", 0)

    def work():
        until_said()
        with progress.hidden():
            before = sys.stderr.getvalue()
            time.sleep(2 * progress._INTERVAL)
            assert sys.stderr.getvalue() == before

    assert set(said_in(monkeypatch, work).splitlines()) <= {
        f"sklearn-mteval score: at work [00:0{n}]" for n in range(9)
    }


def test_tqdms_own_variable_and_an_option_keep_commands_quiet(monkeypatch):
    for value, quiet, drawn in [("1", False, False), ("", True, False), ("", False, True)]:
        monkeypatch.setenv("TQDM_DISABLE", value)
        context = _progress.shown(Namespace(no_progress=quiet, command="score"))
        assert isinstance(context, nullcontext) != drawn
