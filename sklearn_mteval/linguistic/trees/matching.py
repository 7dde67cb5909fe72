"""Which nodes of two trees match: words that both have, and what is made of them."""

from sklearn_mteval.linguistic.trees.brackets import unescape_word


def lower_case(word, tag):
    """Compare words without case."""
    return word.casefold()


def matching_nodes(tree, other, key=lower_case):
    """Tell for each node of a tree whether it matches another tree (2014 paper, section 2.2).

    Words do that occur in the other tree, by what ``key(word, tag)`` returns; above them every node
    all of whose children do.
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
        node: key(unescape_word(label), tree.labels[max(tree.parents[node], 0)])
        for node, label in enumerate(tree.labels)
        if label and not tree.children[node]
    }
