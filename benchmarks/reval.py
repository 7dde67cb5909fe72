"""ReVal on real data, as a table: ``python benchmarks/reval.py``.

Trained on rankings of WMT13 fr-en and WMT15 into English, which become similarity scores as in the
2015 paper's section 5; tested on WMT12 cs-en and de-en, or, with ``--test wmt15``, on each fifth of
WMT15's segments with the others trained on. Kendall's tau x 100, pairs pooled: strict (wmt12) and
wmt14; of systems Pearson's correlation with their expected wins. A mean over language pairs, and
over the seeds.

    python benchmarks/reval.py --test wmt15 --only "tree-lstm, 150, L"   # some rows
    python benchmarks/reval.py --features                                # beside all metric scores

Trees are parsed once and kept in ``--cache``.
"""

import argparse
import os
import re
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_union

from sklearn_mteval import RankRecomposer, kendall_tau, make_ranking_pipeline
from sklearn_mteval.datasets import similarity_from_rankings
from sklearn_mteval.features import MetricScores, ReValScore
from sklearn_mteval.metrics import human_system_scores, system_agreement, system_scores
from sklearn_mteval.models.campaigns import load_campaigns
from sklearn_mteval.neural import ReValRegressor
from sklearn_mteval.trees import Trees

TRAIN = [("wmt13", ["fr-en"]), ("wmt15", ["cs-en", "de-en", "fi-en", "fr-en", "ru-en"])]
TEST = [("wmt12", ["cs-en", "de-en"])]
SETS = {
    "L": {"min_judgements": 4},
    "LNF": {"min_judgements": 4, "thresholds": None},
    "XL": {"min_judgements": 3},
    "all": {"min_judgements": 1, "thresholds": None},
}
ROWS = [
    (encoder, memory, name)
    for name in SETS
    for encoder in ("lstm", "tree-lstm")
    for memory in (150, 300)
]
# The paper's tables: WMT12 of L+Sick (50, 150), section 6; WMT14 of Tables 3 and 4, five pairs.
PAPER = """\
| paper, L+Sick (50, 150), WMT12 | 22.2 | | .950 | | |
| paper, L+Sick (lstm), WMT14 | 25.4 | 25.6 | .908 | | |
| paper, LNF (50, 150), WMT14 | 28.7 | 28.9 | .925 | | |
| paper, L (50, 150), WMT14 | 28.7 | 29.0 | .929 | | |
| paper, L+Sick (50, 150), WMT14 | 29.5 | 29.8 | .933 | | |
| paper, XL+Sick (100, 300), WMT14 | 30.1 | 30.4 | .919 | | |"""


def campaigns(data, some, cache):
    """Load campaigns into one table with its trees."""
    X, y, lines = load_campaigns([(data / name, pairs) for name, pairs in some])
    # Of one language pair alone segments would be numbers; here there are always several.
    return Trees("dependency", cache=cache, progress=True).fit_transform(X), y, lines


def splits(data, test, cache, n_folds):
    """Yield training and test tables."""
    X, y, lines = campaigns(data, TRAIN, cache)
    if test == "wmt12":
        yield X, y, *campaigns(data, TEST, cache)[:2]
        return
    recent = lines.str.startswith("wmt15").to_numpy()
    at = np.flatnonzero(recent)
    folds = GroupKFold(5).split(at, groups=lines[recent])
    for _, held_out in list(folds)[:n_folds]:
        training = np.ones(len(X), dtype=bool)
        training[at[held_out]] = False
        yield X[training], y[training], X[~training], y[~training]


def measure(model, X, y):
    """Return tau, strict and wmt14, and the systems' Pearson, of each language pair."""
    score = model(X)
    found = []
    segments = X.index.get_level_values("segment")
    pairs = segments.str.partition(":").get_level_values(0)
    for pair in sorted(set(pairs)):
        at = np.asarray(pairs == pair)
        groups, systems = X.index[at].droplevel("system"), X.index[at].get_level_values("system")
        taus = [
            100 * kendall_tau(y[at].to_numpy(), score[at], groups=groups, statistic=statistic)
            for statistic in ("wmt12", "wmt14")
        ]
        human = human_system_scores(X[at], y[at])
        means = system_scores(score[at], systems, segments=segments[at])
        found.append([*taus, system_agreement(human, means, statistic="pearson")])
    return np.array(found)


def show(name, found, began):
    """Print a row: means, and tau of each language pair."""
    strict, wmt14, systems = np.mean(found, axis=(0, 1))
    pairs = " ".join(f"{tau:.1f}" for tau in np.mean(found, axis=0)[:, 0])
    seconds = perf_counter() - began
    print(f"| {name} | {strict:.1f} | {wmt14:.1f} | {systems:.3f} | {pairs} | {seconds:.0f} |")


def networks(folds, seeds, only, **options):
    """Print a row for each encoder, memory and training set."""
    for encoder, n_units, name in ROWS:
        label = f"{encoder}, {n_units}, {name}"
        if not re.search(only, label):
            continue
        began, found = perf_counter(), []
        for X, y, X_test, y_test in folds:
            similar = similarity_from_rankings(X, y, **SETS[name])
            for seed in seeds:
                net = ReValRegressor(encoder=encoder, n_units=n_units, random_state=seed, **options)
                net.fit(similar.X, similar.y)
                found.append(measure(net.predict, X_test, y_test))
        show(f"{label} ({len(similar.y):,} translations)", found, began)


def as_feature(folds, seeds, cv, **options):
    """Print tau of all metric scores without and with ReVal's score."""
    for name in ("all metric scores", "and ReVal"):
        began, found = perf_counter(), []
        for X, y, X_test, y_test in folds:
            for seed in seeds:
                features = [MetricScores()]
                if name == "and ReVal":
                    net = ReValRegressor(random_state=seed, **options)
                    features.append(ReValScore(net, cv=cv))
                model = make_ranking_pipeline(make_union(*features), RankRecomposer()).fit(X, y)
                found.append(measure(model.decision_function, X_test, y_test))
        show(name, found, began)


def main(test, folds, seeds, only, features, cv, cache, **options):
    """Print the table."""
    data = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    tables = list(splits(data, test, cache, folds))
    print("| | strict | wmt14 | systems | strict of each pair | seconds |")
    print("|---|---|---|---|---|---|")
    print(PAPER)
    if features:
        as_feature(tables, seeds, cv, **options)
    else:
        networks(tables, seeds, only, **options)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--test", choices=["wmt12", "wmt15"], default="wmt12")
    parser.add_argument("--folds", type=int, default=5, help="of WMT15, how many to test")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--only", default="", help="regular expression of rows")
    parser.add_argument("--features", action="store_true", help="ReVal beside all metric scores")
    parser.add_argument("--cv", type=int, default=3, help="parts of cross-fitting")
    parser.add_argument("--epochs", dest="max_epochs", type=int, default=10)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--cache", help="folder in which trees are kept")
    main(**vars(parser.parse_args()))
