"""Formats of word vectors: GloVe text, word2vec text and word2vec binary, also gzipped.

Nothing is allocated because a header says so. Text is split at line feeds and spaces (bytes) only,
because words of real files hold U+0085, U+00A0 and the like.
"""

import re
from itertools import takewhile

import numpy as np

from sklearn_mteval._helpers.files import decoded, open_file
from sklearn_mteval.exceptions import DataFileError

_CHUNK = 1 << 22  # bytes
_MAX_DIMENSIONS = 1 << 20  # more is a damaged or hostile header, not a vector
_MAX_WORD = 1 << 16  # bytes
# At most 18 digits, which int() always takes.
_HEADER = re.compile(rb"(\d{1,18}) (\d{1,18})")
_BINARY_NAMES = "word2vec's binary files must be named .bin or .bin.gz"
_BOM = b"\xef\xbb\xbf"


class _Kept:
    """The words and vectors to return."""

    def __init__(self, limit, vocabulary):
        self._limit = np.inf if limit is None else limit
        self._vocabulary = vocabulary
        self.n_seen = 0  # words of the file so far
        self.words = []
        self.raw = bytearray()

    def choose(self, words):
        """Take note of the file's next words, return the positions of those to keep."""
        first, self.n_seen = self.n_seen, self.n_seen + len(words)
        if self.n_seen <= self._limit:
            chosen = range(len(words))
        else:
            by_rank = self._limit - first
            chosen = [k for k, word in enumerate(words) if k < by_rank or word in self._vocabulary]
        self.words.extend([words[k] for k in chosen])
        return chosen


def read_vector_file(path, *, limit=None, vocabulary=frozenset(), max_bytes=None):
    """Read words and vectors, float32 and finite, of a file, ``.bin`` and ``.bin.gz`` being
    word2vec's binary format: the first ``limit`` (None: all), and a set of others. Words may
    repeat.
    """
    binary = path.name.lower().endswith((".bin", ".bin.gz"))
    kept = _Kept(limit, vocabulary)
    read = _read_binary if binary else _read_text
    with open_file(path, max_bytes=max_bytes, zipped=True, lines=not binary) as file:
        n_dimensions = read(path, file, kept)
    matrix = np.frombuffer(kept.raw, dtype="<f4").reshape(len(kept.words), n_dimensions)
    return kept.words, matrix.astype(np.float32, copy=False)


def _read_text(path, file, kept):
    """Keep words and vectors of a text file, return the number of dimensions."""
    first = file.readline()
    if not first:
        raise DataFileError(path, "expected word vectors, found an empty file.")
    if b"\0" in first.partition(b" ")[2]:  # a word may hold it
        raise DataFileError(path, f"expected UTF-8 text, found a NUL byte: {_BINARY_NAMES}.", 1)
    first = _stripped(first.removeprefix(_BOM))
    second = file.readline()
    header = _text_header(path, first, second)
    n_words, n_dimensions = header or (None, _count_numbers(path, first))
    line = 1 if header is None else 2  # of pending[0]
    pending = [first, _stripped(second)][line - 1 :]
    _check_separator(path, pending[0], line, n_dimensions)
    blank = None  # the first of the blank lines that end the file, if they do
    while pending:
        n_lines = len(pending)
        while pending and not pending[-1]:
            pending.pop()
        if pending:
            if blank is not None:
                raise _odd_columns(path, b"", blank, n_dimensions)
            _parse_lines(path, pending, line, n_dimensions, kept)
        if len(pending) < n_lines and blank is None:
            blank = line + len(pending)
        line += n_lines
        pending = list(map(_stripped, file.readlines(_CHUNK)))
    if n_words not in (None, kept.n_seen):
        problem = (
            f"the header announces {n_words} words, found {kept.n_seen}. Is the file complete?"
        )
        raise DataFileError(path, problem, 1)
    return n_dimensions


def _stripped(line):
    """Drop the line end, and the space before it that word2vec writes."""
    return line.rstrip(b" \r\n")


def _text_header(path, first, second):
    """Return (n_words, n_dimensions) if the first line is a header, else None."""
    match = _HEADER.fullmatch(first)
    if match is None:
        return None
    n_words, n_dimensions = map(int, match.groups())
    found = _stripped(second).count(b" ")
    # Otherwise it is the first of several vectors of one dimension: "7 3".
    if second and found == 1 and n_dimensions != 1:
        return None
    if not second or found < n_dimensions or n_dimensions == 0:
        announced = f"{n_words} words of {n_dimensions} dimensions"
        problem = f"the header announces {announced}, but line 2 holds {found} numbers."
        raise DataFileError(path, problem, 1)
    return n_words, n_dimensions


def _count_numbers(path, line):
    """Count the numbers at the end of a file's first line, which fix the dimensions."""
    parts = line.split(b" ")[1:]
    n_dimensions = len(list(takewhile(_is_number, reversed(parts))))
    if n_dimensions == 0:
        found = f"{_shown(parts[-1])} at its end" if parts else "no space in it"
        raise DataFileError(path, f"expected a word and its numbers, found {found}.", 1)
    return n_dimensions


def _check_separator(path, line, number, n_dimensions):
    """Raise if what is read as the word of the file's first line holds columns, or blanks."""
    word = line.rsplit(b" ", n_dimensions)[0]
    bare = word.rstrip(b",;")
    *before, last = re.split(rb"[\t ]", bare)
    holds_column = (b"\t" in word or bare != word) and before and _is_number(last)
    if holds_column or b"\r" in word or word.strip(b" ") != word:
        expected = "a word and its numbers with one space between each two, then a line feed"
        raise DataFileError(path, f"expected {expected}, found {_shown(line)}.", number)


def _parse_lines(path, lines, first, n_dimensions, kept):
    """Keep words and vectors of stripped lines; ``first`` numbers the first of them."""
    names, numbers = [], []
    for line in lines:
        if line.count(b" ") == n_dimensions:
            name, _, rest = line.partition(b" ")
        else:
            name, rest = _split_odd(path, line, first + len(names), n_dimensions)
        names.append(name)
        numbers.append(rest)
    try:
        chosen = kept.choose(b"\n".join(names).decode().split("\n"))
        if chosen:
            values = _floats(b" ".join([numbers[k] for k in chosen]))
            if not np.isfinite(values).all():
                raise ValueError
            kept.raw += values.tobytes()
    except ValueError:  # UnicodeDecodeError too
        for offset, (name, rest) in enumerate(zip(names, numbers, strict=True)):
            _check_line(path, first + offset, name, rest)
        raise  # not reached: one of the lines is at fault


def _floats(text):
    """Read numbers with one space between them as little-endian float32."""
    if b"_" in text:
        raise ValueError("float() takes 1_000 for a number")
    with np.errstate(over="ignore"):  # the caller checks for infinity
        return np.fromiter(map(float, text.split(b" ")), dtype=np.float64).astype("<f4")


def _split_odd(path, line, number, n_dimensions):
    """Split a line whose word holds spaces (". . ." in glove.840B), or raise."""
    parts = line.rsplit(b" ", n_dimensions)
    # A number at the end of the "word" means that there is a column too many.
    if line.count(b" ") < n_dimensions or _is_number(parts[0].rpartition(b" ")[2]):
        raise _odd_columns(path, line, number, n_dimensions)
    return parts[0], b" ".join(parts[1:])


def _odd_columns(path, line, number, n_dimensions):
    """Make the error for a line with too many or too few columns."""
    expected = f"a word and {n_dimensions} numbers as in the lines before"
    problem = f"expected {expected}, found {line.count(b' ') + 1} columns."
    return DataFileError(path, problem, number)


def _is_number(text):
    """Tell whether a column is a number."""
    try:
        _floats(text)
    except ValueError:
        return False
    return True


def _check_line(path, number, name, rest):
    """Raise if a line is at fault."""
    decoded(path, name, number, f"; {_BINARY_NAMES}")
    for column, text in enumerate(rest.split(b" "), 1):
        if not _is_number(text):
            found = f"{_shown(text)} is not a number"
        elif not np.isfinite(_floats(text)).all():
            found = f"{_shown(text)} is not finite as a 32-bit number"
        else:
            continue
        raise DataFileError(path, f"number {column} of {_shown(name)}: {found}.", number)


def _shown(text):
    """Show bytes of a file in a message, shortened."""
    text = text.decode("utf-8", "replace")
    return repr(text if len(text) <= 40 else text[:40] + "…")


def _read_binary(path, file, kept):
    """Keep words and vectors of a word2vec binary file, return the dimensions."""
    header = file.readline(40)
    match = _HEADER.fullmatch(header.rstrip())
    n_words, n_dimensions = map(int, match.groups()) if match else (0, 0)
    if not header:
        raise DataFileError(path, "expected word vectors, found an empty file.")
    if not (n_words > 0 and 0 < n_dimensions <= _MAX_DIMENSIONS):
        expected = "word2vec's binary format, a header with the numbers of words and of dimensions"
        raise DataFileError(path, f"expected {expected}, found {_shown(header)}.", 1)
    size = 4 * n_dimensions
    buffer, start = b"", 0
    while kept.n_seen < n_words:
        end = buffer.find(b" ", start)
        if end < 0 or end + 1 + size > len(buffer):
            more = file.read(_CHUNK) if end >= 0 or len(buffer) - start < _MAX_WORD else b""
            if not more:
                raise DataFileError(
                    path,
                    f"truncated or damaged: the header announces {n_words} words of "
                    f"{n_dimensions} dimensions, the file ends in word {kept.n_seen + 1}.",
                )
            buffer, start = buffer[start:] + more, 0
            continue
        # word2vec writes a line feed after each vector, gensim does not.
        name = buffer[start:end].removeprefix(b"\n")
        start = end + 1 + size
        try:
            name = name.decode()
        except UnicodeDecodeError:
            problem = f"word {kept.n_seen + 1}, {_shown(name)}, is not UTF-8: is the file damaged?"
            raise DataFileError(path, problem) from None
        if kept.choose([name]):
            kept.raw += buffer[end + 1 : start]
    if (buffer[start:] + file.read(2)).strip(b"\n"):
        problem = f"the header announces {n_words} words, but the file goes on after them."
        raise DataFileError(path, problem)
    bad = np.flatnonzero(~np.isfinite(np.frombuffer(kept.raw, dtype="<f4")))
    if len(bad):
        word = kept.words[int(bad[0]) // n_dimensions]
        raise DataFileError(path, f"the vector of {word!r} has NaN or infinity.")
    return n_dimensions
