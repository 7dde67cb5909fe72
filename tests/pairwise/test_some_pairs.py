"""Comparing some pairs only: as among all of them."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval import RankRecomposer


@pytest.mark.parametrize("ties", ["drop", "model"])
def test_some_pairs_are_told_as_among_all(ties):
    rows = pd.MultiIndex.from_product([range(4), list("abcde")], names=["segment", "system"])
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=20), "b": rng.normal(size=20)}, rows)
    y = np.tile([1, 2, 2, 3, 4], 4)
    ranker = RankRecomposer(ties=ties).fit(X, y)
    everything = ranker.compare(X)
    i, j = np.array([[0, 3, 7, 11], [4, 1, 5, 14]])
    some = ranker.compare(X, pairs=(i, j))
    assert some.equals(everything.loc[some.index])
    assert some.index.get_level_values("system_1").tolist() == [X.index[row][-1] for row in i]
    for wrong in (([0], [5]), ([0], [0]), ([0, 1], [1]), ([-1], [0]), ([0], [99])):
        with pytest.raises(ValueError, match="pairs must be two arrays"):
            ranker.compare(X, pairs=wrong)
