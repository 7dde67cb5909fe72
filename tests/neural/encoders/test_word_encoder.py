"""Sentence encoders against loops over words, with the module's own weights."""

import math

import numpy as np
import pytest
import torch
from network_by_hand import sigmoid

from sklearn_mteval.neural import EncoderOptions
from sklearn_mteval.neural.encoders.texts import Texts
from sklearn_mteval.neural.encoders.word_encoder import WordEncoder, encode_texts
from sklearn_mteval.neural.pairwise.torch_solver import EncodedPairs

KINDS = ("average", "cnn", "lstm", "bilstm")
SENTENCES = [[1, 2, 3], [], [4], [2, 2, 5, 6, 1, 3, 0], [3, 1]]


def encoder(kind, *, trained=False, dropout=0.0, window=3, pool=2, n_units=4):
    torch.manual_seed(0)
    initial = torch.randn(7, 3)
    options = EncoderOptions(
        kind,
        fine_tuning="full" if trained else "frozen",
        n_units=n_units,
        window=window,
        pool=pool,
        dropout=dropout,
    )
    return WordEncoder(initial, options, np.random.RandomState(0)).eval()


def run(module, sentences):
    tokens = torch.tensor([word for words in sentences for word in words], dtype=torch.int64)
    return module(tokens, torch.tensor([len(words) for words in sentences]))


def numbers(tensor):
    return tensor.detach().numpy().astype(np.float64)


def average(module, words):
    vectors = numbers(module.initial)
    return [sum(vectors[word][k] for word in words) / len(words) for k in range(3)]


def convolve(module, words):
    """Wide convolution, tanh, maxima of windows of `pool` positions, mean of the maxima."""
    vectors, weight = numbers(module.initial), numbers(module.body.weight)
    bias, reach, maxima = numbers(module.body.bias), module.body.window, []
    outputs = []
    for first in range(1 - reach, len(words)):  # each position at which a filter sees a word
        sums = bias.copy()
        for at in range(reach):
            if 0 <= first + at < len(words):
                sums = sums + weight[:, :, at] @ vectors[words[first + at]]
        outputs.append(np.tanh(sums))
    for start in range(0, len(outputs), module.body.pool):
        maxima.append(np.max(outputs[start : start + module.body.pool], axis=0))
    return np.mean(maxima, axis=0)


def recur(module, words, suffix=""):
    """Hochreiter and Schmidhuber's cell with a forget gate; gates i, f, g, o."""
    w, u, b, c = (
        numbers(getattr(module.body, f"{name}_l0{suffix}"))
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    n = w.shape[0] // 4
    state, cell = np.zeros(n), np.zeros(n)
    for word in words:
        sums = w @ numbers(module.initial)[word] + b + u @ state + c
        new = np.zeros(n)
        for k in range(n):
            enter, forget, value, leave = (sums[gate * n + k] for gate in range(4))
            cell[k] = sigmoid(forget) * cell[k] + sigmoid(enter) * math.tanh(value)
            new[k] = sigmoid(leave) * math.tanh(cell[k])
        state = new
    return state


ORACLES = {
    "average": average,
    "cnn": convolve,
    "lstm": recur,
    "bilstm": lambda module, words: np.append(
        recur(module, words), recur(module, words[::-1], "_reverse")
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_against_loops(kind):
    module = encoder(kind)
    found = numbers(run(module, SENTENCES))
    assert found.shape == (len(SENTENCES), module.n_outputs)
    for row, words in zip(found, SENTENCES, strict=True):
        expected = ORACLES[kind](module, words) if words else np.zeros(module.n_outputs)
        np.testing.assert_allclose(row, expected, atol=1e-6)


@pytest.mark.parametrize(("window", "pool"), [(1, 1), (1, 3), (2, 1), (3, 4), (5, 2), (2, 100)])
def test_convolutions_of_any_window(window, pool):
    module = encoder("cnn", window=window, pool=pool)
    found = numbers(run(module, SENTENCES))
    for row, words in zip(found, SENTENCES, strict=True):
        if words:
            np.testing.assert_allclose(row, convolve(module, words), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_companions_do_not_matter(kind):
    module = encoder(kind)
    together = run(module, SENTENCES)
    for row, words in zip(together, SENTENCES, strict=True):
        torch.testing.assert_close(run(module, [words])[0], row, atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_empty_texts_are_zeros(kind):
    assert not run(encoder(kind), [[], []]).any()
    assert not run(encoder(kind, dropout=0.5).train(), [[1], []])[1].any()


@pytest.mark.parametrize("kind", KINDS)
def test_texts_are_encoded_in_their_own_order_whatever_their_lengths(kind):
    module = encoder(kind)
    texts = Texts(
        np.zeros((1, 2), dtype=np.int64),
        np.array([word for words in SENTENCES for word in words]),
        np.cumsum([0] + [len(words) for words in SENTENCES]),
    )
    expected = numbers(run(module, SENTENCES))
    for batch_size in (1, 2, 256):
        found = encode_texts(module, texts, batch_size=batch_size)
        np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_only_in_training(kind):
    module, without = encoder(kind, dropout=0.5), encoder(kind)
    np.testing.assert_array_equal(numbers(run(module, SENTENCES)), numbers(run(without, SENTENCES)))
    module.train()
    assert not torch.equal(run(module, SENTENCES), run(module, SENTENCES))
    without.train()
    assert torch.equal(run(without, SENTENCES), run(without, SENTENCES))


@pytest.mark.parametrize(("l2", "distance"), [(0.0, 0.0), (0.3, 0.0), (0.0, 0.7), (0.3, 0.7)])
def test_the_penalty_and_its_sparse_gradient(l2, distance):
    module = encoder("average", trained=True)
    with torch.no_grad():
        module.change.copy_(torch.randn(7, 3))
    words = sorted({word for text in SENTENCES[:3] for word in text})  # 1, 2, 3, 4

    def penalty(change):
        """Half the squares of the batch's words, each word once."""
        start = numbers(module.initial)
        total = 0.0
        for word in words:
            for k in range(3):
                total += 0.5 * l2 * (start[word, k] + change[word, k]) ** 2
                total += 0.5 * distance * change[word, k] ** 2
        return total

    run(module, SENTENCES[:3])
    found = module.penalty(l2, distance)
    change = numbers(module.change)
    assert float(found.detach()) == pytest.approx(penalty(change), rel=1e-5)
    with torch.sparse.check_sparse_tensor_invariants(enable=False):
        found.backward()
        assert module.change.grad.is_sparse
        gradient = numbers(module.change.grad.coalesce().to_dense())
    for word in range(7):
        for k in range(3):
            costs = []
            for step in (1e-5, -1e-5):
                moved = change.copy()
                moved[word, k] += step
                costs.append(penalty(moved))
            slope = (costs[0] - costs[1]) / 2e-5
            assert gradient[word, k] == pytest.approx(slope, rel=1e-4, abs=1e-6)


def test_frozen_vectors_have_no_penalty_and_no_parameter():
    module = encoder("average")
    run(module, SENTENCES)
    assert module.penalty(1.0, 1.0) == 0
    assert not list(module.parameters())


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_of_word_vectors_by_finite_differences(kind):
    module = encoder(kind, trained=True).double()
    direction = torch.randn(len(SENTENCES), module.n_outputs, dtype=torch.float64)

    def cost():
        return (run(module, SENTENCES) * direction).sum()

    with torch.sparse.check_sparse_tensor_invariants(enable=False):
        cost().backward()
        gradient = module.change.grad.coalesce().to_dense().numpy()
    for word, k in ((0, 0), (1, 2), (2, 1), (6, 0)):
        costs = []
        for step in (1e-6, -2e-6):
            with torch.no_grad():
                module.change[word, k] += step
                costs.append(float(cost()))
        with torch.no_grad():
            module.change[word, k] += 1e-6
        assert gradient[word, k] == pytest.approx((costs[0] - costs[1]) / 2e-6, abs=1e-6)
    assert np.abs(gradient).max() > 0.01


@pytest.mark.parametrize("by_length", [False, True])
@pytest.mark.parametrize(("n", "batch_size"), [(1, 4), (23, 4), (450, 2)])
def test_every_row_once_an_epoch(by_length, n, batch_size):
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 9, 2 * n)
    texts = Texts(
        np.arange(2 * n).reshape(n, 2),
        rng.integers(0, 7, lengths.sum()),
        np.concatenate([[0], np.cumsum(lengths)]),
    )
    # The one number of a row is its own position: what comes out says what went in.
    X = np.arange(n, dtype=np.float32)[:, np.newaxis]
    signs = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    parts = {"widths": [0, 0, 0, 1], "by_length": by_length}
    pairs = EncodedPairs(X, signs, batch_size, "cpu", texts, **parts)
    pairs.order = rng.permutation(n)
    seen, spreads = [], []
    for (numbers_of_rows, tokens, counts, of_pair), batch_signs in pairs.batches():
        rows = numbers_of_rows[3][:, 0].long().tolist()
        assert 1 <= len(rows) <= batch_size
        np.testing.assert_array_equal(batch_signs.numpy(), signs[rows])
        begins = np.concatenate([[0], np.cumsum(counts.numpy())])
        for row, of in zip(rows, of_pair.tolist(), strict=True):
            for text, at in zip(texts.of_pair[row], of, strict=True):
                own = texts.tokens[texts.bounds[text] : texts.bounds[text + 1]]
                assert tokens[begins[at] : begins[at + 1]].tolist() == own.tolist()
        seen += rows
        longest = [max(lengths[2 * row : 2 * row + 2]) for row in rows]
        spreads.append(max(longest) - min(longest))
    assert sorted(seen) == list(range(n))
    if n == 450:
        assert (np.mean(spreads) < 0.3) == by_length
    if not by_length:
        assert seen == pairs.order.tolist()
