"""Draw the pictures of the tutorial: ``python docs/make_tutorial_figures.py``, within a minute.

``pip install -c constraints.txt -e '.[plots]'`` comes before. They are of the bundled sample, on a
transparent ground, in inks that can be read on a light page and on a dark one.
"""

import contextlib
import io
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import to_hex, to_rgba
from PIL import Image

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.datasets.sample import sample_files
from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.features import MetricScores
from sklearn_mteval.models import (
    load_pretrained,
    rank_candidates,
    score_candidates,
    train_on_campaign,
)
from sklearn_mteval.plots import (
    AgreementDisplay,
    LeaderboardDisplay,
    LearningCurveDisplay,
    ScoreDistributionDisplay,
)

DOCS = Path(__file__).parent
GREY = "#7a7a7a"  # has a contrast of 4 with white and with #16181d
# What plots have for a light page: inks, and pale colours, which become translucent.
INKS = {"#222222": GREY, "#5f5f5f": GREY, "#000000": GREY}
PALE = {"#e3e3e3": (0.48, 0.48, 0.48, 0.3), "#f4f4f4": (0.48, 0.48, 0.48, 0.1)}


def for_both_pages(figure):
    """Give everything that is drawn a colour that can be seen on white and on black."""
    for artist in figure.findobj():
        for name in ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor"):
            colours = getattr(artist, f"get_{name}", lambda: "none")()
            if isinstance(colours, str) and colours in ("none", "auto"):
                continue
            many = not isinstance(colours, str) and len(np.shape(colours)) == 2
            new = [changed(colour) for colour in colours] if many else changed(colours)
            getattr(artist, f"set_{name}")(new)
        if artist.get_alpha() == 1:  # it would make a translucent colour opaque
            artist.set_alpha(None)


def changed(colour):
    """Return the colour that stands for one of a light page, as RGBA."""
    rgba = to_rgba(colour)
    new = (INKS | PALE).get(to_hex(rgba))
    return rgba if new is None or rgba[3] == 0 else to_rgba(new)


def save(display, name):
    """Write tutorial_NAME.png, small."""
    figure = getattr(display, "figure_", display)
    figure.canvas.draw()  # makes all tick labels
    for_both_pages(figure)
    path = DOCS / "images" / f"tutorial_{name}.png"
    with io.BytesIO() as png:
        figure.savefig(png, dpi=130, transparent=True)
        image = Image.open(png).convert("RGBA")
        image.quantize(128, method=Image.Quantize.FASTOCTREE).save(path, optimize=True)
    plt.close(figure)


def blocks(page):
    """Run the Python blocks of a page of the tutorial on the sample's files; return its names."""
    text = (DOCS / "tutorial" / f"{page}.md").read_text(encoding="utf-8")
    program = ModuleType("__main__")
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, content in sample_files().items():
            Path(name).write_text(content, encoding="utf-8")
        for code in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            exec(compile(code, page, "exec"), vars(program))
    return vars(program)


def draw_feature():
    """Draw what the search of the last page has found, against the feature's option."""
    names = blocks("6_your_own_feature")
    found = pd.DataFrame(names["search"].cv_results_)
    shortest = found["param_featureunion__untranslated__shortest"].astype(int)
    tau, spread = 100 * found["mean_test_score"], 100 * found["std_test_score"]
    print(dict(zip(shortest, tau.round(1), strict=True)), spread.round(1).tolist())
    alone = 100 * names["taus"].mean()
    figure, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    ax.errorbar(shortest, tau, spread, marker="o", capsize=3, color="#0072B2")
    ax.axhline(alone, color="#222222", linestyle="--", linewidth=1)
    ax.text(0.7, alone - 2.4, "chrF alone", fontsize="small")
    ax.set(xlabel="shortest word that counts as untranslated, letters")
    ax.set_ylabel("Kendall's tau (wmt12) x 100")
    ax.spines[["top", "right"]].set_visible(False)
    save(figure, "own_feature")


def run():
    """Draw all."""
    X, y = load_sample(return_X_y=True)
    model = load_pretrained("static-en")
    scores = score_candidates(model, X).squeeze().rename("{}.en".format, level="system")
    save(ScoreDistributionDisplay.from_scores(scores), "scores")
    save(LeaderboardDisplay.of(leaderboard(X, y)).plot(), "leaderboard")
    scores = MetricScores(("bleu", "chrf")).set_output(transform="pandas").fit_transform(X)
    scores.columns = ["bleu", "chrf"]
    scores["static-en"] = rank_candidates(model, X)["strength"]
    rows = {
        "groups": X.index.droplevel("system"),
        "documents": X.index.get_level_values("segment"),
    }
    save(AgreementDisplay.from_predictions(y, scores, **rows), "agreement")
    trained = train_on_campaign(X, y, start_from="static-en", classifier="ensemble", progress=False)
    without = trained.comparison.drop(index="encoder-en", errors="ignore")
    print(without["tau"], trained.learning_curve, sep="\n")
    save(LearningCurveDisplay.of(replace(trained, comparison=without)).plot(), "learning_curve")
    draw_feature()


if __name__ == "__main__":
    run()
