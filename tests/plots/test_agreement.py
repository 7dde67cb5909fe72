import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval import kendall_tau
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import agreement_interval, pearson
from sklearn_mteval.plots import AgreementDisplay

NAN = (np.nan, np.nan)


def test_best_on_top_with_whiskers_and_words(ax, whiskers):
    display = AgreementDisplay(
        ["TER", "chrF", "BLEU", "none"],
        [0.1, 0.3, 0.2, np.nan],
        [(0.05, 0.12), (0.25, 0.38), NAN, NAN],
    ).plot(ax, references={"chance": 0, "annotators": 0.5})
    assert display.order_.tolist() == [1, 2, 0, 3]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["chrF", "BLEU", "TER", "none"]
    assert np.allclose(display.points_.get_xdata(), [30, 20, 10, np.nan], equal_nan=True)
    assert display.points_.get_ydata().tolist() == ax.get_yticks().tolist() == [0, 1, 2, 3]
    bottom, top = ax.get_ylim()
    assert bottom > 3 and top < 0  # row 0 on top, all within
    assert np.allclose(whiskers(display.whiskers_, 0), [(0, 25, 38), (2, 5, 12)])
    assert [t.get_text() for t in display.texts_] == [
        "30.0 [25.0, 38.0]",
        "20.0",
        "10.0 [5.0, 12.0]",
        "undefined",
    ]
    assert [line.get_xdata()[0] for line in display.references_] == [0, 50]
    left, right = ax.get_xlim()
    assert left <= 0 and right >= 50


def test_equal_values_keep_their_order(ax):
    assert AgreementDisplay(["b", "a", "c"], [0.1, 0.1, 0.2]).plot(ax).order_.tolist() == [2, 0, 1]


def test_style_goes_to_dots_and_whiskers(ax):
    display = AgreementDisplay(["a"], [0.1], [(0, 0.2)]).plot(ax, color="red", marker="s")
    assert display.points_.get_marker() == "s"
    assert display.whiskers_.get_color()[0].tolist() == [1, 0, 0, 1]


def test_a_value_may_lie_outside_of_its_bootstrap_interval(ax, whiskers):
    display = AgreementDisplay(["a"], [0.5], [(0.1, 0.2)]).plot(ax)
    assert np.allclose(whiskers(display.whiskers_, 0), [(0, 10, 20)])


BAD = [
    (([0.1],), r"values must have shape \(2,\), found \(1,\)"),
    (([0.1, np.inf],), "values must be finite numbers or NaN, found inf at position 1"),
    ((["x", 1],), "values must be numbers"),
    (([0.1, 0.2], [(0, 1)]), "intervals must have shape"),
    (([0.1, 0.2], [(0, 1), (1, 0)]), "found 1.0 and 0.0 at position 1"),
    (([0.1, 0.2], [(np.nan, 1), (0, 1)]), "both NaN"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_input(arguments, message):
    with pytest.raises(CandidateError, match=message):
        AgreementDisplay(["a", "b"], *arguments)


@pytest.fixture
def judged():
    rng = np.random.default_rng(5)
    y = rng.integers(1, 5, 120)
    scores = pd.DataFrame({"good": -y + rng.normal(size=120), "bad": rng.normal(size=120)})
    return y, scores, np.repeat(np.arange(40), 3), np.repeat(np.arange(20), 6)


def test_from_predictions_draws_what_the_functions_say(judged, ax, whiskers):
    y, scores, groups, segments = judged
    options = {"confidence": 0.8, "n_resamples": 200, "random_state": 4}
    display = AgreementDisplay.from_predictions(
        y,
        scores[["bad", "good"]],
        groups=groups,
        documents=segments,
        statistic="tau-b",
        average="groups",
        ax=ax,
        marker="D",
        **options,
    )
    assert [t.get_text() for t in ax.get_yticklabels()] == ["good", "bad"]
    how = {"statistic": "tau-b", "average": "groups"}
    expected = [100 * kendall_tau(y, scores[n], groups=groups, **how) for n in ("good", "bad")]
    assert np.allclose(display.points_.get_xdata(), expected)
    intervals = [
        agreement_interval(
            y,
            scores[name],
            groups=groups,
            documents=segments,
            statistic="tau-b",
            average="groups",
            **options,
        )
        for name in ("good", "bad")
    ]
    assert np.allclose(whiskers(display.whiskers_, 0)[:, 1:], 100 * np.array(intervals))
    assert display.points_.get_marker() == "D"
    assert ax.get_xlabel() == "Kendall's tau-b × 100"


def test_from_predictions_knows_threshold_and_missing(ax):
    y = np.array([-10, -11, -100, -150])  # the oracle: 3/5 at 25 points
    scores = pd.DataFrame({"m": [2, 1, 4, 3.0]})
    options = {"groups": None, "statistic": "darr", "documents": [0, 1, 2, 3], "n_resamples": 20}
    display = AgreementDisplay.from_predictions(y, scores, ax=ax, **options)
    assert display.values == pytest.approx([3 / 5])
    display = AgreementDisplay.from_predictions(y, scores, threshold=1, ax=ax, **options)
    assert display.values == pytest.approx([2 / 6])
    scores.loc[1] = np.nan
    with pytest.raises(CandidateError, match="missing='skip'"):
        AgreementDisplay.from_predictions(y, scores, ax=ax, **options)
    options |= {"statistic": "pearson", "missing": "skip"}
    display = AgreementDisplay.from_predictions(y, scores, ax=ax, **options)
    assert display.values == pytest.approx([pearson(y, scores["m"], missing="skip")])


def test_a_constant_metric_is_named_at_the_bottom(judged, ax):
    y, scores, groups, _ = judged
    scores = scores.assign(constant=1.0)
    with pytest.warns(UndefinedMetricWarning):
        display = AgreementDisplay.from_predictions(
            y, scores[["constant", "bad"]], groups=groups, statistic="pearson", ax=ax, n_resamples=9
        )
    assert [t.get_text() for t in ax.get_yticklabels()] == ["bad", "constant"]
    assert display.texts_[-1].get_text() == "undefined"


def test_from_predictions_wants_names(judged):
    y, scores, groups, _ = judged
    with pytest.raises(CandidateError, match="must be a DataFrame"):
        AgreementDisplay.from_predictions(y, scores.to_numpy(), groups=groups)
    scores.columns = ["a", "a"]
    with pytest.raises(CandidateError, match="'a' twice"):
        AgreementDisplay.from_predictions(y, scores, groups=groups)
    scores.columns = ["a", "b"]
    with pytest.raises(CandidateError, match="different indices"):
        AgreementDisplay.from_predictions(
            pd.Series(y, index=scores.index[::-1]), scores, groups=groups
        )
