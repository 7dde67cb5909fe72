"""Logistic regressions are asked without a pair table, and say what they say of one."""

import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_mteval import LogReg, PairDifference, RankRecomposer
from sklearn_mteval.pairwise import answers
from sklearn_mteval.pairwise.folds import SegmentKFold


class Asked(LogisticRegression):
    """Another class: it is shown the pair table."""


CV = LogisticRegressionCV(
    Cs=[0.1], l1_ratios=(0,), use_legacy_attributes=False, cv=SegmentKFold(2),
    scoring="neg_log_loss",
)  # fmt: skip
STEPS = {
    "on the pair table": ([], LogisticRegression()),
    "scaled": ([StandardScaler()], LogisticRegression()),
    "the default": ([PairDifference(), StandardScaler()], LogisticRegression()),
    "scaled first": ([StandardScaler(), PairDifference()], LogisticRegression(C=0.1)),
    "scaled twice": ([StandardScaler(with_std=False), StandardScaler(with_mean=False)], CV),
    "LogReg": ([PairDifference()], LogReg()),
}


@pytest.mark.parametrize("recomposition", ["hard", "soft", "expected", "copeland", "absolute"])
@pytest.mark.parametrize("name", STEPS)
def test_strengths_are_those_of_the_pair_table(numbers, monkeypatch, name, recomposition):
    X, y = numbers
    steps, last = STEPS[name]
    ranker = RankRecomposer(make_pipeline(*steps, last), recomposition=recomposition).fit(X, y)
    other = X * 0.9 + 0.01
    with monkeypatch.context() as patch:
        patch.setattr(answers, "pair_table", None)
        found, compared = ranker.decision_function(other), ranker.compare(other)
    asked = Asked().set_params(C=1.0)
    vars(asked).update(vars(ranker.estimator_[-1]))
    ranker.estimator_.steps[-1] = ("last", asked)
    np.testing.assert_allclose(found, ranker.decision_function(other), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(compared, ranker.compare(other), rtol=1e-9)


def two_rows(X):
    """Return two candidates of a segment that nobody trained on."""
    return X.iloc[:2].rename(index=lambda label: -1, level="segment")


@pytest.mark.parametrize("step", [FunctionTransformer(np.abs), SimpleImputer()])
def test_steps_that_are_not_linear_are_given_the_pair_table(numbers, step):
    X, y = numbers
    estimator = make_pipeline(PairDifference(), step, LogisticRegression())
    ranker = RankRecomposer(estimator, recomposition="expected").fit(X, y)
    pair = np.hstack([X.iloc[[0]], X.iloc[[1]]])
    differences = step.fit_transform(pair[:, : X.shape[1]] - pair[:, X.shape[1] :])
    last = ranker.estimator_[-1]
    expected = 1 / (1 + np.exp(-differences @ last.coef_[0] - last.intercept_))
    np.testing.assert_allclose(ranker.compare(two_rows(X))["probability"].iloc[:1], expected)


@pytest.mark.parametrize(("value", "message"), [(np.nan, "NaN"), (1e300, "1e\\+140")])
def test_what_a_classifier_refuses_it_still_refuses(numbers, value, message):
    X, y = numbers
    ranker = RankRecomposer(make_pipeline(PairDifference(), LogReg())).fit(X, y)
    hostile = two_rows(X)
    hostile.iloc[0, 0] = value
    with pytest.raises(ValueError, match=message):
        ranker.predict(hostile)


@pytest.mark.parametrize("kind", [np.float32, np.int8, bool])
def test_other_numbers_are_no_less_exact(numbers, kind):
    X, y = numbers
    X = (X * 10).astype(kind)
    ranker = RankRecomposer(LogisticRegression(), recomposition="expected").fit(X, y)
    coef, intercept = ranker.estimator_.coef_[0], ranker.estimator_.intercept_
    pair = np.hstack([X.iloc[[0]], X.iloc[[1]]]).astype(np.float64)
    expected = 1 / (1 + np.exp(-pair @ coef - intercept))
    found = ranker.compare(two_rows(X))["probability"].iloc[:1]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_sums_that_are_no_numbers_are_refused(numbers):
    X, y = numbers
    ranker = RankRecomposer(LogisticRegression()).fit(X, y)
    ranker.estimator_.coef_[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"predict_proba.*found in row 0 .nan"):
        ranker.predict(two_rows(X))
