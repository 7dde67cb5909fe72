"""Draw the picture of documents: ``python docs/make_documents_picture.py``.

It needs SKLEARN_MTEVAL_DATA, which holds ``wmt24/esa``. Campaigns are drawn from WMT24's by whole
documents, as in ``benchmarks/document_coverage.py``, which this takes its functions from.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
from document_coverage import board, parts_of, wmt24

IMAGES = Path(__file__).parent / "images"
PAIR, DRAWS = "en-cs", 100
HOLD, MISS, TRUTH = "#0072B2", "#D55E00", "#222222"


def main():
    """Draw the intervals of one system's mean in campaigns drawn, by segments and by documents."""
    parts, systems = parts_of(*wmt24(PAIR))
    truth = board(parts, systems, "mean", True).table["score"]
    system, rng = truth.index[len(truth) // 2], np.random.default_rng(0)  # the middle one
    campaigns = [
        [parts[k] for k in rng.integers(len(parts), size=len(parts))] for _ in range(DRAWS)
    ]
    figure, axes = plt.subplots(1, 2, figsize=(8, 5), sharex=True, sharey=True,
                                layout="constrained")  # fmt: skip
    for ax, by_document in zip(axes, (False, True), strict=True):
        missed = 0
        for row, drawn in enumerate(campaigns):
            found = board(drawn, systems, "mean", by_document).table.loc[system]
            holds = found["low"] <= truth[system] <= found["high"]
            ends = found["low"] - 1000, found["high"] - 1000  # which board adds
            missed += not holds
            colour = HOLD if holds else MISS
            ax.plot(ends, [row, row], color=colour, linewidth=1.5)
        ax.axvline(truth[system] - 1000, color=TRUTH, linewidth=1)
        units = "documents" if by_document else "segments"
        ax.set_title(f"by {units}: {missed} of {DRAWS} intervals miss", fontsize=10)
        ax.set_xlabel("mean ESA score")
        ax.set_yticks([])
        ax.spines[["top", "right", "left"]].set_visible(False)
        print(system, units, missed)
    axes[0].set_ylabel("campaigns drawn")
    figure.savefig(IMAGES / "documents.png", dpi=120)


if __name__ == "__main__":
    main()
