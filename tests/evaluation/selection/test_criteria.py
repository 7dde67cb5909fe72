"""Criteria by which segments are taken: by loops, and by another project's values."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from selection_scores import chosen, scores, standardised
from sklearn.base import BaseEstimator, TransformerMixin

from sklearn_mteval.evaluation import select_segments
from sklearn_mteval.evaluation.selection.criteria import CRITERIA
from sklearn_mteval.evaluation.selection.diversity import diversity_of
from sklearn_mteval.exceptions import CandidateError

# What subset2evaluate 1.0.27 (Zouhar et al. 2025) says of four systems in six segments.
SCORES = [
    [18, 12, 13, 17], [11, 15, 16, 4], [1, 6, 5, 17], [5, 5, 5, 5], [2, 2, 2, 9], [16, 6, 6, 5],
]  # fmt: skip
TEXTS = [
    ["cat fast dog dog", "sat sat sat", "home home ran sat cat", "dog the home the home"],
    ["a a dog a", "sat", "dog home fast home ran", "sat cat dog"],
    ["the fast", "", "fast", "fast the ran cat"],
    ["a sat home", "the sat cat fast", "the sat fast home ran", "a ran dog a"],
    ["sat ran", "sat home ran", "ran sat", "a"],
    ["dog sat cat the"] * 4,
]
THEIRS = {
    "average": [-15.0, -11.5, -7.25, -5.0, -3.75, -8.25],
    "variance": [6.5, 22.25, 35.1875, 0.0, 9.1875, 20.1875],
    "consistency": [0.666667, -0.666667, 0.0, 0.0, 0.75, -0.1875],
    "unigram": [-0.182407, -0.209656, -0.788889, -0.32672, -0.433333, -1.0],
    "chrf": [-34.557068, -38.790481, -35.710571, -41.17777, -48.638481, -100.0],
}
INDEX = pd.MultiIndex.from_product([range(6), list("ABCD")], names=["segment", "system"])
X = pd.DataFrame({"hypothesis": list(itertools.chain(*TEXTS))}, INDEX)


@pytest.mark.parametrize("name", ["average", "variance", "consistency"])
def test_values_of_subset2evaluate(name):
    table = np.array([SCORES], dtype=float)
    np.testing.assert_allclose(CRITERIA[name](table), THEIRS[name], atol=1e-6)


def test_diversity_of_subset2evaluate():
    segments = pd.RangeIndex(6)
    found = diversity_of(X, "unigram", segments)
    np.testing.assert_allclose(found, THEIRS["unigram"], atol=1e-6)
    # There each text is compared with itself, too: 100, but 0 of an empty text.
    selves = np.array([400, 400, 300, 400, 400, 400])
    expected = (np.array(THEIRS["chrf"]) * 16 + selves) / 12
    np.testing.assert_allclose(diversity_of(X, "chrf", segments), expected, atol=1e-5)


class Letters(TransformerMixin, BaseEstimator):
    """Vectors of a text: how often it has some letters."""

    def fit(self, X, y=None):
        """Learn nothing."""
        return self

    def transform(self, X):
        """Count."""
        return np.array([[text.count(c) for c in "aest"] for text in X["hypothesis"]])


def test_diversity_of_vectors():
    found = diversity_of(X, Letters(), pd.RangeIndex(6))
    vectors = Letters().transform(X).reshape(6, 4, 4)
    pairs = list(itertools.combinations(range(4), 2))
    expected = [-np.mean([v[a] @ v[b] for a, b in pairs]) for v in vectors]
    np.testing.assert_allclose(found, expected)
    # Other rows are passed over, a segment with one translation has none that it is like.
    found = diversity_of(X.iloc[3:], Letters(), pd.Index([2, 0]))
    np.testing.assert_allclose(found, [expected[2], 0])


def test_bad_translations():
    with pytest.raises(CandidateError, match="no row of segment 6"):
        diversity_of(X, "chrf", pd.RangeIndex(7))
    with pytest.raises(CandidateError, match="'hypothesis'"):
        diversity_of(X.rename(columns={"hypothesis": "text"}), "chrf", pd.RangeIndex(6))
    with pytest.raises(ValueError, match=r"similarity .*found "):
        diversity_of(X, "bleurt", pd.RangeIndex(6))
    with pytest.raises(ValueError, match="give translations=X"):
        select_segments(scores(), method="diversity")


def variance(segment):
    columns = [segment[name].dropna() for name in segment]
    return np.mean([np.var(column) for column in columns if len(column)])


def average(segment):
    return -np.mean([segment[name].mean() for name in segment])


def disagreement(segment):
    pairs = itertools.combinations(segment, 2)
    return -np.mean([np.corrcoef(segment[a], segment[b])[0, 1] for a, b in pairs])


@pytest.mark.parametrize(
    ("criterion", "missing"), [(variance, 0), (variance, 0.15), (average, 0), (disagreement, 0)]
)
def test_criteria_by_loops(criterion, missing):
    table = scores(n_metrics=3, missing=missing)
    values = standardised(table).groupby(level="segment").apply(criterion)
    expected = values.sort_values(ascending=False).index[:20]
    found = select_segments(table, 20, method=criterion.__name__)
    assert chosen(found) == sorted(expected) and found["probability"].isna().all()


@pytest.mark.parametrize("missing", [0, 0.2])
def test_consistency_by_scipy(missing):
    table = scores(n_metrics=1, missing=missing).round()
    values = standardised(table)["m0"]
    of_systems = values.groupby(level="system").mean()
    taus = {}
    for segment, there in values.groupby(level="segment"):
        there = there.dropna().droplevel("segment")
        tau = kendalltau(there, of_systems[there.index], variant="c").statistic
        taus[segment] = 0.0 if there.nunique() < 2 else tau
    found = select_segments(table, 30, method="consistency")
    left_out = found.index[~found["chosen"]]
    assert min(taus[s] for s in chosen(found)) >= max(taus[s] for s in left_out) - 1e-9


def test_disagreement_of_pairs_that_both_metrics_scored():
    table = scores(missing=0.2)
    there = table.dropna()
    there = there[there.groupby(level="segment")["m0"].transform("size") > 2]
    values = standardised(table).loc[there.index].groupby(level="segment").apply(disagreement)
    expected = values.sort_values(ascending=False).index
    found = set(chosen(select_segments(table, 30, method="disagreement")))
    assert {*expected[: len(found & {*expected})]} == found & {*expected}
    with pytest.raises(ValueError, match="needs two metrics"):
        select_segments(table[["m0"]], method="disagreement")


def test_correlations_have_no_scale():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 5, 4))
    expected = [-np.corrcoef(a, b)[0, 1] for a, b in zip(one, other, strict=True)]
    for factor in (1.0, 1e-2, 1e-4):
        table = np.stack([factor * one, factor * other])
        np.testing.assert_allclose(CRITERIA["disagreement"](table), expected)
    flat = np.stack([np.ones((5, 4)), other])
    assert CRITERIA["disagreement"](flat).tolist() == [0] * 5
