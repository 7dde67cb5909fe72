"""ModelColumns: what a fitted model says of translations, and the features that it says it by."""

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin

from sklearn_mteval.pairwise.absolute import apply_steps, standalone_scores
from sklearn_mteval.pairwise.consensus import refuse_scores
from sklearn_mteval.pairwise.ranker import RankRecomposer
from sklearn_mteval.text.transformer import TextTransformer

# By its name the first looks at competing systems, so that stand-alone heads begin with the second.
_OF_MODEL = ("competing_strength", "standalone_log_odds")
_NEAREST = 1 - 1e-9  # to 1, of scores of which log-odds are taken


def is_of_model(name):
    """Tell of a column, by its name, whether it is what a model says, not a feature."""
    return name.rpartition("__")[2] in _OF_MODEL


class ModelColumns(MetaEstimatorMixin, TextTransformer):
    """Strengths and scores of a model fitted on other rows, then its own features, as columns:
    ``model`` is a pipeline in a ``FrozenEstimator``, so that no clone forgets what it learnt.
    """

    def __init__(self, model: Any):
        self.model = model

    def _fit(self, X):
        refuse_scores(self.model.estimator, "train without it")
        self._remember_table(X, columns=())

    def _transform(self, X):
        table, ranker = apply_steps(self.model.estimator, X)
        if isinstance(ranker, RankRecomposer) and hasattr(ranker.estimator_, "predict_proba"):
            ranker = copy(ranker).set_params(recomposition="log-odds")
        scores = np.clip(standalone_scores(ranker, table), -_NEAREST, _NEAREST)
        said = np.column_stack([ranker.decision_function(table), 2 * np.arctanh(scores)])
        return np.hstack([said, table.to_numpy(dtype=np.float64)])

    def _output_names(self):
        features = self.model.estimator[:-1].get_feature_names_out()
        return [*_OF_MODEL, *features]

    def _is_whole(self):
        return hasattr(self.model.estimator, "decision_function")
