"""Readability grades of single texts, by the definitions of GNU style.

``style`` prints its grades for a whole document only. They depend on six counts, which are taken
here from the sentences that ``style`` finds, with its ideas of a word and a syllable.
"""

import re

import numpy as np

from sklearn_mteval.features.base import ratio

GRADES = ("kincaid", "ari", "coleman_liau", "flesch", "fog", "lix", "smog")

# A word or a number, and the character after it, at which neither can start. Of English words
# an apostrophe before s is a part.
_WORDS = {
    "en": re.compile(r"([A-Za-z](?:[A-Za-z-]|'(?=s))*).?|(\d(?:\d|[.,](?=\d))*).?"),
    "de": re.compile(r"([A-Za-z][A-Za-z-]*).?|(\d(?:\d|[.,](?=\d))*).?"),
}
_OPEN = re.compile("[aeiouy][^aeiouy]")
_CLOSED = re.compile("[^aeiouy][aeiouy]")
_OPEN_OR_FINAL_E = re.compile("[aeiouy][^aeiouy]|(?<=[^aeiouy])e$")


def readability_grades(sentences_of, language):
    """Compute ``GRADES`` of texts given as lists of sentences in ASCII; 0 without a sentence."""
    known = {}
    counts = np.array(
        [_counts(sentences, language, known) for sentences in sentences_of], dtype=np.float64
    ).reshape(-1, 6)
    sentences, words, characters, syllables, long_words, big_words = counts.T
    per_sentence, length = ratio(words, sentences), ratio(characters, words)
    syllables, long_words, big_share = (
        ratio(number, words) for number in (syllables, long_words, big_words)
    )
    grades = np.column_stack(
        [
            11.8 * syllables + 0.39 * per_sentence - 15.59,
            4.71 * length + 0.5 * per_sentence - 21.43,
            5.879851 * length - 29.587280 * ratio(sentences, words) - 15.800804,
            206.835 - 84.6 * syllables - 1.015 * per_sentence,
            0.4 * (per_sentence + 100 * big_share),
            per_sentence + 100 * long_words,
            np.sqrt(30 * ratio(big_words, sentences)) + (-2 if language == "de" else 3),
        ]
    )
    return np.where(words[:, np.newaxis] > 0, grades, 0.0)


def _counts(sentences, language, known):
    """Count sentences, words, characters, syllables, words of 7 letters or more, of 3 syllables."""
    total = [len(sentences), 0, 0, 0, 0, 0]
    for sentence in sentences:
        for word, number in _WORDS[language].findall(sentence):
            key = word or number
            if key not in known:
                syllables = _syllables(word, language) if word else 1
                known[key] = (1, len(key), syllables, bool(word[6:]), syllables >= 3)
            for k, count in enumerate(known[key], start=1):
                total[k] += count
    return total


def _syllables(word, language):
    """Count the syllables of a word."""
    if language == "en":
        found = _OPEN.findall(word.removesuffix("ed"))
    else:
        found = (_OPEN_OR_FINAL_E if word[0] in "aeiouy" else _CLOSED).findall(word)
    return max(len(found), 1)
