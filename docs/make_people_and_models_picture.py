"""Draw the plot of automatic judges: ``python docs/make_people_and_models_picture.py DATA``.

DATA holds ``wmt23``. Of Hebrew-English, annotators' judgements of 205 of 820 segments are kept:
what they say alone, what XCOMET says alone (on annotators' scale, fitted to the same judgements),
what annotators say with its help, and what they say of all.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.evaluation import leaderboard

IMAGES = Path(__file__).parent / "images"
METRIC, N_JUDGED = "XCOMET-Ensemble", 205
GREY, BLUE, VERMILION, INK = "#888888", "#0072B2", "#D55E00", "#222222"


def main():
    """Draw it."""
    folder = Path(sys.argv[1]) / "wmt23"
    judged = load_judgements(folder, "mtme", lang_pair="he-en", human_systems=False)
    y, scores = judged.y, judged.scores[[METRIC]].reindex(judged.y.index)
    truth = (0 - y).groupby(level="system").mean().sort_values()
    segments = y.index.unique("segment")
    chosen = np.isin(np.arange(len(segments)), np.random.default_rng(5).permutation(820)[:N_JUDGED])
    kept = y.index.get_level_values("segment").isin(segments[chosen])
    selection = pd.DataFrame({"chosen": chosen, "probability": N_JUDGED / 820}, index=segments)
    X, part = pd.DataFrame(index=y.index[kept]), y[kept]
    alone = leaderboard(X, part, by="mean", selection=selection)
    helped = leaderboard(X, part, by="mean", selection=selection, scores=scores)
    print(helped.counts)
    slope, constant = np.polyfit(scores[METRIC][kept], 0 - part, 1)
    metric = constant + slope * scores[METRIC].groupby(level="system").mean()[truth.index]
    figure, ax = plt.subplots(figsize=(8.5, 5), layout="constrained")
    rows = np.arange(len(truth))
    for found, offset, colour, label in (
        (alone, 0.2, GREY, f"annotators alone, {N_JUDGED} segments"),
        (helped, -0.2, BLUE, f"the same with the help of {METRIC}"),
    ):
        table = found.table.loc[truth.index]
        ax.hlines(rows + offset, table["sandwich_low"], table["sandwich_high"], colors=colour, lw=2)
        ax.plot(table["score"], rows + offset, "o", color=colour, ms=5, label=label)
    ax.plot(metric, rows, "x", color=VERMILION, ms=6, mew=1.8, label=f"{METRIC} alone, rescaled")
    ax.plot(truth, rows, "|", color=INK, ms=20, mew=2, label="annotators, all 820 segments")
    ax.set_yticks(rows, truth.index)
    ax.set_xlabel("mean score (MQM, 0 is without errors)")
    ax.legend(frameon=False, loc="upper left")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    figure.savefig(IMAGES / "people_and_models.png", dpi=110)


if __name__ == "__main__":
    main()
