"""Classifiers that learn one block of pairs after the other, by scikit-learn's ``partial_fit``."""

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from sklearn_mteval.pairwise.difference import PairDifference
from sklearn_mteval.pairwise.pairs import pair_table


def cannot_learn(estimator):
    """Say why a classifier, or a pipeline, cannot be trained block by block; None if it can."""
    *steps, last = _steps(estimator)
    for step in steps:
        if not (hasattr(step, "partial_fit") or _learns_nothing(step)):
            return f"step {step!r} must see all pairs at once, having no partial_fit"
    if not hasattr(last, "partial_fit"):
        return f"{last!r} has no partial_fit"
    return None


def partial_fit_on_pairs(estimator, X, i, j, labels, *, item_level):
    """Train a classifier further, in place: each step of a pipeline learns, then transforms."""
    table = pair_table(X, i, j, item_level=item_level)
    *steps, last = _steps(estimator)
    for step in steps:
        if hasattr(step, "partial_fit"):
            step.partial_fit(table)
        else:
            step.fit(table)
        table = step.transform(table)
    last.partial_fit(table, labels, classes=np.array([0, 1]))


def _steps(estimator):
    """List the steps of a pipeline, or what is none."""
    return [step for _, step in estimator.steps] if isinstance(estimator, Pipeline) else [estimator]


def _learns_nothing(step):
    """Tell whether it does not matter to a transformer which pairs it is fitted on."""
    return type(step) is PairDifference or (
        hasattr(step, "transform") and not get_tags(step).requires_fit
    )
