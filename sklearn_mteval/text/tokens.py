"""Texts to integer token ids, through sacreBLEU's own tokenisers.

Each distinct text is tokenised once. 13a, the usual tokeniser, runs four regular
expressions over every line, which is where most of BLEU's time goes. It works inside one
whitespace-separated word, so here each distinct *word* is tokenised once; and it treats
all letters alike, so words of one *shape* ("(word)," and "(this),") split at the same
places, and each distinct shape is tokenised once.
"""

import re
from itertools import accumulate, chain, pairwise

import numpy as np

__all__ = ["TokenInterner", "flatten", "load_tokenizer", "sums_by_text", "word_ids"]

_LETTER = re.compile(r"[^\W\d_]")
_REWRITTEN = re.compile(r"[&<]")  # 13a turns &quot; into " and drops <skipped>


def load_tokenizer(name):
    """Return sacreBLEU's tokeniser of that name.

    Parameters
    ----------
    name : str
        As sacreBLEU names it: "13a", "intl", "zh", "char", "none", …

    Returns
    -------
    callable
        From a line to its tokens joined by spaces.

    Raises
    ------
    ValueError
        If sacreBLEU knows no such tokeniser, or what it needs is not installed.

    Notes
    -----
    Tokenisers on sentencepiece ("spm", "flores101", "flores200", "spBLEU-1K") let sacreBLEU
    fetch their model on first use.
    """
    from sacrebleu.metrics import BLEU

    known = sorted(BLEU.TOKENIZERS)
    if name not in known:
        raise ValueError(f"tokenize must be one of {known}, found {name!r}.")
    try:
        return BLEU(tokenize=name).tokenizer
    except (ImportError, RuntimeError) as error:
        raise ValueError(f"tokenize={name!r} needs what is not installed: {error}") from None


class TokenInterner:
    """Give every distinct token an integer, every distinct text its list of integers.

    Parameters
    ----------
    tokenize : str or callable
        Name of a sacreBLEU tokeniser, or one itself: from a line to its tokens joined by
        spaces.
    lowercase : bool
        Whether to lowercase texts first.
    """

    def __init__(self, tokenize, lowercase):
        self._tokenizer = tokenize if callable(tokenize) else load_tokenizer(tokenize)
        self._lowercase = lowercase
        self._ids = {}
        self._texts = {}
        self._words = _Words(self._tokenizer, self._ids) if tokenize == "13a" else None

    def __call__(self, text):
        """Return the token ids of a text.

        Parameters
        ----------
        text : str
            One segment.

        Returns
        -------
        list of int
            One id per token; equal tokens have equal ids.
        """
        tokens = self._texts.get(text)
        if tokens is None:
            line = (text.lower() if self._lowercase else text).rstrip()
            if self._words is None or "\n" in line:  # 13a joins lines at a hyphen
                tokens = _intern(self._tokenizer(line).split(), self._ids)
            else:
                words = map(self._words.__getitem__, line.split())
                tokens = list(chain.from_iterable(words))
            self._texts[text] = tokens
        return tokens

    @property
    def words(self):
        """The distinct tokens so far.

        Returns
        -------
        list of str
            In the order of their ids, which is that of first appearance.
        """
        return list(self._ids)


class _Words(dict):
    """Token ids of each word under 13a, tokenised when first looked up."""

    def __init__(self, tokenizer, ids):
        super().__init__()
        self._tokenizer = tokenizer
        self._ids = ids
        self._shapes = {}

    def __missing__(self, word):
        ids = self[word] = _intern(self._split(word), self._ids)
        return ids

    def _split(self, word):
        """Tokenise one word."""
        if word.isalnum():
            return (word,)
        if _REWRITTEN.search(word):
            return self._tokenizer(word).split()
        shape = _LETTER.sub("a", word)
        cuts = self._shapes.get(shape)
        if cuts is None:
            lengths = map(len, self._tokenizer(shape).split())
            edges = pairwise(accumulate(lengths, initial=0))
            cuts = self._shapes[shape] = [slice(*edge) for edge in edges]
        return [word[cut] for cut in cuts]


def _intern(tokens, ids):
    """Number tokens, new ones with the next free number."""
    return [ids.setdefault(token, len(ids)) for token in tokens]


def flatten(sequences):
    """Concatenate sequences of integers.

    Parameters
    ----------
    sequences : list of n lists of int
        Token ids.

    Returns
    -------
    flat : ndarray of shape (total length,), int64
        All of them.
    bounds : ndarray of shape (n + 1,), int64
        Where each begins, then the total length.
    """
    bounds = np.zeros(len(sequences) + 1, dtype=np.int64)
    np.cumsum([len(sequence) for sequence in sequences], out=bounds[1:])
    return np.fromiter(chain.from_iterable(sequences), dtype=np.int64, count=bounds[-1]), bounds


def word_ids(texts, *, lowercase):
    """Number the words of texts, tokenised by sacreBLEU's 13a.

    Parameters
    ----------
    texts : list of n str
        Segments; each distinct one is tokenised once.
    lowercase : bool
        Whether to lowercase texts first.

    Returns
    -------
    flat : ndarray of shape (n_tokens,), int64
        The words of all texts, one after another, as positions in ``words``.
    bounds : ndarray of shape (n + 1,), int64
        Where each text begins, then the number of tokens.
    words : list of str
        The distinct words, in order of first appearance.
    """
    tokens = TokenInterner("13a", lowercase)
    flat, bounds = flatten([tokens(text) for text in texts])
    return flat, bounds, tokens.words


def sums_by_text(numbers, flat, bounds):
    """Add up the numbers of the words of each text.

    Parameters
    ----------
    numbers : ndarray of shape (n_words, k)
        Of each distinct word.
    flat, bounds : ndarray, int64
        The texts, as :func:`word_ids` returns them.

    Returns
    -------
    ndarray of shape (n, k)
        Of each text; the type is that of ``numbers``.
    """
    before = np.zeros((len(flat) + 1, numbers.shape[1]), dtype=numbers.dtype)
    np.cumsum(numbers[flat], axis=0, out=before[1:])
    return np.diff(before[bounds], axis=0)
