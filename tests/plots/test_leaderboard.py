from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models import score_systems
from sklearn_mteval.plots import LeaderboardDisplay
from sklearn_mteval.report.plots_of_results import of_systems

NAN, INF = np.nan, np.inf


def test_dots_whiskers_and_letters(ax, whiskers):
    display = LeaderboardDisplay(
        ["A", "B", "C"],
        [1.0, 0.5, -1.5],
        [(0.8, 1.2), (0.3, 0.7), (NAN, NAN)],
        sandwich=[(0.7, 1.3), (0.2, 0.8), (-2, -1)],
        letters=["a", "ab", "b"],
    ).plot(ax)
    assert display.points_.get_xdata().tolist() == [1.0, 0.5, -1.5]
    assert display.points_.get_ydata().tolist() == [0, 1, 2]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["A", "B", "C"]
    assert ax.get_ylim()[0] > 2 and ax.get_ylim()[1] < 0  # the best on top
    found = whiskers(display.whiskers_, 0)
    assert np.allclose(found[:, 1:], [(0.8, 1.2), (0.3, 0.7)])
    assert (found[:, 0] < [0, 1]).all()  # above the dots, the others below
    found = whiskers(display.sandwich_whiskers_, 0)
    assert np.allclose(found[:, 1:], [(0.7, 1.3), (0.2, 0.8), (-2, -1)])
    assert (found[:, 0] > [0, 1, 2]).all()
    assert [text.get_text() for text in ax.texts] == ["a", "ab", "b"]
    assert [text.xy[1] for text in ax.texts] == [0, 1, 2]
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["bootstrap", "sandwich errors"]
    assert display.arrows_ == []


def test_one_kind_of_intervals_lies_on_the_dots(ax, whiskers):
    display = LeaderboardDisplay(["A"], [1.0], [(0, 2)], scale="elo").plot(ax, color="red")
    assert whiskers(display.whiskers_, 0).tolist() == [[0, 0, 2]]
    assert display.sandwich_whiskers_ is None and ax.get_legend() is None
    assert ax.get_xlabel() == "score (elo)" and display.points_.get_color() == "red"


def test_what_is_infinite_ends_in_an_arrow_at_the_edge(ax, whiskers):
    display = LeaderboardDisplay(
        ["A", "B", "C"], [INF, 0, -INF], [(0.5, INF), (-0.2, 0.2), (-INF, -0.5)]
    ).plot(ax)
    left, right = ax.get_xlim()
    assert left < -0.5 and right > 0.5 and np.isfinite([left, right]).all()
    assert np.isnan(display.points_.get_xdata()[[0, 2]]).all()
    found = whiskers(display.whiskers_, 0)
    assert np.allclose(found, [(0, 0.5, right), (1, -0.2, 0.2), (2, left, -0.5)])
    arrows = {a.get_marker(): (a.get_xdata()[0], a.get_ydata()[0]) for a in display.arrows_}
    assert arrows == {">": (right, 0), "<": (left, 2)}


@pytest.mark.parametrize("score", [NAN, INF])
def test_nothing_finite(ax, score):
    display = LeaderboardDisplay(["A", "B"], [score, NAN]).plot(ax)
    assert np.isnan(display.points_.get_xdata()).all()


def test_of_a_leaderboard(ax, whiskers):
    found = leaderboard(*load_sample(return_X_y=True), n_resamples=20)
    display = LeaderboardDisplay.of(found).plot(ax)
    assert display.points_.get_xdata().tolist() == found.table["score"].tolist()
    assert np.allclose(whiskers(display.whiskers_, 0)[:, 1:], found.table[["low", "high"]])
    bounds = found.table[["sandwich_low", "sandwich_high"]]
    assert np.allclose(whiskers(display.sandwich_whiskers_, 0)[:, 1:], bounds)
    assert display.letters == found.table["letters"].tolist() and display.ax_ is ax


BAD = [
    ({"scores": [1e308, -1e308]}, r"of 1e\+100 at most or NaN, found 1e\+308 at position 0"),
    ({"scores": [1]}, r"scores must have shape \(2,\)"),
    ({"scores": ["x", 1]}, "scores must be numbers"),
    ({"intervals": [(0, 1)]}, "intervals must have shape"),
    ({"sandwich": [(0, "x"), (0, 1)]}, "sandwich must be numbers"),
    ({"letters": ["a"]}, "letters must be 2, one of each name"),
]


@pytest.mark.parametrize(("given", "message"), BAD)
def test_bad_input(given, message):
    with pytest.raises(CandidateError, match=message):
        LeaderboardDisplay(**({"names": ["a", "b"], "scores": [1, 0]} | given))


def test_discriminations_of_judges_stand_beside_chance():
    X, y = load_sample(return_X_y=True)
    judges = ["ab"[segment % 2] for segment in X.index.get_level_values("segment")]
    found = leaderboard(X, y, judges=judges, judge_model="discrimination", n_resamples=10)
    display = LeaderboardDisplay.of_judges(found).plot()
    assert display.ax_.get_xlabel() == "discrimination of the judge"
    assert display.points_.get_xdata().tolist() == found.judges["discrimination"].tolist()
    with pytest.raises(ValueError, match="no model of judges"):
        LeaderboardDisplay.of_judges(leaderboard(X, y, n_resamples=10))


@pytest.mark.parametrize(
    ("by", "label"), [("mean", "score (mean)"), ("win-rate", "score (win-rate)")]
)
def test_the_axis_says_what_scores_are(ax, by, label):
    X, y = load_sample(return_X_y=True)
    found = leaderboard(X, y - 100, by=by, n_resamples=20)
    assert LeaderboardDisplay.of(found).plot(ax).ax_.get_xlabel() == f"score ({by})"


def test_systems_by_a_models_scores_or_ranks(ax, whiskers):
    X, _ = load_sample(return_X_y=True)
    rng = np.random.default_rng(0)
    scores = pd.Series(rng.normal(size=len(X)), X.index)
    table = score_systems(scores, n_resamples=20)
    display = LeaderboardDisplay.of_systems(table).plot(ax)
    assert display.names == table.index.tolist()
    assert display.points_.get_xdata().tolist() == table["score"].tolist()
    assert np.allclose(whiskers(display.whiskers_, 0)[:, 1:], table[["low", "high"]])
    assert "higher is better" in ax.get_xlabel().replace("\n", " ")
    ranked = table.assign(mean_rank=[1.0, 2, 3, 4, 5])
    assert "higher is better" in LeaderboardDisplay.of_systems(ranked).plot().ax_.get_xlabel()
    ranked[["score", "low", "high"]] = NAN  # of a model without scores
    display = LeaderboardDisplay.of_systems(ranked).plot()
    assert display.points_.get_xdata().tolist() == [1, 2, 3, 4, 5]
    assert display.ax_.get_xlabel() == "mean rank (1 is best)" and display.whiskers_ is None


def test_many_systems_are_refused_or_cut(ax):
    names = [f"system {k}" for k in range(300)]
    with pytest.raises(CandidateError, match=r"300 names, of which a plot shows 200 at most"):
        LeaderboardDisplay(names, np.arange(300.0))
    table = pd.DataFrame({"score": np.linspace(1, 0, 300), "low": 0.0, "high": 1.0}, index=names)
    display = LeaderboardDisplay.of_systems(table)
    assert display.names == names[:200]
    systems, scores = of_systems(table, SimpleNamespace(quantiles=lambda: _quantiles(names)))
    assert "200 systems" in systems.description and scores.display.names == names[:200]


def _quantiles(names):
    return pd.DataFrame([[0.0, 0.1, 0.2, 0.3, 0.4]] * len(names), index=names)
