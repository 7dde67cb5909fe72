"""Draw the images of docs/pairwise_nn.md and docs/word_vectors.md.

``pip install -c constraints.txt -e '.[docs]'``, set ``SKLEARN_MTEVAL_DATA`` to the folder of real
data, then ``python docs/make_figures.py``: within two minutes. Without the data only the
network is drawn.
"""

import os
import re
from io import BytesIO
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch
from PIL import Image
from sklearn.pipeline import Pipeline, make_union
from sklearn.preprocessing import MinMaxScaler

from sklearn_mteval import BLEUComp, EmbeddingAverager, PairwiseNN, RankRecomposer
from sklearn_mteval.datasets import load_sample, load_wmt
from sklearn_mteval.features import WordVectorAlignment

IMAGES = Path(__file__).parent / "images"

# Okabe and Ito's colours, which colour-blind readers tell apart.
BLUE, GREEN, VERMILION = "#0072B2", "#007A5A", "#B84A00"
INK, GREY = "#222222", "#5F5F5F"

STYLE = {
    "font.size": 11,
    "mathtext.fontset": "dejavusans",
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E3E3E3",
    "figure.facecolor": "white",
    "svg.hashsalt": "sklearn_mteval",  # the same bytes in every run
}

EPOCHS = 100  # of each cost
OUTPUT, RADIUS = (573, 254), 39  # where the output's circle stands


def draw_network(path):
    """Draw the network (2015 paper, figure 1).

    Parameters
    ----------
    path : Path
        The SVG file to write.
    """
    figure, axes = plt.subplots(figsize=(7.6, 4.9))
    axes.set(xlim=(0, 760), ylim=(490, 0), aspect="equal")
    axes.axis("off")
    figure.subplots_adjust(0, 0, 1, 1)

    inputs = {
        "s1": (66, r"$\psi_{1r}$", "similarity of $t_1$ to $r$", BLUE),
        "t1": (160, r"$x_{t1}$", "embedding of $t_1$", BLUE),
        "r": (254, r"$x_{r}$", "embedding of reference $r$", INK),
        "t2": (348, r"$x_{t2}$", "embedding of $t_2$", VERMILION),
        "s2": (442, r"$\psi_{2r}$", "similarity of $t_2$ to $r$", VERMILION),
    }
    hidden = {
        "h1r": (160, r"$h_{1r}$", BLUE, ("t1", "r")),
        "h12": (254, r"$h_{12}$", GREEN, ("t1", "t2")),
        "h2r": (348, r"$h_{2r}$", VERMILION, ("r", "t2")),
    }
    for y, symbol, meaning, colour in inputs.values():
        _box(axes, (100, y), (184, 52), colour)
        axes.text(100, y - 8, symbol, ha="center", va="center", fontsize=15, color=INK)
        axes.text(100, y + 13, meaning, ha="center", va="center", fontsize=9.5, color=INK)
    for y, symbol, colour, seen in hidden.values():
        _box(axes, (372, y), (156, 58), colour)
        axes.text(318, y, symbol, ha="center", va="center", fontsize=15, color=INK)
        for unit in range(4):
            axes.add_patch(Circle((354 + 25 * unit, y), 9, facecolor="white", edgecolor=colour))
        for name in seen:
            _arrow(axes, (192, inputs[name][0]), (293, y + 0.12 * (inputs[name][0] - y)), colour)
        _arrow(axes, (451, y), _on_circle((451, y)), colour)
    for y, bend, colour in ((66, -0.25, BLUE), (442, 0.25, VERMILION)):
        end = (OUTPUT[0] - 6, OUTPUT[1] + np.sign(y - OUTPUT[1]) * (RADIUS + 1))
        _arrow(axes, (192, y), end, colour, bend=bend, dashed=True)

    axes.add_patch(Circle(OUTPUT, RADIUS, facecolor="#F4F4F4", edgecolor=INK, linewidth=1.6))
    steps = np.linspace(-1, 1, 60)
    step = 1 / (1 + np.exp(-6 * steps)) - 0.5
    axes.plot(OUTPUT[0] + 21 * steps, OUTPUT[1] - 32 * step, color=INK, lw=1.8)
    axes.text(622, 243, r"$f(t_1, t_2, r)$", va="center", fontsize=14, color=INK)
    axes.text(622, 269, r"= P($t_1$ is better)", va="center", fontsize=10.5, color=INK)
    titles = ((100, "input"), (372, "hidden groups, $H$ tanh units each"), (626, "output, sigmoid"))
    for x, title in titles:
        axes.text(x, 16, title, ha="center", va="center", fontsize=10.5, color=GREY)
    axes.text(372, 477, "dashed: skip arcs", ha="center", va="center", fontsize=10, color=GREY)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def draw_learning_curve(path, data):
    """Train on real rankings and draw cost and Kendall's tau of each epoch.

    Parameters
    ----------
    path : Path
        The PNG file to write.
    data : Path
        Folder with ``wmt13`` and ``vectors``.
    """
    X, y = load_wmt(data / "wmt13", "fr-en", return_X_y=True)
    network = PairwiseNN(
        loss="logistic+kendall",
        max_epochs=EPOCHS,
        patience=None,
        validation_fraction=0.2,
        random_state=0,
    )
    vectors = data / "vectors" / "distilled-en-50d.txt"
    pipe = Pipeline(
        [
            ("features", make_union(BLEUComp(), EmbeddingAverager(vectors))),
            ("scale", MinMaxScaler(feature_range=(-1, 1))),
            ("rank", RankRecomposer(network)),
        ]
    ).set_output(transform="pandas")
    trained = pipe.fit(X, y)["rank"].estimator_
    best = trained.history_[trained.best_epoch_ - 1]
    print(f"best epoch {best['epoch']}: tau {best['tau']:.4f}; last of each cost:")

    figure, (above, below) = plt.subplots(2, 1, figsize=(7, 5.2), sharex=True)
    for objective, colour, marker in (("logistic", BLUE, "o"), ("kendall", VERMILION, "s")):
        epochs = [epoch for epoch in trained.history_ if epoch["objective"] == objective]
        print(objective, epochs[-1])
        at = [epoch["epoch"] for epoch in epochs]
        line = {"color": colour, "marker": marker, "markevery": 10, "markersize": 4.5, "lw": 1.6}
        label = {"logistic": "logistic cost", "kendall": "Kendall cost"}[objective]
        above.plot(at, [epoch["loss"] for epoch in epochs], label=label, **line)
        below.plot(at, [100 * epoch["tau"] for epoch in epochs], **line)
    below.plot(
        best["epoch"], 100 * best["tau"], marker="*", markersize=14, color=INK, linestyle="none"
    )
    below.annotate(
        f"best epoch, {best['epoch']}: kept",
        (best["epoch"], 100 * best["tau"]),
        xytext=(8, 7),
        textcoords="offset points",
        color=INK,
    )
    for axes in (above, below):
        axes.axvline(EPOCHS + 0.5, color=GREY, linestyle=":", lw=1.4)
    above.annotate(
        f"switch, from epoch {best['epoch']}'s weights",
        (EPOCHS + 0.5, 0.97),
        xycoords=("data", "axes fraction"),
        xytext=(6, 0),
        textcoords="offset points",
        va="top",
        color=GREY,
    )
    above.set_ylabel("mean training cost\nof a pair")
    above.legend(frameon=False, loc="lower left")
    below.set_ylabel("Kendall's τ, in hundredths,\nheld-out segments")
    below.set_xlabel("epoch (one pass over the training pairs)")
    below.set_xlim(0, 2 * EPOCHS + 1)
    below.margins(y=0.2)
    figure.align_ylabels()
    figure.tight_layout()
    with BytesIO() as drawn:
        figure.savefig(drawn, dpi=200)
        Image.open(drawn).convert("RGB").quantize(64).save(path, optimize=True)
    plt.close(figure)


def draw_alignment(path, data):
    """Draw the soft alignment of one sentence pair of the bundled sample.

    Parameters
    ----------
    path : Path
        The PNG file to write.
    data : Path
        The folder of real data.
    """
    X, _ = load_sample(return_X_y=True)
    row = X[
        X["reference"].str.startswith("Why is the sky") & X["hypothesis"].str.contains("heaven")
    ]
    fitted = WordVectorAlignment(data / "vectors" / "distilled-en-100d.txt.gz").fit(X)
    precision, recall, f, distance = fitted.transform(row)[0]
    left, right = (
        re.findall(r"\w+|[^\w\s]", row[column].iloc[0]) for column in ("hypothesis", "reference")
    )
    # The precision of two words alone is their cosine, or 0 if that is negative.
    pairs = pd.DataFrame([(a, b) for a in left for b in right], columns=["hypothesis", "reference"])
    cosines = fitted.transform(pairs)[:, 0].reshape(len(left), len(right))
    figure, axes = plt.subplots(figsize=(6.4, 6.4))
    axes.imshow(cosines, cmap="Blues", vmin=0, vmax=1)
    axes.set_xticks(range(len(right)), right, rotation=50, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(len(left)), left)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    for (i, j), cosine in np.ndenumerate(cosines):
        best_of_row, best_of_column = cosine == cosines[i].max(), cosine == cosines[:, j].max()
        if best_of_row or best_of_column:
            colour = "white" if cosine > 0.6 else INK
            axes.text(j, i, f"{cosine:.1f}", ha="center", va="center", fontsize=8, color=colour)
        if best_of_row:
            axes.add_patch(Circle((j, i), 0.38, fill=False, edgecolor=VERMILION, lw=1.6))
        if best_of_column:
            square = FancyBboxPatch((j - 0.45, i - 0.45), 0.9, 0.9, boxstyle="square,pad=0")
            square.set(fill=False, edgecolor=GREEN, linewidth=1.6)
            axes.add_patch(square)
    axes.set_xlabel(
        f"circle: nearest word of the reference, precision {precision:.2f}\n"
        f"square: nearest word of the hypothesis, recall {recall:.2f}\n"
        f"F {f:.2f}, relaxed word mover's distance {distance:.2f}",
        labelpad=10,
    )
    figure.tight_layout()
    with BytesIO() as drawn:
        figure.savefig(drawn, dpi=150)
        Image.open(drawn).convert("RGB").quantize(64).save(path, optimize=True)
    plt.close(figure)


def _box(axes, centre, size, colour):
    """Draw a rounded box with a tinted face."""
    corner = np.array(centre) - np.array(size) / 2
    tint = (*matplotlib.colors.to_rgb(colour), 0.08)
    shape = FancyBboxPatch(corner, *size, boxstyle="round,pad=0,rounding_size=9")
    shape.set(facecolor=tint, edgecolor=colour, linewidth=1.4)
    axes.add_patch(shape)


def _arrow(axes, start, end, colour, *, bend=0.0, dashed=False):
    """Draw an arrow, bent for skip arcs."""
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=11,
            shrinkA=0,
            shrinkB=0,
            color=colour,
            linewidth=1.5,
            linestyle=(0, (5, 3)) if dashed else "-",
        )
    )


def _on_circle(start):
    """Find where a straight line from a point meets the output's circle."""
    towards = np.array(start) - OUTPUT
    return OUTPUT + (RADIUS + 1) * towards / np.linalg.norm(towards)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    with plt.rc_context(STYLE):
        draw_network(IMAGES / "pairwise_network.svg")
        if folder := os.environ.get("SKLEARN_MTEVAL_DATA"):
            draw_alignment(IMAGES / "alignment.png", Path(folder))
            draw_learning_curve(IMAGES / "learning_curve.png", Path(folder))
        else:
            print("SKLEARN_MTEVAL_DATA is not set: no alignment, no learning curve")
