"""Asking a fitted pair classifier about all pairs, in blocks of bounded size."""

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs

from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval.pair_classifiers import declares
from sklearn_mteval.pairwise import answers
from sklearn_mteval.pairwise.answers import Pairs
from sklearn_mteval.pairwise.empty_translation import with_empty
from sklearn_mteval.pairwise.recomposition import snap_ties, strengths_from_matrices
from sklearn_mteval.pairwise.tiers import ranks_in_tiers

# Bytes of the pair table that is decided at a time, in each job: what bounds the memory of
# predict. The pairs of one t1 are never split, nor a group whose whole matrix a recomposition
# needs. Fixed, so that the result does not depend on n_jobs, nor on other groups.
BYTES_PER_BLOCK = 1 << 26


def strengths_from_pairs(estimator, X, order, recomposition, *, level=None, n_jobs=None):
    """Return strengths, shape (n_rows,), of ``order.rows``."""
    strengths = np.zeros(len(order.rows))
    task = partial(_strengths, estimator, level, recomposition)
    whole_groups = recomposition.needs[0] == "matrix"
    for first, part in _over_blocks(task, X, order, n_jobs, whole_groups=whole_groups):
        strengths[first : first + len(part)] += part
    return strengths


def answers_of_all(ask, estimator, X, order, *, level=None, n_jobs=None):
    """Return what ``ask`` answers of all ordered pairs of ``order.rows``, as enumerated."""
    task = partial(_answers, ask, estimator, level)
    parts = [part for _, part in _over_blocks(task, X, order, n_jobs)]
    nothing = np.zeros((0, 3) if ask is answers.outcomes else 0)
    return _of_all_pairs(np.concatenate([nothing, *parts]), estimator, order.sizes)


def answers_of_some(ask, estimator, X, order, i, j, *, level=None):
    """Return what ``ask`` answers of rows i against j, in ``order``'s direction if it can."""
    place = order.as_given(np.arange(len(order.rows)))
    turned = (place[i] > place[j]) & _is_antisymmetric(estimator)
    i, j = np.where(turned, (j, i), (i, j))
    size = _pairs_per_block(X)
    parts = (slice(start, start + size) for start in range(0, max(len(i), 1), size))
    found = np.concatenate([ask(Pairs(estimator, X, i[k], j[k], level)) for k in parts])
    found[turned] = _of_opposites(found[turned])
    return found


def tied_strengths_from_pairs(
    estimator, X, order, recomposition, against_empty, *, level=None, n_jobs=None, tiers=True
):
    """Return strengths and tied ranks, each of shape (n_rows,), of a classifier that knows ties."""
    strengths, ranks = np.zeros((2, len(order.rows)))
    task = partial(_in_tiers, estimator, level, recomposition, against_empty, tiers)
    for first, part in _over_blocks(task, X, order, n_jobs, whole_groups=True):
        strengths[first : first + len(part)], ranks[first : first + len(part)] = part.T
    return strengths, ranks.astype(np.int64)


def recomposed(recomposition, better, sizes, tie=None):
    """Make strengths, not "absolute", of P(t1 better) of all ordered pairs, and P(tie), if any."""
    worse = None if tie is None else np.clip(1 - better - tie, 0, 1)
    strengths = _recomposed(recomposition, better, sizes, tie, worse)
    return snap_ties(strengths, np.cumsum(sizes) - sizes)


def _recomposed(recomposition, better, sizes, tie, worse):
    """Make strengths of probabilities of outcomes; the likeliest one is the decision."""
    half = better if tie is None else better + tie / 2
    if recomposition.needs == ("matrix", "ties"):
        return strengths_from_matrices(better, sizes, recomposition.function, tie)
    if recomposition.needs == ("matrix",):
        return strengths_from_matrices(half, sizes, recomposition.function)
    if tie is None:
        decisions = _signs(better > 0.5)
    else:
        wins, losses = better > np.maximum(tie, worse), worse > np.maximum(tie, better)
        decisions = wins * 1.0 - losses
    found = {"decisions": decisions, "probabilities": half}
    return _sums(recomposition, found, pairs_within(sizes)[0], sizes.sum())


def _over_blocks(task, X, order, n_jobs, *, whole_groups=False):
    """Generate the first row and the result of each block of pairs."""
    ends = order.starts + order.sizes
    group_of = np.repeat(np.arange(len(order.sizes)), order.sizes)
    bounds = _block_bounds(order.sizes, _pairs_per_block(X), whole_groups=whole_groups)

    def tasks():
        """Cut the table into jobs, each sent only the rows that it speaks of."""
        for first, last in pairwise(bounds):
            groups = slice(group_of[first], group_of[last - 1] + 1)
            low, high = order.starts[groups][0], ends[groups][-1]
            rows = order.rows[low:high]
            part = X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
            yield delayed(task)(part, order.sizes[groups], first - low, last - low)

    n_jobs = max(1, min(effective_n_jobs(n_jobs), len(bounds) - 1))
    found = zip(bounds, Parallel(n_jobs=n_jobs, return_as="generator")(tasks()), strict=False)
    return tracked(found, "comparing", "blocks of pairs", total=len(bounds) - 1)


def _pairs_per_block(X):
    """Tell how many rows of the pair table fill a block, cells of 8 bytes assumed."""
    return max(1, BYTES_PER_BLOCK // (2 * 8 * X.shape[1]))


def _block_bounds(sizes, pairs_per_block, *, whole_groups):
    """Cut rows into blocks of about so many pairs, at the start of a group."""
    # An antisymmetric classifier's answers are added up in both directions, so that a cut within a
    # group decides in which order. It must be the same whatever other groups there are.
    n_pairs = sizes * (sizes - 1)
    starts = np.cumsum(sizes) - sizes
    large = (n_pairs > pairs_per_block // 8) & (not whole_groups)
    block = (np.cumsum(n_pairs) - n_pairs) // pairs_per_block
    begins = np.append(True, (np.diff(block) != 0) | large[1:] | large[:-1])[: len(sizes)]
    within = [
        starts[k] + np.flatnonzero(np.diff(np.arange(n) * (n - 1) // pairs_per_block)) + 1
        for k, n in zip(np.flatnonzero(large), sizes[large], strict=True)
    ]
    return np.unique(np.concatenate([starts[begins], *within, [sizes.sum()]]))


def _is_antisymmetric(estimator):
    """Tell whether one direction of each pair is enough, by the classifier's own declaration."""
    answers = hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")
    return answers and declares(estimator, "antisymmetric_")


def _strengths(estimator, level, recomposition, X, sizes, first, last):
    """Return what pairs whose t1 lies in rows first to last add to the strengths from first on."""
    antisymmetric = _is_antisymmetric(estimator)
    if recomposition.needs[0] == "matrix":
        better = _of_groups(answers.probabilities, estimator, level, X, sizes)
        return strengths_from_matrices(better, sizes, recomposition.function)
    i, j = pairs_within(sizes, first, last, ordered=not antisymmetric)
    if not len(i):
        return np.zeros(last - first)
    pairs = Pairs(estimator, X, i, j, level)
    if not antisymmetric:
        found = {need: _ASKED[need](pairs) for need in recomposition.needs}
        return _sums(recomposition, found, i - first, last - first)
    if hasattr(estimator, "predict_proba"):
        better = answers.probabilities(pairs)
        margin = better - 0.5
    else:  # decisions are all that the recomposition needs
        better = margin = answers.margins(pairs)
    # Probabilities of one half are decided as two-class classifiers do, for 0 in both directions:
    # equal candidates stay equal.
    forth = {"decisions": _signs(margin > 0), "probabilities": better}
    back = {"decisions": _signs(margin < 0), "probabilities": 1 - better}
    n_rows = sizes.sum() - first  # as j > i, no pair adds to a row before the first
    return _sums(recomposition, forth, i - first, n_rows) + _sums(
        recomposition, back, j - first, n_rows
    )


def _signs(positive):
    """Return +1 where it holds, else −1."""
    return np.where(positive, 1.0, -1.0)


_ASKED = {
    "decisions": lambda pairs: _signs(answers.decisions(pairs)),
    "probabilities": answers.probabilities,
}


def _sums(recomposition, found, rows, n_rows):
    """Add up what each pair gives to its row."""
    terms = recomposition.function(*(found[need] for need in recomposition.needs))
    return np.bincount(rows, weights=terms, minlength=n_rows)


def _answers(ask, estimator, level, X, sizes, *bounds):
    """Return what a classifier answers of pairs whose t1 lies within bounds, asked part by part."""
    ordered = not _is_antisymmetric(estimator)
    parts = (pairs_within(sizes, *part, ordered=ordered) for part in pairwise(bounds))
    found = [ask(Pairs(estimator, X, i, j, level)) for i, j in parts if len(i)]
    return np.concatenate(found or [np.zeros((0, 3) if ask is answers.outcomes else 0)])


def _of_groups(ask, estimator, level, X, sizes):
    """Return the answers of all ordered pairs of whole groups, as enumerated."""
    # However large a group is, its pair table is made in parts.
    bounds = _block_bounds(sizes, _pairs_per_block(X), whole_groups=False)
    return _of_all_pairs(_answers(ask, estimator, level, X, sizes, *bounds), estimator, sizes)


def _in_tiers(estimator, level, recomposition, against_empty, tiers, X, sizes, first, last):
    """Return strengths and, if they are wanted, tied ranks of whole groups, (n_rows, 2)."""
    starts, n_rows = np.cumsum(sizes) - sizes, len(X)
    absolute = recomposition.needs == ("empty",)
    if absolute:
        strengths = better_than_empty(estimator, X, *against_empty, range(n_rows))
    if tiers or not absolute:
        worse, tie, better = _of_groups(answers.outcomes, estimator, level, X, sizes).T
    if not absolute:
        strengths = _recomposed(recomposition, better, sizes, tie, worse)
    strengths = snap_ties(strengths, starts)
    ranks = ranks_in_tiers(strengths, better, tie, sizes) if tiers else np.zeros(n_rows)
    return np.column_stack([strengths, ranks])


def _of_all_pairs(found, estimator, sizes):
    """Return the answers of all ordered pairs, of which one direction may have been asked about."""
    if not _is_antisymmetric(estimator):
        return found
    i, j = pairs_within(sizes)
    n_behind = np.repeat(np.cumsum(sizes), sizes) - np.arange(sizes.sum()) - 1
    pairs_before = np.cumsum(n_behind) - n_behind
    low, high = np.minimum(i, j), np.maximum(i, j)
    pair, turned = pairs_before[low] + high - low - 1, i > j
    found = found[pair]
    found[turned] = _of_opposites(found[turned])
    return found


def _of_opposites(found):
    """Return the probabilities of pairs (t2, t1), of outcomes or of one being better."""
    return found[:, ::-1] if found.ndim == 2 else 1 - found


def _standing(pairs):
    """Return P(t1 better than t2); of a margin m (1 + m / (1 + |m|)) / 2, of decisions 0 or 1."""
    if hasattr(pairs.estimator, "predict_proba"):
        return answers.probabilities(pairs)
    if hasattr(pairs.estimator, "decision_function"):
        margins = np.clip(answers.margins(pairs), -1e300, 1e300)
        return (1 + margins / (1 + np.abs(margins))) / 2
    return answers.decisions(pairs).astype(np.float64)


def better_than_empty(estimator, X, empty, shared, rows):
    """Return the "absolute" strengths of rows: P(better than ∅) − P(worse), section 6.1.

    ``empty`` are the empty translation's numbers, (n_features,), or of several, over which the mean
    is taken; ``shared`` columns are as of :func:`with_empty`.
    """
    empties, strengths = np.atleast_2d(empty), np.empty(len(rows))
    size = max(1, _pairs_per_block(X) // len(empties))
    X = answers.without_names(estimator, X)
    for start in tracked(range(0, len(rows), size), "scoring", "blocks of translations"):
        some = rows[start : start + size]
        own = X.iloc[some] if isinstance(X, pd.DataFrame) else X[some]
        both = with_empty(own, empties, shared)
        first = np.tile(np.arange(len(some)), len(empties))
        second = np.arange(len(some), len(both))
        better = _standing(Pairs(estimator, both, first, second))
        if _is_antisymmetric(estimator):
            worse = 1 - better
        else:
            worse = _standing(Pairs(estimator, both, second, first))
        of_each = (better - worse).reshape(len(empties), len(some))
        strengths[start : start + size] = of_each.sum(axis=0) / len(empties)
    return strengths
