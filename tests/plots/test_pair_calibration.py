import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_mteval import RankRecomposer
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.plots import PairCalibrationDisplay

STEPS = "steps: proportion of predictions in each bin"
from_predictions = PairCalibrationDisplay.from_predictions


def test_worked_by_hand(ax, whiskers):
    display = from_predictions(
        [0, 1, 1, 1, 0, 1],
        [0.1, 0.3, 0.5, 0.6, 0.7, 1.0],
        n_bins=4,
        ax=ax,
        color="green",
        name="me",
    )
    # Bins [0, .25), [.25, .5), [.5, .75), [.75, 1].
    assert display.predicted == pytest.approx([0.1, 0.3, 0.6, 1])
    assert display.observed == pytest.approx([0, 1, 2 / 3, 1])
    assert display.proportions == pytest.approx([1 / 6, 1 / 6, 3 / 6, 1 / 6])
    assert np.allclose(display.line_.get_xydata(), np.c_[display.predicted, display.observed])
    for (at, low, high), k, n in zip(
        whiskers(display.whiskers_, 1), [0, 1, 2, 1], [1, 1, 3, 1], strict=True
    ):
        interval = binomtest(k, n).proportion_ci(method="wilson")
        assert (low, high) == pytest.approx((interval.low, interval.high))
        assert at in display.predicted
    values, edges, _ = display.steps_.get_data()
    assert values == pytest.approx(display.proportions)
    assert edges == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert display.line_.get_color() == "green"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [
        "calibrated",
        STEPS,
        "me",
    ]


def test_scikit_learn_finds_the_same_curve(ax):
    rng = np.random.default_rng(0)
    probability = rng.random(500)
    better = rng.random(500) < probability**2
    display = from_predictions(better, probability, n_bins=7, ax=ax)
    observed, predicted = calibration_curve(better, probability, n_bins=7)
    assert display.line_.get_xydata() == pytest.approx(np.c_[predicted, observed])


def test_empty_bins_are_left_out(ax):
    display = from_predictions([1, 0], [0.05, 0.95], ax=ax)
    assert np.isnan(display.observed[1:9]).all()
    assert display.line_.get_xydata().tolist() == [[0.05, 1], [0.95, 0]]
    assert len(display.whiskers_.get_segments()) == 2


@pytest.mark.parametrize("tenth", range(11))
def test_a_bin_has_its_lower_bound(tenth, ax):
    display = from_predictions([1], [float(f"0.{tenth}") if tenth < 10 else 1.0], ax=ax)
    assert display.proportions.argmax() == min(tenth, 9)


def test_two_directions_of_one_pair_count_once_in_an_interval(ax):
    both = from_predictions([1, 0] * 50, [0.5] * 100, pairs=np.arange(100) // 2, ax=ax)
    interval = binomtest(25, 50).proportion_ci(method="wilson")
    assert both.intervals[5] == pytest.approx([interval.low, interval.high])
    apart = from_predictions([1, 0] * 50, [0.3, 0.8] * 50, pairs=np.arange(100) // 2, ax=ax)
    interval = binomtest(50, 50).proportion_ci(method="wilson")
    assert apart.intervals[3] == pytest.approx([interval.low, interval.high])


def test_confidence(ax):
    display = from_predictions([1, 0, 1], [0.5, 0.5, 0.5], confidence=0.6, ax=ax)
    interval = binomtest(2, 3).proportion_ci(0.6, method="wilson")
    assert display.intervals[5] == pytest.approx([interval.low, interval.high])


def test_several_rankers_on_one_axes(ax):
    first = from_predictions([1, 0], [0.2, 0.8], name="one", ax=ax)
    second = from_predictions([1, 0], [0.3, 0.8], name="two", ax=ax)
    assert first.line_.get_color() != second.line_.get_color()
    labels = [t.get_text() for t in ax.get_legend().get_texts()]
    assert labels == ["calibrated", STEPS, "one", "two"]
    assert second.steps_.get_edgecolor()[:3] == to_rgb(second.line_.get_color())


@pytest.fixture(scope="module")
def judged():
    """Three rankings of up to four systems, shuffled; system first in the index."""
    rng = np.random.default_rng(0)
    rows = [(f"s{k}", f"seg{g}") for g in range(30) for k in range(2 + g % 3)]
    index = pd.MultiIndex.from_tuples(rows, names=["system", "segment"])
    X = pd.DataFrame(rng.normal(size=(len(index), 2)), index=index, columns=["a", "b"])
    y = pd.Series(np.ceil(X["a"] - 0.5 * X["b"] + rng.normal(size=len(X))), index=index)
    order = rng.permutation(len(X))
    return X.iloc[order], y.iloc[order]


def brute_force(ranker, features, y):
    """Every ordered pair that annotators decided, by two loops over the rows."""
    table = ranker.compare(features)["probability"]
    found = []
    for i, (system, segment) in enumerate(features.index):
        for j, (competitor, other) in enumerate(features.index):
            if i != j and segment == other and y.iloc[i] != y.iloc[j]:
                found.append((int(y.iloc[i] < y.iloc[j]), table.loc[(segment, system, competitor)]))
    return np.array(found).T


@pytest.mark.parametrize("inner", [LogisticRegression(), DecisionTreeClassifier(max_depth=3)])
def test_from_estimator_asks_about_every_decided_pair(judged, inner, ax):
    X, y = judged
    pipe = make_pipeline(StandardScaler(), RankRecomposer(inner)).set_output(transform="pandas")
    pipe.fit(X, y)
    display = PairCalibrationDisplay.from_estimator(pipe, X, y, n_bins=5, ax=ax, color="k")
    features = pipe[:-1].transform(X)
    expected = from_predictions(*brute_force(pipe[-1], features, y), n_bins=5, ax=ax)
    assert display.observed == pytest.approx(expected.observed, nan_ok=True)
    assert display.predicted == pytest.approx(expected.predicted, nan_ok=True)
    assert display.proportions == pytest.approx(expected.proportions)
    assert display.line_.get_color() == "k"
    alone = PairCalibrationDisplay.from_estimator(pipe[-1], features, y, n_bins=5, ax=ax)
    assert alone.observed == pytest.approx(display.observed, nan_ok=True)
    one_step = make_pipeline(pipe[-1])
    alone = PairCalibrationDisplay.from_estimator(one_step, features, y, n_bins=5, ax=ax)
    assert alone.intervals == pytest.approx(display.intervals, nan_ok=True)


def test_from_estimator_counts_a_pair_once(judged, ax):
    X, y = judged
    unsure = RankRecomposer(LogisticRegression(C=1e-9)).fit(X, y)  # says 0.5 of every pair
    display = PairCalibrationDisplay.from_estimator(unsure, X, y, n_bins=1, ax=ax)
    decided = len(brute_force(unsure, X, y)[0]) // 2
    interval = binomtest(decided, 2 * decided).proportion_ci(method="wilson")
    narrow = interval.high - interval.low
    low, high = display.intervals[0]
    assert display.observed[0] == 0.5
    assert high - low == pytest.approx(narrow * np.sqrt(2), rel=0.03)


def test_from_estimator_with_plain_arrays_and_other_levels(judged, ax):
    X, y = judged
    one = X.index.get_level_values("segment") == "seg2"
    X, y = X[one], y[one] + np.arange(one.sum())
    plain = RankRecomposer(item_level=None).fit(X.to_numpy(), y.to_numpy())
    display = PairCalibrationDisplay.from_estimator(plain, X.to_numpy(), y.to_numpy(), ax=ax)
    named = RankRecomposer(item_level="system").fit(X, y)
    expected = PairCalibrationDisplay.from_estimator(named, X, y, ax=ax)
    assert display.observed == pytest.approx(expected.observed, nan_ok=True)


def test_from_estimator_refuses_what_cannot_compare(judged):
    X, y = judged
    with pytest.raises(TypeError, match="ends in one, found LogisticRegression"):
        PairCalibrationDisplay.from_estimator(LogisticRegression(), X, y)
    with pytest.raises(CandidateError, match="not aligned"):
        PairCalibrationDisplay.from_estimator(RankRecomposer().fit(X, y), X, y.iloc[::-1])


def test_all_ties(judged):
    X, y = judged
    with pytest.raises(CandidateError, match="annotators decided no pair"):
        PairCalibrationDisplay.from_estimator(RankRecomposer().fit(X, y), X, 0 * y)


BAD = [
    (([], []), {}, "empty"),
    (([1, 2], [0.1, 0.2]), {}, "found 2 in row 1"),
    (([1, 0], [0.1]), {}, r"probability must have shape \(2,\)"),
    (([1, 0], [0.1, 1.1]), {}, "between 0 and 1, found 1.1 at position 1"),
    (([1, 0], [0.1, np.nan]), {}, "found nan at position 1"),
    (([1, 0], [0.1, 0.2]), {"pairs": [1]}, "1 entries for 2 rows"),
    (([1], [0.1]), {"n_bins": 0}, "n_bins must be an integer >= 1"),
    (([1], [0.1]), {"confidence": 1}, "confidence must be a number > 0"),
]


@pytest.mark.parametrize(("arguments", "options", "message"), BAD)
def test_bad_predictions(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        from_predictions(*arguments, **options)


GOOD = {
    "edges": [0, 0.5, 1],
    "predicted": [0.2, 0.8],
    "observed": [0.2, 0.8],
    "intervals": [(0, 1), (0, 1)],
    "proportions": [0.5, 0.5],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"edges": [0]}, "two entries"),
        ({"edges": [0, 0, 1]}, "must increase"),
        ({"observed": [0.2, 2]}, "found 2.0 at position 1"),
        ({"proportions": [1]}, "proportions must have shape"),
    ],
)
def test_bad_numbers(change, message):
    with pytest.raises(CandidateError, match=message):
        PairCalibrationDisplay(**(GOOD | change))
