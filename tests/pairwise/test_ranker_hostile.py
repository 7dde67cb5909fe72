"""RankRecomposer given what is no table, no option, no classifier, or only unusual."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import (
    LogReg,
    PairwiseNN,
    RankRecomposer,
    aggregate_rankings,
    make_ranking_pipeline,
)
from sklearn_mteval.exceptions import CandidateError

ODD_TABLES = {
    "texts": (lambda X: X.assign(t="abc def"), "could not convert.*not of numbers.*'t'"),
    "categories": (lambda X: X.assign(t=pd.Categorical(["x"] * len(X))), "not of numbers.*'t'"),
    "dates": (lambda X: X.assign(t=pd.Timestamp("2020-01-01")), "not of numbers.*'t'"),
    "complex": (lambda X: X.assign(t=1j), "'t'.*real numbers.*complex"),
    "sparse": (lambda X: X.astype(pd.SparseDtype(float, 0.0)), "'a'.*dense.*Sparse"),
    "sparse, filled": (lambda X: X.astype(pd.SparseDtype(float, 1.0)), "'a'.*dense.*Sparse"),
    "no column": (lambda X: X[[]], "no column"),
}


@pytest.mark.parametrize("name", ODD_TABLES)
def test_tables_that_are_not_of_numbers(numbers, name):
    X, y = numbers
    change, message = ODD_TABLES[name]
    with pytest.raises(CandidateError, match=f"(?s){message}"):
        RankRecomposer().fit(change(X), y)


@pytest.mark.parametrize("X", [None, "text", 3, {"a": [1]}])
def test_what_is_no_table(X):
    with pytest.raises(CandidateError, match="Expected a table or array"):
        RankRecomposer(item_level=None).fit(X, [1, 2, 3])


@pytest.mark.parametrize("option", ["recomposition", "empty", "dtype"])
@pytest.mark.parametrize("value", [np.array(["hard", "soft"]), pd.Series([1, 2]), ["soft"], {}, 0])
def test_options_of_another_kind(numbers, option, value):
    with pytest.raises(ValueError, match=rf"{option} .*found "):
        RankRecomposer(**{option: value}).fit(*numbers)


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        (1e300, "at most 1e+140 in magnitude, found 1e+300 in row 2: scale or leave out"),
        (-np.inf, "at most 1e+140 in magnitude, found infinity in row 2"),
        (np.longdouble(1), "'a': expected float64 or less, found"),
        (2**53 + 1, "'a': found 9007199254740993, which float64 does not hold"),
    ],
)
@pytest.mark.parametrize(
    "ranker",
    [
        RankRecomposer(), RankRecomposer(LogisticRegression(), recomposition="absolute"),
        RankRecomposer(make_pipeline(StandardScaler(), LogReg())),
        RankRecomposer(PairwiseNN(architecture="single-layer")),
        make_ranking_pipeline(StandardScaler(), RankRecomposer(LogReg())),
    ],
    ids=str,
)  # fmt: skip
def test_numbers_out_of_range_are_named(numbers, ranker, number, problem):
    """And nothing warns of an overflow before."""
    X, y = numbers
    X["a"] = np.full(len(X), 1, dtype=np.asarray(number).dtype)
    X.iloc[2, list(X).index("a")] = number
    with pytest.raises(CandidateError) as caught:
        clone(ranker).fit(X, y)
    assert problem in str(caught.value)
    if isinstance(number, float):
        fitted = clone(ranker).fit(X.assign(a=1.0), y)
        with pytest.raises(ValueError, match=r"at most 1e\+140|contains infinity"):
            fitted.predict(X)


def test_numbers_out_of_range_of_arrays():
    ranker = RankRecomposer(item_level=None)
    for number, problem in ((1e300, "at most 1e"), (np.longdouble(1), "expected float64 or less")):
        with pytest.raises(CandidateError, match=f"Column 0: .*{problem}"):
            ranker.fit(np.array([[number], [2.0]]), [1, 2])


def test_numbers_that_single_precision_does_not_hold(numbers):
    X, y = numbers
    X["a"] = 1e39
    with pytest.raises(ValueError, match=r"at most 3.4\d*e\+38 in magnitude, found 1e\+39"):
        RankRecomposer(PairwiseNN(architecture="single-layer")).fit(X, y)
    with pytest.raises(ValueError, match=r"too large for dtype\('float32'\)"):
        RankRecomposer(dtype="float32").fit(X, y)


def test_labels_with_lone_surrogates(numbers):
    X, y = numbers
    segments, systems = (X.index.get_level_values(name) for name in X.index.names)
    odd = X.set_axis(
        pd.MultiIndex.from_arrays(
            [
                pd.Index([{1: "\ud800", 2: (1, 2)}.get(s, s) for s in segments], dtype=object),
                pd.Index([{"sys0": "\udfff"}.get(s, s) for s in systems], dtype=object),
            ],
            names=X.index.names,
        )
    )
    expected = RankRecomposer().fit(X, y).predict(X)
    np.testing.assert_array_equal(RankRecomposer().fit(odd, y.to_numpy()).predict(odd), expected)


def test_ranks_whose_differences_overflow(numbers):
    X, y = numbers
    extreme = np.where(y > y.median(), 1.7e308, -1.7e308)
    expected = RankRecomposer().fit(X, np.sign(extreme)).predict(X)
    np.testing.assert_array_equal(RankRecomposer().fit(X, extreme).predict(X), expected)
    aggregate_rankings(X, extreme)


def test_no_table_to_predict():
    ranker = RankRecomposer(item_level=None).fit([[1.0], [2.0]], [1, 2])
    for X in (None, 3, "text"):
        with pytest.raises(CandidateError, match="Expected a table or array"):
            ranker.decision_function(X)


@pytest.mark.parametrize("estimator", [{}, [], "text", 5, LogisticRegression, np.zeros(2)])
def test_what_is_no_classifier(numbers, estimator):
    with pytest.raises(TypeError, match="estimator must be a classifier, found"):
        RankRecomposer(estimator).fit(*numbers)


def test_texts_to_predict_where_numbers_were_trained_on(numbers):
    X, y = numbers
    ranker = RankRecomposer(LogisticRegression()).fit(X, y)
    with pytest.raises(CandidateError, match=r"could not.*not of numbers.*'t1__b', 't2__b'"):
        ranker.predict((X + 1).assign(b="text"))
