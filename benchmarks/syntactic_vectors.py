"""Syntactic vectors on real data, as tables: ``python benchmarks/syntactic_vectors.py``.

Kendall's tau x 100, variant wmt12 (strict), pairs pooled, of PairwiseNN with BLEU's components,
four metrics or nothing beside the vectors. Trained on WMT13 fr-en and WMT15, tested on WMT12 cs-en
and de-en, next to the 2017 paper (Tables 1 and 2, trained on WMT11, means of four language pairs).
The variant wmt14 counts a metric's ties as 0: BLEU's components tie, vectors do not, and to break
ties at random is worth points of the strict variant. ``--select``: trained on WMT13, tested on
WMT15, for choices; WMT12 is not read. ``--speed``: trees a second, read from brackets and encoded.

Networks: "english" is the shipped one, "random" has random weights (another draw for each seed),
"start" is what training begins with, "labels" is trained to tell categories above all.
"""

import argparse
import os
import re
import warnings
from functools import cache
from itertools import chain
from pathlib import Path
from time import process_time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from sklearn.preprocessing import MinMaxScaler

from sklearn_mteval import BLEUComp, EmbeddingAverager, PairwiseNN, RankRecomposer, kendall_tau
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import MetricScores, SyntacticVectors
from sklearn_mteval.linguistic.trees.treebanks.corpus import chosen_documents
from sklearn_mteval.trees import Trees, read_penn

DATA = Path(os.environ.get("SKLEARN_MTEVAL_DATA", "../shared/data"))
WMT15 = [("wmt15", f"{source}-en") for source in ("cs", "de", "fi", "fr", "ru")]
SPLITS = {  # training and test
    "final": ([("wmt13", "fr-en"), *WMT15], [("wmt12", "cs-en"), ("wmt12", "de-en")]),
    "select": ([("wmt13", "fr-en")], WMT15),
}
VARIANTS = ("wmt12", "wmt14")
METRICS = ["bleu", "nist", "ter", "meteor"]
COURSE = {"solver": "numba", "max_epochs": 100, "patience": 20, "learning_rate": 0.1}
ROWS = {  # numbers beside the vectors, vectors, and what the paper has
    "BLEU components": (["bleu"], [], 19.75),
    "BLEU components + syntax25": (["bleu"], ["english"], 23.70),
    "BLEU components + random control": (["bleu"], ["random"], None),
    "BLEU components + untrained start": (["bleu"], ["start"], None),
    "BLEU components + categories above all": (["bleu"], ["labels"], None),
    "BLEU components + word vectors": (["bleu"], ["words"], 24.92),
    "BLEU components + syntax25 + word vectors": (["bleu"], ["english", "words"], 26.15),
    "4metrics": (["metrics"], [], 27.06),
    "4metrics + syntax25": (["metrics"], ["english"], 28.51),
    "4metrics + random control": (["metrics"], ["random"], None),
    "4metrics + syntax25 + word vectors": (["metrics"], ["english", "words"], 29.70),
    "syntax25": ([], ["english"], 10.14),
    "random control": ([], ["random"], None),
    "untrained start": ([], ["start"], None),
    "word vectors": ([], ["words"], 10.01),
}


@cache
def treebank():
    """Read the trees that the shipped network was trained on."""
    names = chosen_documents(DATA / "gum", "shipped")
    return list(chain.from_iterable(read_penn(DATA / "gum/const" / f"{n}.ptb") for n in names))


@cache
def table(campaign, pair):
    """Read rankings, their texts parsed."""
    X, y = load_wmt(DATA / campaign, pair, return_X_y=True)
    return Trees("constituency").fit_transform(X), y


TRANSFORMERS = {
    "bleu": lambda seed: BLEUComp(),
    "metrics": lambda seed: MetricScores(METRICS),
    "words": lambda seed: EmbeddingAverager("english"),
    "english": lambda seed: SyntacticVectors(),
    "random": lambda seed: SyntacticVectors("random", random_state=seed),
    "start": lambda seed: SyntacticVectors(treebank=treebank(), max_epochs=0, n_alternatives=0),
    "labels": lambda seed: SyntacticVectors(treebank=treebank(), label_weight=1.0),
}


@cache
def fitted(name, seed):
    """Fit a transformer, which learns nothing from the rankings."""
    first = table("wmt13", "fr-en")[0].iloc[:1]
    return TRANSFORMERS[name](seed).set_output(transform="pandas").fit(first)


@cache
def columns(name, seed, campaign, pair):
    """Compute columns of a table, named apart."""
    found = fitted(name, seed).transform(table(campaign, pair)[0])
    return found.add_prefix(f"{name}__")


def features(names, seed, where):
    """Join the columns of some transformers; only the random control has a seed."""
    parts = [columns(name, seed if name == "random" else 0, *where) for name in names]
    return pd.concat(parts, axis=1)


def measure(names, seed, split):
    """Train on one set; return tau on each of the test set, then in the variant wmt14."""
    train, tests = SPLITS[split]
    X = pd.concat([features(names, seed, where) for where in train])
    y = pd.concat([table(*where)[1] for where in train])
    scaler = MinMaxScaler((-1, 1)).set_output(transform="pandas").fit(X)
    layers = "pairwise" if any("_emb" in column for column in X) else "single-layer"
    network = PairwiseNN(architecture=layers, **COURSE, random_state=seed)
    ranker = RankRecomposer(network).fit(scaler.transform(X), y)
    taus = []
    for where in tests:
        X, y = features(names, seed, where), table(*where)[1]
        strength = ranker.decision_function(scaler.transform(X))
        groups = y.index.droplevel("system")
        variants = [kendall_tau(y, strength, groups=groups, statistic=v) for v in VARIANTS]
        taus.append(100 * np.array(variants))
    return np.transpose(taus)


def main(seeds, only, split):
    """Print the table."""
    warnings.filterwarnings("ignore", message="The pair table has no embedding columns")
    pairs = " | ".join(f"{campaign} {pair}" for campaign, pair in SPLITS[split][1])
    print(f"| | {pairs} | mean | spread over seeds | mean, wmt14 | the paper |")
    for name, (numbers, vectors, paper) in ROWS.items():
        if re.search(only, name):
            taus = np.array([measure([*numbers, *vectors], seed, split) for seed in seeds])
            strict, relaxed = taus.swapaxes(0, 1)  # (n_seeds, n_tests) each
            cells = [*strict.mean(axis=0), strict.mean(), strict.mean(axis=1).std(), relaxed.mean()]
            shown = " | ".join(f"{cell:.2f}" for cell in cells)
            print(f"| {name} | {shown} | {paper or ''} |", flush=True)


def speed():
    """Print how many distinct trees are read and encoded in a second."""
    X = table("wmt15", "cs-en")[0].drop_duplicates("hypothesis_tree")[["hypothesis_tree"]]
    encoder = SyntacticVectors(columns=["hypothesis"]).fit(X)
    encoder.transform(X)
    began = process_time()
    encoder.transform(X)
    seconds = process_time() - began
    print(f"{len(X) / seconds:.0f} trees a second ({len(X)} trees of WMT15 cs-en)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--only", default="", help="regular expression of rows' names")
    parser.add_argument("--select", action="store_true", help="WMT13 to WMT15")
    parser.add_argument("--speed", action="store_true", help="measure speed instead")
    given = parser.parse_args()
    if given.speed:
        speed()
    else:
        main(given.seeds, given.only, "select" if given.select else "final")
