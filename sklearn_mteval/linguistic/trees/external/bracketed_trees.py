"""Trees that another program has made, as a parser."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from os import PathLike

import numpy as np

from sklearn_mteval._helpers.files import decoded, open_file
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.trees.brackets import read_brackets
from sklearn_mteval.linguistic.trees.parses import FAILED, PARSED, BaseParser, Parses

_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"'})


class BracketedTrees(BaseParser):
    """Parser that takes ready trees, the output of any other parser, from a file or a mapping.

    Parameters
    ----------
    trees : path-like or mapping
        A file (UTF-8) with trees in brackets, on one line each or on several, or a mapping from
        a sentence to its tree, or to a list of (score, tree): its n best with their
        log-likelihoods, in any order.

        A tree of a file belongs to the sentence that has its words, where white space and the
        way quotation marks, brackets, slashes and stars are written do not count (``-LRB-``,
        ``````); of several such trees the first is taken. A mapping's sentences must be the same.

    max_bytes : int or None, default=None
        The most that a file may hold; None: 1 GiB.

    Notes
    -----
    A sentence without a tree, or with the tree ``(())``, is ``FAILED``. A tree without a score
    gives ``count`` 1 and no scores.

    Examples
    --------
    >>> from sklearn_mteval.trees import BracketedTrees
    >>> parser = BracketedTrees({
    ...     "It works.": [(-12.5, "(S (NP (PRP It)) (VP (VBZ works)) (. .))"),
    ...                   (-14.0, "(S (NP (PRP It)) (NP (NNS works)) (. .))")]
    ... })
    >>> [parses] = parser.parse_nbest(["It works."], n=1000)
    >>> parses.count, parses.scores.tolist()
    (2, [-12.5, -14.0])
    """

    def __init__(self, trees: PathLike | Mapping, *, max_bytes: int | None = None):
        self.trees = trees
        self.max_bytes = max_bytes

    def __repr__(self):  # scikit-learn's shows the mapping, slowly
        if isinstance(self.trees, Mapping):
            return f"BracketedTrees({len(self.trees)} sentences)"
        return f"BracketedTrees({self.trees!r})"

    def _signature(self):
        if isinstance(self.trees, Mapping):
            content = repr(sorted(self.trees.items())).encode("utf-8", "backslashreplace")
        else:
            content = self._bytes()
        return f"bracketed trees {hashlib.sha256(content).hexdigest()[:32]}"

    def _parse(self, sentences, n):
        if isinstance(self.trees, Mapping):
            trees_of = self._of_mapping
        else:
            of_file = _read_file(self.trees, self._bytes())

            def trees_of(sentence):
                return of_file.get(_squeezed(sentence), [])

        for sentence in sentences:
            trees = trees_of(sentence)
            if trees:
                scores = [score for score, _ in trees[:n] if score is not None]
                tree = trees[0][1]
                yield Parses(PARSED, min(len(trees), n), np.array(scores, dtype=np.float64), tree)
            else:
                yield Parses(FAILED)

    def _of_mapping(self, sentence):
        """List (score or None, tree), the best first, of a sentence of the mapping, checked."""
        given = self.trees.get(sentence, [])
        try:
            if isinstance(given, str):
                return [(None, given)] if _has_words(given) else []
            scored = [(float(score), tree) for score, tree in given if _has_words(tree)]
            if not np.isfinite([score for score, _ in scored]).all():
                raise ValueError("a score is not finite")
        except (ValueError, TypeError) as error:
            raise ValueError(
                "trees: expected a tree in brackets or a list of (log-likelihood, tree) for "
                f"{sentence!r}: {error}"
            ) from None
        return sorted(scored, key=lambda pair: -pair[0])

    def _bytes(self):
        """Read the file."""
        if not isinstance(self.trees, str | PathLike):
            raise ValueError(
                "trees must be a file of bracketed trees or a mapping from sentences to them, "
                f"found {type(self.trees).__name__}."
            )
        options = {"max_bytes": self.max_bytes, "whole": True, "lines": False, "zipped": True}
        with open_file(self.trees, **options) as file:
            return file.read()


@lru_cache(maxsize=2)
def _read_file(path, content):
    """Map the squeezed sentences of a file to [(None, tree)]."""
    text = decoded(path, content)
    try:
        trees = read_brackets(text)
    except ValueError as error:
        raise DataFileError(path, f"expected bracketed trees: {error}") from None
    found = {}
    for tree in trees:
        words = "".join(word for _, word in tree.tagged_words())
        if words:
            found.setdefault(_squeezed(words), [(None, str(tree))])
    return found


def _squeezed(text):
    """Leave out what differs between a text and the words of its tree."""
    text = text.replace("``", '"').replace("''", '"').translate(_QUOTES)
    text = text.replace("\\/", "/").replace("\\*", "*")  # the Penn Treebank's escapes
    return "".join(text.split())


def _has_words(tree):
    """Check that a text is one tree; tell whether it has words."""
    read = read_brackets(tree)
    if len(read) != 1:
        raise ValueError(f"expected one tree, found {len(read)}")
    return bool(read[0].tagged_words())
