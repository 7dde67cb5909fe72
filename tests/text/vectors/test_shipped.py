import numpy as np
import pytest

from sklearn_mteval.text import WordVectors, load_word_vectors
from sklearn_mteval.text.vectors.shipped import in_8_bits, read_vectors, write_shipped

RNG = np.random.default_rng(0)


def test_8_bits_are_within_half_a_step():
    matrix = RNG.normal(size=(50, 7)).astype(np.float32)
    matrix[3] = 0
    codes, scales = in_8_bits(matrix)
    assert codes.dtype == np.int8
    largest = np.abs(matrix).max(axis=1)
    assert np.allclose(scales * 127, largest)
    assert (np.abs(codes * scales[:, None] - matrix).max(axis=1) <= largest / 254 + 1e-6).all()
    assert not codes[3].any()


def test_a_file_gives_back_what_was_written_and_equal_input_equal_bytes(tmp_path):
    words = ["a", "ü##\n", "\N{SNOWMAN}"]
    matrix = np.array([[127, -1, 0], [1, 2, 127], [-127, 0, 5]], dtype=np.float32)
    write_shipped(tmp_path / "one", words, matrix)
    write_shipped(tmp_path / "two", words, matrix)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    found, vectors, digest = read_vectors(tmp_path / "one")
    assert found == words
    assert np.array_equal(vectors, matrix)  # a step is 1
    assert not vectors.flags.writeable
    assert len(digest) == 64


def test_the_vectors_of_the_package_know_english():
    vectors = load_word_vectors("english")
    assert len(vectors.words) == len(set(vectors.words))
    assert (vectors.rows(["the", "government", "said", "."]) >= 0).all()
    lengths = np.linalg.norm(vectors.matrix, axis=1)
    assert lengths.min() > 0
    assert lengths.max() < 1.01
    the, government = lengths[vectors.rows(["the", "government"])]
    assert the < government  # learnt: what carries meaning weighs more

    def cosine(one, other):
        a, b = vectors.matrix[vectors.rows([one, other])]
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    assert cosine("government", "governments") > cosine("government", "yellow") + 0.2


def test_a_file_named_like_them_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "english").write_text("cat 1 0\n", encoding="utf-8")
    assert load_word_vectors("english").words == ["cat"]


def test_saved_is_their_name_only():
    vectors = load_word_vectors("english")
    state = vectors.__getstate__()
    assert set(state) == {"shipped", "sha256"}
    loaded = WordVectors.__new__(WordVectors)
    loaded.__setstate__(state)
    assert loaded.equals(vectors)
    assert load_word_vectors("english", limit=3).__getstate__().keys() == {"words", "matrix"}
    with pytest.raises(ValueError, match="other vectors 'english'"):
        loaded.__setstate__(state | {"sha256": "0" * 64})
    with pytest.raises(ValueError, match="no vectors 'klingon'"):
        loaded.__setstate__(state | {"shipped": "klingon"})
    with pytest.raises(ValueError, match="no vectors"):
        loaded.__setstate__(state | {"shipped": ["english"]})


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("cats", ["cat", "##s"]),
        ("cat", ["cat"]),
        ("catscat", ["cat", "##s", "##cat"]),
        ("scat", []),  # nothing begins with s
        ("catx", []),
        ("", []),
    ],
)
def test_pieces_are_the_longest_first(word, expected):
    names = ["cat", "##s", "##c", "##cat", "c"]
    vectors = load_word_vectors({name: [1.0] for name in names})
    assert [names[row] for row in vectors.pieces(word)] == expected
    assert load_word_vectors({"cat": [1.0], "s": [1.0]}).pieces("cats") == []
    # The piece that begins a word may be longer than all that go on.
    short = load_word_vectors({"bark": [1.0], "##s": [2.0]})
    assert short.pieces("barks") == [0, 1]
