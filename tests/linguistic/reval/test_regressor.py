from copy import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval import load_model, save_model
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.linguistic.reval.forests import read_pairs
from sklearn_mteval.linguistic.reval.regressor import target_distributions
from sklearn_mteval.linguistic.reval.solvers import CompiledSolver, pearson
from sklearn_mteval.linguistic.reval.weights import initial_weights, shapes_of
from sklearn_mteval.neural import ReValRegressor
from sklearn_mteval.text import load_word_vectors
from sklearn_mteval.trees import Trees, read_brackets

WORDS = ["good", "bad", "the", "a", "cat", "sat", "mat"]
VECTORS = dict(zip(WORDS, np.random.default_rng(0).normal(size=(7, 5)), strict=True))


def small(**options):
    given = {"vectors": VECTORS, "n_units": 6, "hidden_units": 4, "max_epochs": 3}
    return ReValRegressor(**{**given, "random_state": 0, **options})


def translations(n=120, seed=0):
    """Texts of few words; a translation is the more similar the more of its words are there."""
    rng = np.random.default_rng(seed)
    references = [" ".join(rng.choice(WORDS, rng.integers(1, 9))) for _ in range(n // 4)]
    rows = []
    for segment, reference in enumerate(references):
        for system in range(4):
            words = [w if rng.random() < 0.7 else str(rng.choice(WORDS)) for w in reference.split()]
            there = np.mean([a == b for a, b in zip(words, reference.split(), strict=True)])
            rows.append((segment, f"s{system}", " ".join(words), reference, 1 + 4 * there))
    columns = ["segment", "system", "hypothesis", "reference", "y"]
    table = pd.DataFrame(rows, columns=columns).set_index(["segment", "system"])
    return table[["hypothesis", "reference"]], table["y"]


X, Y = translations()


@pytest.fixture(scope="module", params=["tree-lstm", "lstm"])
def encoder(request):
    return request.param


@pytest.fixture(scope="module")
def fitted(encoder):
    return small(encoder=encoder).fit(X, Y)


def test_targets():
    # The example of the paper, section 4: y = 2.7 and K = 5.
    found = target_distributions(np.array([2.7, 1.0, 5.0]), 5)
    expected = [[0, 0.3, 0.7, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    y = np.linspace(1, 5, 41)
    np.testing.assert_allclose(target_distributions(y, 5) @ [1, 2, 3, 4, 5], y, atol=1e-6)


@pytest.mark.parametrize(("n_units", "published"), [(150, 203_400), (300, 541_800)])
def test_numbers_of_parameters(n_units, published, encoder):
    vectors = {"a": np.ones(300)}
    net = ReValRegressor(encoder=encoder, vectors=vectors, n_units=n_units, max_epochs=1)
    one = pd.DataFrame({"hypothesis": ["a"], "reference": ["a"]})
    with pytest.warns(UserWarning, match="one segment"):
        net.fit(one, [3])
    assert net.n_composition_parameters_ == published
    # W× and W+, a bias, and the softmax over 5 classes.
    assert net.n_parameters_ == published + 2 * n_units * 50 + 50 + 50 * 5 + 5


def test_an_output_gate_is_a_fourth_gate():
    net = small(output_gate=True, max_epochs=1).fit(X, Y)
    assert net.n_composition_parameters_ == 4 * (5 * 6 + 6 * 6 + 2 * 6)
    assert np.isfinite(net.predict(X)).all()


def test_it_learns(encoder):
    net = small(encoder=encoder, n_units=20, max_epochs=40).fit(X, Y)
    others, y = translations(seed=1)
    assert np.corrcoef(net.predict(others), y)[0, 1] > 0.25
    losses = [epoch["loss"] for epoch in net.history_]
    assert losses[-1] < losses[0]
    assert net.history_[net.best_epoch_ - 1]["pearson"] == max(h["pearson"] for h in net.history_)


def test_predictions_are_in_range(fitted):
    found = fitted.predict(X)
    assert found.shape == (len(X),)
    assert found.dtype == np.float64
    assert ((found > 1) & (found < 5)).all()
    assert found.std() > 0
    assert fitted.predict(X.iloc[:0]).shape == (0,)


def test_segments_are_held_out_whole(fitted):
    assert len(fitted.validation_segments_) == 3
    assert fitted.n_validation_rows_ == 12
    # Segments of two tables that share references are one.
    twice = pd.concat([X, X], keys=["cs", "de"]).reset_index()
    twice["segment"] = [f"{k}-{s}" for k, s in zip(twice["level_0"], twice["segment"], strict=True)]
    twice = twice.set_index(["segment", "system"])[["hypothesis", "reference"]]
    net = small(encoder=fitted.encoder, max_epochs=1).fit(twice, np.tile(Y, 2))
    assert net.n_validation_rows_ == 24


def test_neither_order_nor_names_change_a_bit(fitted):
    order = np.random.default_rng(1).permutation(len(X))
    renamed = X.iloc[order].rename(index=lambda segment: f"x{segment}", level="segment")
    again = clone(fitted).fit(renamed, Y.to_numpy()[order])
    for name, values in fitted.weights_.items():
        np.testing.assert_array_equal(again.weights_[name], values)
    expected = fitted.predict(X)
    np.testing.assert_array_equal(again.predict(renamed), expected[order])
    np.testing.assert_array_equal(fitted.predict(X.iloc[5:6]), expected[5:6])
    other = clone(fitted).set_params(random_state=1).fit(X, Y)
    assert (other.predict(X) != expected).any()


def test_columns_of_trees_are_what_would_be_parsed():
    net = small().fit(X, Y)
    trees = Trees("dependency").fit_transform(X)
    again = small().fit(trees[["hypothesis_tree", "reference_tree"]], Y)
    np.testing.assert_array_equal(again.predict(trees), net.predict(X))
    half = trees[["hypothesis", "reference_tree"]]
    np.testing.assert_array_equal(net.predict(half), net.predict(X))


def test_a_tree_lstm_sees_the_tree_and_an_lstm_the_order():
    one = {"hypothesis": ["the cat sat", "sat cat the"], "reference": ["a mat"] * 2}
    tree = "(root (XX the) (b (XX cat) (c (XX sat))))"
    table = pd.DataFrame({**one, "hypothesis_tree": [tree, tree]})
    found = small().fit(X, Y).predict(table)
    assert found[0] == found[1]
    found = small(encoder="lstm").fit(X, Y).predict(table)
    assert found[0] != found[1]


def test_the_best_of_several_references_counts(fitted):
    references = X["reference"].to_numpy()
    several = [[a, b] for a, b in zip(references, references[::-1], strict=True)]
    one, two = (fitted.predict(X.assign(reference=r)) for r in (references, references[::-1]))
    found = fitted.predict(X.assign(reference=several))
    np.testing.assert_array_equal(found, np.maximum(one, two))
    clone(fitted).fit(X.assign(reference=several), Y)


def test_unknown_words_have_vectors_of_their_own():
    table = pd.DataFrame({"hypothesis": ["zyx", "wvu", "zyx"], "reference": ["zyx"] * 3})
    found = small(encoder="lstm").fit(X, Y).predict(table)
    assert found[0] == found[2] != found[1]


def test_a_word_is_looked_up_in_lower_case_where_it_must():
    vectors = {**VECTORS, "Good": np.ones(5)}
    net = small(encoder="lstm", vectors=vectors).fit(X, Y)
    table = pd.DataFrame({"hypothesis": ["Cat", "cat", "Good", "good"], "reference": ["a"] * 4})
    found = net.predict(table)
    assert found[0] == found[1]
    assert found[2] != found[3]


def test_the_pieces_of_a_word_are_in_lower_case():
    vectors = {**VECTORS, "zy": np.ones(5), "##x": np.zeros(5), "half": np.full(5, 0.5)}
    net = small(encoder="lstm", vectors=vectors).fit(X, Y)
    words = ["half", "zyx", "Zyx", "ZYX"]
    found = net.predict(pd.DataFrame({"hypothesis": words, "reference": ["a"] * 4}))
    assert found.tolist() == [found[0]] * 4


def test_the_length_of_vectors_does_not_matter(fitted):
    lengths = np.linalg.norm(list(VECTORS.values()), axis=1) * fitted.vector_scale_
    assert np.mean(lengths**2) == pytest.approx(25)
    longer = {word: 64 * vector for word, vector in VECTORS.items()}
    net = clone(fitted).set_params(vectors=longer).fit(X, Y)
    assert net.vector_scale_ == fitted.vector_scale_ / 64
    np.testing.assert_array_equal(net.predict(X), fitted.predict(X))
    zeros = {word: 0 * vector for word, vector in VECTORS.items()}
    assert np.isfinite(small(vectors=zeros).fit(X, Y).predict(X)).all()


def test_hostile_texts(fitted):
    texts = ["", " ", "a", "\ud800", "日本語", "a\x00b", "(((", "a " * 3000, "🙂\n\n.", "-LRB-"]
    table = pd.DataFrame({"hypothesis": texts, "reference": texts[::-1]}, dtype=object)
    found = fitted.predict(table)
    assert np.isfinite(found).all()
    clone(fitted).fit(table, np.linspace(1, 5, len(texts)))


def test_deep_trees():
    depth = 3000
    line = "(a (XX cat) " * depth + "(b (XX mat))" + ")" * depth
    table = pd.DataFrame({"hypothesis_tree": [line, "(a (XX cat))"], "reference": ["cat"] * 2})
    net = small().fit(X, Y)
    assert np.isfinite(net.predict(table)).all()
    assert len(read_brackets(line)[0].labels) == 3 * depth + 3
    with pytest.warns(UserWarning, match="one segment"):
        small(max_epochs=1).fit(table, [1, 5])


def test_training_goes_on(fitted):
    both = clone(fitted).set_params(validation_fraction=None, max_epochs=1)
    both.fit(X, Y).partial_fit(X, Y)
    assert [epoch["epoch"] for epoch in both.history_] == [1, 2]
    assert both.history_[1]["loss"] < both.history_[0]["loss"]
    assert both.best_epoch_ == 2
    from_nothing = clone(both).partial_fit(X, Y)
    assert len(from_nothing.history_) == 1
    with pytest.raises(ValueError, match="another encoder, n_units"):
        both.set_params(n_units=7).partial_fit(X, Y)


def test_early_stopping():
    net = small(max_epochs=60, patience=2, learning_rate=1e-9, validation_fraction=0.2).fit(X, Y)
    assert len(net.history_) < 60
    net = small(validation_fraction=None, max_epochs=4).fit(X, Y)
    assert net.best_epoch_ == 4
    assert net.history_[0]["pearson"] is None
    assert net.validation_segments_ == []


def test_pearson_is_that_of_numpy():
    first, second = np.random.default_rng(0).normal(size=(2, 30))
    assert pearson(first, second) == pytest.approx(np.corrcoef(first, second)[0, 1])
    assert pearson(first, np.full(30, 0.1)) == pearson(first[:1], second[:1]) == 0


def test_equal_scores_are_no_error(encoder):
    net = small(encoder=encoder).fit(X, np.full(len(X), 3.0))
    assert [epoch["pearson"] for epoch in net.history_] == [0, 0, 0]
    assert abs(net.predict(X) - 3).max() < 0.5


def test_progress(capsys):
    small(encoder="lstm", progress=True).fit(X, Y)
    assert " epochs (loss " in capsys.readouterr().err


def test_a_solver_goes_back_to_its_state():
    rng = np.random.default_rng(0)
    pairs = read_pairs(X, "tree-lstm")
    vectors = rng.normal(size=(len(pairs.forest.vocabulary), 5)).astype(np.float32)
    targets = target_distributions(Y.to_numpy(), 5)
    weights = initial_weights(shapes_of(5, 6, 4, 5, True), np.random.RandomState(0))
    data = pairs.pairs, targets, pairs.forest.arrays(), vectors, weights
    solver = CompiledSolver(*data, batch_size=25, lr=0.05, l2=1e-2)
    order = np.random.default_rng(1).permutation(len(X))
    start = solver.state()
    costs = [solver.epoch(order) for _ in range(3)]
    assert costs[0] > costs[1] > costs[2]
    solver.restore(start)
    assert solver.epoch(order) == costs[0]


def content(folder):
    """What a saved model's file holds."""
    [path] = folder.glob("*.skops")
    return path.read_bytes()


def test_saving(fitted, tmp_path):
    save_model(fitted, tmp_path / "model")
    again = load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    assert list(again.weights_) == list(fitted.weights_)
    save_model(again, tmp_path / "again")
    assert content(tmp_path / "model") == content(tmp_path / "again")
    again.partial_fit(X, Y)
    assert len(again.history_) == 4
    with pytest.raises(ValueError, match="not fitted"):
        check_is_fitted(clone(again))


def test_shipped_vectors_are_not_saved(tmp_path):
    net = small(vectors="english", max_epochs=1, encoder="lstm").fit(X, Y)
    save_model(net, tmp_path / "model")
    assert len(content(tmp_path / "model")) < 100_000
    np.testing.assert_array_equal(load_model(tmp_path / "model").predict(X), net.predict(X))


def test_vectors_of_another_size_in_a_saved_model():
    net = small(max_epochs=1).fit(X, Y)
    net.vectors_ = load_word_vectors({"a": [1.0, 2.0]})
    message = "trained on word vectors of 5 dimensions, but those saved with it have 2"
    with pytest.raises(ValueError, match=message):
        copy(net)


@pytest.mark.parametrize("name", ["input", "hidden", "forget", "similarity", "output_bias"])
@pytest.mark.parametrize(
    "change",
    [
        lambda values: values[:-1],
        lambda values: values * np.nan,
        lambda values: values.astype(np.float64),
        lambda values: np.full_like(values, 1e30),
        lambda values: np.float32(1),
    ],
)
def test_crafted_weights_are_refused(fitted, name, change):
    net = copy(fitted)
    net.weights_ = {**net.weights_, name: change(net.weights_[name])}
    with pytest.raises(ValueError, match=r"Train and save it again\.$"):
        copy(net)


@pytest.mark.parametrize(
    "options",
    [
        {"encoder": "gru"}, {"n_units": 0}, {"n_units": 2.5}, {"hidden_units": 0}, {"n_classes": 1},
        {"output_gate": "no"}, {"max_epochs": 0}, {"patience": 0}, {"batch_size": 0},
        {"learning_rate": 0}, {"l2": -1}, {"validation_fraction": 1.0}, {"vectors": 5},
    ],
)  # fmt: skip
def test_bad_parameters(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        small(**options).fit(X, Y)


@pytest.mark.parametrize(
    ("table", "y", "message"),
    [
        (X, Y.to_numpy() + 1, r"from 1 to n_classes=5.*similarity_from_rankings"),
        (X, np.where(np.arange(len(X)) == 7, np.nan, 3), "row 7"),
        (X, Y.iloc[::-1], "not aligned"),
        (X, Y[:-1].to_numpy(), "119 entries for 120 rows"),
        (X, None, "y to be passed"),
        (X.drop(columns="reference"), Y, "column 'reference'"),
        (X.assign(hypothesis=1), Y, "Column 'hypothesis', row 0"),
        (X.iloc[:0], [], "no rows"),
        (X.to_numpy(), Y.to_numpy(), "DataFrame"),
    ],
)  # fmt: skip
def test_bad_tables(table, y, message):
    with pytest.raises(CandidateError, match=message):
        small().fit(table, y)


@pytest.mark.parametrize(
    "line",
    [
        "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))", "(NN cat)", "(root cat)",
        "(root (A cat) (B dog))", "(root (A cat dog))", "(root (A cat)", "", "(a (A b)) (a (A b))",
        "(root () (A b))",
    ],
)  # fmt: skip
def test_what_is_no_dependency_tree(line):
    table = X.assign(hypothesis_tree=["(root (XX a))"] * (len(X) - 1) + [line])
    with pytest.raises(CandidateError, match=r"Expected (a dependency|one) tree") as caught:
        small().fit(table, Y)
    assert repr(line[:80]) in str(caught.value)
