"""The Berkeley neural parser, where benepar and a model are installed."""

from functools import lru_cache
from importlib.metadata import version

import numpy as np
from sklearn.base import BaseEstimator

from sklearn_mteval.text.parsing.parses import FAILED, PARSED, Parses

__all__ = ["BeneparParser"]


class BeneparParser(BaseEstimator):
    """Parse with benepar, one tree for each sentence; models are never downloaded.

    Parameters
    ----------
    model : str, default="benepar_en3"
        Name of an installed model, or its path.

    Notes
    -----
    Sentences are split into tokens as the Penn Treebank does. ``count`` is 1 and there are no
    scores. A text without tokens is ``FAILED``.

    References
    ----------
    Kitaev et al. 2019, Multilingual Constituency Parsing with Self-Attention and Pre-Training.
    """

    def __init__(self, model="benepar_en3"):
        self.model = model

    @property
    def signature(self):
        """Name version and model.

        Returns
        -------
        str
            One line.
        """
        return f"benepar {version('benepar')} {self.model}"

    def parse_nbest(self, sentences, n):
        """Parse sentences.

        Parameters
        ----------
        sentences : iterable of str
            Any texts.
        n : int
            Not used: there is one tree.

        Yields
        ------
        Parses
            One for each sentence.

        Raises
        ------
        ImportError
            If benepar or the model is missing.
        """
        from nltk.tokenize import NLTKWordTokenizer

        benepar, parser = _benepar(), _load(self.model)
        for sentence in sentences:
            text = sentence.encode("utf-8", "replace").decode()
            words = NLTKWordTokenizer().tokenize(text, convert_parentheses=True)
            if words:
                tree = parser.parse(benepar.InputSentence(escaped_words=words))
                yield Parses(PARSED, 1, np.zeros(0), " ".join(str(tree).split()))
            else:
                yield Parses(FAILED, 0, np.zeros(0), "")


def _benepar():
    try:
        import benepar
    except ImportError:
        raise ImportError("BeneparParser needs benepar: pip install benepar.") from None
    return benepar


@lru_cache(maxsize=2)
def _load(model):
    try:
        return _benepar().Parser(model)
    except (LookupError, OSError) as error:
        raise ImportError(
            f"BeneparParser: no model {model!r} ({error}). Get it with benepar.download(…)."
        ) from error
