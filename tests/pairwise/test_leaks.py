"""Segments in training and in test are warned of; proper splits are not."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_validate,
    learning_curve,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import (
    BLEUComp,
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    load_model,
    save_model,
    segment_train_test_split,
)
from sklearn_mteval.exceptions import SegmentLeakWarning
from sklearn_mteval.pairwise.pairs import decompose

LEAK = pytest.warns(SegmentLeakWarning, match="of segments that it now predicts")


@pytest.fixture
def judged(numbers):
    """Each segment ranked by two annotators, with an index level of their own."""
    X, y = numbers
    both = {name: table for name in "ab" for table in [X]}
    X_both = pd.concat(both, names=["ranking"]).reorder_levels(["segment", "ranking", "system"])
    y_both = pd.concat({"a": y, "b": -y}, names=["ranking"]).reorder_levels(X_both.index.names)
    return X_both, y_both


def pipeline():
    steps = [("features", BLEUComp()), ("scale", StandardScaler()), ("rank", RankRecomposer())]
    return Pipeline(steps).set_output(transform="pandas")


@pytest.mark.parametrize("make", [RankRecomposer, pipeline])
def test_folds_that_cut_segments(numbers, rankings, make):
    X, y = numbers if make is RankRecomposer else rankings
    with LEAK:
        cross_validate(make(), X, y, cv=KFold(4, shuffle=True, random_state=0))
    with LEAK:
        cross_validate(make(), X, y, scoring=kendall_tau_scorer, cv=7)
    with LEAK:
        learning_curve(make(), X, y, cv=KFold(4), shuffle=True, random_state=0, train_sizes=[0.9])
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    for method, given in (("score", (X_test, y_test)), ("predict", (X_test,))):
        model = make().fit(X_train, y_train)
        with LEAK:
            getattr(model, method)(*given)
        model.predict(X_test)  # once is enough
    with LEAK:
        GridSearchCV(make(), {}, cv=KFold(7), scoring=kendall_tau_scorer).fit(X, y)


def test_rankings_that_are_cut_apart(judged):
    X, y = judged
    with LEAK:
        cross_validate(RankRecomposer(), X, y, cv=KFold(5, shuffle=True, random_state=1))
    rankings = X.index.get_level_values("ranking")
    with LEAK:  # whole rankings, but the same translations were judged in others
        cross_validate(RankRecomposer(), X, y, groups=rankings, cv=GroupKFold(2))


@pytest.mark.parametrize("make", [RankRecomposer, pipeline])
def test_proper_splits_warn_of_nothing(numbers, judged, rankings, make):
    tables = [numbers, judged] if make is RankRecomposer else [rankings]
    for X, y in tables:
        cross_validate(make(), X, y, cv=SegmentKFold(3), return_train_score=True)
        learning_curve(make(), X, y, cv=SegmentKFold(3), train_sizes=[1.0])
        X_train, X_test, y_train, y_test = segment_train_test_split(X, y)
        model = make().fit(X_train, y_train)
        assert model.score(X_test, y_test) and model.score(X_train, y_train)
        order = np.random.default_rng(0).permutation(len(X_train))
        model.predict(X_train.iloc[order])  # the training table, in another order


def test_scoring_on_a_part_of_training(numbers):
    X, y = numbers
    with LEAK:
        RankRecomposer().fit(X, y).score(X.loc[[1, 2]], y.loc[[1, 2]])
    with LEAK:
        RankRecomposer().fit(X, y).compare(X.loc[[3]])


def test_what_is_warned_of_is_always_one_text(numbers):
    """Python shows a text once, however many folds there are."""
    X, y = numbers
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cross_validate(RankRecomposer(), X, y, cv=KFold(4, shuffle=True, random_state=0))
    (text,) = {str(warning.message) for warning in caught}
    assert len(caught) == 4 and "np." not in text and "cv=SegmentKFold(5)" in text


def test_another_test_set_numbered_alike(numbers, judged):
    """Line numbers from 1 on, the same systems or others: other segments all the same."""
    X, y = numbers
    other = X + np.random.default_rng(1).normal(size=X.shape)
    model = RankRecomposer().fit(X, y)
    model.predict(other)
    model.predict(other.rename(index="other-{}".format, level="system"))
    model.predict(other.iloc[:20])
    X, y = judged
    renamed = (X + 1).rename(index="next:{}".format, level="ranking")
    RankRecomposer().fit(X, y).predict(renamed)
    RankRecomposer().fit(X, y).predict(numbers[0])  # other index levels


def test_what_is_remembered_is_not_saved(numbers, tmp_path):
    X, y = numbers
    model = RankRecomposer().fit(X, y)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.predict(X.loc[[1]]).tolist() == loaded.predict(X.loc[[1]]).tolist()
    assert "_trained" in vars(model) and "_trained" not in vars(loaded)


INNER = {
    "stacking": StackingClassifier([("lr", LogisticRegression()), ("nb", GaussianNB())]),
    "calibrated": CalibratedClassifierCV(GaussianNB(), cv=3),
    "calibrated by KFold": CalibratedClassifierCV(GaussianNB(), cv=KFold(3)),
    "in a pipeline": make_pipeline(PairDifference(), CalibratedClassifierCV(GaussianNB())),
    "search": GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}),
    "search in a pipeline": make_pipeline(PairDifference(), GridSearchCV(GaussianNB(), {})),
}


@pytest.mark.parametrize("name", INNER)
def test_classifiers_that_split_pairs(numbers, name):
    with pytest.warns(SegmentLeakWarning, match=r"cv=.*of the classifier.*cv=SegmentKFold\(3\)"):
        RankRecomposer(INNER[name]).fit(*numbers)


def test_classifiers_that_split_plain_arrays_are_not_warned_of():
    ranker = RankRecomposer(INNER["search"], item_level=None)
    assert ranker.fit(np.arange(9.0)[:, np.newaxis], np.arange(9)).score([[1], [2]], [1, 2]) == 1


class Noting(LogisticRegression):
    """Notes, of each fit, the features of its pairs."""

    fits = ()

    def fit(self, X, y):
        Noting.fits = (*Noting.fits, np.asarray(X))
        return super().fit(X, y)


@pytest.mark.parametrize("with_difference", [False, True])
@pytest.mark.parametrize(
    "outer",
    [
        lambda inner, cv: CalibratedClassifierCV(inner, cv=cv, ensemble=True),
        lambda inner, cv: StackingClassifier([("a", inner)], cv=cv),
        lambda inner, cv: GridSearchCV(inner, {}, cv=cv),
    ],
)
def test_inner_folds_of_whole_segments(numbers, outer, with_difference):
    X, y = numbers
    Noting.fits = ()
    splitter = SegmentKFold(3)
    classifier = outer(Noting(), splitter)
    if with_difference:
        classifier = make_pipeline(PairDifference(), StandardScaler(), classifier)
    ranker = RankRecomposer(classifier).fit(X, y)
    pairs, _ = decompose(X, y)
    table = pairs.to_numpy()
    if with_difference:
        table = StandardScaler().fit_transform(PairDifference().fit_transform(table))
    segment_of = {
        row.tobytes(): segment
        for row, segment in zip(table, pairs.index.get_level_values("segment"), strict=True)
    }
    seen = [{segment_of[row.tobytes()] for row in fitted} for fitted in Noting.fits]
    expected = [
        set(pairs.iloc[train].index.get_level_values("segment"))
        for train, _ in SegmentKFold(3).split(pairs)
    ]
    assert len(table) == len(segment_of)
    assert [some for some in seen if len(some) < len(set(segment_of.values()))] == expected
    for fitted in (ranker.estimator_, clone(ranker).estimator):
        last = fitted[-1] if with_difference else fitted
        assert isinstance(last.cv, SegmentKFold) and last.cv.n_splits == 3
    assert ranker.estimator is classifier


def test_logistic_regression_cv(numbers):
    X, y = numbers
    options = {"Cs": [0.01, 1], "l1_ratios": (0,), "scoring": "accuracy"}
    options |= {"use_legacy_attributes": False}
    classifier = LogisticRegressionCV(cv=SegmentKFold(3), **options)
    ranker = RankRecomposer(make_pipeline(PairDifference(), classifier)).fit(X, y)
    pairs, labels = decompose(X, y)
    folds = list(SegmentKFold(3).split(pairs))
    expected = make_pipeline(PairDifference(), LogisticRegressionCV(cv=folds, **options))
    expected.fit(pairs, labels)
    np.testing.assert_array_equal(ranker.estimator_[-1].coef_, expected[-1].coef_)
    assert ranker.estimator_[-1].C_ == expected[-1].C_


def test_inner_folds_need_segments():
    with pytest.raises(ValueError, match="segment"):
        RankRecomposer(
            GridSearchCV(LogisticRegression(), {}, cv=SegmentKFold(2)), item_level=None
        ).fit([[1.0], [2.0], [3.0]], [1, 2, 3])
