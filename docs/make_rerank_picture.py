"""Draw the picture of the page on reranking: ``python docs/make_rerank_picture.py DATA NUMBERS``.

NUMBERS is what ``benchmarks/rerank_by_annotators.py --without tuning-task --output`` wrote; DATA
holds WMT15, of whose translations the lists of 100 candidates on the right are spliced. The numbers
of these are printed.
"""

import json
import os
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot

from sklearn_mteval.models import rerank

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT.parent / "benchmarks"))

PROPORTIONS = (1 / 8, 1 / 4, 1 / 3, 1 / 2)


def by_annotators(ax, rows):
    """Draw what annotators say of the choices against what these take."""
    rows = [row for row in rows if row["pair"] == "all" and row["seconds"] > 0]
    for k, row in enumerate(sorted(rows, key=lambda row: -row["difference"])):
        reads = row["way"].endswith("static model") and not row["way"].startswith("MBR")
        marker = "s" if reads else "^" if row["way"].startswith("strength") else "o"
        low, high = row["difference"] - row["low"], row["high"] - row["difference"]
        ax.errorbar(
            row["seconds"], row["difference"], [[low], [high]], fmt=marker, ms=6, lw=1,
            color=pyplot.cm.tab20(k % 20),
            label=row["way"] + (" (reads the reference)" if reads else ""),
        )  # fmt: skip
    ax.axhline(0, color="black", lw=0.8)
    ax.set(
        xscale="log", xlabel="seconds for 1,000 segments",
        ylabel="pairs won, less those of the best system, %",
        title="WMT15 into English, by annotators",
    )  # fmt: skip
    ax.legend(fontsize=7.5, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def approximations(ax, lists):
    """Draw what approximations of chrF-MBR lose against what they ask for."""
    exact = rerank(lists)
    values = exact["value"].groupby(level="segment")
    given = {"aggregate": [{}], "prune": [{}]}
    given["low-rank"] = [{"proportion": proportion} for proportion in PROPORTIONS]
    for name, settings in given.items():
        asked, loss = [], []
        for options in settings:
            found = rerank(lists, approximation=name, **options)
            reached = exact["value"][found["chosen"]].to_numpy()
            way = (values.max() - reached) / (values.max() - values.median())
            asked.append(100 * found["compared"].sum() / exact["compared"].sum())
            loss.append(100 * np.mean(way))
            same = np.mean(found["chosen"].to_numpy()[exact["chosen"].to_numpy()])
            print(f"{name} {options}: asked {asked[-1]:.1f} %, loss {loss[-1]:.1f} %, {same:.2f}")
        ax.plot(asked, loss, "o-", label=name)
    ax.plot([100], [0], "k*", label="exact")
    ax.set(
        xscale="log", xlabel="utilities asked for, %",
        ylabel="expected utility lost, %",
        title="chrF, lists of 100 candidates",
    )  # fmt: skip
    ax.legend(frameon=False)


def main():
    """Draw it."""
    os.environ["SKLEARN_MTEVAL_DATA"] = sys.argv[1]
    from benchmarks.reranking import spliced_lists

    figure, (left, right) = pyplot.subplots(
        1, 2, figsize=(12, 4.4), layout="constrained", width_ratios=(5, 3)
    )
    by_annotators(left, json.loads(Path(sys.argv[2]).read_text()))
    approximations(right, spliced_lists())
    figure.savefig(ROOT / "images" / "rerank.png", dpi=120)


if __name__ == "__main__":
    main()
