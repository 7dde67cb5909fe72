"""The compiled network against recursion, finite differences and trees worked by hand."""

import json
import re

import numpy as np
import pytest
from network_by_recursion import nested, sentence_loss, vectors_of
from safetensors.numpy import load, save

from sklearn_mteval._helpers.products import row_products
from sklearn_mteval._project import page
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.syntactic import _kernel
from sklearn_mteval.linguistic.syntactic._margin_training import _margins, input_slopes
from sklearn_mteval.linguistic.syntactic._network import (
    Network,
    binary_nodes,
    centred_rows,
    load_network,
    plant,
    random_network,
    save_network,
)
from sklearn_mteval.linguistic.trees.shipped.grammars.constituency import constituency_derivation
from sklearn_mteval.text import load_word_vectors
from sklearn_mteval.trees import BracketTree, ConstituencyParser, read_brackets

TEXTS = [
    "The old cat and the dog that I saw sleep in the house.",
    '"It works," he said, but nobody (not even the king\'s men) believed him!',
    "Yes",
    "Why not go there tomorrow?",
]


def read(line):
    [tree] = read_brackets(line)
    return tree


def nodes_of(line):
    return binary_nodes(read(line))


def test_a_tree_by_hand():
    line = "(ROOT (S (NP-SBJ (DT The) (JJ old) (NN cat)) (VP (VBZ sees) (NP (PRP it))) (. .)))"
    assert nested(nodes_of(line)) == (
        "S",
        ("NP", ("DT", "The"), ("@NP", ("JJ", "old"), ("NN", "cat"))),
        ("@S", ("VP", ("VBZ", "sees"), ("NP", "it")), (".", ".")),
    )


@pytest.mark.parametrize("line", ["()", "(S (NP (-NONE- *T*)))"])
def test_trees_without_words(line):
    assert not nodes_of(line).words


def test_traces_are_left_out_and_words_may_stand_beside_phrases():
    nodes = nodes_of("(S (NP (-NONE- *)) (VP (VB go) (ADVP (RB home) (-NONE- *T*-1))) now)")
    assert nested(nodes) == ("S", ("VP", ("VB", "go"), ("ADVP", "home")), ("S", "now"))


def by_derivation(tree):
    """The same tree from the actions of the shipped parser's grammar."""
    words, stack = iter(tree.tagged_words()), []
    for kind, label, is_open in constituency_derivation(tree):
        name = label.split("+")[-1 if is_open else 0]
        if kind == "shift":
            tag, word = next(words)
            stack.append((name or tag, word))
        else:
            right, left = stack.pop(), stack.pop()
            stack.append((f"@{name}" if is_open else name, left, right))
    [root] = stack
    return root


def test_trees_are_those_that_the_grammar_builds(sample):
    lines = ConstituencyParser().parse([*TEXTS, *dict.fromkeys(sample[0]["reference"])])
    assert len(lines) > 30
    for line in lines:
        assert nested(nodes_of(line)) == by_derivation(read(line))


def small_network(rng, dtype=np.float32):
    """A network with matrices for some pairs of the categories of TEXTS, and its trees."""
    trees = [nodes_of(line) for line in ConstituencyParser().parse(TEXTS)]
    categories = ["", *sorted({name for nodes in trees for name in nodes.categories})]
    pairs = {
        (categories.index(nodes.categories[one]), categories.index(nodes.categories[other]))
        for nodes in trees
        for one, other in zip(nodes.left, nodes.right, strict=True)
        if one >= 0
    }
    pairs = np.array(sorted(pairs)[::2])
    matrices = rng.normal(scale=0.5, size=(len(pairs) + 1, 9, 4)).astype(dtype)
    mean, projection = rng.normal(size=6).astype(dtype), rng.normal(size=(6, 4)).astype(dtype)
    return Network(categories, pairs, matrices, mean, projection), trees


def test_encoding_equals_recursion():
    rng = np.random.default_rng(0)
    network, trees = small_network(rng)
    known = {"cat": 0, "it": 1, "the": 2, ".": 3}
    vectors = load_word_vectors({word: rng.normal(size=6) for word in known})
    expected = []
    for nodes in trees:
        word_vectors = {
            word: (vectors.matrix[known[word.lower()]] - network.mean) @ network.projection
            if word.lower() in known
            else np.zeros(4)
            for word in nodes.words
            if word is not None
        }
        expected.append(vectors_of(nested(nodes), word_vectors, network.matrices, network)[-1][0])
    assert np.abs(expected)[[0, 1, 3]].min() > 1e-3  # the third is one word, which is not known
    np.testing.assert_allclose(network.encode(trees, vectors), expected, rtol=2e-5, atol=1e-6)


def test_words_without_a_vector_are_their_pieces_or_nothing():
    vectors = load_word_vectors({"un": [1.0, 0.0], "##known": [0.0, 3.0], "cat": [4.0, 4.0]})
    found = centred_rows(["unknown", "CAT", "zzz"], vectors, np.array([0.5, 1.0]))
    np.testing.assert_array_equal(found, [[0.0, 0.5], [3.5, 3.0], [0.0, 0.0]])


@pytest.fixture(scope="module")
def problem():
    """Two sentences with alternatives, one of which has to be learnt from, in double precision."""
    rng = np.random.default_rng(3)
    network, _ = small_network(rng, np.float64)
    lines = [
        ["(S (NP (DT the) (NN cat)) (VP (VBZ is) (NP (PRP it))) (. .))",
         "(S (NP (DT the) (NP (NN cat) (VBZ is))) (NP (PRP it)) (. .))",
         "(S (DT the) (VP (NN cat) (VP (VBZ is) (NP (PRP it)))) (. .))"],
        ["(NP (DT the) (NN cat))"],
    ]  # fmt: skip
    groups = [[nodes_of(line) for line in group] for group in lines]
    flat = [nodes for group in groups for nodes in group]
    words = ["the", "cat", "is", "it", "."]
    forest = plant(flat, network, {word: k for k, word in enumerate(words)})
    weights = [
        rng.normal(size=(len(words), 4)),
        network.matrices,
        rng.normal(size=(len(network.matrices), 4)),
        rng.normal(size=(len(network.categories), 5)),
    ]
    margins = _margins(groups, forest)
    return network, groups, words, forest, weights, margins


def learnt(problem, weights, label_weight=0.3):
    _, groups, _, forest, _, margins = problem
    slopes = tuple(np.zeros_like(array) for array in weights)
    tree_bounds = np.cumsum([0, *map(len, groups)])
    chosen = np.arange(len(groups))
    arguments = (chosen, tree_bounds, margins, tuple(forest), label_weight)
    return _kernel.learn(*arguments, tuple(weights), slopes, forest.room(weights[0])), slopes


@pytest.mark.parametrize("sign", [1, -1])
def test_loss_equals_recursion(problem, sign):
    network, groups, words, _, weights, margins = problem
    weights = [weights[0], weights[1], sign * weights[2], weights[3]]
    word_vectors = dict(zip(words, weights[0], strict=True))
    expected, first = 0.0, 0
    for group in groups:
        trees = [nested(nodes) for nodes in group]
        own = margins[first : first + len(group)]
        expected += sentence_loss(trees, own, word_vectors, weights[1:], network, 0.3)
        first += len(group)
    assert learnt(problem, weights)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
def test_slopes_are_finite_differences(problem, sign):
    weights = [array.copy() for array in problem[4]]
    weights[2] *= sign  # with one of the signs, an alternative surpasses the treebank's tree
    _, slopes = learnt(problem, weights)
    assert slopes[2].any() == (sign < 0)
    step = 1e-6
    for array, slope in zip(weights, slopes, strict=True):
        numeric = np.zeros_like(array)
        for at in np.ndindex(array.shape):
            held = array[at]
            array[at] = held + step
            above, _ = learnt(problem, weights)
            array[at] = held - step
            below, _ = learnt(problem, weights)
            array[at] = held
            numeric[at] = (above - below) / (2 * step)
        assert np.abs(slope).max() > 1e-3 or slope is slopes[2]
        np.testing.assert_allclose(slope, numeric, atol=1e-7)


def test_slopes_of_the_projection():
    rng = np.random.default_rng(0)
    rows, slopes = rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    slopes[1:3] = 0
    np.testing.assert_allclose(input_slopes(rows, slopes), rows.T @ slopes)
    np.testing.assert_allclose(row_products(rows, slopes[:3]), rows @ slopes[:3])


def test_margins_count_the_wrong_constituents(problem):
    network, [[gold, first, second], alone], words, *_ = problem
    spans = lambda nodes: set(labelled(nested(nodes))[0])  # noqa: E731
    wrong = [len(spans(other) - spans(gold)) for other in (first, second)]
    assert min(wrong) > 0
    renamed = gold._replace(categories=[*gold.categories[:-1], "SINV"])  # of the root only
    groups = [[gold, first, second, renamed], alone]
    rows = {word: k for k, word in enumerate(words)}
    forest = plant([*groups[0], *alone], network, rows)
    np.testing.assert_allclose(_margins(groups, forest), [0, *(0.1 * n for n in wrong), 0, 0])


def labelled(tree, start=0):
    """Spans of the joins of a nested tree, and where it ends."""
    if isinstance(tree[1], str):
        return [], start + 1
    left, middle = labelled(tree[1], start)
    right, end = labelled(tree[2], middle)
    return [*left, *right, (start, end, tree[0])], end


@pytest.mark.parametrize("side", [0, 1])
def test_trees_of_any_depth(side):
    n = 20_000
    labels, parents = [], []
    for k in range(n):  # each S has a word and the next S, on either side
        own = len(labels)
        labels += ["S"] + (["X", "w"] if side or k == n - 1 else [])
        parents += [3 * k - 3 if side else k - 1] + ([own, own + 1] if side or k == n - 1 else [])
    if not side:
        for k in range(n - 2, -1, -1):
            parents += [k, len(labels)]
            labels += ["X", "w"]
    nodes = binary_nodes(BracketTree(tuple(labels), tuple(parents)))
    network = load_network()
    vectors = load_word_vectors("english")
    [root] = network.encode([nodes], vectors)
    assert len(nodes.words) == 2 * n - 1
    assert np.isfinite(root).all()
    assert np.abs(root).max() <= 1


def test_a_file_keeps_the_network(tmp_path):
    network, _ = small_network(np.random.default_rng(1))
    save_network(network, tmp_path / "a")
    save_network(load_network(tmp_path / "a"), tmp_path / "b")
    a, b = ((tmp_path / name / "network.safetensors").read_bytes() for name in "ab")
    assert a == b
    found = load_network(tmp_path / "a")
    assert found.categories == network.categories
    np.testing.assert_array_equal(found.pairs, network.pairs)
    np.testing.assert_allclose(found.matrices, network.matrices, rtol=1e-3)


def opened(content):
    size = int.from_bytes(content[:8], "little")
    head = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["network"])
    return head, {name: array.copy() for name, array in load(content).items()}


CRAFTED = [
    lambda head, arrays: head.update(format=9),
    lambda head, arrays: head.update(categories=["", "NP"]),
    lambda head, arrays: head.update(categories=[1] * len(head["categories"])),
    lambda head, arrays: arrays.update(pairs=arrays["pairs"] - 5),
    lambda head, arrays: arrays.update(pairs=arrays["pairs"][:, :1]),
    lambda head, arrays: arrays.update(matrices=arrays["matrices"][1:]),
    lambda head, arrays: arrays.update(matrices=arrays["matrices"] * np.float16(np.nan)),
    lambda head, arrays: arrays.update(projection=arrays["projection"][1:]),
    lambda head, arrays: arrays.pop("mean"),
]


@pytest.mark.parametrize("change", CRAFTED)
def test_a_damaged_file_is_refused(tmp_path, change):
    save_network(load_network(), tmp_path)
    path = tmp_path / "network.safetensors"
    head, arrays = opened(path.read_bytes())
    change(head, arrays)
    path.write_bytes(save(arrays, {"network": json.dumps(head)}))
    with pytest.raises(DataFileError, match=re.escape(str(path))) as found:
        load_network(tmp_path)
    assert page("linguistic/learning_from_trees") in str(found.value)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DataFileError, match="damaged"):
        load_network(tmp_path)


def test_random_networks_share_categories_only():
    shipped = load_network()
    one, same, other = (random_network(shipped, np.random.RandomState(k)) for k in (0, 0, 1))
    assert one.is_whole()
    assert one.categories == shipped.categories
    np.testing.assert_array_equal(one.matrices, same.matrices)
    assert (one.matrices[:, :-1] != other.matrices[:, :-1]).all()
    assert (one.projection != shipped.projection).all()
