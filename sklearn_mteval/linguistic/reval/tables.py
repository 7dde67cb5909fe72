"""Candidate tables as numbered pairs of distinct texts or trees, ordered by content."""

from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import check_texts
from sklearn_mteval.linguistic.reval.forests import Forest, chains, dependency_trees
from sklearn_mteval.segments import units_of_rows

# What an encoder makes of distinct texts or, if it reads trees, of their lines of brackets.
ENCODERS = {"lstm": chains, "tree-lstm": dependency_trees}
_COLUMNS = {"hypothesis": False, "reference": True}  # whether a cell may hold several


class TextPairs(NamedTuple):
    """Pairs of a hypothesis and one of its references, as numbers of distinct texts, sorted.

    ``pairs`` is of shape (n_pairs, 2); ``rows`` (n_pairs,) tells each pair's row of the table,
    never falling.
    """

    pairs: np.ndarray
    rows: np.ndarray
    forest: Forest


def read_pairs(X, encoder, progress=False):
    """Read a table's pairs as an encoder takes them; trees that are not there are parsed."""
    cells = _cells(X, encoder == "tree-lstm", progress)
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


def _cells(X, trees, progress):
    """Return the texts, or the trees, of each cell by column; texts are parsed if they must be."""
    cells, to_parse = {}, []
    for column, several in _COLUMNS.items():
        name = f"{column}_tree"
        given = trees and name in getattr(X, "columns", ())
        found = check_texts(X, name if given else column, several=several)
        cells[column] = found if several else [(text,) for text in found]
        if trees and not given:
            to_parse.append(column)
    if to_parse:
        texts = chain.from_iterable(chain.from_iterable(cells[column] for column in to_parse))
        tree_of = _parsed(sorted(set(texts)), progress)
        for column in to_parse:
            cells[column] = [tuple(tree_of[text] for text in cell) for cell in cells[column]]
    return cells


def _parsed(texts, progress):
    """Parse texts with the shipped parser; map each to its line of brackets."""
    from sklearn_mteval.linguistic.trees.shipped.parsers import DependencyParser
    from sklearn_mteval.linguistic.trees.transformer import parse_texts

    return parse_texts(DependencyParser(), texts, progress=progress)


def units_of_text_pairs(X, pairs):
    """Number each pair's segment; without an index level ``segment`` references alone tell."""
    if "segment" not in X.index.names:
        X = X.set_axis(pd.RangeIndex(len(X), name="segment"))
    reference = "reference" if "reference" in X.columns else "reference_tree"
    return units_of_rows(X, reference)[pairs.rows]
