"""What a model says of translations whoever competes: copies count once, scores can be averaged."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_mteval import PairDifference, RankRecomposer
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ScoreColumn
from sklearn_mteval.pairwise.absolute import (
    apply_steps,
    distinct_rows,
    standalone_scores,
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
    found = standalone_scores(ranker, X)
    difference = X.to_numpy() - X.mean().to_numpy()  # to the empty translation
    classifier = ranker.estimator_[-1]
    forth, back = (classifier.predict_proba(sign * difference)[:, 1] for sign in (1, -1))
    np.testing.assert_allclose(found, forth - back, atol=1e-8)
    assert ranker.recomposition == "soft"
    alone = [standalone_scores(ranker, X.iloc[[k]])[0] for k in range(5)]
    np.testing.assert_allclose(alone, found[:5], rtol=1e-12)


def test_without_probabilities_the_margin_over_the_empty_translation_tells():
    _, features = table([["a", "b", "c", "d"], ["e"]], one=[3.0, 1.0, 1.0, 2.0, 9.0])
    ranker = RankRecomposer(HARD.estimator, recomposition="hard").fit(features, [1, 3, 3, 2, 1])
    found = standalone_scores(ranker, features)
    classifier, difference = ranker.estimator_[-1], features.to_numpy() - 16 / 5
    forth, back = (classifier.decision_function(sign * difference) for sign in (1, -1))
    expected = (forth / (1 + abs(forth)) - back / (1 + abs(back))) / 2
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert found[4] > found[0] > found[3] > found[1] == found[2]


def test_decisions_alone_tell_better_or_worse_than_the_empty_translation():
    class Votes(KNeighborsClassifier):
        predict_proba = property()

    _, features = table([["a", "b", "c", "d"]], one=[3.0, 1.0, 0.0, 2.5])
    pairs = make_pipeline(PairDifference(), Votes(1))
    ranker = RankRecomposer(pairs, recomposition="hard").fit(features, [1, 3, 4, 2])
    assert standalone_scores(ranker, features).tolist() == [1, -1, -1, 1]


def test_a_ranker_of_any_kind_is_asked_about_each_row_without_competitors():
    class Lengths:
        def decision_function(self, X):
            groups = X.index.get_level_values("segment")
            return X["n"].to_numpy() - X.groupby(groups)["n"].transform("size").to_numpy()

    _, features = table([["a", "b"], ["c"]], n=[4.0, 1.0, 0.0])
    assert standalone_scores(Lengths(), features).tolist() == [3 / 4, 0, -1 / 2]


def with_competitors(n_segments=60):
    """Make columns of which one compares systems, and ranks by both."""
    index = pd.MultiIndex.from_product(
        [range(n_segments), list("ABC")], names=["segment", "system"]
    )
    draws = np.random.default_rng(0).normal(size=(len(index), 2))
    X = pd.DataFrame(draws, index, ["words__f", "words__competing_f"])
    return X, X.sum(axis=1).groupby(level="segment").rank(ascending=False)


@pytest.mark.parametrize("level", ["system", "item"])
def test_columns_that_compare_systems_have_no_part_in_scores(level):
    X, y = with_competitors()
    X.index = y.index = X.index.set_names(level, level=1)
    ranker = RankRecomposer(item_level=level).fit(X, y)
    assert list(ranker.standalone_.feature_names_in_) == ["words__f"]
    changed = X.assign(words__competing_f=np.arange(len(X)) % 7)
    assert (ranker.decision_function(changed) != ranker.decision_function(X)).any()
    np.testing.assert_array_equal(standalone_scores(ranker, changed), standalone_scores(ranker, X))
    alone = RankRecomposer(item_level=level, empty="fifths").fit(X[["words__f"]], y)
    assert alone.standalone_ is None
    np.testing.assert_array_equal(
        standalone_scores(alone, X[["words__f"]]), standalone_scores(ranker, X)
    )


@pytest.mark.parametrize("kind", [pd.DataFrame, np.asarray])
def test_five_empty_translations_are_the_means_of_fifths_by_score(kind):
    X = np.array([[9.0], [1.0], [3.0], [2.0], [5.0], [4.0], [8.0], [7.0], [6.0], [10.0]])
    options = {"recomposition": "absolute", "item_level": None}
    five = RankRecomposer(empty="fifths", **options).fit(kind(X), -X[:, 0])
    assert five.empty_.ravel().tolist() == [1.5, 3.5, 5.5, 7.5, 9.5]
    difference = StandardScaler().fit(
        np.subtract.outer(X[:, 0], X[:, 0])[~np.eye(10, dtype=bool)][:, None]
    )
    slope = five.estimator_[-1].coef_[0, 0] / difference.scale_[0]
    margins = slope * (X - five.empty_.T)
    expected = np.tanh(margins / 2).mean(axis=1)
    np.testing.assert_allclose(five.decision_function(kind(X)), expected, rtol=1e-9)


def test_scores_that_lie_close_are_not_made_equal():
    X = pd.DataFrame(
        {"f": [1.0, 1 + 1e-12, 0.5]},
        pd.MultiIndex.from_tuples([(1, "A"), (1, "B"), (2, "A")], names=["segment", "system"]),
    )
    ranker = RankRecomposer(recomposition="absolute").fit(X.assign(f=[2.0, 1.0, 0.0]), [1, 2, 1])
    both = standalone_scores(ranker, X)
    assert both[1] > both[0] == standalone_scores(ranker, X[:1])[0]


def test_a_model_without_a_head_is_warned_of_and_scored_as_before():
    X, y = with_competitors()
    old = RankRecomposer(standalone=False).fit(X, y)
    del old.standalone_  # as saved by earlier versions
    with pytest.warns(UserWarning, match="no stand-alone head"):
        found = standalone_scores(old, X)
    absolute = RankRecomposer(recomposition="absolute").fit(X, y)
    np.testing.assert_array_equal(found, absolute.decision_function(X))


def test_a_model_that_only_compares_systems_cannot_score():
    X, y = with_competitors()
    ranker = RankRecomposer().fit(X[["words__competing_f"]], y)
    assert ranker.standalone_ is None
    with pytest.raises(ValueError, match="can rank, not score"):
        standalone_scores(ranker, X[["words__competing_f"]])
