import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LinearRegression

from sklearn_mteval import (
    RankRecomposer,
    kendall_tau,
    kendall_tau_scorer,
    make_kendall_tau_scorer,
)


class Strength(BaseEstimator):
    def decision_function(self, X):
        return X["a"].to_numpy()

    def predict(self, X):
        raise AssertionError("strengths are preferred")


@pytest.mark.parametrize("variant", ["wmt12", "wmt13", "wmt14", "darr", "eq"])
@pytest.mark.parametrize("average", ["pairs", "groups"])
def test_it_is_tau_of_the_strengths(numbers, variant, average):
    X, y = numbers
    scorer = make_kendall_tau_scorer(statistic=variant, average=average, threshold=2)
    expected = kendall_tau(
        y,
        X["a"],
        groups=X.index.droplevel("system"),
        statistic=variant,
        average=average,
        threshold=2,
    )
    assert scorer(Strength(), X, y) == expected
    assert pickle.loads(pickle.dumps(scorer))(Strength(), X, y) == expected


def test_the_default_is_strict_and_pooled(numbers):
    X, y = numbers
    assert kendall_tau_scorer(Strength(), X, y) == make_kendall_tau_scorer()(Strength(), X, y)


def test_predictions_in_the_orientation_of_y_are_negated(numbers):
    X, y = numbers
    regression = LinearRegression().fit(X, y)
    expected = kendall_tau(y, -regression.predict(X), groups=X.index.droplevel("system"))
    assert kendall_tau_scorer(regression, X, y) == expected > 0.3


def test_row_order_and_array_y_do_not_matter(numbers):
    X, y = numbers
    order = np.random.default_rng(0).permutation(len(X))
    expected = kendall_tau_scorer(Strength(), X, y)
    assert kendall_tau_scorer(Strength(), X.iloc[order], y.iloc[order].to_numpy()) == expected


def test_another_item_level(numbers):
    X, y = numbers
    scorer = make_kendall_tau_scorer(item_level="engine")
    renamed = X.rename_axis(["segment", "engine"])
    assert scorer(Strength(), renamed, y.to_numpy()) == kendall_tau_scorer(Strength(), X, y)
    flat = make_kendall_tau_scorer(item_level=None)
    ranker = RankRecomposer(item_level=None).fit(X.to_numpy(), y)
    assert flat(ranker, X.to_numpy(), y) == ranker.score(X.to_numpy(), y)


def test_misaligned_y_is_refused(numbers):
    X, y = numbers
    with pytest.raises(ValueError, match="not aligned"):
        kendall_tau_scorer(Strength(), X, y.iloc[::-1])


def test_a_lost_index_is_refused(numbers):
    X, y = numbers
    with pytest.raises(ValueError, match="set_output"):
        kendall_tau_scorer(Strength(), pd.DataFrame(X.to_numpy(), columns=X.columns), y.to_numpy())


@pytest.mark.parametrize("options", [{"statistic": "wmt99"}, {"average": "mean"}])
def test_bad_options_are_refused_at_once(options):
    with pytest.raises(ValueError, match="must be"):
        make_kendall_tau_scorer(**options)


def test_a_scorer_is_no_estimator():
    with pytest.raises(TypeError):
        clone(make_kendall_tau_scorer())
