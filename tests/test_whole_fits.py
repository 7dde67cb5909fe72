"""A fit that fails, or is interrupted, leaves every estimator of the package as it was."""

import importlib
import inspect
import re

import numpy as np
import pandas as pd
import pytest
from encoder_model import one_layer_model, random_model
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
from sklearn_mteval.pairwise import PairwiseCrossEncoder, Windowed, decompose
from sklearn_mteval.testing import check_fit_is_all_or_nothing
from sklearn_mteval.trees import Trees

X, Y = load_sample(return_X_y=True)
NUMBERS = X[["hypothesis"]].map(len).assign(words=X["hypothesis"].str.count(" "))
WORDS = sorted({word for text in X["reference"][:50] for word in re.findall(r"\w+", text.lower())})
VECTORS = dict(zip(WORDS, np.random.default_rng(0).normal(size=(len(WORDS), 3)), strict=True))
TREEBANK = ["(ROOT (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .)))", "(NP (DT A) (NN dog))"]
ROOMS = ["", ".classifiers", ".features", ".kernels", ".neural", ".pairwise", ".trees"]


def letters(texts):
    return [np.eye(64)[[ord(c) % 64 for c in text[:20]]] for text in texts]


def lengths(texts):
    return np.array([[len(text), 1.0] for text in texts])


class LinearRanker(Ridge):
    """A ranker in the manner of LightGBM's."""

    def fit(self, X, y, group=None, **options):
        return super().fit(X, y)


def texts(rows):
    return X[rows], Y[rows]


def trees(rows):
    lines = [f"(S {'(NN y) ' * len(text)}(NN x))" for text in X["source"][rows]]
    return X[rows].assign(hypothesis_tree=lines), Y[rows]


def numbers(rows):
    return NUMBERS[rows], Y[rows]


def tied(rows):
    return NUMBERS[rows], (Y[rows] + 1) // 2


def scores(rows):
    return X[rows], 1 + Y[rows] % 5


def pairs(rows):
    return decompose(*numbers(rows))


def text_pairs(rows):
    return decompose(*texts(rows))


def ties(rows):
    table, labels = pairs(rows)
    return table, labels + np.arange(len(labels)) % 2


SMALL = {"max_epochs": 2, "random_state": 0}
ROLES = {"hypothesis": [0], "similarity": [1]}
NETWORK = PairwiseNN(solver="numba", column_roles=ROLES, **SMALL)
REVAL = neural.ReValRegressor(encoder="lstm", vectors=VECTORS, n_units=3, **SMALL)
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
    (numbers, Windowed(RankRecomposer())),
    (numbers, RankRecomposer(recomposition="absolute")),
    (numbers, RankRecomposer(NETWORK, recomposition="hard")),
    (numbers, GroupRanker(LinearRanker(), validation_fraction=0.3)),
    (numbers, make_ranking_pipeline(make_pipeline(StandardScaler()), RankRecomposer())),
    (numbers, make_ranking_pipeline(MinMaxScaler(), StandardScaler())),
    (scores, REVAL),
    (numbers, features.CrossFitScore(make_ranking_pipeline(MinMaxScaler(), Ridge()), cv=2)),
    (texts, features.BLEUComp()),
    (texts, features.ChrFComp()),
    (texts, features.ContrastiveScore()),
    (texts, features.EmbeddingAverager(VECTORS)),
    (texts, features.LanguageModelScore(corpus=WORDS[:50], source_corpus=WORDS[50:])),
    (texts, features.METEORComp()),
    (texts, features.ContentErrors()),
    (texts, features.MetricScores()),
    (texts, features.NISTScore()),
    (texts, features.NormalizeText()),
    (texts, features.ParserStatistics(PARSER)),
    (texts, features.ScoreColumn(pd.Series(NUMBERS["words"]), name="words")),
    (texts, features.SurfaceCounts()),
    (texts, features.SurfaceErrors()),
    (texts, features.TERComp()),
    (texts, features.LexicalFeatures(VECTORS)),
    (texts, features.WordVectorAlignment(VECTORS)),
    (texts, Trees(PARSER)),
    (texts, features.SentenceEncoder(lengths)),
    (texts, features.TokenAlignment(letters)),
    (texts, features.LanguageCheck(checks=["grammar"], parser=PARSER)),
    (texts, kernels.TreeSimilarity()),
    (trees, kernels.RelatedTrees()),
]  # fmt: skip
COSTLY = [
    (tied, RankRecomposer(ties="model")),
    (texts, features.ReValScore(REVAL, cv=2)),
    (pairs, PairwiseNN(solver="torch", column_roles=ROLES, **SMALL)),
    (texts, features.LearnedTokenAlignment(letters, n_dimensions=4, max_epochs=1, cv=2)),
    (texts, features.CrossEncoder(one_layer_model(), n_frozen_layers=0, adapter_rank=1, cv=2)),
    (text_pairs, PairwiseCrossEncoder(random_model(), n_frozen_layers=0, adapter_rank=1)),
    (texts, features.SyntacticVectors(treebank=TREEBANK, vectors=VECTORS, max_epochs=1)),
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
def test_many_steps(data, estimator):
    check(data, estimator, n_steps=50)


def marked(rows):
    return X[rows], X["hypothesis"][rows].map(lambda text: [(0, len(text) // 2, "minor")])


@pytest.mark.slow
def test_a_marker_of_a_fitted_reader():
    reader = features.CrossEncoder(one_layer_model(), n_frozen_layers=0, adapter_rank=1)
    check(marked, features.ErrorMarker(reader.fit(X[:20], Y[:20])), n_steps=10)


class Careless(BaseEstimator):
    """A mean that is learnt in two steps; ``within``: into the array of the fit before."""

    def __init__(self, within=False):
        self.within = within

    def fit(self, X, y):
        self.n_ = self.count(X)
        if self.within and hasattr(self, "mean_"):
            self.mean_[:] = np.mean(X, axis=0)
        else:
            self.mean_ = np.mean(X, axis=0).to_numpy(copy=True)
        self.n_ = self.count(X)
        return self

    def count(self, X):
        return len(X)


class Whole(WholeFits, Careless):
    fit = Careless.fit


class Unlucky(Whole):
    """Keeps what it learns in a list of its own, and an estimator in a dict."""

    @all_or_nothing
    def partial_fit(self, X, y):
        if not hasattr(self, "seen_"):
            self.seen_, self.inner_ = [], {"a": (Careless(),)}
        self.seen_.append(len(X))
        self.inner_["b"] = self.count(X)
        self.inner_["a"][0].fit(X, y)
        return self

    def fit(self, X, y):
        return self.partial_fit(X, y)


@pytest.mark.parametrize(
    ("estimator", "changed"),
    [
        (Careless(), r"fit: after _Failure in Careless.count changed were \['mean_', 'n_'\]"),
        (Whole(within=True), r"fit: after _Failure in Careless.count changed were \['mean_'\]"),
        (Whole(), None),
        (Unlucky(), None),
    ],
)
def test_what_the_check_finds(estimator, changed):
    if changed is None:
        return check(numbers, estimator)
    with pytest.raises(AssertionError, match=changed):
        check(numbers, estimator)


@pytest.mark.parametrize("interrupt", [ValueError, KeyboardInterrupt])
def test_a_classifier_that_fails_in_a_second_fit(interrupt, monkeypatch):
    first, second = numbers(slice(0, 20)), numbers(slice(20, 50))
    model = RankRecomposer(LogisticRegression(), recomposition="absolute").fit(*first)
    expected = model.decision_function(second[0])

    def fail(*_, **__):
        raise interrupt

    monkeypatch.setattr(LogisticRegression, "fit", fail)
    with pytest.raises(interrupt):
        model.fit(*second)
    np.testing.assert_array_equal(model.decision_function(second[0]), expected)


def test_a_pipeline_transforms_if_its_last_step_does():
    assert not hasattr(make_ranking_pipeline(BLEUComp(), RankRecomposer()), "fit_transform")
    table = make_ranking_pipeline(BLEUComp(), StandardScaler()).fit_transform(X)
    np.testing.assert_allclose(table.mean(), 0, atol=1e-9)
    assert table.index.equals(X.index)


def test_no_estimator_is_forgotten():
    rooms = [importlib.import_module(f"sklearn_mteval{room}") for room in ROOMS]
    public = {getattr(room, name) for room in rooms for name in room.__all__}
    fitting = {thing for thing in public if inspect.isclass(thing) and hasattr(thing, "fit")}
    # The marker's reader has to be fitted: it has a test of its own.
    cases = {type(estimator) for _, estimator in [*CASES, *COSTLY]}
    assert fitting == cases | {features.ErrorMarker}
