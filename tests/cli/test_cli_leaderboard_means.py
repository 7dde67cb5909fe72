"""The command leaderboard by mean and win rate, with automatic judges, scores and a selection."""

import json

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_rankings
from sklearn_mteval.datasets.selections import selection_text
from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.report import report_text


def said(capsys, *arguments, status=0):
    assert main(list(map(str, arguments))) == status
    return capsys.readouterr()


@pytest.fixture
def scored(tmp_path):
    """Twenty segments of three systems: a model scored all, Anna the first twelve."""
    rng = np.random.default_rng(0)
    rows = []
    for segment in range(1, 21):
        for system in "ABC":
            good = rng.integers(40, 90) - 10 * (system == "C")
            rows.append((segment, system, "gpt", good))
            if segment <= 12:
                rows.append((segment, system, "anna", good + rng.integers(-9, 9)))
    table = pd.DataFrame(rows, columns=["segment", "system", "judge", "score"])
    path = tmp_path / "scored.csv"
    table.to_csv(path, index=False)
    return path


def test_by_mean_with_an_automatic_judge(scored, tmp_path, capsys):
    loaded = load_rankings(scored, better="higher")
    given = ["leaderboard", scored, "--better", "higher", "--by", "mean"]
    options = {"by": "mean", "judges": loaded.judges, "automatic_judges": ["gpt"]}
    found = leaderboard(loaded.X, loaded.y, **options)
    printed = said(capsys, *given, "--automatic-judges", "gpt", "--plots", tmp_path / "plots").out
    assert printed == report_text(found)
    assert "Mean scores with 95 % intervals" in printed and "Automatic judges" in printed
    assert f"36 translations that they judged are worth {found.counts['worth']} with" in (
        printed.replace("\n  ", " ")
    )
    assert pyplot.imread(tmp_path / "plots" / "leaderboard.png").shape[2] == 4
    # Without the name, a model is a judge like others.
    found = leaderboard(loaded.X, loaded.y, by="win-rate")
    assert said(capsys, *given[:-1], "win-rate").out == report_text(found)


def test_scores_and_a_selection(scored, tmp_path, capsys):
    people = pd.read_csv(scored).query("judge == 'anna'")
    path, metric, chosen = (tmp_path / name for name in ("anna.csv", "m.tsv", "chosen.tsv"))
    people.to_csv(path, index=False)
    scores = pd.read_csv(scored).query("judge == 'gpt'")[["system", "segment", "score"]]
    scores.rename(columns={"score": "m"}).to_csv(metric, sep="\t", index=False)
    selection = pd.DataFrame(
        {"chosen": np.arange(20) < 12, "probability": np.full(20, 0.6)},
        index=pd.RangeIndex(1, 21, name="segment"),
    )
    chosen.write_text(selection_text(selection, "sklearn-mteval select"))
    # Files of scores may speak of segments that nobody judged, if the texts are known.
    lines = [tmp_path / f"{name}.txt" for name in "ABC"]
    for line in lines:
        line.write_text("x\n" * 20)
    loaded = load_rankings(path, better="higher", texts={"hypothesis": lines})
    given = ["leaderboard", path, "--better", "higher", "-t", *lines, "--selection", chosen]
    found = leaderboard(loaded.X, loaded.y, by="mean", selection=selection)
    printed = said(capsys, *given, "--by", "mean").out
    assert printed == report_text(found)
    assert "what judgements of all 20 segments of the test set would say; 12 are" in printed
    found = leaderboard(loaded.X, loaded.y, selection=selection)
    assert said(capsys, *given).out == report_text(found)
    helped = said(capsys, *given, "--by", "mean", "--scores", metric, "-f", "json").out
    assert '"automatic"' in helped and '"of_segments": 20' in helped
    error = said(capsys, *given, "--scores", metric, status=1).err
    assert "scores is of means over segments" in error
    error = said(capsys, *given[:-2], "--by", "mean", "--automatic-judges", "eve", status=1).err
    assert "No judge is named 'eve'" in error


def test_from_select_to_a_leaderboard_of_all_segments(tmp_path, capsys):
    rng = np.random.default_rng(1)
    words = [f"word{k}" for k in range(14)]
    reference = [" ".join(rng.choice(words, 8)) for _ in range(40)]
    systems = {}
    for k, name in enumerate("ABC"):
        noisy = [
            " ".join(w if rng.random() > 0.1 + 0.15 * k else "x" for w in line.split())
            for line in reference
        ]
        systems[name] = noisy
        (tmp_path / f"{name}.txt").write_text("\n".join(noisy) + "\n")
    (tmp_path / "ref.txt").write_text("\n".join(reference) + "\n")
    outputs = [tmp_path / f"{name}.txt" for name in systems]
    chosen, metric, judged = (tmp_path / name for name in ("chosen.tsv", "m.tsv", "judged.csv"))
    given = ["select", "-t", *outputs, "-r", tmp_path / "ref.txt", "-n", "0.5", "-o", chosen]
    said(capsys, *given, "--metrics", "chrf", "--save-scores", metric)
    good = {
        (segment, name): sum(a == b for a, b in zip(line.split(), ref.split(), strict=True))
        for name, lines in systems.items()
        for segment, (line, ref) in enumerate(zip(lines, reference, strict=True), 1)
    }
    selection = pd.read_csv(chosen, sep="\t", comment="#")
    kept = set(selection.loc[selection["chosen"] == 1, "segment"])
    rows = [(s, name, score) for (s, name), score in good.items() if s in kept]
    pd.DataFrame(rows, columns=["segment", "system", "score"]).to_csv(judged, index=False)
    given = ["leaderboard", judged, "--better", "higher", "-t", *outputs, "--by", "mean"]
    given += ["--selection", chosen, "-f", "json"]
    alone, helped = (
        json.loads(said(capsys, *given, *more).out) for more in ([], ["--scores", metric])
    )
    assert alone["of_segments"] == 40 and alone["segments"] == len(kept) < 40
    truth = pd.Series(good).groupby(level=1).mean()
    for found in (alone, helped):
        for entry in found["systems"]:
            off = abs(entry["score"] - truth[entry["name"]])
            assert entry["standard_error"] > 0 and off < 4 * entry["standard_error"]
    # chrF counts what the score counts: little is left to chance with its help.
    errors = [[entry["standard_error"] for entry in found["systems"]] for found in (alone, helped)]
    assert np.mean(errors[1]) < 0.8 * np.mean(errors[0])
    assert helped["worth"] > 1.5 * helped["translations"]
