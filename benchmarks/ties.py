"""Ties on WMT23: what is won by learning from them, cross-validated by document.

``python benchmarks/ties.py`` prints, as Markdown, the held-out acc_eq of each metric, of
combinations of all metrics that leave tied pairs out of training, and of those that model ties,
and the differences with 95 % intervals, resampling documents. Each threshold for ties (epsilon) is
fitted on the training part of its fold. ``--lang-pairs zh-en he-en``; ``SKLEARN_MTEVAL_DATA`` names
the data. Three minutes on one core.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import PairDifference, RankRecomposer
from sklearn_mteval.classifiers import TiedPairClassifier
from sklearn_mteval.datasets import load_mtme
from sklearn_mteval.metrics import calibrate_ties

N_FOLDS, N_RESAMPLES = 5, 2000
LINEAR = make_pipeline(PairDifference(), StandardScaler(), LogisticRegression(max_iter=1000))
TREES = HistGradientBoostingClassifier(max_iter=150, max_leaf_nodes=16, random_state=0)
DROPPED = {
    "logistic regression, Bradley-Terry": RankRecomposer(LINEAR, recomposition="bradley-terry"),
    "logistic regression, soft": RankRecomposer(LINEAR),
    "logistic regression, absolute": RankRecomposer(LINEAR, recomposition="absolute"),
    "boosted trees, Bradley-Terry": RankRecomposer(TREES, recomposition="bradley-terry"),
}
MODELLED = {
    "Rao-Kupper": RankRecomposer(ties="model"),
    "Rao-Kupper, one theta": RankRecomposer(TiedPairClassifier(varying=False), ties="model"),
    "Davidson": RankRecomposer(TiedPairClassifier(tie_model="davidson"), ties="model"),
    "boosted trees of three outcomes": RankRecomposer(TREES, ties="model"),
}
# Which differences are of interest: of the modelled first, from the dropped.
COMPARED = [
    ("Rao-Kupper", "logistic regression, Bradley-Terry"),
    ("Davidson", "logistic regression, Bradley-Terry"),
    ("boosted trees of three outcomes", "boosted trees, Bradley-Terry"),
    ("boosted trees of three outcomes", "logistic regression, Bradley-Terry"),
]


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lang-pairs", nargs="+", default=["zh-en", "he-en"])
    root = Path(os.environ["SKLEARN_MTEVAL_DATA"]) / "wmt23"
    for lang_pair in parser.parse_args().lang_pairs:
        campaign = load_mtme(root, lang_pair, metric_scores=True)
        report(lang_pair, campaign, *held_out_accuracies(campaign))


def held_out_accuracies(campaign):
    """Return acc_eq of held-out segments, one column for each way to score, and P(tie)s."""
    X, y = campaign.X[campaign.metrics], campaign.y
    segments = X.index.get_level_values("segment")
    found, calibration = [], []
    for train, test in GroupKFold(N_FOLDS).split(X, groups=campaign.documents):
        columns = {}

        def add(name, trained, scores, train=train, test=test, columns=columns):
            epsilon = calibrate_ties(y.iloc[train], trained, groups=segments[train]).epsilon
            columns[name] = accuracies(y.iloc[test], scores, epsilon)

        for metric in X:
            add(metric, X[metric].iloc[train], X[metric].iloc[test])
        for name, ranker in DROPPED.items():
            ranker.fit(X.iloc[train], y.iloc[train])
            add(name, *(ranker.decision_function(X.iloc[part]) for part in (train, test)))
        for name, ranker in MODELLED.items():
            ranker.fit(X.iloc[train], y.iloc[train])
            held_out = X.iloc[test]
            columns[f"{name}, ranks"] = accuracies(y.iloc[test], -ranker.predict(held_out), 0.0)
            strengths = ranker.decision_function(held_out)
            columns[f"{name}, strengths and epsilon"] = accuracies(
                y.iloc[test], strengths, ranker.epsilon_
            )
            compared = ranker.compare(held_out)["tie"]
            calibration.append((name, compared.mean(), tied(y.iloc[test]).mean()))
        found.append(pd.DataFrame(columns))
    return pd.concat(found), pd.DataFrame(calibration, columns=["name", "expected", "observed"])


def pairs_of_segments(y):
    """Generate each segment with the positions of its pairs."""
    for segment, rows in y.groupby(level="segment").indices.items():
        i, j = np.triu_indices(len(rows), 1)
        if len(i):
            yield segment, rows[i], rows[j]


def accuracies(y, scores, epsilon):
    """Return acc_eq of each segment."""
    ranks, scores = y.to_numpy(), np.asarray(scores, dtype=np.float64)
    found = {}
    for segment, i, j in pairs_of_segments(y):
        lead = scores[i] - scores[j]
        said = np.where(np.abs(lead) <= epsilon, 0, np.sign(lead))
        found[segment] = (said == np.sign(ranks[j] - ranks[i])).mean()
    return pd.Series(found)


def tied(y):
    """Tell of each pair whether the human tied it."""
    ranks = y.to_numpy()
    return np.concatenate([ranks[i] == ranks[j] for _, i, j in pairs_of_segments(y)])


def report(lang_pair, campaign, accuracy, calibration):
    """Print the tables of one language pair."""
    documents = campaign.documents.groupby(level="segment").first().loc[accuracy.index]
    n_tied = 100 * tied(campaign.y).mean()
    print(
        f"\n{lang_pair}: {len(accuracy)} segments of {documents.nunique()} documents, "
        f"{n_tied:.0f} % of the pairs tie\n"
    )
    codes, names = pd.factorize(documents)
    even = np.full(len(names), 1 / len(names))
    weights = np.random.default_rng(0).multinomial(len(names), even, size=N_RESAMPLES)[:, codes]
    means = (weights @ accuracy.to_numpy()) / weights.sum(axis=1, keepdims=True)
    means = pd.DataFrame(means, columns=accuracy.columns)
    print("| | held-out acc_eq x 100 [95 %] |\n|---|---|")
    for name, value in accuracy.mean().items():
        print(f"| {name} | {100 * value:.2f} {interval(means[name])} |")
    best = accuracy[campaign.metrics].mean().idxmax()
    print("\n| difference x 100 | |\n|---|---|")
    for modelled, dropped in COMPARED:
        for kind in ("ranks", "strengths and epsilon"):
            for other in (dropped, best):
                name = f"{modelled}, {kind}"
                difference = 100 * (accuracy[name] - accuracy[other]).mean()
                resampled = interval(means[name] - means[other])
                print(f"| {name} - {other} | {difference:+.2f} {resampled} |")
    print("\n| P(tie) x 100 of held-out pairs | expected | observed |\n|---|---|---|")
    for name, rows in calibration.groupby("name", sort=False):
        expected, observed = 100 * rows[["expected", "observed"]].mean()
        print(f"| {name} | {expected:.1f} | {observed:.1f} |", flush=True)


def interval(resampled):
    """Show the percentile interval of resampled values."""
    low, high = 100 * np.quantile(resampled, [0.025, 0.975])
    return f"[{low:.2f}, {high:.2f}]"


if __name__ == "__main__":
    main()
