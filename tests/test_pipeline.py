"""A pipeline of features and a ranker in scikit-learn's own tools."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sklearn_mteval import (
    BLEUComp,
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    kendall_tau,
    kendall_tau_scorer,
    make_kendall_tau_scorer,
)
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import sentence_bleu
from sklearn_mteval.metrics import kendall_tau_counts


def readme_pipeline(**options):
    return Pipeline(
        [
            ("features", BLEUComp()),
            ("scale", MinMaxScaler((-1, 1))),
            ("rank", RankRecomposer(make_pipeline(PairDifference(), LogisticRegression()))),
        ],
        **options,
    ).set_output(transform="pandas")


GRID = {
    "rank__estimator__logisticregression__C": [0.1, 1, 10],
    "rank__recomposition": ["hard", "soft"],
}


def grid_search(X, y, n_jobs):
    return GridSearchCV(
        readme_pipeline(), GRID, scoring=kendall_tau_scorer, cv=SegmentKFold(3), n_jobs=n_jobs
    ).fit(X, y)


def test_grid_search_gives_the_same_with_any_number_of_jobs(sample):
    one, two = (grid_search(*sample, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(
        one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"]
    )
    assert one.best_params_ == two.best_params_
    np.testing.assert_array_equal(one.predict(sample[0]), two.predict(sample[0]))
    assert one.best_score_ > 0.1


def test_cross_validate_with_several_scorers(sample):
    scoring = {"strict": kendall_tau_scorer, "wmt14": make_kendall_tau_scorer(statistic="wmt14")}
    result = cross_validate(readme_pipeline(), *sample, scoring=scoring, cv=SegmentKFold(4))
    assert (result["test_wmt14"] >= result["test_strict"]).all()
    assert (result["test_strict"] > 0).all()


def test_cross_val_predict_agrees_with_folds_by_hand(sample):
    X, y = sample
    found = cross_val_predict(readme_pipeline(), X, y, cv=SegmentKFold(3))
    expected = np.empty(len(X))
    for train, test in SegmentKFold(3).split(X):
        model = readme_pipeline().fit(X.iloc[train], y.iloc[train])
        expected[test] = model.predict(X.iloc[test])
    np.testing.assert_array_equal(found, expected)


def test_learning_curve(sample):
    sizes, _, scores = learning_curve(
        readme_pipeline(),
        *sample,
        scoring=kendall_tau_scorer,
        cv=SegmentKFold(3),
        train_sizes=[0.3, 1.0],
    )
    assert scores.shape == (2, 3)
    assert np.isfinite(scores).all()
    assert sizes[0] < sizes[1]


@pytest.mark.slow
def test_permutation_importance(sample):
    X, y = sample
    model = readme_pipeline().fit(X, y)
    result = permutation_importance(
        model, X, y, scoring=kendall_tau_scorer, n_repeats=3, random_state=0
    )
    importance = dict(zip(X.columns, result.importances_mean, strict=True))
    assert importance["source"] == 0 < importance["hypothesis"]


def test_clone_and_pickle(sample):
    X, y = sample
    model = readme_pipeline().fit(X, y)
    expected = model.decision_function(X)
    np.testing.assert_array_equal(clone(model).fit(X, y).decision_function(X), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), expected)


def test_memory(sample, tmp_path):
    X, y = sample
    expected = readme_pipeline().fit(X, y).decision_function(X)
    for _ in range(2):
        cached = readme_pipeline(memory=str(tmp_path)).fit(X, y)
        np.testing.assert_array_equal(cached.decision_function(X), expected)


def test_nested_unions_and_selection(sample):
    X, y = sample
    features = make_union(
        BLEUComp(),
        make_union(
            make_pipeline(BLEUComp(tokenize="char"), StandardScaler(), PCA(3)),
            make_column_transformer((BLEUComp(lowercase=True), ["hypothesis", "reference"])),
        ),
    )
    model = make_pipeline(features, MinMaxScaler(), SelectKBest(k=20), RankRecomposer())
    model.set_output(transform="pandas").fit(X, y)
    assert model.score(X, y) > 0.1
    names = model[:-1].get_feature_names_out()
    assert len(names) == 20
    assert {name.split("__")[0] for name in names} == {"bleucomp", "featureunion"}


def test_global_configuration_works_too(sample):
    X, y = sample
    expected = readme_pipeline().fit(X, y).predict(X)
    with sklearn.config_context(transform_output="pandas"):
        model = make_pipeline(
            BLEUComp(),
            MinMaxScaler((-1, 1)),
            RankRecomposer(make_pipeline(PairDifference(), LogisticRegression())),
        ).fit(X, y)
        np.testing.assert_array_equal(model.predict(X), expected)


def test_forgetting_set_output_is_an_error_that_names_the_cure(sample):
    model = make_pipeline(BLEUComp(), RankRecomposer())
    with pytest.raises(ValueError, match=r"set_output\(transform='pandas'\)"):
        model.fit(*sample)


def test_shuffled_rows_and_new_names_change_nothing(sample):
    X, y = sample
    expected = readme_pipeline().fit(X, y).decision_function(X)
    order = np.random.default_rng(1).permutation(len(X))
    names = {name: name[::-1] for name in X.index.unique("system")}
    renamed = X.iloc[order].rename(index=names, level="system")
    renamed = renamed.rename(index=lambda segment: f"line {segment}", level="segment")
    again = readme_pipeline().fit(renamed, pd.Series(y.to_numpy()[order], renamed.index))
    np.testing.assert_array_equal(again.decision_function(renamed), expected[order])


@pytest.fixture(scope="module")
def trained_on_wmt13(data_dir):
    return readme_pipeline().fit(*load_wmt(data_dir / "wmt13", "fr-en", return_X_y=True))


@pytest.mark.slow
@pytest.mark.parametrize(("pair", "gain"), [("cs-en", 0.01), ("de-en", 0.02)])
def test_learning_beats_bleu_on_real_data(data_dir, trained_on_wmt13, pair, gain):
    X, y = load_wmt(data_dir / "wmt12", pair, return_X_y=True)
    groups = X.index.droplevel("system")
    bleu = kendall_tau(y, sentence_bleu(X), groups=groups)
    strengths, ties = {}, {}
    for method in ("hard", "soft"):
        trained_on_wmt13.set_params(rank__recomposition=method)
        strengths[method] = trained_on_wmt13.decision_function(X)
        ties[method] = kendall_tau_counts(y, strengths[method], groups=groups).tied_metric
    assert kendall_tau(y, strengths["soft"], groups=groups) > bleu + gain
    assert ties["soft"] < ties["hard"]


@pytest.mark.slow
def test_the_readmes_grid_search_on_a_campaign_of_another_layout(data_dir):
    X, y = load_wmt(data_dir / "wmt15", "fi-en", return_X_y=True)
    assert grid_search(X, y, n_jobs=2).best_score_ > 0.1
