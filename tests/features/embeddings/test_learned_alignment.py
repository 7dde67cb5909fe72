import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest
import torch
from batteries import run_battery
from encoder_model import causal_model
from hypothesis import given, settings
from hypothesis import strategies as st
from letter_alignment import (
    LETTERS,
    by_loops,
    initials,
    judged_by_a_and_b,
    learner,
    letters,
    table,
    units,
)
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline, make_union

from sklearn_mteval import (
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    kendall_tau,
    kendall_tau_scorer,
    load_model,
    save_model,
)
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import BLEUComp, LearnedTokenAlignment, TokenAlignment
from sklearn_mteval.features.embeddings import _alignment_training
from sklearn_mteval.features.embeddings._ranked_segments import ranked_segments, units_of_segments
from sklearn_mteval.testing import text_transformer_checks

LEARNT = ("projection_", "token_weights_", "coefficients_", "losses_")


@cache
def trained():
    return learner().fit(*judged_by_a_and_b())


@pytest.fixture
def untrained(monkeypatch):
    """A learner that learns nothing: what it starts from."""
    monkeypatch.setattr(_alignment_training, "_HEAD_RATE", 1e-30)
    return learner(learning_rate=1e-30, max_epochs=1, validation_fraction=None)


def same(one, other):
    for name in LEARNT:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), strict=True)


def test_it_learns_which_tokens_count():
    X, y = judged_by_a_and_b(30, seed=1)
    groups = X.index.droplevel("system")
    plain = TokenAlignment(letters).fit_transform(X)[:, 2]
    learnt = trained().transform(X)[:, 0]
    taus = [kendall_tau(y, scores, groups=groups) for scores in (plain, learnt)]
    assert taus[1] > taus[0] + 0.1
    losses = trained().losses_
    assert losses.shape == (5,) and losses[-1] < 0.6 * losses[0]


TEXTS = st.text(LETTERS, min_size=1, max_size=8)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5), st.integers(0, 99))
def test_scores_are_those_of_plain_loops(pairs, seed):
    rng = np.random.default_rng(seed)
    fitted = pickle.loads(pickle.dumps(trained()))
    fitted.projection_ = rng.normal(size=(3, 10)).astype(np.float16)
    fitted.token_weights_ = rng.normal(size=3).astype(np.float32)
    fitted.coefficients_ = rng.normal(size=(1, 3))
    X = pd.DataFrame(pairs, columns=["hypothesis", "reference"], dtype=object)
    state = fitted.projection_, fitted.token_weights_, fitted.coefficients_[0]
    expected = [by_loops(*map(units, letters(pair)), *state) for pair in pairs]
    np.testing.assert_allclose(fitted.transform(X), expected, atol=5e-3)


def test_it_starts_from_the_plain_alignment(untrained):
    X, y = judged_by_a_and_b()
    start = untrained.fit(X, y)
    plain = TokenAlignment(letters).fit_transform(X)
    found = start.transform(X)
    np.testing.assert_allclose(found[:, 1:3], plain[:, :2], atol=1e-5)
    np.testing.assert_allclose(found[:, 0], 20 * plain[:, :2].mean(axis=1), atol=1e-3)
    assert start.token_weights_.max() < 1e-20


def test_principal_directions_keep_cosines(untrained):
    """Vectors that lie in a subspace are as alike when they are projected to its dimensions."""
    wide = np.linalg.qr(np.random.default_rng(0).normal(size=(40, 10)))[0].T

    def widened(texts):
        return [vectors @ wide for vectors in letters(texts)]

    X, y = judged_by_a_and_b()
    found = clone(untrained).set_params(encoder=widened, n_dimensions=10).fit(X, y)
    assert found.projection_.shape == (10, 40)
    plain = TokenAlignment(letters).fit_transform(X)
    np.testing.assert_allclose(found.transform(X)[:, 1:3], plain[:, :2], atol=2e-3)
    wider = clone(untrained).set_params(encoder=widened, n_dimensions=99).fit(X, y)
    assert wider.projection_.shape == (40, 40)


def test_the_loss_by_loops(untrained):
    rows = [
        (1, 1, "A", "ab", "abc", 1), (1, 1, "B", "a", "abc", 2), (1, 1, "C", "f", "abc", 2),
        (1, 2, "A", "ab", "abc", 1), (1, 2, "B", "a", "abc", 3), (1, 2, "D", "ab", "abc", 2),
        (1, 3, "A", "ab", "abc", 2), (1, 3, "B", "a", "abc", 1),
        (2, 1, "A", "h", "bd", 5), (2, 1, "B", "", "bd", 6),
    ]  # fmt: skip
    X, y = table(rows)
    # Better, worse: how often. A and D of ranking 2 have the same text; B and C of 1 are tied; D
    # is better than B as A is.
    decisions = {
        ("ab", "a", "abc"): 3, ("ab", "f", "abc"): 1, ("a", "ab", "abc"): 1, ("h", "", "bd"): 1,
    }  # fmt: skip
    fitted = untrained.fit(X, y)

    def score(hypothesis, reference):
        pair = pd.DataFrame({"hypothesis": [hypothesis], "reference": [reference]})
        return fitted.transform(pair)[0, 0]

    losses = [
        np.sqrt(n) * np.log(1 + np.exp(score(worse, reference) - score(better, reference)))
        for (better, worse, reference), n in decisions.items()
    ]
    expected = sum(losses) / sum(map(np.sqrt, decisions.values()))
    np.testing.assert_allclose(fitted.losses_, [expected], rtol=1e-4)


def test_segments_by_hand():
    X, y = table([
        (9, 1, "A", "y", ["r", "s"], 1), (9, 1, "B", "x", ["r", "s"], 2),
        (9, 2, "A", "y", ["r", "s"], 1), (9, 2, "B", "x", ["r", "s"], 2),
        (5, 1, "A", "x", "q", 1), (5, 1, "B", "x", "q", 2), (5, 1, "C", "z", "r", 0),
        (7, 1, "A", "z", "s", 4),
    ])  # fmt: skip
    five, nine, seven = ranked_segments(X, y)
    assert nine.candidates == [("x", ("r", "s")), ("y", ("r", "s"))]
    assert (nine.better.tolist(), nine.worse.tolist()) == ([1], [0])
    np.testing.assert_array_equal(nine.weights, [np.sqrt(2)])
    assert nine.rows.tolist() == [0, 1, 2, 3]
    assert nine.texts() == ["x", "r", "s", "y", "r", "s"]
    assert five.candidates == [("x", ("q",)), ("z", ("r",))]
    assert (five.better.tolist(), five.worse.tolist()) == ([1], [0])
    np.testing.assert_array_equal(five.weights, [np.sqrt(2)])  # of both x
    assert seven.candidates == [("z", ("s",))] and not len(seven.weights)
    assert units_of_segments([five, nine, seven, nine]).tolist() == [0, 0, 1, 0]  # over r
    both = nine._replace(candidates=[("x", ("s",)), ("y", ("", "q")), ("z", ("r",))])
    assert units_of_segments([five, both, seven]).tolist() == [0, 0, 0]  # over r and s
    empty = seven._replace(candidates=[("a", ("",))])
    other = seven._replace(candidates=[("b", ("",))])
    assert units_of_segments([other, nine, empty]).tolist() == [1, 2, 0]  # none, not shared


def test_neither_order_nor_names_count():
    X, y = judged_by_a_and_b()
    order = np.random.default_rng(0).permutation(len(X))
    other = X.iloc[order]
    other.index = pd.MultiIndex.from_tuples(
        [(f"doc{-segment}", 3, f"{system}!") for segment, _, system in other.index],
        names=X.index.names,
    )
    again = learner()
    cross_fitted = again.fit_transform(other, y.to_numpy()[order])
    same(again, trained())
    np.testing.assert_array_equal(cross_fitted, learner().fit_transform(X, y)[order])


def test_the_seed_counts():
    X, y = judged_by_a_and_b()
    same(learner(random_state=np.random.RandomState(0)).fit(X, y), trained())
    other = learner(random_state=1).fit(X, y)
    assert (other.projection_ != trained().projection_).any()


def test_training_rows_are_scored_without_their_own_ranks():
    X, y = judged_by_a_and_b()
    learnt = learner(validation_fraction=None)
    found, final = learnt.fit_transform(X, y), learnt.transform(X)
    same(learnt, learner(validation_fraction=None).fit(X, y))
    chosen = next(segment for segment, ranks in y.groupby("segment") if ranks.nunique() > 2)
    own = X.index.get_level_values("segment") == chosen
    changed = y.where(~own, -y)
    again = learner(validation_fraction=None).fit_transform(X, changed)
    np.testing.assert_array_equal(again[own], found[own])
    assert (learnt.fit(X, changed).transform(X)[own] != final[own]).any()
    # What it changes is the model of the other half of the segments.
    segments = ranked_segments(X, y)
    fold = units_of_segments(segments) % 2
    by_rows = {row: k for part, k in zip(segments, fold, strict=True) for row in part.rows}
    fold = np.array([by_rows[row] for row in range(len(X))])
    np.testing.assert_array_equal((again != found).any(axis=1), fold != fold[own][0])
    np.testing.assert_array_equal(learner(cv=None).fit_transform(X, y), trained().transform(X))


def test_each_text_is_encoded_once(tmp_path):
    asked = []

    def remember(texts):
        asked.extend(texts)
        return letters(texts)

    X, y = judged_by_a_and_b(12)
    distinct = sorted({*X["hypothesis"], *X["reference"]})
    options = {"cache": tmp_path, "encoder_name": "letters", "max_epochs": 2}
    found = learner(remember, **options).fit_transform(X, y)
    assert sorted(asked) == distinct
    again = learner(remember, **options).fit_transform(X, y)
    assert len(asked) == len(distinct)
    np.testing.assert_array_equal(again, found)


def test_the_best_epoch_is_kept(untrained):
    X, y = judged_by_a_and_b()
    start = untrained.set_params(validation_fraction=0.1).fit(X, y)
    spoilt = learner(learning_rate=50.0, patience=2, max_epochs=9).fit(X, y)
    assert spoilt.losses_.argmin() == len(spoilt.losses_) - 3 or len(spoilt.losses_) == 10
    if spoilt.losses_.argmin() == 0:
        np.testing.assert_array_equal(spoilt.projection_, start.projection_)
    assert learner(validation_fraction=None, max_epochs=3).fit(X, y).losses_.shape == (3,)


def test_several_references():
    X, y = judged_by_a_and_b()
    twice = X.assign(reference=[[text, text] for text in X["reference"]])
    learnt = learner().fit(twice, y)
    np.testing.assert_allclose(learnt.losses_, trained().losses_, rtol=1e-3)
    both = X.iloc[:8].assign(reference=[[text, "ghg"] for text in X["reference"].iloc[:8]])
    parts = [
        trained().transform(both.assign(reference=[cell[k] for cell in both["reference"]]))
        for k in (0, 1)
    ]
    best = np.where((parts[0][:, 0] >= parts[1][:, 0])[:, np.newaxis], *parts)
    np.testing.assert_array_equal(trained().transform(both), best)


def test_texts_without_tokens():
    X, y = judged_by_a_and_b(10)
    X.iloc[::4, 0] = ""
    X.iloc[5, 1] = ""
    learnt = learner().fit(X, y)
    found = learnt.transform(X)
    empty = (X == "").any(axis=1)
    assert not found[empty].any() and found[~empty].any(axis=1).all()
    learnt.set_params(encoder=lambda texts: [np.ones((len(text), 4)) for text in texts])
    with pytest.raises(ValueError, match="10 dimensions in fit, and now 4"):
        learnt.transform(X)


class Ready(LearnedTokenAlignment):
    """One that is trained already, for checks that know no ranks."""

    def fit(self, X, y=None):
        self._remember_table(X)
        vars(self).update({k: v for k, v in vars(trained()).items() if k.endswith("_")
                           and k not in ("n_features_in_", "feature_names_in_")})  # fmt: skip
        return self

    def fit_transform(self, X, y=None):
        return self.fit(X)._transform(X)


def test_battery():
    trusted = [f"{__name__}.Ready", "letter_alignment.initials"]
    run_battery(text_transformer_checks(Ready(initials), trusted=trusted))


def test_in_a_pipeline_beside_other_features():
    X, y = judged_by_a_and_b(24)
    features = make_union(learner(max_epochs=1), BLEUComp())
    ranker = RankRecomposer(make_pipeline(PairDifference(), LogisticRegression()))
    pipe = make_pipeline(features, ranker).set_output(transform="pandas")
    found = cross_val_score(pipe, X, y, cv=SegmentKFold(2), scoring=kendall_tau_scorer)
    assert (found > 0.3).all()
    names = list(pipe.fit(X, y)[0].get_feature_names_out())
    assert names[:4] == [
        f"learnedtokenalignment__learnedalignment_{name}"
        for name in ("score", "precision", "recall", "cosine")
    ]


WORDS = ["a", "cat", "the", "dog", "sat", "on"]


def judged_by_cats(n_segments=16):
    """Who says cat is better."""
    rng = np.random.default_rng(0)
    rows = []
    for segment in range(n_segments):
        reference = " ".join(["cat", *rng.choice(WORDS, size=4)])
        for system in "xyz":
            text = " ".join(rng.choice(WORDS, size=4))
            rows.append((segment, 0, system, text, reference, -text.count("cat")))
    return table(rows)


@pytest.fixture
def folder(tmp_path):
    return causal_model(tmp_path)


def tuned(folder, tune, **options):
    given = {"layers": [1, 2], "n_top_layers": 1, "encoder_learning_rate": 0.01, **options}
    return learner(folder, tune=tune, n_dimensions=6, max_epochs=3, **given)


@pytest.mark.parametrize(
    ("tune", "layers"), [("top-layers", [1, 2]), ("all", [1]), ("all", "last")]
)
def test_layers_of_the_encoder_are_trained(tune, layers, folder, tmp_path):
    from transformers import GPT2Model

    X, y = judged_by_cats()
    before = TokenAlignment(folder).fit_transform(X)
    learnt = tuned(folder, tune, layers=layers).fit(X, y)
    assert learnt.losses_.min() < learnt.losses_[0]
    np.testing.assert_array_equal(TokenAlignment(folder).fit_transform(X), before)  # untouched

    library = GPT2Model.from_pretrained(folder, local_files_only=True).eval()
    changed = {name.split("model.")[-1]: w for name, w in learnt.encoder_weights_.items()}
    expected = {
        "top-layers": lambda name: name.startswith("h.1."),
        "all": lambda name: layers == "last" or not name.startswith("h.1."),
    }[tune]
    own = dict(library.named_parameters())
    assert set(changed) == set(filter(expected, own))
    moved = [abs(changed[name] - own[name].detach().numpy()).max() for name in changed]
    assert np.mean(np.array(moved) > 1e-3) > 0.5

    # The same from transformers' own model, with these weights.
    with torch.no_grad():
        for name, array in changed.items():
            own[name].copy_(torch.from_numpy(array))
    vocabulary = {word: k + 2 for k, word in enumerate(WORDS)}
    numbers = learnt.layers_ or [2]
    state = learnt.projection_, learnt.token_weights_, learnt.coefficients_[0]

    def tokens(text):
        ids = torch.tensor([[vocabulary[word] for word in text.split()]])
        with torch.inference_mode():
            states = library(ids, output_hidden_states=True).hidden_states
        joined = [units(states[k][0].numpy()) for k in numbers]
        return np.hstack(joined) / np.sqrt(len(joined))

    found = learnt.transform(X)
    for row in range(6):
        expected = by_loops(*(tokens(text) for text in X.iloc[row]), *state)
        np.testing.assert_allclose(found[row], expected, atol=1e-2)
    save_model(learnt, tmp_path / "saved")
    np.testing.assert_array_equal(load_model(tmp_path / "saved").transform(X), found)
    same(tuned(folder, tune, layers=layers).fit(X.iloc[::-1], y.iloc[::-1]), learnt)


def test_a_tuned_encoder_has_a_cache_of_its_own(folder, tmp_path):
    X, y = judged_by_cats(8)
    options = {"cache": tmp_path / "kept"}
    learnt = tuned(folder, "top-layers", **options).fit(X, y)
    found = learnt.transform(X)
    np.testing.assert_array_equal(learnt.transform(X), found)
    np.testing.assert_array_equal(learnt.set_params(cache=None).transform(X), found)
    plain = tuned(folder, "projection", **options).fit(X, y)
    assert plain.encoder_weights_ == {}
    np.testing.assert_array_equal(
        plain.transform(X), tuned(folder, "projection").fit(X, y).transform(X)
    )


def test_a_crafted_encoder_is_refused(folder):
    X, y = judged_by_cats(8)
    learnt = tuned(folder, "top-layers").fit(X, y)
    name = next(iter(learnt.encoder_weights_))
    for weights in ({"nobody": np.ones(1, dtype=np.float16)}, {name: np.ones(1, dtype=np.float16)}):
        learnt.encoder_weights_ = weights
        with pytest.raises(ValueError, match="do not fit the model"):
            learnt.transform(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tune": "some"}, r"tune .*found "),
        ({"tune": "all"}, "tune must be 'projection' for a callable"),
        ({"n_top_layers": 0}, "n_top_layers must be"),
        ({"n_dimensions": 0}, "n_dimensions must be"),
        ({"max_epochs": 0}, "max_epochs must be"),
        ({"patience": 0}, "patience must be"),
        ({"learning_rate": 0}, "learning_rate must be"),
        ({"encoder_learning_rate": -1}, "encoder_learning_rate must be"),
        ({"validation_fraction": 1}, "validation_fraction must lie between 0 and 1"),
        ({"cv": 1}, "cv must be"),
        ({"cv": 99}, "99 folds need as many segments, found 4"),
        ({"layers": "last"}, "layers must be 'auto' for a callable"),
        ({"learning_rate": 1e30, "validation_fraction": None}, "Training diverged"),
        (
            {"encoder": lambda texts: [np.ones((2, 1 + t.count("c"))) for t in texts]},
            "different numbers of dimensions",
        ),
    ],
)
def test_bad_options(options, message):
    X, y = judged_by_a_and_b(4)
    with pytest.raises(ValueError, match=message):
        learner().set_params(**options).fit_transform(X, y)


def test_more_layers_than_there_are(folder):
    with pytest.raises(ValueError, match="n_top_layers must be 2 at most"):
        tuned(folder, "top-layers", n_top_layers=3).fit(*judged_by_cats(4))


def test_nothing_to_learn_from():
    X, y = judged_by_a_and_b(4)
    for ranks, message in ((y * 0, "Nothing to learn from"), (None, "the target y is None")):
        with pytest.raises(CandidateError, match=message):
            learner().fit(X, ranks)
    with pytest.raises(CandidateError, match="MultiIndex"):
        learner().fit(X.reset_index(drop=True), y.to_numpy())
