"""Training on partitions: the fit in memory, whatever the folder's order and cuts."""

import numpy as np
import pytest

from sklearn_mteval import BLEUComp, RankRecomposer
from sklearn_mteval.datasets import make_rankings
from sklearn_mteval.scale import Partitions, map_partitions, write_partitions

pytest.importorskip("pyarrow")


@pytest.mark.parametrize("segments_per_file", [7, 1000])
def test_partitions_are_blocks(tmp_path, segments_per_file):
    X, y = make_rankings(40, 4, random_state=0)
    features = BLEUComp().set_output(transform="pandas").fit(X)
    rows = np.random.default_rng(0).permutation(len(X))
    write_partitions(
        X.iloc[rows], tmp_path / "texts", y=y.iloc[rows], segments_per_file=segments_per_file
    )
    map_partitions(features, tmp_path / "texts", tmp_path / "columns", what="transform")
    found = RankRecomposer().fit_blocks(Partitions(tmp_path / "columns"))
    whole = RankRecomposer().fit_blocks([(features.transform(X), y)])
    assert found.estimator_[-1].coef_.tolist() == whole.estimator_[-1].coef_.tolist()
    in_memory = RankRecomposer(whole.estimator_).fit(features.transform(X), y)
    ranks = in_memory.set_params(recomposition="soft").predict(features.transform(X))
    assert (found.predict(features.transform(X)) == ranks).mean() > 0.98
    assert found.n_pairs_ == in_memory.n_pairs_
