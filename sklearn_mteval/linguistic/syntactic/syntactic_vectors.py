"""Syntactic vectors of texts: the root of a recursive network over their constituency trees."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_integer, check_n_jobs, check_number
from sklearn_mteval._helpers.types import PathLike, Seed
from sklearn_mteval.candidates import check_columns
from sklearn_mteval.features.embeddings._sentence_vectors import vector_names
from sklearn_mteval.features.embeddings._word_vectors import with_plain_vectors
from sklearn_mteval.linguistic.syntactic import _margin_training as training
from sklearn_mteval.linguistic.syntactic._network import (
    Network,
    binary_nodes,
    load_network,
    random_network,
)
from sklearn_mteval.linguistic.trees.brackets import BracketTree, as_tree, read_brackets
from sklearn_mteval.linguistic.trees.transformer import parser_for, trees_of_table, trees_or_texts
from sklearn_mteval.linguistic.trees.treebanks.penn import read_penn
from sklearn_mteval.text.transformer import TextTransformer, check_names
from sklearn_mteval.text.vectors.word_vectors import WordVectors, load_word_vectors

_ARRAYS = ("pairs", "matrices", "mean", "projection")
_MOST_ALTERNATIVES = 1024  # states of the parser's beam


class SyntacticVectors(TextTransformer):
    r"""Vectors of whole sentences, composed along their constituency trees.

    A recursive network computes the vector of each node of a binary tree from those of its
    children, p = tanh(W [b; c; 1]), with a matrix W for each pair of syntactic categories; that of
    the root is the sentence's.

    Parameters
    ----------
    network : {"english", "random"} or path-like, default="english"
        "english": the network that comes with the package; or the folder of one that
        ``benchmarks/train_syntactic_vectors.py`` of the repository has written. "random": that for
        English with random weights, drawn anew by ``fit``: what learnt ones must surpass.
    treebank : path-like, list of str or list of BracketTree, optional
        Instead of ``network``: trees to train one on in ``fit``, as a file of the Penn Treebank, as
        lines of brackets or as read.
    columns : list or tuple of str, default=("hypothesis", "reference")
        The text columns. Of a column NAME, trees are those of the column ``NAME_tree``, as
        :class:`~sklearn_mteval.trees.Trees` makes them, or, without such, the shipped parser's. A
        cell of ``reference`` may be a list of several references: the mean of their vectors.
    vectors : path-like, mapping, KeyedVectors or WordVectors, default="english"
        Word vectors that the network was trained with, or is trained with; of lower-case words.
    parser_model : path-like, optional
        Folder of a model for :class:`~sklearn_mteval.trees.ConstituencyParser`; None: the shipped.
    n_alternatives : int, default=10
        With ``treebank``: how many trees the parser's beam has for each sentence, those that the
        treebank's tree is to surpass; 0: none.
    label_weight : float, default=0.01
        With ``treebank``: what predicting categories counts against surpassing alternatives. Near
        1, the root tells its category and little of its words.
    max_epochs : int, default=6
        With ``treebank``: how often training sees all trees.
    random_state : int, RandomState or None, default=0
        Seed of training and of the random network.
    cache, n_jobs, progress : see Trees
        The same, for the parser.

    Attributes
    ----------
    categories_ : list of n_categories str
        Syntactic categories, the first of which stands for all that are not known.
    pairs_ : ndarray of shape (n_pairs, 2), int64
        Numbers of the categories that have a matrix of their own.
    matrices_ : ndarray of shape ``(n_pairs + 1, 2 * n_dimensions_ + 1, n_dimensions_)``, float32
        What left child, right child and 1 are multiplied with: of all other pairs, then of each.
    mean_ : ndarray of shape (n_word_dimensions,), float32
        What is subtracted from word vectors.
    projection_ : ndarray of shape (n_word_dimensions, ``n_dimensions_``), float32
        What they are then multiplied with.
    n_dimensions_ : int
        Dimensions of a vector, 25 unless the word vectors have fewer.
    vectors_ : WordVectors
        The word vectors.
    losses_ : list of float
        Mean loss of each epoch of training; empty without.

    Notes
    -----
    The columns ``hypothesis_emb0`` to ``hypothesis_emb24``, then ``reference_emb0`` and so on lie
    in [−1, 1] for texts of several words. A text of one word has the projected vector of the word,
    an empty one zeros; an unknown word the mean of its pieces, or zeros.

    Of a node with several children the head is joined with its right neighbours, then with its left
    ones; chains of nodes with one child are one node of the topmost category. Pairs of categories
    that the treebank has fewer than 20 times share a matrix.

    The loss of a sentence is that of predicting each node's category from its vector (softmax),
    times ``label_weight``, and a margin: the score Σ v·p of the treebank's tree should surpass that
    of each alternative by 0.1 for each wrong constituent. AdaGrad: learning rate 0.001, batches of
    25, L2 penalty 1e-4.

    References
    ----------
    Socher et al. 2013; Guzmán et al. 2017, section 4.1.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import SyntacticVectors
    >>> X = pd.DataFrame({"hypothesis": ["A cat sleeps."], "reference": ["The cat sleeps."]})
    >>> vectors = SyntacticVectors().set_output(transform="pandas").fit_transform(X)
    >>> vectors.shape
    (1, 50)
    >>> list(vectors)[:2]
    ['hypothesis_emb0', 'hypothesis_emb1']
    """

    def __init__(
        self, network: PathLike = "english", *, treebank: Any = None,
        columns: Sequence[str] = ("hypothesis", "reference"), vectors: Any = "english",
        parser_model: PathLike | None = None, n_alternatives: int = 10, label_weight: float = 0.01,
        max_epochs: int = 6, random_state: Seed = 0, cache: PathLike | None = None,
        n_jobs: int | None = None, progress: bool = False
    ):  # fmt: skip
        self.network = network
        self.treebank = treebank
        self.columns = columns
        self.vectors = vectors
        self.parser_model = parser_model
        self.n_alternatives = n_alternatives
        self.label_weight = label_weight
        self.max_epochs = max_epochs
        self.random_state = random_state
        self.cache = cache
        self.n_jobs = n_jobs
        self.progress = progress

    def _fit(self, X):
        check_names("columns", self.columns)
        check_n_jobs(self.n_jobs)
        check_integer("n_alternatives", self.n_alternatives, minimum=0, maximum=_MOST_ALTERNATIVES)
        check_integer("max_epochs", self.max_epochs, minimum=0)
        check_number("label_weight", self.label_weight, above=0)
        check_columns(X, ())
        for column in self.columns:
            trees_or_texts(X, column)
        self._remember_table(X, ())
        self.vectors_ = load_word_vectors(self.vectors)
        network, self.losses_ = self._make()
        if len(network.mean) != self.vectors_.matrix.shape[1]:
            raise ValueError(
                f"vectors must have the {len(network.mean)} dimensions that the network was "
                f"trained with, found {self.vectors_.matrix.shape[1]}. Pass the same vectors=, or "
                "treebank= to train another network."
            )
        self.categories_ = list(network.categories)
        for name in _ARRAYS:
            setattr(self, f"{name}_", getattr(network, name))
        self.n_dimensions_ = self.projection_.shape[1]

    def _make(self):
        """Return the network and the losses of its training."""
        rng = check_random_state(self.random_state)
        if self.treebank is not None:
            trees = _read_treebank(self.treebank)
            groups = training.with_alternatives(
                trees, n_alternatives=self.n_alternatives, parser_model=self.parser_model
            )
            if not any(len(nodes.words) > 1 for nodes, *_ in groups):
                raise ValueError(f"treebank has no tree of several words, found {len(trees)}.")
            start = training.initial_network([nodes for nodes, *_ in groups], self.vectors_, rng)
            return training.train_network(
                groups, start, self.vectors_, rng, max_epochs=self.max_epochs,
                label_weight=self.label_weight, progress=self.progress,
            )  # fmt: skip
        if not isinstance(self.network, str | os.PathLike):
            raise TypeError(
                f"network must be 'english', 'random' or a folder, found {self.network!r}."
            )
        network = load_network(None if self.network in ("english", "random") else self.network)
        return (random_network(network, rng) if self.network == "random" else network), []

    def _is_whole(self):
        return (
            self._network().is_whole()
            and isinstance(self.vectors_, WordVectors)
            and self.vectors_.matrix.shape[1] == len(self.mean_)
            and self.n_dimensions_ == self.projection_.shape[1]
        )

    def __getstate__(self):
        return with_plain_vectors(super().__getstate__())

    def _network(self):
        return Network(self.categories_, *(getattr(self, f"{name}_") for name in _ARRAYS))

    def _transform(self, X):
        check_columns(X, ())
        parser = parser_for("constituency", self.parser_model)
        options = {"cache": self.cache, "n_jobs": self.n_jobs, "progress": self.progress}
        row_of, trees, rows = {}, [], []  # line → its row among the distinct ones
        for column, cells in trees_of_table(X, self.columns, parser, **options).items():
            for row, cell in enumerate(cells):
                for line in cell:
                    if line not in row_of:
                        row_of[line] = len(trees)
                        tree = as_tree(line, f"Column '{column}_tree', row {row}")
                        trees.append(binary_nodes(tree))
            rows.append([[row_of[line] for line in cell] for cell in cells])
        vectors = self._network().encode(trees, self.vectors_).astype(np.float64)
        return np.hstack([_means(vectors, of_column) for of_column in rows])

    def _output_names(self):
        return vector_names(self.columns, self.n_dimensions_, ())


def _means(vectors, rows):
    """Return the mean vector of each cell, (n_cells, n_dimensions)."""
    if all(len(cell) == 1 for cell in rows):
        return vectors[np.array(rows, dtype=np.int64).reshape(-1)]
    return np.array([vectors[cell].mean(axis=0) for cell in rows])


def _read_treebank(treebank):
    """Return the BracketTrees of a file, of lines, or as they are."""
    if isinstance(treebank, str | os.PathLike):
        return read_penn(treebank)
    trees = []
    for number, tree in enumerate(treebank):
        if isinstance(tree, BracketTree):
            trees.append(tree)
            continue
        if not isinstance(tree, str):
            raise TypeError(
                f"treebank must be a file, or a list of trees or of lines of brackets, found "
                f"{type(tree).__name__} as tree {number}."
            )
        try:
            trees += read_brackets(tree)
        except ValueError as error:
            raise ValueError(f"treebank: tree {number}: {error}") from None
    return trees
