"""Trees as arrays: nodes that join two others or stand for a word."""

from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from sklearn_mteval.linguistic.trees.brackets import unescape_word
from sklearn_mteval.linguistic.trees.shipped.grammars.heads import category, head_child

_ROOT = "ROOT"
_TRACE = "-NONE-"  # the tag of what stands for no word


class Nodes(NamedTuple):
    """The nodes of a binary tree, children before parents, the root last.

    A node has a category and either a word and children −1, or the word None and two children.
    """

    left: list
    right: list
    categories: list
    words: list


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
    """Return the Nodes of a BracketTree; none if it has no words.

    A chain of nodes with one child each is one node, of the topmost one's category but ``ROOT``. Of
    several children the head is joined with its right neighbours, then with its left ones; what is
    not complete yet has a category of its own, such as ``@NP``. Traces are left out.
    """
    labels, children = tree.labels, tree.children
    nodes = Nodes([], [], [], [])
    left, right, categories, words = nodes
    found = [-1] * len(labels)  # node of each label of the tree, -1 where it holds no word
    for k in range(len(labels) - 1, -1, -1):  # children stand behind their parents
        parts = children[k]
        if not parts:
            parent = labels[tree.parents[k]] if k else ""
            if k and parent != _TRACE:
                found[k] = len(words)
                left.append(-1)
                right.append(-1)
                categories.append(parent)
                words.append(unescape_word(labels[k]))
            continue
        parts = [found[part] for part in parts if found[part] >= 0]
        if not parts:
            continue
        name = category(labels[k])
        if len(parts) == 1:
            found[k] = parts[0]
            if name != _ROOT:
                categories[parts[0]] = name
            continue
        at = _head(name, tuple([categories[part] for part in parts]))
        node = parts[at]
        for place in (*range(at + 1, len(parts)), *reversed(range(at))):
            left.append(node if place > at else parts[place])
            right.append(parts[place] if place > at else node)
            categories.append(f"@{name}")
            words.append(None)
            node = len(words) - 1
        categories[node] = name
        found[k] = node
    return nodes


_head = lru_cache(maxsize=1 << 14)(head_child)


def plant(trees, network, row_of):
    """Make a Forest of the Nodes of trees; ``row_of`` numbers words."""
    bounds = np.cumsum([0, *(len(nodes.words) for nodes in trees)])
    left, right = (
        np.fromiter(chain.from_iterable(nodes[side] for nodes in trees), np.int64, bounds[-1])
        for side in (0, 1)
    )
    number = network.category_of
    names = chain.from_iterable(nodes.categories for nodes in trees)
    categories = np.fromiter((number.get(name, 0) for name in names), np.int64, bounds[-1])
    words = chain.from_iterable(nodes.words for nodes in trees)
    source = np.fromiter((row_of.get(word, -1) for word in words), np.int64, bounds[-1])
    joins = np.flatnonzero(left >= 0)
    starts = np.repeat(bounds[:-1], np.diff(bounds))[joins]
    children = categories[starts + left[joins]], categories[starts + right[joins]]
    source[joins] = network.matrix_of[children]
    return Forest(bounds, left, right, source, categories)
