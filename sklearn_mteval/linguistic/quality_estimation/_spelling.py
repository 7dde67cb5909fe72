"""Misspelt words, by hunspell or aspell through enchant."""

import numpy as np

from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.text.tokens import sums_by_text, word_ids

SPELLING_NAMES = ("misspelt_words", "misspelt_proportion")

_PROVIDERS = ("hunspell", "aspell")


def find_dictionary(language, provider=None):
    """Return the ``enchant.Dict`` of a language such as "en_US" and its provider, or None.

    Provider None is the first of hunspell and aspell that has the language.
    """
    import enchant

    for name in _PROVIDERS if provider is None else (provider,):
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
    misspelt, words = add_up_words(texts, lambda token: not _is_known(token, dictionary))
    return np.column_stack([misspelt, ratio(misspelt, words, 0.0)])


def _is_known(token, dictionary):
    """Look a token up without the quotes and dashes around it."""
    if not token.isprintable():  # NUL, half a surrogate pair: enchant could not even be asked
        return False
    start = next(k for k, character in enumerate(token) if character.isalnum())
    end = next(k for k in range(len(token), 0, -1) if token[k - 1].isalnum())
    return dictionary.check(token[start:end].replace("\u2019", "'"))
