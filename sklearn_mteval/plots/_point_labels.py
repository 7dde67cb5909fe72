"""Names at points, placed so that they hide neither points nor each other."""

import numpy as np

from sklearn_mteval.plots._base import GREY

_DISTANCES = (5, 13, 22, 32, 44)  # of a label from its point, in points
_ROUNDS = 4
_ANGLES = np.deg2rad([0, 45, -45, 90, -90, 135, -135, 180])
_PADDING = 2  # around labels and points, in pixels


def label_points(ax, x, y, names, obstacles, **kwargs):
    """Write each name near its point, with a line to one that stands far off, hiding no
    ``obstacles`` (n_lines, 4): left, bottom, right, top; return Annotations. Limits are final.
    """
    ax.figure.canvas.figure.draw_without_rendering()  # places the axes, so that pixels are known
    points = ax.transData.transform(np.column_stack([x, y]))
    style = {"fontsize": "small", "parse_math": False} | kwargs
    sizes = [_size(ax, name, style) for name in names]
    pixel = ax.figure.dpi / 72
    offsets = np.array([(d * np.cos(a), d * np.sin(a)) for d in _DISTANCES for a in _ANGLES])
    rank = np.repeat(np.arange(len(_DISTANCES)), len(_ANGLES))  # 0: near, without a line
    frame = np.ravel(ax.get_window_extent().get_points())  # left, bottom, right, top
    radius = 4 * pixel
    lines = ax.transData.transform(np.reshape(obstacles, (-1, 2))).reshape(-1, 4)
    lines += pixel * np.array([-1, -1, 1, 1])
    there = np.vstack([np.column_stack([points - radius, points + radius]), lines])
    # For each point, the boxes that its label could fill.
    choices = [
        _boxes(point + pixel * offsets, offsets, size)
        for point, size in zip(points, sizes, strict=True)
    ]
    # Costs are areas in pixels: hidden, outside, and in proportion to the label, distance and a
    # line that crosses another point, whose name the label would seem to be. Its own point no
    # label hides, at whatever distance.
    fixed = [
        12 * _overlaps(boxes, np.delete(there, k, axis=0)).sum(axis=1)
        + 3 * ((boxes[:, 2:] - boxes[:, :2]).prod(axis=1) - _overlaps(boxes, frame[None])[:, 0])
        + 0.2 * size.prod() * rank
        + size.prod() * _crossed(points - points[k], pixel * offsets, radius) * (rank > 0)
        for k, (boxes, size) in enumerate(zip(choices, sizes, strict=True))
    ]
    chosen = _chosen(choices, fixed, np.lexsort((names, y, x)))
    return [
        _annotate(ax, name, tuple(point), offsets[k], rank[k] > 0, style)
        for name, k, *point in zip(names, chosen, x, y, strict=True)
    ]


def _chosen(choices, fixed, order):
    """Choose a box for each label, one after the other: the cheapest beside those chosen."""
    chosen = np.full(len(choices), -1)
    for _ in range(_ROUNDS):  # the first are placed when most others are not there yet
        for k in order:
            others = [choices[j][chosen[j]] for j in order if j != k and chosen[j] >= 0]
            cost = fixed[k]
            if others:
                cost = cost + 4 * _overlaps(choices[k], np.array(others)).sum(axis=1)
            chosen[k] = cost.argmin()
    return chosen


def _facing(offsets):
    """Return which place of a label faces its point: 0 left or bottom, 1 right or top, or 0.5."""
    return (1 - np.round(offsets / np.linalg.norm(offsets, axis=-1, keepdims=True))) / 2


def _size(ax, name, style):
    """Measure a label, in pixels."""
    text = ax.text(0, 0, name, **style)
    box = text.get_window_extent()
    text.remove()
    return np.array([box.width, box.height])


def _boxes(anchors, offsets, size):
    """Return left, bottom, right, top of a label at each anchor."""
    low = anchors - _facing(offsets) * size
    return np.column_stack([low - _PADDING, low + size + _PADDING])


def _overlaps(boxes, others):
    """Return the areas that boxes (rows) and others (columns) have in common."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.clip(high - low, 0, None).prod(axis=2)


def _crossed(points, ends, radius):
    """Count the other points that lines from the origin to each of some ends pass close by."""
    others = points[np.abs(points).max(axis=1) > 0]
    along = np.clip(others @ ends.T / np.square(ends).sum(axis=1), 0, 1)
    distance = np.linalg.norm(others[:, None] - along[:, :, None] * ends, axis=2)
    return (distance < radius).sum(axis=0)


def _annotate(ax, name, point, offset, far, style):
    """Write one label."""
    right, up = _facing(offset)
    line = {"arrowstyle": "-", "color": GREY, "lw": 0.7, "shrinkA": 0, "relpos": (right, up)}
    return ax.annotate(
        name, point, xytext=tuple(offset), textcoords="offset points",
        ha={0: "left", 0.5: "center", 1: "right"}[right],
        va={0: "bottom", 0.5: "center", 1: "top"}[up], arrowprops=line if far else None, **style
    )  # fmt: skip
