"""CoNLL-U, the files of Universal Dependencies."""

import re
from itertools import groupby
from typing import NamedTuple

from sklearn_mteval._helpers.files import decoded, open_file
from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.trees.brackets import BracketTree
from sklearn_mteval.linguistic.trees.treebanks.dependency import (
    dependencies,
    dependency_tree,
    head_fault,
)

_TAGS = {"upos": 3, "xpos": 4}  # the columns, from 0
_ID = re.compile(r"(0|[1-9][0-9]{0,8})(?:([-.])([1-9][0-9]{0,8}))?")
_HEAD = re.compile(r"0|[1-9][0-9]{0,8}")
_TEXT = re.compile(r"#\s*text\s*=(.*)", re.DOTALL)


class ConlluSentence(NamedTuple):
    """Syntactic words, tags ("_": none), heads (1-based, 0: root), relations and text."""

    words: tuple
    tags: tuple
    heads: tuple
    relations: tuple
    text: str


def read_conllu(
    path: PathLike, *, tags: str = "xpos", max_bytes: int | None = None
) -> list[BracketTree]:
    r"""Read the dependency trees of a CoNLL-U file.

    Parameters
    ----------
    path : path-like
        UTF-8 text of ten columns a word and an empty line behind each sentence, which may be
        missing after the last; a gzip file of it, a pipe, or "-", standard input.
    tags : {"xpos", "upos"}, default="xpos"
        Which column gives the parts of speech: that of the treebank's own tags, in English mostly
        the Penn Treebank's, or that of the universal ones.
    max_bytes : int, optional
        The most that it may hold. None: 64 GiB, and 16 MiB a line.

    Returns
    -------
    list of BracketTree
        A node for each word, labelled with its relation; below it, from left to right, the nodes of
        its dependents and the word itself under its tag. If a tree is not projective, each relation
        bears its word's 1-based position: ``nsubj#1``. Brackets in words are escaped.

    Raises
    ------
    DataFileError
        Naming the line, if there is another number of columns, words are not counted 1, 2, 3, a
        form, tag or relation is empty, a range or an empty node is malformed, a head is no number
        or out of range, heads lead back to their word, or there is not exactly one root.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn_mteval.trees import read_conllu
    >>> lines = ["1 It _ _ PRP _ 2 nsubj _ _", "2 works _ _ VBZ _ 0 root _ _"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "trees.conllu")
    ...     _ = file.write_text("\n".join(lines).replace(" ", "\t"))
    ...     print(*read_conllu(file))
    (root (nsubj (PRP It)) (VBZ works))
    """
    sentences = conllu_sentences(path, tags=tags, max_bytes=max_bytes)
    return [dependency_tree(*sentence[:4]) for sentence in sentences]


def conllu_sentences(path, *, tags="xpos", max_bytes=None):
    """Yield a file's ConlluSentences; the text is ``# text =``, or made of words or ranges."""
    check_one_of("tags", tags, _TAGS)
    with open_file(path, max_bytes=max_bytes, zipped=True, pipes=True) as file:
        lines = (
            (number, decoded(path, content, number).removesuffix("\n").removesuffix("\r"))
            for number, content in enumerate(file, 1)
        )
        for there, of_block in groupby(lines, key=lambda line: line[1] != ""):
            if there:
                block = _Block(path, _TAGS[tags])
                for number, line in of_block:
                    block.add(number, line)
                if sentence := block.sentence():
                    yield sentence


class _Block:
    """The lines of a sentence, read one after another."""

    def __init__(self, path, tag_column):
        self.path, self.tag_column = path, tag_column
        self.text, self.rows, self.line_of, self.pieces = None, [], [], []
        self.first_line = None
        # The last word, the last empty node behind it, the last word of a range.
        self.last = self.inner = self.covered = 0

    def add(self, number, line):
        """Take a comment, a word, an empty node or a range."""
        self.first_line = self.first_line or number
        if line.startswith("#") and not self.pieces and not self.inner:
            found = _TEXT.fullmatch(line)
            self.text = found.group(1).strip() if found else self.text
            return
        columns = self._columns(line, number)
        sign, first, end = _id(columns[0])
        if sign == "-" and first == self.last + 1 > self.covered and end > self.last:
            self.covered, self.covered_line = end, number
            self._write(columns)
        elif sign == "." and (first, end) == (self.last, self.inner + 1):
            self.inner += 1
        elif sign == "word" and first == self.last + 1:
            self._add_word(columns, number)
        else:
            found = f"found the id {columns[0][:40]!r}."
            raise DataFileError(self.path, f"expected {self._expected()}, {found}", number)

    def _expected(self):
        """Say which ids may come next."""
        expected = f"word {self.last + 1}, an empty node {self.last}.{self.inner + 1}"
        if self.covered <= self.last:
            expected += f" or a range from {self.last + 1}"
        return expected

    def _columns(self, line, number):
        """Part a line at its tabs."""
        columns = line.split("\t")
        if len(columns) != 10 or not all(columns):
            n_found = f"{len(columns)}" + (", some empty" if not all(columns) else "")
            problem = f"expected 10 columns between tabs, '_' for nothing, found {n_found}."
            raise DataFileError(self.path, f"{problem} An empty line ends a sentence.", number)
        return columns

    def _add_word(self, columns, number):
        """Take the line of the next word."""
        self.last, self.inner = self.last + 1, 0
        if self.last > self.covered:
            self._write(columns)
        if not _HEAD.fullmatch(columns[6]):
            problem = f"expected the number of a word or 0 as a head, found {columns[6][:40]!r}."
            raise DataFileError(self.path, problem, number)
        self.rows.append((columns[1], columns[self.tag_column], int(columns[6]), columns[7]))
        self.line_of.append(number)

    def _write(self, columns):
        """Write a form, and a space unless there is none behind it."""
        self.pieces += columns[1], "" if "SpaceAfter=No" in columns[9].split("|") else " "

    def sentence(self):
        """Return the sentence, whose heads are checked; None if all lines are comments."""
        if self.covered > self.last:
            problem = f"the range ends with word {self.covered}, the sentence has {self.last}."
            raise DataFileError(self.path, problem, self.covered_line)
        if not self.rows and (self.text or self.inner):
            raise DataFileError(self.path, "a sentence without words.", self.first_line)
        if not self.rows:
            return None if self.text is None else ConlluSentence((), (), (), (), "")
        words, tags, heads, relations = zip(*self.rows, strict=True)
        if fault := head_fault(heads):
            word, problem = fault
            raise DataFileError(self.path, f"word {word}: {problem}", self.line_of[word - 1])
        text = "".join(self.pieces).strip() if self.text is None else self.text
        return ConlluSentence(words, tags, heads, relations, text)


def _id(text):
    """Return "word", or the sign of a range or an empty node, and the numbers; None of others."""
    found = _ID.fullmatch(text)
    if not found:
        return None, None, None
    return found[2] or "word", int(found[1]), int(found[3] or 0)


def format_conllu(tree):
    """Write a dependency tree as a block of CoNLL-U; ValueError if it is none or holds a tab."""
    rows = list(zip(*dependencies(tree), strict=True))
    lines = [f"# text = {' '.join(word for word, *_ in rows)}"]
    for number, (word, tag, head, relation) in enumerate(rows, 1):
        columns = str(number), word, "_", "_", tag, "_", str(head), relation, "_", "_"
        lines.append("\t".join(columns))
    block = "\n".join(lines)
    if block.count("\t") != 9 * len(rows) or block.count("\n") != len(rows):
        raise ValueError(
            "tree: CoNLL-U holds no tab and no line feed in a word, tag or relation, found one in "
            f"{str(tree)[:80]!r}."
        )
    return f"{block}\n\n"
