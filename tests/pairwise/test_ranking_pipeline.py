"""Steps that a grid search puts in keep the index; elsewhere the error says what happened."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sklearn_mteval import (
    BLEUComp,
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    load_model,
    make_ranking_pipeline,
    save_model,
)
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ChrFComp, SurfaceCounts
from sklearn_mteval.pairwise import RankingPipeline

STEPS = [("features", BLEUComp()), ("scale", MinMaxScaler()), ("rank", RankRecomposer())]
GRID = {
    "features": [BLEUComp(), make_union(BLEUComp(), ChrFComp()), SurfaceCounts()],
    "scale": [MinMaxScaler(), StandardScaler(), "passthrough"],
}


def search(pipeline, grid=GRID):
    return GridSearchCV(pipeline, grid, scoring=kendall_tau_scorer, cv=SegmentKFold(2))


def test_any_step_may_be_searched(rankings):
    X, y = rankings
    found = search(RankingPipeline(STEPS)).fit(X, y)
    scores = found.cv_results_["mean_test_score"]
    assert len(scores) == 9 and np.isfinite(scores).all()
    for parameters, score in zip(found.cv_results_["params"], scores, strict=True):
        alone = Pipeline(STEPS).set_params(**clone(parameters, safe=False))
        alone.set_output(transform="pandas")
        folds = [
            kendall_tau_scorer(alone.fit(X.iloc[a], y.iloc[a]), X.iloc[b], y.iloc[b])
            for a, b in SegmentKFold(2).split(X)
        ]
        assert score == pytest.approx(np.mean(folds), abs=1e-15)
    assert np.isfinite(kendall_tau_scorer(found, X, y))


def test_the_same_by_function(rankings, tmp_path):
    X, y = rankings
    classifier = make_pipeline(PairDifference(), LogisticRegression())
    steps = make_union(BLEUComp()), StandardScaler(), RankRecomposer(classifier)
    pipeline = make_ranking_pipeline(*steps, memory=str(tmp_path / "cache"))
    assert list(pipeline.named_steps) == ["featureunion", "standardscaler", "rankrecomposer"]
    ranks = pipeline.fit(X, y).predict(X)
    expected = make_pipeline(*map(clone, steps)).set_output(transform="pandas").fit(X, y)
    np.testing.assert_array_equal(ranks, expected.predict(X))
    assert pipeline[:-1].transform(X).index.equals(X.index)
    assert clone(pipeline[:-1]).fit_transform(X).index.equals(X.index)
    save_model(pipeline, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert type(loaded) is RankingPipeline
    np.testing.assert_array_equal(loaded.predict(X), ranks)


def test_a_plain_pipeline_says_what_happened(rankings):
    X, y = rankings
    plain = Pipeline(STEPS).set_output(transform="pandas")
    cure = r"make_ranking_pipeline.*set_config\(transform_output='pandas'\)"
    for step in (StandardScaler(), make_union(BLEUComp())):
        name = "scale" if isinstance(step, StandardScaler) else "features"
        broken = clone(plain).set_params(**{name: step})
        if name == "features":
            broken.set_params(scale="passthrough")
        with pytest.raises(CandidateError, match=rf"(?s)lost.*{cure}"):
            broken.fit(X, y)
    with pytest.raises(ValueError, match=rf"(?s)All the 4 fits failed.*{cure}"):
        search(plain, {"scale": [StandardScaler(), MinMaxScaler()]}).fit(X, y)


def test_a_setting_of_scikit_learn_cures_it_too(rankings):
    X, y = rankings
    with sklearn.config_context(transform_output="pandas"):
        found = search(Pipeline(STEPS), {"scale": GRID["scale"]}).fit(X, y)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()


class Lengths(TransformerMixin, BaseEstimator):
    """A transformer as people write it at first: nothing tells the names of its columns."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.array([[len(text)] for text in X["hypothesis"]])


class Nothing(BaseEstimator):
    """One that tells names, but inherits nothing that keeps the index."""

    fit, transform = Lengths.fit, Lengths.transform

    def get_feature_names_out(self, input_features=None):
        return np.array(["length"])


def test_a_step_that_cannot_keep_the_index_is_told_what_it_needs(sample):
    ours = r"Lengths cannot keep .* add a method get_feature_names_out\(self"
    for step in (Lengths(), make_union(BLEUComp(), Lengths()), make_pipeline(Lengths())):
        with pytest.raises(ValueError, match=ours):
            make_ranking_pipeline(step, RankRecomposer()).fit(*sample)
    with pytest.raises(
        ValueError, match=r"Nothing cannot keep .* inherit sklearn.base.Transformer"
    ):
        make_ranking_pipeline(Nothing(), RankRecomposer()).fit(*sample)


def test_a_table_without_index_is_told_what_predict_needs_it_for(sample):
    X, y = sample
    model = make_ranking_pipeline(BLEUComp(), RankRecomposer()).fit(X, y)
    for ask in (model.predict, model.decision_function):
        with pytest.raises(
            CandidateError, match=r"needed to predict.*datasets.candidates_from_frame"
        ) as error:
            ask(X.reset_index())
        assert "X.set_index(['segment', 'system'])" in str(error.value)
