"""Trees: a column of trees for each column of texts, for what reads trees."""

from collections.abc import Sequence
from itertools import chain

import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs

from sklearn_mteval._helpers.options import check_n_jobs
from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.candidates import check_columns, check_texts
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.linguistic.trees.brackets import read_brackets
from sklearn_mteval.linguistic.trees.cache import CachedParser
from sklearn_mteval.linguistic.trees.parses import PARSED, Parser
from sklearn_mteval.linguistic.trees.shipped.kinds import KINDS
from sklearn_mteval.text.transformer import TableTransformer, check_names, text_cells

_BATCH = 256  # texts that a process is given at a time


class Trees(TableTransformer):
    """Parse the texts of a candidate table; trees become columns of it.

    Parameters
    ----------
    kind : {"shallow", "discourse", "shallow+discourse", "constituency", "dependency"} or Parser, \
            default="shallow+discourse"
        What trees the shipped English parsers are to make, or another parser, whose best trees are
        taken.
    columns : list or tuple of str, default=("hypothesis", "reference")
        The text columns to parse.
    parser_model : path-like or None, default=None
        Folder of a parser that you have trained; None: the shipped one.
    cache : path-like or None, default=None
        Folder in which trees are kept (:class:`~sklearn_mteval.trees.CachedParser`).
    n_jobs : int or None, default=None
        Processes; None: one. The trees are the same.
    progress : bool, default=False
        1 shows a progress bar.

    Notes
    -----
    Each distinct text is parsed once. The tree of an empty text, and of one that a parser of yours
    finds no parse for, is ``()``.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.trees import BracketedTrees
    >>> from sklearn_mteval.trees import Trees
    >>> X = pd.DataFrame({"hypothesis": ["It works.", "It is."]})
    >>> parser = BracketedTrees({"It works.": "(S (NP (PRP It)) (VP (VBZ works)) (. .))"})
    >>> Trees(parser, ["hypothesis"]).fit_transform(X)["hypothesis_tree"].tolist()
    ['(S (NP (PRP It)) (VP (VBZ works)) (. .))', '()']
    """

    def __init__(
        self, kind: str | Parser = "shallow+discourse",
        columns: Sequence[str] = ("hypothesis", "reference"), *,
        parser_model: PathLike | None = None, cache: PathLike | None = None,
        n_jobs: int | None = None, progress: bool = False
    ):  # fmt: skip
        self.kind = kind
        self.columns = columns
        self.parser_model = parser_model
        self.cache = cache
        self.n_jobs = n_jobs
        self.progress = progress

    def _transform(self, X):
        parser = self._check(X)
        cells = {column: text_cells(X, column) for column in self.columns}
        texts = chain.from_iterable(chain.from_iterable(cells.values()))
        options = {"cache": self.cache, "n_jobs": self.n_jobs, "progress": self.progress}
        tree_of = parse_texts(parser, texts, **options)
        found = {}
        for column, parts in cells.items():
            trees = [
                tree_of[cell] if isinstance(cell, str) else [tree_of[text] for text in several]
                for cell, several in zip(X[column].tolist(), parts, strict=True)
            ]
            found[_tree_column(column)] = pd.Series(trees, index=X.index, dtype=object)
        return X.assign(**found)

    def _fit(self, X):
        self._check(X)
        self._remember_table(X, self.columns)

    def _check(self, X):
        """Check parameters and columns; return the parser."""
        check_names("columns", self.columns)
        check_n_jobs(self.n_jobs)
        parser = parser_for(self.kind, self.parser_model)
        check_columns(X, self.columns)
        for column in self.columns:
            name = _tree_column(column)
            if name in X.columns:
                raise CandidateError(
                    f"The table has a column {name!r} already, found {list(X.columns)}: leave "
                    f"{column!r} out of columns=, or rename the other, X.rename(columns={{"
                    f"{name!r}: ...}})."
                )
        return parser

    def _output_names(self):
        return [*self.feature_names_in_, *map(_tree_column, self.columns)]


def parser_for(kind, parser_model=None):
    """Return the shipped parser that makes trees of a kind, or the parser that the kind is."""
    if isinstance(kind, str) and kind in KINDS:
        from sklearn_mteval.linguistic.trees.shipped.parsers import parser_of

        return parser_of(kind, parser_model)
    if not hasattr(kind, "parse_nbest") or isinstance(kind, type):
        raise ValueError(
            f"kind must be one of {list(KINDS)} or a parser, which has parse_nbest and signature, "
            f"found {kind!r}."
        )
    if parser_model is not None:
        raise ValueError(
            "parser_model is the folder of one of the package's own parsers, but kind is a parser "
            f"of yours, {kind!r}: leave one of them out."
        )
    return kind


def trees_of_table(X, columns, parser, **options):
    """Return the trees of columns, tuples of lines for each cell, parsing what has no trees."""
    cells = {column: trees_or_texts(X, column) for column in columns}
    to_parse = (found for given, found in cells.values() if not given)
    tree_of = parse_texts(parser, chain.from_iterable(chain.from_iterable(to_parse)), **options)
    return {
        column: found if given else [tuple(tree_of[text] for text in cell) for cell in found]
        for column, (given, found) in cells.items()
    }


def trees_or_texts(X, column):
    """Return whether a column's trees are given, and the cells, tuples of lines or of texts."""
    name, several = _tree_column(column), column == "reference"
    given = name in getattr(X, "columns", ())
    cells = check_texts(X, name if given else column, several=several)
    return given, cells if several else [(cell,) for cell in cells]


def parse_texts(parser, texts, *, cache=None, n_jobs=None, progress=False):
    """Parse each distinct text; map them to their best trees, one line each, "()" for none."""
    texts = list(dict.fromkeys(texts))
    if not texts:
        return {}
    makes_lines = getattr(parser, "makes_lines", False)  # the package's own: need no check
    found = parses_of(_Parallel(parser, n_jobs), texts, 1, cache=cache, progress=progress)
    return {
        text: parses.tree if makes_lines else _line(text, parses)
        for text, parses in zip(texts, found, strict=True)
    }


def parses_of(parser, texts, n, *, cache, progress):
    """Parse a list of texts as ``parse_nbest`` does, with a cache and a progress bar, if any."""
    if cache is not None:  # which counts those that are not there
        return CachedParser(parser, cache, progress=progress).parse_nbest(texts, n)
    found = parser.parse_nbest(texts, n)
    return tracked(found, "parsing", "sentences", total=len(texts), shown=progress)


class _Parallel:
    """A parser that parses in several processes."""

    def __init__(self, parser, n_jobs):
        self.parser = parser
        self.n_jobs = n_jobs

    @property
    def signature(self):
        """That of the parser: processes change nothing."""
        return self.parser.signature

    def parse_nbest(self, sentences, n):
        """Parse sentences, lazily and in order."""
        sentences = list(sentences)
        batches = [sentences[k : k + _BATCH] for k in range(0, len(sentences), _BATCH)]
        n_jobs = min(effective_n_jobs(self.n_jobs), len(batches))
        if n_jobs <= 1:
            yield from self.parser.parse_nbest(sentences, n)
            return
        parallel = Parallel(n_jobs, return_as="generator")
        yield from chain.from_iterable(
            parallel(delayed(_batch)(self.parser, batch, n) for batch in batches)
        )


def _batch(parser, texts, n):
    """Parse some texts in another process."""
    return list(parser.parse_nbest(texts, n))


def _line(text, parses):
    """Return the best tree of a text as one line."""
    if parses.status != PARSED:
        return "()"
    try:
        [tree] = read_brackets(parses.tree)
    except ValueError as error:
        raise ValueError(
            f"The parser gave no tree in brackets for {text[:80]!r}, but {parses.tree[:80]!r}: "
            f"{error}"
        ) from None
    return str(tree)


def _tree_column(column):
    """Name the column of the trees of a column."""
    return f"{column}_tree"
