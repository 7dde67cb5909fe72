"""A model beside outside metrics on WMT23: documents held out, and another language pair.

``python benchmarks/outside_metrics.py`` prints, as Markdown, acc_eq of what
``sklearn-mteval train wmt23 --lang-pair PAIR --scores all`` learns of each pair, on
documents held out and on the other pair, beside the best single metric, plain means, learnt weights
and other recompositions; every threshold for ties is calibrated on all judgements, as the campaign
does. Differences have 95 % intervals by bootstrap over documents. ``SKLEARN_MTEVAL_DATA`` names the
data. One minute on one core.
"""

import os
from pathlib import Path

import pandas as pd

from sklearn_mteval import RankRecomposer
from sklearn_mteval.datasets import load_mtme
from sklearn_mteval.features import ScoreColumn
from sklearn_mteval.metrics import calibrate_ties, paired_bootstrap
from sklearn_mteval.models.score_stacking import train_on_scores
from sklearn_mteval.report.training import stacking_report

PAIRS = ("zh-en", "he-en")
THREE = ["XCOMET-Ensemble", "MetricX-23", "GEMBA-MQM"]


def main():
    """Print the tables."""
    root = Path(os.environ["SKLEARN_MTEVAL_DATA"]) / "wmt23"
    loaded = {pair: load_mtme(root, pair, metric_scores=True, human_systems=True) for pair in PAIRS}
    for seen, unseen in (PAIRS, PAIRS[::-1]):
        campaign = loaded[seen]
        model, table, chosen = train_on_scores(
            campaign.X, campaign.y, campaign.metrics, documents=campaign.documents, progress=False
        )
        print(f"\n{seen}, documents held out; chosen of all: {', '.join(chosen)}\n")
        print(stacking_report(table))
        print(f"{unseen}, trained on {seen}\n")
        print("| | acc_eq x 100 | from the best single |\n|---|---|---|")
        report(loaded[unseen], others(campaign, loaded[unseen], model, chosen))


def others(seen, unseen, model, chosen):
    """Score an unseen pair by the model and what it can be compared with."""
    X, metrics = unseen.X, unseen.metrics
    scores = {name: X[name] for name in metrics}
    for label, names in (("mean of all", metrics), ("mean of three", THREE)):
        scores[f"{label}, standardised there"] = ScoreColumn(names).fit_transform(X)[:, 0]
    scores["mean of those chosen"] = ScoreColumn(chosen).fit(seen.X).transform(X)[:, 0]
    for label, names in (("all", metrics), ("those chosen", chosen)):
        learnt = RankRecomposer(ties="model", recomposition="log-odds")
        learnt.fit(seen.X[names], seen.y)
        scores[f"learnt weights of {label}"] = learnt.decision_function(X[names])
    for recomposition in ("soft", "expected", "bradley-terry", "log-odds"):
        model.set_params(rank__recomposition=recomposition)
        name = "the model" if recomposition == "log-odds" else f"the model, {recomposition}"
        scores[name] = model.decision_function(X)
    scores["the model, ranks"] = -model.predict(X)
    return pd.DataFrame(scores, X.index)


def report(campaign, scores):
    """Print acc_eq of each column, and its difference from the best single metric."""
    groups = campaign.y.index.get_level_values("segment")
    found = {name: calibrate_ties(campaign.y, scores[name], groups=groups) for name in scores}
    best = max(campaign.metrics, key=lambda name: found[name].accuracy)
    shown = [best, *scores.columns.difference(campaign.metrics, sort=False)]
    compared = paired_bootstrap(
        campaign.y, scores[shown], groups=groups, documents=campaign.documents, statistic="acc_eq",
        average="groups", epsilon={name: found[name].epsilon for name in shown}, n_resamples=2000,
    )  # fmt: skip
    for k, name in enumerate(shown):
        difference, low, high = (
            100 * matrix[k, 0] for matrix in (compared.differences, compared.low, compared.high)
        )
        cell = f"{difference:+.2f} [{low:+.2f}, {high:+.2f}]" if k else ""
        print(f"| {name} | {100 * found[name].accuracy:.2f} | {cell} |", flush=True)


if __name__ == "__main__":
    main()
