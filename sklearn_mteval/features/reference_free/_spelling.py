"""Misspelt words, by hunspell or aspell through enchant."""

import numpy as np

from sklearn_mteval.features.base import ratio
from sklearn_mteval.text.tokens import sums_by_text, word_ids

__all__ = ["SPELLING_NAMES", "add_up_words", "find_dictionary", "spelling_numbers"]

SPELLING_NAMES = ("misspelt_words", "misspelt_share")

_PROVIDERS = ("hunspell", "aspell")


def find_dictionary(language, provider=None):
    """Find a dictionary.

    Parameters
    ----------
    language : str
        Such as "en_US".
    provider : {"hunspell", "aspell"} or None, default=None
        Whose; None: hunspell's, else aspell's, whatever this machine is set to prefer.

    Returns
    -------
    tuple of (enchant.Dict, str), or None
        It and its provider; None if there is none.

    Raises
    ------
    ImportError
        If pyenchant or the library enchant is missing.
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
    """Add up a number of each word of a text, computed once for each distinct word.

    Parameters
    ----------
    texts : list of n str
        Any texts.
    of_word : callable
        From a token with a letter in it to a number.

    Returns
    -------
    sums : ndarray of shape (n,), float64
        Of each text.
    counts : ndarray of shape (n,), float64
        How many words it has, tokens by mteval-v13a's rules with a letter.
    """
    flat, bounds, tokens = word_ids(texts, lowercase=False)
    numbers = np.zeros((len(tokens), 2))
    for k, token in enumerate(tokens):
        if any(map(str.isalpha, token)):
            numbers[k] = of_word(token), 1
    sums, counts = sums_by_text(numbers, flat, bounds).T
    return sums, counts


def spelling_numbers(texts, dictionary):
    """Count words that a dictionary does not have, each distinct word looked up once.

    Parameters
    ----------
    texts : list of n str
        Any texts.
    dictionary : enchant.Dict
        Or anything with ``check(word)``.

    Returns
    -------
    ndarray of shape (n, 2), float64
        Columns as in ``SPELLING_NAMES``.
    """
    misspelt, words = add_up_words(texts, lambda token: not _is_known(token, dictionary))
    return np.column_stack([misspelt, ratio(misspelt, words)])


def _is_known(token, dictionary):
    """Look a token up without the quotes and dashes around it."""
    if not token.isprintable():  # NUL, half a surrogate pair: enchant could not even be asked
        return False
    start = next(k for k, character in enumerate(token) if character.isalnum())
    end = next(k for k in range(len(token), 0, -1) if token[k - 1].isalnum())
    return dictionary.check(token[start:end].replace("\u2019", "'"))
