"""TreeSimilarity: how alike the trees of a translation and its reference are, without learning."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from sklearn_mteval._helpers.options import check_n_jobs
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.linguistic.kernels.related import (
    STRUCTURES,
    check_signature,
    compared_texts,
    trees_of_texts,
)
from sklearn_mteval.linguistic.kernels.tree_kernels import PartialTreeKernel, TreeKernel
from sklearn_mteval.linguistic.trees.brackets import BracketTree, is_tag
from sklearn_mteval.linguistic.trees.shipped.parsers import ShallowParser
from sklearn_mteval.text.transformer import TextTransformer, check_names


class TreeSimilarity(TextTransformer):
    """Compare the trees of translations and references by a tree kernel.

    Parameters
    ----------
    structures : list or tuple of str, default=("SYN", "DIS", "DIS+POS", "DIS+SYN")
        The trees to compare, see :class:`RelatedTrees`; one column each.
    kernel : tree kernel or None, default=None
        None: ``PartialTreeKernel()``.
    parser_model, cache, n_jobs, progress : see :class:`~sklearn_mteval.trees.Trees`
        The same.

    Attributes
    ----------
    signature_ : str
        Names the parser and its weights: ``transform`` refuses to work with another one.

    Notes
    -----
    Columns are ``tree_similarity_STRUCTURE``: the kernel between the two trees, without marks; in
    [0, 1], 1 for equal trees, if the kernel is normalised. Of several references the one is taken
    that shares the largest proportion of words with the translation.

    References
    ----------
    Guzmán et al. 2014, section 3, left half of Table 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.kernels import TreeSimilarity
    >>> X = pd.DataFrame({"hypothesis": ["It works.", "Works."], "reference": ["It works."] * 2})
    >>> TreeSimilarity(["SYN"]).fit_transform(X).round(2).tolist()
    [[1.0], [0.63]]
    """

    def __init__(
        self, structures: Sequence[str] = tuple(STRUCTURES), *, kernel: Any = None,
        parser_model: PathLike | None = None, cache: PathLike | None = None,
        n_jobs: int | None = None, progress: bool = False
    ):  # fmt: skip
        self.structures = structures
        self.kernel = kernel
        self.parser_model = parser_model
        self.cache = cache
        self.n_jobs = n_jobs
        self.progress = progress

    def _fit(self, X):
        self._check()
        self._remember_table(X)
        self.signature_ = ShallowParser(parser_model=self.parser_model).signature

    def _check(self):
        check_names("structures", self.structures, tuple(STRUCTURES))
        check_n_jobs(self.n_jobs)
        if not (self.kernel is None or isinstance(self.kernel, TreeKernel)):
            raise ValueError(
                "kernel must be a tree kernel, such as PartialTreeKernel(), or None, found "
                f"{self.kernel!r}."
            )

    def _transform(self, X):
        self._check()
        check_signature(ShallowParser(parser_model=self.parser_model), self.signature_)
        kernel = PartialTreeKernel() if self.kernel is None else self.kernel
        row_of, pairs = compared_texts(X)
        similarities = np.empty((len(pairs), len(self.structures)))
        parsed = {}  # by what the parser makes: two structures share it
        for column, structure in enumerate(self.structures):
            kind = STRUCTURES[structure]
            if kind not in parsed:
                parser = ShallowParser(kind, parser_model=self.parser_model)
                parsed[kind] = trees_of_texts(self, parser, chain.from_iterable(pairs))
            tree_of = parsed[kind]
            if structure == "DIS":
                tree_of = {text: _without_tags(tree) for text, tree in tree_of.items()}
            sides = ([tree_of[pair[side]] for pair in pairs] for side in (0, 1))
            similarities[:, column] = kernel.of_pairs(*sides)
        return similarities[row_of]

    def _is_whole(self):
        return isinstance(self.signature_, str)

    def _output_names(self):
        return [f"tree_similarity_{structure}" for structure in self.structures]


def _without_tags(tree):
    """Let words stand where their tags stood."""
    kept = [node for node in range(len(tree.labels)) if not is_tag(tree, node)]
    place = {node: k for k, node in enumerate(kept)}
    tree_parents = [tree.parents[node] for node in kept]
    parents = [place.get(p, place.get(tree.parents[p], -1)) if p >= 0 else -1 for p in tree_parents]
    return BracketTree(tuple(tree.labels[node] for node in kept), tuple(parents))
