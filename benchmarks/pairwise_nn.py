"""PairwiseNN on real data, as a table: ``python benchmarks/pairwise_nn.py``.

Train on WMT13 fr-en with a tenth of its segments held out for early stopping, test on WMT12
cs-en and de-en: Kendall's tau x 100, variant wmt12 (strict), pairs pooled. Similarity features
are BLEU's components, embeddings are averaged 50-dimensional word vectors. Each network's
tau is the mean over the seeds; its spread over the seeds is printed below the table.
"""

import argparse
import os
import re
import warnings
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sklearn_mteval import (
    BLEUComp,
    EmbeddingAverager,
    PairDifference,
    PairwiseNN,
    RankRecomposer,
    kendall_tau,
)
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import sentence_bleu

TRAIN, TESTS = ("wmt13", "fr-en"), (("wmt12", "cs-en"), ("wmt12", "de-en"))
COURSE = {"solver": "numba", "max_epochs": 400, "patience": 50}
NETWORKS = {
    "single-layer": {"architecture": "single-layer"},
    "single-layer, learning_rate = 0.1": {"architecture": "single-layer", "learning_rate": 0.1},
    "pairwise": {},
    "pairwise, learning_rate = 0.1": {"learning_rate": 0.1},
    "pairwise, Kendall cost": {"loss": "kendall"},
    "pairwise, Kendall cost, beta = 0": {"loss": "kendall", "beta": 0.0},
    "pairwise, logistic, then Kendall cost": {"loss": "logistic+kendall"},
    "pairwise, logistic, then Kendall cost, beta = 0": {
        "loss": "logistic+kendall",
        "beta": 0.0,
    },
    "fully-connected": {"architecture": "fully-connected"},
    "pairwise, symmetric": {"symmetric": True},
    "pairwise, symmetric, one direction of each pair": {"symmetric": True, "directions": 1},
    "pairwise, symmetric, logistic, then Kendall": {"symmetric": True, "loss": "logistic+kendall"},
    "pairwise, symmetric, H = 12": {"symmetric": True, "hidden_units": 12},
    "pairwise, symmetric, H = 12, Kendall cost, beta = 0": {
        "symmetric": True,
        "hidden_units": 12,
        "loss": "kendall",
        "beta": 0.0,
    },
    "fully-connected, symmetric": {"architecture": "fully-connected", "symmetric": True},
}
METHODS = {
    "hard": {"recomposition": "hard"},
    "soft": {"recomposition": "soft"},
    "absolute, mean": {"recomposition": "absolute", "empty": "mean"},
    "absolute, zero": {"recomposition": "absolute", "empty": "zero"},
}


class OneDirection(PairwiseNN):
    """The network that is given one direction of each pair, its labels in turn."""

    antisymmetric = True


def network(directions=2, **options):
    """Build a network."""
    return (OneDirection if directions == 1 else PairwiseNN)(**options, **COURSE)


def tables(data):
    """Compute the features of training and test sets."""
    features = make_pipeline(
        make_union(BLEUComp(), EmbeddingAverager(data / "vectors" / "distilled-en-50d.txt")),
        MinMaxScaler(feature_range=(-1, 1)),
    ).set_output(transform="pandas")
    sets = {}
    for campaign, pair in (TRAIN, *TESTS):
        X, y = load_wmt(data / campaign, pair, return_X_y=True)
        fit = features.fit_transform if (campaign, pair) == TRAIN else features.transform
        sets[pair] = fit(X), y, X
    return sets


def linear():
    """Build the logistic regression to beat."""
    return make_pipeline(PairDifference(), StandardScaler(), LogisticRegression())


def measure(estimator, sets, columns):
    """Fit one estimator and measure it with each recomposition on each test set."""
    X, y, _ = sets[TRAIN[1]]
    began = perf_counter()
    ranker = RankRecomposer(estimator).fit(X[columns], y)
    row = {"seconds": perf_counter() - began}
    for _, pair in TESTS:
        X, y, _ = sets[pair]
        X = X[columns]
        for name, options in METHODS.items():
            ranker.set_params(**options)
            strength = ranker.decision_function(X)
            row[name, pair] = 100 * kendall_tau(y, strength, groups=X.index.droplevel("system"))
            if name == "absolute, mean":
                row["systems", pair] = 100 * system_correlation(strength, y)
        compared = ranker.compare(X)
        row["pair by pair", pair], row["inconsistent", pair] = by_pairs(compared, y)
        row["intransitive", pair], row["triads", pair] = intransitive_triads(ranker, X)
    if hasattr(ranker.estimator_, "best_epoch_"):
        row["epoch"] = ranker.estimator_.best_epoch_
        row["held out"] = 100 * max(epoch["tau"] for epoch in ranker.estimator_.history_)
    return row


def by_pairs(compared, y):
    """Compute tau of the decisions as they are, and the proportion of inconsistent pairs, x 100.

    A pair is concordant if f(t1, t2) − f(t2, t1) has the sign of the human's decision, as in
    the papers; its two directions are inconsistent if both or neither prefer t1.
    """
    forth = compared["probability"]
    *shared, first, second = forth.index.names
    swap = forth.rename_axis(index=[*shared, second, first]).reorder_levels(forth.index.names)
    back = swap.reindex(forth.index)
    ranks = [
        y.reindex(forth.index.droplevel(other).set_names("system", level=-1)).to_numpy()
        for other in (second, first)
    ]
    human = np.sign(ranks[1] - ranks[0])
    agrees = np.sign(forth - back).to_numpy()[human != 0] == human[human != 0]
    return 100 * (2 * agrees.mean() - 1), 100 * float(((forth > 0.5) == (back > 0.5)).mean())


def intransitive_triads(ranker, X):
    """Count triads a > b > c > a among the decisions taken pair by pair, and all triads."""
    intransitive, triads = [], []

    def count(better):
        """Take the matrix of one ranking as a recomposition does."""
        above = (better > better.T).astype(int)
        decided = above + above.T
        intransitive.append(np.trace(above @ above @ above) // 3)  # once from each corner
        triads.append(np.trace(decided @ decided @ decided) // 6)  # and in both directions
        return np.zeros(len(better))

    ranker.set_params(recomposition=count).decision_function(X)
    return sum(intransitive), sum(triads)


def system_correlation(strength, y):
    """Compute Spearman's correlation of mean strengths with the proportion of comparisons won."""
    table = pd.DataFrame({"strength": strength, "rank": y})
    groups = [name for name in table.index.names if name != "system"]
    competing = table.groupby(level=groups)["rank"]
    size = competing.transform("size")
    # 0.5 for the row itself and for ties: the same constant for all rows of a ranking.
    table["wins"] = (size + 0.5 - competing.rank("average")) / size
    systems = table.groupby(level="system").mean()
    return spearmanr(systems["strength"], systems["wins"]).statistic


def main(seeds, only):
    """Print the table."""
    warnings.filterwarnings("ignore", message="The pair table has no embedding columns")
    sets = tables(Path(os.environ["SKLEARN_MTEVAL_DATA"]))
    every = list(sets[TRAIN[1]][0].columns)
    similarity = [name for name in every if "_emb" not in name]
    print("BLEU", {p: round(100 * bleu(sets[p]), 2) for _, p in TESTS}, flush=True)
    rows = {
        "logistic regression, BLEU components": [measure(linear(), sets, similarity)],
        "logistic regression, and embeddings": [measure(linear(), sets, every)],
    }
    show(rows)
    single = {"architecture": "single-layer", **COURSE}
    rows["single-layer, BLEU components"] = [
        measure(PairwiseNN(**single, random_state=seed), sets, similarity) for seed in seeds
    ]
    show(rows, "single-layer, BLEU components")
    for name, options in NETWORKS.items():
        if not re.search(only, name):
            continue
        rows[name] = [measure(network(**options, random_state=seed), sets, every) for seed in seeds]
        show(rows, name)


def bleu(data):
    """Compute BLEU's own tau."""
    _, y, X = data
    return kendall_tau(y, sentence_bleu(X), groups=X.index.droplevel("system"))


def show(rows, *names):
    """Print some rows as lines of a Markdown table, the spread as a comment."""
    for name in names or rows:
        several = pd.DataFrame(rows[name])
        mean, spread = several.mean(), several.std(ddof=0)
        cells = [
            " / ".join(f"{mean[column, pair]:.1f}" for _, pair in TESTS)
            for column in ["pair by pair", *METHODS, "systems", "inconsistent"]
        ]
        cells += [f"{mean.get(c, np.nan):.1f}" for c in ("epoch", "held out", "seconds")]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
        taus = [column for column in several.columns if column[0] in METHODS]
        intransitive = sum(mean["intransitive", pair] for _, pair in TESTS)
        triads = sum(mean["triads", pair] for _, pair in TESTS)
        print(
            f"<!-- spread over seeds up to {spread[taus].max():.2f}; intransitive triads "
            f"{intransitive:g} of {triads:g} -->",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--only", default="", help="regular expression of networks' names")
    main(**vars(parser.parse_args()))
