"""The Berkeley neural parser, where benepar and a model are installed."""

from functools import lru_cache
from importlib.metadata import version

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
