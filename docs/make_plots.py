"""Draw the plots of the page on meta-evaluation, from WMT12 and expert MQM judgements.

``pip install -c constraints.txt -e '.[plots]'``, set ``SKLEARN_MTEVAL_DATA`` to the folder of real
data, then ``python docs/make_plots.py``: within three minutes. The numbers are printed too.
"""

import os
from io import BytesIO
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from PIL import Image
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler

from sklearn_mteval import BLEUComp, PairDifference, RankRecomposer
from sklearn_mteval.datasets import load_mqm, load_wmt
from sklearn_mteval.features import MetricScores
from sklearn_mteval.metrics import (
    calibrate_ties,
    corrected_p_values,
    permutation_test,
    significance_clusters,
    system_clusters,
    system_scores,
)
from sklearn_mteval.plots import (
    AgreementDisplay,
    PairCalibrationDisplay,
    SignificanceDisplay,
    SystemScatterDisplay,
    TieCalibrationDisplay,
)

IMAGES = Path(__file__).parent / "images"
DATA = Path(os.environ.get("SKLEARN_MTEVAL_DATA", ""))
PAIRS = ("cs-en", "de-en")
SYNONYMS = {"meteor": {"wordnet": "auto"}}  # of WordNet, where it is installed
NAMES = {"bleu": "BLEU", "nist": "NIST", "ter": "TER", "meteor": "METEOR", "chrf": "chrF"}
SCORES = {f"{name}_score": label for name, label in NAMES.items()} | {"chrf++_score": "chrF++"}


def trained(features):
    """Train the README's pipeline with a transformer of features on WMT13 fr-en."""
    ranker = RankRecomposer(make_pipeline(PairDifference(), LogisticRegression(max_iter=1000)))
    steps = [("features", features), ("scale", MinMaxScaler((-1, 1))), ("rank", ranker)]
    X, y = load_wmt(DATA / "wmt13", "fr-en", return_X_y=True)
    return Pipeline(steps).set_output(transform="pandas").fit(X, y)


def metric_scores(X):
    """Score translations with all metrics, named as papers name them."""
    metrics = MetricScores(options=SYNONYMS).set_output(transform="pandas")
    return metrics.fit_transform(X).rename(columns=SCORES)


def save(figure, name):
    """Write a small PNG, NAME.png."""
    with BytesIO() as png:
        figure.savefig(png, dpi=110)
        Image.open(png).convert("RGB").quantize(64).save(IMAGES / f"{name}.png", optimize=True)
    plt.close(figure)


def draw_wmt():
    """Draw what rankings say: agreement, significance, systems, calibration of pairs."""
    models = {
        "BLEU components, learnt": trained(BLEUComp()),
        "six metrics, learnt": trained(MetricScores(options=SYNONYMS)),
    }
    figure, panels = plt.subplots(1, 2, figsize=(11, 3.4), sharex=True, layout="constrained")
    for pair, panel in zip(PAIRS, panels, strict=True):
        X, y = load_wmt(DATA / "wmt12", pair, return_X_y=True)
        scores = metric_scores(X)
        for name, model in models.items():
            scores[name] = model.decision_function(X)
        rows = {
            "groups": X.index.droplevel("system"),
            "documents": X.index.get_level_values("segment"),
        }
        display = AgreementDisplay.from_predictions(y, scores, ax=panel, **rows)
        panel.set_title(f"WMT12 {pair}", fontsize="medium")
        for k in display.order_:
            print(pair, display.names[k], 100 * display.values[k], 100 * display.intervals[k])
    save(figure, "agreement")

    systems = X.index.get_level_values("system")
    compared = permutation_test(y, scores, n_permutations=10_000, **rows)
    clusters = significance_clusters(compared)
    print(clusters)
    p_values = corrected_p_values(compared)
    display = SignificanceDisplay.from_comparison(
        compared, p_values=p_values, p_name="Holm's p", clusters=clusters, ranks="metrics-task"
    )
    save(display.figure_, "significance")

    human = system_clusters(X, y)
    display = SystemScatterDisplay.from_predictions(
        human["score"],
        system_scores(scores["chrF++"], systems, segments=rows["documents"]),
        clusters=human["cluster"],
        human_name="Expected wins, WMT12 de-en",
        metric_name="chrF++, mean of segments",
    )
    print(display.ax_.get_title())
    save(display.figure_, "systems")

    ax = None
    for name, model in models.items():
        display = PairCalibrationDisplay.from_estimator(model, X, y, name=name, ax=ax)
        ax = display.ax_
        print(name, display.predicted, display.observed)
    save(display.figure_, "pair_calibration")


def draw_ties():
    """Draw from which difference on metrics should decide: with rankings, with expert scores."""
    path = DATA / "mqm" / "mqm_ted_zhen.tsv"
    judgements = {
        "WMT12 de-en, rankings": load_wmt(DATA / "wmt12", "de-en", return_X_y=True),
        "TED zh-en, expert MQM": load_mqm(path, reference_system="ref", return_X_y=True),
    }
    figure, panels = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for (title, (X, y)), panel in zip(judgements.items(), panels, strict=True):
        scores = metric_scores(X)
        for name in ("BLEU", "chrF", "TER"):
            found = calibrate_ties(y, scores[name], groups=X.index.droplevel("system"))
            TieCalibrationDisplay.from_calibration(found, name=name, ax=panel, linear_until=10)
            print(title, name, found.epsilon, found.accuracy, found.accuracies[[0, -1]])
        panel.set_title(title, fontsize="medium")
    save(figure, "tie_calibration")


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    draw_wmt()
    draw_ties()
