"""The Berkeley neural parser and that of stanza, where they and their models are installed."""

from functools import lru_cache
from importlib.metadata import version

from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.linguistic.trees.parses import OneTreeParser, parser_library


class BeneparParser(OneTreeParser):
    """Parse with benepar, one tree for each sentence; models are never downloaded.

    Parameters
    ----------
    parser_model : str, default="benepar_en3"
        Name of an installed model, or its path.

    Notes
    -----
    Sentences are split into tokens as the Penn Treebank does. ``count`` is 1 and there are no
    scores. A text without tokens is ``FAILED``.

    References
    ----------
    Kitaev et al. 2019, Multilingual Constituency Parsing with Self-Attention and Pre-Training.
    """

    def __init__(self, parser_model: str = "benepar_en3"):
        self.parser_model = parser_model

    def _signature(self):
        return f"benepar {version('benepar')} {self.parser_model}"

    def _tree_function(self):
        from nltk.tokenize import NLTKWordTokenizer

        benepar, parser = _benepar(), _load(self.parser_model)

        def tree_of(text):
            words = NLTKWordTokenizer().tokenize(text, convert_parentheses=True)
            if not words:
                return None
            tree = parser.parse(benepar.InputSentence(escaped_words=words))
            return " ".join(str(tree).split())

        return tree_of


def _benepar():
    return parser_library("benepar", "BeneparParser")


@lru_cache(maxsize=2)
def _load(model):
    try:
        return _benepar().Parser(model)
    except (LookupError, OSError) as error:
        raise ImportError(
            f"BeneparParser: no model {model!r} ({error}). Get it with benepar.download(…)."
        ) from error


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
