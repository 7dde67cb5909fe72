"""Draw the picture of the page on corruptions: ``python docs/make_challenge_picture.py``.

What ``static-en`` says of the sample, as ``sklearn-mteval challenge static-en`` prints it; the
table is put into the page.
"""

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from sklearn_mteval import load_pretrained
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.evaluation import challenge
from sklearn_mteval.plots import ChallengeDisplay
from sklearn_mteval.report import report_text

DOCS = Path(__file__).parent


def main():
    """Draw it."""
    found = challenge(load_pretrained("static-en"), *load_sample(return_X_y=True), name="static-en")
    page = DOCS / "challenges.md"
    table = report_text(found).partition("\n\nColumns say")[0]
    shown = re.compile(r"(?<=```text\n).*?(?=\n```)", re.S)
    text = shown.sub(lambda _: table, page.read_text("utf-8"), count=1)  # the page's first output
    page.write_text(text, "utf-8")
    figure = ChallengeDisplay.of(found).plot().figure_
    figure.savefig(DOCS / "images" / "challenge.png", dpi=80)


if __name__ == "__main__":
    main()
