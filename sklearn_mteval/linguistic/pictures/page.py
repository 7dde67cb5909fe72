"""What is shown of a tree: a drawing in lines and letters, without a library of plots."""

from sklearn_mteval.linguistic.pictures.text import shown_labels, tree_report
from sklearn_mteval.linguistic.trees.brackets import BracketTree, is_tag
from sklearn_mteval.report.html.fragment import bundle_of, forms_of, view_of
from sklearn_mteval.report.html.views.view import View, simple_report

_MOST = 400  # nodes of a drawing; of larger trees there is a line of text for each node
_MOST_LINES = 200
_CHARACTER, _GAP, _LEVEL = 7.3, 10, 34  # pixels: of a letter of 12, between words, between levels


@view_of.register(BracketTree)
def view_of_tree(tree):
    """Return the view of a tree."""
    n = len(tree.labels)
    lines = tree_report(tree).splitlines()
    text = "\n".join(lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        text += f"\n… and {len(lines) - _MOST_LINES:,} more lines"
    return View("Tree", simple_report([]), drawing=_drawn(tree) if n <= _MOST else None, text=text)


bundle_of.register(BracketTree, forms_of)


def _drawn(tree):
    """Draw a tree in labels and in lines from parents to children."""
    labels = shown_labels(tree)
    widths = [max(_CHARACTER * len(label), _CHARACTER) for label in labels]
    children = tree.children
    middles = _middles(tree, widths)
    # A label that is wider than all below it may reach beyond the first word and the last.
    left = min(middle - width / 2 for middle, width in zip(middles, widths, strict=True))
    right = max(middle + width / 2 for middle, width in zip(middles, widths, strict=True))
    x = [round(middle - left + 2, 1) for middle in middles]
    levels = _levels(children)
    y = [level * _LEVEL + 16 for level in levels]
    return {
        "width": round(right - left + 4),
        "height": max(levels) * _LEVEL + 24,
        "labels": [
            {"text": label, "x": x[node], "y": y[node], "kind": _kind(tree, node)}
            for node, label in enumerate(labels)
        ],
        "lines": [
            {"x1": x[node], "y1": y[node] + 4, "x2": x[child], "y2": y[child] - 13}
            for node, below in enumerate(children)
            for child in below
        ],
    }


def _middles(tree, widths):
    """Place words side by side, and the rest above the middle of its children."""
    children = tree.children
    x, right = [0.0] * len(widths), 0.0
    # A column is as wide as the widest of what stands alone above a leaf, a tag as a rule.
    for node, width in enumerate(widths):
        if not children[node]:
            above = tree.parents[node]
            if above >= 0 and len(children[above]) == 1:
                width = max(width, widths[above])
            x[node], right = right + width / 2, right + width + _GAP
    for node in reversed(range(len(widths))):
        if children[node]:
            x[node] = (x[children[node][0]] + x[children[node][-1]]) / 2
    return x


def _levels(children):
    """Count the levels from the root down to each node; words stand on the lowest."""
    depth = [0] * len(children)
    for node, below in enumerate(children):
        for child in below:  # parents come before their children
            depth[child] = depth[node] + 1
    return [depth[node] if below else max(depth) for node, below in enumerate(children)]


def _kind(tree, node):
    """Tell whether a node is a word, a tag or a constituent."""
    if not tree.children[node]:
        return "word"
    return "tag" if is_tag(tree, node) else "node"
