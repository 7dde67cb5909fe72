"""The constituency parser of stanza, where it and its models are installed."""

from functools import lru_cache

import numpy as np
from sklearn.base import BaseEstimator

from sklearn_mteval.text.parsing.parses import FAILED, PARSED, Parses

__all__ = ["StanzaParser"]


class StanzaParser(BaseEstimator):
    """Parse with stanza, one tree for each sentence; it is never downloaded.

    Parameters
    ----------
    language : str, default="en"
        Code of a language for which stanza has a constituency model.
    model_folder : path-like or None, default=None
        Where the models are; None: where stanza keeps them.

    Notes
    -----
    ``count`` is 1 and there are no scores. A text without words is ``FAILED``.

    References
    ----------
    Qi et al. 2020, Stanza.
    """

    def __init__(self, language="en", *, model_folder=None):
        self.language = language
        self.model_folder = model_folder

    @property
    def signature(self):
        """Name version, language and folder.

        Returns
        -------
        str
            One line.
        """
        return f"stanza {_stanza().__version__} {self.language} {self.model_folder or ''}"

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
            If stanza or its models are missing.
        """
        pipeline = _pipeline(self.language, self.model_folder)
        for sentence in sentences:
            # stanza would split at empty lines, and its tokenizer cannot encode surrogates
            text = " ".join(sentence.encode("utf-8", "replace").decode().split())
            found = pipeline(text).sentences if text else []
            if found:
                yield Parses(PARSED, 1, np.zeros(0), str(found[0].constituency))
            else:
                yield Parses(FAILED, 0, np.zeros(0), "")


def _stanza():
    try:
        import stanza
    except ImportError:
        raise ImportError("StanzaParser needs stanza: pip install stanza.") from None
    return stanza


@lru_cache(maxsize=2)
def _pipeline(language, folder):
    stanza = _stanza()
    try:
        return stanza.Pipeline(
            language,
            **({} if folder is None else {"dir": str(folder)}),
            processors="tokenize,pos,constituency",
            download_method=None,
            tokenize_no_ssplit=True,
            verbose=False,
        )
    except (OSError, ValueError) as error:
        raise ImportError(
            f"StanzaParser: no constituency model of {language!r} in "
            f"{folder or 'its own folder'} ({error}). Get it with "
            f"stanza.download({language!r}, processors='tokenize,pos,constituency')."
        ) from error
