"""The parsers that come with the package: shallow and discourse, dependencies, constituents."""

import math
from collections.abc import Iterable
from itertools import islice

import numpy as np

from sklearn_mteval._helpers.options import check_integer, check_one_of
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.linguistic.trees.parses import PARSED, BaseParser, Parses
from sklearn_mteval.linguistic.trees.shipped.analysis import Analysis
from sklearn_mteval.linguistic.trees.shipped.grammars.chunks import chunk_spans
from sklearn_mteval.linguistic.trees.shipped.grammars.constituency import constituent_spans
from sklearn_mteval.linguistic.trees.shipped.grammars.dependency import built_dependencies
from sklearn_mteval.linguistic.trees.shipped.grammars.discourse import discourse_spans
from sklearn_mteval.linguistic.trees.shipped.kinds import KINDS
from sklearn_mteval.linguistic.trees.shipped.model import load_model_folder
from sklearn_mteval.linguistic.trees.shipped.printing import bracket_line
from sklearn_mteval.linguistic.trees.shipped.words import WordColumns
from sklearn_mteval.linguistic.trees.tokenizer import treebank_words

_BATCH = 512  # texts that are worked on at a time; bounds the memory
_MOST_WORDS = 1 << 18  # known at a time, before they are forgotten
_MOST_STATES = 1024  # of a beam; a step of a text of 10,000 words takes 72 bytes for each
_LIKELY = math.log(1000)  # parses less likely than the best by more are not counted


class _TreeParser(BaseParser):
    """Base: batches of texts to trees; a subclass has ``_trees(analysis)``, lines of brackets."""

    makes_lines = True  # what it prints is as read_brackets and str would print it

    def parse(self, texts: Iterable[str]) -> list[str]:
        """Parse texts.

        Parameters
        ----------
        texts : iterable of str
            A sentence each. Any text is parsed: in other languages and scripts as well as it can.

        Returns
        -------
        list of str
            The trees, a line of brackets each; ``()`` of a text without words.

        Raises
        ------
        DataFileError
            If there is no model in the folder, or it is damaged.
        """
        return [tree for analysis in self._analyses(texts) for tree in self._trees(analysis)]

    def _signature(self):
        options = ", ".join(f"{name}={value}" for name, value in self.get_params().items())
        model = load_model_folder(self.parser_model)
        return f"{type(self).__name__}({options}) {model.checksum[:32]}"

    def _parse(self, sentences, n):
        for analysis in self._analyses(sentences):
            for tree in self._trees(analysis):
                yield Parses(PARSED, 1, tree=tree)

    def _analyses(self, texts, split=None):
        """Generate the analyses of batches of texts, or of what ``split`` makes words of."""
        self._check()
        if isinstance(texts, str):
            raise TypeError(f"texts must be a list of texts, found one, {texts[:40]!r}.")
        model = load_model_folder(self.parser_model)
        columns = WordColumns(model.classes)
        texts = iter(texts)
        while batch := list(islice(texts, _BATCH)):
            if columns.n_words > _MOST_WORDS:
                columns = WordColumns(model.classes)
            sentences = list(map(split or _words, batch))
            yield Analysis(model, sentences, columns, beam=getattr(self, "beam", 1))

    def _check(self):
        """Check the parameters."""


class ShallowParser(_TreeParser):
    """Fast parser of chunks and discourse units: the trees of Guzmán et al. 2014.

    Words are tagged, grouped into chunks and divided into elementary discourse units (EDU), over
    which a binary tree of discourse relations is built.

    Parameters
    ----------
    structure : {"shallow+discourse", "shallow", "discourse"}, default="shallow+discourse"
        What stands in the tree: chunks under EDUs, chunks alone, or words under EDUs.
    parser_model : path-like or None, default=None
        Folder of a model that ``sklearn-mteval treebank train`` has written; None: the one
        for English that comes with the package.

    Notes
    -----
    It never fails; parses have ``count`` 1 and no scores.

    References
    ----------
    Guzmán et al. 2014, "Learning to Differentiate Better from Worse Translations", Figure 1.

    Examples
    --------
    >>> from sklearn_mteval.trees import ShallowParser
    >>> ShallowParser("shallow").parse(["It works, he said."])
    ['(S (NP (PRP It)) (VP (VBZ works)) (O (, ,)) (NP (PRP he)) (VP (VBD said)) (O (. .)))']
    """

    def __init__(
        self, structure: str = "shallow+discourse", *, parser_model: PathLike | None = None
    ):
        self.structure = structure
        self.parser_model = parser_model

    def _check(self):
        check_one_of("structure", self.structure, KINDS[:3])

    def _trees(self, analysis):
        chunked, discoursed = "shallow" in self.structure, "discourse" in self.structure
        chunk_names = analysis.names("chunks") if chunked else []
        if discoursed:
            edus, derived, of_sentence = analysis.discourse
        for k, (words, tags, chunks) in enumerate(analysis.by_sentence(chunk_names)):
            spans = chunk_spans(chunks)
            if discoursed:
                first, *rest = edus[of_sentence[k] : of_sentence[k + 1] + 1]
                cuts = [0, *(edu - first for edu in rest)]
                spans = _cut(spans, cuts) + discourse_spans(derived[k], cuts)
            else:
                spans.append((0, len(words), "S"))
            yield bracket_line(words, tags, spans)


class _BeamParser(_TreeParser):
    """Base of the parsers that search with a beam."""

    def __init__(self, *, beam: int = 6, parser_model: PathLike | None = None):
        self.beam = beam
        self.parser_model = parser_model

    def _check(self):
        check_integer("beam", self.beam, minimum=1, maximum=_MOST_STATES)


class DependencyParser(_BeamParser):
    """Parser of Universal Dependencies, version 2; its trees are projective.

    Parameters
    ----------
    beam : int, default=6
        How many states are kept at each step of the search; time grows with it.
    parser_model : path-like or None, default=None
        As of :class:`ShallowParser`.

    Notes
    -----
    A node of the tree is a relation; its children are those of the words that depend on its word,
    and the word itself under its tag, in the order of the text. It never fails; parses have
    ``count`` 1 and no scores.

    References
    ----------
    Nivre 2004; Zhang & Nivre 2011; Ouchi et al. 2014 for the supertags.

    Examples
    --------
    >>> from sklearn_mteval.trees import DependencyParser
    >>> DependencyParser().parse(["It works."])
    ['(root (nsubj (PRP It)) (VBZ works) (punct (. .)))']
    """

    def _trees(self, analysis):
        derivations = analysis.derive("dependencies")
        for (words, tags), actions in zip(analysis.by_sentence(), derivations, strict=True):
            yield bracket_line(words, tags, built_dependencies(actions)[2])


class ConstituencyParser(_BeamParser):
    """Parser of Penn Treebank phrases, without function tags; it can give several best trees.

    Parameters
    ----------
    beam : int, default=6
        How many states are kept at each step of the search, and so the most trees that
        ``parse_nbest`` finds; time grows with it.
    parser_model : path-like or None, default=None
        As of :class:`ShallowParser`.

    Notes
    -----
    It never fails. Scores of parses are log-probabilities of trees given their sentence: sums of
    those of the actions that build them. They are in the order of the search, which weighs whole
    derivations: the first is that of the tree, which ``parse`` gives too, and not always the
    highest. ``count`` is how many of the beam's trees are at least a thousandth as likely as it.

    References
    ----------
    Sagae & Lavie 2005; Zhang & Clark 2009.

    Examples
    --------
    >>> from sklearn_mteval.trees import ConstituencyParser
    >>> ConstituencyParser().parse(["It works."])
    ['(ROOT (S (NP (PRP It)) (VP (VBZ works)) (. .)))']
    """

    def _trees(self, analysis):
        derivations = analysis.derive("constituents")
        for (words, tags), actions in zip(analysis.by_sentence(), derivations, strict=True):
            yield _constituency_line(words, tags, constituent_spans(actions))

    def _parse(self, sentences, n):
        check_integer("n", n, minimum=1)
        for analysis in self._analyses(sentences):
            for words, tags, score_of in self._found(analysis, 1 if n == 1 else self.beam):
                score_of = score_of or {(): 0.0}  # of no words
                best = next(iter(score_of))  # the search's
                least = score_of[best] - _LIKELY
                scores = [score for score in score_of.values() if score >= least][:n]
                line = _constituency_line(words, tags, best)
                yield Parses(PARSED, len(scores), np.array(scores), line)

    def _found(self, analysis, n_best):
        """Return words and tags of each sentence, and the scores of its n best trees' spans."""
        found = [(*sentence, {}) for sentence in analysis.by_sentence()]
        for k, actions, score in analysis.score_constituents(n_best):
            spans, score_of = tuple(constituent_spans(actions)), found[k][2]
            score_of[spans] = max(score, score_of.get(spans, -np.inf))  # the likeliest derivation's
        return found


def alternative_trees(sentences, *, beam=10, parser_model=None):
    """Generate for each sentence, a list of words, the lines of all its trees in a beam."""
    parser = ConstituencyParser(beam=beam, parser_model=parser_model)
    for analysis in parser._analyses(sentences, split=list):
        for words, tags, score_of in parser._found(analysis, beam):
            yield [_constituency_line(words, tags, spans) for spans in score_of]


def _constituency_line(words, tags, spans):
    return bracket_line(words, tags, [*spans, (0, len(words), "ROOT")])


def _cut(spans, cuts):
    """Cut spans at the boundaries of EDUs, where a chunk reaches over one."""
    edges = set(cuts)
    found = []
    for start, end, label in spans:
        for k in range(start + 1, end):
            if k in edges:
                found.append((start, k, label))
                start = k
        found.append((start, end, label))
    return found


def _words(text):
    """Split a text into words, without what no encoding can write."""
    if not isinstance(text, str):
        raise TypeError(f"each of the texts must be a str, found {type(text).__name__}.")
    return treebank_words(text.encode("utf-8", "replace").decode())


def parser_of(kind, parser_model=None):
    """Return the parser, with its defaults, that makes trees of a kind."""
    check_one_of("kind", kind, KINDS)
    if kind in KINDS[:3]:
        return ShallowParser(kind, parser_model=parser_model)
    deep = {"constituency": ConstituencyParser, "dependency": DependencyParser}
    return deep[kind](parser_model=parser_model)
