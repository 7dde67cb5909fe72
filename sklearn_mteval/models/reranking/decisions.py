"""The ways to choose among candidates: each is one entry of :data:`DECISIONS`; and tournaments.

What they and their options are called stands in ``option_values``, for the command.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass

import numpy as np

from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval.metrics.paired_comparisons.strengths import bradley_terry_strengths
from sklearn_mteval.models.ranking import tells_probabilities
from sklearn_mteval.models.reranking import minimum_risk
from sklearn_mteval.models.scoring import score_all
from sklearn_mteval.pair_classifiers import declares
from sklearn_mteval.pairwise.judged import Judged
from sklearn_mteval.pairwise.prediction import recomposed
from sklearn_mteval.pairwise.recomposition import (
    TIE_TOLERANCE,
    find_recomposition,
    strengths_from_matrices,
)

_CLIP = 1e-6  # a probability of 0 or 1 would need an infinite strength
SPARSE = "sparse"


@dataclass(frozen=True)
class Decision:
    """A way to choose."""

    name: str
    # Of lists and a Reranker: values, comparisons and intransitive triples, None: there are none.
    function: Callable
    approximations: tuple
    needs_model: bool


def _strength(lists, how):
    """Rank by a tournament."""
    if how.approximation == SPARSE:
        return sparse_tournament(how.model, lists, how.proportion, how.random_state)
    return tournament(how.model, lists, how.recomposition)


def _score(lists, how):
    """Rank by scores, which compare nothing."""
    scores = score_all(how.model, lists.table).to_numpy()
    return scores, np.zeros(len(lists.sizes), dtype=np.int64), None


def _mbr(lists, how):
    """Rank by expected utility, or by the mean place that several utilities give."""
    ask = minimum_risk.APPROXIMATIONS.get(how.approximation, minimum_risk.exact)
    found = (ask(of_lists(lists), lists, how) for of_lists in how.utilities)
    values, asked = zip(*found, strict=True)
    value = values[0] if len(values) == 1 else minimum_risk.mean_places(values, lists)
    return value, sum(asked), None


DECISIONS = {
    entry.name: entry
    for entry in [
        Decision("mbr", _mbr, tuple(minimum_risk.APPROXIMATIONS), needs_model=False),
        Decision("strength", _strength, (SPARSE,), needs_model=True),
        Decision("score", _score, (), needs_model=True),
    ]
}


def tournament(model, lists, recomposition=None):
    """Return strengths (n_texts,), the pairs compared and the intransitive triples (n_lists,)."""
    judged = Judged(model, lists.table)
    ranker, rows = judged.ranker, np.arange(len(lists.table))
    n_pairs = lists.sizes * (lists.sizes - 1) // 2
    if not tells_probabilities(ranker):
        if recomposition is not None:
            _refuse(ranker, "another recomposition than its own")
        return judged.strengths(rows), n_pairs, np.full(len(n_pairs), np.nan)
    if recomposition is not None:
        ranker = copy(ranker).set_params(recomposition=recomposition)
    how = find_recomposition(ranker.recomposition)
    # Asked once: strengths are made of the same probabilities that triples are counted in.
    better, tie = judged.probabilities(*pairs_within(lists.sizes))
    of_rows = strengths_from_matrices(better, lists.sizes, lambda m: _cycles(m)[:, np.newaxis])
    triples = of_rows[lists.starts]
    if how.needs == ("empty",):
        return judged.strengths(rows, ranker=ranker), n_pairs, triples
    return recomposed(how, better, lists.sizes, tie), n_pairs, triples


def sparse_tournament(model, lists, proportion, random_state):
    """As :func:`tournament`, of a proportion of the pairs of each list, by Bradley and Terry."""
    judged = Judged(model, lists.table)
    if not tells_probabilities(judged.ranker):
        _refuse(judged.ranker, "a tournament of some pairs")
    pairs = [
        start + _round_table(size, proportion, rng)
        for start, size, rng in lists.seeds(random_state)
    ]
    compared = np.array([part.shape[1] for part in pairs])
    i, j = np.hstack([np.zeros((2, 0), dtype=np.int64), *pairs])
    better = _better(judged, i, j)
    if not declares(judged.ranker.estimator_, "antisymmetric_"):
        better = (better + 1 - _better(judged, j, i)) / 2
    found, triples = np.zeros(len(lists.table)), np.zeros(len(compared))
    chance, ends = np.clip(better, _CLIP, 1 - _CLIP), np.cumsum(compared)
    for n in np.unique(lists.sizes[lists.sizes > 1]):  # all lists of a size at once
        wins = np.zeros((np.count_nonzero(lists.sizes == n), n, n))
        for k, matrix in zip(np.flatnonzero(lists.sizes == n), wins, strict=True):
            some = slice(ends[k] - compared[k], ends[k])
            one, other = i[some] - lists.starts[k], j[some] - lists.starts[k]
            matrix[one, other], matrix[other, one] = chance[some], 1 - chance[some]
        rows = lists.starts[lists.sizes == n][:, np.newaxis] + np.arange(n)
        found[rows] = bradley_terry_strengths(wins)
        triples[lists.sizes == n] = _cycles(wins)
    return found, compared, triples


def _better(judged, i, j):
    """Tell how probably rows i beat rows j; a tie counts half."""
    better, tie = judged.probabilities(i, j)
    return better if tie is None else better + tie / 2


def _refuse(ranker, purpose):
    """Raise for a model whose pairs cannot be asked for."""
    raise ValueError(
        f"{purpose} needs a RankRecomposer whose classifier has predict_proba, found {ranker!r}."
    )


def _round_table(n, proportion, rng):
    """Draw pairs of n candidates, (2, n_pairs): all sit around a table and meet neighbours."""
    distances = max(1, round(proportion * (n - 1) / 2))
    if 2 * distances >= n - 1:
        return np.array(pairs_within([n], ordered=False))
    seats = rng.permutation(n)
    i = np.tile(np.arange(n), distances)
    j = (i + np.repeat(np.arange(1, distances + 1), n)) % n
    return np.sort([seats[i], seats[j]], axis=0)


def _cycles(wins):
    """Count triples, A beats B beats C beats A, in matrices of P(row beats column), (n, k, k)."""
    # Both directions of a pair decide together, as in Copeland's count.
    turned = wins.swapaxes(1, 2)
    beats = (wins > turned + TIE_TOLERANCE).astype(np.float64)
    # A cycle of three closes at three places.
    return np.rint(((beats @ beats) * beats.swapaxes(1, 2)).sum(axis=(1, 2)) / 3)
