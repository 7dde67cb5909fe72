"""RelatedTrees: the trees of a translation and of its reference, each marked by the other."""

from itertools import chain

import pandas as pd

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval._helpers.options import check_n_jobs, check_one_of
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.linguistic.trees.brackets import (
    BracketTree,
    as_tree,
    is_tag,
    lower_case,
    matching_nodes,
)
from sklearn_mteval.linguistic.trees.shipped.parsers import ShallowParser
from sklearn_mteval.linguistic.trees.transformer import parse_texts
from sklearn_mteval.text.transformer import TableTransformer, text_cells
from sklearn_mteval.text.wordnet import find_wordnet, open_wordnet

MARK = "-REL"
WORD = "WORD"  # above each word of a tree without tags: what its mark stands on
# What the shallow parser is to make for each structure.
STRUCTURES = {
    "SYN": "shallow", "DIS": "discourse", "DIS+POS": "discourse", "DIS+SYN": "shallow+discourse"
}  # fmt: skip
_COLUMNS = ("hypothesis", "reference")


class RelatedTrees(TableTransformer):
    """Make trees of each translation and its reference, with marks where they match each other.

    Words match wherever they stand; a label above them is marked, ``NP-REL``, where all below it
    match: a kernel of trees learns from the marks which parts of a translation should match.

    Parameters
    ----------
    structure : {"DIS+SYN", "SYN", "DIS", "DIS+POS"}, default="DIS+SYN"
        What stands above the words: parts of speech and chunks ("SYN"), discourse units and
        relations ("DIS"), these and parts of speech, or all of it.
    match : {"stem", "lower", "lemma"}, default="stem"
        What words must agree in to match: their Porter stems, the words without case, or their base
        forms in WordNet.
    wordnet : path-like, "auto" or None, default="auto"
        Where base forms come from, as in ``METEORComp``; read for "lemma" only.
    parser_model, cache, n_jobs, progress : see :class:`~sklearn_mteval.trees.Trees`
        The same.

    Attributes
    ----------
    signature_ : str
        Names the parser and its weights: ``transform`` refuses to work with another one.
    wordnet_ : str or None
        The WordNet folder in use.

    Notes
    -----
    The columns are ``hypothesis_tree`` and ``reference_tree``, lines of brackets. Of several
    references the one is taken that shares the largest proportion of words with the translation
    (F1 of distinct words; the first of equal ones). The tree of an empty text is ``()``.

    References
    ----------
    Guzmán et al. 2014, sections 2.1 and 2.2, Figure 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.kernels import RelatedTrees
    >>> X = pd.DataFrame({"hypothesis": ["It works."], "reference": ["It worked."]})
    >>> trees = RelatedTrees("SYN", match="lower").fit_transform(X)
    >>> trees.iloc[0].tolist()  # doctest: +NORMALIZE_WHITESPACE
    ['(S (NP-REL (PRP-REL It)) (VP (VBZ works)) (O-REL (.-REL .)))',
     '(S (NP-REL (PRP-REL It)) (VP (VBD worked)) (O-REL (.-REL .)))']
    """

    def __init__(
        self, structure: str = "DIS+SYN", *, match: str = "stem", wordnet: PathLike | None = "auto",
        parser_model: PathLike | None = None, cache: PathLike | None = None,
        n_jobs: int | None = None, progress: bool = False
    ):  # fmt: skip
        self.structure = structure
        self.match = match
        self.wordnet = wordnet
        self.parser_model = parser_model
        self.cache = cache
        self.n_jobs = n_jobs
        self.progress = progress

    def _transform(self, X):
        self._check()
        parser = self._parser()
        check_signature(parser, self.signature_)
        row_of, pairs = compared_texts(X)
        tree_of = trees_of_texts(self, parser, chain.from_iterable(pairs))
        key, marked = word_key(self.match, self.wordnet_), []
        for pair in pairs:
            trees = [tree_of[text] for text in pair]
            marked.append([mark(*two, self.structure, key) for two in (trees, trees[::-1])])
        rows = [marked[k] for k in row_of]
        return pd.DataFrame(rows, index=X.index, columns=self._output_names(), dtype=object)

    def _fit(self, X):
        self._check()
        self._remember_table(X)
        self.wordnet_ = find_wordnet(self.wordnet) if self.match == "lemma" else None
        if self.match == "lemma" and self.wordnet_ is None:
            raise ValueError(
                "match='lemma' needs WordNet: pass wordnet= the folder of its files (Debian and "
                "Ubuntu have them in the package wordnet-base), or match='stem'."
            )
        self.signature_ = self._parser().signature

    def _check(self):
        check_one_of("structure", self.structure, STRUCTURES)
        check_one_of("match", self.match, ("lower", "lemma", "stem"))
        check_n_jobs(self.n_jobs)

    def _parser(self):
        return ShallowParser(STRUCTURES[self.structure], parser_model=self.parser_model)

    def _output_names(self):
        return [f"{column}_tree" for column in _COLUMNS]

    def _is_whole(self):
        return isinstance(self.signature_, str) and isinstance(self.wordnet_, str | None)


def check_signature(parser, signature):
    """Raise ValueError unless a parser is the one of the fit."""
    if parser.signature != signature:
        raise ValueError(
            f"The trees of the fit were made by {signature}, but this is {parser.signature}: use "
            "the model that was trained with, or fit again."
        )


def trees_of_texts(estimator, parser, texts):
    """Parse each distinct text once, as an estimator has it; return the trees by text."""
    options = {name: getattr(estimator, name) for name in ("cache", "n_jobs", "progress")}
    lines = parse_texts(parser, texts, **options)
    return {text: as_tree(line) for text, line in lines.items()}


def compared_texts(X):
    """Number the rows' texts, of the references the closest; return numbers and distinct pairs."""
    cells = [text_cells(X, column) for column in _COLUMNS]
    return numbered(
        (hypothesis, closest_reference(hypothesis, references))
        for (hypothesis,), references in zip(*cells, strict=True)
    )


def closest_reference(hypothesis, references):
    """Return the reference that shares the largest proportion of words."""
    if len(references) == 1:
        return references[0]
    own = set(hypothesis.casefold().split())

    def shared(reference):  # F1 of distinct words
        words = set(reference.casefold().split())
        return 2 * len(own & words) / max(1, len(own) + len(words))

    return max(references, key=shared)


def mark(tree, other, structure, key):
    """Return a tree of a structure as a line of brackets, made of the parser's: what matches by
    ``key(word, tag)`` is marked (Figure 1); "DIS" has one label for all tags.
    """
    labels = []
    for node, matched in enumerate(matching_nodes(tree, other, key)):
        label = WORD if structure == "DIS" and is_tag(tree, node) else tree.labels[node]
        labels.append(label + MARK if matched and tree.children[node] else label)
    return str(BracketTree(tuple(labels), tree.parents))


def word_key(match, wordnet=None):
    """Return the function of a word and its tag that tells what it matches."""
    if match == "lower":
        return lower_case
    if match == "stem":
        from sklearn_mteval.text.stems import porter_stemmer

        stem = porter_stemmer()
        return lambda word, tag: stem(word.lower())
    base_form = open_wordnet(wordnet).base_form
    return lambda word, tag: base_form(word.lower(), tag)
