"""Windowed, a ranker around another one."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_validate

from sklearn_mteval import (
    SegmentKFold,
    kendall_tau_scorer,
    load_model,
    save_model,
)
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models import bleu_pipeline, rank_candidates, score_candidates
from sklearn_mteval.pairwise import Windowed


def paragraphs(X, n=3):
    """Join the sentences of n segments that follow each other to texts of that many."""
    groups = (X.index.get_level_values("segment") - 1) // n
    texts = X.groupby([groups, X.index.get_level_values("system")]).agg(" ".join)
    return texts.rename_axis(index=["segment", "system"])


X, Y = load_sample(return_X_y=True)
TEXTS = X[["reference", "hypothesis"]]
TEXTS = TEXTS[TEXTS.index.get_level_values("segment") <= 60]
Y = Y[TEXTS.index]
LONG = paragraphs(TEXTS)


@pytest.fixture(scope="module")
def ranker():
    return bleu_pipeline().fit(TEXTS, Y)


@pytest.fixture(scope="module")
def model():
    return Windowed(bleu_pipeline()).fit(TEXTS, Y)


def answers(model, table=LONG):
    return rank_candidates(model, table).to_numpy().tolist()


def test_parameters_and_clones():
    model = Windowed(bleu_pipeline(), anchor="source", longest=400)
    assert model.get_params(deep=False) == {
        "estimator": model.estimator, "anchor": "source", "longest": 400,
    }  # fmt: skip
    assert "estimator__rank__recomposition" in model.get_params()
    copy = clone(model).set_params(estimator__rank__recomposition="hard", longest=500)
    assert copy.estimator["rank"].recomposition == "hard" and copy.longest == 500
    assert model.estimator["rank"].recomposition != "hard" and model.longest == 400
    assert not hasattr(copy, "ranker_")


def test_the_estimator_given_stays_as_it_was():
    inner = bleu_pipeline()
    model = Windowed(inner)
    assert model.fit(TEXTS, Y) is model
    assert model.ranker_ is not inner
    with pytest.raises(NotFittedError):
        inner.decision_function(TEXTS)


@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_before_a_fit(method):
    with pytest.raises(NotFittedError):
        getattr(Windowed(bleu_pipeline()), method)(TEXTS)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"anchor": "hypothesis"}, ValueError, "anchor"),
        ({"anchor": None}, ValueError, "anchor"),
        ({"longest": 299}, ValueError, "longest"),
        ({"longest": 400.5}, (TypeError, ValueError), "longest"),
    ],
)
def test_options_that_cannot_be(options, error, words, ranker):
    with pytest.raises(error, match=words):
        Windowed(bleu_pipeline(), **options).fit(TEXTS, Y)
    with pytest.raises(error, match=words):
        Windowed.of(ranker, **options)


def test_texts_that_are_none(model):
    with pytest.raises(CandidateError, match="row 1"):
        model.predict(TEXTS.assign(hypothesis=["a", None, *TEXTS["hypothesis"].iloc[2:]]))


def test_sentences_have_the_bits_of_the_ranker_within(ranker):
    one = TEXTS.map(lambda text: text.replace(".", "").replace("?", "").replace("!", ""))
    model = Windowed.of(ranker)
    assert answers(model, one) == answers(ranker, one)
    for method in ("predict", "decision_function"):
        found, expected = (getattr(fitted, method)(one) for fitted in (model, ranker))
        assert found.tolist() == expected.tolist() and found.dtype == expected.dtype


def test_a_text_of_sentences_has_the_mean_of_their_scores(ranker):
    reference, other = "The cat sat on the mat.", "Nobody knew when the bus would come."
    rows = [(reference, "A cat sat on the mat."), (other, "Nobody knew when the bus came.")]
    parts = as_table(rows)
    score = score_candidates(ranker, parts).to_numpy()
    whole = as_table([tuple(" ".join(texts) for texts in zip(*rows, strict=True))])
    expected = np.average(score, weights=[len(reference), len(other)])
    assert score_candidates(Windowed.of(ranker), whole).item() == pytest.approx(expected, rel=1e-12)
    # An omission costs as the worst score there is.
    half = whole.assign(hypothesis=rows[0][1])
    expected = np.average([score[0], -1], weights=[len(reference), len(other)])
    assert score_candidates(Windowed.of(ranker), half).item() == pytest.approx(expected, rel=1e-12)


def as_table(rows):
    """Make a candidate table of references and hypotheses, each a segment."""
    index = pd.MultiIndex.from_tuples(
        [(k, "s") for k in range(len(rows))], names=["segment", "system"]
    )
    return pd.DataFrame(rows, index, columns=["reference", "hypothesis"])


def test_ranks_are_those_of_strengths(model):
    strength = pd.Series(model.decision_function(LONG), LONG.index)
    expected = strength.groupby("segment").rank(ascending=False, method="min").astype(int)
    assert model.predict(LONG).tolist() == expected.tolist()
    assert rank_candidates(model, LONG)["strength"].tolist() == strength.tolist()
    assert -1 <= model.score(LONG, model.predict(LONG)) == 1


def test_index_and_order_are_kept(model):
    given = LONG.copy()
    ranked = rank_candidates(model, LONG)
    pd.testing.assert_frame_equal(LONG, given)
    assert ranked.index.equals(LONG.index)
    shuffled = LONG.sample(frac=1, random_state=0)
    again = rank_candidates(model, shuffled)
    pd.testing.assert_frame_equal(again, ranked.loc[shuffled.index], check_exact=True)


def test_labels_of_any_kind(model):
    named = LONG.rename(index=lambda label: f"doc {label}", level="segment")
    assert answers(model, named) == answers(model)
    ranking = pd.MultiIndex.from_tuples([(s, "x", t) for s, t in LONG.index])
    tasks = LONG.set_axis(ranking.set_names(["segment", "ranking", "system"]))
    assert answers(model, tasks) == answers(model)


def test_a_segment_of_two_rankings(model):
    tables = [LONG.assign(ranking=name).set_index("ranking", append=True) for name in "xy"]
    both = pd.concat(tables).reorder_levels(["segment", "ranking", "system"])
    assert answers(model, both) == 2 * answers(model)


def test_pickled(model):
    assert answers(pickle.loads(pickle.dumps(model))) == answers(model)


def test_saved_and_loaded(model, tmp_path):
    model = clone(model).set_params(longest=400).fit(TEXTS, Y)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert isinstance(loaded, Windowed) and loaded.longest == 400
    assert answers(loaded) == answers(model)
    assert repr(loaded) == repr(model)


def test_in_a_search():
    grid = {"estimator__rank__recomposition": ["hard", "soft"], "longest": [300, 900]}
    search = GridSearchCV(
        Windowed(bleu_pipeline()), grid, scoring=kendall_tau_scorer, cv=SegmentKFold(2),
        error_score="raise",
    )  # fmt: skip
    search.fit(TEXTS, Y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = clone(search.best_estimator_).fit(TEXTS, Y)
    assert answers(search) == answers(best)


def test_around_a_search(tmp_path):
    grid = {"rank__recomposition": ["hard", "soft"]}
    inner = GridSearchCV(bleu_pipeline(), grid, scoring=kendall_tau_scorer, cv=SegmentKFold(2))
    model = Windowed(inner).fit(TEXTS, Y)
    expected = Windowed.of(model.ranker_.best_estimator_)
    assert answers(model) == answers(expected)
    assert model.predict(LONG).tolist() == expected.predict(LONG).tolist()


def test_cross_validated():
    found = cross_validate(
        Windowed(bleu_pipeline()), TEXTS, Y, cv=SegmentKFold(3), scoring=kendall_tau_scorer,
        error_score="raise",
    )  # fmt: skip
    assert found["test_score"].shape == (3,) and (found["test_score"] > 0).all()


def test_other_segments_change_no_strength_of_additions():
    """Also of a ranker without pairs, whose additions have the lowest strength of their ranking."""

    class Longest(BaseEstimator):
        def fit(self, X, y=None):
            return self

        def decision_function(self, X):
            return X["hypothesis"].str.len().to_numpy(np.float64)

    one, two = "The cat sat on the old mat.", "A dog barked at every stranger in town."
    text, added = f"{one} {two}", "Rain is expected over the whole of the country tomorrow."
    rows = [(text, text), (text, f"{text} {added}"), ("Yes.", "No."), ("Yes.", "Yes.")]
    index = pd.MultiIndex.from_product([[1, 2], ["a", "b"]], names=["segment", "system"])
    X = pd.DataFrame(rows, index, columns=["reference", "hypothesis"])
    model = Windowed.of(Longest())
    alone = model.decision_function(X.iloc[:2])
    assert model.decision_function(X)[:2].tolist() == alone.tolist()
    assert alone[0] > alone[1]
