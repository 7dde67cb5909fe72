"""Where the labels and edges of a tree go, in points, so that no two labels overlap.

Every node has an interval as wide as its label or its children's; an edge is slanted between two
rows only, so that it crosses nothing. An arc lies above all shorter ones that it spans, and words
stand so far apart that every relation has room on its arc.
"""

from itertools import accumulate, pairwise, repeat
from typing import NamedTuple

import numpy as np

from sklearn_mteval._helpers.shown import printable
from sklearn_mteval.linguistic.trees.brackets import is_tag
from sklearn_mteval.linguistic.trees.treebanks.dependency import word_nodes

# In font sizes:
_END = 0.55  # between two arcs that end at one word
_ARC_ROW = 1.5  # from arc to arc above it
_CORNER = 0.7  # radius
_ARC_MIDDLE = 0.3  # of a relation above its baseline
_QUARTER = np.linspace(0, np.pi / 2, 7)
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
    """Lay out a tree, its root on top; or, ``across``, on the left, each word on its own line."""
    styles = node_styles(tree)
    levels = _levels(tree, styles)
    gap = font * (LINE if across else GAP)
    at, breadth = _spread(tree.children, [gap + (0 if across else width) for width in widths])
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
    """Place nodes between first and last children; return the places and the tree's size."""
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


def arc_panel(tree, texts, widths, font, *, across):
    """Lay out a dependency tree, ``across``: one word a line; arcs go from heads to dependents."""
    words, tags, names, arcs = _words_and_arcs(tree)
    ends, rows = _ends(arcs), _rows(arcs)
    sizes = [font * LINE] * len(texts) if across else [width + font * GAP for width in widths]
    own = [max(sizes[word], sizes[tag]) for word, tag in zip(words, tags, strict=True)]
    at, length = _line_up(own, sizes, arcs, ends, font)
    low = font * (DESCENT + TAG_ROW + ASCENT + 0.1)
    widest = max(widths[tag] for tag in tags)
    if across:
        low = 1.3 * font + max(widths[word] for word in words) + widest
    ups, room = _heights(arcs, rows, widths if across else None, low, font)
    total = ups[-1] + room

    def place(along, up):
        return (total - up, length - along) if across else (along, up)

    labels, lines, heads = [], [], []
    for k, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if across:
            y = length - at[k] - 0.35 * font
            labels.append(Label(tag, texts[tag], total - widest, y, "tag", "left"))
            labels.append(Label(word, texts[word], total - low + 0.5 * font, y, "word", "left"))
        else:
            labels.append(Label(tag, texts[tag], at[k], font * DESCENT, "tag"))
            labels.append(Label(word, texts[word], at[k], font * (DESCENT + TAG_ROW), "word"))
    for k, (head, node) in enumerate(arcs):
        end, up = at[k] + font * ends[k, k], ups[rows[k]]
        start = at[head] + font * ends[head, k] if head >= 0 else end
        points = _arc(start, end, low, up, font)
        lines.append(([place(*point) for point in points], node))
        heads.append((*place(end, low), node))
        x, y = place((start + end) / 2, up)
        labels.append(Label(node, printable(names[k]), x, y - font * _ARC_MIDDLE, "relation"))
    sides = (total, length) if across else (length, total)
    return Panel(*sides, labels, lines, heads)


def _words_and_arcs(tree):
    """Return words, tags, relations, and of each word (position of its head or -1, node)."""
    relations, tags, names = zip(*word_nodes(tree), strict=True)
    words = [tree.children[tag][0] for tag in tags]
    position = {node: k for k, node in enumerate(relations)}
    return words, tags, names, [(position.get(tree.parents[node], -1), node) for node in relations]


def _line_up(own, sizes, arcs, ends, font):
    """Place words along their line; return their middles and its length."""
    wanted = [[] for _ in own]  # of each word: the arcs between it and words on its left
    n_ends = np.ones(len(own))
    for arc, (head, _) in enumerate(arcs):
        if head >= 0:
            wanted[max(arc, head)].append(arc)
            n_ends[[arc, head]] += 1
    at, before = [], 0.0
    for k, size in enumerate(own):
        half = max(size, font * _END * n_ends[k]) / 2
        middle = at[-1] + before + half if at else half
        for arc in wanted[k]:
            head, node = arcs[arc]
            left = min(arc, head)
            room = sizes[node] + font * (0.3 + ends[left, arc] - ends[k, arc])
            middle = max(middle, at[left] + room)
        at.append(middle)
        before = half
    return at, at[-1] + before


def _heights(arcs, rows, widths, low, font):
    """Return how far up each row is, from row 0, where arcs end, and what the last one takes."""
    if widths is None:
        return [low + font * _ARC_ROW * row for row in range(max(rows) + 1)], font * ASCENT
    thick = [0.0] * (max(rows) + 1)
    for (_, node), row in zip(arcs, rows, strict=True):
        thick[row] = max(thick[row], widths[node])
    ups = [low]
    for before, own in pairwise(thick):
        ups.append(ups[-1] + (before + own) / 2 + font * 0.6)
    ups[1:] = [up + font * 0.6 for up in ups[1:]]
    return ups, thick[-1] / 2


def _ends(arcs):
    """Return, in font sizes, how far from its word's middle each arc ends: (word, arc) → offset."""
    # Arcs to the left, the nearest first, the root's, arcs to the right, the farthest: none cross.
    at = [[] for _ in arcs]
    for arc, (head, _) in enumerate(arcs):
        if head < 0:
            at[arc].append((1, 0, arc))
            continue
        for here, there in ((arc, head), (head, arc)):
            at[here].append((0 if there < here else 2, -there, arc))
    found = {}
    for word, here in enumerate(at):
        here.sort()
        for k, (_, _, arc) in enumerate(here):
            found[word, arc] = _END * (k - (len(here) - 1) / 2)
    return found


def _rows(arcs):
    """Number the rows of arcs from 1: each above all shorter ones next to it, the root's on top."""
    tops, rows = np.zeros(len(arcs), dtype=np.int64), [0] * len(arcs)
    spans = sorted(
        (abs(arc - head), min(arc, head), arc) for arc, (head, _) in enumerate(arcs) if head >= 0
    )
    for length, left, arc in spans:
        rows[arc] = int(tops[left : left + length].max()) + 1
        tops[left : left + length] = rows[arc]
    return [row or int(tops.max()) + 1 for row in rows]


def _arc(start, end, low, high, font):
    """Return the points of an arc with round corners; the root's is a line down to its word."""
    if start == end:
        return [(end, high), (end, low)]
    radius = min(font * _CORNER, abs(end - start) / 2, high - low)
    side = radius if end > start else -radius
    inward, upward = side * (1 - np.cos(_QUARTER)), high - radius * (1 - np.sin(_QUARTER))
    rise = list(zip(start + inward, upward, strict=True))
    fall = list(zip(end - inward, upward, strict=True))[::-1]
    return [(start, low), *rise, *fall, (end, low)]
