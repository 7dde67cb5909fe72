"""The ways to choose among candidates: each is one entry of :data:`DECISIONS`.

What they and their options are called stands in ``option_values``, for the command.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_mteval.models.reranking.minimum_risk import (
    APPROXIMATIONS,
    expected_utilities,
    mean_places,
)
from sklearn_mteval.models.reranking.tournament import sparse_tournament, tournament
from sklearn_mteval.models.scoring import score_candidates

SPARSE = "sparse"


@dataclass(frozen=True)
class How:
    """What a decision is made by.

    Parameters
    ----------
    model : estimator or None
        A fitted model, of decisions that need one.
    utilities : list of callable
        From lists to utilities of them, of the decision "mbr".
    approximation : str or None
        The name of one of the decision's.
    proportion : float
        Of the pairs that an approximation asks about.
    recomposition : str, callable or None
        Of the decision "strength", in place of the model's own.
    random_state : int
        Seed of what is drawn.
    """

    model: Any
    utilities: list
    approximation: str | None
    proportion: float
    recomposition: Any
    random_state: int


@dataclass(frozen=True)
class Decision:
    """A way to choose."""

    name: str
    function: Callable  # of lists and how: values, comparisons and triples, None: there are none
    approximations: tuple
    needs_model: bool


def _strength(lists, how):
    """Rank by a tournament."""
    if how.approximation == SPARSE:
        return sparse_tournament(how.model, lists, how.proportion, how.random_state)
    return tournament(how.model, lists, how.recomposition)


def _score(lists, how):
    """Rank by scores, which compare nothing."""
    scores = score_candidates(how.model, lists.table).to_numpy()
    return scores, np.zeros(len(lists.sizes), dtype=np.int64), None


def _mbr(lists, how):
    """Rank by expected utility, or by the mean place that several utilities give."""
    values, compared = [], np.zeros(len(lists.sizes), dtype=np.int64)
    for of_lists in how.utilities:
        found, asked = expected_utilities(of_lists(lists), lists, how.approximation, how)
        values.append(found)
        compared += asked
    return values[0] if len(values) == 1 else mean_places(values, lists), compared, None


DECISIONS = {
    entry.name: entry
    for entry in [
        Decision("mbr", _mbr, tuple(APPROXIMATIONS), needs_model=False),
        Decision("strength", _strength, (SPARSE,), needs_model=True),
        Decision("score", _score, (), needs_model=True),
    ]
}
