"""Detection of error-free translations, against scikit-learn, plain loops and simulation."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binomtest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import average_precision_score, brier_score_loss, precision_score, recall_score

from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import error_free_detection

QUICK = {"n_resamples": 20}


def drawn(n=600, n_groups=60, seed=0, sharpness=4.0):
    """Labels whose probability rises with the score, rows of a group alike."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, n_groups, n)
    score = rng.normal(size=n) + rng.normal(size=n_groups)[groups]
    return rng.random(n) < 1 / (1 + np.exp(-sharpness * score)), score.round(2), groups


def test_statistics_are_scikit_learns():
    labels, scores, groups = drawn()
    found = error_free_detection(labels, scores, groups=groups, **QUICK)
    value = found.table["value"]
    expected = {
        "average_precision": average_precision_score(labels, scores),
        "error_free": labels.mean(),
        "brier": brier_score_loss(labels, found.probabilities),
        "precision": precision_score(labels, found.accepted),
        "recall": recall_score(labels, found.accepted),
        "accepted": found.accepted.mean(),
    }
    assert value[[*expected]].to_dict() == pytest.approx(expected)
    parts = [
        abs((found.probabilities[inside] - labels[inside]).sum())
        for k in range(10)
        for inside in [
            (found.probabilities >= k / 10)
            & ((found.probabilities < (k + 1) / 10) | ((k == 9) & (found.probabilities == 1)))
        ]
    ]
    assert value["calibration_error"] == pytest.approx(sum(parts) / len(labels))
    inside = found.table.drop(index=["calibration_error"])  # its bootstrap is biased upwards
    assert ((inside["low"] <= inside["value"]) & (inside["value"] <= inside["high"])).all()


def test_one_accepted_translation_is_no_certainty():
    """Of few that are accepted, precision has a wide interval, and their number beside it."""
    score = np.repeat([3.0, 2.0, 1.0, 0.0], [60, 1, 200, 200])
    right = np.repeat([True, False, False, True], [60, 1, 200, 200])
    found = error_free_detection(right, score, groups=np.arange(461), precision=0.9, n_folds=2)
    row = found.table.loc["precision"]
    assert row["n"] == found.accepted.sum()
    hits = int((found.accepted & right).sum())
    expected = binomtest(hits, int(row["n"])).proportion_ci(method="wilson")
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))
    assert ((found.table["high"] - found.table["low"]) > 0).all()


def test_few_documents_have_intervals_of_student():
    """A score that is right by document in part: left out in turn, by hand."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(5), 30)
    score = rng.normal(size=150)
    right = rng.random(150) < 1 / (1 + np.exp(-score))
    found = error_free_detection(right, score, groups=groups, n_folds=2)
    every = average_precision_score(right, score)
    left_out = [average_precision_score(right[groups != k], score[groups != k]) for k in range(5)]
    error = np.sqrt(4 / 5 * ((left_out - np.mean(left_out)) ** 2).sum())
    reach = stats.t.ppf(0.975, 4) * error
    row = found.table.loc["average_precision"]
    expected = [every, max(every - reach, 0), min(every + reach, 1)]
    assert row[["value", "low", "high"]].tolist() == pytest.approx(expected)


def lowest(labels, scores, precision):
    """The lowest threshold that accepts 20 and has the precision."""
    enough = [
        t
        for t in set(scores)
        if (scores >= t).sum() >= 20 and labels[scores >= t].mean() >= precision
    ]
    return min(enough, default=np.inf)


def test_probabilities_and_thresholds_are_of_the_other_folds():
    """Each group has the values that its fold's complement gives, and no other partition does."""
    labels, scores, groups = drawn(80, 4, seed=2)
    found = error_free_detection(labels, scores, groups=groups, n_folds=4, precision=0.8, **QUICK)
    for group in range(4):
        rest, held_out = groups != group, groups == group
        fitted = IsotonicRegression(out_of_bounds="clip").fit(scores[rest], labels[rest] * 1.0)
        np.testing.assert_allclose(
            found.probabilities[held_out], fitted.predict(scores[held_out]), atol=1e-12
        )
        threshold = lowest(labels[rest], scores[rest], 0.8)
        np.testing.assert_array_equal(found.accepted[held_out], scores[held_out] >= threshold)
    assert found.threshold == lowest(labels, scores, 0.8) < np.inf


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 99), calibration=st.sampled_from(["isotonic", "logistic"]))
def test_neither_order_nor_names_matter(seed, calibration):
    labels, scores, groups = drawn(60, 12, seed)
    if labels.all() or not labels.any() or len(set(groups)) < 5:
        return
    order = np.random.default_rng(seed).permutation(60)
    names = [f"g{(k * 7) % 13}" for k in groups]
    given = {"calibration": calibration, "precision": 0.7, **QUICK}
    found = error_free_detection(labels, scores, groups=groups, **given)
    again = error_free_detection(
        labels[order], scores[order], groups=np.array(names)[order], **given
    )
    pd.testing.assert_frame_equal(found.table, again.table, check_exact=True)
    np.testing.assert_array_equal(found.probabilities[order], again.probabilities)
    np.testing.assert_array_equal(found.accepted[order], again.accepted)


def test_probabilities_are_calibrated_and_precision_is_reached():
    """Simulated: probabilities are near the truth, precision is near what was asked for."""
    rng = np.random.default_rng(1)
    truth = rng.random(20_000)
    labels = rng.random(20_000) < truth
    for calibration in ("isotonic", "logistic"):
        score = np.log(truth / (1 - truth))
        given = {"groups": np.arange(20_000), "calibration": calibration, "precision": 0.9}
        found = error_free_detection(labels, score, **given, **QUICK)
        assert np.abs(found.probabilities - truth).mean() < 0.02
        assert found.table.loc["precision", "value"] == pytest.approx(0.9, abs=0.01)
        assert found.table.loc["calibration_error", "value"] < 0.015
        # Above t they are right in (1 + t) / 2 of cases, and 1 - t² of what is right is there.
        assert found.table.loc["recall", "value"] == pytest.approx(1 - 0.8**2, abs=0.03)


def test_a_score_that_tells_nothing_has_no_threshold():
    rng = np.random.default_rng(3)
    labels, scores = rng.random(400) < 0.3, np.zeros(400)
    for calibration in ("isotonic", "logistic"):
        given = {"groups": range(400), "calibration": calibration, **QUICK}
        found = error_free_detection(labels, scores, **given)
        assert found.threshold == np.inf
        assert not found.accepted.any()
        assert np.isnan(found.table.loc["precision", "value"])
        assert found.table.loc["recall", "value"] == 0
        assert found.table.loc["average_precision", "value"] == pytest.approx(labels.mean())
        assert found.table.loc["brier", "value"] == found.table.loc["brier_of_proportion", "value"]


@pytest.mark.parametrize("exponent", [-980, 980])
@pytest.mark.parametrize("calibration", ["isotonic", "logistic"])
def test_any_magnitude(exponent, calibration):
    labels, scores, groups = drawn(200, 30)
    given = {"groups": groups, "calibration": calibration, **QUICK}
    expected = error_free_detection(labels, scores, **given)
    found = error_free_detection(labels, np.ldexp(scores, exponent), **given)
    pd.testing.assert_frame_equal(found.table, expected.table, check_exact=True)
    assert found.threshold == np.ldexp(expected.threshold, exponent)


BAD = {
    "numbers": ({"y_true": [0, 1] * 5}, "y_true must be booleans"),
    "a table": ({"y_true": np.zeros((5, 2), bool)}, "y_true must be booleans"),
    "all": ({"y_true": [True] * 10}, "found all of 10 error-free"),
    "none": ({"y_true": [False] * 10}, "found none of 10 error-free"),
    "NaN": ({"y_score": [np.nan, *range(9)]}, "must be finite, found nan in row 0"),
    "infinity": ({"y_score": [*range(9), np.inf]}, "must be finite, found inf in row 9"),
    "text": ({"y_score": ["a"] * 10}, "y_score must be numbers"),
    "lengths": ({"y_score": range(9)}, "y_true has 10 entries"),
    "few groups": ({"groups": [0, 1] * 5}, "5 folds need as many groups, found 2"),
    "groups": ({"groups": [0]}, "groups"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    given, message = BAD[case]
    given = {"y_true": [True, False] * 5, "y_score": range(10), "groups": range(10)} | given
    with pytest.raises(CandidateError, match=message):
        error_free_detection(given["y_true"], given["y_score"], groups=given["groups"])


@pytest.mark.parametrize(
    "option",
    [
        {"precision": 0},
        {"precision": 1},
        {"calibration": "platt"},
        {"n_folds": 1},
        {"n_resamples": 0},
    ],
)
def test_bad_options(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        error_free_detection([True, False] * 5, range(10), groups=range(10), **option)


def test_metrics_of_wmt23(data_dir):
    """A learned metric tells MQM's error-free translations better than BLEU does."""
    found = load_judgements(data_dir / "wmt23", lang_pair="zh-en")
    scores = found.scores.loc[found.y.index]
    tables = {
        metric: error_free_detection(
            found.y == 0, scores[metric], groups=found.documents, precision=0.7, **QUICK
        ).table["value"]
        for metric in ("MetricX-23", "BLEU")
    }
    assert tables["MetricX-23"]["average_precision"] > tables["BLEU"]["average_precision"] + 0.1
    assert tables["MetricX-23"]["brier"] < tables["MetricX-23"]["brier_of_proportion"]
