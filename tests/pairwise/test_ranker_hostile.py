"""RankRecomposer given what is no table, no option, no classifier, or only unusual."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_mteval import RankRecomposer, aggregate_rankings
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
    with pytest.raises(ValueError, match=f"{option} must be one of"):
        RankRecomposer(**{option: value}).fit(*numbers)


def test_means_of_numbers_that_overflow_together(numbers):
    X, y = numbers
    X["a"] = 1.5e308
    ranker = RankRecomposer(recomposition="absolute").fit(X, y)
    np.testing.assert_allclose(ranker.empty_, [1.5e308, *X[["b", "c"]].mean()], rtol=1e-12)


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
