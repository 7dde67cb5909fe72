"""What a parser says of a translation and its source (2012 paper, section 3.4)."""

import re
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval._helpers.restored import is_array, is_count, is_dict_of
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.linguistic.quality_estimation._sides import SIDES, SideTransformer
from sklearn_mteval.linguistic.trees.brackets import read_brackets
from sklearn_mteval.linguistic.trees.external.bracketed_trees import BracketedTrees
from sklearn_mteval.linguistic.trees.parses import PARSED, TIMEOUT, Parser
from sklearn_mteval.linguistic.trees.transformer import parses_of

# Labels of constituents: Penn Treebank, TIGER/NEGRA and Link Grammar agree on most.
_CONSTITUENTS = {
    "noun_phrases": {"NP"}, "verb_phrases": {"VP"}, "prepositional_phrases": {"PP"},
    "sentences": {"S", "SINV", "SQ", "SBARQ"}, "subordinate_clauses": {"SBAR"}
}  # fmt: skip
# Tags: Penn, TIGER, Universal Dependencies, all perhaps with a function (NN-SB), and the
# suffixes and spelling classes of Link Grammar.
_TAGS = {
    "nouns": re.compile(
        r"(NNP?S?|NE|NOUN|PROPN)([-=|].*)?"
        r"|[nstumfblo](-.*)?|(PL-)?CAPITALIZED-WORDS|ALL-UPPER"
    ),
    "verbs": re.compile(
        r"(VB[DGNPZ]?|V[VAM](FIN|INF|IZU|IMP|PP)|VERB|AUX)([-=|].*)?|[vqwg](-(?!fill).*)?"
    ),
}
_FUNCTION = re.compile(r"(?<=[A-Z])[-=|].*")  # tags and indices: NP-SBJ=2 is an NP
_SCORED = ("parses", "log_likelihood", "confidence", "mean_confidence")
_NAMES = (*_SCORED, *_CONSTITUENTS, *_TAGS, "punctuation", "skipped_words", "parsed")


class ParserStatistics(SideTransformer):
    """Number, likelihood and labels of the parses of translations, and of their sources.

    Parameters
    ----------
    parser : Parser or str
        What parses the translations, such as :class:`~sklearn_mteval.trees.ConstituencyParser` or
        :class:`~sklearn_mteval.trees.LinkGrammar`, or the name of a column that holds their
        trees in brackets, as :class:`~sklearn_mteval.trees.Trees` makes it.
    source_parser : Parser, str or None, default=None
        The same for the sources; None: the sources are not described.
    n_best : int, default=1000
        How many parses are counted and scored.
    features, ratios : see SurfaceCounts
        The same.
    cache, progress : see :class:`~sklearn_mteval.trees.Trees`
        The same, for parses.

    Attributes
    ----------
    failure_values_ : dict of str to ndarray of shape (14,)
        From "source" and "hypothesis" to the row of a text without a parse.
    n_failed_ : dict of str to int
        How many distinct texts of the training table have no parse, by side.
    n_timeouts_ : dict of str to int
        How many of those because the parser was stopped.

    Notes
    -----
    Fourteen numbers of the source, where it is parsed, then of the translation, with the prefixes
    ``source_`` and ``hypothesis_``, all finite. Of the parses:

    - ``parses``: how many the parser found, from 1 to ``n_best``;
    - ``log_likelihood``: the score of the best, higher is better: its log-likelihood, or minus
      its cost; 0 of parsers that give no scores, and so are the next two;
    - ``confidence``: log-probability of the best given the sentence, were the n best all there
      are: score − log Σ exp(scores), at most 0, higher where the parser is surer;
    - ``mean_confidence``: the mean of that over the n best.

    Of the best tree, counts:

    - ``noun_phrases``, ``verb_phrases``, ``prepositional_phrases``: nodes NP, VP, PP;
    - ``sentences``: nodes S, SINV, SQ and SBARQ; ``subordinate_clauses``: nodes SBAR;
    - ``nouns``, ``verbs``: words with such tags (Penn, TIGER, Universal Dependencies, suffixes
      of Link Grammar), without the modal verbs of Penn's MD;
    - ``punctuation``: words without a letter or digit;
    - ``skipped_words``: words that the parse leaves out, lower is better;
    - ``parsed``: 1, or 0 of a text without a parse.

    A text that failed or was stopped has, but for ``parsed``, the median of the parsed texts of
    that side in fit (0 if there is none). ``fit`` and ``transform`` parse twice unless there is a
    ``cache``; ``fit_transform`` parses once.

    References
    ----------
    Avramidis 2012, section 3.4 and Table 3; Petrov and Klein 2007 (confidence).

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import ParserStatistics
    >>> X = pd.DataFrame({
    ...     "hypothesis": ["The cat sleeps."],
    ...     "tree": ["(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .))"],
    ... })
    >>> names = ["hypothesis_noun_phrases", "hypothesis_verbs"]
    >>> ParserStatistics("tree", features=names).fit_transform(X)
    array([[1., 1.]])
    """

    def __init__(
        self, parser: Parser | str, *, source_parser: Parser | str | None = None,
        n_best: int = 1000, features: list[str] | None = None, ratios: bool = False,
        cache: PathLike | None = None, progress: bool = False
    ):  # fmt: skip
        self.parser = parser
        self.source_parser = source_parser
        self.n_best = n_best
        self.features = features
        self.ratios = ratios
        self.cache = cache
        self.progress = progress

    def fit_transform(self, X: pd.DataFrame, y: Any = None) -> Any:
        """Parse the texts once, for both.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            As of ``fit``.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_candidates, n_output_columns), float64
            As of ``transform``.
        """
        rows = self._fit(X)
        return self._describe(X, lambda texts, side: self._filled(rows[side], side))

    def _transform(self, X):
        return self._describe(
            X, lambda texts, side: self._filled(self._parse(X, texts, side)[0], side)
        )

    def _sides(self):
        return SIDES if self.source_parser is not None else SIDES[1:]

    def _text_names(self):
        return _NAMES

    def _fit(self, X):
        """Learn, and return the rows of the distinct texts of each side, as they occur."""
        check_integer("n_best", self.n_best, minimum=1)
        self._remember_sides(X)
        rows, self.failure_values_, self.n_failed_, self.n_timeouts_ = {}, {}, {}, {}
        for side in self._needed(self._output_names()):
            texts = list(dict.fromkeys(check_texts(X, side)))
            rows[side], n_timeouts = self._parse(X, texts, side)
            parsed = rows[side][~np.isnan(rows[side]).any(axis=1)]
            usual = np.median(parsed, axis=0) if len(parsed) else np.zeros(len(_NAMES))
            usual[_NAMES.index("parsed")] = 0
            self.failure_values_[side] = usual
            self.n_failed_[side], self.n_timeouts_[side] = len(texts) - len(parsed), n_timeouts
        return rows

    def _is_whole(self):
        sides = self._needed(self._output_names())
        counts = self.n_failed_, self.n_timeouts_
        return is_dict_of(
            self.failure_values_, sides, lambda row: is_array(row, (len(_NAMES),))
        ) and all(is_dict_of(count, sides, is_count) for count in counts)

    def _filled(self, rows, side):
        return np.where(np.isnan(rows), self.failure_values_[side], rows)

    def _parse(self, X, texts, side):
        """Describe distinct texts of one side: their rows, NaN without a parse; timeouts."""
        parser, cache = self._parser_of(X, side)
        rows = np.full((len(texts), len(_NAMES)), np.nan)
        n_timeouts = 0
        found = parses_of(parser, texts, self.n_best, cache=cache, progress=self.progress)
        for k, (_, parses) in enumerate(zip(texts, found, strict=True)):
            if parses.status == PARSED:
                rows[k] = _numbers(parses)
            n_timeouts += parses.status == TIMEOUT
        return rows, n_timeouts

    def _parser_of(self, X, side):
        """Return what parses a side, and the cache for it: none for trees that are there."""
        option, parser = self._side_option("parser", side)
        if isinstance(parser, str):
            trees = {}
            texts = zip(check_texts(X, side), check_texts(X, parser), strict=True)
            for row, (text, tree) in enumerate(texts):
                if trees.setdefault(text, tree) != tree:
                    raise ValueError(
                        f"Column {parser!r}, row {row}: another tree than before of the same "
                        f"{side}, {text!r}."
                    )
            return BracketedTrees(trees), None
        if not hasattr(parser, "parse_nbest"):
            raise ValueError(
                f"{option} must be a parser, which has parse_nbest and signature, or the name of "
                f"a column with trees, found {parser!r}."
            )
        return parser, self.cache


def _numbers(parses):
    """Describe the parses of one text."""
    scores = parses.scores
    if not np.isfinite(scores).all():
        raise ValueError(f"A parser's scores must be finite, found {scores}.")
    total = logsumexp(scores) if len(scores) else 0.0
    best, mean = (scores.max(), scores.mean()) if len(scores) else (0.0, 0.0)
    [tree] = read_brackets(parses.tree)
    constituents = [_FUNCTION.sub("", label) for label in tree.constituents()]
    words = tree.tagged_words()
    return (
        parses.count, best, best - total, mean - total,
        *(sum(label in labels for label in constituents) for labels in _CONSTITUENTS.values()),
        *(sum(bool(tags.fullmatch(tag)) for tag, _ in words) for tags in _TAGS.values()),
        sum(not any(map(str.isalnum, word)) for _, word in words), parses.skipped_words, 1
    )  # fmt: skip
