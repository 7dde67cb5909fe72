import pickle

import numpy as np
import pandas as pd
import pytest
import torch
from encoder_model import one_layer_model
from hypothesis import given, settings
from hypothesis import strategies as st
from letter_alignment import LETTERS, by_loops, judged_by_a_and_b, learner, letters, table, units
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sklearn_mteval import PairDifference, RankRecomposer, kendall_tau, load_model, save_model
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import LearnedTokenAlignment
from sklearn_mteval.features.embeddings import _alignment_training, _competitors, _token_transformer
from sklearn_mteval.features.embeddings._alignment_training import AlignmentNetwork
from sklearn_mteval.features.embeddings._ranked_segments import ranked_segments, units_of_segments
from sklearn_mteval.models import score_candidates
from sklearn_mteval.pairwise import make_ranking_pipeline

TEXTS = st.text(LETTERS, max_size=6)
PARTS = ("score", "precision", "recall", "cosine")
COMPETING = [f"learnedalignment_competing_{part}" for part in PARTS]


def competing_by_loops(fitted, X, hypothesis, segment, reference):
    """Average over the other distinct translations of a segment with the same references."""
    state = fitted.projection_, fitted.token_weights_, fitted.coefficients_[-1]
    there = X.index.get_level_values("segment") == segment
    if reference is not None:
        there &= np.array([cell == reference for cell in X["reference"]])
    others = sorted(set(X["hypothesis"][there]) - {hypothesis})
    if not others:
        return fitted.means_
    rows = [
        by_loops(*map(units, letters([hypothesis, other])), *state)
        if hypothesis and other
        else np.zeros(4)
        for other in others
    ]
    return np.mean(rows, axis=0)


@pytest.mark.parametrize("against", ["competing", "both"])
@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 2), TEXTS, st.sampled_from(["ab", "cd"])), min_size=1),
    seed=st.integers(0, 99),
)
def test_columns_are_those_of_plain_loops(against, rows, seed):
    rng = np.random.default_rng(seed)
    X, y = judged_by_a_and_b(6)
    fitted = learner(against=against, max_epochs=1).fit(X, y)
    fitted.projection_ = rng.normal(size=(3, 10)).astype(np.float16)
    fitted.token_weights_ = rng.normal(size=3).astype(np.float32)
    fitted.coefficients_ = rng.normal(size=fitted.coefficients_.shape)
    X, _ = table([(s, 0, f"s{k}", text, ref, 0) for k, (s, text, ref) in enumerate(rows)])
    found = fitted.transform(X)
    for k, (segment, text, reference) in enumerate(rows):
        reference = reference if against == "both" else None
        expected = competing_by_loops(fitted, X, text, segment, reference)
        np.testing.assert_allclose(found[k, -4:], expected, atol=5e-3)
    if against == "both":
        alone = pickle.loads(pickle.dumps(fitted)).set_params(against="reference")
        alone.coefficients_ = fitted.coefficients_[:1]
        np.testing.assert_array_equal(found[:, :4], alone.transform(X))
        assert list(fitted.get_feature_names_out()) == [
            *alone.get_feature_names_out(), *COMPETING,
        ]  # fmt: skip
    else:
        assert list(fitted.get_feature_names_out()) == COMPETING


def judged_by_competitors(n_segments=40, seed=0):
    """The annotator likes a and b, of which the competitors have most; no reference is right."""
    X, y = judged_by_a_and_b(n_segments, seed)
    return X.assign(reference=""), y


def test_training_needs_no_reference():
    X, y = judged_by_competitors()
    X = X.drop(columns="reference")
    fitted = learner(against="competing", max_epochs=6).fit(X, y)
    fresh, ranks = judged_by_competitors(seed=1)
    score = fitted.transform(fresh)[:, 0]
    groups = fresh.index.get_level_values("segment")
    assert kendall_tau(ranks, score, groups=groups) > 0.1
    with pytest.raises(CandidateError, match="reference"):
        learner(against="both").fit(X, y)


@pytest.mark.parametrize("against", ["competing", "both"])
def test_the_loss_by_loops(against, monkeypatch):
    monkeypatch.setattr(_alignment_training, "_HEAD_RATE", 1e-30)
    X, y = table([
        (1, 1, "A", "ab", "abc", 1), (1, 1, "B", "a", "abc", 2), (1, 1, "C", "f", "abc", 2),
        (1, 2, "A", "ab", "abc", 1), (1, 2, "B", "a", "abc", 3), (1, 2, "D", "ab", "abc", 2),
        (2, 1, "A", "h", "g", 5), (2, 1, "B", "", "g", 6), (2, 1, "C", "ha", "g", 6),
        (3, 1, "A", "b", "ab", 1), (3, 1, "B", "bd", "ga", 2), (3, 1, "C", "a", "ab", 3),
        (4, 1, "A", "b", "h", 1), (4, 1, "B", "", "h", 2),
    ])  # fmt: skip
    drawn = torch.linspace(-1, 1, 3 * (2 if against == "both" else 1)).reshape(-1, 3)

    def start(self, *args, **options):
        network(self, *args, **options)
        self.mixture.data = drawn.clone()

    network = AlignmentNetwork.__init__
    monkeypatch.setattr(AlignmentNetwork, "__init__", start)
    fitted = learner(
        against=against, learning_rate=1e-30, max_epochs=1, validation_fraction=None
    ).fit(X, y)
    found = fitted.transform(X)
    total = found[:, 0] + (found[:, 4] if against == "both" else 0)
    score = {(s, text): x for s, text, x in zip(
        X.index.get_level_values("segment"), X["hypothesis"], total, strict=True)}  # fmt: skip
    if against == "both":  # bd has no competitor with its reference: 0 in training
        score[3, "bd"] = found[10, 0]
    decisions = {
        (1, "ab", "a"): 3, (1, "ab", "f"): 1, (2, "h", ""): 1, (2, "h", "ha"): 1,
        (3, "b", "bd"): 1, (3, "b", "a"): 1, (3, "bd", "a"): 1, (4, "b", ""): 1,
    }  # fmt: skip
    losses = [
        np.sqrt(n) * np.log(1 + np.exp(score[segment, worse] - score[segment, better]))
        for (segment, better, worse), n in decisions.items()
    ]
    expected = sum(losses) / sum(map(np.sqrt, decisions.values()))
    np.testing.assert_allclose(fitted.losses_, [expected], rtol=1e-4)


def test_segments_by_hand():
    X, y = table([
        (9, 1, "A", "y", "r", 1), (9, 1, "B", "x", "s", 2), (9, 1, "C", "y", "r", 3),
        (9, 1, "D", "z", "r", 3), (7, 1, "A", "z", "s", 4), (5, 1, "A", "x", "q", 4),
    ])  # fmt: skip
    five, nine, seven = ranked_segments(X, y, reference=False)
    assert nine.candidates == [("x", ()), ("y", ()), ("z", ())]
    decided = list(zip(nine.better.tolist(), nine.worse.tolist(), strict=True))
    assert decided == [(0, 1), (0, 2), (1, 0), (1, 2)]  # x before the second y, the first before x
    np.testing.assert_array_equal(nine.weights, [1, 1, 1, 1])
    assert five.candidates == [("x", ())] and seven.candidates == [("z", ())]
    assert units_of_segments([five, nine, seven]).tolist() == [
        0,
        0,
        1,
    ]  # by their first translations


def test_who_has_no_competitor_gets_the_mean():
    X, y = judged_by_a_and_b(8)
    lone = X.iloc[[0]].set_axis(pd.MultiIndex.from_tuples([(99, 0, "w")], names=X.index.names))
    twice = pd.concat([X, lone])
    ranks = pd.concat([y, pd.Series([0.0], index=lone.index)])
    fitted = learner(against="both").fit(twice, ranks)
    found = fitted.transform(twice)
    distinct = ~X.assign(s=X.index.get_level_values("segment")).duplicated().to_numpy()
    np.testing.assert_allclose(found[:-1][distinct, 4:].mean(axis=0), fitted.means_, rtol=1e-12)
    np.testing.assert_array_equal(found[-1, 4:], fitted.means_)
    # One with equal texts only has none either.
    same = pd.concat([lone, lone.rename({"w": "v"})])
    np.testing.assert_array_equal(fitted.transform(same)[:, 4:], [fitted.means_] * 2)
    nobody = X.groupby("segment").head(1)
    with pytest.raises(CandidateError, match="Nothing to learn"):
        learner(against="competing").fit(nobody, y[nobody.index])


@pytest.mark.parametrize("against", ["competing", "both"])
def test_copies_order_and_names_change_no_bit(against):
    X, y = judged_by_a_and_b(12)
    fitted = learner(against=against).fit(X, y)
    found = fitted.transform(X)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(fitted.transform(X.iloc[order]), found[order])
    renamed = X.rename(index=lambda name: f"n{name}" if isinstance(name, str) else -name)
    np.testing.assert_array_equal(fitted.transform(renamed), found)
    copies = X.xs("w", level="system", drop_level=False).rename({"w": "copy"})
    np.testing.assert_array_equal(fitted.transform(pd.concat([copies, X]))[len(copies) :], found)
    again = learner(against=against).fit(X.iloc[order], y.iloc[order])
    np.testing.assert_array_equal(again.transform(X), found)


def test_training_rows_are_scored_without_their_own_ranks():
    X, y = judged_by_a_and_b()
    options = {"against": "competing", "validation_fraction": None, "max_epochs": 2}
    found = learner(**options).fit_transform(X, y)
    chosen = next(segment for segment, ranks in y.groupby("segment") if ranks.nunique() > 2)
    own = X.index.get_level_values("segment") == chosen
    again = learner(**options).fit_transform(X, y.where(~own, -y))
    np.testing.assert_array_equal(again[own], found[own])
    assert (again != found).any()


def test_each_text_is_encoded_once_and_blocks_change_nothing(monkeypatch):
    asked = []

    def remember(texts):
        asked.extend(texts)
        return letters(texts)

    X, y = judged_by_a_and_b(12)
    fitted = learner(remember, against="both").fit(X, y)
    asked.clear()
    found = fitted.transform(X)
    assert sorted(asked) == sorted({*X["hypothesis"], *X["reference"]})
    monkeypatch.setattr(_token_transformer, "_BLOCK", 3)
    monkeypatch.setattr(_competitors, "_CELLS", 40)
    np.testing.assert_allclose(fitted.transform(X), found, atol=1e-6)


def test_in_a_saved_model(tmp_path):
    X, y = judged_by_a_and_b(16)
    features = LearnedTokenAlignment(letters, against="both", max_epochs=1, cv=2, n_dimensions=4)
    ranker = RankRecomposer(make_pipeline(PairDifference(), LogisticRegression()))
    model = make_ranking_pipeline(features, ranker).fit(X, y)
    trusted = [f"{letters.__module__}.letters"]
    save_model(model, tmp_path / "model", X=X, y=y, trusted=trusted)
    loaded = load_model(tmp_path / "model", trusted=trusted)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    crafted = pickle.loads(pickle.dumps(model[0]))
    crafted.means_ = crafted.means_[:2]
    with pytest.raises(ValueError):
        pickle.loads(pickle.dumps(crafted))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "auto"])
def test_a_score_is_the_same_alone_and_among_many(dtype, sample):
    X, y = (table[:80] for table in sample)
    features = LearnedTokenAlignment(
        one_layer_model(), against="both", dtype=dtype, max_epochs=1, cv=None, n_dimensions=8
    )
    ranker = RankRecomposer(make_pipeline(PairDifference(), LogisticRegression()))
    model = make_ranking_pipeline(features, ranker).fit(X, y)
    kept = [f"learnedalignment_{part}" for part in PARTS]
    assert list(model[-1].standalone_.feature_names_in_) == kept
    found = score_candidates(model, X)
    assert found.nunique() > 40
    for k in (0, 7, 31, 78):
        alone = score_candidates(model, X.iloc[[k]])
        np.testing.assert_allclose(alone, found.iloc[[k]], rtol=0, atol=1e-5)
    five = X.iloc[5:10]
    np.testing.assert_allclose(score_candidates(model, five), found[5:10], rtol=0, atol=1e-5)


def test_bad_input():
    X, y = judged_by_a_and_b(4)
    with pytest.raises(ValueError, match=r"against .*found "):
        learner(against="rivals").fit(X, y)
    fitted = learner(against="competing", max_epochs=1).fit(X, y)
    with pytest.raises(CandidateError, match="segment"):
        fitted.transform(X.reset_index(drop=True))
