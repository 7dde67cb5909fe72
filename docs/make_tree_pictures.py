"""Draw the trees of the page on trees: ``python docs/make_tree_pictures.py``."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from sklearn_mteval.plots import TreeDisplay

IMAGES = Path(__file__).parent / "images"
HYPOTHESIS = "The minister said on Monday, that the talks will go on although nobody agreed."
REFERENCE = "On Monday the minister said that talks would continue although no one had agreed."


def save(display, name):
    """Write a picture."""
    display.figure_.savefig(IMAGES / f"{name}.png", dpi=110)
    plt.close(display.figure_)


if __name__ == "__main__":
    save(TreeDisplay.from_texts(HYPOTHESIS, REFERENCE), "tree_pair")
    save(TreeDisplay.from_texts(HYPOTHESIS, kind="dependency"), "tree_dependencies")
