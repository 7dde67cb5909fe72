"""Draw the picture of ReVal's network: ``python docs/make_reval_picture.py``."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

IMAGES = Path(__file__).parent / "images"
BLUE, GREY = "#0072B2", "#5F5F5F"


def network():
    """Draw the network as boxes and arrows."""
    figure, ax = plt.subplots(figsize=(8.5, 3.4), layout="constrained")
    ax.set_axis_off()
    ax.set_xlim(0, 17)
    ax.set_ylim(0, 7)
    boxes = {
        "translation\n(words, tree)": (1.6, 5.5),
        "reference\n(words, tree)": (1.6, 1.5),
        "Tree-LSTM": (5, 5.5),
        "Tree-LSTM ": (5, 1.5),
        "$h_\\times = h_{ref} \\odot h_{tra}$": (8.8, 5.5),
        "$h_+ = |h_{ref} - h_{tra}|$": (8.8, 1.5),
        "sigmoid\n(50 units)": (12.2, 3.5),
        "softmax\nover 1 … 5": (15.2, 3.5),
    }
    for text, place in boxes.items():
        style = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": BLUE}
        ax.text(*place, text, ha="center", va="center", fontsize=10, bbox=style, zorder=3)
    places = list(boxes.values())
    arrows = [(0, 2), (1, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 6), (5, 6), (6, 7)]
    for start, end in arrows:
        (x, y), (to_x, to_y) = places[start], places[end]
        style = {"arrowstyle": "-|>", "color": GREY, "shrinkA": 42, "shrinkB": 46}
        ax.annotate("", (to_x, to_y), (x, y), arrowprops=style)
    ax.text(5, 3.5, "same weights", ha="center", va="center", fontsize=9, color=GREY)
    figure.savefig(IMAGES / "reval_network.png", dpi=110)


if __name__ == "__main__":
    network()
