"""The network that composes vectors: its trees as arrays, its weights and their file."""

import json
import os
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from sklearn_mteval._helpers.atomic import write_atomically
from sklearn_mteval._helpers.files import open_file
from sklearn_mteval._helpers.products import row_products
from sklearn_mteval._helpers.restored import is_array, is_list_of
from sklearn_mteval._project import page
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.syntactic import _kernel
from sklearn_mteval.linguistic.trees.brackets import unescape_word
from sklearn_mteval.linguistic.trees.shipped.grammars.heads import category, head_child

_ROOT = "ROOT"
_TRACE = "-NONE-"  # the tag of what stands for no word
FILE = "network.safetensors"
_FORMAT = 1
_MOST_BYTES = 1 << 28
_LARGEST = 1e6  # of a weight, or of a number in the vector of a word
_MOST_CATEGORIES = 4096  # whose pairs are a table
_WEIGHTS = ("matrices", "mean", "projection")


@dataclass(frozen=True, eq=False)
class Network:
    """Weights, float32, and what they belong to: the attributes of ``SyntacticVectors``."""

    categories: list
    pairs: np.ndarray
    matrices: np.ndarray
    mean: np.ndarray
    projection: np.ndarray

    def is_whole(self):
        """Tell whether all fits together, and no number is too large to compute with."""
        n_pairs, n_categories = len(self.pairs), len(self.categories)
        n, bounds = self.projection.shape[1], {"low": -_LARGEST, "high": _LARGEST}
        return (
            is_list_of(str, self.categories, distinct=True)
            and 0 < n_categories <= _MOST_CATEGORIES
            and n > 0
            and is_array(self.pairs, (n_pairs, 2), np.int64, low=0, high=n_categories - 1)
            and is_array(self.matrices, (n_pairs + 1, 2 * n + 1, n), np.float32, **bounds)
            and is_array(self.mean, self.mean.shape, np.float32)
            and is_array(self.projection, (len(self.mean), n), np.float32, **bounds)
        )

    def encode(self, trees, vectors):
        """Return the vectors of the roots of the Nodes of trees; zeros where there is no word."""
        words = sorted({word for nodes in trees for word in nodes.words if word is not None})
        forest = plant(trees, self, {word: k for k, word in enumerate(words)})
        known = row_products(centred_rows(words, vectors, self.mean), self.projection)
        known = np.clip(known, -_LARGEST, _LARGEST).astype(np.float32)
        return _kernel.encode(tuple(forest), known, self.matrices, forest.room(known))


def centred_rows(words, vectors, mean):
    """Return vectors of words, or means of their pieces, less a mean, float64; zeros for none."""
    words = [word.lower() for word in words]
    rows = vectors.rows(words)
    found = np.zeros((len(words), len(mean)))
    found[rows >= 0] = vectors.matrix[rows[rows >= 0]].astype(np.float64) - mean
    for k in np.flatnonzero(rows < 0):
        pieces = vectors.pieces(words[k])
        if pieces:
            found[k] = vectors.matrix[pieces].mean(axis=0, dtype=np.float64) - mean
    return found


def random_network(like, rng):
    """Return a network with random weights in place of learnt ones: what training must surpass."""
    n = like.matrices.shape[2]
    bound = np.sqrt(6 / (3 * n))  # Glorot and Bengio (2010)
    matrices = rng.uniform(-bound, bound, like.matrices.shape)
    matrices[:, -1] = 0
    projection = rng.normal(size=like.projection.shape) * np.sqrt(
        np.square(like.projection, dtype=np.float64).mean()
    )
    weights = matrices.astype(np.float32), like.mean, projection.astype(np.float32)
    return Network(like.categories, like.pairs, *weights)


def save_network(network, folder):
    """Write a network, its weights in 16 bits; equal networks give equal bytes."""
    arrays = {name: getattr(network, name).astype(np.float16) for name in _WEIGHTS}
    arrays["pairs"] = network.pairs.astype(np.int32)
    head = json.dumps({"format": _FORMAT, "categories": network.categories}, sort_keys=True)
    Path(folder).mkdir(parents=True, exist_ok=True)
    write_atomically(Path(folder) / FILE, save(arrays, {"network": head}))


def load_network(folder=None):
    """Read a network; None: the one that comes with the package."""
    if folder is None:
        folder = files("sklearn_mteval.linguistic.syntactic").joinpath("data", "english")
    path = Path(os.fspath(folder)) / FILE
    with open_file(path, max_bytes=_MOST_BYTES, whole=True, lines=False) as file:
        content = file.read()
    return _read(content, str(path))


@lru_cache(maxsize=2)
def _read(content, path):
    try:
        size = int.from_bytes(content[:8], "little")
        head = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["network"])
        if head["format"] != _FORMAT:
            raise ValueError(f"it is of format {head['format']!r:.40}, expected {_FORMAT}")
        arrays = load(content)
        weights = [arrays[name].astype(np.float32) for name in _WEIGHTS]
        network = Network(head["categories"], arrays["pairs"].astype(np.int64), *weights)
        if not network.is_whole():
            raise ValueError("its parts do not fit together")
    except (
        SafetensorError, AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError
    ) as error:  # fmt: skip
        raise DataFileError(
            path, f"it is no network of syntactic vectors, or is damaged ({type(error).__name__}: "
            f"{error}). {page('linguistic/learning_from_trees')} says how to train one."
        ) from None  # fmt: skip
    return network


class Nodes(NamedTuple):
    """The nodes of a binary tree, children before parents, the root last."""

    left: list  # of a node that has a word, −1
    right: list
    categories: list
    words: list  # of a node that has children, None


class Forest(NamedTuple):
    """Trees one behind another, as :mod:`._kernel` takes them, with the category of each node."""

    bounds: np.ndarray
    left: np.ndarray
    right: np.ndarray
    source: np.ndarray
    categories: np.ndarray

    def room(self, words):
        """Make room for vectors, like those of words, of the nodes of the largest tree."""
        most = np.diff(self.bounds).max(initial=0)
        return np.empty((most, words.shape[1]), dtype=words.dtype)


def binary_nodes(tree):
    """Return the Nodes of a BracketTree without traces, as SyntacticVectors' Notes say."""
    labels, children = tree.labels, tree.children
    nodes = Nodes([], [], [], [])
    left, right, categories, words = nodes
    found = [-1] * len(labels)  # node of each label of the tree, -1 where it holds no word
    for k in range(len(labels) - 1, -1, -1):  # children stand behind their parents
        if not children[k]:
            parent = labels[tree.parents[k]] if k else ""
            if k and parent != _TRACE:
                found[k] = len(words)
                left.append(-1)
                right.append(-1)
                categories.append(parent)
                words.append(unescape_word(labels[k]))
            continue
        parts = [found[part] for part in children[k] if found[part] >= 0]
        name = category(labels[k])
        if len(parts) > 1:
            found[k] = _joined(nodes, parts, name)
        elif parts:
            found[k] = parts[0]
            if name != _ROOT:
                categories[parts[0]] = name
    return nodes


def _joined(nodes, parts, name):
    """Join the parts of a constituent, the head's right neighbours first; return the last node."""
    left, right, categories, words = nodes
    at = _head(name, tuple([categories[part] for part in parts]))
    node = parts[at]
    for place in (*range(at + 1, len(parts)), *reversed(range(at))):
        left.append(node if place > at else parts[place])
        right.append(parts[place] if place > at else node)
        categories.append(f"@{name}")
        words.append(None)
        node = len(words) - 1
    categories[node] = name
    return node


_head = lru_cache(maxsize=1 << 14)(head_child)


def plant(trees, network, row_of):
    """Make a Forest of the Nodes of trees; ``row_of`` numbers words."""
    bounds = np.cumsum([0, *(len(nodes.words) for nodes in trees)])
    left, right = (
        np.fromiter(chain.from_iterable(nodes[side] for nodes in trees), np.int64, bounds[-1])
        for side in (0, 1)
    )
    number = {name: k for k, name in enumerate(network.categories)}
    names = chain.from_iterable(nodes.categories for nodes in trees)
    categories = np.fromiter((number.get(name, 0) for name in names), np.int64, bounds[-1])
    words = chain.from_iterable(nodes.words for nodes in trees)
    source = np.fromiter((row_of.get(word, -1) for word in words), np.int64, bounds[-1])
    joins = np.flatnonzero(left >= 0)
    starts = np.repeat(bounds[:-1], np.diff(bounds))[joins]
    children = categories[starts + left[joins]], categories[starts + right[joins]]
    matrix_of = np.zeros((len(network.categories),) * 2, dtype=np.int64)
    matrix_of[tuple(network.pairs.T)] = np.arange(1, len(network.pairs) + 1)
    source[joins] = matrix_of[children]
    return Forest(bounds, left, right, source, categories)
