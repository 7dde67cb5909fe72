"""Texts as they come: the vocabulary, and networks that encode on the fly."""

import numpy as np
import pytest
from network_texts import VECTORS, candidates, pairs

from sklearn_mteval import EmbeddingAverager, PairwiseNN, RankRecomposer
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.neural import EncoderOptions
from sklearn_mteval.neural.encoders.texts import build_vocabulary, in_vocabulary, number_texts

KINDS = ["average", "cnn", "lstm", "bilstm"]
FAST = {"max_epochs": 2, "random_state": 0}


def test_the_vocabulary_is_words_of_two_texts():
    columns = [["a cat cat", "the cat"], ["a dog dog", "the cat"], ["rare", "the cat"]]
    texts, words = number_texts(columns, True)  # "the cat" is one text
    encoder = EncoderOptions(n_dimensions=5)
    vocabulary, matrix = build_vocabulary(encoder, texts, words, np.random.RandomState(0))
    assert vocabulary == ["a", "cat"]
    assert matrix.shape == (3, 5)
    assert not matrix[0].any()
    assert 0 < np.abs(matrix[1:]).max() <= 0.5 / 5


@pytest.mark.parametrize(("fine_tuning", "new"), [("frozen", []), ("full", ["dog"])])
def test_words_of_the_vectors_come_first(fine_tuning, new):
    texts, words = number_texts([["a dog"], ["the dog"]], True)
    encoder = EncoderOptions(vectors=VECTORS, fine_tuning=fine_tuning)
    vocabulary, matrix = build_vocabulary(encoder, texts, words, np.random.RandomState(0))
    assert vocabulary == [*VECTORS, *new]
    np.testing.assert_allclose(matrix[1:7], list(VECTORS.values()), rtol=1e-6)


def test_unknown_words_share_row_0():
    texts, words = number_texts([["a b c"], ["b"]], True)
    found = in_vocabulary(texts, words, ["c", "b"])
    assert found.tokens.tolist() == [0, 2, 1, 2]
    assert found.bounds.tolist() == [0, 3, 4]
    assert found.of_pair.tolist() == [[0, 1]]


def test_lowercase_is_a_choice():
    assert number_texts([["A a"]], True)[1] == ["a"]
    assert number_texts([["A a"]], False)[1] == ["A", "a"]


@pytest.mark.parametrize("solver", ["numba", "torch"])
def test_frozen_averages_are_the_network_on_averaged_columns(solver):
    X, y = candidates()
    table = EmbeddingAverager(VECTORS).set_output(transform="pandas").fit_transform(X)
    encoder = EncoderOptions("average", vectors=VECTORS, fine_tuning="frozen")
    options = FAST | {"solver": solver, "max_epochs": 5, "validation_segments": [2, 3]}
    on_columns = PairwiseNN(**options).fit(*pairs(table, y))
    on_texts = PairwiseNN(encoder=encoder, **options).fit(*pairs(X, y))
    for name, values in on_columns.weights_.items():
        np.testing.assert_allclose(on_texts.weights_[name], values, atol=1e-6)
    np.testing.assert_allclose(
        on_texts.predict_proba(pairs(X, y)[0]),
        on_columns.predict_proba(pairs(table, y)[0]),
        atol=1e-6,
    )
    assert on_texts.n_parameters_ == on_columns.n_parameters_


@pytest.mark.parametrize("kind", KINDS)
def test_fine_tuning_moves_vectors_less_with_a_penalty_and_not_when_frozen(kind):
    X, y = pairs()
    moved = {}
    for tuning in ("frozen", "moderate", "full"):
        encoder = EncoderOptions(
            kind, vectors=VECTORS, fine_tuning=tuning, distance_penalty=1.0, n_units=3
        )
        options = {"max_epochs": 15, "validation_fraction": None, "random_state": 0}
        net = PairwiseNN(encoder=encoder, **options).fit(X, y)
        change = net.weights_.get("encoder.change")
        moved[tuning] = 0.0 if change is None else float((change**2).sum())
        start = net.weights_["encoder.initial"][1:7]
        np.testing.assert_allclose(start, list(VECTORS.values()), rtol=1e-6)
    assert moved["frozen"] == 0 < moved["moderate"] < 0.5 * moved["full"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("extra", [False, True])
def test_parameters_are_counted_by_formula(kind, extra):
    X, y = candidates()
    X = X.assign(bleu=np.linspace(-1, 1, len(X))) if extra else X
    encoder = EncoderOptions(kind, n_dimensions=4, n_units=3, window=2)
    net = PairwiseNN(encoder=encoder, hidden_units=2, **FAST).fit(*pairs(X, y))
    size = {"average": 4, "cnn": 3, "lstm": 3, "bilstm": 6}[kind]
    lstm = 4 * 3 * (4 + 3 + 2)
    body = {"average": 0, "cnn": 3 * (4 * 2 + 1), "lstm": lstm, "bilstm": 2 * lstm}[kind]
    words = 4 * len(net.weights_["encoder.initial"])
    assert net.n_parameters_ == 3 * 2 * 2 * size + 6 + 6 + 2 * extra + 1 + body + words


@pytest.mark.parametrize("kind", KINDS)
def test_encoders_in_the_ranker(kind):
    X, y = candidates()
    encoder = EncoderOptions(kind, n_dimensions=4, n_units=3, dropout=0.3)
    net = PairwiseNN(encoder=encoder, loss="logistic+kendall", **FAST)
    rankers = [RankRecomposer(net, recomposition=how) for how in ("soft", "soft", "absolute")]
    one, two, absolute = (ranker.fit(X, y).decision_function(X) for ranker in rankers)
    assert one.tobytes() == two.tobytes()
    assert np.isfinite(absolute).all()
    unseen = X.iloc[:3].assign(hypothesis=["zebra", "", "cat zebra"])
    assert np.isfinite(rankers[0].decision_function(unseen)).all()


def test_tau_with_an_encoder_is_brute_force():
    X, y = pairs()
    encoder = EncoderOptions("cnn", n_dimensions=4, n_units=3)
    net = PairwiseNN(encoder=encoder, validation_segments=[1, 5], max_epochs=4, random_state=0)
    net.fit(X, y)
    rows = X.index.get_level_values("segment").isin([1, 5])
    forth = net.predict_proba(X[rows])[:, 1]
    swapped = X[rows].iloc[:, [2, 3, 0, 1]].set_axis(X.columns, axis=1)
    back = net.predict_proba(swapped)[:, 1]
    agree = [
        (p > q) if label else (p < q) for p, q, label in zip(forth, back, y[rows], strict=True)
    ]
    tau = (sum(agree) - (len(agree) - sum(agree))) / len(agree)
    assert net.history_[net.best_epoch_ - 1]["tau"] == pytest.approx(tau, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_symmetric_probabilities_of_both_directions_add_up_to_one(kind):
    X, y = pairs()
    net = PairwiseNN(encoder=EncoderOptions(kind, n_units=3), symmetric=True, **FAST).fit(X, y)
    assert net.antisymmetric_ is True
    back = X.iloc[:, [2, 3, 0, 1]].set_axis(X.columns, axis=1)
    total = net.predict_proba(X)[:, 1] + net.predict_proba(back)[:, 1]
    np.testing.assert_allclose(total, 1, rtol=0, atol=1e-6)


def test_texts_without_a_reference():
    X, y = candidates()
    net = PairwiseNN(encoder=EncoderOptions(n_dimensions=4), **FAST).fit(
        *pairs(X[["hypothesis"]], y)
    )
    assert net.weights_["weight"].shape[0] == 2 * 4


def test_pairs_of_different_references():
    X, y = pairs()
    net = PairwiseNN(encoder=EncoderOptions(n_dimensions=4), **FAST).fit(X, y)
    X = X.copy()
    X.iloc[7, 3] += " indeed"
    with pytest.warns(UserWarning, match=r"Row 7 .* different references"):
        net.predict(X)
    with pytest.raises(ValueError, match=r"Row 7 .* different references"):
        net.fit(X, y)


@pytest.mark.parametrize("bad", [None, np.nan, 3])
def test_a_cell_that_is_no_text(bad):
    X, y = pairs()
    X = X.astype(object)
    X.iloc[5, 0] = bad
    with pytest.raises(CandidateError, match="hypothesis"):
        PairwiseNN(encoder="average", **FAST).fit(X, y)


def test_the_compiled_solver_trains_no_encoder():
    with pytest.raises(ValueError, match="solver='numba' trains no encoder"):
        PairwiseNN(encoder="average", solver="numba", **FAST).fit(*pairs())


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "gru"},
        {"fine_tuning": "some"},
        {"n_units": 0},
        {"window": 0},
        {"pool": 1.5},
        {"n_dimensions": 0},
        {"dropout": 1.0},
        {"dropout": -0.1},
        {"distance_penalty": -1},
    ],
)
def test_options_out_of_range_are_named(wrong):
    with pytest.raises(ValueError, match=f"EncoderOptions's {next(iter(wrong))} must be"):
        PairwiseNN(encoder=EncoderOptions(**wrong), **FAST).fit(*pairs())
