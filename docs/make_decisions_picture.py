"""Draw the picture of the page on decisions: ``python docs/make_decisions_picture.py DATA``.

DATA holds ``wmt23``, of which zh-en is shown. The tables are printed, too.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot

from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.evaluation import decision_table
from sklearn_mteval.plots import DecisionTableDisplay
from sklearn_mteval.report import report_text

IMAGES = Path(__file__).parent / "images"


def main():
    """Draw it."""
    root = Path(sys.argv[1]) / "wmt23"
    given = {"human_systems": True, "metric_scores": ["chrF"]}
    judged = load_judgements(root, "mtme", lang_pair="zh-en", **given)
    figure, axes = pyplot.subplots(1, 2, figsize=(10.5, 4.4), layout="constrained")
    for ax, level in zip(axes, ("system", "segment"), strict=True):
        found = decision_table("chrF", judged, level=level)
        print(report_text(found))
        DecisionTableDisplay.of(found).plot(ax)
    figure.savefig(IMAGES / "decisions.png", dpi=120)


if __name__ == "__main__":
    main()
