"""A tree as text, for users at a terminal, and its labels as drawings show them, too."""

from sklearn_mteval._helpers.shown import printable
from sklearn_mteval.linguistic.trees.brackets import BracketTree, as_tree, is_tag, unescape_word

_DEEPEST = 40  # levels; what is below them is written in brackets


def tree_report(tree):
    """Write a tree with a line for each node, words behind what is directly above their tags."""
    tree = as_tree(tree)
    texts = shown_labels(tree)
    lines, waiting = [], [(0, "", "", 0)]  # node, what its line begins with, what lines below do
    while waiting:
        node, start, below, depth = waiting.pop()
        children = tree.children[node]
        if not children or is_tag(tree, node):
            lines.append(start + _word(tree, texts, node))
        elif all(not tree.children[child] or is_tag(tree, child) for child in children):
            words = " ".join(_word(tree, texts, child) for child in children)
            lines.append(f"{start}{texts[node]}  {words}")
        elif depth == _DEEPEST:
            lines.append(start + _brackets(tree, node))
        else:
            lines.append(start + texts[node])
            inner = [(child, below + "├─ ", below + "│  ", depth + 1) for child in children[:-1]]
            inner.append((children[-1], below + "└─ ", below + "   ", depth + 1))
            waiting += inner[::-1]
    return "".join(f"{line}\n" for line in lines)


def _word(tree, texts, node):
    """Write a word with its tag, or a word that has none."""
    if tree.children[node]:
        return f"{texts[tree.children[node][0]]}/{texts[node]}"
    return texts[node]


def _brackets(tree, node):
    """Write what is below a node in brackets."""
    parents = tree.parents
    end = next((k for k in range(node + 1, len(parents)) if parents[k] < node), len(parents))
    labels = tuple(map(printable, tree.labels[node:end]))
    return str(BracketTree(labels, (-1, *(parent - node for parent in parents[node + 1 : end]))))


def shown_labels(tree):
    """List the labels of a tree as they are shown: brackets as such, only what prints."""
    if tree.labels == ("",):
        return ["()"]
    return [
        printable(label if children else unescape_word(label))
        for label, children in zip(tree.labels, tree.children, strict=True)
    ]
