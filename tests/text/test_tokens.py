from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.text.tokens import TokenInterner, load_tokenizer, word_ids


def test_word_ids_worked_by_hand():
    flat, bounds, words = word_ids(["The cat,", "", "the the cat."], lowercase=True)
    assert words == ["the", "cat", ",", "."]
    assert flat.tolist() == [0, 1, 2, 0, 0, 1, 3]
    assert bounds.tolist() == [0, 3, 3, 7]
    assert flat.dtype == bounds.dtype == np.int64


def test_word_ids_keep_case():
    assert word_ids(["The the"], lowercase=False)[2] == ["The", "the"]


def test_word_ids_of_nothing():
    flat, bounds, words = word_ids([], lowercase=True)
    assert flat.tolist() == [] and bounds.tolist() == [0] and words == []


def test_a_tokeniser_of_your_own():
    tokens = TokenInterner(lambda line: line.replace("-", " "), lowercase=True)
    assert tokens("a-b A ") == [0, 1, 0] and tokens.words == ["a", "b"]


@given(st.lists(st.text("aB.,- \n\xa0", max_size=8), max_size=5))
def test_words_are_sacrebleus(texts):
    flat, bounds, words = word_ids(texts, lowercase=True)
    tokenize = load_tokenizer("13a")
    expected = [tokenize(text.lower().rstrip()).split() for text in texts]
    found = [words[number] for number in flat]
    assert [found[a:b] for a, b in pairwise(bounds)] == expected
    assert words == list(dict.fromkeys(word for text in expected for word in text))


def test_a_tokenizer_whose_library_is_not_installed():
    if find_spec("MeCab"):
        pytest.skip("MeCab is installed")
    with pytest.raises(ValueError, match="tokenize='ja-mecab' needs what is not installed"):
        load_tokenizer("ja-mecab")
