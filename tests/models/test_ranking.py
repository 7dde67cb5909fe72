import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_mteval import (
    PairDifference,
    RankRecomposer,
    kendall_tau_scorer,
    make_ranking_pipeline,
)
from sklearn_mteval.datasets import make_rankings
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ContrastiveScore
from sklearn_mteval.models import (
    bleu_pipeline,
    rank_candidates,
    rank_systems,
    score_candidates,
    score_systems,
)
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS


@pytest.mark.parametrize("recomposition", RECOMPOSITIONS)
def test_candidates_are_ranked_as_the_model_predicts(rankings, recomposition):
    X, y = rankings
    model = bleu_pipeline(recomposition).fit(X, y)
    shuffled = X.sample(frac=1, random_state=0)
    ranked = rank_candidates(model, shuffled)
    assert ranked.index.equals(shuffled.index)
    assert list(ranked.columns) == ["rank", "strength", "score"]
    assert ranked["rank"].tolist() == model.predict(shuffled).tolist()
    assert ranked["rank"].dtype == np.int64
    assert ranked["strength"].tolist() == model.decision_function(shuffled).tolist()


def test_a_model_of_ties_ties(rankings):
    X, y = rankings
    model = bleu_pipeline().set_params(rank__ties="model", rank__estimator=None)
    model.fit(X, y.clip(upper=2))
    ranked = rank_candidates(model, X)
    groups = X.index.get_level_values("segment")
    distinct = ~ranked["strength"].groupby(groups).transform(lambda s: s.duplicated(keep=False))
    n_ranks, n_strengths = (ranked[name].groupby(groups).nunique() for name in ("rank", "strength"))
    assert (n_ranks < n_strengths).any()
    assert ranked["rank"][distinct].tolist() == model.predict(X)[distinct].tolist()


MODELS = {
    "reference-based": lambda: bleu_pipeline(),
    "hard": lambda: bleu_pipeline("hard"),
    "Bradley-Terry": lambda: bleu_pipeline("bradley-terry"),
    "without probabilities": lambda: bleu_pipeline("hard").set_params(
        rank__estimator=make_pipeline(PairDifference(), LinearSVC())
    ),
    "a tree": lambda: bleu_pipeline().set_params(
        rank__estimator=DecisionTreeClassifier(max_depth=4, random_state=0)
    ),
}


@pytest.fixture(scope="module", params=MODELS)
def trained(request, sample):
    """A model of the sample's first half, and its second half without copies."""
    X, y = sample
    half = X.index.get_level_values("segment") <= 64
    model = pickle.loads(pickle.dumps(MODELS[request.param]().fit(X[half], y[half])))
    new = X[~half]
    return model, new[~new.reset_index().duplicated(["segment", "hypothesis"]).to_numpy()]


def with_copies(X, **copied):
    """Add systems that say what others say."""
    parts = [
        X.xs(system, level="system", drop_level=False).rename({system: name}, level="system")
        for name, system in copied.items()
    ]
    return pd.concat([*parts, X])


def test_a_copy_of_a_system_changes_no_number_of_others(trained):
    model, X = trained
    ranked = rank_candidates(model, X)
    copied = rank_candidates(model, with_copies(X, twin="neural", third="neural", other="rule"))
    pd.testing.assert_frame_equal(copied.loc[X.index], ranked, check_exact=True)
    for name, system in {"twin": "neural", "third": "neural", "other": "rule"}.items():
        pd.testing.assert_frame_equal(
            copied.xs(name, level="system").sort_index(),
            ranked.xs(system, level="system").sort_index(),
            check_exact=True,
        )
    systems, before = rank_systems(copied), rank_systems(ranked)
    # More systems are more tests, and fewer are told apart.
    pd.testing.assert_frame_equal(
        systems.loc[before.index].drop(columns="letters"),
        before.drop(columns="letters"),
        check_exact=True,
    )
    pd.testing.assert_series_equal(
        systems.loc["twin"], systems.loc["neural"], check_names=False, check_exact=True
    )
    shuffled = copied.sample(frac=1, random_state=0)
    pd.testing.assert_frame_equal(rank_systems(shuffled), systems, check_exact=True)
    # Without copies nothing is different from what the model itself says.
    assert ranked["rank"].tolist() == model.predict(X).tolist()
    assert ranked["strength"].tolist() == model.decision_function(X).tolist()


def test_equal_texts_are_ranked_by_hand():
    rows = pd.MultiIndex.from_product([[1, 2], ["A", "B", "C", "D"]], names=["segment", "system"])
    texts = ["a b c d e"] * 2 + ["a b c d x", "p q r s t"] + ["one two three four five"] * 4
    X = pd.DataFrame({"hypothesis": texts, "reference": texts[:1] * 4 + texts[4:]}, index=rows)
    fitted = bleu_pipeline().fit(*make_rankings(30, 4, random_state=3))
    ranked = rank_candidates(fitted, X)
    assert ranked["rank"].tolist() == [1, 1, 2, 3, 1, 1, 1, 1]
    assert ranked["strength"].iloc[4:].tolist() == [0.0] * 4  # nothing to be compared with
    assert ranked["score"].iloc[0] == ranked["score"].iloc[1] > ranked["score"].iloc[2]
    assert rank_systems(ranked)["best"].to_dict() == {"A": 1.0, "B": 1.0, "C": 0.5, "D": 0.5}


def test_features_that_count_copies_count_them(sample):
    X, y = sample
    model = make_ranking_pipeline(ContrastiveScore(), RankRecomposer()).fit(X, y)
    model = pickle.loads(pickle.dumps(model))
    two = X.loc[[70]]
    with pytest.warns(UserWarning, match="how far systems agree"):
        ranked = rank_candidates(model, two)
    with pytest.warns(UserWarning, match="how far systems agree"):
        copied = rank_candidates(model, with_copies(two, twin="neural"))
    assert copied.loc[(70, "neural"), "strength"] > ranked.loc[(70, "neural"), "strength"]
    same = ["rank", "strength"]
    assert copied.loc[(70, "twin"), same].tolist() == copied.loc[(70, "neural"), same].tolist()
    assert copied["score"].isna().all()  # a model that compares systems only cannot score


def test_ranking_needs_the_index(rankings):
    X, y = rankings
    model = bleu_pipeline().fit(X, y)
    with pytest.raises(CandidateError, match="MultiIndex"):
        rank_candidates(model, X.reset_index(drop=True))


def test_systems_are_summarised_by_hand(ranked):
    systems = rank_systems(ranked)
    expected = pd.DataFrame(
        {
            "score": [0.3125, 0.25, 0.0625],
            # Of two segments, both resampled as one in a quarter of the cases each.
            "low": [0.125, -0.25, 0.0],
            "high": [0.5, 0.75, 0.125],
            "letters": ["a", "a", "a"],
            "mean_rank": [1.5, 2.0, 2.0],
            "best": [0.5, 0.5, 0.0],
            "segments": [2, 2, 2],
        },
        index=pd.Index(["a", "b", "ç"], name="system"),
    )
    pd.testing.assert_frame_equal(systems, expected)


@pytest.mark.parametrize("recomposition", ["soft", "absolute"])
def test_scores_of_systems_are_those_without_ranks(rankings, recomposition):
    """Rank and score say the same of a translation and of a system: two commands, one number."""
    X, y = rankings
    model = bleu_pipeline(recomposition).fit(X, y)
    ranked, scores = rank_candidates(model, X), score_candidates(model, X)
    pd.testing.assert_series_equal(ranked["score"], scores, check_exact=True)
    options = {"confidence": 0.8, "n_resamples": 50, "random_state": 3}
    found, expected = rank_systems(ranked, **options), score_systems(scores, **options)
    pd.testing.assert_frame_equal(
        found[list(expected)], expected, check_exact=True, check_like=True
    )
    assert found["score"].is_monotonic_decreasing
    one = X.xs(X.index[0][-1], level="system", drop_level=False)
    assert score_candidates(model, one).equals(scores[one.index])


def test_systems_are_sorted_by_score_and_then_by_rank(ranked):
    ranked.loc[(2, "b"), "score"] = 2.0
    assert rank_systems(ranked).index.tolist() == ["b", "a", "ç"]
    ranked["score"] = 0.1
    assert rank_systems(ranked).index.tolist() == ["a", "b", "ç"]


def test_systems_with_different_numbers_of_segments(ranked):
    with pytest.warns(UndefinedMetricWarning, match="fewer than two segments"):
        systems = rank_systems(ranked.drop(index=(2, "a")))
    assert systems["segments"].to_dict() == {"a": 1, "b": 2, "ç": 2}
    assert systems.loc["a", "mean_rank"] == 1


class Strange:
    """A model whose strengths are made by a function."""

    def __init__(self, answer):
        self.answer = answer

    def decision_function(self, X):
        return self.answer(len(X))


@pytest.mark.parametrize(
    "answer",
    [
        lambda n: np.full(n, np.nan),
        lambda n: np.full(n, np.inf),
        lambda n: np.zeros(n - 1),
        lambda n: np.zeros((n, 2)),
        lambda n: ["a"] * n,
        lambda n: None,
    ],
)
def test_strengths_that_cannot_be_ranked(rankings, answer):
    X, y = rankings
    with pytest.raises(ValueError, match=r"Strange.*decision_function.*expected"):
        rank_candidates(Strange(answer), X)
    with pytest.raises(ValueError, match=r"Strange.*decision_function.*expected"):
        kendall_tau_scorer(Strange(answer), X, y)


def test_a_model_that_is_no_ranker(rankings):
    with pytest.raises(TypeError, match=r"object.*cannot rank.*decision_function"):
        rank_candidates(object(), rankings[0])


def test_systems_may_have_labels_of_several_kinds():
    index = pd.MultiIndex(
        levels=[[1, 2], pd.Index([("a",), -0.5, ("b", 1)], dtype=object, tupleize_cols=False)],
        codes=[[0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]],
        names=["segment", "system"],
    )
    table = pd.DataFrame({"rank": [1, 2, 3, 1, 2, 3], "strength": 0.0}, index)
    found = rank_systems(table.assign(score=[0.5, 0.1, -0.9, 0.7, 0.2, -0.9]))
    assert list(found.index) == [("a",), -0.5, ("b", 1)]
    assert found["score"].tolist() == pytest.approx([0.6, 0.15, -0.9])
    assert found["segments"].tolist() == [2, 2, 2]
