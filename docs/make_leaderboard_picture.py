"""Draw the picture of the page on leaderboards: ``python docs/make_leaderboard_picture.py DATA``.

DATA holds ``wmt15``, whose German-English rankings it shows. The table is printed, too.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.plots import LeaderboardDisplay
from sklearn_mteval.report import report_text

IMAGES = Path(__file__).parent / "images"


def main():
    """Draw it."""
    X, y = load_wmt(Path(sys.argv[1]) / "wmt15", "de-en", return_X_y=True)
    names = X.index.levels[-1]
    short = [name.split(".", 1)[1].rsplit(".", 3)[0] for name in names]
    index = X.index.set_levels(short, level="system")
    found = leaderboard(X.set_axis(index), y.set_axis(index))
    print(report_text(found))
    figure = LeaderboardDisplay.of(found).plot().figure_
    figure.savefig(IMAGES / "leaderboard.png", dpi=120)


if __name__ == "__main__":
    main()
