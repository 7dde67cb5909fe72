"""What drawings and terminals show of a tree: labels that print."""

from unicodedata import category

from sklearn_mteval.trees.brackets import unescape_word

_LONGEST = 40  # characters of a label


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


def printable(text, longest=_LONGEST):
    """Replace what does not print, cut what is too long."""
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    # Soft hyphens, joiners and marks of direction (Cf) have no width of their own.
    return "".join(c if c.isprintable() else "" if category(c) == "Cf" else "\ufffd" for c in text)
