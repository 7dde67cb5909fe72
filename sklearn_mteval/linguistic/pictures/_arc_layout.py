"""Where the words and arcs of a dependency tree go, in points, so that no two labels overlap.

An arc lies above all shorter ones that it spans; words stand so far apart that every relation has
room on its arc. All is computed along the line of words, and upwards from it; where words stand
below each other, "up" is to the left.
"""

from itertools import pairwise

import numpy as np

from sklearn_mteval._helpers.shown import printable
from sklearn_mteval.linguistic.pictures._tree_layout import (
    ASCENT,
    DESCENT,
    GAP,
    LINE,
    TAG_ROW,
    Label,
    Panel,
)
from sklearn_mteval.linguistic.trees.treebanks.dependency import word_nodes

# In font sizes:
_END = 0.55  # between two arcs that end at one word
_ROW = 1.5  # from arc to arc above it
_CORNER = 0.7  # radius
_MIDDLE = 0.3  # of a relation above its baseline
_QUARTER = np.linspace(0, np.pi / 2, 7)


def arc_panel(tree, texts, widths, font, *, across):
    """Lay out a dependency tree: words in a line, tags below, arcs from heads to dependents above.

    ``across``: each word has a line of its own, with arcs on its left and the tag on its right.
    """
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
        labels.append(Label(node, printable(names[k]), x, y - font * _MIDDLE, "relation"))
    sides = (total, length) if across else (length, total)
    return Panel(*sides, labels, lines, heads)


def _words_and_arcs(tree):
    """Return the nodes of words and tags, the relations, and the arcs.

    Of each word: the position of its head, -1 if it is the root, and the node of its relation.
    """
    relations, tags, names = zip(*word_nodes(tree), strict=True)
    words = [tree.children[tag][0] for tag in tags]
    position = {node: k for k, node in enumerate(relations)}
    return words, tags, names, [(position.get(tree.parents[node], -1), node) for node in relations]


def _line_up(own, sizes, arcs, ends, font):
    """Place words along their line; return their middles and its length.

    ``own`` is what each word takes at least, ``sizes`` what the label of each node takes.
    """
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
    """Return how far up each row is, from row 0, where arcs end, and what the last one takes.

    ``widths`` are those of labels, where rows must be as wide as their relations.
    """
    if widths is None:
        return [low + font * _ROW * row for row in range(max(rows) + 1)], font * ASCENT
    thick = [0.0] * (max(rows) + 1)
    for (_, node), row in zip(arcs, rows, strict=True):
        thick[row] = max(thick[row], widths[node])
    ups = [low]
    for before, own in pairwise(thick):
        ups.append(ups[-1] + (before + own) / 2 + font * 0.6)
    ups[1:] = [up + font * 0.6 for up in ups[1:]]
    return ups, thick[-1] / 2


def _ends(arcs):
    """Return, in font sizes, how far from its word's middle each arc ends: (word, arc) → offset.

    From left to right: arcs to the left, the nearest first, the root's, arcs to the right, the
    farthest first: so that none that end at one word cross.
    """
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
