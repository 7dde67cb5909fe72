"""Texts to integer token ids, through sacreBLEU's own tokenisers.

The usual ones run regular expressions over every line, where most of BLEU's time goes. They work
inside one whitespace-separated word, and treat all letters alike: so each distinct *shape* of words
("(aaaa)," of "(word)," and "(this),") is tokenised once, in whatever text it is.
"""

import re
from functools import cache, partial
from itertools import accumulate, chain, pairwise

import numpy as np

from sklearn_mteval._helpers.memo import Memo

_REWRITTEN = re.compile(r"[&<]")  # 13a turns &quot; into " and drops <skipped>


def load_tokenizer(name):
    """Return sacreBLEU's tokeniser, from a line to tokens and spaces, or raise ValueError."""
    from sacrebleu.metrics import BLEU

    known = sorted(BLEU.TOKENIZERS)
    if name not in known:
        raise ValueError(f"tokenize must be one of {known}, found {name!r}.")
    try:
        return _tokenizer(name)
    except (ImportError, RuntimeError) as error:
        raise ValueError(f"tokenize={name!r} needs what is not installed: {error}") from None


@cache  # sacreBLEU remembers tens of thousands of words for each that it ever made
def _tokenizer(name):
    """Make a tokeniser."""
    from sacrebleu.metrics import BLEU

    return BLEU(tokenize=name).tokenizer


class TokenInterner:
    """Give every distinct token an integer, every distinct text its list; ``tokenize`` is a
    sacreBLEU tokeniser, by name or as from a line to its tokens and spaces.
    """

    def __init__(self, tokenize, lowercase):
        self._name = tokenize
        self._tokenizer = tokenize if callable(tokenize) else load_tokenizer(tokenize)
        self._lowercase = lowercase
        self._ids = {}
        self._texts = {}
        cuts = Memo(partial(_cuts_of_shape, self._tokenizer))
        self._words = Memo(partial(_ids_of_word, self._tokenizer, cuts, self._ids))
        self._spaced = Memo(partial(_spaced, self._tokenizer))

    def __call__(self, text):
        """Return the token ids of a text, a list of int; equal tokens have equal ids."""
        tokens = self._texts.get(text)
        if tokens is None:
            line = (text.lower() if self._lowercase else text).rstrip()
            tokens = self._texts[text] = self._tokenized(line)
        return tokens

    def _tokenized(self, line):
        """Number the tokens of a line, word by word if the tokeniser allows it."""
        # 13a joins lines at a hyphen.
        if self._name not in ("13a", "intl", "zh") or (self._name == "13a" and "\n" in line):
            return _intern(self._tokenizer(line).split(), self._ids)
        if self._name == "zh":
            line = line.translate(self._spaced).strip()
        words = line.split()
        if self._name != "13a" and words:
            # A stop with nothing before it, or behind it, is another one, which a space marks.
            if not line[0].isalnum() and not line[0].isspace():
                words[0] = f" {words[0]}"
            if not line[-1].isalnum():
                words[-1] += " "
        return list(chain.from_iterable(map(self._words.__getitem__, words)))

    @property
    def words(self):
        """The distinct tokens so far, in the order of their ids: that of first appearance."""
        return list(self._ids)


_LETTERS = Memo(lambda code: "a" if chr(code).isalpha() else chr(code))


def _ids_of_word(tokenizer, cuts, ids, word):
    """Number the tokens of a word; a space marks a line's edge."""
    if word.isalnum():
        return _intern([word], ids)
    if _REWRITTEN.search(word):
        return _intern(_amid_others(tokenizer, word), ids)
    # No expression names a letter, so that where they split depends on the shape only.
    bare = word.strip()
    return _intern([bare[cut] for cut in cuts[word.translate(_LETTERS)]], ids)


def _cuts_of_shape(tokenizer, shape):
    """Return the slices that are the tokens of words of a shape."""
    edges = accumulate(map(len, _amid_others(tokenizer, shape)), initial=0)
    return [slice(*edge) for edge in pairwise(edges)]


def _amid_others(tokenizer, word):
    """Tokenise one word as within a line, or at its edge."""
    before, after = not word[0].isspace(), not word[-1].isspace()
    tokens = tokenizer("a " * before + word.strip() + " a" * after).split()
    return tokens[before : len(tokens) - after]


def _spaced(tokenizer, code):
    """Put spaces around a character that zh makes a token."""
    char = chr(code)
    alone = not char.isascii() and len(tokenizer(f"a{char}a").split()) > 1
    return f" {char} " if alone else char


def _intern(tokens, ids):
    """Number tokens, new ones with the next free number."""
    return [ids.setdefault(token, len(ids)) for token in tokens]


def flatten(sequences):
    """Concatenate n lists of integers, and say where each begins and the last ends; all int64."""
    bounds = np.zeros(len(sequences) + 1, dtype=np.int64)
    np.cumsum([len(sequence) for sequence in sequences], out=bounds[1:])
    return np.fromiter(chain.from_iterable(sequences), dtype=np.int64, count=bounds[-1]), bounds


def word_ids(texts, *, lowercase):
    """Number the words of n texts by 13a: words, the n + 1 bounds of texts, the distinct words."""
    tokens = TokenInterner("13a", lowercase)
    flat, bounds = flatten([tokens(text) for text in texts])
    return flat, bounds, tokens.words


def sums_by_text(numbers, flat, bounds):
    """Add up the rows of ``numbers``, (n_words, k), over the words of each text of ``word_ids``."""
    before = np.zeros((len(flat) + 1, numbers.shape[1]), dtype=numbers.dtype)
    np.cumsum(numbers[flat], axis=0, out=before[1:])
    return np.diff(before[bounds], axis=0)
