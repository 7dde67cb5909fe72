"""Where the labels and edges of a tree go, in points, so that no two labels overlap.

Every node has an interval of its own, as wide as its label or its children's intervals, whichever
is more; labels stay within. An edge is slanted between two rows only, and runs straight within the
interval of its child: it crosses no label and no other edge.
"""

from itertools import accumulate, repeat
from typing import NamedTuple

from sklearn_mteval.linguistic.trees.brackets import is_tag

# In font sizes:
GAP = 0.9  # between neighbours
LINE = 1.45  # from one word to the next, where words stand below each other
TAG_ROW = 1.2  # from a word to its tag
ASCENT, DESCENT = 1.0, 0.5  # above and below the baseline, of a label with some air
_MIDDLE = 0.35  # of a label above its baseline
_ROW = 2.7  # from tags to the constituents above, and on


class Label(NamedTuple):
    """A text at the place of its baseline."""

    node: int
    text: str
    x: float
    y: float
    style: str
    align: str = "center"


class Panel(NamedTuple):
    """A tree that is laid out: lines are (points, node that they lead to)."""

    width: float
    height: float
    labels: list
    lines: list
    heads: list  # of arrows: (x, y, node)


def node_styles(tree):
    """Tell words, tags, units of discourse and other nodes apart."""
    styles = []
    for node, label in enumerate(tree.labels):
        if not tree.children[node]:
            styles.append("word")
        elif is_tag(tree, node):
            styles.append("tag")
        else:
            styles.append("unit" if label.startswith(("DIS:", "EDU:")) else "node")
    return styles


def tree_panel(tree, texts, widths, font, *, across):
    """Lay out a tree, its root on top; or, ``across``, on the left, each word on its own line.

    ``texts`` and ``widths`` are those of the nodes' labels, ``font`` the size of words.
    """
    styles = node_styles(tree)
    levels = _levels(tree, styles)
    gap = font * (LINE if across else GAP)
    own = [gap + (0 if across else width) for width in widths]
    at, breadth = _spread(tree.children, own)
    if across:
        return _across(tree, texts, widths, font, styles, levels, at, breadth)

    def row(level):
        return font * (DESCENT + (TAG_ROW + _ROW * (level - 1) if level else 0))

    ys = [row(level) for level in levels]
    lines = []
    for node, parent in _edges(tree, styles):
        turn, end = row(levels[parent] - 1) + font * ASCENT, ys[node] + font * ASCENT
        points = [(at[parent], ys[parent] - font * DESCENT), (at[node], turn), (at[node], end)]
        lines.append((points, node))
    labels = list(map(Label, range(len(texts)), texts, at, ys, styles))
    return Panel(breadth, max(ys) + font * (ASCENT + 0.3), labels, lines, [])


def _across(tree, texts, widths, font, styles, levels, at, breadth):
    """Lay out a tree with its root on the left: levels are columns, as wide as their labels."""
    columns = [0.0] * (max(levels) + 1)
    for level, width in zip(levels, widths, strict=True):
        columns[level] = max(columns[level], width)
    steps = [columns[level] + font * (0.8 if level == 1 else 1.8) for level in range(len(columns))]
    lefts = [0.0, *accumulate(reversed(steps[1:]))][::-1]  # the root's level, the last, is at 0
    ys = [breadth - position - _MIDDLE * font for position in at]
    lines = []
    for node, parent in _edges(tree, styles):
        start = lefts[levels[parent]] + widths[parent] + 0.3 * font
        turn = lefts[levels[parent] - 1] - font  # between the columns: no label is in the way
        xs = [start, turn, turn, lefts[levels[node]] - 0.3 * font]
        middles = [y + _MIDDLE * font for y in (ys[parent], ys[parent], ys[node], ys[node])]
        lines.append((list(zip(xs, middles, strict=True)), node))
    xs = [lefts[level] for level in levels]
    labels = list(map(Label, range(len(texts)), texts, xs, ys, styles, repeat("left")))
    return Panel(lefts[0] + columns[0], breadth, labels, lines, [])


def _edges(tree, styles):
    """List the nodes that an edge leads to, with their parents; none leads from a tag to a word."""
    return [
        (node, parent)
        for node, parent in enumerate(tree.parents)
        if parent >= 0 and styles[parent] != "tag"
    ]


def _levels(tree, styles):
    """Count rows from the words up: tags are on the first, all else on the second or higher."""
    levels = [0] * len(styles)
    for node in reversed(range(len(styles))):
        if styles[node] == "tag":
            levels[node] = 1
        elif styles[node] != "word":
            levels[node] = max(2, 1 + max(levels[child] for child in tree.children[node]))
    return levels


def _spread(children, own):
    """Place nodes along the line of words, each between its first and its last child.

    ``own`` is what a label takes; also returned is what the whole tree takes.
    """
    n = len(own)
    spans, starts, at = list(own), [0.0] * n, [0.0] * n
    for node in reversed(range(n)):
        spans[node] = max(own[node], sum(spans[child] for child in children[node]))
    for node in range(n):
        within = sum(spans[child] for child in children[node])
        start = starts[node] + (spans[node] - within) / 2
        for child in children[node]:
            starts[child] = start
            start += spans[child]
    for node in reversed(range(n)):
        middle = starts[node] + spans[node] / 2
        if children[node]:
            middle = (at[children[node][0]] + at[children[node][-1]]) / 2
        low = starts[node] + own[node] / 2
        at[node] = min(max(middle, low), starts[node] + spans[node] - own[node] / 2)
    return at, spans[0]
