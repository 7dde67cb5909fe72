from zlib import crc32

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline, make_union

from sklearn_mteval import (
    BLEUComp,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    load_model,
    make_ranking_pipeline,
    save_model,
)
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import CrossFitScore


class Memory(RegressorMixin, BaseEstimator):
    """Knows the labels of the rows that it was trained on, and guesses, or not, of any other."""

    def __init__(self, guesses=False):
        self.guesses = guesses

    def fit(self, X, y):
        keys = zip(X["hypothesis"], X["reference"], strict=True)
        self.labels_ = dict(zip(keys, np.asarray(y, dtype=float), strict=True))
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        keys = zip(X["hypothesis"], X["reference"], strict=True)
        guess = {key: 1 + crc32(key[0].encode()) % 5 for key in keys} if self.guesses else {}
        keys = zip(X["hypothesis"], X["reference"], strict=True)
        return np.array([self.labels_.get(k, guess.get(k, self.mean_)) for k in keys])


class Trained(RegressorMixin, BaseEstimator):
    """Tells how many rows it was trained on."""

    def fit(self, X, y):
        self.n_ = len(X)
        return self

    def predict(self, X):
        return np.full(len(X), float(self.n_))


def test_what_memorises_has_seen_no_label(sample):
    X, y = sample
    found = CrossFitScore(Memory(), cv=4).fit_transform(X, y)
    assert len(np.unique(found)) <= 4  # each part's mean
    leaky = CrossFitScore(Memory(), cv=None).fit_transform(X, y)
    np.testing.assert_array_equal(leaky[:, 0], y)
    fitted = CrossFitScore(Memory(), cv=4).fit(X, y)
    np.testing.assert_array_equal(fitted.transform(X)[:, 0], y)


def test_what_memorises_gains_nothing_and_harms_nothing(sample):
    def tau(*scores):
        features = make_union(BLEUComp(), *scores)
        model = make_ranking_pipeline(features, RankRecomposer())
        scorer = kendall_tau_scorer
        return cross_val_score(model, *sample, cv=SegmentKFold(4), scoring=scorer).mean()

    alone, crossed = tau(), tau(CrossFitScore(Memory(guesses=True), cv=4))
    leaky = tau(CrossFitScore(Memory(guesses=True), cv=None))
    assert abs(crossed - alone) < 0.03
    assert leaky < alone - 0.05


def test_each_part_is_predicted_by_a_model_of_the_others(sample):
    X, y = sample
    found = CrossFitScore(Trained(), cv=4).fit_transform(X, y)[:, 0]
    n_segments = X.index.unique("segment").size
    assert set(found) == {len(X) * 3 / 4}
    assert n_segments % 4 == 0
    assert CrossFitScore(Trained(), cv=4).fit(X, y).transform(X).tolist() == [[len(X)]] * len(X)


def test_predictions_by_hand():
    rows = pd.MultiIndex.from_product([[1, 2], ["a", "b"]], names=["segment", "system"])
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 5.0]}, index=rows)
    y = pd.Series([1.0, 2.0, 9.0, 15.0], index=rows)
    # Through segment 2's points goes y = 3 x, through segment 1's y = x.
    found = CrossFitScore(LinearRegression(), cv=2, name="line").fit_transform(X, y)
    np.testing.assert_allclose(found[:, 0], [3, 6, 3, 5])
    score = CrossFitScore(LinearRegression(), cv=2, name="line").set_output(transform="pandas")
    named = score.fit_transform(X, y.to_numpy())
    assert list(named) == ["line"]
    assert named.index.equals(X.index)
    np.testing.assert_allclose(named["line"], found[:, 0])


def test_strengths_of_a_ranker(numbers):
    X, y = numbers
    score = CrossFitScore(RankRecomposer(), cv=3).fit(X, y)
    expected = RankRecomposer().fit(X, y).decision_function(X)
    np.testing.assert_array_equal(score.transform(X)[:, 0], expected)
    assert np.isfinite(score.fit_transform(X, y)).all()


def test_segments_that_share_a_reference_are_one():
    rows = pd.MultiIndex.from_product([range(6), ["a", "b"]], names=["segment", "system"])
    table = {"hypothesis": [f"h{k}" for k in range(12)], "reference": np.repeat(list("xxyyzz"), 2)}
    X = pd.DataFrame(table, index=rows)
    y = np.arange(12.0)
    found = CrossFitScore(Memory(), cv=3).fit_transform(X, y)[:, 0]
    assert found.reshape(3, 4).tolist() == [[7.5] * 4, [5.5] * 4, [3.5] * 4]
    with pytest.raises(CandidateError, match="4 folds need as many segments, found 3"):
        CrossFitScore(Memory(), cv=4).fit_transform(X, y)
    # The first of several references tells.
    X["reference"] = [[text, "same"] for text in X["reference"]]
    np.testing.assert_array_equal(CrossFitScore(Length(), cv=3).fit_transform(X, y)[:, 0], 2)


class Length(Trained):
    """Tells the length of a text."""

    def predict(self, X):
        return X["hypothesis"].str.len().clip(upper=2).to_numpy()


def test_neither_order_nor_names_matter(sample):
    X, y = sample
    score = CrossFitScore(make_pipeline(BLEUComp(), Ridge()), cv=3)
    expected = score.fit_transform(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    renamed = X.iloc[order].rename(index=lambda segment: 1000 - segment, level="segment")
    found = clone(score).fit_transform(renamed, y.to_numpy()[order])
    np.testing.assert_allclose(found, expected[order], atol=1e-9)


def test_saving(sample, tmp_path):
    X, y = sample
    score = CrossFitScore(make_pipeline(BLEUComp(), Ridge()), cv=3).fit(X, y)
    save_model(score, tmp_path / "model")
    again = load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.transform(X), score.transform(X))
    assert again.get_feature_names_out().tolist() == ["crossfit_score"]
    assert score.transform(X.iloc[:0]).shape == (0, 1)


class NoAnswer(BaseEstimator):
    def fit(self, X, y):
        return self


class TwoColumns(NoAnswer, ClassifierMixin):
    def decision_function(self, X):
        return np.zeros((len(X), 2))


@pytest.mark.parametrize(
    ("score", "error", "message"),
    [
        (CrossFitScore(Memory(), cv=1), ValueError, "cv must be an integer >= 2"),
        (CrossFitScore(Memory(), cv=200), CandidateError, "found 128"),
        (CrossFitScore(Memory(), name=5), ValueError, "name must be a text"),
        (CrossFitScore(NoAnswer()), TypeError, "decision_function or predict"),
        (CrossFitScore(TwoColumns()), ValueError, r"\(\d+, 2\)"),
    ],
)
def test_bad_options(sample, score, error, message):
    with pytest.raises(error, match=message):
        score.fit_transform(*sample)


def test_bad_tables(sample):
    X, y = sample
    with pytest.raises(CandidateError, match="index level 'segment'"):
        CrossFitScore(Memory()).fit_transform(X.reset_index(drop=True), y.to_numpy())
    with pytest.raises(CandidateError, match="y to be passed"):
        CrossFitScore(Memory()).fit(X, None)
    with pytest.raises(CandidateError, match="NaN"):
        CrossFitScore(Memory()).fit_transform(X, y * np.nan)
