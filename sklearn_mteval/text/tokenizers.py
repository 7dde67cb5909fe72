"""Which of sacreBLEU's tokenisers a language takes, and which languages part no words by spaces.

In these a sentence is one token for 13a, and every n-gram metric 0 or its best.
"""

from collections import Counter
from itertools import chain

import numpy as np

from sklearn_mteval.text.tokens import TokenInterner, load_tokenizer

_DEFAULT = "13a"
# In order of preference; morphological analysers are there with sacreBLEU's extras.
_TOKENIZERS = {
    "zh": ("zh",), "yue": ("zh",), "ja": ("ja-mecab", "char"), "ko": ("ko-mecab", "char"),
    **dict.fromkeys(("bo", "dz", "km", "lo", "my", "th"), ("char",))
}  # fmt: skip
UNSPACED = ("zh", "yue", "ja", "bo", "dz", "km", "lo", "my", "th")  # languages
PARTS_AT_SPACES = ("13a", "intl", "none")  # tokenisers
# Ranges of code points; Chinese characters are Japanese, too, where kana stand next to them.
_SCRIPTS = {
    "zh": ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF)),
    "ja": ((0x3041, 0x309F), (0x30A1, 0x30FA), (0x31F0, 0x31FF), (0xFF66, 0xFF9D)),
    "ko": ((0x1100, 0x11FF), (0xAC00, 0xD7A3)), "th": ((0x0E01, 0x0E4E),),
    "lo": ((0x0E80, 0x0ECD), (0x0EDC, 0x0EDF)), "bo": ((0x0F40, 0x0FBC),),
    "my": ((0x1000, 0x109F),), "km": ((0x1780, 0x17D3),)
}  # fmt: skip
_KANA = 0.05  # of Japanese at least, which has a third or more


def tokenizer_of(language):
    """Return sacreBLEU's tokeniser of a language that is installed, of two letters or ""."""
    for name in _TOKENIZERS.get(language, (_DEFAULT,)):
        try:
            load_tokenizer(name)
        except ValueError:  # the analyser is not installed
            continue
        return name
    raise AssertionError(f"no tokeniser of {language!r}")  # the last of each is always there


def language_of(texts):
    """Tell the language by the script of most letters, if 13a is not for it; "" for all others."""
    distinct, found = set(texts), Counter()
    others = Counter(chain.from_iterable(text for text in distinct if not text.isascii()))
    n_letters = sum(len(text) for text in distinct if text.isascii())
    for char, n in others.items():
        code = ord(char)
        n_letters += n * char.isalpha()
        for language, ranges in _SCRIPTS.items():
            if any(first <= code <= last for first, last in ranges):
                found[language] += n
                n_letters += n * (not char.isalpha())  # marks are no letters
    kana = found.pop("ja", 0)
    if kana > _KANA * (kana + found["zh"]):
        found["ja"] = kana + found.pop("zh", 0)
    language, n = max(found.items(), key=lambda entry: (entry[1], entry[0]), default=("", 0))
    return language if 2 * n > n_letters else ""


def words_of(texts):
    """Return a function from a text to its words as integers, of a tokeniser for these texts."""
    return TokenInterner(tokenizer_of(language_of(texts)), lowercase=True)


def parts_by_length(lengths, n):
    """Part texts into ``n`` parts by their words, equal lengths alike: masks by "2-9 words"."""
    lengths = np.array(lengths)
    edges = np.quantile(lengths, np.arange(1, n) / n) if len(lengths) else []
    numbers, masks = np.searchsorted(edges, lengths), {}
    for k in np.unique(numbers):
        mask = numbers == k
        ends = dict.fromkeys((lengths[mask].min(), lengths[mask].max()))
        masks["\N{EN DASH}".join(map(str, ends)) + " words"] = mask
    return masks
