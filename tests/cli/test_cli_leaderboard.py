"""The command leaderboard: what it prints is what the function says."""

import json

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_rankings
from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.report import report_text


def output(capsys, *arguments):
    assert main(list(map(str, arguments))) == 0
    return capsys.readouterr()


def problem(capsys, *arguments):
    assert main(list(map(str, arguments))) == 1
    said = capsys.readouterr()
    *notes, error = said.err.splitlines()
    assert said.out == "" and error.startswith(f"sklearn-mteval {arguments[0]}: error: ")
    assert all(": taken for --format" in note for note in notes)
    return error


@pytest.fixture
def battles(tmp_path):
    """Sixty battles of four systems, a few of them both bad."""
    rng = np.random.default_rng(0)
    names = np.array(["A", "B", "C", "D"])
    one = rng.integers(4, size=60)
    other = (one + 1 + rng.integers(3, size=60)) % 4
    table = pd.DataFrame(
        {
            "prompt_id": rng.integers(30, size=60),
            "model_a": names[one],
            "model_b": names[other],
            "winner": rng.choice(["model_a", "model_b", "tie", "tie (bothbad)"], 60),
            "response_a": ["x" * n for n in rng.integers(1, 50, 60)],
            "response_b": ["y" * n for n in rng.integers(1, 50, 60)],
        }
    )
    # A system says one thing to a prompt.
    for side in "ab":
        text = table["prompt_id"] * 7 + table[f"model_{side}"].map(ord)
        table[f"response_{side}"] = ["z" * (1 + n % 41) for n in text]
    path = tmp_path / "battles.csv"
    table.to_csv(path, index=False)
    return path


def test_it_prints_the_leaderboard(battles, capsys):
    loaded = load_rankings(battles, segment="prompt_id")
    given = ["leaderboard", battles, "--columns", "segment=prompt_id"]
    found = leaderboard(loaded.X, loaded.y, both_bad=loaded.both_bad)
    assert found.counts["both_bad"] > 5
    said = output(capsys, *given)
    assert said.out == report_text(found)
    assert "taken for --format pairwise" in said.err
    options = {"ties": "model", "covariates": ["length"], "scale": "elo", "confidence": 0.9}
    options |= {"n_resamples": 70, "alpha": 0.1, "random_state": 3}
    more = "--ties model --covariates length --scale elo --confidence 0.9 --resamples 70"
    more += " --alpha 0.1 --seed 3 --both-bad-as-ties --format pairwise -f json"
    found = leaderboard(loaded.X, loaded.y, **options)
    assert output(capsys, *given, *more.split()).out == report_text(found, "json")


def test_a_system_left_out(battles, capsys):
    given = ["leaderboard", battles, "--columns", "segment=prompt_id", "-f", "json"]
    read = json.loads(output(capsys, *given, "--without", "B", "C").out)
    assert sorted(system["name"] for system in read["systems"]) == ["A", "D"]
    said = problem(capsys, *given, "--without", "Z")
    assert "--without Z: there is no such system, only A, B, C, D." in said


def test_a_file_and_a_plot(battles, tmp_path, capsys):
    given = ["leaderboard", battles, "--columns", "segment=prompt_id"]
    more = ["-o", tmp_path / "board.md", "-f", "markdown", "--plots", tmp_path / "plots"]
    assert output(capsys, *given, *more).out == ""
    written = (tmp_path / "board.md").read_text(encoding="utf-8")
    assert written.startswith("A cannot be told apart from B, C and D (")
    assert "\n\nBradley-Terry scores (log-odds) with 95 % intervals, higher is better" in written
    image = pyplot.imread(tmp_path / "plots" / "leaderboard.png")
    assert image.shape[1] > 400 and image.min() < 0.5


def test_errors_on_one_line(battles, tmp_path, capsys):
    other = tmp_path / "other.csv"
    other.write_text(battles.read_text().replace("prompt_id", "theme"))
    assert "Pass --columns segment=theme, if" in problem(capsys, "leaderboard", other)
    given = ["leaderboard", battles, "--columns", "segment=prompt_id"]
    assert "belongs to" in problem(capsys, *given, "--points", "major=3")
    assert "an input of this command" in problem(capsys, *given, "-o", battles)
    other.write_text("segment,system_a,system_b,winner\n1,A,B,A\n2,A,B,sideways\n")
    assert "sideways" in problem(capsys, "leaderboard", other)
    other.write_text("segment,system_a,system_b,winner\n1,A,B,A\n2,C,D,C\n")
    assert "2 parts without a common scale" in problem(capsys, "leaderboard", other)
    other.write_text("segment,system_a,system_b,winner\n1,A,B,A\n2,A,B,B\n")
    assert "the column 'hypothesis'" not in problem(
        capsys, "leaderboard", other, "--confidence", "2"
    )
    assert "give -t" in problem(capsys, "leaderboard", other, "--covariates", "length")


@pytest.fixture
def judged(tmp_path, battles):
    """The same battles, each judged by a system or a person."""
    table = pd.read_csv(battles)
    table["judge"] = np.random.default_rng(1).choice(["A", "ann", "bo=b"], 60)
    path = tmp_path / "judged.csv"
    table.to_csv(path, index=False)
    return path


def test_it_tells_judges_apart(judged, capsys, tmp_path):
    loaded = load_rankings(judged, segment="prompt_id")
    systems = loaded.X.index.get_level_values("system")
    own = (loaded.judges.to_numpy() == systems).astype(float)
    X = loaded.X.assign(position=np.tile([1.0, 0.0], 60), **{"self_": own})
    X = X.rename(columns={"self_": "self"})
    given = ["leaderboard", judged, "--columns", "segment=prompt_id", "--resamples", 50]
    options = {"covariates": ["position", "self"], "judge_model": "discrimination"}
    options |= {"judges": loaded.judges, "both_bad": loaded.both_bad, "n_resamples": 50}
    found = leaderboard(X, loaded.y, judge_weights={"bo=b": 0.5}, **options)
    more = "--covariates position self --judge-model discrimination --judge-weights bo=b=0.5"
    said = output(capsys, *given, *more.split(), "--plots", tmp_path / "plots").out
    assert said == report_text(found)
    assert {path.name for path in (tmp_path / "plots").glob("*.png")} == {
        "agreement_of_judges.png", "leaderboard.png", "judges.png",
    }  # fmt: skip
    entries = json.loads(output(capsys, *given, *more.split(), "-f", "json").out)["judges"]
    assert {entry["name"]: entry["discrimination"] for entry in entries} == pytest.approx(
        found.judges["discrimination"].to_dict()
    )


def test_bad_options_of_judges(judged, battles, capsys, tmp_path):
    given = ["leaderboard", judged, "--columns", "segment=prompt_id"]
    twice = ["--judge-weights", "A=1", "A=2"]
    assert "names a judge twice" in problem(capsys, *given, *twice)
    assert "'C', who judged no" in problem(capsys, *given, "--judge-weights", "C=1")
    model = ["--judge-model", "discrimination"]
    assert "ties must be 'half'" in problem(capsys, *given, *model, "--ties", "model")
    unknown = ["leaderboard", battles, "--columns", "segment=prompt_id"]
    assert "who judged there?" in problem(capsys, *unknown, *model)
    path = tmp_path / "long.csv"
    rows = ["1,A,1", "1,B,2", "2,A,2", "2,B,1"]
    path.write_text("\n".join(["segment,system,rank", *rows]))
    long = ["leaderboard", path, "--better", "lower", "--covariates", "position"]
    assert "only comparisons of two" in problem(capsys, *long)


def test_segments_of_a_document_vary_together(tmp_path, capsys):
    """A line for each segment; what does not say of which document each is, is refused."""
    rng = np.random.default_rng(1)
    rows = [(s, name, rng.integers(40, 90)) for s in range(1, 31) for name in "AB"]
    judged, documents = tmp_path / "judged.csv", tmp_path / "documents.txt"
    pd.DataFrame(rows, columns=["segment", "system", "score"]).to_csv(judged, index=False)
    labels = [f"d{k // 3}" for k in range(30)]
    documents.write_text("".join(f"{label}\n" for label in labels))
    given = ["leaderboard", judged, "--better", "higher", "--by", "mean", "--resamples", 50]
    said = output(capsys, *given, "--documents", documents).out
    loaded = load_rankings(judged, better="higher")
    by_segment = pd.Series(labels, range(1, 31))
    found = leaderboard(loaded.X, loaded.y, by="mean", documents=by_segment, n_resamples=50)
    assert said == report_text(found) and "|documents:10|" in found.signature
    assert "resampled documents" in said and "not known" not in said
    documents.write_text("d0\n" * 8 + "d1\n" * 21)
    error = problem(capsys, *given, "--documents", documents)
    assert "segment 30 is none of the 29 lines" in error
    documents.write_text("d0\n" * 15 + "d1\n" * 15)
    assert "of 2 documents both are Student's t" in output(
        capsys, *given, "--documents", documents
    ).out.replace("\n  ", " ")
