"""What drawings and terminals show of a tree: labels that print."""

from sklearn_mteval._helpers.shown import printable
from sklearn_mteval.linguistic.trees.brackets import unescape_word


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
