"""What decision tables are worth on judgements that they were not fitted to.

``python benchmarks/decision_tables.py`` prints a Markdown table: for some metrics, levels and pairs
of campaigns the agreement expected by a curve of the one less that observed on the other (*bias*),
and the mean distance over bins (*error*), both x 100 and by either curve; beside them the error of
a curve fitted there, and the difference needed for 80 %, by both campaigns. ``--coverage`` prints
how often intervals hold the truth in simulations instead (ten minutes); ``--speed`` seconds of
WMT23 zh-en. ``SKLEARN_MTEVAL_DATA`` names the data.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.evaluation import decision_table
from sklearn_mteval.evaluation.decisions.curves import CURVES
from sklearn_mteval.evaluation.system import human_systems
from sklearn_mteval.features import MetricScores

CHECKS = {
    ("chrf", "bleu", "COMET", "MetricX-23", "GEMBA-MQM"): [
        ("wmt23 zh-en", "wmt23 he-en"),
        ("wmt23 he-en", "wmt23 zh-en"),
    ],
    ("chrf", "bleu"): [
        ("wmt23 zh-en", "wmt24 en-cs"),
        ("wmt24 en-cs", "wmt24 en-ja"),
        ("wmt15 cs-en", "wmt15 fi-en"),
        ("wmt15 de-en", "wmt23 zh-en"),
    ],
}


def main():
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--speed", action="store_true")
    arguments = parser.parse_args()
    if arguments.coverage:
        return coverage()
    judged = {}
    for name in sorted({name for checks in CHECKS.values() for pair in checks for name in pair}):
        if not arguments.speed or name == "wmt23 zh-en":
            judged[name] = load(*name.split())
    return speed(judged["wmt23 zh-en"]) if arguments.speed else held_out(judged)


def load(campaign, lang_pair):
    """Return judgements and the scores of metrics."""
    root = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    if campaign == "wmt24":
        path, given = root / campaign / "esa" / "esa_generalMT2024_wave2.csv", "esa"
        options = {"texts": root / campaign}
    else:
        path, given, options = root / campaign, "wmt", {}
        if campaign == "wmt23":
            given, options = "mtme", {"human_systems": True, "metric_scores": True}
    found = load_judgements(path, given, lang_pair=lang_pair, **options)
    metrics = MetricScores(["chrf", "bleu"], language=found.target_language or None)
    scores = metrics.set_output(transform="pandas").fit_transform(found.translations)
    scores.columns = ["chrf", "bleu"]
    return found.y, scores if found.scores is None else scores.join(found.scores)


def held_out(judged):
    """Print the table."""
    cells = ["level", "metric", "fitted on", "checked on", "pairs"]
    cells += [f"{curve}: bias, error" for curve in CURVES] + ["own", "needs", "there"]
    print(f"| {' | '.join(cells)} |\n|{'---|' * 4}{'---:|' * (len(cells) - 4)}")
    for level in ("system", "segment"):
        for metrics, checks in CHECKS.items():
            for metric in metrics:
                for check in checks:
                    cells = [level, metric, *check, *row(judged, level, metric, check)]
                    print(f"| {' | '.join(cells)} |", flush=True)


def row(judged, level, metric, check):
    """Return the cells of one check."""
    (y, scores), (other, others) = (judged[name] for name in check)
    cells, needs = [], []
    given = {"level": level, "n_bins": 5 if level == "system" else 10}
    for curve in CURVES:
        found = decision_table(scores[metric], y, curve=curve, **given)
        there = decision_table(others[metric], other, fitted=found, **given)
        bias, error = (100 * there.calibration[name] for name in ("bias", "error"))
        cells.append(f"{bias:+.1f}, {error:.1f}")
    own = decision_table(others[metric], other, **given)
    here = decision_table(scores[metric], y, **given)
    needs = [f"{t.needed['difference'].iloc[0]:.3g}" for t in (here, own)]
    return [str(own.counts["pairs"]), *cells, f"{100 * own.calibration['error']:.1f}", *needs]


def speed(judged):
    """Print seconds of either level."""
    y, scores = judged
    for level in ("system", "segment"):
        start = time.perf_counter()
        found = decision_table(scores["chrf"], y, level=level)
        print(f"{level}: {found.counts['pairs']:,} pairs, {time.perf_counter() - start:.1f} s")


def drawn_systems(rng, means, n_systems, kernel):
    """Draw means of systems by annotators and by a metric like those of a campaign (2, n).

    From the normal distribution with its covariance (``kernel`` 1), or about its own systems.
    """
    covariance = np.cov(means)
    centre = means.mean(axis=1, keepdims=True)
    noise = rng.multivariate_normal([0, 0], covariance, size=n_systems).T
    if kernel == 1:
        return centre + noise
    own = means[:, rng.integers(means.shape[1], size=n_systems)] - centre
    return centre + (own + kernel * noise) / np.sqrt(1 + kernel**2)


def as_table(human, metric):
    """Make judgements and scores of arrays (n_segments, n_systems)."""
    rows = pd.MultiIndex.from_product(map(range, human.shape), names=["segment", "system"])
    return pd.Series(-human.ravel(), rows), pd.Series(metric.ravel(), rows, name="m")


def simulated(rng, n_documents, n_systems, bias, of_documents):
    """Draw qualities in documents of five segments, and what annotators and a metric see of them.

    The metric has favourites among systems (``bias``), and others in each document.
    """
    shape = 5 * n_documents, n_systems
    quality, human, metric = rng.normal(size=(3, *shape))
    favours, good = np.repeat(rng.normal(size=(2, n_documents, n_systems)), 5, axis=1)
    quality += 0.3 * rng.normal(size=n_systems) + of_documents * good
    seen = quality + 1.5 * metric + bias * rng.normal(size=n_systems) + of_documents * favours
    table = as_table(quality + 1.5 * human, seen)
    return *table, table[0].index.get_level_values("segment") // 5


def held(found, truth):
    """Tell which intervals of a table hold the true agreement."""
    inside = (found.table["low"] <= truth.table["agreement"]) & (
        truth.table["agreement"] <= found.table["high"]
    )
    return inside.to_numpy()


def coverage(n_trials=200):
    """Print how often intervals of 95 % hold what very many systems and segments would say."""
    rng = np.random.default_rng(0)
    print("| systems like those of | kernel | 8 | 12 | 15 | 30 |\n|---|---:|---:|---:|---:|---:|")
    for campaign, metric in (
        ("wmt23 zh-en", "chrf"), ("wmt23 he-en", "chrf"), ("wmt23 zh-en", "COMET"),
        ("wmt23 he-en", "COMET"), ("wmt24 en-cs", "bleu"), ("wmt15 cs-en", "chrf"),
    ):  # fmt: skip
        y, scores = load(*campaign.split())
        of_metric = scores[metric].groupby("system").mean()
        means = pd.DataFrame({"human": human_systems(y).scores(), "metric": of_metric}).dropna()
        for kernel in (1, 0.5):
            cells = []
            for n in (8, 12, 15, 30):
                given = means.to_numpy().T, n, kernel
                cells.append(f"{_coverage_of_systems(rng, given, n_trials):.1f}")
            print(f"| {campaign}, {metric} | {kernel:g} | {' | '.join(cells)} |", flush=True)
    print("\n| translations of | documents | bias | of documents | coverage |\n|" + "---|" * 5)
    for n_systems, n_documents, bias, of_documents in (
        (5, 20, 0.0, 0.0), (5, 20, 0.0, 0.7), (5, 20, 0.5, 0.0), (5, 60, 0.5, 0.7),
        (12, 60, 0.5, 0.7), (12, 60, 0.0, 0.7),
    ):  # fmt: skip
        options = {"level": "segment", "differences": [1.0, 2.0]}
        y, metric, documents = simulated(rng, 100, 100, bias, of_documents)
        truth, inside = decision_table(metric, y, **options), []
        for _ in range(n_trials // 2):
            y, metric, documents = simulated(rng, n_documents, n_systems, bias, of_documents)
            inside.append(held(decision_table(metric, y, documents=documents, **options), truth))
        shown = ", ".join(f"{100 * x:.1f}" for x in np.mean(inside, axis=0))
        print(f"| {n_systems} | {n_documents} | {bias} | {of_documents} | {shown} |", flush=True)


def _coverage_of_systems(rng, given, n_trials):
    """Return how often, in percent, an interval holds the agreement at the median difference."""
    means, n_systems, kernel = given
    many = drawn_systems(np.random.default_rng(0), means, 1500, kernel)
    middle = [np.median(np.abs(np.subtract.outer(many[1], many[1])))]
    options = {"level": "system", "differences": middle}
    y, metric = as_table(*many[:, np.newaxis])
    truth, inside = decision_table(metric, y, **options), []
    for _ in range(n_trials):
        y, metric = as_table(*drawn_systems(rng, means, n_systems, kernel)[:, np.newaxis])
        with warnings.catch_warnings(action="ignore"):
            inside.append(held(decision_table(metric, y, **options), truth))
    return 100 * np.mean(inside)


if __name__ == "__main__":
    main()
