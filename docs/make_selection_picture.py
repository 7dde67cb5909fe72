"""Draw the plot of the page on segments: ``python docs/make_selection_picture.py DATA``.

DATA holds ``wmt23``, whose Hebrew-English MQM scores it draws parts of, by
``benchmarks/segment_selection.py``.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "benchmarks"))
from segment_selection import Draws, wmt23  # noqa: E402

from sklearn_mteval.plots import SelectionDisplay  # noqa: E402

SIZES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
CHOICES = {
    "random": "random segments",
    "random, whole documents": "random, whole documents",
    "random, by document": "random, some of each document",
    "spread, by document, metrics help": "spread, some of each document, metrics help",
}


def main():
    """Draw it."""
    pair = wmt23(Path(sys.argv[1]), "he-en", ["XCOMET-Ensemble", "MetricX-23"])
    errors = {}
    for choice, label in CHOICES.items():
        draws = [Draws(pair, choice, size, 400).measured(0)[0] for size in SIZES]
        errors[label] = [np.sqrt(np.mean(error**2)) for error in draws]
        print(choice, np.round(errors[label], 3))
    display = SelectionDisplay(SIZES, errors, unit="MQM points").plot()
    display.ax_.set_title("What a part says of all: WMT23 Hebrew–English, 12 systems")  # noqa: RUF001
    display.figure_.savefig(DOCS / "images" / "selection.png", dpi=120)


if __name__ == "__main__":
    main()
