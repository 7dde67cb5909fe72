"""Training on texts that are too long to be read at once: in windows, put together as at use."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
import torch
from encoder_model import one_layer_model
from scipy.special import expit, logit

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import CrossEncoder
from sklearn_mteval.features.embeddings._cross_encoder_training import (
    Example,
    InWindows,
    Scale,
    _loss,
    _some,
)
from sklearn_mteval.features.embeddings._cross_encoder_windows import in_windows
from sklearn_mteval.features.embeddings._text_reader import TextReader
from sklearn_mteval.pairwise import Windowed
from sklearn_mteval.pairwise.judged import Judged

NONE = np.empty((2, 0))
ONE, ZERO = np.array([1]), np.array([0])
THINGS = ["cat", "dog", "bus", "tree", "house", "king"]
THINGS += ["ship", "road", "lake", "bird", "door", "wall"]


def sentence(thing, end):
    """Some thirty tokens, which say in their last word how good they are."""
    words = f"the {thing} was there for a long time and nobody who had come to see the {thing} "
    return f"{words.capitalize()}that evening knew what to say about it, which was {end}."


def paragraph(ends):
    """A sentence for each of the ends, each about another thing."""
    return " ".join(sentence(thing, end) for thing, end in zip(THINGS, ends, strict=False))


def reader(**options):
    given = {"columns": ("reference", "hypothesis"), "n_frozen_layers": 0, "adapter_rank": 4}
    return CrossEncoder(one_layer_model(), **(given | options))


@cache
def texts_for():
    return TextReader(reader()._open_model().loaded(), 2)


def example(*hypotheses, reference=None):
    """A segment whose first translation is the best, and the reference unless another is given."""
    reference = hypotheses[0] if reference is None else reference
    readings = [(reference, hypothesis) for hypothesis in hypotheses]
    worse = np.arange(1, len(readings))
    nothing = np.full((len(readings), 1), 1.5)
    return Example(readings, 0 * worse, worse, np.ones(len(worse)), nothing)


def test_a_paragraph_has_the_gradient_of_the_mean():
    """Of two windows, worth a quarter and three quarters: by hand, next to a text that fits."""
    windows = InWindows(np.array([[0.25, 0.75, 0, 0], [0, 0, 0.25, 0.75]]), np.zeros(2))
    readings = [("r", text) for text in "abcd"]
    examples = [
        Example(readings, ZERO, ONE, np.array([2.0]), NONE, 1.0, windows),
        Example(readings[:2], ONE, ZERO, np.array([1.0]), NONE),
    ]
    outputs = torch.tensor([[1.0], [3.0], [-1.0], [2.0], [0.5], [0.25]], dtype=torch.float64)
    loss = _loss(outputs.requires_grad_(), examples, [])
    loss.backward()
    first, second = 2.5 - 1.25, 0.25 - 0.5
    expected = (2 * np.log1p(np.exp(-first)) + np.log1p(np.exp(-second))) / 3
    assert loss.item() == pytest.approx(expected)
    slope, other = 2 * expit(-first) / 3, expit(-second) / 3
    by_hand = [-0.25 * slope, -0.75 * slope, 0.25 * slope, 0.75 * slope, other, -other]
    np.testing.assert_allclose(outputs.grad[:, 0], by_hand)


def test_a_text_that_fits_is_learnt_as_a_text_of_one_window_to_the_bit():
    rng = np.random.default_rng(0)
    outputs = torch.from_numpy(rng.normal(size=(4, 1)).astype(np.float32))
    readings = [("r", text) for text in "abcd"]
    better, worse = np.triu_indices(4, 1)
    fits = Example(readings, better, worse, np.sqrt(np.arange(6) + 1.0), np.empty((4, 0)))
    # What is said of it, as it was before there were windows.
    more, weights = torch.zeros(6), torch.from_numpy(fits.weights).float()
    losses = torch.nn.functional.softplus(more + outputs[worse, 0] - outputs[better, 0])
    before = 0 * outputs.sum() + (losses * weights).sum() / weights.sum()
    assert _loss(outputs, [fits], []).item() == before.item()
    short = example(sentence("cat", "good"), "Bad.")
    assert in_windows(short, texts_for(), ["reference"]) is short


def test_windows_are_the_same_for_all_systems():
    """Of one reference: each has twelve sentences, of which one misses and another is two."""
    ends = ["good"] * 12
    whole, bad = paragraph(ends), paragraph([*ends[:6], "bad", *ends[7:]])
    missing = " ".join(sentence(thing, "good") for thing in THINGS if thing != "king")
    found = in_windows(example(whole, bad, missing), texts_for(), ["reference"])
    weights = found.in_windows.weights
    windows = [{found.readings[k][0]: found.readings[k][1] for k in np.flatnonzero(row)}
               for row in weights]  # fmt: skip
    assert set(windows[0]) == set(windows[1]) == set(windows[2])
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    sentences = [sentence(thing, "good") for thing in THINGS]
    assert sorted(windows[0]) == sorted(sentences)
    assert windows[1][sentences[6]] == sentence("ship", "bad")
    assert windows[2][sentences[5]] == ""
    assert len(found.readings) == 12 + 2  # what several have is read once
    lengths = np.array([len(text.replace(" ", "")) for text in sentences])
    of_first = [weights[0, found.readings.index((text, text))] for text in sentences]
    np.testing.assert_allclose(of_first, lengths / lengths.sum(), rtol=0.03)
    assert not found.in_windows.added.any() and np.isnan(found.targets).all()


class Letters:
    """Says that what has more letters is better: log-odds that are a difference, as scores'."""

    def decision_function(self, X):
        return X["hypothesis"].map(len).to_numpy() / 50.0

    def compare(self, X, *, pairs):
        i, j = pairs
        score = self.decision_function(X)
        return pd.DataFrame({"probability": expit(score[i] - score[j])})


def test_differences_are_put_together_as_at_use():
    """Omissions, additions and another wording: log-odds of the mean, as ``Judged`` has them."""
    whole = paragraph(["good"] * 12)
    texts = [whole, paragraph(["bad"] * 9), f"{whole} And then there was something else, too."]
    index = pd.MultiIndex.from_product([[1], list("ABC")], names=["segment", "system"])
    X = pd.DataFrame({"reference": whole, "hypothesis": texts}, index)
    judged = Judged(Windowed.of(Letters(), longest=450), X)
    for i, j in ((0, 1), (1, 0), (0, 2), (2, 1)):
        expected = logit(judged.probabilities(np.array([i]), np.array([j]))[0][0])
        segment = example(*texts)._replace(better=np.array([i]), worse=np.array([j]))
        found = in_windows(segment._replace(weights=np.ones(1)), texts_for(), ["reference"])
        scores = torch.tensor([[len(hypothesis) / 50.0] for _, hypothesis in found.readings])
        loss = _loss(scores.double(), [found], [Scale(False)]).item()
        assert -np.log(np.expm1(loss)) == pytest.approx(expected, rel=1e-6)


def test_of_many_translations_the_windows_of_six_are_read():
    n = 9
    weights = np.repeat(np.eye(n), 2, axis=1) / 2  # two readings of each
    whole = Example(
        [("r", str(k)) for k in range(2 * n)], np.arange(n - 1), np.arange(1, n),
        np.ones(n - 1), np.empty((n, 0)), 1.0, InWindows(weights, np.arange(float(n))),
    )  # fmt: skip
    some = _some(whole, np.random.default_rng(0))
    chosen = some.in_windows.added.astype(int).tolist()
    assert len(chosen) == 6
    assert [text for _, text in some.readings] == [str(2 * k + s) for k in chosen for s in (0, 1)]
    np.testing.assert_array_equal(some.in_windows.weights, np.repeat(np.eye(6), 2, axis=1) / 2)
    followed = [(chosen[a], chosen[b]) for a, b in zip(some.better, some.worse, strict=True)]
    assert followed == [(k, k + 1) for k in chosen if k + 1 in chosen]


def paragraphs(n=10):
    """Two translations of six sentences each, of which the second ends badly."""
    labels = [(segment, system) for segment in range(n) for system in "AB"]
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "system"])
    rows = []
    for segment in range(n):
        ends = [f"good on day {segment}"] * 6
        bad = paragraph([*ends[:3], *["terribly wrong"] * 3])
        rows += [(paragraph(ends), paragraph(ends)), (paragraph(ends), bad)]
    X = pd.DataFrame(rows, index, columns=["reference", "hypothesis"])
    return X, pd.Series(np.tile([1.0, 2.0], n), index)


@pytest.mark.slow
def test_it_learns_of_the_last_sentences_in_any_order_of_rows():
    X, y = paragraphs()
    order = np.random.default_rng(0).permutation(len(X))
    options = {"max_epochs": 12, "learning_rate": 0.003}
    model = reader(**options).fit(X, y)
    other = reader(**options).fit(X.iloc[order], y.iloc[order])
    for name, array in model.weights_.items():
        np.testing.assert_array_equal(other.weights_[name], array)
    assert model.losses_[-1] < 0.5 * model.losses_[0]
    good, bad = (sentence("lake", end) for end in ("good on day 77", "terribly wrong"))
    index = pd.MultiIndex.from_product([[1], list("AB")], names=["segment", "system"])
    ends = pd.DataFrame({"reference": good, "hypothesis": [good, bad]}, index)
    first, second = model.transform(ends)[:, 0]
    assert first > second


def test_of_paragraphs_alone_no_target_is_learnt():
    X, y = paragraphs(4)
    with pytest.raises(CandidateError, match="too long to be read at once are not learnt"):
        reader().fit(X, y, pd.DataFrame({"mqm": y}))
    short, ranks = X.iloc[:2].assign(reference="Good.", hypothesis=["Good.", "Bad."]), y.iloc[:2]
    short.index = pd.MultiIndex.from_product([[9], list("AB")], names=["segment", "system"])
    both = pd.concat([X, short]), pd.concat([y, ranks.set_axis(short.index)])
    model = reader(max_epochs=1).fit(*both, pd.DataFrame({"mqm": both[1] * [*[100] * 8, 1, 1]}))
    assert model.scales_ == {"mqm": (1.5, 0.5)}
