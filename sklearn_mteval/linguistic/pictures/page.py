"""What is shown of a tree: a drawing in lines and letters, without a library of plots."""

from sklearn_mteval.linguistic.pictures._tree_layout import tree_panel
from sklearn_mteval.linguistic.pictures.text import shown_labels, tree_report
from sklearn_mteval.linguistic.trees.brackets import BracketTree
from sklearn_mteval.report.html.fragment import bundle_of, forms_of, view_of
from sklearn_mteval.report.html.views.view import View, simple_report

_MOST = 400  # nodes of a drawing; of larger trees there is a line of text for each node
_MOST_LINES = 200
_FONT, _CHARACTER = 12, 7.3  # pixels: size of letters, width of each


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
    texts = shown_labels(tree)
    widths = [_CHARACTER * max(len(text), 1) for text in texts]
    panel = tree_panel(tree, texts, widths, _FONT, across=False)
    return {
        "width": round(panel.width),
        "height": round(panel.height),
        "labels": [
            {"text": text, "x": round(x, 1), "y": round(panel.height - y), "kind": style}
            for _, text, x, y, style, _ in panel.labels
        ],
        "lines": [
            " ".join(f"{x:.1f},{panel.height - y:.1f}" for x, y in points)
            for points, _ in panel.lines
        ],
    }
