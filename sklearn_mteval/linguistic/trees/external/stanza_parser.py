"""The constituency parser of stanza, where it and its models are installed."""

from functools import lru_cache

from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.linguistic.trees.parses import OneTreeParser, parser_library


class StanzaParser(OneTreeParser):
    """Parse with stanza, one tree for each sentence; models are never downloaded.

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

    def __init__(self, language: str = "en", *, model_folder: PathLike | None = None):
        self.language = language
        self.model_folder = model_folder

    def _signature(self):
        return f"stanza {_stanza().__version__} {self.language} {self.model_folder or ''}"

    def _tree_function(self):
        pipeline = _pipeline(self.language, self.model_folder)

        def tree_of(text):
            text = " ".join(text.split())  # it would split at empty lines
            found = pipeline(text).sentences if text else []
            return str(found[0].constituency) if found else None

        return tree_of


def _stanza():
    return parser_library("stanza", "StanzaParser")


@lru_cache(maxsize=2)
def _pipeline(language, folder):
    place = {} if folder is None else {"dir": str(folder)}
    try:
        return _stanza().Pipeline(
            language, processors="tokenize,pos,constituency", download_method=None,
            tokenize_no_ssplit=True, verbose=False, **place
        )  # fmt: skip
    except (OSError, ValueError) as error:
        raise ImportError(
            f"StanzaParser: no constituency model of {language!r} in "
            f"{folder or 'its own folder'} ({error}). Get it with "
            f"stanza.download({language!r}, processors='tokenize,pos,constituency')."
        ) from error
