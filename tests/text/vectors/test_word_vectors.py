import gzip
import os
import re
import struct
import tracemalloc
from collections import UserDict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.text.vectors import files
from sklearn_mteval.text.vectors.word_vectors import load_word_vectors

KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors

TABLE = {"cat": [0.5, -1.0], "chat\xa0noir": [1e-3, 2.5], "\x85": [3, 4], "ßtraße": [0.1, -0.0]}


def text_lines(table):
    return "".join(f"{word} {' '.join(map(repr, row))}\n" for word, row in table.items())


def binary(table, *, between=b"\n"):
    head = f"{len(table)} {len(next(iter(table.values())))}\n".encode()
    return head + b"".join(
        word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + between
        for word, row in table.items()
    )


HEADER = f"{len(TABLE)} 2\n"
FILES = {
    "glove.txt": text_lines(TABLE).encode(),
    "word2vec.txt": (HEADER + text_lines(TABLE).replace("\n", " \n")).encode(),
    "windows.vec": b"\xef\xbb\xbf" + (HEADER + text_lines(TABLE)).replace("\n", "\r\n").encode(),
    "unfinished.txt": text_lines(TABLE).rstrip("\n").encode(),
    "word2vec.bin": binary(TABLE),
    "gensim.BIN": binary(TABLE, between=b""),
}


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def assert_holds(vectors, table):
    assert vectors.words == list(table)
    assert vectors.matrix.dtype == np.float32
    assert vectors.matrix.flags.c_contiguous and not vectors.matrix.flags.writeable
    expected = [struct.pack(f"<{len(row)}f", *row) for row in table.values()]
    assert vectors.matrix.astype("<f4").tobytes() == b"".join(expected)


class OtherPath:
    """Path-like, and no Path."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return str(self.path)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("as_type", [str, Path, OtherPath])
def test_formats(write, name, as_type):
    assert_holds(load_word_vectors(as_type(write(name, FILES[name]))), TABLE)
    zipped = gzip.compress(FILES[name])
    assert_holds(load_word_vectors(as_type(write(f"{name}.gz", zipped))), TABLE)


@pytest.mark.parametrize("name", ["glove.txt", "word2vec.txt", "word2vec.bin", "gensim.BIN"])
@pytest.mark.parametrize("size", [1, 7, 50])
def test_chunks(write, monkeypatch, name, size):
    monkeypatch.setattr(files, "_CHUNK", size)
    assert_holds(load_word_vectors(write(name, FILES[name])), TABLE)


WORDS = st.text(st.characters(exclude_characters=" \n\r", exclude_categories=["Cs"]), min_size=1)
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def tables(draw):
    n_dimensions = draw(st.integers(1, 4))
    row = st.lists(FLOATS, min_size=n_dimensions, max_size=n_dimensions)
    # A word of digits alone could make the first line of a file a header.
    words = WORDS.filter(lambda word: not word.isdigit())
    return draw(st.dictionaries(words, row, min_size=1, max_size=5))


@given(tables(), st.sampled_from(["glove.txt", "word2vec.txt", "vectors.bin"]), st.booleans())
def test_what_was_written_is_read(tmp_path_factory, table, name, zipped):
    text = text_lines(table)
    n_dimensions = len(next(iter(table.values())))
    content = {
        "glove.txt": text.encode(),
        "word2vec.txt": f"{len(table)} {n_dimensions}\n{text}".encode(),
        "vectors.bin": binary(table),
    }[name]
    path = tmp_path_factory.mktemp("vectors") / name
    path.write_bytes(gzip.compress(content) if zipped else content)
    if text.startswith("\ufeff") and name == "glove.txt":
        return  # a byte order mark, which is dropped
    if name.endswith("txt") and re.search(r"[\t,;]", next(iter(table))):
        return  # in the first word these may seem to be between the columns
    assert_holds(load_word_vectors(path), table)


def test_words_with_spaces(write):
    path = write("glove.txt", b"the 1 2\n. . . 3 4\nat name@example.org 5 6\n1 1/2 7 8\n")
    table = {"the": [1, 2], ". . .": [3, 4], "at name@example.org": [5, 6], "1 1/2": [7, 8]}
    assert_holds(load_word_vectors(path), table)
    path = write("first.txt", b". . . 3 4\nthe 1 2\n")
    assert_holds(load_word_vectors(path), {". . .": [3, 4], "the": [1, 2]})


def test_first_words_that_look_like_columns(write):
    for word in ("10,000", "1,", ";", "a,", "a\tb", "\t"):
        path = write("glove.txt", f"{word} 1 2\nb 3 4\n".encode())
        assert_holds(load_word_vectors(path), {word: [1, 2], "b": [3, 4]})


def test_a_word_that_is_a_number_and_one_dimension(write):
    path = write("glove.txt", b"7 1 2\n8 3 4\n")
    assert_holds(load_word_vectors(path), {"7": [1, 2], "8": [3, 4]})
    path = write("one.txt", b"7 3\n8 4\n")
    assert_holds(load_word_vectors(path), {"7": [3], "8": [4]})
    path = write("real.txt", b"7 3.5\n8 4\n")
    assert_holds(load_word_vectors(path), {"7": [3.5], "8": [4]})
    path = write("header.txt", b"2 1\n7 3\n8 4\n")
    assert_holds(load_word_vectors(path), {"7": [3], "8": [4]})


@pytest.mark.parametrize("name", ["a.txt", "a.bin"])
def test_the_first_of_several_vectors_counts(write, name):
    text = b"4 1\na 1\nb 2\na 3\nc 4\n"
    rows = [(b"a", 1), (b"b", 2), (b"a", 3), (b"c", 4)]
    data = b"4 1\n" + b"".join(word + b" " + struct.pack("<f", x) for word, x in rows)
    vectors = load_word_vectors(write(name, text if name == "a.txt" else data))
    assert_holds(vectors, {"a": [1], "b": [2], "c": [4]})


@pytest.mark.parametrize("end", ["\n", "\n\n", "\r\n \r\n"])
@pytest.mark.parametrize("size", [1, 12, 1000])
def test_blank_lines_at_the_end_are_nothing(write, monkeypatch, end, size):
    monkeypatch.setattr(files, "_CHUNK", size)
    for name in ("glove.txt", "word2vec.txt"):
        assert_holds(load_word_vectors(write(name, FILES[name] + end.encode())), TABLE)


def test_a_blank_line_is_found_across_chunks(write, monkeypatch):
    monkeypatch.setattr(files, "_CHUNK", 1)
    with pytest.raises(DataFileError, match=r"line 5: .*found 1 columns"):
        load_word_vectors(write("bad.txt", b"a 1 2\n" * 4 + b"\n\n" + b"a 1 2\n"))


# Trimming.

LETTERS = {letter: [k, -k] for k, letter in enumerate("abcdefgh", 1)}


def gensim_vectors(table):
    """Gensim's own KeyedVectors."""
    vectors = KeyedVectors(vector_size=len(next(iter(table.values()))))
    vectors.add_vectors(list(table), np.array(list(table.values()), dtype=np.float32))
    return vectors


def sources(table, folder):
    """All kinds of sources."""
    (folder / "glove.txt").write_text(text_lines(table), encoding="utf-8")
    head = f"{len(table)} {len(next(iter(table.values())))}\n"
    (folder / "word2vec.txt").write_text(head + text_lines(table), encoding="utf-8")
    (folder / "word2vec.bin").write_bytes(binary(table))
    names = ("glove.txt", "word2vec.txt", "word2vec.bin")
    loaded = load_word_vectors(table)
    return [*(folder / name for name in names), table, gensim_vectors(table), loaded]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, "abcdefgh"),
        ({"limit": 3}, "abc"),
        ({"limit": np.int64(3)}, "abc"),
        ({"limit": 8}, "abcdefgh"),
        ({"limit": 99, "vocabulary": ["a"]}, "abcdefgh"),
        ({"vocabulary": ["g", "unknown", "b", "\ud800"]}, "bg"),
        ({"limit": 2, "vocabulary": {"h", "a"}}, "abh"),
        ({"limit": 0}, ""),
        ({"vocabulary": []}, ""),
        ({"limit": 0, "vocabulary": ["unknown"]}, ""),
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
def test_trimming(tmp_path, monkeypatch, options, kept, size):
    monkeypatch.setattr(files, "_CHUNK", size)
    for source in sources(LETTERS, tmp_path):
        found = load_word_vectors(source, **options)
        assert found.matrix.shape == (len(kept), 2)
        assert_holds(found, {letter: LETTERS[letter] for letter in kept})


def test_the_first_vector_counts_in_a_trimmed_file(write):
    path = write("a.txt", b"b 2\na 1\nc 4\na 3\nb 7\n")
    assert_holds(load_word_vectors(path, vocabulary=["a"]), {"a": [1]})
    assert_holds(load_word_vectors(path, limit=1, vocabulary=["a"]), {"b": [2], "a": [1]})


def test_a_trimmed_file_is_still_checked(write):
    """Columns, encoding and completeness of every line; not the numbers of other words."""
    bad = {
        b"a 1 2\nb 1\nc 1 2\n": "line 2: .*found 2 columns",
        b"a 1 2\ncaf\xe9 1 2\nc 1 2\n": "line 2: expected UTF-8",
        b"4 2\na 1 2\nb 1 2\nc 1 2\n": "line 1: the header announces 4 words, found 3",
        b"a 1 2\nb 1 2\nc 1 x\n": "line 3: number 2 of 'c'",
    }
    for content, message in bad.items():
        with pytest.raises(DataFileError, match=message):
            load_word_vectors(write("bad.txt", content), vocabulary=["c"])
    path = write("other.txt", b"a 1 2\nb 1 x\nc 1 2\n")
    assert_holds(load_word_vectors(path, vocabulary=["c"]), {"c": [1, 2]})
    for content in (GOOD[:-2], GOOD.replace(b"2 2", b"3 2", 1)):
        with pytest.raises(DataFileError, match="truncated"):
            load_word_vectors(write("bad.bin", content), vocabulary=["a"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": -1}, "limit must be None or an integer >= 0, found -1"),
        ({"limit": 1.5}, "limit must be"),
        ({"limit": True}, "limit must be"),
        ({"vocabulary": "words"}, "vocabulary must be None or an iterable of words, found 'wo"),
        ({"vocabulary": 3}, "vocabulary must be"),
    ],
)
def test_bad_trimming(options, message):
    with pytest.raises(ValueError, match=message):
        load_word_vectors(LETTERS, **options)


def test_reading_takes_memory_for_the_words_that_are_kept_only(tmp_path, monkeypatch):
    """A file of 2 MB, of which 100 words of 20,000 are kept: below a quarter of it."""
    monkeypatch.setattr(files, "_CHUNK", 1 << 16)
    numbers = " 0.25" * 20
    text = "".join(f"w{k}{numbers}\n" for k in range(20_000))
    (tmp_path / "large.txt").write_text(text, encoding="utf-8")
    row = struct.pack("<20f", *[0.25] * 20)
    content = b"20000 20\n" + b"".join(b"w%d %s" % (k, row) for k in range(20_000))
    (tmp_path / "large.bin").write_bytes(content)
    del text, content
    wanted = [f"w{k}" for k in range(0, 20_000, 200)]
    for name in ("large.txt", "large.bin"):
        tracemalloc.start()
        vectors = load_word_vectors(tmp_path / name, vocabulary=wanted)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert vectors.words == wanted and (vectors.matrix == 0.25).all()
        assert peak < 5e5


def test_memory_mapped_gensim_vectors(tmp_path):
    gensim_vectors(LETTERS).save(str(tmp_path / "letters.kv"), separately=["vectors"])
    mapped = KeyedVectors.load(str(tmp_path / "letters.kv"), mmap="r")
    assert isinstance(mapped.vectors, np.memmap)
    assert_holds(load_word_vectors(mapped, vocabulary=["c", "h"]), {"c": [3, -3], "h": [8, -8]})
    assert not isinstance(load_word_vectors(mapped).matrix, np.memmap)


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.bin", "vectors.txt.gz", "vectors.bin.gz"])
def test_files_that_gensim_writes(tmp_path, name):
    rng = np.random.default_rng(0)
    table = {f"wört{k}": rng.normal(size=7) for k in range(50)}
    path = tmp_path / name
    gensim_vectors(table).save_word2vec_format(str(path), binary=".bin" in name)
    again = KeyedVectors.load_word2vec_format(str(path), binary=".bin" in name)
    found = load_word_vectors(path)
    assert found.words == again.index_to_key
    np.testing.assert_array_equal(found.matrix, again.vectors)


def test_rows():
    vectors = load_word_vectors(TABLE)
    rows = vectors.rows(["\x85", "dog", "cat", "\x85"])
    assert rows.tolist() == [2, -1, 0, 2] and rows.dtype == np.int64
    assert vectors.rows([]).tolist() == []


BAD_TEXTS = {
    "empty": (b"", "empty file"),
    "blank": (b"\n", "line 1: expected a word and its numbers"),
    "a word only": (b"the\n", "line 1: expected a word and its numbers, found no space in it"),
    "prose": (b"This is prose.\n", "line 1: .*found 'prose.' at its end"),
    "a column less": (b"a 1 2\nb 1\n", "line 2: expected a word and 2 numbers.*found 2 columns"),
    "a column more": (b"a 1 2\nb 1 2 3\n", "line 2: expected a word and 2 numbers.*4 columns"),
    "a blank line": (b"a 1 2\n\nb 1 2\n", "line 2: .*found 1 columns"),
    "blank lines, then more": (b"a 1 2\nb 1 2\n\n \nc 1 2\n\n", "line 3: .*found 1 columns"),
    "UTF-16": ("a 1 2\nb 1 2\n".encode("utf-16"), "line 1: looks like UTF-16.*-f utf-16 "),
    "UTF-16, no mark": ("a 1 2\nb 1 2\n".encode("utf-16le"), "line 1: .*utf-16le"),
    "two spaces": (b"a 1 2\nb 1  2\n", "line 2: .*found 4 columns"),
    "two spaces after words": (b"a  1 2\nb  1 2\n", "line 1: .*one space between.*found 'a  1 2'"),
    "the same, a header": (b"2 2\na  1 2\nb  1 2\n", "line 2: .*one space between"),
    "a space before words": (b" a 1 2\n b 1 2\n", "line 1: .*one space between"),
    "a tab after words": (b"a\t1 2\nb\t1 2\n", "line 1: .*one space between"),
    "commas": (b"a 1, 2\nb 1, 2\n", "line 1: .*one space between"),
    "old Mac line ends": (b"a 1 2\rb 1 2\r", "line 1: .*one space between"),
    "no number": (b"a 1 2\nb 1 2\nc 1 x\n", "line 3: number 2 of 'c': 'x' is not a number"),
    "a decimal comma": (b"a 1 2\nb 1 0,5\n", "line 2: number 2 of 'b': '0,5' is not a number"),
    "underscore": (b"a 1 2\nb 1 1_0\n", "line 2: number 2 of 'b': '1_0' is not a number"),
    "NaN": (b"a 1 2\nb nan 2\n", "line 2: number 1 of 'b': 'nan' is not finite"),
    "infinity": (b"a 1 -inf\n", "line 1: number 2 of 'a': '-inf' is not finite"),
    "too large": (b"a 1 2\nb 1 1e39\n", "line 2: number 2 of 'b': '1e39' is not finite as a 32"),
    "latin 1": (b"a 1 2\nb 1 2\ncaf\xe9 1 2\n", "line 3: expected UTF-8, found the byte 0xe9"),
    "words missing": (b"3 2\na 1 2\nb 1 2\n", "line 1: the header announces 3 words, found 2"),
    "words too many": (b"1 2\na 1 2\nb 1 2\n", "line 1: the header announces 1 words, found 2"),
    "dimensions": (b"2 3\na 1 2\nb 1 2\n", "line 1: .*3 dimensions, but line 2 holds 2 numbers"),
    "more dimensions": (b"2 2\na 1 2 3\nb 1 2 3\n", "line 2: expected a word and 2 numbers"),
    "header only": (b"2 2\n", "line 1: the header announces 2 words of 2 dimensions"),
    "no dimensions": (b"1 0\na\n", "line 1: the header announces 1 words of 0 dimensions"),
    "hostile words": (b"999999999999999 2\na 1 2\n", "line 1: .*999999999999999 words, found 1"),
    "hostile dimensions": (b"1 99999999999999999\na 1 2\n", "line 1: .*line 2 holds 2 numbers"),
    "endless header": (b"9" * 9999 + b" 2\na 1 2\n", "line 2: expected a word and 1 numbers"),
    "binary": (binary(TABLE), "line"),
}
GOOD = binary({"a": [1, 2], "b": [3, 4]})
BAD_BINARIES = {
    "empty": (b"", "empty file"),
    "no header": (b"a 1 2\nb 1 2\n", "line 1: expected word2vec's binary format, .*found 'a 1 2"),
    "fastText": (b"\xba\x16O/\x0c\x00\x00\x00" * 20, "line 1: expected word2vec's binary format"),
    "no words": (b"0 2\n", "line 1: expected word2vec's binary format"),
    "truncated": (GOOD[:-2], "truncated .* ends in word 2"),
    "truncated word": (GOOD[:14], "truncated .* ends in word 2"),
    "header only": (b"3 4\n", "truncated .* ends in word 1"),
    "words missing": (GOOD.replace(b"2 2", b"3 2", 1), "announces 3 words .* ends in word 3"),
    "words too many": (GOOD.replace(b"2 2", b"1 2", 1), "1 words, but the file goes on"),
    "NaN": (binary({"a": [1, 2], "b": [3, np.nan]}), "the vector of 'b' has NaN"),
    "not UTF-8": (GOOD.replace(b"b ", b"\xff "), "word 2, '\ufffd', is not UTF-8"),
    "no end of a word": (b"1 2\n" + b"a" * 200_000, "truncated or damaged"),
    "hostile words": (GOOD.replace(b"2 2", b"999999999999999 2", 1), "ends in word 3"),
    "hostile dimensions": (b"1 999999999999\na 1234", "expected word2vec's binary format"),
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("case", BAD_TEXTS)
def test_bad_text_files(write, case, zipped):
    content, message = BAD_TEXTS[case]
    path = write("bad.txt", gzip.compress(content) if zipped else content)
    with pytest.raises(DataFileError, match=rf"(?s)bad\.txt.*{message}") as caught:
        load_word_vectors(path)
    assert caught.value.path == path.resolve()
    assert len(str(caught.value)) < 400 + len(str(path))


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("case", BAD_BINARIES)
def test_bad_binary_files(write, case, zipped):
    content, message = BAD_BINARIES[case]
    path = write("bad.bin", gzip.compress(content) if zipped else content)
    with pytest.raises(DataFileError, match=rf"(?s)bad\.bin.*{message}"):
        load_word_vectors(path)


def test_lines_are_counted_across_chunks(write, monkeypatch):
    monkeypatch.setattr(files, "_CHUNK", 20)
    path = write("bad.txt", b"a 1 2\n" * 30 + b"b 1 x\n" + b"a 1 2\n" * 30)
    with pytest.raises(DataFileError, match="line 31: number 2 of 'b'"):
        load_word_vectors(path)


def test_files_that_cannot_be_read(write, tmp_path):
    with pytest.raises(DataFileError, match=r"none\.txt: cannot be read \(No such file"):
        load_word_vectors(tmp_path / "none.txt")
    with pytest.raises(DataFileError, match="cannot be read"):
        load_word_vectors(tmp_path)
    for damaged in (gzip.compress(FILES["glove.txt"])[:-12], b"\x1f\x8b" + b"x" * 50):
        with pytest.raises(DataFileError, match="damaged gzip file"):
            load_word_vectors(write("damaged.gz", damaged))
    content = bytearray(gzip.compress(os.urandom(5000)))
    content[3000:3100] = bytes(100)
    with pytest.raises(DataFileError):
        load_word_vectors(write("damaged.bin.gz", bytes(content)))


def test_an_unchanged_file_is_read_once(write, monkeypatch, tmp_path):
    path = write("a.txt", b"a 1 2\n")
    first = load_word_vectors(path)
    (tmp_path / "folder").mkdir()
    assert load_word_vectors(str(tmp_path / "folder" / ".." / "a.txt")) is first
    path.write_bytes(b"a 1 2 3\n")
    assert load_word_vectors(path).matrix.tolist() == [[1, 2, 3]]
    path.write_bytes(b"a 4 5 6\n")
    os.utime(path, ns=(1, 1))
    assert load_word_vectors(path).matrix.tolist() == [[4, 5, 6]]
    other = write("other.txt", b"a 7 8 9\n")  # as old, as large, and put in its place
    os.utime(other, ns=(1, 1))
    other.replace(path)
    assert load_word_vectors(path).matrix.tolist() == [[7, 8, 9]]
    path.unlink()
    with pytest.raises(DataFileError, match="cannot be read"):
        load_word_vectors(path)


@pytest.mark.parametrize(
    "source",
    [
        TABLE,
        UserDict({word: np.array(row) for word, row in TABLE.items()}),
        gensim_vectors(TABLE),
        load_word_vectors(TABLE),
    ],
    ids=["dict", "mapping of arrays", "KeyedVectors", "WordVectors"],
)
def test_vectors_in_memory(source):
    assert_holds(load_word_vectors(source), TABLE)


def test_vectors_in_memory_are_copied():
    source = gensim_vectors(TABLE)
    vectors = load_word_vectors(source)
    source.vectors[:] = 0
    assert_holds(vectors, TABLE)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("distilled-en-50d.txt", (35856, 50)),
        ("distilled-en-100d.txt.gz", (35856, 100)),
        ("glove-twitter-25d-excerpt.txt", (11925, 25)),
    ],
)
def test_real_files(data_dir, name, shape):
    path = data_dir / "vectors" / name
    vectors = load_word_vectors(path)
    assert vectors.matrix.shape == shape and len(set(vectors.words)) == shape[0]
    with (gzip.open if name.endswith("gz") else open)(path, "rb") as file:
        lines = file.read().decode().split("\n")
    lines = lines[name.startswith("distilled") :]
    for row in (0, 1, 4711, shape[0] - 1):
        word, *numbers = lines[row].split(" ")
        assert vectors.words[row] == word
        assert vectors.matrix[row].tolist() == [np.float32(float(text)) for text in numbers]


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_paths_that_no_system_has(name):
    with pytest.raises(DataFileError, match="cannot be read"):
        load_word_vectors(name)
