"""A model that knows only how far systems agree, trained on the sample."""

import pickle
from functools import cache

from sklearn_mteval import RankRecomposer, make_ranking_pipeline, save_model
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import LexicalFeatures


@cache
def consensus_model():
    """Fit the model; as a loaded one it does not know what it was trained on."""
    X, y = load_sample(return_X_y=True)
    features = LexicalFeatures(use_references=False, features=["competing"])
    return pickle.loads(pickle.dumps(make_ranking_pipeline(features, RankRecomposer()).fit(X, y)))


def saved_consensus_model(folder):
    """Save it in a folder; return the folder's name."""
    save_model(consensus_model(), folder)
    return str(folder)
