"""Judgements that disagree, and what they leave for a metric to reach."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.metrics.annotators import judged_pairs
from sklearn_mteval.metrics.core.aligned import warn_undefined
from sklearn_mteval.metrics.core.correlations import add_up
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.core.units import Bootstrap

# The best that a metric can say of a pair is the best of the sum over pairs only where the
# denominator does not depend on what it says.
_STATISTICS = tuple(
    name for name, s in STATISTICS.items() if s.fixed_denominator and not s.threshold
)


class Disagreements(NamedTuple):
    """How many judgements disagree."""

    proportion: float  # n_disagreeing / n_comparisons, in [0, 1]; lower is better
    # Pairs of judgements of which one says that the first is better, the other the second
    n_disagreeing: int
    n_comparisons: int  # pairs of judgements of the same two translations
    # low, high: bounds of the interval of the proportion; NaN for one segment
    low: float
    high: float


class AgreementCeiling(NamedTuple):
    """What no metric can exceed, and what one order of the translations does reach."""

    ceiling: float  # no metric exceeds it on these judgements
    # The statistic of one order of each segment's translations, so the best lies between
    reached: float
    # low, high: bounds of the interval of the ceiling; NaN for one segment
    low: float
    high: float


def disagreements(
    y: pd.Series, *, texts: ArrayLike | None = None, confidence: float = 0.95,
    n_resamples: int = 1000, random_state: Seed = 0
) -> Disagreements:  # fmt: skip
    """Compute the proportion of judgements of the same two translations that disagree.

    Compared are all pairs of judgements of two systems on a segment; a tie disagrees with none.

    Parameters
    ----------
    y : Series of length n_rows
        Ranks, lower is better: see :func:`annotator_agreement`.
    texts : array-like of length n_rows, optional
        The translations (``X["hypothesis"]``). Systems with equal translations of a segment are
        then one: their judgements are compared, and none is made between them.
    confidence, n_resamples, random_state : see :func:`agreement_interval`
        Of the interval.

    Returns
    -------
    Disagreements
        The proportion and its bounds are NaN, with a warning, if nothing was judged twice.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.metrics import disagreements
    >>> index = pd.MultiIndex.from_product(
    ...     [[1], ["r1", "r2", "r3"], ["A", "B"]], names=["segment", "ranking", "system"])
    >>> disagreements(pd.Series([1, 2, 1, 3, 2, 1], index=index))[:3]
    (0.6666666666666666, 2, 3)
    """
    bootstrap = Bootstrap(confidence, n_resamples, random_state)
    ranked = judged_pairs.one_row_each(judged_pairs.rankings(y, texts))
    pairs = _pairs_of_items(ranked)
    total = pairs.counts.sum(axis=1)
    compared = np.where(pairs.first == pairs.second, 0, total * (total - 1) // 2)
    disagreeing = np.where(
        compared, pairs.counts[:, judged_pairs.BETTER] * pairs.counts[:, judged_pairs.WORSE], 0
    )
    terms = np.column_stack([disagreeing, compared])
    sums = add_up(terms, pairs.segments, ranked.segments.max(initial=-1) + 1)
    proportion = float(_ratio(sums.sum(axis=0)))
    if np.isnan(proportion):
        warn_undefined("The proportion of disagreements", "no two systems were judged twice")
    low, high = bootstrap.intervals_of_sums([_ratio], sums)[0].tolist()
    return Disagreements(proportion, int(sums[:, 0].sum()), int(sums[:, 1].sum()), low, high)


def agreement_ceiling(
    y: pd.Series, *, statistic: str = "wmt12", texts: ArrayLike | None = None,
    confidence: float = 0.95, n_resamples: int = 1000, random_state: Seed = 0
) -> AgreementCeiling:  # fmt: skip
    """Compute the highest agreement that a metric can reach with annotators who disagree.

    The ceiling sides with the majority for each two translations of a segment: for "wmt12" and
    "wmt14" it is ``Σ |wins − losses| / Σ (wins + losses)``. It is an upper bound, as majorities may
    be intransitive, which scores cannot be. A lower one is what Copeland's order reaches:
    majorities won less lost, over the competitors compared; equal ones by wins less losses, then by
    chance where that does better than a tie.

    Parameters
    ----------
    y : Series of length n_rows
        Ranks, lower is better: see :func:`annotator_agreement`.
    statistic : {"wmt12", "wmt14", "eq", "tau-a", "acc_eq"}, default="wmt12"
        A variant of :func:`kendall_tau`, or the pairwise accuracy with ties; pooled over all pairs.
    texts : array-like of length n_rows, optional
        The translations (``X["hypothesis"]``). A metric that reads nothing else ties those that
        are equal, so that annotators who rank them differently lower the ceiling.
    confidence, n_resamples, random_state : see :func:`agreement_interval`
        Of the interval.

    Returns
    -------
    AgreementCeiling
        Higher is better; in [-1, 1], for "acc_eq" in [0, 1]. NaN, with a warning, if no pair
        counts.

    References
    ----------
    Copeland 1951, "A reasonable social welfare function".

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.metrics import agreement_ceiling
    >>> index = pd.MultiIndex.from_product(
    ...     [[1], ["r1", "r2", "r3"], ["A", "B"]], names=["segment", "ranking", "system"])
    >>> agreement_ceiling(pd.Series([1, 2, 1, 3, 2, 1], index=index))[:2]
    (0.3333333333333333, 0.3333333333333333)
    """
    check_one_of("statistic", statistic, _STATISTICS)
    bootstrap = Bootstrap(confidence, n_resamples, random_state)
    ranked = judged_pairs.rankings(y, texts)
    pairs = _pairs_of_items(ranked)
    n_segments = ranked.segments.max(initial=-1) + 1
    first, second, ties, below = _worth(pairs, statistic)
    # No score says more than one thing of a pair: the best of the three, pair by pair, is a bound.
    best = np.maximum(np.maximum(first, second), ties)
    sums = add_up(np.column_stack([best, below]), pairs.segments, n_segments)
    ceiling = float(_ratio(sums.sum(axis=0)))
    reached = float("nan")
    if np.isnan(ceiling):
        warn_undefined(f"The ceiling ({statistic})", "no comparable pair counts")
    else:
        scores = _scores_by_majorities(pairs, ranked.items.max() + 1)
        ahead = scores[pairs.first] - scores[pairs.second]
        # Equal scores stay so, or are put in random order: some order reaches what is expected.
        reached = max(
            float(np.select([ahead > 0, ahead < 0], [first, second], equal).sum() / below.sum())
            for equal in (ties, (first + second) / 2)
        )
    low, high = bootstrap.intervals_of_sums([_ratio], sums)[0].tolist()
    return AgreementCeiling(ceiling, reached, low, high)


class _Pairs(NamedTuple):
    """What is said of each two items: shape (n_pairs,), ``counts`` (n_pairs, 3)."""

    first: np.ndarray
    second: np.ndarray  # the same item, where two systems have one text
    segments: np.ndarray
    counts: np.ndarray  # the first is BETTER, TIED, WORSE


def _pairs_of_items(ranked):
    """Count the judgements of each two items."""
    first, second, cells, outcomes = judged_pairs.outcomes_of_cells(ranked)
    n_cells = cells.max(initial=-1) + 1
    columns = []
    for values in (ranked.items[first], ranked.items[second], ranked.segments[first]):
        columns.append(np.empty(n_cells, dtype=np.int64))
        columns[-1][cells] = values
    counts = np.bincount(3 * cells + outcomes, minlength=3 * n_cells).reshape(-1, 3)
    return _Pairs(*columns, counts)


def _worth(pairs, statistic):
    """Return what each two items add: if the first is preferred, the second, neither; and below."""
    better, tied, worse = pairs.counts.T
    none = np.zeros_like(tied)
    chosen = STATISTICS[statistic]
    top, (bottom,) = np.array(chosen.numerator), np.array(chosen.denominators)
    prefers_first = np.stack([better, worse, none, tied, none])  # kinds in the order of TauCounts
    prefers_second = np.stack([worse, better, none, tied, none])
    ties = np.stack([none, none, better + worse, none, tied])
    same = pairs.first == pairs.second
    first, second = (np.where(same, top @ ties, top @ k) for k in (prefers_first, prefers_second))
    return first, second, top @ ties, bottom @ ties


def _scores_by_majorities(pairs, n_items):
    """Return a score for each item: its place in Copeland's order, over competitors compared."""
    pairs = _Pairs(*(column[pairs.first != pairs.second] for column in pairs))
    net = pairs.counts[:, judged_pairs.BETTER] - pairs.counts[:, judged_pairs.WORSE]
    net = np.concatenate([net, -net])
    terms = np.column_stack([np.sign(net), net, np.ones(len(net))])
    sums = add_up(terms, np.concatenate([pairs.first, pairs.second]), n_items)
    majorities, margins, competitors = sums.T
    keys = np.column_stack([majorities / np.maximum(competitors, 1), margins])
    return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1).astype(float)


def _ratio(sums):
    """Divide the first of sums (..., 2) by the second."""
    return ratio(sums[..., 0], sums[..., 1])
