"""The sentences of a corpus as numbers of words."""

import gzip
import os
import zlib
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import numpy as np

from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.text.tokens import TokenInterner, flatten

__all__ = ["MARKERS", "fits_arpa", "number_corpus", "read_sentences"]

MARKERS = ("<unk>", "<s>", "</s>")  # words 0, 1 and 2 of every model
_BLOCK = 50_000  # sentences tokenised at a time, so that not all texts are held in memory
_GZIP_MAGIC = b"\x1f\x8b"


def read_sentences(path):
    """Yield the lines of a UTF-8 text file, plain or gzip; DataFileError names a line at fault."""
    path = Path(path)
    try:
        with open(path, "rb") as file:
            zipped = file.peek(2)[:2] == _GZIP_MAGIC
            lines = gzip.GzipFile(fileobj=file) if zipped else file
            for number, line in enumerate(lines, start=1):
                try:
                    text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise DataFileError(
                        path,
                        f"expected UTF-8 text, found other bytes ({error.reason}). Convert the "
                        "file, e.g. with iconv -t utf-8.",
                        number,
                    ) from None
                yield text.rstrip("\r\n")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataFileError(path, f"damaged gzip file ({error}). Fetch it again.") from None
    except OSError as error:
        raise DataFileError(path, f"cannot be read ({error.strerror or error}).") from None


def fits_arpa(word):
    """Tell whether a word can stand in an ARPA file as itself.

    Markers cannot (kenlm takes <UNK> for one as well), nor can NUL or a lone surrogate, which
    UTF-8 has not.
    """
    if word in MARKERS or word == "<UNK>" or "\0" in word:
        return False
    return word.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in word)


def number_corpus(sentences, *, tokenize, lowercase):
    """Number the words of a corpus, a text file or an iterable of sentences.

    Returns all sentences as one int32 array, each from 1 (<s>) to 2 (</s>), and what the numbers
    mean, markers first. Raises ValueError if there is no word, or something is no string.
    """
    if isinstance(sentences, str | os.PathLike):
        name, sentences = os.fspath(sentences), read_sentences(sentences)
    elif isinstance(sentences, Iterable) and not isinstance(sentences, bytes):
        name = "the corpus"
    else:
        raise ValueError(f"A corpus must be a path or sentences, found {sentences!r}.")
    sentences = iter(sentences)
    ids = {word: number for number, word in enumerate(MARKERS)}
    parts = []
    n_before = 0
    while block := list(islice(sentences, _BLOCK)):
        for number, sentence in enumerate(block):
            if not isinstance(sentence, str):
                raise ValueError(
                    f"A corpus must be a path or sentences; expected a string as sentence "
                    f"{n_before + number}, found {sentence!r}."
                )
        n_before += len(block)
        parts.append(_number_block(block, TokenInterner(tokenize, lowercase), ids))
    flat = np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
    if not len(flat):
        raise ValueError(
            f"A language model needs at least one sentence with a word; {name} has {n_before} "
            "sentences and no word."
        )
    return flat, list(ids)


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
    lengths = np.diff(ends)
    lengths = lengths[lengths > 0]
    numbered = np.empty(lengths.sum() + 2 * len(lengths), dtype=np.int32)
    is_end = np.cumsum(lengths + 2) - 1
    is_start = is_end - lengths - 1
    numbered[is_start], numbered[is_end] = 1, 2
    inner = np.ones(len(numbered), dtype=bool)
    inner[is_start] = inner[is_end] = False
    numbered[inner] = number[flat[kept]]
    return numbered
