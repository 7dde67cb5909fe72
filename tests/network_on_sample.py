"""A pipeline with a PairwiseNN, trained on half of the bundled sample."""

import zlib

import numpy as np
import pandas as pd
from sklearn.pipeline import make_union
from sklearn.preprocessing import MinMaxScaler

from sklearn_mteval import (
    BLEUComp,
    EmbeddingAverager,
    PairwiseNN,
    RankRecomposer,
    make_ranking_pipeline,
)
from sklearn_mteval.datasets import load_sample


def halves():
    """The sample's X and y of segments to train on, and X of the others."""
    X, y = load_sample(return_X_y=True)
    train = X.index.get_level_values("segment") <= 64
    return X[train], y[train], X[~train]


def trained(X, y):
    """Train; word vectors are made of each word's bytes."""
    texts = pd.concat([X["reference"], X["hypothesis"]]).str.lower()
    vectors = {
        word: np.random.default_rng(zlib.crc32(word.encode())).normal(size=5)
        for word in sorted(set(texts.str.findall(r"\w+").explode()))
    }
    network = PairwiseNN(hidden_units=2, loss="logistic+kendall", max_epochs=5, random_state=0)
    return make_ranking_pipeline(
        make_union(BLEUComp(), EmbeddingAverager(vectors)),
        MinMaxScaler(feature_range=(-1, 1)),
        RankRecomposer(network),
    ).fit(X, y)
