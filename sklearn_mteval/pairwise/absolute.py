"""What a fitted model says of translations: strengths in their rankings, scores beyond them.

The strengths of most recompositions are sums over competitors: their means over segments depend on
who took part, and so say little of systems. Scores here can be averaged. They are the absolute ones
(2017 paper, section 6.1); of a model without probabilities, wins among competitors.
"""

from copy import copy

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval.candidates import comparable_groups, content_keys
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.pairwise.answers import strengths
from sklearn_mteval.pairwise.pairs import plain_columns
from sklearn_mteval.pairwise.ranker import RankRecomposer

__all__ = ["apply_steps", "distinct_rows", "scores_among_distinct", "tells_alone"]


def apply_steps(model, X):
    """Return what the last step of a fitted pipeline is given of X, and that step.

    Of any other model it is X itself, and the model.
    """
    model = getattr(model, "best_estimator_", model)  # of a search
    if isinstance(model, Pipeline) and len(model) > 1:
        return model[:-1].transform(X), model[-1]
    return X, model


def distinct_rows(X, table):
    """Find the different translations of each group, by their texts and by their features.

    ``table`` holds what the model makes of each row of X: a text has other features where these are
    looked up by system. Returned are positions of rows no two of which are copies, and for each row
    which of these it is or is a copy of.
    """
    comparable_groups(table)  # of arrays nothing says what is comparable
    keys = pd.DataFrame({"group": comparable_groups(X)})
    if "hypothesis" in X.columns:
        keys["text"] = content_keys(X["hypothesis"].to_numpy(dtype=object), "hypothesis")
    repeated = np.flatnonzero(keys.duplicated(keep=False))
    first = np.arange(len(X))
    if len(repeated):
        columns = [keys[name].to_numpy()[repeated] for name in keys]
        alike = pd.DataFrame(dict(enumerate([*columns, *plain_columns(table.iloc[repeated])])))
        codes = alike.groupby(list(alike), dropna=False, sort=False).ngroup()
        first[repeated] = pd.Series(repeated).groupby(codes.to_numpy()).transform("min")
    return np.unique(first, return_inverse=True)


def tells_alone(ranker):
    """Tell whether a ranker can score a translation that has no competitor."""
    if not isinstance(ranker, RankRecomposer):
        return False
    check_is_fitted(ranker)
    return hasattr(ranker.estimator_, "predict_proba")


def scores_among_distinct(ranker, table, own=None):
    """Score translations, no two of a group copies, in [−1, 1], shape (n_rows,); higher is better.

    They are P(better than the empty translation) − P(worse), whatever the ranker's recomposition;
    without probabilities the proportion of competitors that are weaker less that of stronger ones,
    0 without competitors. ``own`` are the ranker's strengths, where they are known.
    """
    if tells_alone(ranker):
        return strengths(copy(ranker).set_params(recomposition="absolute"), table)
    own = pd.Series(strengths(ranker, table) if own is None else own)
    groups = own.groupby(comparable_groups(table))
    sizes = groups.transform("size")
    weaker, stronger = groups.rank(method="min") - 1, sizes - groups.rank(method="max")
    return ratio((weaker - stronger).to_numpy(), sizes.to_numpy() - 1, otherwise=0.0)
