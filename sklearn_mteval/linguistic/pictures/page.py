"""What is shown of a tree: a drawing in lines and letters, without a library of plots."""

from sklearn_mteval.linguistic.pictures.text import tree_report
from sklearn_mteval.linguistic.trees.brackets import BracketTree, is_tag
from sklearn_mteval.linguistic.trees.views import shown_labels
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
    """Place labels: words side by side at the bottom, the rest above the middle of its children."""
    labels = shown_labels(tree)
    widths = [max(_CHARACTER * len(label), _CHARACTER) for label in labels]
    children = tree.children if len(labels) == len(tree.labels) else ((),) * len(labels)
    depth = [0] * len(labels)
    for node, below in enumerate(children):
        for child in below:  # parents come before their children
            depth[child] = depth[node] + 1
    lowest, x, right = max(depth), [0.0] * len(labels), 0.0
    # A column is as wide as the widest of what stands alone above a leaf, a tag as a rule.
    for node in range(len(labels)):
        if not children[node]:
            above = tree.parents[node] if len(labels) > 1 else -1
            alone = above >= 0 and len(children[above]) == 1
            width = max(widths[node], widths[above]) if alone else widths[node]
            x[node], right = right + width / 2, right + width + _GAP
    for node in reversed(range(len(labels))):
        if children[node]:
            x[node] = (x[children[node][0]] + x[children[node][-1]]) / 2
    # A label that is wider than all below it may reach beyond the first word and the last.
    left = min(place - width / 2 for place, width in zip(x, widths, strict=True))
    right = max(place + width / 2 for place, width in zip(x, widths, strict=True))
    y = [(depth[node] if children[node] else lowest) * _LEVEL + 16 for node in range(len(labels))]
    return {
        "width": round(right - left + 4),
        "height": lowest * _LEVEL + 24,
        "labels": [
            {
                "text": label,
                "x": round(x[node] - left + 2, 1),
                "y": y[node],
                "kind": _kind(tree, children, node),
            }
            for node, label in enumerate(labels)
        ],
        "lines": [
            {
                "x1": round(x[node] - left + 2, 1),
                "y1": y[node] + 4,
                "x2": round(x[child] - left + 2, 1),
                "y2": y[child] - 13,
            }
            for node, below in enumerate(children)
            for child in below
        ],
    }


def _kind(tree, children, node):
    """Tell whether a node is a word, a tag or a constituent."""
    if not children[node]:
        return "word"
    return "tag" if is_tag(tree, node) else "node"
