"""Draw how segments are split and how partitions work: ``python docs/make_using_pictures.py``."""

from io import BytesIO
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from PIL import Image
from sklearn.model_selection import KFold

from sklearn_mteval import SegmentKFold

IMAGES = Path(__file__).parent / "images"
# A grey and two colours that can be read on white and on black.
GREY, BLUE, ORANGE = "#7a7a7a", "#2f81f7", "#d9822b"


def save(figure, name):
    """Write a small PNG with a transparent ground, NAME.png."""
    with BytesIO() as png:
        figure.savefig(png, dpi=110, transparent=True)
        Image.open(png).quantize(64).save(IMAGES / f"{name}.png", optimize=True)
    plt.close(figure)


def segments():
    """Draw the test rows of one fold: by rows, and by segments."""
    rows = pd.MultiIndex.from_product([range(8), range(5)], names=["segment", "system"])
    X = pd.DataFrame({"x": 0.0}, index=rows)
    y = pd.Series(1, index=rows)
    kinds = {
        "KFold": KFold(4, shuffle=True, random_state=0),
        "SegmentKFold": SegmentKFold(4),
    }
    figure, panels = plt.subplots(1, 2, figsize=(8.5, 2.7), layout="constrained")
    for panel, (name, folds) in zip(panels, kinds.items(), strict=True):
        _, test = next(folds.split(X, y))
        colours = np.full(len(X), BLUE)
        colours[test] = ORANGE
        segment, system = (rows.get_level_values(k).to_numpy() for k in (0, 1))
        panel.scatter(segment, system, s=170, marker="s", c=colours)
        tested = np.isin(np.arange(len(X)), test)
        both = sum(0 < tested[segment == s].sum() < 5 for s in range(8))
        panel.set_title(f"{name}: {both} of 8 segments are cut", color=GREY, fontsize=11)
        panel.set_xlabel("segment", color=GREY)
        panel.set_ylabel("system", color=GREY)
        panel.set_ylim(-0.7, 4.7)
        panel.set_xticks([])
        panel.set_yticks([])
        panel.spines[:].set_visible(False)
    for colour, name in ((BLUE, "training"), (ORANGE, "test")):
        panels[0].scatter([], [], s=80, marker="s", c=colour, label=name)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, labelcolor=GREY)
    save(figure, "segment_folds")


def partitions():
    """Draw what goes from file to file."""
    figure, axes = plt.subplots(figsize=(8.5, 2.9), layout="constrained")
    axes.set_axis_off()
    axes.set_xlim(0, 17)
    axes.set_ylim(0, 6.2)

    def box(x, y, text, colour):
        frame = {"boxstyle": "round,pad=0.45", "facecolor": "none", "edgecolor": colour}
        axes.text(x, y, text, ha="center", va="center", fontsize=10, color=GREY, bbox=frame)

    def arrow(start, end):
        axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": GREY})

    box(1.6, 3, "one table,\nof any size", GREY)
    box(15.4, 3, "table of\nsystems", GREY)
    for y, name in ((5.2, "1"), (3, "2"), (0.8, "3")):
        box(5.2, y, f"texts {name}", BLUE)
        box(8.6, y, "task", ORANGE)
        box(12, y, f"ranks {name}, sums {name}", BLUE)
        arrow((2.6, 3 + (y - 3) / 9), (4.5, y))
        arrow((5.9, y), (8.1, y))
        arrow((9.1, y), (10.6, y))
        arrow((13.4, y), (14.6, 3 + (y - 3) / 9))
    for x, y, text in (
        (3, 5.6, "dealt by hash"),
        (8.6, 6.1, "any process"),
        (15.4, 1.7, "adds up"),
    ):
        axes.text(x, y, text, ha="center", color=GREY, fontsize=9)
    save(figure, "partitions")


if __name__ == "__main__":
    segments()
    partitions()
