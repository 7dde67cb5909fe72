"""Trees written with brackets, as the Penn Treebank and most parsers do, and where two match."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from sklearn_mteval._helpers.shown import Shown
from sklearn_mteval.exceptions import CandidateError

_TOKEN = re.compile(r"[()]|[^\s()]+")
_ESCAPES = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
}  # fmt: skip
_ESCAPE_OF = {"(": "-LRB-", ")": "-RRB-"}
_NAME = r"(?:[LR][RSC]B|U\+[0-9A-F]{4})"
_ESCAPED = re.compile(rf"-{_NAME}-")
# What no label may hold, and a hyphen from which on the label would read as escaped.
_TO_ESCAPE = re.compile(rf"[()\s]|-(?={_NAME}[-()\s])")
_TRACE = "-NONE-"  # the tag of what stands for no word


@dataclass(frozen=True)
class BracketTree(Shown):
    """A tree with labelled nodes, parents before children, left before right.

    Two flat tuples rather than nested objects: a tree may be deeper than Python's recursion
    goes, and is compared, hashed and pickled all the same.

    Attributes
    ----------
    labels : tuple of n_nodes str
        Constituents, tags and, at the leaves, words as they are written, ``-LRB-`` for "(".
    parents : tuple of n_nodes int
        Index of each node's parent; -1 for the root, which comes first.

    Examples
    --------
    >>> from sklearn_mteval.trees import read_brackets
    >>> [tree] = read_brackets("( (S (NP (PRP It)) (VP (VBZ works))) )")
    >>> tree.labels
    ('S', 'NP', 'PRP', 'It', 'VP', 'VBZ', 'works')
    >>> tree.parents
    (-1, 0, 1, 2, 0, 4, 5)
    >>> tree.tagged_words()
    [('PRP', 'It'), ('VBZ', 'works')]
    """

    _renderer = "sklearn_mteval.linguistic.pictures.page"

    labels: tuple
    parents: tuple

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """List the children of each node.

        Returns
        -------
        tuple of n_nodes tuples of int
            From left to right; empty for leaves.
        """
        children = [[] for _ in self.labels]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(node)
        return tuple(map(tuple, children))

    def tagged_words(self) -> list[tuple[str, str]]:
        """List the words with the labels above them.

        Returns
        -------
        list of (str, str)
            Label of the parent and word, brackets as themselves; without traces.
        """
        found = []
        for node, parent in enumerate(self.parents):
            word = self.labels[node]
            if word and not self.children[node] and parent >= 0 and self.labels[parent] != _TRACE:
                found.append((self.labels[parent], unescape_word(word)))
        return found

    def constituents(self) -> list[str]:
        """List the labels of the nodes above tags.

        Returns
        -------
        list of str
            In the tree's order. A node that has only words below it is a tag and not listed.
        """
        children = self.children
        return [
            self.labels[node]
            for node in range(len(self.labels))
            if any(children[child] for child in children[node])
        ]

    def __str__(self):
        nodes = zip(self.labels, self.parents, self.children, strict=True)
        in_brackets = [bool(below) or parent < 0 or not label for label, parent, below in nodes]
        return written(self.labels, self.parents, in_brackets)


def written(labels, parents, in_brackets):
    """Write a tree, telling for each node whether it stands in brackets of its own."""
    parts, open_nodes = [], []
    for node, (label, parent) in enumerate(zip(labels, parents, strict=True)):
        while open_nodes and open_nodes[-1] != parent:
            open_nodes.pop()
            parts.append(")")
        if in_brackets[node]:
            parts.append(f" ({label}")
            open_nodes.append(node)
        else:
            parts.append(f" {label}")
    return "".join(parts).lstrip() + ")" * len(open_nodes)


def read_brackets(text: str) -> list[BracketTree]:
    """Read trees in brackets, one after another, each on one line or several.

    Parameters
    ----------
    text : str
        ``(S (NP (DT The) (NN cat)) (VP …))`` and so on; may be empty. An outer bracket without
        a label, as in the Penn Treebank, is dropped; ``()`` and ``(())``, which stand for a
        sentence without a parse, are a single node with the label "".

    Returns
    -------
    list of BracketTree
        As many as there are.

    Raises
    ------
    ValueError
        With line and column, if brackets are not balanced, hold no words, or words stand
        outside of them.
    """
    trees, labels, parents, open_nodes, starts = [], [], [], [], []
    previous = ""
    for token in _TOKEN.finditer(text):
        content = token.group()
        if content == ")":
            _check_closed(text, token, labels, open_nodes, starts)
            open_nodes.pop()
            starts.pop()
            if not open_nodes:
                trees.append(_without_empty_root(labels, parents))
                labels, parents = [], []
        elif content != "(" and previous == "(":
            labels[-1] = content
        elif content != "(" and not open_nodes:
            where = _position(text, token.start())
            raise ValueError(f"Expected '(' before a tree, found {content[:40]!r}, {where}.")
        else:
            labels.append("" if content == "(" else content)
            parents.append(open_nodes[-1] if open_nodes else -1)
            if content == "(":
                open_nodes.append(len(labels) - 1)
                starts.append(token.start())
        previous = content
    if open_nodes:
        raise ValueError(f"A bracket is not closed, {_position(text, starts[-1])}.")
    return trees


def _check_closed(text, token, labels, open_nodes, starts):
    """Raise where a closing bracket has no opening one, or nothing stands between them."""
    if not open_nodes:
        where = _position(text, token.start())
        raise ValueError(f"A bracket is closed that was not opened, {where}.")
    if open_nodes[-1] == len(labels) - 1 and labels[-1]:
        where = _position(text, starts[-1])
        raise ValueError(f"The bracket ({labels[-1]}) holds no words, {where}.")


def as_tree(given, name="tree"):
    """Return a BracketTree or a line of brackets as a BracketTree, checked."""
    if isinstance(given, str):
        try:
            found = read_brackets(given)
        except ValueError as error:
            raise CandidateError(f"{name} must be a tree in brackets: {error}") from None
        if len(found) != 1:
            raise CandidateError(
                f"{name} must be one tree in brackets, found {len(found)}; that of an empty text "
                'is "()".'
            )
        return found[0]
    if not isinstance(given, BracketTree):
        raise CandidateError(
            f"{name} must be a BracketTree or a line of brackets, found {type(given).__name__}."
        )
    labels, parents = given.labels, given.parents
    whole = len(labels) == len(parents) > 0 and parents[0] == -1
    whole = whole and all(isinstance(label, str) for label in labels)
    rest = enumerate(parents[1:], 1)
    if not whole or not all(isinstance(parent, int) and 0 <= parent < k for k, parent in rest):
        raise CandidateError(
            f"{name} must have a label, a text, and a parent for each node, the root first and "
            f"parents before children, found {len(labels)} labels and the parents {parents[:20]}."
        )
    return given


def is_tag(tree, node):
    """Tell whether a node is the tag of a word: it has one child, which has none."""
    children = tree.children[node]
    return len(children) == 1 and not tree.children[children[0]]


def escape_word(word):
    """Write a word so that it can stand in a bracketed tree: -LRB- for "(" and -RRB- for ")", white
    space as -U+0020-, and the first hyphen of what reads as an escape as -U+002D-.
    """
    return _TO_ESCAPE.sub(_escape, word)


def unescape_word(label):
    """Undo :func:`escape_word`, and the Penn Treebank's escapes of other brackets."""
    return _ESCAPED.sub(lambda at: _ESCAPES.get(at[0]) or chr(int(at[0][3:-1], 16)), label)


def _escape(found):
    character = found.group()
    return _ESCAPE_OF.get(character) or f"-U+{ord(character):04X}-"


def _without_empty_root(labels, parents):
    """Drop roots that have no label and one child."""
    if labels[0]:
        return BracketTree(tuple(labels), tuple(parents))
    n_children = Counter(parents)
    start = 0
    while labels[start] == "" and n_children[start] == 1:
        start += 1
    return BracketTree(tuple(labels[start:]), tuple(max(k - start, -1) for k in parents[start:]))


def _position(text, start):
    line = text.count("\n", 0, start) + 1
    return f"line {line}, column {start - text.rfind(chr(10), 0, start)}"


def lower_case(word, tag):
    """Compare words without case."""
    return word.casefold()


def matching_nodes(tree, other, key=lower_case):
    """Tell which nodes match another tree, words by ``key`` (2014 paper, section 2.2)."""
    known = set(_words(other, key).values())
    matched = {node for node, word in _words(tree, key).items() if word in known}
    marks = [node in matched for node in range(len(tree.labels))]
    for node in reversed(range(len(marks))):
        children = tree.children[node]
        marks[node] = marks[node] or (bool(children) and all(marks[child] for child in children))
    return tuple(marks)


def _words(tree, key):
    """Return what is compared of each word, by its node."""
    return {
        node: key(unescape_word(label), tree.labels[max(tree.parents[node], 0)])
        for node, label in enumerate(tree.labels)
        if label and not tree.children[node]
    }
