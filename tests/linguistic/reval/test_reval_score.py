import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from sklearn_mteval import RankRecomposer, load_model, make_ranking_pipeline, save_model
from sklearn_mteval.datasets import similarity_from_rankings
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ReValScore
from sklearn_mteval.neural import ReValRegressor
from sklearn_mteval.trees import Trees

QUICK = ReValRegressor(n_units=8, hidden_units=5, max_epochs=2, random_state=0)


@pytest.fixture(scope="module")
def part(sample):
    X, y = sample
    return X.iloc[:120], y.iloc[:120]


def test_transform_is_the_regressor_on_all_rankings(part):
    X, y = part
    score = ReValScore(QUICK).fit(X, y)
    similar = similarity_from_rankings(X, y, min_judgements=1, thresholds=None)
    expected = clone(QUICK).fit(similar.X, similar.y).predict(X)
    np.testing.assert_array_equal(score.transform(X)[:, 0], expected)
    assert score.get_feature_names_out().tolist() == ["reval_score"]


def test_no_row_sees_its_own_label(part):
    X, y = part
    score = ReValScore(QUICK, cv=3)
    found = score.fit_transform(X, y)
    first = X.index.get_level_values("segment") == X.index[0][0]
    # Another ranking of one segment changes the scores of others only.
    other = y.where(~first, 6 - y)
    again = clone(score).fit_transform(X, other)
    parts = found[:, 0] != again[:, 0]
    assert not parts[first].any()
    assert parts.any()
    assert (score.transform(X)[first] != found[first]).any()


def test_columns_of_trees_change_nothing(part):
    X, y = part
    trees = Trees("dependency").fit_transform(X)
    found = ReValScore(QUICK, cv=2).fit_transform(trees, y)
    np.testing.assert_array_equal(ReValScore(QUICK, cv=2).fit_transform(X, y), found)


def test_in_a_pipeline_that_is_saved(part, tmp_path):
    X, y = part
    lstm = clone(QUICK).set_params(encoder="lstm")
    model = make_ranking_pipeline(ReValScore(lstm, cv=2), RankRecomposer()).fit(X, y)
    save_model(model, tmp_path / "model")
    others = pd.concat([X, X.iloc[:4]], keys=["a", "b"]).droplevel("segment")
    others.index.names = ["segment", "system"]
    others = others[~others.index.duplicated()]
    expected = model.decision_function(others)
    np.testing.assert_array_equal(
        load_model(tmp_path / "model").decision_function(others), expected
    )


def test_errors(part):
    X, y = part
    with pytest.raises(CandidateError, match="No translation was judged 4 times"):
        ReValScore(QUICK, min_judgements=4).fit(X, y)
    with pytest.raises(TypeError, match="must be a ReValRegressor or None"):
        ReValScore(RankRecomposer()).fit(X, y)
    with pytest.raises(CandidateError, match="column 'reference'"):
        ReValScore(QUICK).fit(X.drop(columns="reference"), y)
    with pytest.raises(CandidateError, match="ranks from 1 to n_classes=5"):
        ReValScore(QUICK).fit(X, y + 1)
