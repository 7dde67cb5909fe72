"""Models without outside metrics on WMT23: ready-made ones, and what MQM of another pair adds.

``python benchmarks/graded_targets.py`` prints, as Markdown, acc_eq (threshold calibrated on all
judgements) of ready-made models, of boosted trees that learn MQM penalties of the other language
pair from their features, of pairs of translations with ties modelled, and of means, beside
BERTScore and COMET. ``--models static-en encoder-en``; ``SKLEARN_MTEVAL_DATA`` names the data. Five
minutes on one core with an encoder.
"""

import argparse
import os
from pathlib import Path

from sklearn.ensemble import HistGradientBoostingRegressor

from sklearn_mteval import RankRecomposer, load_pretrained
from sklearn_mteval.classifiers import TiedPairClassifier
from sklearn_mteval.datasets import load_mtme
from sklearn_mteval.features import ScoreColumn
from sklearn_mteval.metrics import calibrate_ties
from sklearn_mteval.models import rank_candidates

PAIRS = ("zh-en", "he-en")
TREES = HistGradientBoostingRegressor(
    max_iter=80, max_leaf_nodes=8, learning_rate=0.06, min_samples_leaf=300, random_state=0
)
WORST = 25  # penalties beyond are as bad: that of a translation that is none


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=["static-en", "encoder-en"])
    root = Path(os.environ["SKLEARN_MTEVAL_DATA"]) / "wmt23"
    options = {"metric_scores": True, "human_systems": True}
    loaded = {pair: load_mtme(root, pair, **options) for pair in PAIRS}
    print(f"| acc_eq x 100 | {' | '.join(PAIRS)} |\n|---|---|---|")
    for metric in ("BERTscore", "COMET"):
        row(metric, {pair: (mtme, mtme.X[metric]) for pair, mtme in loaded.items()})
    for name in parser.parse_args().models:
        report(name, loaded)


def report(name, loaded):
    """Print what one ready-made model, and its features, are worth."""
    model = load_pretrained(name)
    features = {pair: model[:-1].transform(mtme.X) for pair, mtme in loaded.items()}
    found = {}
    for unseen, seen in (PAIRS, PAIRS[::-1]):
        X, mtme, y = features[unseen], loaded[unseen], loaded[seen].y
        scores = mtme.X.assign(ready_made=rank_candidates(model[-1], X)["strength"])
        learnt = TREES.fit(features[seen], -y.clip(upper=WORST))
        scores["penalties"] = learnt.predict(X)
        ranker = RankRecomposer(
            TiedPairClassifier(C=1e-3), ties="model", recomposition="log-odds", max_pairs=40000,
            standalone=False,
        )  # fmt: skip
        scores["pairs"] = ranker.fit(features[seen], y).decision_function(X)
        for other in ("penalties", "pairs"):
            both = ScoreColumn(["ready_made", other])
            scores[f"mean with {other}"] = both.fit_transform(scores)[:, 0]
        found[unseen] = mtme, scores
    labels = {
        "ready_made": f"{name} as it is",
        "pairs": "pairs of the other language pair, ties modelled",
        "mean with pairs": f"mean of {name} and these",
        "penalties": "penalties of the other language pair",
        "mean with penalties": f"mean of {name} and these",
    }
    for column, label in labels.items():
        row(label, {pair: (mtme, scores[column]) for pair, (mtme, scores) in found.items()})


def row(label, scores):
    """Print acc_eq of one column of scores for each language pair."""
    cells = []
    for pair in PAIRS:
        mtme, column = scores[pair]
        groups = mtme.y.index.get_level_values("segment")
        cells.append(f"{100 * calibrate_ties(mtme.y, column, groups=groups).accuracy:.1f}")
    print(f"| {label} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
