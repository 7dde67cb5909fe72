"""Candidate tables as pairs of distinct texts, these as trees or chains of words in flat arrays."""

import hashlib
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.linguistic.trees.brackets import read_brackets, unescape_word
from sklearn_mteval.linguistic.trees.tokenizer import treebank_words
from sklearn_mteval.linguistic.trees.transformer import parser_for, trees_of_table
from sklearn_mteval.linguistic.trees.treebanks.dependency import EMPTY, own_words
from sklearn_mteval.segments import units_of_rows
from sklearn_mteval.text.transformer import text_cells

_BOUND = 0.05  # of the numbers in the vector of an unknown word (2015, as in its code)
_LENGTH = 5.0  # about that of GloVe, which the published rates and penalty were chosen for


class Forest(NamedTuple):
    """Texts as trees, text k the nodes ``bounds[k]`` to ``bounds[k + 1] - 1``: positions ``words``
    of ``vocabulary`` and ``parents``, which come before their children, -1 for a root.
    """

    words: np.ndarray
    parents: np.ndarray
    bounds: np.ndarray
    vocabulary: list

    def arrays(self):
        """Return words, parents, heights of nodes, and bounds, as the kernels take them."""
        from sklearn_mteval.linguistic.reval.compiled import heights_of

        return self.words, self.parents, heights_of(self.parents), self.bounds


def chains(texts):
    """Make a chain of each text: the last word is the root, each word's child the one before."""
    words = [treebank_words(text)[::-1] for text in texts]
    bounds = np.cumsum([0, *map(len, words)])
    parents = np.arange(-1, bounds[-1] - 1)
    parents[bounds[:-1][np.diff(bounds) > 0]] = -1
    numbers, vocabulary = numbered(chain.from_iterable(words))
    return Forest(numbers, parents, bounds, vocabulary)


def dependency_trees(lines):
    """Read trees of the kind "dependency": a tagged word in each node, and what depends on it."""
    words, parents, bounds = [], [], [0]
    for line in lines:
        try:
            [tree] = read_brackets(line)
        except ValueError as error:
            raise CandidateError(
                f"Expected one tree in brackets in a cell, found {line[:80]!r}: {error}"
            ) from None
        try:
            own = {} if tree == EMPTY else own_words(tree)
        except ValueError:
            raise CandidateError(
                "Expected a dependency tree, each bracket with one tagged word, such as '(root "
                f"(nsubj (PRP It)) (VBZ works))', found {line[:80]!r}. Make the columns of trees "
                "with Trees('dependency'), or leave them out: then the texts are parsed."
            ) from None
        place = {node: at for at, node in enumerate(sorted(own), start=bounds[-1])}
        parents += [place.get(tree.parents[node], -1) for node in place]
        words += [unescape_word(tree.labels[tree.children[own[node]][0]]) for node in place]
        bounds.append(len(words))
    numbers, vocabulary = numbered(words)
    return Forest(numbers, np.array(parents, dtype=np.int64), np.array(bounds), vocabulary)


def scale_of(vectors):
    """Return what WordVectors are multiplied with to have a root mean square length of 5."""
    matrix = vectors.matrix
    squares = np.einsum("ij,ij->", matrix, matrix, dtype=np.float64)  # in pieces: no large copy
    return float(_LENGTH * np.sqrt(len(matrix) / squares)) if squares else 1.0


def vectors_of(forest, vectors, scale):
    """Return vectors of a forest's vocabulary, float32, as ReValRegressor's Notes say."""
    rows = vectors.rows(forest.vocabulary)
    lower = np.flatnonzero(rows < 0)
    rows[lower] = vectors.rows(forest.vocabulary[at].lower() for at in lower)
    size = vectors.matrix.shape[1]
    found = np.empty((len(rows), size), dtype=np.float32)
    found[rows >= 0] = vectors.matrix[rows[rows >= 0]] * scale
    for at in np.flatnonzero(rows < 0):
        word = forest.vocabulary[at]
        pieces = vectors.pieces(word.lower())
        if pieces:
            found[at] = np.mean(vectors.matrix[pieces], axis=0, dtype=np.float64) * scale
            continue
        spelling = hashlib.shake_128(word.encode("utf-8", "surrogatepass"))
        numbers = np.frombuffer(spelling.digest(2 * size), dtype="<u2")  # uniform in 16 bits
        found[at] = (numbers / 65535 * 2 - 1) * _BOUND
    return found


# What an encoder makes of distinct texts or, if it reads trees, of their lines of brackets.
ENCODERS = {"lstm": chains, "tree-lstm": dependency_trees}


class TextPairs(NamedTuple):
    """Pairs of a hypothesis and one of its references, as numbers of distinct texts, sorted."""

    pairs: np.ndarray  # (n_pairs, 2)
    rows: np.ndarray  # (n_pairs,), of the table, never falling
    forest: Forest


def read_pairs(X, encoder, progress=False):
    """Read a table's pairs as an encoder takes them; trees that are not there are parsed."""
    columns = "hypothesis", "reference"
    if encoder == "lstm":
        cells = {column: text_cells(X, column) for column in columns}
    else:
        cells = trees_of_table(X, columns, parser_for("dependency"), progress=progress)
    distinct = sorted(set(chain.from_iterable(chain.from_iterable(cells.values()))))
    number = {text: k for k, text in enumerate(distinct)}
    pairs = [
        (number[hypothesis], number[reference])
        for (hypothesis,), references in zip(*cells.values(), strict=True)
        for reference in references
    ]
    rows = np.repeat(np.arange(len(X)), [len(references) for references in cells["reference"]])
    pairs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return TextPairs(pairs, rows, ENCODERS[encoder](distinct))


def units_of_text_pairs(X, pairs):
    """Number each pair's segment; without an index level ``segment`` references alone tell."""
    if "segment" not in X.index.names:
        X = X.set_axis(pd.RangeIndex(len(X), name="segment"))
    reference = "reference" if "reference" in X.columns else "reference_tree"
    return units_of_rows(X, reference)[pairs.rows]
