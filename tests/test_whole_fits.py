"""A fit that fails, or is interrupted, leaves every estimator of the package as it was."""

import importlib
import inspect
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from stand_in_parser import StandInParser

from sklearn_mteval import (
    BLEUComp,
    GroupRanker,
    PairDifference,
    PairwiseNN,
    RankRecomposer,
    classifiers,
    features,
    kernels,
    make_ranking_pipeline,
    neural,
)
from sklearn_mteval._helpers.fitting import WholeFits, all_or_nothing
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.pairwise import decompose
from sklearn_mteval.testing import check_fit_is_all_or_nothing
from sklearn_mteval.trees import BracketedTrees, Trees

X, Y = load_sample(return_X_y=True)
NUMBERS = X[["hypothesis"]].map(len).assign(words=X["hypothesis"].str.count(" "))
WORDS = sorted({word for text in X["reference"] for word in re.findall(r"\w+", text.lower())})
VECTORS = dict(zip(WORDS, np.random.default_rng(0).normal(size=(len(WORDS), 3)), strict=True))
TREEBANK = ["(ROOT (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .)))", "(NP (DT A) (NN dog))"]
ROOMS = ["", *(f".{k}" for k in "classifiers features kernels neural pairwise trees".split())]


def letters(texts):
    return [np.eye(64)[[ord(c) % 64 for c in text[:20]]] for text in texts]


class LinearRanker(Ridge):
    """A ranker in the manner of LightGBM's."""

    def fit(self, X, y, group=None, **options):
        return super().fit(X, y)


def texts(rows):
    return X[rows], Y[rows]


def trees(rows):
    line = "(S {} (NN x))".format
    return X[rows].assign(hypothesis_tree=[line("(NN y) " * len(t)) for t in X["source"][rows]]), Y[rows]


def numbers(rows):
    return NUMBERS[rows], Y[rows]


def scores(rows):
    return X[rows], 1 + Y[rows] % 5


def pairs(rows):
    return decompose(*numbers(rows))


def ties(rows):
    table, labels = pairs(rows)
    return table, labels + np.arange(len(labels)) % 2


SMALL = {"max_epochs": 2, "random_state": 0}
ROLES = {"hypothesis": [0], "similarity": [1]}
NETWORK = PairwiseNN(solver="numba", column_roles=ROLES, **SMALL)
REVAL = neural.ReValRegressor(encoder="lstm", n_units=3, hidden_units=2, **SMALL)
MEMBERS = [("regression", LogisticRegression()), ("naive", classifiers.NaiveBayes())]
PARSER = StandInParser()

# Estimators, and what they are fitted on; add yours here.
CASES = [
    (pairs, classifiers.KNN(n_neighbors=3)),
    (pairs, classifiers.LogReg()),
    (pairs, classifiers.NaiveBayes()),
    (pairs, classifiers.PairEnsemble(MEMBERS)),
    (ties, classifiers.TiedPairClassifier()),
    (pairs, kernels.PreferenceKernelSVC()),
    (pairs, NETWORK),
    (pairs, PairDifference()),
    (numbers, RankRecomposer()),
    (numbers, RankRecomposer(recomposition="absolute")),
    (numbers, RankRecomposer(ties="model")),
    (numbers, RankRecomposer(NETWORK, recomposition="hard")),
    (numbers, GroupRanker(LinearRanker(), validation_fraction=0.3)),
    (numbers, make_ranking_pipeline(MinMaxScaler(), make_pipeline(StandardScaler()), RankRecomposer())),
    (numbers, make_ranking_pipeline(MinMaxScaler(), StandardScaler())),
    (scores, REVAL),
    (texts, features.CrossFitScore(make_ranking_pipeline(BLEUComp(), RankRecomposer()), cv=2)),
    (texts, features.ReValScore(REVAL, cv=2)),
    (texts, features.BLEUComp()),
    (texts, features.ChrFComp()),
    (texts, features.ContrastiveScore()),
    (texts, features.EmbeddingAverager(VECTORS)),
    (texts, features.LanguageModelScore(corpus=WORDS[:50], source_corpus=WORDS[50:])),
    (texts, features.METEORComp()),
    (texts, features.MetricScores()),
    (texts, features.NISTScore()),
    (texts, features.NormalizeText()),
    (texts, features.ParserStatistics(PARSER)),
    (texts, features.ScoreColumn(pd.Series(NUMBERS["words"]), name="words")),
    (texts, features.SurfaceCounts()),
    (texts, features.TERComp()),
    (texts, features.WordEvidence(VECTORS)),
    (texts, features.WordVectorAlignment(VECTORS)),
    (texts, Trees(PARSER)),
]  # fmt: skip
COSTLY = [
    (pairs, PairwiseNN(solver="torch", column_roles=ROLES, **SMALL)),
    (texts, features.LearnedTokenAlignment(letters, n_dimensions=4, max_epochs=1, cv=2)),
    (texts, features.SentenceEncoder(letters)),
    (texts, features.TokenAlignment(letters)),
    (texts, features.SyntacticVectors(treebank=TREEBANK, vectors=VECTORS, max_epochs=1)),
    (texts, features.LanguageCheck("de_DE", checks=["style"])),
    (texts, kernels.TreeSimilarity()),
    (trees, kernels.RelatedTrees()),
]


def named(case):
    data, estimator = case
    return pytest.param(*case, id=f"{type(estimator).__name__}-{data.__name__}")


def check(data, estimator, **options):
    first, second = data(slice(0, 20)), data(slice(20, 50))
    check_fit_is_all_or_nothing(estimator, first, second, **options)


@pytest.mark.parametrize(("data", "estimator"), [named(case) for case in CASES])
def test_some_steps(data, estimator):
    check(data, estimator, n_steps=4)


@pytest.mark.slow
@pytest.mark.parametrize(("data", "estimator"), [named(case) for case in [*CASES, *COSTLY]])
def test_all_steps(data, estimator):
    check(data, estimator, n_steps=1000)


def test_no_estimator_is_forgotten():
    rooms = [importlib.import_module(f"sklearn_mteval{room}") for room in ROOMS]
    public = {getattr(room, name) for room in rooms for name in room.__all__}
    fitting = {thing for thing in public if inspect.isclass(thing) and hasattr(thing, "fit")}
    assert fitting == {type(estimator) for _, estimator in [*CASES, *COSTLY]}
