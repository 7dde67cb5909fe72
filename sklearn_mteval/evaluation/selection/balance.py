"""A random sample, improved by exchanging segments until metrics score systems on it as on all."""

import numpy as np

from sklearn_mteval.evaluation.selection.tables import by_parts
from sklearn_mteval.metrics.core.ratios import mean_of_known as mean

_MOST_SWEEPS = 100
_PART = 5000  # segments that are looked at for an exchange


def deviations_of(standard):
    """Return deviations from segments' means, and how many systems have any, all of mean zero."""

    def of_segments(part):
        scores = mean(part, 0)
        there = ~np.isnan(scores)
        deviations = np.where(there, scores - mean(scores, 1)[:, None], 0.0)
        return np.column_stack([deviations, there.mean(axis=1)])

    columns = by_parts(of_segments, standard)
    columns -= columns.mean(axis=0)
    return columns


def balanced(deviations, strata, fixed, chosen):
    """Exchange chosen segments for others of their stratum while the sum of deviations shrinks."""
    chosen = chosen.copy()
    total = deviations[chosen | fixed].sum(axis=0)
    # An exchange leaves the number of chosen segments of a part as it is.
    (inside, into), (outside, out_of) = _sides(np.flatnonzero(~fixed), strata, chosen)
    for _ in range(_MOST_SWEEPS * max(1, len(strata) // (strata.max() + 1))):
        last_total, first, n_parts = total, 0, 1
        while first < len(into) - 1:
            # Most parts have nothing to exchange once the sum is small: the longer none had, the
            # more are looked at together, and those after the first that has are looked at again.
            end = np.searchsorted(into, into[first] + _PART, side="right") - 1
            end = max(first + 1, min(first + n_parts, end))
            leaving = inside[into[first] : into[end]]
            coming = outside[out_of[first] : out_of[end]]
            # The one that is missed least, then the one that takes its place best.
            without = total - deviations[leaving]
            gone = _least(np.square(without).sum(axis=1), into[first:end] - into[first])
            n_coming = np.diff(out_of[first : end + 1])
            with_another = np.repeat(without[gone], n_coming, axis=0) + deviations[coming]
            lengths = np.square(with_another).sum(axis=1)
            come = _least(lengths, out_of[first:end] - out_of[first])
            better = lengths[come] < np.square(total).sum() * (1 - 1e-9)
            if not better.any():
                first, n_parts = end, 2 * n_parts
                continue
            k = better.argmax()
            total = with_another[come[k]]
            leaving[gone[k]], coming[come[k]] = coming[come[k]], leaving[gone[k]]
            chosen[leaving[gone[k]]], chosen[coming[come[k]]] = True, False
            first, n_parts = first + k + 1, 1
            # Of equals the first is exchanged, in the order of segments.
            inside[into[first - 1] : into[first]].sort()
            outside[out_of[first - 1] : out_of[first]].sort()
        if total is last_total:
            break
    return chosen


def _sides(free, strata, chosen):
    """Return segments chosen, in parts of large strata, with where each starts; then the others."""
    free = free[np.argsort(strata[free], kind="stable")]
    sizes = np.bincount(strata[free])
    n_parts = -(-sizes // _PART)
    place = np.arange(len(free)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    part = np.repeat(np.cumsum(n_parts) - n_parts, sizes) + place % np.repeat(n_parts, sizes)
    order = np.argsort(part, kind="stable")
    free, part = free[order], part[order]
    counts = [np.bincount(part[chosen[free] == side], minlength=n_parts.sum()) for side in (1, 0)]
    both = np.all(counts, axis=0)
    free = free[both[part]]
    return [
        (free[chosen[free] == side], np.append(0, np.cumsum(count[both])))
        for side, count in zip((1, 0), counts, strict=True)
    ]


def _least(values, starts):
    """Return the position of the first of the least values of each run."""
    lengths = np.diff(starts, append=len(values))
    least = np.flatnonzero(values == np.repeat(np.minimum.reduceat(values, starts), lengths))
    return least[np.searchsorted(least, starts)]
