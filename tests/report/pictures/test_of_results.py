"""Pictures of results show the numbers of their tables."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.evaluation import (
    compare_metrics,
    decision_table,
    evaluate_metrics,
    leaderboard,
    metrics_task,
)
from sklearn_mteval.evaluation.challenges import Challenge
from sklearn_mteval.metrics.annotators.majority import AnnotatorCeiling
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.report.pictures import of_results as pictures

SVG = "{http://www.w3.org/2000/svg}"


def seen(picture):
    """The names, values and notes that stand in a picture, row by row."""
    rows = []
    for part in ET.fromstring(picture.svg).iter(f"{SVG}g"):
        texts = list(part.iter(f"{SVG}text"))
        if texts:
            name, value, *note = ("".join(text.itertext()) for text in texts)
            rows.append((name, value, *note))
    return rows


def dots_of(picture, kind):
    (plane,) = (p for p in ET.fromstring(picture.svg) if p.get("class") == "wide")
    return [part for part in plane.iter(f"{SVG}circle") if part.get("class") == kind]


@pytest.fixture(scope="module")
def judged():
    """Forty segments of nine systems; "good" is right about most of them, "bad" about fewer."""
    rng, names = np.random.default_rng(0), ["segment", "system"]
    rows = pd.MultiIndex.from_product([range(40), list("ABCDEFGHI")], names=names)
    worth = np.tile(np.arange(9.0), 40)
    y = pd.Series(-worth - rng.normal(size=360), rows)
    scores = {"good": worth + rng.normal(size=360), "bad": worth + 9 * rng.normal(size=360)}
    return y, pd.DataFrame(scores, index=rows)


def test_systems(judged):
    found = SystemSums.of(judged[1]["good"] / 20).result().table
    rows = seen(pictures.of_systems(found))
    row = found.iloc[0]
    value = f"{row['score']:+.4f} [{row['low']:+.4f}, {row['high']:+.4f}]"
    assert rows[0] == ("I", value, row["letters"]) and len(rows) == 9


def test_systems_of_a_model_that_ranks_only():
    table = pd.DataFrame({"score": np.nan, "mean_rank": [1.25, 1.75]}, index=["A", "B"])
    assert seen(pictures.of_systems(table)) == [("A", "1.250"), ("B", "1.750")]


@pytest.mark.parametrize("by", ["strength", "mean", "win-rate"])
def test_a_leaderboard(judged, by):
    y = judged[0]
    found = leaderboard(pd.DataFrame(index=y.index), y, by=by, n_resamples=20)
    rows = seen(pictures.of_leaderboard(found))
    assert [row[0] for row in rows] == list(found.table.index)
    value = float(rows[0][1].split()[0])
    factor = 100 if by == "win-rate" else 1
    assert value == pytest.approx(factor * found.table["score"].iloc[0], abs=0.06)
    assert [row[2] for row in rows] == list(found.table["letters"])


def test_evaluations_and_comparisons(judged):
    found = compare_metrics(*judged, level="segment", n_resamples=20, n_permutations=99)
    first, second = seen(pictures.of_comparison(found))
    table = found.evaluation.table
    assert first[0] == "good" and first[2] == "1" and second[2] == "2"
    low, high = 100 * table["wmt12_low"].iloc[0], 100 * table["wmt12_high"].iloc[0]
    assert first[1] == f"{100 * table['wmt12'].iloc[0]:.1f} [{low:.1f}, {high:.1f}]"
    assert seen(pictures.of_evaluation(found.evaluation))[0] == first[:2]


def test_a_ceiling_is_a_band_and_an_annotator_a_hollow_dot(judged):
    found = evaluate_metrics(*judged, level="segment", n_resamples=20)
    assert "highest possible" not in pictures.of_evaluation(found).svg
    values = [0.8, 0.75, 0.85, 0.6, 0.55, 0.65, *[0.5] * 3, 1.0, 9, 18, 0.6, 0.775]
    found = replace(found, options=replace(found.options, ceiling=AnnotatorCeiling(*values)))
    picture = pictures.of_evaluation(found)
    assert seen(picture)[2] == ("one annotator, by another", "60.0 [55.0, 65.0]")
    assert len(dots_of(picture, "dot hollow")) == 1
    assert "highest possible: a line at 80.0" in picture.description
    assert "annotators differ" in picture.caption


def test_a_metrics_task(judged):
    found = metrics_task({"de-en": judged}, n_permutations=99)
    first, second = seen(pictures.of_task(found))
    assert first == ("good", f"{100 * found.table['average'].iloc[0]:.1f}", "1")
    assert second[0] == "bad"


def errors_of(spans):
    names = [
        f"{name}{end}" for name in ("f_score", "average_precision") for end in ("", "_low", "_high")
    ]
    table = pd.DataFrame(0.5, index=["a", "b", "nothing marked"], columns=names)
    return SimpleNamespace(
        spans=table if spans else None,
        error_free=table.iloc[:2].assign(error_free=0.25, average_precision=[0.4, 0.6]),
        counts={"baselines": 1}, options={"confidence": 0.95}
    )  # fmt: skip


def test_marked_errors():
    picture = pictures.of_marked_errors(errors_of(spans=True))
    assert [row[0] for row in seen(picture)] == ["a", "b", "nothing marked"]
    assert len(dots_of(picture, "dot hollow")) == 1
    picture = pictures.of_marked_errors(errors_of(spans=False))
    assert [row[0] for row in seen(picture)] == ["b", "a"]
    assert "guessing: a line at 25.0" in picture.description


def test_decisions(judged):
    found = decision_table(judged[1]["good"], judged[0])
    picture = pictures.of_decisions(found)
    tree = ET.fromstring(picture.svg)
    (line,) = tree.iter(f"{SVG}polyline")
    places = line.get("points").split()
    heights = [float(y) for y in places[1::2]]
    assert len(heights) == len(found.band) and heights == sorted(heights, reverse=True)
    assert len(list(tree.iter(f"{SVG}circle"))) == found.bins["agreement"].notna().sum()
    finite = np.isfinite(found.needed["difference"]).sum()
    dashed = [part for part in tree.iter(f"{SVG}line") if part.get("class") == "mark"]
    assert len(dashed) <= 2 * finite
    assert "80.0 % at" in picture.description


def test_a_challenge_begins_with_the_worst():
    rows = {
        ("empty", "alone", "mine"): 0.9, ("empty", "alone", "bleu"): 0.8,
        ("name", "alone", "mine"): 0.2, ("name", "alone", "bleu"): 0.5,
    }  # fmt: skip
    index = pd.MultiIndex.from_tuples(rows, names=["kind", "setting", "judge"])
    table = pd.DataFrame({"proportion": list(rows.values())}, index=index)
    table = table.assign(low=table["proportion"] - 0.1, high=table["proportion"] + 0.1)
    found = Challenge(table, pd.DataFrame(), "mine", ("bleu",), 0.95, "")
    picture = pictures.of_challenge(found)
    assert [row[:2] for row in seen(picture)] == [
        ("name", "20.0 [10.0, 30.0]"), ("empty", "90.0 [80.0, 100.0]")
    ]  # fmt: skip
    assert "◇ bleu" in picture.caption and picture.svg.count("<path") == 4  # 2 rows, 2 widths


def test_a_training_hollows_what_it_has_seen():
    table = pd.DataFrame(
        {"tau": [0.1, 0.3], "low": [0.0, 0.2], "high": [0.2, 0.4], "seen": [True, False]},
        index=["static-en", "new model"],
    )
    picture = pictures.of_training(SimpleNamespace(comparison=table))
    assert [row[0] for row in seen(picture)] == ["new model", "static-en"]
    assert len(dots_of(picture, "dot hollow")) == 1 and "trained on these" in picture.caption
