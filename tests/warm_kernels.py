"""In a fresh checkout, pytest-xdist's workers share the largest kernels out among them.

Each would otherwise compile the same ones at the same time: all are started before one is done.
"""

import warnings

import pandas as pd

from sklearn_mteval import PairwiseNN, RankRecomposer
from sklearn_mteval.features import LexicalFeatures, TERComp
from sklearn_mteval.neural import ReValRegressor
from sklearn_mteval.trees import Trees

TEXTS = pd.DataFrame(
    {"source": "un chat", "hypothesis": ["a cat sat", "dogs bark", "it"], "reference": "a cat"},
    index=pd.MultiIndex.from_product([[1], list("abc")], names=["segment", "system"]),
)


def reval():
    options = {"encoder": "lstm", "n_units": 2, "hidden_units": 2, "max_epochs": 1}
    vectors = {"a": [1.0, 0.0], "cat": [0.0, 1.0]}
    ReValRegressor(vectors=vectors, **options).fit(TEXTS, [3, 2, 1]).predict(TEXTS)


def parsers():
    for structure in ("constituency", "discourse"):
        Trees(structure).fit_transform(TEXTS)


def features():
    for step in (TERComp(), LexicalFeatures()):
        step.fit_transform(TEXTS)


def pairs():
    numbers = pd.DataFrame({"a": [1.0, 2.0, 4.0]}, index=TEXTS.index)
    ranker = RankRecomposer(PairwiseNN(max_epochs=1)).fit(numbers, [3, 2, 1])
    ranker.score(numbers, [3, 2, 1])


# The dearest first; with two workers, one compiles the first and the third, half a minute each.
TASKS = [reval, parsers, features, pairs]


def warm_kernels(worker, n_workers):
    """Compile the part of the kernels that is this worker's, counted from 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of models hardly trained
        for task in TASKS[worker::n_workers]:
            task()
