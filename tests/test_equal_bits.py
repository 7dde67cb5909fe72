"""Rows alone and among others: what is said of a row depends on that row, to the bit.

``make test-kernels`` runs the tests as on other processors: OpenBLAS adds up in another order on
each, and numpy's exponentials round otherwise.
"""

from functools import reduce
from itertools import permutations
from operator import add

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import (
    KNN,
    LogReg,
    NaiveBayes,
    PairDifference,
    PairwiseNN,
    RankRecomposer,
)
from sklearn_mteval._helpers.products import row_products, weighted_sums
from sklearn_mteval.classifiers import PairEnsemble, TiedPairClassifier
from sklearn_mteval.kernels import PreferenceKernelSVC
from sklearn_mteval.models import score_candidates

ROLES = {"hypothesis": slice(0, 4), "reference": slice(4, 8), "similarity": slice(8, 11)}
CLASSIFIERS = {
    "logistic regression": LogisticRegression(),
    "on differences": make_pipeline(PairDifference(), StandardScaler(), LogisticRegression()),
    "LogReg": make_pipeline(PairDifference(), LogReg()),
    "NaiveBayes": NaiveBayes(),
    "KNN": KNN(),
    "PairEnsemble": PairEnsemble([("logreg", LogisticRegression())]),
    "TiedPairClassifier": TiedPairClassifier(),
    "TiedPairClassifier, davidson": TiedPairClassifier(tie_model="davidson"),
    "kernels": PreferenceKernelSVC(number_kernel="rbf", calibration_folds=2),
    "kernels of landmarks": PreferenceKernelSVC(n_components=30, calibration_folds=2),
    **{
        f"network, {symmetric=}": PairwiseNN(
            column_roles=ROLES, max_epochs=2, symmetric=symmetric, random_state=0
        )
        for symmetric in (False, True)
    },
}


def table(n_segments, seed):
    """Make features and ranks of five systems, of many digits; four features are a segment's."""
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product([range(n_segments), list("abcde")])
    X = pd.DataFrame(rng.normal(size=(len(index), 11)), index.set_names(["segment", "system"]))
    X.iloc[:, ROLES["reference"]] = rng.normal(size=(n_segments, 4)).repeat(5, axis=0)
    X.columns = [f"f{k}" for k in range(11)]
    return X, (X.sum(axis=1) + rng.normal(scale=6, size=len(X)) < 0).astype(int)


@pytest.fixture(scope="module", params=CLASSIFIERS)
def ranker(request):
    """Make a fitted ranker of each classifier."""
    ties = "model" if request.param.startswith("TiedPairClassifier") else "drop"
    classifier = CLASSIFIERS[request.param]
    return RankRecomposer(classifier, recomposition="expected", ties=ties).fit(*table(40, 0))


def test_some_pairs_are_told_as_among_all(ranker):
    X, _ = table(9, 1)
    everything = ranker.compare(X)
    i, j = np.array(
        [[5 * k + a, 5 * k + b] for k in range(9) for a, b in permutations(range(5), 2)]
    ).T
    rng = np.random.default_rng(3)
    for n in (1, 1, 1, 2, 3, 4, 7, 8, 9, 31, 100, 180):
        some = rng.permutation(len(i))[:n]
        found = ranker.compare(X, pairs=(i[some], j[some]))
        pd.testing.assert_frame_equal(found, everything.iloc[some], check_exact=True)


def test_candidates_alone_and_among_others_have_equal_scores(ranker):
    X, _ = table(4, 1)
    scores, strengths = score_candidates(ranker, X), ranker.decision_function(X)
    for n in (1, 2, 3, 7):
        parts = [X.iloc[start : start + n] for start in range(0, len(X), n)]
        found = pd.concat([score_candidates(ranker, part) for part in parts])
        pd.testing.assert_series_equal(found, scores, check_exact=True)
    segments = [ranker.decision_function(part) for _, part in X.groupby(level="segment")]
    np.testing.assert_array_equal(np.concatenate(segments), strengths)
    order = np.random.default_rng(2).permutation(len(X))
    np.testing.assert_array_equal(ranker.decision_function(X.iloc[order]), strengths[order])


@given(st.integers(0, 40), st.integers(1, 20), st.sampled_from("CF"), st.integers(0, 2**32 - 1))
def test_weighted_sums_are_those_of_a_loop(n_rows, n_columns, layout, seed):
    rng = np.random.default_rng(seed)
    rows = np.asarray(rng.normal(size=(n_rows, n_columns)), order=layout)
    weights = rng.normal(size=n_columns)
    # Not the built-in sum, which corrects its rounding from Python 3.12 on.
    products = ([float(x * w) for x, w in zip(row, weights, strict=True)] for row in rows)
    expected = [reduce(add, row, 0.0) for row in products]
    assert weighted_sums(rows, weights).tolist() == expected
    matrix = np.column_stack([weights, -weights, weights + 1])
    found = row_products(rows, matrix)
    assert found[:, 0].tolist() == expected and (found[:, 1] == -found[:, 0]).all()
    single = row_products(rows.astype(np.float32), matrix.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, found, atol=1e-5)
