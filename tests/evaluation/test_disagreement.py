"""Proportions of pairs in disagreement, against a loop over all pairs."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.evaluation.disagreement import segment_disagreement
from sklearn_mteval.exceptions import CandidateError


def by_loop(y, score):
    """Every pair of one ranking: 1 if opposed, a half if one of both ties."""
    found = {}
    for label, human in y.groupby(level=["segment", "ranking"]):
        metric = score[human.index]
        for one, other in combinations(human.index, 2):
            if np.isnan([human[one], human[other], metric[one], metric[other]]).any():
                continue
            signs = np.sign(human[other] - human[one]), np.sign(metric[one] - metric[other])
            found.setdefault(label[0], []).append(abs(signs[0] - signs[1]) / 2)
    return {segment: np.mean(parts) for segment, parts in found.items()}


@pytest.mark.parametrize("seed", range(5))
def test_a_loop_over_all_pairs_says_the_same(seed):
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_tuples(
        [(s, f"{s}:{r}", k) for s in "dbca" for r in range(2) for k in range(rng.integers(1, 6))],
        names=["segment", "ranking", "system"],
    )
    index = index[rng.permutation(len(index))]
    y = pd.Series(rng.integers(1, 4, len(index)), index=index)
    scores = pd.DataFrame(rng.integers(0, 4, (len(index), 2)).astype(float), index, ["m", "n"])
    scores = scores.mask(rng.random(scores.shape) < 0.2)
    found = segment_disagreement(y, scores)
    assert found.index.tolist() == y.index.unique("segment").tolist()
    for name in scores:
        expected = pd.Series(by_loop(y, scores[name]), dtype=float).reindex(found.index)
        np.testing.assert_allclose(found[name], expected)


def test_two_metrics_disagree_as_much_either_way_round_and_not_with_themselves():
    index = pd.MultiIndex.from_product([range(20), list("ABCD")], names=["segment", "system"])
    rng = np.random.default_rng(0)
    a, b = (pd.Series(rng.integers(0, 5, len(index)) * 1.0, index) for _ in range(2))
    a.iloc[:4] = np.nan
    one, other = (
        segment_disagreement(-x, pd.DataFrame({"m": z}))["m"] for x, z in ((a, b), (b, a))
    )
    pd.testing.assert_series_equal(one, other)
    assert np.isnan(one.iloc[0]) and one.iloc[1:].between(0, 1).all()
    assert (segment_disagreement(-b, pd.DataFrame({"m": b}))["m"] == 0).all()
    assert (segment_disagreement(b, pd.DataFrame({"m": b}))["m"] > 0.5).sum() > 10


def test_infinite_judgements_are_refused():
    index = pd.MultiIndex.from_product([[1], ["A", "B"]], names=["segment", "system"])
    y = pd.Series([1.0, np.inf], index)
    with pytest.raises(CandidateError):
        segment_disagreement(y, pd.DataFrame({"m": [1.0, 2.0]}, index))
