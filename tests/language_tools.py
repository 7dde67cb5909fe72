"""Which programs and dictionaries there are, and stand-ins for them."""

import shutil

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.linguistic.quality_estimation._programs import find_dictionary
from sklearn_mteval.linguistic.trees.parses import FAILED, PARSED, Parses


def lacks_dictionary(language):
    try:
        return find_dictionary(language) is None
    except ImportError:
        return True


needs_diction = pytest.mark.skipif(
    shutil.which("style") is None or shutil.which("diction") is None,
    reason="style and diction are missing: apt-get install diction",
)
needs_english = pytest.mark.skipif(
    lacks_dictionary("en_US"), reason="no English dictionary: apt-get install hunspell-en-us"
)
needs_german = pytest.mark.skipif(
    lacks_dictionary("de_DE"), reason="no German dictionary: apt-get install hunspell-de-de"
)


def frame(*texts, source=None):
    columns = {"hypothesis": texts, "source": source or texts}
    return pd.DataFrame(columns, dtype=object)


def output(check, X):
    return check.set_output(transform="pandas").fit_transform(X)


class WordDropper:
    """A parser that leaves out words in capitals and fails on questions."""

    signature = "word dropper"

    def parse_nbest(self, sentences, n):
        assert n == 1000  # that of ParserStatistics, so that one cache serves both
        for sentence in sentences:
            if "?" in sentence:
                yield Parses(FAILED, 0, np.zeros(0), "")
            else:
                dropped = sum(word.isupper() for word in sentence.split())
                yield Parses(PARSED, 1, np.zeros(1), "(S)", dropped)


class Dictionary:
    """Knows the words that it was given and says what it was asked."""

    def __init__(self, *words):
        self.words = words
        self.asked = []

    def check(self, word):
        self.asked.append(word)
        return word in self.words
