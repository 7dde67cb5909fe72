import copy
import pickle

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from sklearn_mteval.text.vectors.word_vectors import WordVectors, load_word_vectors

KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors

TABLE = {"cat": [0.5, -1.0], "chat\xa0noir": [1e-3, 2.5], "\x85": [3, 4], "ßtraße": [0.1, -0.0]}


def gensim_vectors(table):
    """Gensim's own KeyedVectors."""
    vectors = KeyedVectors(vector_size=len(next(iter(table.values()))))
    vectors.add_vectors(list(table), np.array(list(table.values()), dtype=np.float32))
    return vectors


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "vectors must be the path of a file.*found NoneType"),
        (np.eye(2), "found ndarray"),
        ({}, "Expected word vectors, found none"),
        ({1: [1.0]}, "Words must be strings, found int 1"),
        ({"a": [1, 2], "b": [1]}, r"The vector of 'b' must be 2 finite .*found \[1\]"),
        ({"a": [1, 2], "b": [1, np.nan]}, "The vector of 'b'"),
        ({"a": [1, 2], "b": [1, 1e39]}, "The vector of 'b'"),
        ({"a": [1, 2], "b": ["1", "2"]}, "The vector of 'b'"),
        ({"a": [1, 2], "b": [[1], [2, 3]]}, "The vector of 'b'"),
        ({"a": [[1], [2, 3]]}, "The vector of 'a'"),
        ({"a": [1, 2], "b": None}, "The vector of 'b'"),
        ({"a": 1.0}, "The vector of 'a' must be some finite .*found 1.0"),
        ({"a": []}, "The vector of 'a'"),
        ({"a": "12"}, "The vector of 'a'"),
        ({"a": (x for x in [1, 2])}, "The vector of 'a'"),
        ({"a": csr_array([[1.0, 2.0]])}, "The vector of 'a'"),
        ({"a": torch.ones(2), "b": torch.ones(2, requires_grad=True)}, "The vector of 'b'"),
        (gensim_vectors({"a": [1, 2], "b": [np.inf, 1]}), "The vector of 'b'"),
    ],
)
def test_bad_vectors_in_memory(source, message):
    with pytest.raises(ValueError, match=message):
        load_word_vectors(source)


def test_copies_and_pickles():
    vectors = load_word_vectors({**TABLE, "line\nfeed": [1, 2], "\ud800": [3, 4]})
    assert copy.deepcopy(vectors) is vectors
    again = pickle.loads(pickle.dumps(vectors))
    assert again.equals(vectors) and not again.matrix.flags.writeable
    assert again.rows(["line\nfeed", "x"]).tolist() == [4, -1]
    assert not vectors.equals(None)
    assert not vectors.equals(load_word_vectors(TABLE))
    assert not load_word_vectors({"a": [1]}).equals(load_word_vectors({"a": [2]}))
    assert repr(vectors) == "WordVectors(6 words, 2 dimensions)"
    assert isinstance(again, WordVectors)
