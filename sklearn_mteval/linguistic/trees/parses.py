"""What a parser says of a sentence, and the one method that a parser must have."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
from sklearn.base import BaseEstimator

PARSED = "parsed"
FAILED = "failed"
TIMEOUT = "timeout"


class Parses(NamedTuple):
    """The n best parses of one sentence.

    Attributes
    ----------
    status : str
        ``PARSED``; ``FAILED``: it found no parse or broke down; ``TIMEOUT``: it was stopped.
    count : int
        Parses found, at most the n that was asked for; 0 unless parsed.
    scores : ndarray of shape (n_scores,), float64
        Log-likelihood (natural logarithm) of each of the best parses, the best first; a parser
        without probabilities gives minus its cost. Higher is better. At most ``count`` of them.
    tree : str
        The best parse with brackets, ``(S (NP (DT This)) (VP …))``; empty unless parsed.
    skipped_words : int
        Words that the best parse leaves out (null words of Link Grammar); 0 of parsers that
        always cover the sentence.
    """

    status: str
    count: int = 0
    scores: np.ndarray = np.zeros(0)
    tree: str = ""
    skipped_words: int = 0


class Parser(Protocol):
    """Protocol of a parser: any object with this method and this attribute is one.

    Attributes
    ----------
    signature : str
        Name, version and options: what its parses depend on. Part of the key of the cache.
    """

    signature: str

    def parse_nbest(self, sentences: Iterable[str], n: int) -> Iterator[Parses]:
        """Parse sentences, lazily and in order.

        Parameters
        ----------
        sentences : iterable of str
            Any texts: a parser gives ``FAILED`` or ``TIMEOUT`` for what it cannot parse.
        n : int
            How many parses to count and score.

        Yields
        ------
        Parses
            One for each sentence.
        """


class BaseParser(BaseEstimator):
    """Base of parsers: a subclass has ``_signature()`` and ``_parse(sentences, n)``, as below."""

    @property
    def signature(self) -> str:
        """Name, version and options.

        Returns
        -------
        str
            One line, which tells what the parses depend on.

        Raises
        ------
        ImportError
            If the library or the model is missing.
        """
        return self._signature()

    def parse_nbest(self, sentences: Iterable[str], n: int) -> Iterator[Parses]:
        """Parse sentences, lazily and in order.

        Parameters
        ----------
        sentences : iterable of str
            Any texts.
        n : int
            How many parses to count and score; a parser that gives one tree ignores it.

        Yields
        ------
        Parses
            One for each sentence.

        Raises
        ------
        ImportError
            If the library or the model is missing.
        ValueError
            If a file of trees or of cached parses, or a tree in a mapping, is wrong.
        """
        yield from self._parse(sentences, n)
