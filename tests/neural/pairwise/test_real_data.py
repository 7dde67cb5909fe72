"""The papers' claims on real judgements: trained on WMT13 fr-en, tested on WMT12."""

import pytest
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import MinMaxScaler

from sklearn_mteval import BLEUComp, EmbeddingAverager, PairwiseNN, RankRecomposer, kendall_tau
from sklearn_mteval.datasets import load_wmt

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sets(data_dir):
    features = make_pipeline(
        make_union(BLEUComp(), EmbeddingAverager(data_dir / "vectors" / "distilled-en-50d.txt")),
        MinMaxScaler(feature_range=(-1, 1)),
    ).set_output(transform="pandas")
    X, y = load_wmt(data_dir / "wmt13", "fr-en", return_X_y=True)
    train = features.fit_transform(X), y
    tests = {}
    for pair in ("cs-en", "de-en"):
        X, y = load_wmt(data_dir / "wmt12", pair, return_X_y=True)
        tests[pair] = features.transform(X), y
    return train, tests


def taus(ranker, tests, columns):
    return {
        pair: kendall_tau(
            y, ranker.decision_function(X[columns]), groups=X.index.droplevel("system")
        )
        for pair, (X, y) in tests.items()
    }


def test_embeddings_add_to_bleus_components(sets):
    # 2015 paper, Table 2: 19.75 with logistic regression on BLEU's components, 24.92 with the
    # network and word vectors as well.
    (X, y), tests = sets
    similarity = [name for name in X.columns if "_emb" not in name]
    linear = taus(RankRecomposer().fit(X[similarity], y), tests, similarity)
    network = PairwiseNN(symmetric=True, max_epochs=10, random_state=0)
    ranker = RankRecomposer(network).fit(X, y)
    every = list(X.columns)
    soft = taus(ranker, tests, every)
    absolute = taus(ranker.set_params(recomposition="absolute"), tests, every)
    for pair in tests:
        assert soft[pair] > linear[pair] + 0.02
        assert absolute[pair] == pytest.approx(soft[pair], abs=0.01)


def test_absolute_scores_beat_decisions_pair_by_pair(sets):
    # 2017 paper, Table 9: by 0.9 to 1.2 points.
    (X, y), tests = sets
    ranker = RankRecomposer(PairwiseNN(max_epochs=5, random_state=0), recomposition="hard")
    every = list(X.columns)
    hard = taus(ranker.fit(X, y), tests, every)
    absolute = taus(ranker.set_params(recomposition="absolute"), tests, every)
    for pair in tests:
        assert absolute[pair] > hard[pair]
