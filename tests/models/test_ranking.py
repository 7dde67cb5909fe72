import numpy as np
import pandas as pd
import pytest

from sklearn_mteval import kendall_tau_scorer
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models import bleu_pipeline, rank_candidates, rank_systems
from sklearn_mteval.pairwise import RECOMPOSITIONS


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
            "mean_rank": [1.5, 2.0, 2.0],
            "best": [0.5, 0.5, 0.0],
            "segments": [2, 2, 2],
        },
        index=pd.Index(["a", "b", "ç"], name="system"),
    )
    pd.testing.assert_frame_equal(systems, expected)


def test_systems_are_sorted_by_score_and_then_by_rank(ranked):
    ranked.loc[(2, "b"), "score"] = 2.0
    assert rank_systems(ranked).index.tolist() == ["b", "a", "ç"]
    ranked["score"] = 0.1
    assert rank_systems(ranked).index.tolist() == ["a", "b", "ç"]


def test_systems_with_different_numbers_of_segments(ranked):
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
