"""What a pair classifier answers is checked once, where it is asked."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from sklearn_mteval import RankRecomposer
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS

PROBABILITIES = [name for name, entry in RECOMPOSITIONS.items() if entry.needs_probabilities]


class Answers(ClassifierMixin, BaseEstimator):
    """A classifier whose answers to pairs are made by functions of P(t1 better than t2)."""

    def __init__(self, probabilities=None, predictions=None, antisymmetric=False):
        self.probabilities = probabilities
        self.predictions = predictions
        self.antisymmetric = antisymmetric

    @property
    def antisymmetric_(self):
        return self.antisymmetric

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def _better(self, X):
        first, second = np.hsplit(np.asarray(X, dtype=float), 2)
        return 1 / (1 + np.exp(second[:, 0] - first[:, 0]))

    def predict_proba(self, X):
        better = self._better(X)
        both = np.column_stack([1 - better, better])
        return both if self.probabilities is None else self.probabilities(both)

    def predict(self, X):
        decided = (self._better(X) > 0.5).astype(int)
        return decided if self.predictions is None else self.predictions(decided)


class Margins(Answers):
    """One that knows no probabilities."""

    predict_proba = property()

    def decision_function(self, X):
        return self.probabilities(self._better(X) - 0.5)


def one_is(value):
    def answer(both):
        both[-1] = [1 - value, value]
        return both

    return answer


BAD_PROBABILITIES = {
    "NaN": (one_is(np.nan), r"row \d+.*nan"),
    "seven": (one_is(7), "between 0 and 1.*row .*(-6|7)"),
    "negative": (one_is(-3), "between 0 and 1.*(4|-3)"),
    "infinite": (one_is(np.inf), "between 0 and 1.*inf"),
    "not 1 together": (lambda both: both * [1, 0.5], "add up to 1"),
    "three columns": (lambda both: np.column_stack([both, both[:, 0]]), r"shape \(\d+, 2\).*, 3\)"),
    "one column": (lambda both: both[:, 1:], r"shape \(\d+, 2\).*, 1\)"),
    "flat": (lambda both: both[:, 1], r"shape \(\d+, 2\)"),
    "short": (lambda both: both[1:], r"shape \(\d+, 2\)"),
    "long": (lambda both: np.vstack([both, both]), r"shape \(\d+, 2\)"),
    "strings": (lambda both: both.astype(str), "numbers"),
    "missing": (lambda both: np.full(both.shape, None), "row 0 .nan"),
    "complex": (lambda both: both.astype(complex), "numbers"),
    "ragged": (lambda both: [[0.5], *both[1:].tolist()], "numbers"),
    "nothing": (lambda both: None, "numbers|shape"),
}


# Each answer with one recomposition, and one answer with each.
@pytest.mark.parametrize("antisymmetric", [False, True])
@pytest.mark.parametrize(
    ("answer", "recomposition"),
    [(answer, PROBABILITIES[0]) for answer in BAD_PROBABILITIES]
    + [(answer, name) for name in PROBABILITIES[1:] for answer in ("NaN", "short")],
)
def test_bad_probabilities_are_refused(numbers, answer, recomposition, antisymmetric):
    X, y = numbers
    answer, message = BAD_PROBABILITIES[answer]
    classifier = Answers(answer, antisymmetric=antisymmetric)
    ranker = RankRecomposer(classifier, recomposition=recomposition).fit(X, y)
    calls = [ranker.predict, ranker.decision_function, lambda X: ranker.score(X, y)]
    for call in [*calls, ranker.compare]:
        with pytest.raises(ValueError, match=rf"(?s)Answers.*predict_proba.*{message}"):
            call(X)


def one_decision_is(value):
    return lambda decided: [value, *decided[1:].tolist()]


BAD_PREDICTIONS = {
    "NaN": one_decision_is(np.nan),
    "two": one_decision_is(2),
    "between": one_decision_is(0.5),
    "strings": lambda decided: decided.astype(str),
    "None": one_decision_is(None),
    "two columns": lambda decided: np.column_stack([decided, decided]),
    "one column": lambda decided: decided[:, np.newaxis],
    "short": lambda decided: decided[1:],
    "one for all": lambda decided: 1,
    "nothing": lambda decided: None,
}


@pytest.mark.parametrize("recomposition", ["hard", "soft"])
@pytest.mark.parametrize("answer", BAD_PREDICTIONS)
def test_bad_predictions_are_refused(numbers, answer, recomposition):
    X, y = numbers
    classifier = Answers(predictions=BAD_PREDICTIONS[answer])
    ranker = RankRecomposer(classifier, recomposition=recomposition).fit(X, y)
    for call in [ranker.predict, ranker.decision_function, lambda X: ranker.score(X, y)]:
        with pytest.raises(ValueError, match=r"(?s)Answers.*predict.*(0 or 1|shape)"):
            call(X)


BAD_MARGINS = {
    "NaN": lambda margin: np.where(np.arange(len(margin)) == 1, np.nan, margin),
    "strings": lambda margin: margin.astype(str),
    "two columns": lambda margin: np.column_stack([margin, margin]),
    "short": lambda margin: margin[1:],
}


@pytest.mark.parametrize("answer", BAD_MARGINS)
def test_bad_margins_are_refused(numbers, answer):
    X, y = numbers
    classifier = Margins(BAD_MARGINS[answer], antisymmetric=True)
    ranker = RankRecomposer(classifier, recomposition="hard").fit(X, y)
    with pytest.raises(ValueError, match=r"(?s)Margins.*decision_function.*(numbers|shape|NaN)"):
        ranker.predict(X)


GOOD = {
    "lists": lambda both: both.tolist(),
    "frames": pd.DataFrame,
    "single precision": lambda both: both.astype(np.float32),
    "rounded": lambda both: np.where(both > 0.9, 1 + 1e-12, np.where(both < 0.1, -1e-12, both)),
}


@pytest.mark.parametrize("recomposition", PROBABILITIES)
@pytest.mark.parametrize("answer", GOOD)
def test_good_answers_of_any_container_are_taken(numbers, answer, recomposition):
    X, y = numbers
    expected = RankRecomposer(Answers(), recomposition=recomposition).fit(X, y).predict(X)
    ranker = RankRecomposer(Answers(GOOD[answer]), recomposition=recomposition).fit(X, y)
    if answer != "rounded":
        np.testing.assert_array_equal(ranker.predict(X), expected)
    assert ranker.compare(X)["probability"].between(0, 1).all()


@pytest.mark.parametrize("kind", [bool, float, object, np.int8])
def test_decisions_may_be_of_any_kind_of_number(numbers, kind):
    X, y = numbers
    expected = RankRecomposer(Answers(), recomposition="hard").fit(X, y).predict(X)
    classifier = Answers(predictions=lambda decided: decided.astype(kind))
    found = RankRecomposer(classifier, recomposition="hard").fit(X, y).predict(X)
    np.testing.assert_array_equal(found, expected)


class OddClasses(Answers):
    def fit(self, X, y):
        self.classes_ = np.array([[0, 1], [0, 1]])
        return self


def test_classes_of_another_shape(numbers):
    with pytest.raises(TypeError, match="labels 0 and 1"):
        RankRecomposer(OddClasses()).fit(*numbers)


BAD_STRENGTHS = {
    "strings": lambda P: ["a"] * len(P),
    "None": lambda P: None,
    "ragged": lambda P: [[1], *range(1, len(P))],
    "NaN": lambda P: [np.nan] * len(P),
    "short": lambda P: [1.0],
    "complex": lambda P: P.sum(axis=1) + 1j,
}


@pytest.mark.parametrize("strengths", BAD_STRENGTHS)
def test_bad_strengths_of_a_callable(numbers, strengths):
    X, y = numbers
    ranker = RankRecomposer(Answers(), recomposition=BAD_STRENGTHS[strengths]).fit(X, y)
    with pytest.raises(ValueError, match=r"callable must return \d finite strengths"):
        ranker.predict(X)


def test_a_callable_that_takes_something_else(numbers):
    X, y = numbers
    ranker = RankRecomposer(Answers(), recomposition=int).fit(X, y)
    with pytest.raises(TypeError, match="callable, <class 'int'>, does not take a matrix"):
        ranker.predict(X)
