"""What ReVal knows of words, and where its weights start."""

import numpy as np

from sklearn_mteval.linguistic.reval.forests import chains, vectors_of
from sklearn_mteval.linguistic.reval.weights import initial_weights
from sklearn_mteval.text import WordVectors


def test_an_unknown_word_is_the_mean_of_its_pieces_in_lower_case():
    vectors = WordVectors(["cat", "bark", "##s"], np.array([[9, 9], [1, 3], [5, 7]], dtype="f4"))
    found = vectors_of(chains(["Barks CAT"]), vectors, 2.0)
    np.testing.assert_array_equal(found, [[18, 18], [6, 10]])  # the last word is the root


def test_weights_start_within_one_over_the_root_of_their_inputs():
    found = initial_weights({"a": (100, 4), "b": (4,), "c": (4, 100)}, np.random.RandomState(0))
    for name, bound in {"a": 0.1, "b": 0.1, "c": 0.5}.items():
        assert bound * 0.5 < np.abs(found[name]).max() <= bound
