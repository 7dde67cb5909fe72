"""Texts to integer token ids, through sacreBLEU's own tokenisers.

Each distinct text is tokenised once. 13a, the usual tokeniser, runs four regular
expressions over every line, which is where most of BLEU's time goes. It works inside one
whitespace-separated word, so here each distinct *word* is tokenised once; and it treats
all letters alike, so words of one *shape* ("(word)," and "(this),") split at the same
places, and each distinct shape is tokenised once. zh does the same with what stands between
Chinese characters, each of which is a token; a character is asked about once. intl, too, works
inside words, but tells the first and the last word of a line from others, and "²" from a letter.
"""

import re
from itertools import accumulate, chain, pairwise

import numpy as np

_LETTER = re.compile(r"[^\W\d_]")
_ASCII_LETTER = re.compile(r"[A-Za-z]")
_STOPS = (".", ",")
_REWRITTEN = re.compile(r"[&<]")  # 13a turns &quot; into " and drops <skipped>


def load_tokenizer(name):
    """Return sacreBLEU's tokeniser of a name: a callable from a line to its tokens and spaces.

    Those on sentencepiece ("spm", "flores101", …) let sacreBLEU fetch their model on first use.
    Raises ValueError for a name that is unknown or needs what is not installed.
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

    ``tokenize`` names a sacreBLEU tokeniser, or is one: from a line to its tokens and spaces.
    """

    def __init__(self, tokenize, lowercase):
        self._tokenizer = tokenize if callable(tokenize) else load_tokenizer(tokenize)
        self._lowercase = lowercase
        self._ids = {}
        self._texts = {}
        self._words = self._spaced = self._first = self._last = None
        if tokenize in ("13a", "zh"):
            self._words = _Words(self._tokenizer, self._ids)
        if tokenize == "zh":
            self._spaced = _Spaced(self._tokenizer)
        if tokenize == "intl":
            self._words = _Words(self._tokenizer, self._ids, letter=_ASCII_LETTER)
            self._first = _Words(self._tokenizer, self._ids, letter=_ASCII_LETTER, before="")
            self._last = _Words(self._tokenizer, self._ids, letter=_ASCII_LETTER, after="")

    def __call__(self, text):
        """Return the token ids of a text, a list of int; equal tokens have equal ids."""
        tokens = self._texts.get(text)
        if tokens is None:
            line = (text.lower() if self._lowercase else text).rstrip()
            if self._splits_words_alone(line):
                words = (line if self._spaced is None else line.translate(self._spaced)).split()
                found = map(self._words.__getitem__, words)
                if self._first is not None:  # new tokens are numbered in their order
                    first, *inner, last = words
                    found = chain(
                        map(self._first.__getitem__, [first]),
                        map(self._words.__getitem__, inner),
                        map(self._last.__getitem__, [last]),
                    )
                tokens = list(chain.from_iterable(found))
            else:
                tokens = _intern(self._tokenizer(line).split(), self._ids)
            self._texts[text] = tokens
        return tokens

    def _splits_words_alone(self, line):
        """Tell whether the tokeniser looks at each word of a line by itself."""
        if self._first is not None:
            return len(line.split(None, 1)) > 1 and not line[0].isspace()
        if self._spaced is None:
            return self._words is not None and "\n" not in line  # 13a joins lines at a hyphen
        # zh, unlike 13a, sees that there is nothing before and behind the line.
        return line.lstrip()[:1] not in _STOPS and line[-1:] not in _STOPS

    @property
    def words(self):
        """The distinct tokens so far, in the order of their ids: that of first appearance."""
        return list(self._ids)


class _Spaced(dict):
    """What zh makes of each character, by its code: spaces around a Chinese one."""

    def __init__(self, tokenizer):
        super().__init__()
        self._tokenizer = tokenizer

    def __missing__(self, code):
        char = chr(code)
        alone = not char.isascii() and len(self._tokenizer(f"a{char}a").split()) > 1
        text = self[code] = f" {char} " if alone else char
        return text


class _Words(dict):
    """Token ids of each word between others, tokenised when first looked up."""

    def __init__(self, tokenizer, ids, *, letter=_LETTER, before="a ", after=" a"):
        super().__init__()
        self._tokenizer = tokenizer
        self._ids = ids
        self._letter = letter
        self._before, self._after = before, after
        self._shapes = {}

    def __missing__(self, word):
        ids = self[word] = _intern(self._split(word), self._ids)
        return ids

    def _split(self, word):
        """Tokenise one word."""
        if word.isalnum():
            return (word,)
        if _REWRITTEN.search(word):
            return self._amid_others(word)
        # No expression names a letter, so that where they split depends on the shape only.
        shape = self._letter.sub("a", word)
        cuts = self._shapes.get(shape)
        if cuts is None:
            lengths = map(len, self._amid_others(shape))
            edges = pairwise(accumulate(lengths, initial=0))
            cuts = self._shapes[shape] = [slice(*edge) for edge in edges]
        return [word[cut] for cut in cuts]

    def _amid_others(self, word):
        """Tokenise one word as within a line."""
        tokens = self._tokenizer(f"{self._before}{word}{self._after}").split()
        return tokens[bool(self._before) : len(tokens) - bool(self._after)]


def _intern(tokens, ids):
    """Number tokens, new ones with the next free number."""
    return [ids.setdefault(token, len(ids)) for token in tokens]


def flatten(sequences):
    """Concatenate n lists of integers, and say where each begins and the last ends; all int64."""
    bounds = np.zeros(len(sequences) + 1, dtype=np.int64)
    np.cumsum([len(sequence) for sequence in sequences], out=bounds[1:])
    return np.fromiter(chain.from_iterable(sequences), dtype=np.int64, count=bounds[-1]), bounds


def word_ids(texts, *, lowercase):
    """Number the words of n texts, tokenised by sacreBLEU's 13a.

    Returns the words of all texts as positions in ``words``, the n + 1 bounds of the texts among
    them, and ``words``: the distinct ones in order of first appearance.
    """
    tokens = TokenInterner("13a", lowercase)
    flat, bounds = flatten([tokens(text) for text in texts])
    return flat, bounds, tokens.words


def sums_by_text(numbers, flat, bounds):
    """Add up the rows of ``numbers``, (n_words, k), over the words of each text of ``word_ids``."""
    before = np.zeros((len(flat) + 1, numbers.shape[1]), dtype=numbers.dtype)
    np.cumsum(numbers[flat], axis=0, out=before[1:])
    return np.diff(before[bounds], axis=0)
