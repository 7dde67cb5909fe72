"""Draw the picture of the page on syntactic vectors: ``python docs/make_syntactic_picture.py``."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from sklearn_mteval.linguistic.syntactic._network import (
    binary_nodes,
    centred_rows,
    load_network,
    plant,
)
from sklearn_mteval.text import load_word_vectors
from sklearn_mteval.trees import ConstituencyParser, read_brackets

SENTENCE = "The old dog barked loudly."
GREY = "#5F5F5F"
WHITE = {"facecolor": "white", "edgecolor": "none", "pad": 1}


def vectors_of_nodes(nodes, network):
    """Compose the vector of every node."""
    words = [word for word in nodes.words if word is not None]
    known = centred_rows(words, load_word_vectors("english"), network.mean) @ network.projection
    forest = plant([nodes], network, {word: k for k, word in enumerate(words)})
    found = []
    for left, right, source in zip(forest.left, forest.right, forest.source, strict=True):
        if left < 0:
            found.append(known[source])
        else:
            joined = np.concatenate([found[left], found[right], [1]])
            found.append(np.tanh(joined @ network.matrices[source]))
    return np.array(found)


def places(nodes):
    """Lay nodes out: words side by side, a node above the middle of its children."""
    leaves = [k for k, word in enumerate(nodes.words) if word is not None][::-1]
    x = {leaf: float(place) for place, leaf in enumerate(leaves)}
    y = dict.fromkeys(leaves, 0)
    for node, (left, right) in enumerate(zip(nodes.left, nodes.right, strict=True)):
        if left >= 0:
            x[node], y[node] = (x[left] + x[right]) / 2, 1 + max(y[left], y[right])
    return x, y


def draw():
    """Draw the tree, and beside each node its 25 numbers as a strip."""
    (line,) = ConstituencyParser().parse([SENTENCE])
    network, nodes = load_network(), binary_nodes(read_brackets(line)[0])
    vectors, (x, y) = vectors_of_nodes(nodes, network), places(nodes)
    most = np.abs(vectors).max()
    figure, ax = plt.subplots(figsize=(8.5, 4.6), layout="constrained")
    for node, (left, right) in enumerate(zip(nodes.left, nodes.right, strict=True)):
        for child in (left, right) if left >= 0 else ():
            ax.plot([x[node], x[child]], [y[node], y[child]], color=GREY, zorder=1)
    for node, vector in enumerate(vectors):
        extent = (x[node] - 0.42, x[node] + 0.42, y[node] - 0.1, y[node] + 0.1)
        ax.imshow(vector[np.newaxis], "RdBu_r", extent=extent, vmin=-most, vmax=most, aspect="auto",
                  zorder=2)  # fmt: skip
        left, top, right, bottom = extent[0], extent[3], extent[1], extent[2]
        ax.plot([left, right, right, left, left], [top, top, bottom, bottom, top], color=GREY,
                linewidth=0.8, zorder=3)  # fmt: skip
        category, children = nodes.categories[node], (nodes.left[node], nodes.right[node])
        if children[0] < 0:
            ax.text(x[node], -0.18, f"{nodes.words[node]}\n{category}", ha="center", va="top")
        else:
            below = "·".join(nodes.categories[child] for child in children)
            ax.text(x[node], top + 0.05, f"{category} = tanh($W^{{({below})}}$ …)", ha="center",
                    va="bottom", fontsize=9, bbox=WHITE)  # fmt: skip
    ax.set_xlim(-0.6, max(x.values()) + 0.6)
    ax.set_ylim(-0.75, max(y.values()) + 0.5)
    ax.set_axis_off()
    figure.savefig(Path(__file__).parent / "images" / "syntactic_network.png", dpi=110)


if __name__ == "__main__":
    draw()
