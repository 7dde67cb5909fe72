"""Do the margins of graded judgements (MQM, ESA) teach more than which of two is better?

``python benchmarks/graded_pairs.py`` prints a Markdown table: acc_eq (threshold calibrated there)
and tau (wmt14), x 100, on a language pair or year that was not trained on, of linear models of
pairs trained on ranks alone, on pairs weighted by the difference of their judgements (d, its square
root, its logarithm, its rank), on soft labels 1 / (1 + exp(-2 d / mean |d|)), and on differences
themselves, ties included, as PEAR is (arXiv 2601.18006). p: one-sided, of a permutation test
(PERM-BOTH), whether tau is above that of ranks alone. Features are outside metrics, and those of
the ready-made model "any". ``--trees`` does the same with boosted trees (half an hour on one core;
a minute without). ``SKLEARN_MTEVAL_DATA`` names the data.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_mteval import load_pretrained
from sklearn_mteval._helpers.pairs import pairs_of_rows
from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.metrics import calibrate_ties, kendall_tau, permutation_test

WAYS = ("ranks", "d", "root", "log", "rank", "soft", "differences")
WMT23, WMT24 = ("zh-en", "he-en"), ("en-cs", "en-ja")
TASKS = {
    "metrics": [(("zh-en",), "he-en"), (("he-en",), "zh-en")],
    "any": [
        (("zh-en",), "he-en"), (("he-en",), "zh-en"), (WMT23, "en-cs"), (WMT23, "en-ja"),
        (("en-cs",), "en-ja"), (("en-ja",), "en-cs"),
    ],
}  # fmt: skip
WORST = 25  # MQM penalties beyond are as bad: that of a translation that is none
MOST_PAIRS = 60_000
TREES = {
    "max_iter": 80, "max_leaf_nodes": 8, "learning_rate": 0.06, "min_samples_leaf": 300,
    "random_state": 0,
}  # fmt: skip


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", action="store_true")
    learn = boosted if parser.parse_args().trees else linear
    judged = {pair: load(pair) for pair in (*WMT23, *WMT24)}
    model = load_pretrained("any")
    features = {
        "metrics": {p: (standardised(judged[p].scores), judged[p].y) for p in WMT23},
        "any": {p: (standardised(model[:-1].transform(j.X)), j.y) for p, j in judged.items()},
    }
    print(f"| features | trained on | tested on | {' | '.join(WAYS)} |\n|{'---|' * 3}{'---:|' * 7}")
    for name, tasks in TASKS.items():
        for training, test in tasks:
            parts = [features[name][pair] for pair in training]
            cells = row(parts, *features[name][test], learn)
            print("|", " | ".join([name, "+".join(training), test, *cells]), "|", flush=True)


def load(pair):
    """Load judgements of WMT23 (MQM, with metrics) or WMT24 (ESA)."""
    root = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    if pair in WMT24:
        path = root / "wmt24" / "esa" / "esa_generalMT2024_wave2.csv"
        return load_judgements(path, "esa", lang_pair=pair, texts=root / "wmt24")
    given = {"human_systems": True, "metric_scores": True}
    found = load_judgements(root / "wmt23", "mtme", lang_pair=pair, **given)
    return found._replace(scores=found.scores.reindex(found.y.index), y=found.y.clip(upper=WORST))


def standardised(table):
    """Return columns with mean 0 and standard deviation 1."""
    values = np.asarray(table, dtype=float)
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1)


def pairs_of(y):
    """Return positions of both translations of each pair, and by how much the first is better."""
    codes = pd.factorize(y.index.get_level_values("segment"))[0]
    order = np.argsort(codes, kind="stable")
    first, second = (order[rows] for rows in pairs_of_rows(codes[order]))
    return first, second, y.to_numpy()[second] - y.to_numpy()[first]


def row(training, features, y, learn):
    """Return the cells of one task."""
    scores = pd.DataFrame({way: learn(way, *sampled(way, training))(features, y) for way in WAYS},
                          index=y.index)  # fmt: skip
    segments = y.index.get_level_values("segment")
    given = {"groups": segments, "statistic": "wmt14"}
    p_values = permutation_test(y, scores, **given).p_values
    cells = []
    for k, way in enumerate(WAYS):
        accuracy = 100 * calibrate_ties(y, scores[way], groups=segments).accuracy
        tau = 100 * kendall_tau(y, scores[way], **given)
        cells.append(f"{accuracy:.1f}, {tau:.1f}" + (f" (p {p_values[k, 0]:.3f})" if k else ""))
    return cells


def sampled(way, training):
    """Return differences of features and of judgements, of so many pairs, in random directions."""
    rng, X, d = np.random.default_rng(0), [], []
    for features, y in training:
        first, second, better = pairs_of(y)
        kept = (
            np.flatnonzero(better) if way != "differences" else np.arange(len(better))
        )  # ties have no rank
        kept = rng.permutation(kept)[: MOST_PAIRS // len(training)]
        sign = rng.choice([-1, 1], len(kept))
        X.append(sign[:, None] * (features[first[kept]] - features[second[kept]]))
        d.append(sign * better[kept] / np.abs(better).mean())
    return np.vstack(X), np.concatenate(d)


def weighted(way, X, d):
    """Return pairs, labels and weights of a classifier."""
    if way == "soft":
        p = 1 / (1 + np.exp(-2 * d))
        labels = np.repeat([1, 0], len(d))
        return np.vstack([X, X]), labels, np.concatenate([p, 1 - p])
    size = np.abs(d)
    weights = {
        "ranks": np.ones(len(d)), "d": size, "root": np.sqrt(size), "log": np.log1p(size),
        "rank": size.argsort().argsort() + 1.0,
    }[way]  # fmt: skip
    return X, (d > 0).astype(int), weights / weights.mean()


def linear(way, X, d):
    """Fit a linear model; return a function of features to strengths."""
    if way == "differences":
        model = Ridge(alpha=100, fit_intercept=False).fit(X, d)
    else:
        X, labels, weights = weighted(way, X, d)
        model = LogisticRegression(C=0.01, fit_intercept=False, max_iter=300)
        model.fit(X, labels, sample_weight=weights)
    return lambda features, y: features @ model.coef_.ravel()


def boosted(way, X, d):
    """Fit boosted trees on both directions; strengths are sums over a segment's pairs."""
    if way == "differences":
        model = HistGradientBoostingRegressor(**TREES)
        decide = model.fit(np.vstack([X, -X]), np.concatenate([d, -d])).predict
    else:
        X, labels, weights = weighted(way, X, d)
        model = HistGradientBoostingClassifier(**TREES)
        both = np.concatenate([labels, 1 - labels]), np.concatenate([weights, weights])
        decide = model.fit(np.vstack([X, -X]), both[0], sample_weight=both[1]).decision_function

    def strengths(features, y):
        first, second, _ = pairs_of(y)
        difference = features[first] - features[second]
        wins = decide(difference) - decide(-difference)
        found = np.bincount(first, weights=wins, minlength=len(y))
        return found - np.bincount(second, weights=wins, minlength=len(y))

    return strengths


if __name__ == "__main__":
    main()
