import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models.score_counts import PROPORTIONS, ScoreCounts
from sklearn_mteval.plots import ScoreDistributionDisplay

NAN = np.nan


def scores_of(n_segments=200, systems=("A", "B"), seed=0):
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product([range(n_segments), systems], names=["segment", "system"])
    return pd.Series(np.tanh(rng.normal(size=len(index))), index)


def quantiles_of(*parts):
    counts = ScoreCounts()
    for part in parts:
        counts.add(part)
    return counts.quantiles()


@pytest.mark.parametrize("n_segments", [1, 2, 3, 20, 5000])
@pytest.mark.parametrize("scale", [1, 1e-9, 1e12])
def test_quantiles_are_those_of_numpy_but_for_rounding(n_segments, scale):
    scores = scores_of(n_segments) * scale
    found = quantiles_of(scores)
    for system, of_system in scores.groupby(level="system"):
        expected = np.quantile(of_system, PROPORTIONS)
        # Two neighbours, each rounded by at most 2^-9 of its value, are mixed.
        largest = np.abs(of_system).max()
        assert np.allclose(found.loc[system], expected, rtol=0, atol=2**-9 * largest)


def test_neither_order_nor_parts_change_anything():
    scores = scores_of()
    whole = quantiles_of(scores)
    shuffled = scores.sample(frac=1, random_state=0)
    parts = [shuffled.iloc[first : first + 17] for first in range(0, len(shuffled), 17)]
    pd.testing.assert_frame_equal(quantiles_of(*parts).loc[whole.index], whole)


def test_memory_is_bounded():
    counts = ScoreCounts()
    for seed in range(5):
        counts.add(scores_of(20_000, ["A"], seed))
    assert len(counts._of_systems["A"]) < 10_000  # of 100,000 different scores


def test_special_scores():
    index = pd.MultiIndex.from_product([range(4), ["A", "B"]], names=["segment", "system"])
    found = quantiles_of(pd.Series([0.0, NAN, -0.0, NAN, 0.0, NAN, 0.0, NAN], index))
    assert found.loc["A"].tolist() == [0.0] * 5
    assert found.loc["B"].isna().all()
    huge = quantiles_of(pd.Series([1e300, -1e300] * 4, index))
    assert np.isfinite(huge.to_numpy()).all()


@pytest.mark.parametrize(("value", "message"), [(np.inf, "row 1 is infinite"), ("x", "numbers")])
def test_bad_scores(value, message):
    scores = scores_of(2).astype(object)
    scores.iloc[1] = value
    with pytest.raises(CandidateError, match=message):
        ScoreDistributionDisplay.from_scores(scores)
    with pytest.raises(CandidateError, match="found the levels"):
        ScoreDistributionDisplay.from_scores(scores.droplevel("segment"))


def test_lines_and_dots(ax, whiskers):
    display = ScoreDistributionDisplay(["A", "B", "C"], [range(5), [NAN] * 5, range(5, 10)])
    display.plot(ax, markersize=9)
    assert whiskers(display.whiskers_, 0).tolist() == [[0, 0, 4], [2, 5, 9]]
    assert whiskers(display.halves_, 0).tolist() == [[0, 1, 3], [2, 6, 8]]
    assert display.points_.get_xydata().tolist() == [[2, 0], [7, 2]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["A", "B", "C"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first on top
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["90 %", "50 %", "median"]
    assert display.points_.get_markersize() == 9


def test_the_highest_median_is_on_top(ax):
    scores = scores_of(50, ["low", "high"])
    scores += np.where(scores.index.get_level_values("system") == "high", 1.0, 0.0)
    display = ScoreDistributionDisplay.from_scores(scores, ax=ax)
    assert display.names == ["high", "low"] and display.ax_ is ax


def test_one_segment_and_constants(ax):
    display = ScoreDistributionDisplay.from_scores(scores_of(1), ax=ax)
    assert (np.ptp(display.quantiles, axis=1) == 0).all()


BAD = [
    ([(1, 2, 3, 4)], r"shape \(1, 5\)"),
    ([(1, 2, 3, 4, np.inf)], "finite"),
    ([(1, 2, NAN, 4, 5)], "five numbers, or all NaN"),
    ([(1, 2, 4, 3, 5)], "must not decrease"),
]


@pytest.mark.parametrize(("quantiles", "message"), BAD)
def test_bad_quantiles(quantiles, message):
    with pytest.raises(CandidateError, match=message):
        ScoreDistributionDisplay(["A"], quantiles)
