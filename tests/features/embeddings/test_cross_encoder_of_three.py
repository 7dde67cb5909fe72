"""A cross-encoder that reads source, reference and translation, and how its training is steered."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from encoder_model import causal_model, one_layer_model

from sklearn_mteval import load_model, save_model
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import CrossEncoder
from sklearn_mteval.features.embeddings import _cross_encoder_training as cross_encoder_training
from sklearn_mteval.features.embeddings import _training_checkpoint as training_checkpoint
from sklearn_mteval.features.embeddings._cross_encoder_training import (
    Example,
    Scale,
    _dropped,
    _loss,
)
from sklearn_mteval.features.embeddings._text_reader import TextReader, _cut

THREE = ("source", "reference", "hypothesis")


GOOD, BAD = ["fine", "clear", "right"], ["bad", "murky", "wrong"]


def judged_with_references(n=24, seed=0):
    """Translations that are better the more good words they have."""
    rng = np.random.default_rng(seed)
    rows, labels = [], []
    for segment in range(n):
        for system, k in (("A", 2), ("B", 1), ("C", 0)):
            words = rng.permutation([*rng.choice(GOOD, k), *rng.choice(BAD, 2 - k)])
            hypothesis = f"sentence {segment} " + " ".join(words)
            rows.append((f"Satz {segment}", f"sentence {segment} fine", hypothesis, 2.0 - k))
            labels.append((segment, system))
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "system"])
    table = pd.DataFrame(rows, index, columns=[*THREE, "y"])
    return table[list(THREE)], table["y"]


def targets_of(y):
    """Give every second one a number, every third a label."""
    every = np.arange(len(y))
    number, label = (50 - 10 * y).where(every % 2 == 0), (y == 0).astype(float)
    return pd.DataFrame({"points": number, "sound": label.where(every % 3 == 0)}, y.index)


def reader(**options):
    given = {"encoder": one_layer_model(), "n_frozen_layers": 0, "adapter_rank": 4}
    given |= {"columns": THREE, "max_epochs": 8, "learning_rate": 0.003, "text_dropout": 0.2}
    return CrossEncoder(**(given | options))


@pytest.fixture(scope="module")
def fitted():
    X, y = judged_with_references()
    return reader().set_output(transform="pandas").fit(X, y, targets_of(y))


def text_reader(model=None):
    from sklearn_mteval.features.embeddings._encoder_models import FolderModel

    return TextReader(FolderModel(Path(model or one_layer_model()), "cpu", 1).loaded(), 3)


def test_three_texts_stand_one_after_another():
    """As the tokeniser's pairs do: a separator after each, the translation's tokens of type 1."""
    read = text_reader()
    ((ids, kinds, sides),) = read.encode([("ein Satz", "a sentence", "one phrase here")])
    words = [read.tokenizer(t, add_special_tokens=False)["input_ids"]
             for t in ("ein Satz", "a sentence", "one phrase here")]  # fmt: skip
    cls, sep = read.tokenizer.cls_token_id, read.tokenizer.sep_token_id
    assert ids == [cls, *words[0], sep, *words[1], sep, *words[2], sep]
    n = [len(w) for w in words]
    assert list(sides) == [0] * (1 + n[0]) + [1] * (1 + n[1]) + [2] * (n[2] + 2)
    assert list(kinds) == (sides == 2).astype(int).tolist()
    pair = read.tokenizer("a sentence", "one phrase here")
    assert ids[2 + n[0] :] == pair["input_ids"][1:]
    # What is not there has no token; the last separator is the translation's, be it empty.
    found = read.encode([("", "a", "b"), ("a", "", "b"), ("a", "b", "")])
    assert [set(sides) for *_, sides in found] == [{0, 1, 2}, {0, 2}, {0, 1, 2}]
    inputs, masks = read.batch(read.encode([("a", "", "b"), ("a b", "c", "d")]), 16)
    assert len(masks) == 3
    assert not masks[1][0].any()
    assert torch.equal(inputs["attention_mask"].bool(), masks[0] | masks[1] | masks[2])


def test_a_tokeniser_without_special_tokens(tmp_path):
    ((ids, kinds, sides),) = text_reader(causal_model(tmp_path)).encode(
        [("a cat", "the dog", "sat")]
    )
    assert (ids, kinds, list(sides)) == ([2, 3, 4, 5, 6], None, [0, 0, 1, 1, 2])


def test_the_longest_text_is_cut_first():
    assert _cut([10, 3, 7], 20) == [10, 3, 7]
    assert sorted(_cut([10, 3, 7], 12)) == [3, 4, 5]
    assert _cut([500, 2, 3], 380) == [375, 2, 3]
    read, long = text_reader(), "word " * 600
    with pytest.warns(UserWarning, match="384 tokens of a reading of three texts: 1 of 2"):
        (ids, _, sides), _ = read.encode([(long, "a b c", long), ("a", "b", "c")])
    assert len(ids) == 384
    n = np.bincount(sides)
    assert n[1] == 4
    assert abs(n[0] - n[2]) <= 2


def test_it_learns_and_reads_what_is_there(fitted):
    X, y = judged_with_references(20, seed=1)
    for table in (X, X.drop(columns="reference"), X.drop(columns="source"), X.assign(source="")):
        found = fitted.transform(table)
        means = found["crossencoder_score"].groupby(y.to_numpy()).mean()
        assert means.is_monotonic_decreasing
        assert found["crossencoder_sound"].between(0, 1).all()
    no_column, no_text = (
        fitted.transform(table) for table in (X.drop(columns="source"), X.assign(source=""))
    )
    pd.testing.assert_frame_equal(no_column, no_text)
    with pytest.raises(CandidateError, match="source"):
        fitted.transform(X[["hypothesis"]])


def test_the_columns_are_those_of_transformers_own_model(fitted):
    from transformers import AutoModel

    library, weights = AutoModel.from_pretrained(one_layer_model()).eval(), fitted.weights_
    with torch.no_grad():
        for name, layer in library.named_modules():
            if f"{name}.up" in weights:
                up, down = (weights[f"{name}.{p}"].astype(float) for p in ("up", "down"))
                layer.weight += 2 * torch.from_numpy(up @ down).float()
    X = judged_with_references(3, seed=2)[0]
    read = text_reader()
    for row, found in zip(X[list(THREE)].to_numpy(), fitted.transform(X).to_numpy(), strict=True):
        ((ids, kinds, sides),) = read.encode([tuple(row)])
        with torch.no_grad():
            states = library(
                input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([list(kinds)])
            ).last_hidden_state[0].numpy()  # fmt: skip
        s, r, h = (states[sides == side].astype(float).mean(axis=0) for side in range(3))
        seen = np.concatenate([s, r, h, abs(s - h), s * h, abs(r - h), r * h])
        hidden = np.tanh(weights["hidden.weight"] @ seen + weights["hidden.bias"])
        score = (weights["output.weight"] @ hidden + weights["output.bias"])[0]
        assert found[0] == pytest.approx(score, rel=1e-3, abs=1e-3)


def test_of_several_references_the_one_with_the_highest_score_counts(fitted):
    X = judged_with_references(4)[0]
    one, other = fitted.transform(X), fitted.transform(X.assign(reference="quite another text"))
    both = X.assign(reference=[[text, "quite another text"] for text in X["reference"]])
    highest = np.maximum(one["crossencoder_score"], other["crossencoder_score"])
    pd.testing.assert_series_equal(fitted.transform(both)["crossencoder_score"], highest)


def test_neither_order_nor_company_changes_a_bit():
    X, y = judged_with_references(12)
    order = np.random.default_rng(3).permutation(len(X))
    weights = np.arange(1.0, 1 + len(X))
    one = reader(max_epochs=1).fit(X, y, targets_of(y), weights)
    shuffled = targets_of(y).iloc[order]
    other = reader(max_epochs=1).fit(X.iloc[order], y.iloc[order], shuffled, weights[order])
    for name, array in one.weights_.items():
        np.testing.assert_array_equal(other.weights_[name], array)
    np.testing.assert_array_equal(one.transform(X.iloc[:1]), one.transform(X)[:1])


def test_texts_are_dropped_of_all_translations_of_a_segment():
    readings = [("s", "r", "a"), ("s", "r", "b")]
    example = Example(readings, *np.zeros((3, 1)), np.zeros((2, 0)))
    assert _dropped(example, 0.1, 0.2).readings == [("", "r", "a"), ("", "r", "b")]
    assert _dropped(example, 0.3, 0.2).readings == [("s", "", "a"), ("s", "", "b")]
    assert _dropped(example, 0.4, 0.2) is example
    half = example._replace(readings=[("s", "", "a"), ("s", "", "b")])
    assert _dropped(half, 0.1, 0.5) is half  # never both
    pair = example._replace(readings=[("s", "a"), ("s", "b")])
    assert _dropped(pair, 0.0, 0.0) is pair


@pytest.mark.parametrize("scale", ["sqrt", "log"])
def test_targets_on_a_scale_that_forgives_outliers(scale):
    """All have the same target, and nothing but its scale is learnt: it comes back."""
    X, y = judged_with_references(6)
    targets = pd.DataFrame({"penalty": np.full(len(X), -24.0), "gain": 8.0}, X.index)
    found = reader(max_epochs=1, target_scale=scale).fit(X, y, targets)
    root = {"sqrt": -np.sqrt(24), "log": -np.log(25)}[scale]
    assert found.scales_["penalty"] == pytest.approx((root, 1.0))
    # Deviation 1 on the scale: what comes out is no further than some of these.
    penalties, gains = found.transform(X)[:, 1:].T
    assert (penalties < 0).all()
    assert (gains > 0).all()


def test_margins_and_weights_by_hand():
    outputs = torch.tensor([[2.0, 0.0], [0.5, 0.0], [1.0, 0.0], [0.0, 0.0]])
    targets = np.array([[-1.0], [-9.0], [np.nan], [-4.0]])
    zero, one = np.array([0]), np.array([1])
    readings = [("s", "a"), ("s", "b")]
    examples = [
        Example(readings, zero, one, np.ones(1), targets[:2], 3.0),
        Example(readings, zero, one, np.ones(1), targets[2:], 1.0),
    ]
    found = float(_loss(outputs, examples, [Scale(False, 0.0, 4.0)], 0.5))
    score = (3 * np.log1p(np.exp(0.5 * 8 / 4 - 1.5)) + np.log1p(np.exp(-1.0))) / 4
    huber = (3 * (0.25**2 / 2 + (9 / 4 - 0.5)) + (1 - 0.5)) / 7
    assert found == pytest.approx(score + 0.7 * huber, rel=1e-5)


def test_a_margin_spreads_scores():
    X, y = judged_with_references(12)
    targets = pd.DataFrame({"penalty": -10.0 * y}, X.index)
    spreads = [
        reader(margin=m, max_epochs=4).fit(X, y, targets).transform(X)[:, 0].std() for m in (0, 4)
    ]
    assert spreads[1] > 1.2 * spreads[0]


def test_weights_of_segments_count():
    """Half of the segments say the opposite: the heavier half is learnt."""
    X, y = judged_with_references(24)
    second = X.index.get_level_values("segment") >= 12
    y = y.where(~second, 2 - y)
    first = reader().fit(X, y, sample_weight=np.where(second, 0.01, 1)).transform(X)[:, 0]
    other = reader().fit(X, y, sample_weight=np.where(second, 1, 0.01)).transform(X)[:, 0]
    good = X["hypothesis"].str.count("fine|clear|right").to_numpy()
    assert np.corrcoef(first, good)[0, 1] > 0.5
    assert np.corrcoef(other, good)[0, 1] < -0.5


class Stopped(Exception):
    pass


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_training_that_was_stopped_goes_on_to_the_bit(dtype, tmp_path, monkeypatch):
    X, y = judged_with_references(60)
    targets, options = targets_of(y), {"dtype": dtype, "max_epochs": 2}
    whole = reader(**options).fit(X, y, targets)
    monkeypatch.setattr(training_checkpoint, "_SECONDS", 0)
    tracked, runs = cross_encoder_training.tracked, []

    def stopping(steps, *arguments, total, **options):
        runs.append(total)
        return tracked(itertools.islice(steps, 3), *arguments, total=total, **options)

    monkeypatch.setattr(cross_encoder_training, "tracked", stopping)
    for _ in range(2):  # each gets three steps further
        reader(**options, checkpoint=tmp_path / "new").fit(X, y, targets)
    assert runs == [6, 3]
    resumed = reader(**options, checkpoint=tmp_path / "new").fit(X, y, targets)
    assert runs[2] == 0  # what is finished is not trained again
    for name, array in whole.weights_.items():
        np.testing.assert_array_equal(resumed.weights_[name], array)
    np.testing.assert_array_equal(resumed.losses_, whole.losses_)
    assert len(list((tmp_path / "new").iterdir())) == 1
    # Another table, another seed: another training.
    reader(**options, checkpoint=tmp_path / "new").fit(X[:90], y[:90], targets[:90])
    reader(**options, checkpoint=tmp_path / "new", random_state=1).fit(X, y, targets)
    assert len(list((tmp_path / "new").iterdir())) == 3
    next((tmp_path / "new").iterdir()).write_bytes(b"PK")


def test_a_checkpoint_is_written_each_some_minutes(tmp_path, monkeypatch):
    clock = itertools.count(0, 130)
    monkeypatch.setattr(training_checkpoint, "monotonic", lambda: next(clock))
    written = []
    monkeypatch.setattr(
        training_checkpoint, "write_atomically", lambda file, content: written.append(len(content))
    )
    X, y = judged_with_references(60)
    reader(max_epochs=2, checkpoint=tmp_path).fit(X, y)
    assert len(written) == 2  # of six steps, at the third and at the end


def test_a_damaged_checkpoint_is_named(tmp_path):
    X, y = judged_with_references(4)
    options = {"max_epochs": 1, "checkpoint": str(tmp_path)}
    reader(**options).fit(X, y)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(ValueError, match=f"{file.name} .*delete it"):
        reader(**options).fit(X, y)


def test_a_warm_start_goes_on_from_the_last_fit():
    X, y = judged_with_references(12)
    once = reader(warm_start=True, max_epochs=4).fit(X, y)
    before, first_loss = once.weights_, once.losses_[0]
    # At a rate of next to nothing adapters stay what they were; new ones add nothing.
    again = once.set_params(learning_rate=1e-9).fit(X, y)
    cold = reader(learning_rate=1e-9, max_epochs=4).fit(X, y)
    for name in (name for name in before if name.endswith(".up")):
        assert abs(before[name]).max() > 1e-3
        np.testing.assert_allclose(again.weights_[name], before[name], atol=1e-5)
        assert abs(cold.weights_[name]).max() < 1e-6
    assert again.losses_[0] < 0.8 * first_loss
    # Other columns and other targets: adapters stay, what stands above them is new.
    pairs = again.set_params(columns=("source", "hypothesis"), text_dropout=0.0)
    assert pairs.fit(X, y, targets_of(y)).transform(X).shape == (len(X), 3)
    with pytest.raises(ValueError, match="adapter_rank and n_frozen_layers must be those"):
        pairs.set_params(adapter_rank=2).fit(X, y)


def test_folds_of_a_warm_start_have_not_seen_what_they_judge():
    X, y = judged_with_references(9)
    there = X.index.get_level_values("segment") == 3
    turned = y.where(~there, 2 - y)
    options = {"warm_start": True, "max_epochs": 1}
    found = [reader(**options).fit(X[~there], y[~there]).fit_transform(X, r) for r in (y, turned)]
    np.testing.assert_array_equal(found[0][there], found[1][there])


def test_a_saved_model_is_the_same(fitted, tmp_path):
    X = judged_with_references(3, seed=4)[0]
    save_model(fitted, tmp_path / "saved")
    loaded = load_model(tmp_path / "saved")
    np.testing.assert_array_equal(loaded.transform(X), fitted.transform(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ("source", "reference", "other")}, "or all three"),
        ({"columns": ("source", "reference")}, "columns must be"),
        ({"text_dropout": 0.6}, "text_dropout must"),
        ({"columns": ("source", "hypothesis")}, "must be 0 unless three texts"),
        ({"target_scale": "cubic"}, "target_scale"),
        ({"margin": -1}, "margin must"),
        ({"warm_start": "yes"}, "warm_start must"),
        ({"checkpoint": 3}, "checkpoint must be None or a folder"),
    ],
)
def test_bad_options(options, message):
    X, y = judged_with_references(4)
    with pytest.raises(ValueError, match=message):
        reader(**options).fit(X, y)


@pytest.mark.parametrize("weights", [[1.0], np.zeros(12), np.full(12, np.nan), ["x"] * 12])
def test_bad_weights(weights):
    X, y = judged_with_references(4)
    with pytest.raises(CandidateError, match="sample_weight must be"):
        reader().fit(X, y, sample_weight=weights)


def test_without_dropout_both_columns_are_needed():
    X, y = judged_with_references(4)
    found = reader(text_dropout=0.0, max_epochs=1).fit(X, y)
    with pytest.raises(CandidateError, match="reference"):
        found.transform(X.drop(columns="reference"))
    with pytest.raises(CandidateError, match="source"):
        reader().fit(X.drop(columns="source"), y)
