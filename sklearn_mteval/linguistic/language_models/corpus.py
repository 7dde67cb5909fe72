"""The sentences of a corpus as numbers of words."""

import os
from collections.abc import Iterable

import numpy as np

from sklearn_mteval._helpers.files import decoded, open_file
from sklearn_mteval.text.tokens import TokenInterner, flatten

MARKERS = ("<unk>", "<s>", "</s>")  # words 0, 1 and 2 of every model
# Sentences and characters tokenised at a time, so that not all texts are held in memory.
_BLOCK, _BLOCK_LENGTH = 50_000, 1 << 24


def read_sentences(path, *, max_bytes=None):
    """Yield the lines of a UTF-8 text file, plain or gzip; DataFileError names a line at fault."""
    with open_file(path, max_bytes=max_bytes, zipped=True, pipes=True) as file:
        yield decoded(path, file.readline()).rstrip("\r\n")
        for number, line in enumerate(file, start=2):
            try:
                yield line.decode().rstrip("\r\n")
            except UnicodeDecodeError:
                decoded(path, line, number)  # says it better


def fits_arpa(word):
    """Tell whether a word can stand in an ARPA file as itself: no marker, NUL or lone surrogate."""
    if word in MARKERS or word == "<UNK>" or "\0" in word:
        return False
    return word.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in word)


def number_corpus(sentences, *, tokenize, lowercase, max_bytes=None):
    """Return a corpus as one int32 array, each sentence from 1 (<s>) to 2 (</s>), and its words."""
    if isinstance(sentences, str | os.PathLike):
        name, sentences = os.fspath(sentences), read_sentences(sentences, max_bytes=max_bytes)
    elif isinstance(sentences, Iterable) and not isinstance(sentences, bytes):
        name = "the corpus"
    else:
        raise ValueError(f"A corpus must be a path or sentences, found {sentences!r}.")
    ids = {word: number for number, word in enumerate(MARKERS)}
    parts = []
    n_before = 0
    for block in _blocks(sentences):
        n_before += len(block)
        parts.append(_number_block(block, TokenInterner(tokenize, lowercase), ids))
    flat = np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
    if not len(flat):
        raise ValueError(
            f"A language model needs at least one sentence with a word; {name} has {n_before} "
            "sentences and no word."
        )
    return flat, list(ids)


def _blocks(sentences):
    """Yield lists of sentences, none too long; raise ValueError for what is no sentence."""
    block, length = [], 0
    for number, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            raise ValueError(
                f"A corpus must be a path or sentences; expected a string as sentence {number}, "
                f"found {sentence!r}."
            )
        block.append(sentence)
        length += len(sentence)
        if len(block) == _BLOCK or length > _BLOCK_LENGTH:
            yield block
            block, length = [], 0
    if block:
        yield block


def _number_block(texts, tokens, ids):
    """Number some sentences, new words with the next free number; those without a word drop out."""
    flat, bounds = flatten([tokens(text) for text in texts])
    words = tokens.words
    fits = np.fromiter(map(fits_arpa, words), dtype=bool, count=len(words))
    kept = fits[flat]
    number = np.array(
        [ids.setdefault(word, len(ids)) if ok else 0 for word, ok in zip(words, fits, strict=True)],
        dtype=np.int32,
    )
    ends = np.concatenate([[0], np.cumsum(kept)])[bounds]
    markers = np.column_stack([ends[:-1], ends[1:]])[np.diff(ends) > 0]
    return np.insert(number[flat[kept]], markers.ravel(), np.tile([1, 2], len(markers)))
