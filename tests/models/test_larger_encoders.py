"""Encoders of XLM-R's architecture, as users with a GPU have them: here tiny, of random weights."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval import load_model
from sklearn_mteval.cli import main
from sklearn_mteval.cli._training_options import features_of
from sklearn_mteval.datasets import load_sample, to_long
from sklearn_mteval.features import CrossEncoder
from sklearn_mteval.models.short_names import make_features
from sklearn_mteval.pairwise.ranking_pipeline import transformers_in

torch = pytest.importorskip("torch")
THREE = ("source", "reference", "hypothesis")
OPENING, PADDING, CLOSING, UNKNOWN = "<s>", "<pad>", "</s>", "<unk>"
SHAPE = {"n_frozen_layers": 1, "adapter_rank": 2}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """XLM-R's numbers of special tokens, its template for pairs, its positions; letters as words.

    The folder is one of transformers alone: nobody has made a sentence encoder of it.
    """
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    special = [OPENING, PADDING, CLOSING, UNKNOWN]
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    vocabulary = [(text, 0.0) for text in special] + [(letter, -3.0) for letter in letters]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{OPENING} $A {CLOSING}",
        pair=f"{OPENING} $A {CLOSING} {CLOSING} $B {CLOSING}",
        special_tokens=[(OPENING, 0), (CLOSING, 2)],
    )
    found = tmp_path_factory.mktemp("xlm-r")
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=OPENING, eos_token=CLOSING, sep_token=CLOSING,
        cls_token=OPENING, unk_token=UNKNOWN, pad_token=PADDING, model_max_length=512,
    ).save_pretrained(found)  # fmt: skip
    sizes = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2}
    sizes |= {"intermediate_size": 32, "max_position_embeddings": 514, "type_vocab_size": 1}
    torch.manual_seed(0)
    config = transformers.XLMRobertaConfig(vocab_size=len(vocabulary), pad_token_id=1, **sizes)
    transformers.XLMRobertaModel(config).save_pretrained(found)
    return found


def judged(n=16):
    """Two translations a segment, the better of which ends as the reference does."""
    index = pd.MultiIndex.from_product([range(n), list("AB")], names=["segment", "system"])
    names = [chr(ord("a") + k) * 3 for k in range(n)]
    rows = [(f"der {name}", f"the {name} ok", f"the {name} {end}")
            for name in names for end in ("ok", "bad")]  # fmt: skip
    return pd.DataFrame(rows, index, columns=list(THREE)), pd.Series(np.tile([1.0, 2.0], n), index)


@pytest.mark.parametrize("columns", [("source", "hypothesis"), THREE])
def test_a_cross_encoder_reads_as_the_library_does(folder, columns):
    """Tokens, spans, the encoder with what adapters add, and the judge: by transformers, numpy."""
    from transformers import AutoModel, AutoTokenizer

    X, y = judged()
    model = CrossEncoder(folder, columns=columns, max_epochs=3, learning_rate=0.003, **SHAPE)
    found = model.fit(X, y).transform(X)[:, 0]
    tokenizer, library = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    weights, changed = model.weights_, 0
    with torch.no_grad():
        for name, layer in library.eval().named_modules():
            if f"{name}.up" in weights:
                up, down = (weights[f"{name}.{part}"].astype(float) for part in ("up", "down"))
                layer.weight += 2 * torch.from_numpy(up @ down).float()
                changed += 1
    assert changed == 2 * 6  # linear layers of the two that are not frozen
    for texts, score in zip(X[list(columns)].to_numpy()[:6], found, strict=False):
        parts = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
        between = [2, 2] if len(parts) == 2 else [2]  # of a pair XLM-R has two separators
        spans = [[0, *parts[0]], *([*between, *part] for part in parts[1:])]
        spans[-1].append(2)
        with torch.no_grad():
            ids = torch.tensor([[token for span in spans for token in span]])
            states = library(ids).last_hidden_state[0].numpy().astype(float)
        ends = np.cumsum([len(span) for span in spans])[:-1]
        *others, last = means = [part.mean(axis=0) for part in np.split(states, ends)]
        compared = [part for one in others for part in (abs(one - last), one * last)]
        hidden = weights["hidden.weight"] @ np.concatenate([*means, *compared])
        hidden = np.tanh(hidden + weights["hidden.bias"])
        expected = weights["output.weight"] @ hidden + weights["output.bias"]
        assert score == pytest.approx(expected[0], abs=2e-3)


def test_the_device_is_passed_on(folder):
    """To each feature that has an encoder."""
    options = {"features": ["any", "CrossEncoder"], "encoder": str(folder), "device": "cpu:0"}
    made = make_features(features_of(options, []))
    encoders = [step for _, step in transformers_in(made) if hasattr(step, "encoder")]
    assert [type(step).__name__ for step in encoders] == ["LearnedTokenAlignment", "CrossEncoder"]
    assert {step.device for step in encoders} == {"cpu:0"}


@pytest.mark.slow
def test_train_takes_one_of_three_texts(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, y = load_sample(return_X_y=True)
    to_long(X.loc[1:12], y.loc[1:12]).to_csv("judged.csv", index=False)
    Path("three.toml").write_text(f"""
[[features]]
name = "CrossEncoder"
encoder = "{folder}"
device = "cpu"
columns = ["source", "reference", "hypothesis"]
n_frozen_layers = 1
cv = 2
""")
    command = "train judged.csv --better lower --classifier logreg --config three.toml -o model"
    command += " --no-progress --even-if-worse"
    assert main(command.split()) == 0, capsys.readouterr().err
    assert sorted(set(load_model("model").predict(X.loc[13:14]))) == [1, 2, 3, 4, 5]
