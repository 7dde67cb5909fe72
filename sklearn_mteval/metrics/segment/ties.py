"""Tie calibration: from which difference on should a metric decide (Deutsch et al. 2023).

The optimum is exact, though most differences are never sorted: those in bins whose gains all
together cannot reach the best accuracy seen need no second look.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.metrics.core.agreement import agreement, counts_of_groups, statistic_of_rows
from sklearn_mteval.metrics.core.aligned import aligned, bounds_of_groups, warn_undefined
from sklearn_mteval.metrics.core.statistics import AVERAGES

_HELD = 2**16  # differences that are listed and sorted at once
_BIN_BITS = 18  # a pass has at most 2**18 bins
_LARGEST = int(np.array(np.finfo(np.float64).max).view(np.int64))  # finite floats, as integers
_POINTS = 998  # of the curve, besides 0 and the best
_EQUAL = 1e-12  # accuracies this close are equal


def pairwise_accuracy(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None, epsilon: float = 0.0,
    average: str = "groups", missing: str = "error"
) -> float:  # fmt: skip
    """Compute the proportion of pairs that the metric orders, or ties, as the annotator does.

    Parameters
    ----------
    y_true, y_score, groups, missing : see :func:`kendall_tau`
        The same.
    epsilon : float, default=0.0
        Scores that differ by at most this tie. :func:`calibrate_ties` finds the best one.
    average : {"groups", "pairs"}, default="groups"
        Mean over groups, as the WMT metrics tasks since 2023 have it, or all pairs pooled.

    Returns
    -------
    float
        acc_eq in [0, 1], higher is better; NaN, with a warning, if there is no pair.

    References
    ----------
    Deutsch, Foster and Freitag 2023, "Ties matter", equation 6.

    Examples
    --------
    >>> from sklearn_mteval.metrics import pairwise_accuracy
    >>> pairwise_accuracy([4, 4, 4, 1], [0, 2, 6, 8], groups=[0] * 4, epsilon=4)
    0.6666666666666666
    """
    options = {"average": average, "epsilon": epsilon}
    return agreement("acc_eq", y_true, y_score, groups, missing, **options)


class TieCalibration(NamedTuple):
    """The best threshold for ties, and the curve that it is the top of."""

    # The smallest threshold that reaches the best accuracy: scores that differ by at most this tie.
    # NaN if there is no pair
    epsilon: float
    accuracy: float  # acc_eq there, in [0, 1], higher is better
    # (n_points,): thresholds, ascending; 0 and the best are among them. At most 1,000, dense where
    # differences are frequent
    epsilons: np.ndarray
    accuracies: np.ndarray  # (n_points,): acc_eq at each of them


def calibrate_ties(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None, average: str = "groups",
    missing: str = "error"
) -> TieCalibration:  # fmt: skip
    """Find the threshold for metric ties that maximises pairwise accuracy.

    Every difference of scores is a candidate, and 0; of equally good ones (within 1e-12) the
    smallest wins. Two infinite scores tie at any threshold, an infinite and a finite one at none.

    Parameters
    ----------
    y_true, y_score, groups, missing : see :func:`kendall_tau`
        The same.
    average : {"groups", "pairs"}, default="groups"
        Maximise the mean of the groups' accuracies, groups without a pair left out, or the
        accuracy of all pairs pooled.

    Returns
    -------
    TieCalibration
        ``epsilon``, ``accuracy``, ``epsilons``, ``accuracies``; NaN and empty arrays, with a
        warning, if there is no pair.

    References
    ----------
    Deutsch, Foster and Freitag 2023.

    Examples
    --------
    >>> from sklearn_mteval.metrics import calibrate_ties
    >>> found = calibrate_ties([4, 4, 4, 1], [0, 2, 6, 8], groups=[0] * 4)
    >>> found.epsilon, round(found.accuracy, 3)  # optimistic, for the rows that chose it
    (4.0, 0.667)
    """
    from sklearn_mteval.metrics.segment.tie_sweep import sort_groups

    check_one_of("average", average, AVERAGES)
    human, metric, codes, _ = aligned(y_true, y_score, groups, missing)
    counts = counts_of_groups(human, metric, codes, "acc_eq")
    pairs = counts.sum(axis=1)
    if not pairs.any():
        warn_undefined("The threshold for ties", "no group has two rows")
        return TieCalibration(math.nan, math.nan, np.empty(0), np.empty(0))
    weights, total = _weights(pairs, average)
    start = int((counts[:, 0] + counts[:, 4]) @ weights)
    # No finite threshold changes what a pair with an infinite score counts as: left out here.
    rows = (*sort_groups(human, metric, bounds_of_groups(codes)), weights)
    epsilon, thresholds, values = _search(rows, int(pairs.sum()), start, int(total * _EQUAL))
    accuracy = statistic_of_rows("acc_eq", human, metric, codes, average=average, epsilon=epsilon)
    others = thresholds != epsilon
    thresholds, accuracies = thresholds[others], values[others] / total
    at = np.searchsorted(thresholds, epsilon)
    accuracies = np.insert(accuracies, at, accuracy)
    return TieCalibration(epsilon, accuracy, np.insert(thresholds, at, epsilon), accuracies)


def _weights(pairs, average):
    """Return the weight of a pair of each group, whole numbers, and that of all together."""
    # Neither the order of pairs nor rounding then decides between thresholds; where the common
    # multiple of sizes is too large, weights are off by less than 2^-62 times the groups and pairs.
    if average == "pairs":
        return np.ones_like(pairs), int(pairs.sum())
    n_groups = int((pairs > 0).sum())
    sizes = np.unique(pairs[pairs > 0]).tolist()
    whole = min(math.lcm(*sizes), 2**62 // n_groups)  # what the pairs of a group weigh together
    return np.where(pairs > 0, whole // np.maximum(pairs, 1), 0), n_groups * whole


class _Range(NamedTuple):
    """Differences in (low, high], floats read as integers."""

    low: int
    high: int
    n_pairs: int  # at most so many of them gain or lose
    value: int  # weight of the right pairs at the threshold low
    bound: float  # no threshold in the range has a larger one


def _search(rows, n_pairs, start, tolerance):
    """Find the best threshold, and the curve: thresholds from 0, the right weight at each."""
    best, epsilon = start, 0.0
    reached = start  # by some threshold, perhaps one not yet located
    curve = None
    ranges = [_Range(0, _LARGEST, n_pairs, start, math.inf)]
    while ranges:  # from small differences to large ones, so that a later one must be better
        part = ranges.pop()
        if part.bound <= best + tolerance or part.bound < reached - tolerance:
            continue
        thresholds, values, n_each, finer = _look_at(rows, part)
        if curve is None:
            # Some points of the curve, about as many pairs between each two.
            until = np.cumsum(n_each)
            wanted = np.linspace(0, until[-1], _POINTS) if len(until) else []
            kept = np.unique(np.searchsorted(until, wanted))
            curve = thresholds[kept], values[kept]
        reached = max(reached, int(values.max(initial=start)))
        if finer is not None:
            ranges.extend(reversed(finer(best + tolerance, reached - tolerance)))
        elif values.max(initial=0) > best + tolerance:
            at = np.argmax(values >= values.max() - tolerance)
            best, epsilon = int(values[at]), float(thresholds[at])
    return epsilon, np.insert(curve[0], 0, 0.0), np.insert(curve[1], 0, start)


def _look_at(rows, part):
    """Sort the differences in a range if they are few, else count them in bins; return thresholds,
    right weight and changed pairs at each; None, or a function from what a bound must exceed, and
    reach, to ranges worth a look.
    """
    from sklearn_mteval.metrics.segment.tie_sweep import collect, histogram

    low, high = (_as_float(key) for key in (part.low, part.high))
    if part.n_pairs <= _HELD:
        differences, changes = collect(*rows, low, high, part.n_pairs)
        order = np.argsort(differences)
        differences, values = differences[order], part.value + np.cumsum(changes[order])
        last = np.flatnonzero(np.diff(differences, append=np.inf))
        return differences[last], values[last], np.diff(last, prepend=-1), None
    shift = max(0, (part.high - part.low - 1).bit_length() - _BIN_BITS)
    n_bins = ((part.high - part.low - 1) >> shift) + 1
    bins = histogram(*rows, low, high, part.low, shift, n_bins)
    used = np.flatnonzero(bins[:, 0])
    n_each, gains, losses = bins[used].T
    values = part.value + np.cumsum(gains - losses)
    starts = part.low + (used << shift)
    ends = starts + np.minimum(1 << shift, part.high - starts)  # whose sum cannot overflow
    if shift == 0:  # each bin is one float
        return _as_float(ends), values, n_each, None
    # A threshold inside a bin may gain all of the bin's gains before it loses anything.
    bounds = values + losses
    until = np.cumsum(n_each)

    def finer(above, at_least):
        found = []
        alive = np.flatnonzero((bounds > above) & (bounds >= at_least))
        k = 0
        while k < len(alive):  # neighbours together, as many as can be sorted at once
            first = alive[k]
            before = until[first] - n_each[first]
            stop = max(first + 1, np.searchsorted(until, before + _HELD, side="right"))
            value = values[first] - gains[first] + losses[first]  # before the first gain or loss
            numbers = starts[first], ends[stop - 1], until[stop - 1] - before, value
            found.append(_Range(*map(int, numbers), int(bounds[first:stop].max())))
            k = np.searchsorted(alive, stop)
        return found

    return _as_float(ends), values, n_each, finer


def _as_float(keys):
    """Read the bits of integers as floats."""
    return np.asarray(keys, dtype=np.int64).view(np.float64)[()]
