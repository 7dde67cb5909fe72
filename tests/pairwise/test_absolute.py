"""What a model says of translations whoever competes: copies count once, scores can be averaged."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_mteval import PairDifference, RankRecomposer
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ScoreColumn
from sklearn_mteval.pairwise.absolute import (
    apply_steps,
    distinct_rows,
    scores_among_distinct,
    tells_alone,
)

HARD = RankRecomposer(make_pipeline(PairDifference(), LinearSVC(C=1.0)), recomposition="hard")


def table(texts, **features):
    """A segment's candidates for each list of texts, and their features."""
    rows = [(s, f"sys{k}") for s, of_segment in enumerate(texts, 1) for k in range(len(of_segment))]
    index = pd.MultiIndex.from_tuples(rows, names=["segment", "system"])
    X = pd.DataFrame({"hypothesis": [text for part in texts for text in part]}, index=index)
    return X, pd.DataFrame(features, index=index)


def test_copies_have_one_text_and_one_set_of_features_in_one_group():
    X, features = table(
        [["a", "b", "a", "b"], ["a", "b", "b"]],
        number=[1.0, 2.0, 1.0, 2.5, 1.0, np.nan, np.nan],
        text=[["x", "y"]] * 7,
    )
    first, place = distinct_rows(X, features)
    assert first.tolist() == [0, 1, 3, 4, 5]
    assert first[place].tolist() == [0, 1, 0, 3, 4, 5, 5]


def test_without_texts_copies_are_told_by_features():
    X, features = table([["a", "b", "c"]], one=[1.0, -0.0, 0.0], two=[3, 4, 4])
    first, place = distinct_rows(features, features)
    assert (first.tolist(), place.tolist()) == ([0, 1], [0, 1, 1])
    assert distinct_rows(X, features)[0].tolist() == [0, 1, 2]


def test_annotators_rankings_are_groups():
    index = pd.MultiIndex.from_product(
        [[1], ["r1", "r2"], ["A", "B"]], names=["segment", "ranking", "system"]
    )
    X = pd.DataFrame({"hypothesis": ["x"] * 4}, index=index)
    first, place = distinct_rows(X, X)
    assert (first.tolist(), place.tolist()) == ([0, 2], [0, 0, 1, 1])


def test_texts_with_scores_looked_up_by_system_are_no_copies():
    X, _ = table([["a", "a"], ["b", "b"]])
    scores = {"sys0": [1.0, 2.0], "sys1": [1.0, 3.0]}
    looked_up = ScoreColumn(scores).set_output(transform="pandas").fit_transform(X)
    assert distinct_rows(X, looked_up)[0].tolist() == [0, 2, 3]


def test_features_without_an_index():
    X, features = table([["a", "b"]], one=[1.0, 2.0])
    with pytest.raises(CandidateError, match=r"index that says which.*set_output"):
        distinct_rows(X, features.to_numpy())


def test_steps_are_applied_of_pipelines_and_searches(numbers):
    X, y = numbers
    model = make_pipeline(StandardScaler(), RankRecomposer()).set_output(transform="pandas")
    model.fit(X, y)
    scaled, ranker = apply_steps(model, X)
    np.testing.assert_allclose(scaled, (X - X.mean()) / X.std(ddof=0))
    assert ranker is model[-1]

    class Search:
        best_estimator_ = model

    assert apply_steps(Search(), X)[1] is ranker
    same, last = apply_steps(ranker, X)
    assert same is X and last is ranker


def test_absolute_scores_are_differences_of_both_directions(numbers):
    X, y = numbers
    ranker = RankRecomposer(make_pipeline(PairDifference(), LogisticRegression())).fit(X, y)
    assert tells_alone(ranker)
    found = scores_among_distinct(ranker, X)
    difference = X.to_numpy() - X.mean().to_numpy()  # to the empty translation
    classifier = ranker.estimator_[-1]
    forth, back = (classifier.predict_proba(sign * difference)[:, 1] for sign in (1, -1))
    np.testing.assert_allclose(found, forth - back, atol=1e-8)
    assert ranker.recomposition == "soft"
    alone = [scores_among_distinct(ranker, X.iloc[[k]])[0] for k in range(5)]
    np.testing.assert_allclose(alone, found[:5], rtol=1e-12)


def test_without_probabilities_wins_less_losses_by_the_number_of_competitors():
    _, features = table([["a", "b", "c", "d"], ["e"]], one=[3.0, 1.0, 1.0, 2.0, 9.0])
    ranker = RankRecomposer(HARD.estimator, recomposition="hard").fit(features, [1, 3, 3, 2, 1])
    assert not tells_alone(ranker)
    found = scores_among_distinct(ranker, features)
    assert found.tolist() == pytest.approx([1, -2 / 3, -2 / 3, 1 / 3, 0])
    # Strengths of any scale.
    known = scores_among_distinct(ranker, features, np.array([-5.0, 8.0, 8.0, 1e9, 3.0]))
    assert known.tolist() == pytest.approx([-1, 0, 0, 1, 0])
    assert not tells_alone(object())
