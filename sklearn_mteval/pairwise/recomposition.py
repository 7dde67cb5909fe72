"""Recompositions: from decisions about pairs to one strength per candidate, higher is better.

Each is one entry of :data:`RECOMPOSITIONS`, from which choices and errors are made.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval.metrics.paired_comparisons.strengths import (
    bradley_terry_strengths,
    tied_strengths,
)

# Sums of equal terms in another order differ by rounding: closer strengths are equal.
TIE_TOLERANCE = 1e-9

_CLIP = 1e-6  # a probability of 0 or 1 would need an infinite strength
_LEAST = 0.1  # of log theta, with which equals tie in 5 % of cases: units do not get smaller


@dataclass(frozen=True)
class Recomposition:
    """A way from decisions about pairs to strengths; ``summary`` says it in a few words.

    The ``function`` is given what it ``needs``, in this order:

    - "decisions" (+1: t_i is better, else −1; 0: they tie) and "probabilities" P(t_i better than
      t_j), or one of them, (n_pairs,): it returns what each ordered pair (i, j) adds to t_i;
    - "matrix": P(row better than column) of rankings of equal size, (n_rankings, n, n), diagonal
      0.5: it returns strengths, (n_rankings, n);
    - "matrix" and "ties": the same and P(tie), if ties are modelled, else the same alone;
    - "empty": nothing, there is none; see ``prediction.better_than_empty``.

    In probabilities, if ties are modelled, a tie counts half, but not with "ties".
    """

    name: str
    function: Callable | None
    needs: tuple
    summary: str

    @property
    def needs_probabilities(self):
        """Whether the classifier must have ``predict_proba``."""
        return self.needs not in (("decisions",), ("empty",))


def _as_answered(answers):
    """Give t_i the decision c, or the probability that it wins, as the classifier tells it."""
    return answers


def _soft(decisions, probabilities):
    """Give t_i p c, where p is the probability of the very decision c: P for +1, 1 − P for −1."""
    terms = np.where(decisions > 0, probabilities, probabilities - 1)
    terms[decisions == 0] = 0.0
    return terms


def bradley_terry(probabilities):
    """Fit Bradley and Terry's log-strengths (..., n), mean 0, of probability matrices (..., n, n),
    each entry off the diagonal, clipped to [1e-6, 1 − 1e-6], being one fractional observation.
    """
    return bradley_terry_strengths(_wins(np.clip(_matrices(probabilities), _CLIP, 1 - _CLIP)))


def _log_odds(probabilities, tied=None):
    """Average log-odds against all candidates, itself included, of matrices (..., n, n); if ties
    are modelled (Rao and Kupper), a pair adds d / log θ, so that one threshold serves all segments.
    """
    better = _matrices(probabilities)
    worse = 1 - better - (0 if tied is None else _matrices(tied))
    wins = np.clip((better + np.swapaxes(worse, -1, -2)) / 2, _CLIP, 1 - _CLIP)
    logits = np.log(wins) - np.log1p(-wins)
    turned = np.swapaxes(logits, -1, -2)
    units = 1.0 if tied is None else np.maximum(-(logits + turned) / 2, _LEAST)
    return np.mean((logits - turned) / 2 / units, axis=-1)


def copeland(probabilities):
    """Count wins minus losses (Copeland 1951), both directions of a pair being one decision."""
    probabilities = _matrices(probabilities)
    margins = probabilities - np.swapaxes(probabilities, -1, -2)
    return np.where(np.abs(margins) <= TIE_TOLERANCE, 0, np.sign(margins)).sum(axis=-1)


def pagerank(probabilities, *, damping=0.85):
    """Compute PageRank of the candidates of probability matrices (..., n, n); sums are 1.

    The walk (Page et al. 1999; Negahban et al. 2017) picks another candidate i at random and goes
    there with P(i better than j), the mean of both directions; with 1 − ``damping`` it jumps.
    """
    wins = _wins(_matrices(probabilities))
    n = wins.shape[-1]
    steps = wins / max(n - 1, 1)  # from column to row
    steps += np.eye(n) * (1 - steps.sum(axis=-2))[..., np.newaxis]
    # π = damping · steps π + (1 − damping) / n. The columns of steps add up to 1: there is exactly
    # one solution, and it adds up to 1.
    jumps = np.full((*wins.shape[:-1], 1), (1 - damping) / n)
    return np.linalg.solve(np.eye(n) - damping * steps, jumps)[..., 0]


def numbers_or_nan(given):
    """Read numbers; NaN of no dimension is what stands for anything else."""
    try:
        return as_numbers(given)
    except (TypeError, ValueError):
        return np.array(np.nan)


def _matrices(probabilities):
    """Check stacked matrices of probabilities; set the diagonal, which is ignored, to 1/2."""
    matrices = numbers_or_nan(probabilities)
    if matrices.ndim < 2 or matrices.shape[-1] != matrices.shape[-2]:
        raise ValueError(f"Expected square matrices of probabilities, found {probabilities!r}.")
    matrices = np.where(np.eye(matrices.shape[-1], dtype=bool), 0.5, matrices)
    if not ((matrices >= 0) & (matrices <= 1)).all():
        raise ValueError(f"Expected probabilities between 0 and 1, found {probabilities!r}.")
    return matrices


def _tied(probabilities, tied=None, *, model):
    """Fit, as :func:`bradley_terry`, with one tie parameter a matrix; None: nothing ties."""
    if tied is None:
        return bradley_terry(probabilities)
    better, ties = _matrices(probabilities), _matrices(tied)
    off = 1 - np.eye(better.shape[-1])
    if better.shape != ties.shape or ((better + ties) * off > 1 + TIE_TOLERANCE).any():
        raise ValueError(
            "Expected matrices of one shape, of P(row better than column) and of P(tie), that add "
            f"up to 1 at most, found {probabilities!r} and {tied!r}."
        )
    worse = np.swapaxes(np.clip(1 - better - ties, 0, 1), -1, -2)
    wins = np.clip((better + worse) / 2, _CLIP, 1 - _CLIP)
    return tied_strengths(wins, (ties + np.swapaxes(ties, -1, -2)) / 2, model=model)[0]


davidson, rao_kupper = (partial(_tied, model=model) for model in ("davidson", "rao-kupper"))


def _wins(probabilities):
    """Average both directions of each pair, P(row better than column); diagonal 0."""
    wins = (probabilities + (1 - np.swapaxes(probabilities, -1, -2))) / 2
    return wins * (1 - np.eye(wins.shape[-1]))


RECOMPOSITIONS = {
    entry.name: entry
    for entry in [
        Recomposition(
            "hard", _as_answered, ("decisions",), "decisions for it minus decisions against it"
        ),
        Recomposition(
            "soft", _soft, ("decisions", "probabilities"), "the same, weighted by probability"
        ),
        Recomposition("expected", _as_answered, ("probabilities",), "expected wins"),
        Recomposition("bradley-terry", bradley_terry, ("matrix",), "Bradley-Terry log-strength"),
        Recomposition("davidson", davidson, ("matrix", "ties"), "the same of a model with ties"),
        Recomposition("rao-kupper", rao_kupper, ("matrix", "ties"), "the same of another one"),
        Recomposition("log-odds", _log_odds, ("matrix", "ties"), "mean log-odds, in units of ties"),
        Recomposition("copeland", copeland, ("matrix",), "pairs won minus pairs lost"),
        Recomposition("pagerank", pagerank, ("matrix",), "PageRank among its competitors"),
        Recomposition("absolute", None, ("empty",), "against the empty translation"),
    ]
}


def find_recomposition(recomposition):
    """Return the recomposition of a name, or make one of a callable; raise for anything else."""
    if callable(recomposition):
        function = partial(_strengths_of_each, recomposition)
        return Recomposition("callable", function, ("matrix",), "of your own")
    if not isinstance(recomposition, str) or recomposition not in RECOMPOSITIONS:
        raise ValueError(
            f"recomposition must be one of {list(RECOMPOSITIONS)} or a callable, found "
            f"{recomposition!r}."
        )
    return RECOMPOSITIONS[recomposition]


def _strengths_of_each(function, matrices):
    """Call the user's function with one matrix at a time and check what it returns."""
    answers = np.empty(matrices.shape[:2])
    for k, matrix in enumerate(matrices):
        try:
            given = function(matrix)
        except TypeError as error:
            raise TypeError(
                f"The recomposition callable, {function!r}, does not take a matrix: {error}"
            ) from error
        strengths = numbers_or_nan(given)
        if strengths.shape != (len(matrix),) or not np.isfinite(strengths).all():
            raise ValueError(
                f"The recomposition callable must return {len(matrix)} finite strengths for a "
                f"{matrix.shape} matrix, found {given!r}."
            )
        answers[k] = strengths
    return answers


def strengths_from_matrices(better, sizes, function, ties=None):
    """Apply a function of stacked matrices to pairs of ``pairs_within``; 0 of a lone row."""
    strengths = np.zeros(sizes.sum())
    for rows, pairs in of_equal_size(sizes):
        off = ~np.eye(rows.shape[1], dtype=bool)
        matrices = np.full((1 if ties is None else 2, len(rows), *off.shape), 0.5)
        for given, values in zip(matrices, (better, ties), strict=False):
            given[:, off] = values[pairs]
        strengths[rows] = function(*matrices)
    return strengths


def of_equal_size(sizes):
    """Yield, for each size of rankings above 1, positions of rows and of ordered pairs."""
    n_pairs = sizes * (sizes - 1)
    starts = np.cumsum(sizes) - sizes, np.cumsum(n_pairs) - n_pairs
    for n in np.unique(sizes[sizes > 1]):
        rows, pairs = (start[sizes == n][:, np.newaxis] for start in starts)
        yield rows + np.arange(n), pairs + np.arange(n * (n - 1))


def snap_ties(strengths, starts):
    """Replace each strength by the highest of its group that it equals but for rounding."""
    order, new, _ = _sorted_within(strengths, starts, TIE_TOLERANCE)
    snapped = np.empty(len(strengths))
    snapped[order] = strengths[order][np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))]
    return snapped


def ranks_from_strengths(strengths, starts):
    """Rank the rows of each group, int64: 1 + the number of strictly stronger ones."""
    order, new, first = _sorted_within(strengths, starts, 0.0)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.maximum.accumulate(np.where(new, np.arange(len(new)), 0)) - first + 1
    return ranks


def _sorted_within(strengths, starts, tolerance):
    """Sort each group, best first; say where a new strength begins and where the group did."""
    sizes = np.diff(starts, append=len(strengths))
    order = np.empty(len(strengths), dtype=np.int64)
    for n in np.unique(sizes):
        rows = starts[sizes == n][:, np.newaxis] + np.arange(n)
        by_strength = np.argsort(-strengths[rows], axis=1, kind="stable")
        order[rows] = np.take_along_axis(rows, by_strength, axis=1)
    new = -np.diff(strengths[order], prepend=np.inf) > tolerance
    new[starts] = True
    return order, new, np.repeat(starts, sizes)
