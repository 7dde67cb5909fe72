"""What the commands read and write: standard input, pipes, full disks, inputs that are kept."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from sklearn_mteval import save_model
from sklearn_mteval._helpers import files
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_judgements, make_rankings
from sklearn_mteval.models import bleu_pipeline
from sklearn_mteval.models.streaming import BLOCK_FUNCTIONS

needs_posix = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
TEXTS = {
    "one": "hello there old friend\nthe world is round\n",
    "two": "hello\nso what\n",
    "ref": "hello there old friend of mine\nthe world is round\n",
    "src": "hal\ntlew\n",
}
HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with texts, a model, MQM annotations and scores; ``folder`` of conftest."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).write_text(text)
    X, y = make_rankings(10, 3, random_state=0)
    save_model(bleu_pipeline().fit(X, y), "model")
    labels = [("No-error", "No-error"), ("Style/Awkward", "Minor"), ("Style/Awkward", "Major")]
    rows = [
        "\t".join([s, "d", "1", str(k), "r", f"src {k}", f"{s} {k}", *labels[(k + shift) % 3]])
        for k in range(1, 10)
        for shift, s in enumerate("ABC")
    ]
    Path("mqm.tsv").write_text("\n".join([HEADER, *rows, ""]))
    Path("m.txt").write_text("".join(f"{s} {k / 7}\n" for s in "ABC" for k in range(1, 10)))
    return tmp_path


RANK = ["rank", "model", "-t", "one", "two", "-r", "ref"]
EVALUATE = [
    "evaluate",
    "mqm.tsv",
    "--format",
    "mqm",
    "--resamples",
    "5",
    "-f",
    "tsv",
    "--scores",
    "m.txt",
]


def feed(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def error_of(capsys, arguments):
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    start = f"sklearn-mteval {arguments[0]}: error: "
    assert err.startswith(start) and err.count("\n") == 1
    return err.removeprefix(start)


def result(capsys, arguments):
    assert main(arguments) == 0
    return capsys.readouterr().out


def run(command, **options):
    """Run a shell's command line, in which $RUN is the program."""
    program = f"{sys.executable} -m sklearn_mteval"
    command = command.replace("$RUN", program)
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, **options
    )


@pytest.mark.parametrize("place", ["one", "ref", "src"])
def test_ranking_standard_input(folder, capsys, monkeypatch, place):
    arguments = [*RANK, "-s", "src"]
    expected = result(capsys, arguments)
    feed(monkeypatch, TEXTS[place])
    found = result(capsys, ["-" if word == place else word for word in arguments])
    assert found == expected.replace("\tone\t", "\t-\t" if place == "one" else "\tone\t")


def test_evaluating_standard_input(folder, capsys, monkeypatch):
    expected = result(capsys, EVALUATE)
    feed(monkeypatch, Path("m.txt").read_text())
    assert result(capsys, ["m=-" if word == "m.txt" else word for word in EVALUATE]) == expected
    feed(monkeypatch, Path("mqm.tsv").read_text())
    assert result(capsys, ["-" if word == "mqm.tsv" else word for word in EVALUATE]) == expected


@pytest.mark.parametrize(
    "arguments",
    [
        ["rank", "model", "-t", "-", "-", "-r", "ref"],
        ["rank", "model", "-t", "one", "-", "-r", "-"],
        ["evaluate", "-", "--format", "mqm", "--scores", "a=-"],
        ["compare", "mqm.tsv", "--format", "mqm", "--scores", "a=-", "b=-"],
    ],
)
def test_standard_input_twice(folder, capsys, arguments):
    assert error_of(capsys, arguments).startswith('standard input, "-", is given twice')


@pytest.mark.slow
@needs_posix
def test_process_substitution(folder, capsys):
    assert main(RANK) == 0
    expected, said = capsys.readouterr()
    found = run("$RUN rank model -t <(cat one) <(sleep 0.5; cat two) -r <(cat ref)")
    assert (found.returncode, found.stderr.count("\n")) == (0, said.count("\n"))
    numbers = [line.split("\t")[2:] for line in found.stdout.splitlines()]
    assert numbers == [line.split("\t")[2:] for line in expected.splitlines()]
    command = "$RUN evaluate <(cat mqm.tsv) --format mqm --scores m=<(cat m.txt)"
    found = run(f"{command} --resamples 5 -f tsv")
    assert found.stderr == "" and found.stdout.splitlines()[1].startswith("m\t")


@needs_posix
def test_a_pipe_without_a_writer(folder, capsys, monkeypatch):
    monkeypatch.setattr(files, "NO_WRITER", 0.2)
    os.mkfifo("pipe")
    message = error_of(capsys, ["rank", "model", "-t", "one", "pipe", "-r", "ref"])
    assert message == "pipe: a pipe that nothing has written into for 0.2 seconds.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["rank", "model", "-t", "one", "two"],
            "there are no references, which a metric or a model reads: give -r.",
        ),
        (["rank", "none", *RANK[2:]], "there is no folder 'none', nor a ready-made"),
        (["rank", "model", "-t", "one", "model", "-r", "ref"], "model: cannot be read: expected a"),
        (["rank", "model", "-t", "one", "16", "-r", "ref"], "16, line 1: looks like UTF-16 text: "),
        (["rank", "model", "-t", "one", "gz", "-r", "ref"], "gz: damaged gzip file ("),
        ([*EVALUATE, "gz"], "gz: damaged gzip file ("),
        (
            ["evaluate", "16", "--format", "mqm", "--scores", "m.txt"],
            "16, line 1: looks like UTF-16 text",
        ),
        ([*RANK, "-o", "none/x"], "-o none/x: No such folder to write into."),
        ([*RANK, "--systems", ""], "--systems '': expected a file, found an empty name."),
        ([*RANK, "--systems", "a\0b"], "--systems 'a\\x00b': a file's name has no null byte."),
        ([*RANK, "-s", " "], "' ': cannot be read (No such file or directory)."),
        ([*EVALUATE, "--seed", "-1"], "--seed must be an integer >= 0 and <= 4294967295, found -1"),
        (["select", *RANK[2:], "--seed", str(2**32)], "--seed must be an integer >= 0 and <= 4"),
        ([*RANK, "-o", "model"], "-o model: expected a file, found a folder."),
        ([*RANK, "-o", "loop"], "loop: Too many levels of symbolic links."),
        ([*RANK, "-o", "x", "--systems", "./x"], "-o and --systems are one file, ./x."),
        ([*EVALUATE, "--plots", "a\0b"], "--plots 'a\\x00b': a file's name has no null byte."),
        ([*EVALUATE, "--plots", "one"], "--plots one: expected a folder, found a file."),
    ],
)
@needs_posix
def test_what_a_user_may_get_wrong(folder, capsys, arguments, message):
    Path("16").write_text(TEXTS["one"], encoding="utf-16")
    Path("gz").write_bytes(b"\x1f\x8b\x08" + b"\0" * 20)
    Path("loop").symlink_to("loop")
    assert error_of(capsys, arguments).startswith(message)
    assert Path("one").read_text() == TEXTS["one"]


def test_a_source_that_a_model_needs(folder, capsys, monkeypatch):
    from sklearn_mteval.candidates import check_columns

    monkeypatch.setitem(BLOCK_FUNCTIONS, "ranks", lambda _, X: check_columns(X, ["source"]))
    assert (
        error_of(capsys, RANK)
        == "there are no sources, which a metric or a model reads: give -s.\n"
    )
    monkeypatch.setitem(BLOCK_FUNCTIONS, "ranks", lambda _, X: check_columns(X, ["mood"]))
    assert error_of(capsys, RANK).startswith("Expected one column 'mood', found 0")


def test_a_reference_that_a_model_needs_in_an_evaluation(folder, capsys):
    arguments = ["evaluate", "mqm.tsv", "--format", "mqm", "--model", "model"]
    assert (
        error_of(capsys, arguments)
        == "there are no references, which a metric or a model reads: give --reference-system.\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        [*RANK, "-o", "one"],
        [*RANK, "-o", "./model/../ref"],
        [*RANK, "-o", "linked"],
        [*RANK, "-s", "src", "--systems", "src"],
        [*RANK, "-o", "model/signature.json"],
        [*EVALUATE, "-o", "m.txt"],
        [*EVALUATE, "-o", "mqm.tsv"],
        [*EVALUATE, "--model", "x=model", "-o", "model/signature.json"],
    ],
)
def test_an_input_is_not_overwritten(folder, capsys, arguments):
    os.link("two", "linked")
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert "an input of this command, which would be lost" in error_of(capsys, arguments)
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before


def test_an_output_is_replaced(folder, capsys):
    Path("out").write_text("old")
    assert result(capsys, [*RANK, "-o", "out"]) == ""
    assert Path("out").read_text() == result(capsys, RANK)


@needs_posix
def test_a_folder_that_is_read_only(folder, capsys):
    Path("closed").mkdir(mode=0o555)
    if os.access("closed", os.W_OK):
        pytest.skip("root may write everywhere")
    message = error_of(capsys, [*RANK, "-o", "closed/x"])
    assert message == "-o closed/x: the folder cannot be written to.\n"


@pytest.mark.slow
@needs_posix
@pytest.mark.parametrize(
    ("streams", "message"),
    [
        ("> /dev/full", "error: standard output: No space left on device."),
        ("-o /dev/full", "error: /dev/full: No space left on device."),
        (">&-", "error: standard output is closed: name a file with -o."),
    ],
)
def test_output_that_cannot_be_written(folder, streams, message):
    found = run(f"$RUN {' '.join(RANK)} {streams}")
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == f"sklearn-mteval rank: {message}\n"


@pytest.mark.slow
@needs_posix
def test_closed_standard_error_and_input(folder, capsys):
    expected = result(capsys, RANK)
    for streams in ("2>&- <&-", "2>/dev/full"):
        found = run(f"$RUN {' '.join(RANK)} {streams}")
        assert (found.returncode, found.stdout) == (0, expected)
    found = run("$RUN rank model -t one - -r ref <&-")
    assert found.stderr == "sklearn-mteval rank: error: -: standard input is closed.\n"


@pytest.mark.slow
@needs_posix
def test_standard_output_that_takes_ascii_only(folder):
    Path("zwölf").write_text(TEXTS["one"])
    found = run("PYTHONIOENCODING=ascii $RUN rank model -t zwölf two -r ref")
    assert found.returncode == 1 and found.stderr.count("\n") == 1
    assert "does not take '\\xf6', only ascii: set PYTHONIOENCODING=utf-8" in found.stderr


def test_too_little_memory(folder, capsys, monkeypatch):
    def exhausted(*_):
        raise MemoryError("Unable to allocate\n3 TiB")

    monkeypatch.setitem(BLOCK_FUNCTIONS, "ranks", exhausted)
    assert error_of(capsys, RANK) == "not enough memory. Unable to allocate 3 TiB\n"


def test_a_mistake_of_the_package_keeps_its_traceback(folder, monkeypatch):
    def wrong(*_):
        raise KeyError("oops")

    monkeypatch.setitem(BLOCK_FUNCTIONS, "ranks", wrong)
    with pytest.raises(KeyError):
        main(RANK)


def test_categories_beyond_the_typology_are_said(folder, capsys):
    text = Path("mqm.tsv").read_text()
    Path("mqm.tsv").write_text(text.replace("Style/Awkward", "Style/Own"))
    assert main(EVALUATE) == 0
    found = capsys.readouterr()
    assert found.out.splitlines()[1].startswith("m\t")
    assert "mqm.tsv: Categories beyond the typology cost what their severity" in found.err
    y = load_judgements("mqm.tsv").y
    assert y.groupby(level="system").sum().to_dict() == {"A": 18, "B": 18, "C": 18}
    wmt = ["evaluate", "x", "--format", "wmt", "--lang-pair", "de-en", "--scores", "m.txt"]
    message = error_of(capsys, [*wmt, "--points", "major=5"])
    assert message == "--points belongs to --format mqm.\n"


@pytest.mark.parametrize("command", ["evaluate", "compare"])
@pytest.mark.parametrize("comment", [None, "#"])
def test_tables_read_back(folder, capsys, command, comment):
    Path("two.csv").write_text(
        'system,segment,#1,say "hi" #2\n'.replace('say "hi" #2', '"say ""hi"" #2"')
        + "".join(f"{s},{k},{k},{-k if s == 'A' else k}\n" for s in "ABC" for k in range(1, 10))
    )
    arguments = [command, *EVALUATE[1:], "two.csv", "--permutations", "20", "-o", "out.tsv"]
    assert result(capsys, arguments) == ""
    table = pd.read_csv("out.tsv", sep="\t", comment=comment, index_col="metric")
    assert set(table.index) == {"m", "#1", 'say "hi" #2'}
    [signature] = table["signature"].unique()
    assert signature.startswith("level:both")
    assert table["wmt12"].between(-1, 1).all()
    if command == "compare":
        assert table["p_better_than_#1"].notna().any()


def test_the_table_of_systems_reads_back(folder, capsys):
    Path('a"#b').write_text(TEXTS["two"])
    arguments = ["rank", "model", "-t", "one", 'a"#b', "-r", "ref", "--systems", "systems.tsv"]
    out = result(capsys, arguments)
    for comment in (None, "#"):
        table = pd.read_csv("systems.tsv", sep="\t", comment=comment, index_col="system")
        assert list(table.index) == ["one", 'a"#b'] and table["mean_rank"].tolist() == [1, 2]
        ranks = pd.read_csv(io.StringIO(out), sep="\t", comment=comment)
        assert ranks["system"].tolist() == ["one", 'a"#b'] * 2
