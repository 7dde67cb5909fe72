"""What ``benchmarks/ready_made.py`` does to a ranker that it has trained."""

import sys
from copy import deepcopy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit

from sklearn_mteval import RankRecomposer
from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.pairwise.absolute import standalone_scores

CHRF, MATCHES = "chrfcomp__chrf_score", "chrfcomp__chrf_char_matches_1"
COLUMNS = ["lexicalfeatures__f", MATCHES, CHRF, "lexicalfeatures__competing_f"]


@pytest.fixture
def adjusted(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "benchmarks")
    known = set(sys.modules)
    from ready_made import adjusted

    yield adjusted
    for name in set(sys.modules) - known:
        if name.startswith("ready_made"):
            monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def trained():
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([range(40), list("ABCD")], names=["segment", "system"])
    X = pd.DataFrame(rng.normal(size=(160, 4)), index, COLUMNS)
    X[CHRF] = 50 + 10 * X[CHRF]
    y = -X.sum(axis=1) + rng.normal(size=160)
    ranker = RankRecomposer(PairEnsemble().set_params(boosting__max_iter=5))
    return ranker.fit(X, y), X


def test_each_point_of_chrf_adds_the_same_to_the_log_odds(adjusted, trained):
    ranker, X = trained
    before, after = (
        logit(r.compare(X)["probability"]) for r in (ranker, adjusted(deepcopy(ranker), 0.05))
    )
    places = {level: before.index.droplevel(f"system_{3 - level}") for level in (1, 2)}
    leads = X[CHRF].reindex(places[1]).to_numpy() - X[CHRF].reindex(places[2]).to_numpy()
    np.testing.assert_allclose(after - before, 0.05 * leads, atol=1e-9)


def test_counts_of_ngrams_decide_nothing_in_scores(adjusted, trained):
    ranker, X = trained
    longer = X.assign(**{MATCHES: X[MATCHES] + 3})
    assert not np.allclose(standalone_scores(ranker, X), standalone_scores(ranker, longer))
    adjusted(ranker, 0.05)
    np.testing.assert_array_equal(standalone_scores(ranker, X), standalone_scores(ranker, longer))


def test_without_a_weight_of_chrf_ranks_stay_as_they_are(adjusted, trained):
    ranker, X = trained
    before = ranker.decision_function(X)
    np.testing.assert_array_equal(adjusted(ranker, 0.0).decision_function(X), before)


def test_errors_in_content_count_three_times_in_scores(adjusted, trained):
    _, X = trained
    worse, better = "contenterrors__number_missing", "contenterrors__source_number_extra"
    y = X["lexicalfeatures__f"] - X[MATCHES] - X[CHRF] / 10
    X = X.rename(columns={"lexicalfeatures__f": worse, MATCHES: better})
    ranker = RankRecomposer(PairEnsemble().set_params(boosting__max_iter=5)).fit(X, y.round(1))
    head = ranker.standalone_
    weights = pd.Series(head.estimator_.estimators_[0].coef_[0], head.feature_names_in_)
    adjusted(ranker, 0)
    after = pd.Series(head.estimator_.estimators_[0].coef_[0], head.feature_names_in_)
    assert weights[worse] < 0 < weights[better]
    expected = weights.where(weights.index != worse, 3 * weights)
    pd.testing.assert_series_equal(after, expected)
