import os
import signal
import sqlite3
import subprocess
import sys
import zlib
from threading import Thread

import numpy as np
import pandas as pd
import pytest
from encoder_model import one_layer_model

from sklearn_mteval.features import SentenceEncoder, TokenAlignment
from sklearn_mteval.features.embeddings._encoding import EncodingCache


def frame(texts):
    return pd.DataFrame({"hypothesis": texts, "reference": texts[::-1]}, dtype=object)


X = frame(["a cat", "the dog sat", "", "a \ud800", "a cat sat on the mat"])


class Letters:
    """An encoder that counts how many texts it was asked."""

    asked = 0

    def __call__(self, texts):
        self.asked += len(texts)
        return np.array([[text.count("a"), text.count("t") / 3] for text in texts])


@pytest.fixture
def cache(tmp_path):
    with EncodingCache(tmp_path / "kept", "sentences", "some model") as cache:
        yield cache


@pytest.mark.parametrize("transformer", [SentenceEncoder, TokenAlignment])
def test_the_same_bits_with_and_without(transformer, tmp_path):
    expected = transformer(one_layer_model()).fit_transform(X)
    encoder = transformer(one_layer_model(), cache=tmp_path / "kept").fit(X)
    for _ in range(2):
        np.testing.assert_array_equal(encoder.transform(X), expected)


def test_a_text_is_encoded_once_for_all_time(tmp_path):
    model = Letters()
    first = SentenceEncoder(model, cache=tmp_path, encoder_name="letters").fit_transform(X)
    assert model.asked == 5
    again = SentenceEncoder(model, cache=str(tmp_path), encoder_name="letters").fit_transform(X)
    assert model.asked == 5
    np.testing.assert_array_equal(again, first)
    more = frame(["a cat", "something new"])
    SentenceEncoder(model, cache=tmp_path, encoder_name="letters").fit_transform(more)
    assert model.asked == 6
    SentenceEncoder(model, cache=tmp_path, encoder_name="others").fit_transform(X)
    assert model.asked == 11


def test_embeddings_of_another_model_or_kind_are_not_taken(tmp_path):
    array = np.ones(3, dtype=np.float32)
    with EncodingCache(tmp_path, "sentences", "one") as one:
        one.put_many({"text": array})
    for kind, model in (("sentences", "two"), ("tokens", "one")):
        with EncodingCache(tmp_path, kind, model) as other:
            assert other.get_many(["text"]) == {}
    with EncodingCache(tmp_path, "sentences", "one") as again:
        np.testing.assert_array_equal(again.get_many(["text", "more"])["text"], array)


@pytest.mark.parametrize("shape", [(4, 3), (0, 3), (1, 1)])
def test_matrices_come_back_as_they_were(tmp_path, shape):
    array = np.random.default_rng(0).normal(size=shape).astype(np.float16)
    with EncodingCache(tmp_path, "tokens", "model") as cache:
        cache.put_many({"é\x00": array})
        (found,) = cache.get_many(["é\x00"]).values()
    np.testing.assert_array_equal(found, array, strict=True)


CRAFTED = [  # a width of four bytes, then numbers
    b"\x02",
    bytes(12),
    b"\x02\0\0\0" + bytes(3),
    b"\x03\0\0\0" + bytes(8),
    b"\x02\0\0\0" + np.array([np.nan, 1], dtype="<f4").tobytes(),
]


@pytest.mark.parametrize("value", [b"\x01" * 8, 7, None, "text", "flipped", *CRAFTED])
def test_a_damaged_record_counts_as_missing(tmp_path, value):
    model = Letters()
    encoder = SentenceEncoder(model, cache=tmp_path, encoder_name="letters").fit(X)
    expected = encoder.transform(X)
    (file,) = tmp_path.iterdir()
    connection = sqlite3.connect(file)
    if value == "flipped":  # one bit of a number, which SQLite does not see
        rows = connection.execute("SELECT record, rowid FROM records").fetchall()
        flipped = [(r[:20] + bytes([r[20] ^ 1]) + r[21:], rowid) for r, rowid in rows]
        connection.executemany("UPDATE records SET record = ? WHERE rowid = ?", flipped)
    else:
        value = zlib.compress(value) if value in CRAFTED else value
        connection.execute("UPDATE records SET record = ?", (value,))
    connection.commit()
    connection.close()
    for asked in (10, 10):  # computed anew, and kept again
        np.testing.assert_array_equal(encoder.transform(X), expected)
        assert model.asked == asked


@pytest.mark.parametrize(
    "damage", [lambda c: b"no database " * 999, lambda c: c[:5000] + b"x" * 9000]
)
def test_a_damaged_file_is_named(tmp_path, damage):
    encoder = SentenceEncoder(Letters(), cache=tmp_path, encoder_name="letters").fit(X)
    encoder.transform(X)
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(ValueError, match=rf"cache: .*{file.name} cannot be used .* delete it"):
        encoder.transform(X)
    file.unlink()
    encoder.transform(X)


def test_a_place_that_cannot_be_used_is_found_in_fit(tmp_path):
    (tmp_path / "file").write_text("")
    for place in ("file", "file/below"):
        encoder = SentenceEncoder(Letters(), cache=tmp_path / place, encoder_name="letters")
        with pytest.raises(ValueError, match="choose a folder that can be written"):
            encoder.fit(X)


# Writes so much that pages of the unfinished transaction reach the file, and is killed.
KILLED = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 2")
connection.execute("BEGIN IMMEDIATE")
connection.execute("DELETE FROM records")
for n in range(300):
    connection.execute("INSERT INTO records VALUES (?, ?)", (str(n).encode(), os.urandom(4000)))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_writer_that_is_killed_leaves_what_was_there(cache):
    before = {"one": np.array([1, 2], dtype=np.float32), "two": np.array([3, 4], dtype=np.float32)}
    cache.put_many(before)
    size = cache.file.stat().st_size
    killed = subprocess.run([sys.executable, "-c", KILLED, str(cache.file)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert cache.file.stat().st_size > size  # or nothing was there to be undone
    found = cache.get_many([*before, "0", "299"])
    assert {text: array.tolist() for text, array in found.items()} == {"one": [1, 2], "two": [3, 4]}
    cache.put_many({"three": before["one"]})
    assert set(cache.get_many(["one", "three"])) == {"one", "three"}


def test_an_error_within_a_batch_undoes_it_all(cache):
    class Bad:
        shape = (1,)

        def __array__(self, dtype=None, copy=None):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        cache.put_many({"one": np.ones(1), "two": Bad()})
    assert cache.get_many(["one", "two"]) == {}


def test_writers_at_once(tmp_path):
    def write(writer):
        with EncodingCache(tmp_path, "sentences", "model") as cache:
            for n in range(40):
                cache.put_many(
                    {f"{writer} {n}": np.array([writer, n]), f"all {n}": np.array([-1, n])}
                )

    threads = [Thread(target=write, args=(writer,)) for writer in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = {f"{writer} {n}": [writer, n] for writer in range(3) for n in range(40)}
    expected |= {f"all {n}": [-1, n] for n in range(40)}
    with EncodingCache(tmp_path, "sentences", "model") as cache:
        found = cache.get_many(list(expected))
    assert {text: array.tolist() for text, array in found.items()} == expected
