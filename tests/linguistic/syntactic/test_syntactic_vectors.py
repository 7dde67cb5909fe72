"""The transformer: which trees it reads, how it is trained, what it refuses."""

import re
import runpy
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_treebank import NAMES, write_treebank

from sklearn_mteval import PairwiseNN, RankRecomposer, load_model, save_model
from sklearn_mteval.exceptions import CandidateError, DataFileError
from sklearn_mteval.features import SyntacticVectors
from sklearn_mteval.linguistic.syntactic import _margin_training
from sklearn_mteval.linguistic.syntactic._margin_training import (
    initial_network,
    train_network,
    with_alternatives,
)
from sklearn_mteval.linguistic.syntactic._network import binary_nodes, load_network
from sklearn_mteval.linguistic.trees.shipped.parsers import alternative_trees
from sklearn_mteval.linguistic.trees.tokenizer import treebank_words
from sklearn_mteval.text import load_word_vectors
from sklearn_mteval.trees import ConstituencyParser, Trees, read_brackets, read_penn

X = pd.DataFrame(
    {
        "hypothesis": ["The cat sleeps .", "He said that it works .", "", "Yes"],
        "reference": ["A cat sleeps .", "It works , he said .", "Nothing .", "No ."],
    },
    index=pd.MultiIndex.from_product([[0], list("abcd")], names=["segment", "system"]),
)
TREEBANK = [
    "(ROOT (S (NP (DT The) (JJ old) (NN cat)) (VP (VBZ sleeps)) (. .)))",
    "(ROOT (S (NP (PRP He)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN with) (NP (NN ease))))))",
]

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "train_syntactic_vectors.py"
train = runpy.run_path(str(SCRIPT))["main"]


@pytest.fixture(scope="module")
def shipped():
    return SyntacticVectors().set_output(transform="pandas").fit(X)


def test_pairwise_nn_takes_the_columns_for_embeddings(sample):
    table, ranks = (part.iloc[:40] for part in sample)
    vectors = SyntacticVectors().set_output(transform="pandas").fit_transform(table)
    ranker = RankRecomposer(PairwiseNN(max_epochs=1, random_state=0)).fit(vectors, ranks)
    roles = ranker.estimator_.column_roles_
    assert len(roles["hypothesis"]) == len(roles["reference"]) == 25
    assert not len(roles["similarity"])


def test_columns_of_trees_stand_for_texts(shipped):
    expected = shipped.transform(X)
    parsed = Trees("constituency").fit_transform(X)
    trees = parsed[["hypothesis_tree", "reference_tree"]]
    pd.testing.assert_frame_equal(shipped.transform(parsed), expected)
    pd.testing.assert_frame_equal(shipped.transform(trees), expected)
    swapped = trees.assign(hypothesis_tree=trees["reference_tree"])
    assert (shipped.transform(swapped).iloc[0] != expected.iloc[0]).any()


def test_several_references_are_averaged(shipped):
    several = X.assign(reference=[["It works .", "No ."]] * 4)
    apart = [shipped.transform(X.assign(reference=text)) for text in ("It works .", "No .")]
    np.testing.assert_allclose(shipped.transform(several), sum(apart) / 2, atol=1e-12)
    parsed = Trees("constituency").fit_transform(several).drop(columns=["reference"])
    np.testing.assert_array_equal(shipped.transform(parsed), shipped.transform(several))


def test_texts_without_words_are_zero(shipped):
    found = shipped.transform(X)
    assert not found.filter(like="hypothesis").iloc[2].any()
    assert found.filter(like="reference").iloc[2].all()


def test_trees_of_any_kind_and_unknown_categories(shipped):
    lines = ["(X (Y a) (Z cat))", "(root (nsubj (PRP It)) (VBZ works))", "(S cat)", "(A (B) c)"]
    for kind in ("dependency", "shallow+discourse"):
        lines[3] = Trees(kind, ["hypothesis"]).fit_transform(X)["hypothesis_tree"].iloc[1]
        found = shipped.transform(X.assign(hypothesis_tree=lines)).filter(like="hypothesis")
        assert np.isfinite(found).all(axis=None)
        assert (found.abs().max(axis=1) > 0.01).all()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("(S (NN cat)", "row 1 must be a tree in brackets: A bracket is not closed"),
        ("cat", "row 1 must be a tree in brackets"),
        ("", "row 1 must be one tree in brackets, found 0"),
        ("(NN a) (NN b)", "row 1 must be one tree in brackets, found 2"),
        (None, r"'hypothesis_tree', row 1 .*expected a string, found"),
    ],
)
def test_bad_trees(shipped, line, message):
    lines = ["(NN a)", line, "(NN a)", "(NN a)"]
    with pytest.raises(CandidateError, match=message):
        shipped.transform(X.assign(hypothesis_tree=lines))


def test_bad_parameters(tmp_path):
    for options, error, message in [
        ({"network": tmp_path / "none"}, DataFileError, "none"),
        ({"network": 3}, TypeError, "network must be 'english', 'random' or a folder, found 3"),
        ({"vectors": {"cat": [1.0, 2.0]}}, ValueError, "vectors must have the 128 dimensions"),
        ({"treebank": []}, ValueError, "treebank has no tree of several words, found 0"),
        ({"treebank": ["(NN cat)"]}, ValueError, "no tree of several words, found 1"),
        ({"treebank": ["(NN cat)", "(NN"]}, ValueError, "treebank: tree 1"),
        ({"treebank": [3]}, TypeError, "found int as tree 0"),
        ({"treebank": tmp_path / "none"}, DataFileError, "none"),
        ({"n_alternatives": -1}, ValueError, "n_alternatives must be an integer >= 0"),
        ({"max_epochs": 1.5}, ValueError, "max_epochs must be an integer >= 0"),
        ({"label_weight": 0}, ValueError, "label_weight must be a number > 0"),
        ({"columns": []}, ValueError, "columns must be"),
        ({"parser_model": tmp_path / "none"}, DataFileError, "none"),
    ]:
        with pytest.raises(error, match=message):
            SyntacticVectors(**options).fit_transform(X)


def test_training_on_own_trees_learns(tmp_path):
    file = tmp_path / "trees.ptb"
    file.write_text("\n".join(TREEBANK), encoding="utf-8")
    options = {"max_epochs": 30, "random_state": 3}
    trained = SyntacticVectors(treebank=file, **options).fit(X)
    assert trained.losses_[-1] < trained.losses_[0]
    trees = [tree for line in TREEBANK for tree in read_brackets(line)]
    for treebank in (TREEBANK, trees):
        again = SyntacticVectors(treebank=treebank, **options).fit(X)
        np.testing.assert_array_equal(again.matrices_, trained.matrices_)
        np.testing.assert_array_equal(again.projection_, trained.projection_)
    other = SyntacticVectors(treebank=TREEBANK, max_epochs=30, random_state=4).fit(X)
    assert (other.matrices_ != trained.matrices_).any()
    save_model(trained, tmp_path / "model")
    np.testing.assert_array_equal(load_model(tmp_path / "model").transform(X), trained.transform(X))


def test_training_starts_with_sums_of_principal_components():
    groups = with_alternatives(read_brackets(" ".join(TREEBANK)), n_alternatives=0)
    rng = np.random.default_rng(0)
    words = sorted({word.lower() for [nodes] in groups for word in nodes.words if word})
    vectors = load_word_vectors({word: rng.normal(size=40) for word in words})
    network = initial_network([nodes for [nodes] in groups], vectors, np.random.RandomState(0))
    running = [word.lower() for [nodes] in groups for word in nodes.words if word]
    table = np.array([vectors.matrix[words.index(word)] for word in running], dtype=float)
    np.testing.assert_allclose(network.mean, table.mean(axis=0), atol=1e-6)
    projected = (table - table.mean(axis=0)) @ network.projection
    lengths = np.sqrt((projected**2).sum(axis=1).mean())
    assert lengths == pytest.approx(0.3, rel=1e-5)
    # What principal components are: uncorrelated, and no other 25 directions keep more.
    scatter = projected.T @ projected
    np.testing.assert_allclose(scatter, np.diag(np.diag(scatter)), atol=1e-6)
    singular = np.linalg.svd(table - table.mean(axis=0), compute_uv=False)[:25]
    kept = np.diag(scatter)[: len(singular)] / 0.3**2
    np.testing.assert_allclose(kept, singular**2 / (singular**2).sum() * len(table), atol=1e-4)
    n = network.matrices.shape[2]
    np.testing.assert_allclose(network.matrices[:, :n] - np.eye(n), 0, atol=0.02)


def test_the_margin_is_learnt():
    """Trained with alternatives, the treebank's trees surpass them: no loss but of categories."""
    groups = with_alternatives(read_brackets(" ".join(TREEBANK)))
    assert min(map(len, groups)) > 1
    vectors = load_word_vectors("english")
    start = initial_network([group[0] for group in groups], vectors, np.random.RandomState(0))
    rng = np.random.RandomState(0)
    _, losses = train_network(groups, start, vectors, rng, max_epochs=200, label_weight=1e-12)
    assert losses[0] > 0.01
    assert losses[-1] < 1e-6


def test_alternatives_are_other_trees_of_the_same_words():
    texts = ["The old cat sees the dog with ease .", "Yes"]
    words = [treebank_words(text) for text in texts]
    several, alone = alternative_trees(words, beam=10)
    best, _ = ConstituencyParser(beam=10).parse(texts)
    assert several[0] == best
    assert len(set(several)) == len(several) > 3
    for line in several:
        [tree] = read_brackets(line)
        assert [word for _, word in tree.tagged_words()] == words[0]
    assert alone == ["(ROOT (NN Yes))"] or len(alone) >= 1


def test_the_command_writes_the_same_bytes_again(tmp_path, capsys):
    corpus = tmp_path / "corpus"
    write_treebank(corpus, NAMES)
    for name in ("a", "b"):
        train([str(corpus), str(tmp_path / name), "--epochs", "2"])
    assert re.match(r"5 documents, \d+ sentences, \d+ trees", capsys.readouterr().out)
    a, b = ((tmp_path / name / "network.safetensors").read_bytes() for name in "ab")
    assert a == b
    found = SyntacticVectors(tmp_path / "a").fit_transform(X)
    assert found.shape == (4, 50)
    names = [f"const/{name}.ptb" for name in NAMES if name != NAMES[4]]
    trees = [tree for name in names for tree in read_penn(corpus / name)]
    same = SyntacticVectors(treebank=trees, max_epochs=2).fit_transform(X)
    np.testing.assert_allclose(found, same, atol=5e-3)  # the file has 16 bits


def test_random_network(shipped):
    seeds = [SyntacticVectors("random", random_state=k).fit_transform(X) for k in (0, 0, 1)]
    np.testing.assert_array_equal(seeds[0], seeds[1])
    assert (seeds[0][0] != seeds[2][0]).all()
    assert (seeds[0][0] != shipped.transform(X).to_numpy()[0]).all()


def test_the_shipped_network_comes_with_its_attribution():
    network = load_network()
    assert {"NP", "VP", "@NP", "NN", "."} <= set(network.categories)
    folder = files("sklearn_mteval.linguistic.syntactic") / "data" / "english"
    text = folder.joinpath("ATTRIBUTION.md").read_text(encoding="utf-8")
    assert text.count("| GUM_") == 63
    assert "Creative Commons Attribution" in text


@pytest.mark.slow
def test_the_shipped_network_is_that_of_its_command(tmp_path, data_dir):
    """Its losses are those of the treebank; bytes are equal on equal machines only."""
    train([str(data_dir / "gum"), str(tmp_path)])
    shipped, made = load_network(), load_network(tmp_path)
    assert made.categories == shipped.categories
    np.testing.assert_array_equal(made.pairs, shipped.pairs)
    np.testing.assert_allclose(made.matrices, shipped.matrices, atol=2e-3)
    np.testing.assert_allclose(made.projection, shipped.projection, atol=2e-3)


def test_distinct_texts_are_encoded_once(monkeypatch, shipped):
    calls = []
    monkeypatch.setattr(
        "sklearn_mteval.linguistic.syntactic.syntactic_vectors.binary_nodes",
        lambda tree: calls.append(tree) or binary_nodes(tree),
    )
    shipped.transform(pd.concat([X, X]))
    assert len(calls) == len({*X["hypothesis"], *X["reference"]})
    assert _margin_training.N_DIMENSIONS == 25
