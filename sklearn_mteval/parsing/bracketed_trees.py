"""Trees that another program has made, as a parser."""

import hashlib
import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator

from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.parsing.brackets import read_brackets
from sklearn_mteval.parsing.parses import FAILED, PARSED, Parses

__all__ = ["BracketedTrees"]

_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"'})


class BracketedTrees(BaseEstimator):
    """Give trees that were made before: any parser's output, from a file or a mapping.

    Parameters
    ----------
    trees : path-like or mapping
        A file (UTF-8) with trees in brackets, on one line each or on several, or a mapping from
        a sentence to its tree, or to a list of (score, tree): its n best with their
        log-likelihoods, in any order.

        A tree of a file belongs to the sentence that has its words, where white space and the
        way quotation marks and brackets are written do not count (``-LRB-``, ``````); of
        several such trees the first is taken. A mapping's sentences must be the same.

    Notes
    -----
    A sentence without a tree, or with the tree ``(())``, is ``FAILED``. A tree without a score
    gives ``count`` 1 and no scores.

    Examples
    --------
    >>> from sklearn_mteval.parsing import BracketedTrees
    >>> parser = BracketedTrees({
    ...     "It works.": [(-12.5, "(S (NP (PRP It)) (VP (VBZ works)) (. .))"),
    ...                   (-14.0, "(S (NP (PRP It)) (NP (NNS works)) (. .))")]
    ... })
    >>> [parses] = parser.parse_nbest(["It works."], n=1000)
    >>> parses.count, parses.scores.tolist()
    (2, [-12.5, -14.0])
    """

    def __init__(self, trees):
        self.trees = trees

    @property
    def signature(self):
        """Name the trees by a hash of them all.

        Returns
        -------
        str
            One line.
        """
        content = sorted(self._by_sentence().items())
        digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
        return f"bracketed trees {digest[:32]}"

    def parse_nbest(self, sentences, n):
        """Look sentences up.

        Parameters
        ----------
        sentences : iterable of str
            Any texts.
        n : int
            How many of a sentence's trees count at most.

        Yields
        ------
        Parses
            One for each sentence.

        Raises
        ------
        DataFileError
            If the file cannot be read; with the line of a bracket at fault.
        ValueError
            If a tree or a score of the mapping is wrong; with its sentence.
        """
        known = self._by_sentence()
        squeezed = isinstance(self.trees, str | PathLike)
        for sentence in sentences:
            trees = known.get(_squeezed(sentence) if squeezed else sentence)
            yield Parses(FAILED, 0, np.zeros(0), "") if trees is None else _parses(trees, n)

    def _by_sentence(self):
        """Map sentences to what was given for them; of a file, squeezed ones to trees."""
        if isinstance(self.trees, Mapping):
            return {sentence: _checked(sentence, trees) for sentence, trees in self.trees.items()}
        if not isinstance(self.trees, str | PathLike):
            raise ValueError(
                "trees must be a file of bracketed trees or a mapping from sentences to them, "
                f"found {type(self.trees).__name__}."
            )
        try:
            read = read_brackets(Path(self.trees).read_text(encoding="utf-8-sig"))
        except (OSError, ValueError) as error:
            raise DataFileError(self.trees, f"no bracketed trees can be read: {error}") from None
        found = {}
        for tree in read:
            words = [word for _, word in tree.tagged_words()]
            found.setdefault(_squeezed("".join(words)), [[None, str(tree)]])
        found.pop("", None)
        return found


def _squeezed(text):
    """Leave out what differs between a text and the words of its tree."""
    text = text.replace("``", '"').replace("''", '"').translate(_QUOTES)
    return "".join(text.split())


def _checked(sentence, trees):
    """Turn what a mapping holds into a list of [score or None, tree], the best first."""
    try:
        if isinstance(trees, str):
            return [[None, trees]] if _has_words(trees) else None
        scored = [[float(score), tree] for score, tree in trees if _has_words(tree)]
        if not np.isfinite([score for score, _ in scored]).all():
            raise ValueError("a score is not finite")
    except (ValueError, TypeError) as error:
        raise ValueError(
            "trees: expected a tree in brackets or a list of (log-likelihood, tree) for "
            f"{sentence!r}: {error}"
        ) from None
    return sorted(scored, key=lambda pair: -pair[0]) or None


def _has_words(tree):
    """Check that a text is one tree; tell whether it has words."""
    read = read_brackets(tree)
    if len(read) != 1:
        raise ValueError(f"expected one tree, found {len(read)}")
    return bool(read[0].tagged_words())


def _parses(trees, n):
    scores = np.array([score for score, _ in trees[:n] if score is not None], dtype=np.float64)
    return Parses(PARSED, min(len(trees), n), scores, trees[0][1])
