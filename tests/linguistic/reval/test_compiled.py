"""The kernels, checked by the recursive loop, by finite differences and by torch's gradients."""

from itertools import pairwise

import numpy as np
import pytest
import reval_by_hand as by_hand
import torch
from torch.nn import functional

from sklearn_mteval.linguistic.reval.compiled import (
    assemble,
    encode,
    gradients,
    heights_of,
    similarities,
)
from sklearn_mteval.linguistic.reval.forests import chains, dependency_trees
from sklearn_mteval.linguistic.reval.weights import COMPOSITION, initial_weights, shapes_of

WORDS = ["the", "cat", "sleeps", "dog", "(", "a"]


@pytest.fixture(params=[False, True], ids=["h = tanh c", "output gate"])
def network(request):
    """Trees, their forest, vectors of words by name and in the forest's order, and weights."""
    rng = np.random.default_rng(5)
    trees = [by_hand.random_tree(rng, n, WORDS) for n in (1, 7, 0, 3, 12, 2, 5, 30)]
    trees.append(by_hand.chain_of(["the"] * 40))
    forest = dependency_trees([by_hand.line_of(tree) for tree in trees])
    of_word = {word: rng.normal(size=6).astype(np.float32) for word in WORDS}
    vectors = np.array([of_word[word] for word in forest.vocabulary])
    shapes = shapes_of(6, 5, 4, 3, request.param)
    weights = initial_weights(shapes, np.random.RandomState(1))
    weights = {name: 2 * values for name, values in weights.items()}
    return trees, forest.arrays(), of_word, vectors, weights


PAIRS = np.array([[0, 1], [1, 1], [2, 3], [4, 2], [2, 2], [7, 5], [8, 6], [0, 1]])
TARGETS = np.random.default_rng(2).dirichlet(np.ones(3), len(PAIRS)).astype(np.float32)
TARGETS[0] = [0, 0.25, 0.75]


def test_encodings_are_those_of_the_recursion(network):
    trees, forest, of_word, vectors, weights = network
    expected = [by_hand.encode(tree, of_word, weights) for tree in trees]
    texts = np.array([5, 0, 2, 8, 1, 3, 4, 7, 6])
    composition = tuple(weights.values())[:5]
    for by_rows in (False, True):
        found = encode(texts, forest, vectors, composition, by_rows)
        np.testing.assert_allclose(found, np.array(expected)[texts], atol=1e-6)


def test_similarities_are_those_of_the_recursion(network):
    trees, _, of_word, _, weights = network
    encoded = np.array([by_hand.encode(tree, of_word, weights) for tree in trees], np.float32)
    found = similarities(PAIRS, encoded, tuple(weights.values())[5:])
    for (i, j), similarity in zip(PAIRS, found, strict=True):
        p = by_hand.distribution(trees[i], trees[j], of_word, weights)
        assert similarity == pytest.approx(p @ [1, 2, 3], abs=1e-6)


def test_an_lstm_is_a_chain():
    rng = np.random.default_rng(0)
    texts = ["the cat sleeps", "", "a", "dog the cat the dog"]
    forest = chains(texts)
    of_word = {word: rng.normal(size=4).astype(np.float32) for word in WORDS}
    vectors = np.array([of_word[word] for word in forest.vocabulary])
    weights = initial_weights(shapes_of(4, 3, 2, 5, False), np.random.RandomState(0))
    composition = tuple(weights.values())[:5]
    found = encode(np.arange(4), forest.arrays(), vectors, composition, True)
    for text, h in zip(texts, found, strict=True):
        expected = by_hand.encode(by_hand.chain_of(text.split()), of_word, weights)
        np.testing.assert_allclose(h, expected, atol=1e-6)


def test_slopes_by_finite_differences(network):
    trees, forest, of_word, vectors, weights = network
    pairs = [(trees[i], trees[j]) for i, j in PAIRS]
    cost, slopes = gradients(PAIRS, TARGETS, forest, vectors, tuple(weights.values()))
    assert cost == pytest.approx(by_hand.mean_cost(pairs, TARGETS, of_word, weights), abs=1e-6)
    rng, step = np.random.default_rng(3), 1e-4
    for name, slope in zip(weights, slopes, strict=True):
        assert slope.shape == weights[name].shape
        for at in rng.choice(slope.size, 8):
            costs = []
            for sign in (1, -1):
                changed = weights[name].astype(np.float64)
                changed.flat[at] += sign * step
                moved = {**weights, name: changed}
                costs.append(by_hand.mean_cost(pairs, TARGETS, of_word, moved))
            expected = (costs[0] - costs[1]) / (2 * step)
            assert slope.flat[at] == pytest.approx(expected, abs=1e-5), (name, at)


def torch_cost(pairs, targets, forest, vectors, weights):
    """Compute the mean KL(p || p̂) of pairs of texts, numbered in a forest, as a tensor."""
    texts, pairs = np.unique(pairs, return_inverse=True)
    words, word_of, parents, starts, roots = (
        torch.from_numpy(values) for values in assemble(texts, forest)
    )
    hidden = _hidden(vectors[words], word_of, parents, starts.tolist(), weights)
    # A text without words has the root -1, here the zeros behind all nodes.
    encoded = torch.cat([hidden, hidden.new_zeros(1, hidden.shape[1])])[roots]
    numbers = torch.from_numpy(pairs.reshape(-1, 2))
    first, second = encoded[numbers[:, 0]], encoded[numbers[:, 1]]
    seen = torch.cat([first * second, (first - second).abs()], dim=1)
    units = torch.sigmoid(seen @ weights["similarity"] + weights["similarity_bias"])
    logits = units @ weights["output"] + weights["output_bias"]
    logs = torch.log_softmax(logits, dim=1)
    return functional.kl_div(logs, torch.from_numpy(targets), reduction="batchmean")


def _hidden(vectors, word_of, parents, starts, weights):
    """Compute the hidden states of all nodes of a forest."""
    weight, bias, hidden_weight, forget_weight, hidden_bias = (weights[n] for n in COMPOSITION)
    m, own = hidden_weight.shape
    inputs = vectors @ weight + (bias + hidden_bias)
    # What the children of each node of the next levels have given so far.
    memory = inputs.new_zeros(len(word_of), m)
    sums = inputs.new_zeros(len(word_of), m)
    found = []
    for a, b in pairwise(starts):
        gates = inputs[word_of[a:b], :own] + sums[a:b] @ hidden_weight
        c = torch.sigmoid(gates[:, :m]) * torch.tanh(gates[:, m : 2 * m]) + memory[a:b]
        h = torch.tanh(c)
        if own > 2 * m:
            h = h * torch.sigmoid(gates[:, 2 * m :])
        found.append(h)
        there = torch.nonzero(parents[a:b] >= 0)[:, 0]
        above = parents[a:b][there]
        forgets = torch.sigmoid(inputs[word_of[above], own:] + h[there] @ forget_weight)
        memory = memory.index_add(0, above, forgets * c[there])
        sums = sums.index_add(0, above, h[there])
    return torch.cat(found) if found else inputs.new_zeros(0, m)


def test_slopes_are_those_of_torch(network):
    _, forest, _, vectors, weights = network
    tensors = {n: torch.tensor(values, requires_grad=True) for n, values in weights.items()}
    expected = torch_cost(PAIRS, TARGETS, forest, torch.from_numpy(vectors), tensors)
    expected.backward()
    cost, slopes = gradients(PAIRS, TARGETS, forest, vectors, tuple(weights.values()))
    assert cost == pytest.approx(expected.item(), abs=1e-6)
    for (name, tensor), slope in zip(tensors.items(), slopes, strict=True):
        np.testing.assert_allclose(slope, tensor.grad, atol=1e-6, err_msg=name)


def test_a_text_is_encoded_alike_to_the_bit_in_any_company():
    rng = np.random.default_rng(0)
    trees = [by_hand.random_tree(rng, rng.integers(0, 40), WORDS) for _ in range(60)]
    forest = dependency_trees([by_hand.line_of(tree) for tree in trees])
    vectors = rng.normal(size=(len(forest.vocabulary), 33)).astype(np.float32)
    weights = initial_weights(shapes_of(33, 21, 5, 5, False), np.random.RandomState(0))
    composition, head = tuple(weights.values())[:5], tuple(weights.values())[5:]
    texts = np.arange(60)
    expected = encode(texts, forest.arrays(), vectors, composition, True)
    for some in (rng.permutation(60), texts[7:8], texts[10:31]):
        found = encode(some, forest.arrays(), vectors, composition, True)
        np.testing.assert_array_equal(found, expected[some])
    pairs = rng.integers(60, size=(50, 2))
    scores = similarities(pairs, expected, head)
    np.testing.assert_array_equal(similarities(pairs[17:19], expected, head), scores[17:19])


def test_a_deep_tree_is_no_recursion():
    words = ["the"] * 20_000
    forest = chains([" ".join(words)])
    assert heights_of(forest.parents).max() == 19_999
    weights = initial_weights(shapes_of(3, 2, 2, 5, False), np.random.RandomState(0))
    vectors = np.ones((1, 3), dtype=np.float32)
    deep = encode(np.array([0]), forest.arrays(), vectors, tuple(weights.values())[:5], True)
    # The state settles: a thousand words more change nothing.
    h, c = np.zeros(2), np.zeros(2)
    w = {name: values.astype(np.float64) for name, values in weights.items()}
    for _ in range(2000):
        x = vectors[0] @ w["input"] + w["input_bias"] + w["hidden_bias"]
        i, u = x[:4] + h @ w["hidden"], x[4:] + h @ w["forget"]
        c = by_hand.sigmoid(i[:2]) * np.tanh(i[2:]) + by_hand.sigmoid(u) * c
        h = np.tanh(c)
    np.testing.assert_allclose(deep[0], h, atol=1e-5)


def test_texts_without_words_only(network):
    _, forest, _, vectors, weights = network
    pairs = np.array([[2, 2]])
    cost, slopes = gradients(pairs, TARGETS[:1], forest, vectors, tuple(weights.values()))
    assert np.isfinite(cost)
    assert not any(slope.any() for slope in slopes[:5])
    assert slopes[8].any()
