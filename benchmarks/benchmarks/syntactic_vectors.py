"""Syntactic vectors of distinct translations of WMT15 whose trees are there."""

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import SyntacticVectors
from sklearn_mteval.trees import Trees

from .common import data_dir, seconds


class Encoding:
    """3,000 distinct trees, read from brackets and encoded."""

    unit = "trees a second"
    timeout = 300

    def setup_cache(self):
        X = load_wmt(data_dir() / "wmt15", "cs-en", return_X_y=True)[0]
        X = X.drop_duplicates("hypothesis").sample(3000, random_state=0)
        return Trees("constituency", ["hypothesis"]).fit_transform(X)[["hypothesis_tree"]]

    def track_trees_a_second(self, X):
        encoder = SyntacticVectors(columns=["hypothesis"]).fit(X)
        return len(X) / seconds(lambda: encoder.transform(X))
