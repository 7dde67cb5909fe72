"""rank and score in blocks: the bytes of one table, whatever the input, format, processes."""

import io
import json
import os
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from consensus_model import consensus_model, saved_consensus_model

from sklearn_mteval import load_model, save_model
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_translations, make_rankings, to_long
from sklearn_mteval.datasets.blocks import BLOCK
from sklearn_mteval.models import bleu_pipeline, rank_candidates, score_candidates
from sklearn_mteval.models.belief import belief_line
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.pairwise import blocks
from sklearn_mteval.report.formats import write
from sklearn_mteval.report.scores import as_ranks, as_scores, system_text

N = BLOCK // 3 + 40  # lines of three systems: two blocks
RANK = ["rank", "model", "-s", "src", "-r", "ref", "-t", "a", "b", "c"]
SCORE = ["score", *RANK[1:]]


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A working folder with files of lines, tables of them, and a model."""
    folder = tmp_path_factory.mktemp("texts")
    rng = np.random.default_rng(0)
    words = np.array([*"abcdefghijk", "not", "the", "7", "12"])
    for name in ("src", "ref", "a", "b", "c"):
        lines = [" ".join(words[rng.integers(0, len(words), 5)]) for _ in range(N)]
        (folder / name).write_text("\n".join([*lines, ""]))
    X, y = make_rankings(20, 3, random_state=0)
    save_model(bleu_pipeline().fit(X, y), folder / "model")
    X = load_translations([folder / n for n in "abc"], folder / "src", [folder / "ref"])
    frame = to_long(X)
    frame.to_json(folder / "c.jsonl", orient="records", lines=True)
    frame.rename(columns={"segment": "where"}).to_parquet(folder / "c.parquet")
    return folder, X


@pytest.fixture(autouse=True)
def folder(texts, monkeypatch):
    monkeypatch.chdir(texts[0])


@pytest.fixture(scope="module")
def expected(texts):
    """What one table says."""
    folder, X = texts
    model = load_model(folder / "model")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", len(X))
        return rank_candidates(model, X), score_candidates(model, X)


def systems_text(found):
    kind = "ranks" if found.ndim == 2 else "scores"
    return system_text(SystemSums.of(found).result(), kind, belief_line("model"))


def output(capsys, arguments):
    assert main(arguments) == 0
    return capsys.readouterr()


PROCESSES = pytest.param(["--jobs", "2"], marks=pytest.mark.slow)


@pytest.mark.parametrize("more", [[], PROCESSES])
@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_ranks_are_those_of_one_table(capsys, expected, form, more):
    ranked, _ = expected
    out, err = output(capsys, [*RANK, "-f", form, *more])
    assert out == write(as_ranks(ranked), form, "ranks") and err == systems_text(ranked)


@pytest.mark.parametrize("form", ["seg", "tsv", "jsonl"])
def test_scores_are_those_of_one_table(capsys, expected, form):
    _, scores = expected
    out, err = output(capsys, [*SCORE, "-f", form])
    assert out == write(as_scores(scores), form, "scores") and err == systems_text(scores)


def test_parquet_has_all_digits(capsys, expected):
    ranked, scores = expected
    assert output(capsys, [*RANK, "-f", "parquet", "-o", "ranks.parquet"]).out == ""
    found = pd.read_parquet("ranks.parquet").set_index(["segment", "system"])
    pd.testing.assert_frame_equal(found, ranked, check_exact=True, check_index_type=False)
    output(capsys, [*SCORE, "-f", "parquet", "--flags", "-o", "scores.parquet"])
    found = pd.read_parquet("scores.parquet").set_index(["segment", "system"])
    assert found["score"].tolist() == scores.tolist() and found["flags"].map(len).sum() > 0


@pytest.mark.parametrize("file", ["c.jsonl", "c.parquet"])
def test_tables_say_what_lines_say(capsys, expected, file):
    ranked, scores = expected
    columns = ["--columns", "segment=where"] if file == "c.parquet" else []
    out, err = output(capsys, ["rank", "model", "--candidates", file, *columns])
    assert out == write(as_ranks(ranked), "tsv", "ranks") and err == systems_text(ranked)
    out, _ = output(capsys, ["score", "model", "--candidates", file, *columns])
    assert out == write(as_scores(scores), "tsv", "scores")


def test_pipes(capsys, expected):
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_text, args=(Path("c.jsonl").read_text(),))
    writer.start()
    out, _ = output(capsys, ["rank", "model", "--candidates", "pipe"])
    writer.join()
    assert out == write(as_ranks(expected[0]), "tsv", "ranks")
    os.unlink("pipe")


def test_flags_are_counted_over_blocks(capsys, texts):
    out, err = output(capsys, [*RANK, "--flags"])
    flags = pd.read_csv(io.StringIO(out), sep="\t")["flags"]
    rows = [line.split() for line in err.splitlines()[4:7]]
    assert sum(int(row[-1]) for row in rows) == flags.notna().sum() > N / 5


@pytest.mark.filterwarnings("default:Empty lines")
def test_warnings_count_all_blocks(capsys):
    lines = Path("a").read_text().split("\n")
    Path("gaps").write_text("\n".join(["", *lines[1:-2], "", ""]))
    _, err = output(capsys, [*RANK[:-1], "gaps"])
    assert f"Empty lines: 2 of {N} of 'gaps'" in err


@pytest.mark.filterwarnings("default:The model tells how far")
def test_agreement_of_systems_is_warned_of_once(capsys):
    lines, others = (Path(name).read_text().split("\n") for name in "ac")
    Path("half").write_text("\n".join([*lines[: N // 2], *others[N // 2 :]]))
    _, err = output(capsys, ["rank", saved_consensus_model("agreeing"), "-t", "a", "b", "half"])
    X = load_translations(["a", "b", "half"])
    with pytest.warns(UserWarning, match="few|fewer") as warned:
        rank_candidates(consensus_model(), X)
    (message,) = [str(w.message) for w in warned]
    assert f" {N} of {N} segments" not in message and err.count("how far systems agree") == 1
    assert " ".join(message.split()) in " ".join(err.split())


def test_nothing_is_left_of_what_fails_in_a_later_block(capsys):
    rows = Path("c.jsonl").read_text().splitlines()
    first = json.loads(rows[0])
    Path("wrong.jsonl").write_text("\n".join([*rows, json.dumps(first | {"system": "new"})]))
    Path("out").write_text("old")
    before = sorted(os.listdir("."))
    assert main(["rank", "model", "--candidates", "wrong.jsonl", "-o", "out"]) == 1
    assert "segment 1 has been before" in capsys.readouterr().err
    assert Path("out").read_text() == "old" and sorted(os.listdir(".")) == before


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([*RANK, "-f", "parquet"], "-f parquet is no text: name a file with -o"),
        (["rank", "model", "--candidates", "c.jsonl", "-r", "ref"], "leave out -s, -r and"),
        (["score", "model", "--candidates", "c.jsonl", "-f", "seg"], "no place for names of segm"),
        ([*RANK, "--columns", "segment=x"], "--columns is for a table: give --candidates"),
        (
            ["rank", "model", "--candidates", "c.jsonl", "--columns", "judge=x"],
            "--columns judge=x: expected",
        ),
        (["rank", "model", "--candidates", "c.parquet"], "expected a column 'segment'"),
        ([*RANK, "--jobs", "0"], "--jobs must be"),
    ],
)
def test_mistakes(capsys, arguments, problem):
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == "" and problem in err and err.count("\n") == 1


def test_what_is_to_be_judged_must_be_given(capsys):
    for arguments in (["rank", "model"], [*RANK, "--candidates", "c.jsonl"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2 and "--candidates" in capsys.readouterr().err


@pytest.mark.slow
def test_partitions_say_what_one_table_says(capsys, expected, tmp_path):
    ranked, scores = expected
    folder = str(tmp_path / "parts")
    out, err = output(capsys, [*RANK, "--partitions", folder, "-o", str(tmp_path / "ranks.tsv")])
    assert (out, err) == ("", systems_text(ranked))
    lines = (tmp_path / "ranks.tsv").read_text().splitlines()
    assert sorted(lines) == sorted(write(as_ranks(ranked), "tsv", "ranks").splitlines())
    files = {path: path.stat().st_mtime_ns for path in tmp_path.glob("parts/ranks/*.parquet")}
    for more in ([], ["--jobs", "2"], ["--workers", "1"]):  # nothing is left to do
        out, err = output(capsys, ["rank", "model", "--partitions", folder, *more])
        assert (out, err) == ("", systems_text(ranked))
    assert files == {path: path.stat().st_mtime_ns for path in files}
    assert main(["rank", "--partitions", folder]) == 1  # the best model may be another one
    assert "there are ranks in it already: name the model" in capsys.readouterr().err
    out, err = output(capsys, ["score", "model", "--partitions", folder, "--workers", "2"])
    assert (out, err) == ("", systems_text(scores))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([*RANK, "--workers", "2"], "--workers is for partitions: give --partitions FOLDER"),
        (["rank", "model", "--partitions", "new"], "there are no candidates in it yet"),
        ([*RANK, "--partitions", "new", "--flags"], "--flags does not go with --partitions"),
        ([*SCORE, "--partitions", "new", "-f", "seg"], "no place for names of segments"),
        ([*RANK, "--partitions", "ref"], "ref"),
        ([*RANK, "--partitions", "new", "--scheduler", "nowhere"], "no Dask scheduler answers"),
    ],
)
def test_mistakes_of_partitions(capsys, arguments, problem):
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == "" and problem in err and err.count("\n") == 1


@pytest.mark.parametrize("n_jobs", [None, pytest.param(2, marks=pytest.mark.slow)])
def test_python_in_blocks(texts, expected, n_jobs, monkeypatch):
    folder, X = texts
    monkeypatch.setattr(blocks, "BLOCK", 1000)
    model, shuffled = load_model(folder / "model"), X.sample(frac=1, random_state=0)
    for function, found in zip((rank_candidates, score_candidates), expected, strict=True):
        again = partial(function, model, n_jobs=n_jobs)(shuffled)
        assert again.index.equals(shuffled.index)
        assert again.loc[X.index].equals(found)
