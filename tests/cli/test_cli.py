import csv
import io
import json
import os
import re
import subprocess
import sys

import pandas as pd
import pytest
from campaign_files import error_line, make_campaign, write
from refused_imports import run_refusing
from threadpoolctl import threadpool_limits

from sklearn_mteval import __version__, load_model
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_translations
from sklearn_mteval.models import rank_candidates
from sklearn_mteval.models.campaigns import load_campaigns
from sklearn_mteval.pairwise.folds import hold_out_segments
from sklearn_mteval.persistence import data_hash, read_signature


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A campaign and the model that ``train`` made of it."""
    folder = tmp_path_factory.mktemp("trained")
    campaign, model = make_campaign(folder / "wmt12", ["de-en", "cs-en"]), str(folder / "model")
    arguments = ["train", campaign, "--format", "wmt", "--lang-pair", "de-en", "cs-en", "-o", model]
    arguments += ["--features", "bleu", "chrf"]  # which read no source
    with pytest.MonkeyPatch.context() as patch, threadpool_limits(1):
        out = io.StringIO()
        patch.setattr(sys, "stdout", out)
        assert main([*arguments, "--held-out", "0.4", "--seed", "3", "--no-progress"]) == 0
    return campaign, model, out.getvalue()


@pytest.fixture
def texts(tmp_path):
    """Plain files: a source, two references, three systems; in 'short' a line is missing."""
    lines = {
        "src": ["hal", "tlew"],
        "ref": ["hello there old friend of mine", "the world is round"],
        "ref2": ["hi there my old friend", "round is the world"],
        "good": ["hello there old friend of mine !", "the world is round"],
        "bad": ["hello", "so what is it then"],
        "soso": ["hello there old man", "the world is flat"],
        "short": ["hello"],
    }
    return {name: write(tmp_path / name, text) for name, text in lines.items()}


def ranking(trained, texts, *systems, references=("ref",), source="src"):
    command = ["rank", trained[1], "-t", *(texts[name] for name in systems)]
    command += ["-r", *(texts[name] for name in references)] if references else []
    return command + (["-s", texts[source]] if source else [])


THREE = ("good", "bad", "soso")


def expected(trained, texts, references=("ref",)):
    files = [texts[name] for name in THREE]
    X = load_translations(files, texts["src"], [texts[name] for name in references])
    return rank_candidates(load_model(trained[1]), X)


def test_training_prints_what_it_saves(trained):
    campaign, model, out = trained
    signature = read_signature(model)
    assert f"Saved: {model}" in out
    X, y, lines = load_campaigns([(campaign, ["de-en", "cs-en"])])
    by_line = lines.to_frame().set_index(lines.rename("segment"))
    train, _ = hold_out_segments(by_line, 0.4, random_state=3)
    assert f"Trained on {len(train)} of {len(X)} translations" in out
    assert signature["training_data"] == data_hash(X.iloc[train], y.iloc[train])
    row = re.search(r"^new model +(-?[0-9.]+) ", out, flags=re.MULTILINE)
    assert float(row[1]) == round(100 * signature["scores"]["tau"], 1)
    assert "\nBLEU " in out


def test_ranks_as_tab_separated_values_and_a_table_of_systems(trained, texts, capsys):
    assert main(ranking(trained, texts, *THREE)) == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out), delimiter="\t"))
    ranked = expected(trained, texts)
    assert [(int(row["segment"]), row["system"]) for row in rows] == ranked.index.tolist()
    assert [int(row["rank"]) for row in rows] == ranked["rank"].tolist()
    strengths = [float(row["strength"]) for row in rows]
    assert strengths == pytest.approx(ranked["strength"].tolist(), abs=1e-6)
    assert [float(row["score"]) for row in rows] == ranked["score"].tolist()
    answer, _, header, _, *lines = err.splitlines()
    assert answer.startswith("good cannot be told apart from soso and bad (p = ")
    assert " ".join(header.split()) == "system score interval letters mean rank ranked best"
    table = [line.split() for line in lines[:3]]
    assert [row[0] for row in table] == ["good", "soso", "bad"]
    assert table[0][4:] == ["a", "1.000", "100.0%"]
    assert lines[3].startswith("Systems are sorted by score")
    assert "\nHow far to believe it: it agreed with annotators in " in err
    assert float(table[0][1]) == pytest.approx(ranked["score"].xs("good", level=1).mean(), abs=1e-4)


def test_json_lines_and_systems_in_files(trained, texts, tmp_path, capsys):
    out, systems = tmp_path / "out.jsonl", tmp_path / "systems.tsv"
    command = ranking(trained, texts, *THREE, references=("ref", "ref2"))
    assert main([*command, "-f", "jsonl", "-o", str(out), "--systems", str(systems)]) == 0
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("good cannot be told apart from soso and bad (p")
    ranked = expected(trained, texts, ("ref", "ref2"))
    for line in out.read_text().splitlines():
        segment, translations = json.loads(line).values()
        assert [t["rank"] for t in translations] == sorted(ranked.loc[segment, "rank"])
        assert {t["system"]: t["rank"] for t in translations} == dict(ranked.loc[segment, "rank"])
    table = pd.read_csv(systems, sep="\t", index_col="system")
    assert table.index.tolist() == ["good", "soso", "bad"]
    by_system = ranked.groupby(level="system")["rank"].mean()
    assert table["mean_rank"].to_dict() == by_system.to_dict()
    assert set(table["segments"]) == {2}


def test_ranking_without_source(trained, texts, capsys):
    main(ranking(trained, texts, *THREE))
    with_source = capsys.readouterr()
    assert main(ranking(trained, texts, *THREE, source=None)) == 0
    assert capsys.readouterr() == with_source


RANK_ERRORS = {  # systems, changes of the call, words of the message
    "a short file": (("good", "short"), {}, "short, line 2: has 1 lines, but .*src has 2"),
    "a short source": (THREE, {"source": "short"}, "line 2: has 2 lines, but .*short has 1"),
    "a reference as a system": (("good", "ref"), {}, "ref has the same lines as the reference"),
    "one system": (("good",), {}, "two or more systems, found 1"),
    "a system twice": (("good", "good"), {}, "good is given twice"),
    "no reference": (
        THREE,
        {"references": ()},
        "there are no references, which a metric or a model reads: give -r",
    ),
}


@pytest.mark.parametrize("case", RANK_ERRORS)
def test_ranking_what_cannot_be_ranked(trained, texts, capsys, case):
    systems, changes, words = RANK_ERRORS[case]
    assert main(ranking(trained, texts, *systems, **changes)) == 1
    assert re.search(words, error_line(capsys, "rank"))


def test_ranking_with_a_model_that_is_not_there(trained, texts, capsys):
    assert main(["rank", "nothing", *ranking(trained, texts, *THREE)[2:]]) == 1
    assert "no folder 'nothing', nor a ready-made model" in error_line(capsys, "rank")


@pytest.mark.parametrize("option", ["-o", "--systems"])
def test_output_into_a_folder_that_is_not_there(trained, texts, tmp_path, capsys, option):
    file = tmp_path / "none" / "out"
    assert main([*ranking(trained, texts, *THREE), option, str(file)]) == 1
    _, err = capsys.readouterr()
    assert str(file) in err and len(err.splitlines()) == 1


@pytest.mark.parametrize("failure", ["bad input", "full disk"])
def test_an_error_leaves_the_old_output(trained, texts, tmp_path, capsys, monkeypatch, failure):
    out = tmp_path / "folder" / "out"
    write(out, ["old"])
    command = ranking(trained, texts, "good", "short" if failure == "bad input" else "bad")
    if failure == "full disk":

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
    assert main([*command, "-o", str(out)]) == 1
    error_line(capsys, "rank")
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    assert out.read_text() == "old\n"


def test_a_pipe_named_as_output_stays_a_pipe(trained, texts, tmp_path, capsys):
    pipe = tmp_path / "pipe"  # as /dev/stdout and /dev/null are no plain files either
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert main([*ranking(trained, texts, *THREE), "-o", str(pipe)]) == 0
        assert pipe.is_fifo()
        assert os.read(reader, 1000).startswith(b"segment\tsystem\trank")
    finally:
        os.close(reader)


TRAIN_ERRORS = {
    "no campaign": ({"train": "nothing"}, "rankings: no such folder"),
    "unknown pair": ({"--lang-pair": "fr-en"}, r"fr-en.csv.*wmt12.cs-en.csv"),
    "malformed pair": ({"--lang-pair": "german"}, "must be like 'de-en'"),
    "proportion": ({"--held-out": "2"}, "between 0 and 1, found 2"),
}


@pytest.mark.parametrize("case", TRAIN_ERRORS)
def test_training_on_what_cannot_be_trained_on(trained, tmp_path, capsys, case):
    changes, words = TRAIN_ERRORS[case]
    options = {"train": trained[0], "--format": "wmt", "--lang-pair": "de-en"}
    options |= {"-o": str(tmp_path / "m")} | changes
    assert main([*(word for option in options.items() for word in option)]) == 1
    assert re.search(words, error_line(capsys, "train"))
    assert not (tmp_path / "m").exists()


def test_training_on_a_campaign_with_a_bad_file(tmp_path, capsys):
    campaign = make_campaign(tmp_path / "wmt12", ["de-en"])
    write(tmp_path / "wmt12" / "references" / "newstest2012-ref.en", ["only one"])
    command = [
        "train",
        campaign,
        "--format",
        "wmt",
        "--lang-pair",
        "de-en",
        "-o",
        str(tmp_path / "m"),
    ]
    assert main(command) == 1
    assert "newstest2012-ref.en, line 2: has 1 lines" in error_line(capsys, "train")


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["rank"], ["rank", "m"], ["train", "-o"]])
def test_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: sklearn-mteval" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--help"], "train +Train a ranker on judgements"),
        (["demo", "--help"], "bundled sample"),
        (["train", "--help"], "--lang-pair SRC-TRG"),
        (["rank", "--help"], "--translations SYS"),
        (["--version"], rf"^sklearn-mteval {re.escape(__version__)}$"),
    ],
)
def test_help(arguments, words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 0
    assert re.search(words, capsys.readouterr().out)


@pytest.mark.slow
def test_the_commands_do_not_load_torch(trained, texts, tmp_path):
    """Nor ask whether it is there."""
    campaign, model, _ = trained
    wmt = [campaign, "--format", "wmt", "--lang-pair", "de-en"]
    commands = [
        ["train", *wmt, "-o", str(tmp_path / "model"), "--no-progress"],
        ranking(trained, texts, *THREE),
        ["evaluate", *wmt, "--metrics", "bleu", "chrf", "--model", f"mine={model}"],
        ["compare", *wmt, "--metrics", "bleu", "chrf"],
    ]
    code = f"""if True:
        import sys
        from sklearn_mteval.cli import main
        status = [main(command) for command in {commands!r}]
        print(status, asked, file=sys.stderr)"""
    run = run_refusing(["torch"], code)
    assert run.stderr.splitlines()[-1] == "[0, 0, 0, 0] []", run.stderr


@pytest.mark.slow
def test_as_a_program(trained, texts, capsys):
    command = ranking(trained, texts, *THREE)
    program = [sys.executable, "-m", "sklearn_mteval.cli", *command]
    run = subprocess.run(program, capture_output=True, text=True, check=False)
    main(command)
    assert (run.returncode, (run.stdout, run.stderr)) == (0, capsys.readouterr())


def test_a_reader_that_leaves_early_is_no_error(trained, texts, capsys, monkeypatch):
    read_end, write_end = os.pipe()
    os.close(read_end)  # as head does
    with os.fdopen(write_end, "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(ranking(trained, texts, *THREE)) == 0
    assert "error" not in capsys.readouterr().err


@pytest.mark.slow
def test_wrong_usage_of_the_program():
    program = [sys.executable, "-m", "sklearn_mteval.cli", "rank"]
    run = subprocess.run(program, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "usage: sklearn-mteval rank" in run.stderr and "Traceback" not in run.stderr


@pytest.mark.parametrize("words", [["--output=--"], ["-o--"], ["--systems=--"]])
def test_two_dashes_are_no_value(words, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["rank", "-t", "a", "b", *words])
    assert re.search(r"error: argument -\S+: expected a value, found '--'", capsys.readouterr().err)
