"""Misspelt words, by hunspell or aspell through enchant."""

import numpy as np

from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.text.tokens import sums_by_text, word_ids

SPELLING_NAMES = ("misspelt_words", "misspelt_proportion")


def find_dictionary(language, provider=None):
    """Return the ``enchant.Dict`` of a language such as "en_US" and its provider, or None."""
    import enchant

    for name in ("hunspell", "aspell") if provider is None else (provider,):
        broker = enchant.Broker()
        if language not in broker.list_languages():  # aspell would take "en" for "en_XX"
            return None
        broker.set_ordering("*", name)
        broker.set_ordering(language, name)
        try:
            dictionary = broker.request_dict(language)
        except enchant.errors.DictNotFoundError:
            continue
        if dictionary.provider.name == name:  # enchant falls back on those that are not named
            return dictionary, name
    return None


def add_up_words(texts, of_word):
    """Add up ``of_word`` of each text's tokens with a letter; return sums and their numbers."""
    flat, bounds, tokens = word_ids(texts, lowercase=False)
    numbers = np.zeros((len(tokens), 2))
    for k, token in enumerate(tokens):
        if any(map(str.isalpha, token)):
            numbers[k] = of_word(token), 1
    return sums_by_text(numbers, flat, bounds).T


def spelling_numbers(texts, dictionary):
    """Compute ``SPELLING_NAMES`` by ``dictionary.check(word)``, each distinct word once."""

    def is_misspelt(token):
        if not token.isprintable():  # NUL, half a surrogate pair: enchant could not even be asked
            return True
        letters = [k for k, character in enumerate(token) if character.isalnum()]
        word = token[letters[0] : letters[-1] + 1]  # without the quotes and dashes around it
        return not dictionary.check(word.replace("\u2019", "'"))

    misspelt, words = add_up_words(texts, is_misspelt)
    return np.column_stack([misspelt, ratio(misspelt, words, 0.0)])
