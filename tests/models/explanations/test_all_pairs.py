"""Values of all pairs, against explaining one pair after the other."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval import BLEUComp, RankRecomposer, make_ranking_pipeline
from sklearn_mteval.classifiers import KNN
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.models import bleu_pipeline, load_pretrained, rank_candidates
from sklearn_mteval.models.explanations.all_pairs import (
    MOST_TEXTS,
    values_in_segments,
    values_of_pairs,
)
from sklearn_mteval.models.explanations.explain import explain_segment
from sklearn_mteval.pairwise import Windowed
from sklearn_mteval.pairwise.judged import Judged


@pytest.fixture(scope="module")
def table():
    X = load_sample().X
    X = X[X.index.get_level_values("segment") <= 100]
    X = X.droplevel([level for level in X.index.names if level not in ("segment", "system")])
    return X[~X.index.duplicated()]


@pytest.fixture(scope="module")
def other_segments():
    X, y = load_sample(return_X_y=True)
    others = X.index.get_level_values("segment") > 100
    return X[others], y[others]


def of_texts(pairs, row, other):
    """What is found for one row over another, in log-odds, in whole hundredths."""
    i, j = pairs.text[[row, other]]
    at = np.flatnonzero((pairs.first == min(i, j)) & (pairs.second == max(i, j)))
    return pairs.values[at[0]] * (1 if i < j else -1)


def assert_explained(model, X, n_pairs):
    pairs = values_in_segments(model, X, list(X.index.unique("segment")))
    segments, rng = X.index.get_level_values("segment"), np.random.default_rng(0)
    for segment in rng.permutation(X.index.unique("segment"))[:n_pairs]:
        rows = np.flatnonzero(segments == segment)
        row, other = rng.choice(rows, 2, replace=False)
        names = [X.index[k][1] for k in (row, other)]
        told = explain_segment(model, X.iloc[rows], tuple(names))
        families = told.families["value"].droplevel(["first", "second"])
        if pairs.text[row] == pairs.text[other]:
            assert X["hypothesis"].iloc[row] == X["hypothesis"].iloc[other]
            continue
        found = pd.Series(of_texts(pairs, row, other), pairs.families) / 100
        assert found.sum() == pytest.approx(told.pairs["decision"].item(), abs=0.00501)
        for name, value in families.items():
            assert found[name] == pytest.approx(value, abs=0.01), name


def test_each_pair_is_as_explained_alone(table, other_segments):
    for model in (load_pretrained("static-en"), bleu_pipeline().fit(*other_segments)):
        assert_explained(model, table.iloc[:60], 6)


def test_pairs_of_long_texts(table, other_segments):
    """Three segments in one: windows of sentences."""
    model = Windowed.of(bleu_pipeline().fit(*other_segments), longest=300)
    parts = [table.xs(k, level="segment") for k in table.index.unique("segment")[:3]]
    long = parts[0].loc[parts[0].index.intersection(parts[1].index).intersection(parts[2].index)]
    for part in parts[1:]:
        for column in long:
            long = long.assign(**{column: long[column] + " " + part.loc[long.index, column]})
    X = pd.concat({"long": long}, names=["segment"])
    assert Judged(model, X).parted.any()
    assert_explained(model, X, 1)


def test_of_many_texts_the_best_are_compared(table):
    model = load_pretrained("static-en")
    text = table["hypothesis"].iloc[0].split()
    texts = [" ".join(text[: k + 1]) for k in range(min(len(text), 9))] + [
        f"word {k}" for k in range(20)
    ]
    index = pd.MultiIndex.from_product(
        [["s"], [f"S{k}" for k in range(len(texts))]], names=["segment", "system"]
    )
    X = pd.DataFrame(
        {"hypothesis": texts, "source": "x", "reference": table["reference"].iloc[0]}, index
    )
    ranks = rank_candidates(model, X)["rank"].to_numpy()
    pairs = values_of_pairs(model, Judged(model, X), ranks)
    assert len(pairs.first) == MOST_TEXTS * (MOST_TEXTS - 1) / 2
    assert set(ranks[pairs.text >= 0]) == set(np.sort(ranks)[:MOST_TEXTS])


def test_other_models_are_asked_about_the_best_and_the_worst(table, other_segments):
    model = make_ranking_pipeline(BLEUComp(), RankRecomposer(KNN())).fit(*other_segments)
    pairs = values_in_segments(model, table, list(table.index.unique("segment")))
    ranks = rank_candidates(model, table)["rank"]
    assert 0 < len(pairs.first) <= 10
    for segment in table.index.unique("segment")[:10]:
        rows = np.flatnonzero(table.index.get_level_values("segment") == segment)
        told = rows[pairs.text[rows] >= 0]
        of_segment = ranks.iloc[rows]
        if of_segment.min() == of_segment.max():
            assert not len(told)
            continue
        assert sorted(ranks.iloc[told]) == [of_segment.min(), of_segment.max()]


def test_pairs_are_sorted_and_complete(table):
    pairs = values_in_segments(
        load_pretrained("static-en"), table.iloc[:20], list(table.iloc[:20].index.unique("segment"))
    )
    by_segment = pd.Series(pairs.text).groupby(table.iloc[:20].index.get_level_values("segment"))
    expected = sorted(pair for _, some in by_segment for pair in combinations(sorted(set(some)), 2))
    assert list(zip(pairs.first, pairs.second, strict=True)) == expected
    assert pairs.told.all()
