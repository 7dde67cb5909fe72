"""ReVal on real rankings."""

import pytest

from sklearn_mteval import kendall_tau, segment_train_test_split
from sklearn_mteval.datasets import load_wmt, similarity_from_rankings
from sklearn_mteval.neural import ReValRegressor


@pytest.mark.slow
def test_wmt15_teaches_it_something(data_dir):
    X, y = load_wmt(data_dir / "wmt15", "fr-en", return_X_y=True)
    X, others, y, ranks = segment_train_test_split(X, y, random_state=0)
    similar = similarity_from_rankings(X, y, min_judgements=1, thresholds=None)
    net = ReValRegressor(n_units=50, max_epochs=3, random_state=0).fit(similar.X, similar.y)
    score = net.predict(others)
    assert kendall_tau(ranks, score, groups=others.index.droplevel("system")) > 0.1
