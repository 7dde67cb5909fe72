"""Scores that need no competitors, and intervals of systems' means."""

import pickle

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMRanker
from scipy.stats import bootstrap
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

from sklearn_mteval import (
    BLEUComp,
    GroupRanker,
    PairDifference,
    PairwiseNN,
    RankRecomposer,
    make_ranking_pipeline,
)
from sklearn_mteval.classifiers import KNN, PairEnsemble, TiedPairClassifier
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ContrastiveScore
from sklearn_mteval.models import (
    bleu_pipeline,
    rank_candidates,
    score_candidates,
    score_systems,
)
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS


@pytest.fixture(scope="module")
def fitted(rankings):
    return pickle.loads(pickle.dumps(bleu_pipeline().fit(*rankings)))


@pytest.mark.parametrize("recomposition", RECOMPOSITIONS)
def test_scores_do_not_depend_on_recomposition_and_competitors(fitted, rankings, recomposition):
    X, _ = rankings
    fitted.set_params(rank__recomposition=recomposition)
    scores = score_candidates(fitted, X)
    absolute = bleu_pipeline("absolute").fit(*rankings)
    assert scores.tolist() == absolute.decision_function(X).tolist()
    assert scores.index.equals(X.index) and scores.between(-1, 1).all()
    assert fitted[-1].recomposition == recomposition
    for system in X.index.unique("system"):
        alone = X.xs(system, level="system", drop_level=False)
        pd.testing.assert_series_equal(
            score_candidates(fitted, alone), scores[alone.index], rtol=1e-12
        )
    one = score_candidates(fitted, X.iloc[[5]])
    assert one.tolist() == pytest.approx([scores.iloc[5]], rel=1e-12)
    shuffled = X.sample(frac=1, random_state=1)
    pd.testing.assert_series_equal(
        score_candidates(fitted, shuffled), scores[shuffled.index], check_exact=True
    )
    assert rank_candidates(fitted, X)["score"].tolist() == scores.tolist()


@pytest.mark.parametrize(
    "ranker",
    [
        RankRecomposer(make_pipeline(PairDifference(), LinearSVC()), recomposition="hard"),
        RankRecomposer(KNN(n_neighbors=40)),
        RankRecomposer(PairEnsemble(calibrate=False)),
        RankRecomposer(TiedPairClassifier(), ties="model", recomposition="davidson"),
        RankRecomposer(PairwiseNN(architecture="single-layer", symmetric=True, max_epochs=2)),
        GroupRanker(LGBMRanker(n_estimators=5, min_child_samples=2, n_jobs=1, verbosity=-1)),
    ],
    ids=lambda ranker: type(ranker.estimator).__name__,
)
def test_nothing_beside_a_translation_changes_a_bit_of_its_score(rankings, ranker):
    X, y = rankings
    features = make_union(BLEUComp(), ContrastiveScore())
    fitted = make_ranking_pipeline(features, MinMaxScaler((-1, 1)), ranker).fit(X, y)
    fitted = pickle.loads(pickle.dumps(fitted))
    scores = score_candidates(fitted, X)
    assert scores.between(-1, 1).all() and scores.nunique() > 10
    one = X.xs("system1", level="system", drop_level=False)
    garbage = one.assign(hypothesis="q x").rename({"system1": "garbage"}, level="system")
    for some in (one, pd.concat([one, garbage]), X.sample(frac=0.5, random_state=0), X[5:6]):
        found = score_candidates(fitted, some)
        known = found.index.isin(X.index)
        assert found[known].tolist() == scores[found.index[known]].tolist()
        assert rank_candidates(fitted, some)["score"].tolist() == found.tolist()


def test_what_cannot_be_scored(rankings):
    X, _ = rankings
    with pytest.raises(TypeError, match="cannot rank translations"):
        score_candidates(object(), X)
    with pytest.raises(NotFittedError):
        score_candidates(bleu_pipeline(), X)
    with pytest.raises(CandidateError, match="MultiIndex"):
        score_candidates(RankRecomposer(), X.reset_index(drop=True))


@pytest.fixture(scope="module")
def scores():
    """Sixty segments of three systems; C lacks ten of them."""
    index = pd.MultiIndex.from_product([range(60), list("ABC")], names=["segment", "system"])
    rng = np.random.default_rng(0)
    scores = pd.Series(rng.uniform(-1, 1, len(index)) / 2, index=index)
    scores += 0.2 * (index.get_level_values("system") == "B")
    return scores[~index.isin([(k, "C") for k in range(0, 60, 6)])]


def test_means_and_intervals_of_systems(scores):
    found = score_systems(scores, n_resamples=4000)
    assert list(found) == ["score", "low", "high", "letters", "segments"]
    assert found.index.name == "system" and found["score"].is_monotonic_decreasing
    assert found["segments"].to_dict() == {"A": 60, "B": 60, "C": 50}
    for system, row in found.iterrows():
        column = scores.xs(system, level="system").to_numpy()
        assert row["score"] == pytest.approx(column.mean())
        other = bootstrap((column,), np.mean, method="percentile", n_resamples=4000, rng=1)
        width = other.confidence_interval.high - other.confidence_interval.low
        assert row["low"] == pytest.approx(other.confidence_interval.low, abs=0.06 * width)
        assert row["high"] == pytest.approx(other.confidence_interval.high, abs=0.06 * width)


def test_neither_others_nor_names_nor_order_change_a_system(scores):
    found = score_systems(scores, n_resamples=200, random_state=3)
    alone = scores.xs("A", level="system", drop_level=False)
    alone = score_systems(alone, n_resamples=200, random_state=3)
    own = found.loc[["A"]].drop(columns="letters")
    pd.testing.assert_frame_equal(own, alone.drop(columns="letters"), check_exact=True)
    renamed = scores.rename(lambda k: (k * 7) % 61, level="segment").sample(frac=1, random_state=0)
    renamed = renamed.rename({"A": "x", "B": "b"}, level="system")
    again = score_systems(renamed, n_resamples=200, random_state=3)
    pd.testing.assert_frame_equal(
        again.rename({"x": "A", "b": "B"}).loc[found.index], found, check_exact=True
    )
    assert not found.equals(score_systems(scores, n_resamples=200, random_state=4))
    narrow = score_systems(scores, n_resamples=200, random_state=3, confidence=0.5)
    assert (narrow["high"] - narrow["low"] < found["high"] - found["low"]).all()


def test_missing_scores_and_several_of_one_translation(scores):
    absent = score_systems(scores.reindex(scores.index.union([(0, "C")])), n_resamples=50)
    pd.testing.assert_frame_equal(absent, score_systems(scores, n_resamples=50), check_exact=True)
    twice = pd.concat([scores, scores - 0.5], keys=["r1", "r2"], names=["ranking"])
    halved = score_systems(twice, n_resamples=50)
    pd.testing.assert_series_equal(halved["score"], absent["score"] - 0.25)
    assert halved["segments"].to_dict() == {"A": 60, "B": 60, "C": 50}


def test_one_segment_has_no_interval(scores):
    with pytest.warns(UndefinedMetricWarning, match="fewer than two segments"):
        found = score_systems(scores.loc[[7]])
    assert found["score"].tolist() == sorted(scores.loc[7], reverse=True)
    assert found[["low", "high"]].isna().all(axis=None) and (found["segments"] == 1).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: (s.droplevel("system"), {}), "MultiIndex"),
        (lambda s: (s * np.inf, {}), "infinite"),
        (lambda s: (s, {"confidence": 1}), "confidence must lie between 0 and 1"),
        (lambda s: (s, {"n_resamples": 0}), "n_resamples must be an integer >= 1"),
    ],
)
def test_wrong_scores_of_systems(scores, change, message):
    given, options = change(scores)
    with pytest.raises(ValueError, match=message):
        score_systems(given, **options)
