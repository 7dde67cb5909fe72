"""What pictures and terminals show of a tree: labels that print, words that match."""

from unicodedata import category

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.text.parsing.brackets import BracketTree, read_brackets, unescape_word

__all__ = ["as_tree", "is_tag", "matching_nodes", "printable", "shown_labels"]

_LONGEST = 40  # characters of a label


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


def matching_nodes(tree, other, key=None):
    """Tell for each node of a tree whether it matches another tree.

    Words do that occur in the other tree, wherever, case ignored; above them every node all of
    whose children do (2014 paper, section 2.2 and Figure 1, where they are marked REL). What
    ``key(word, tag)`` returns is compared, by default the word without case.
    """
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
        node: unescape_word(label).casefold()
        if key is None
        else key(unescape_word(label), tree.labels[max(tree.parents[node], 0)])
        for node, label in enumerate(tree.labels)
        if label and not tree.children[node]
    }


def shown_labels(tree):
    """List the labels of a tree as they are shown: brackets as such, nothing that does not print.

    Labels that are too long are cut. The empty tree is "()".
    """
    if tree.labels == ("",):
        return ["()"]
    return [
        printable(label if children else unescape_word(label))
        for label, children in zip(tree.labels, tree.children, strict=True)
    ]


def printable(text):
    """Replace what does not print, cut what is too long."""
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    # Soft hyphens, joiners and marks of direction (Cf) have no width of their own.
    return "".join(c if c.isprintable() else "" if category(c) == "Cf" else "\ufffd" for c in text)
