"""Samples with known probabilities of units, what is drawn as a whole: segments, or documents."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.evaluation.selection.tables import by_parts
from sklearn_mteval.metrics.core.ratios import mean_of_known as mean
from sklearn_mteval.metrics.core.ratios import ratio

# Of each stratum so many units are expected at least: two are needed to estimate a variance.
_FEWEST = 2
_ROUNDING = 1e-9


class Sample(NamedTuple):
    """What was drawn of segments."""

    chosen: np.ndarray  # bool
    probabilities: np.ndarray
    strata: np.ndarray  # codes from 0 on


def draw_sample(sizes, costs, budget, documents, domains, keys, whole, rng):
    """Draw segments, or ``whole`` documents, with probabilities proportional to size / sqrt(cost),
    of expected cost ``budget``, alike of each of ``documents`` (if ``whole``, ``domains``), those
    of like ``keys`` joined if too small.
    """
    units, first, counts, sizes, costs = _units(sizes, costs, documents, whole)
    probabilities = _probabilities(sizes, costs, budget)
    domains = pd.factorize(domains[first])[0]
    labels = domains if whole else documents * (domains.max() + 1) + domains
    labels = pd.factorize(labels)[0]
    strata = _strata(labels, domains, probabilities, np.bincount(units, keys) / counts)
    probabilities = _with_whole_numbers(probabilities, strata)
    chosen = _drawn(probabilities, strata, labels, rng, costs if whole else None)
    return Sample(chosen[units], probabilities[units], strata[units])


def draw_more(sizes, costs, budget, documents, earlier, whole, rng):
    """Draw what an ``earlier`` sample lacks, of expected cost ``budget``; return the union of both.

    A unit that the earlier sample lacks, as any unit may, is drawn with a probability p that does
    not depend on what that sample has: it is in the union with 1 - (1 - earlier) (1 - p).
    """
    units, first, _, sizes, costs = _units(sizes, costs, documents, whole)
    chosen, before = earlier.chosen[first], earlier.probabilities[first]
    open_ = before < 1 - _ROUNDING
    missed = 1 - before[open_]  # how often the earlier sample lacks it
    more = _probabilities(sizes[open_], missed * costs[open_], budget)
    if missed @ more < 1:  # of large documents less than one would be drawn
        more = _probabilities(more, missed, min(1.0, missed.sum()))
    free = ~chosen[open_]
    blocks = pd.factorize((first if whole else documents)[open_][free])[0]
    of_size = costs[open_][free] if whole else None
    drawn = _drawn(more[free], np.zeros(free.sum(), dtype=np.int64), blocks, rng, of_size)
    chosen[np.flatnonzero(open_)[free]] = drawn
    union = np.ones(len(before))
    union[open_] = 1 - missed * (1 - more)
    return Sample(chosen[units], union[units], np.zeros(len(units), dtype=np.int64))


def highest_cost(probabilities, costs):
    """Return what units that are drawn in the order of their costs cost at most."""
    certain = probabilities >= 1 - _ROUNDING
    order = np.argsort(costs[~certain], kind="stable")
    rest, sums = costs[~certain][order], np.cumsum(probabilities[~certain][order])
    if not len(rest):
        return costs[certain].sum()
    whole, part = divmod(sums[-1] + _ROUNDING * len(rest), 1)
    # Points are u, 1 + u, …; u is below 1, or, with one point more, below what is left of the sum.
    highest = 0.0
    for n_points, u in (whole, 1.0), (whole + 1, part):
        rows = np.searchsorted(sums, np.arange(n_points) + u - _ROUNDING)
        highest = max(highest, rest[np.minimum(rows, len(rest) - 1)].sum())
        if part < 2 * _ROUNDING * len(rest):  # the sum is a whole number
            break
    return costs[certain].sum() + highest


def _units(sizes, costs, documents, whole):
    """Return of each segment the unit; of units the first, the segments, and size and cost."""
    # Codes are numbered by their first appearance, which names do not change.
    units = pd.factorize(documents)[0] if whole else np.arange(len(sizes))
    counts = np.bincount(units)
    first = np.unique(units, return_index=True)[1]
    mean_costs = np.bincount(units, costs) / counts
    sizes = np.bincount(units, sizes) / counts / np.sqrt(mean_costs)
    return units, first, counts, sizes, mean_costs * counts


def spread_of(standard):
    """Return how much the metrics' scores of the systems vary within a segment, 1 on average."""

    def deviations(part):
        return np.sqrt(mean((part - mean(part, 2)[:, :, None]) ** 2, 2)).T

    by_metric = by_parts(deviations, standard)
    spread = mean(ratio(by_metric, mean(by_metric, 0)), 1)
    # What no metric says anything of is as all the others.
    return np.where(np.isnan(spread), 1.0, spread)


def _probabilities(sizes, costs, budget):
    """Return min(1, κ size) with the κ by which the expected cost is the budget."""
    if budget >= costs.sum() * (1 - _ROUNDING):
        return np.ones(len(sizes))
    order = np.argsort(-sizes, kind="stable")
    sizes, costs = sizes[order], costs[order]
    # If the first j, and no others, are certain, the others share what these leave.
    certain = np.append(0.0, np.cumsum(costs)[:-1])
    factors = (budget - certain) / np.cumsum((costs * sizes)[::-1])[::-1]
    first = np.argmax(factors * sizes <= 1)
    probabilities = np.empty(len(sizes))
    probabilities[order] = np.minimum(factors[first] * sizes, 1.0)
    probabilities[order[:first]] = 1.0
    return probabilities


def _strata(labels, groups, probabilities, keys):
    """Join labels, within their group if that will do, to strata of two expected units or more."""
    n_labels = labels.max() + 1
    counts = np.bincount(labels, minlength=n_labels)
    group = np.zeros(n_labels, dtype=np.int64)
    group[labels] = groups
    expected = np.bincount(labels, probabilities, minlength=n_labels)
    order = np.lexsort((np.bincount(labels, keys, minlength=n_labels) / counts, group))
    last_of_group = np.append(np.diff(group[order]) != 0, True)
    rest, rests = 0.0, np.empty(n_labels)
    for place in reversed(range(n_labels)):
        rest = expected[order[place]] + (0.0 if last_of_group[place] else rest)
        rests[place] = rest
    stratum, collected, strata = 0, 0.0, np.empty(n_labels, dtype=np.int64)
    for place, label in enumerate(order):
        if min(collected, rests[place]) >= _FEWEST - _ROUNDING:
            stratum, collected = stratum + 1, 0.0
        strata[label] = stratum
        collected += expected[label]
    return strata[labels]


def _with_whole_numbers(probabilities, strata):
    """Change probabilities so that those of several strata add up to whole numbers."""
    if strata.max() == 0:
        if probabilities.sum() < 1:
            return _probabilities(probabilities, np.ones(len(probabilities)), 1.0)
        return probabilities
    sums = np.bincount(strata, probabilities)
    numbers = np.floor(sums + _ROUNDING)
    n_more = round(sums.sum()) - int(numbers.sum())
    numbers[np.argsort(numbers - sums, kind="stable")[:n_more]] += 1
    changed = np.empty(len(probabilities))
    parts = np.split(np.argsort(strata, kind="stable"), np.cumsum(np.bincount(strata))[:-1])
    for rows, number in zip(parts, numbers, strict=True):
        changed[rows] = _probabilities(probabilities[rows], np.ones(len(rows)), number)
    return changed


def _drawn(probabilities, strata, blocks, rng, costs=None):
    """Draw a systematic sample of each stratum, by blocks, in random order (Hartley, Rao 1962).

    Given ``costs``, in their order, so that the cost of what is drawn hardly depends on chance.
    """
    chosen = probabilities >= 1
    keys = rng.random_sample(len(strata)), rng.permutation(blocks.max() + 1)[blocks]
    order = np.lexsort((*keys, strata) if costs is None else (*keys, costs, strata))
    order = order[~chosen[order]]
    first_of = np.searchsorted(strata[order], np.arange(strata.max() + 2))
    for start, end in pairwise(first_of.tolist()):
        rows = order[start:end]
        sums = np.cumsum(probabilities[rows])
        total = sums[-1] if len(rows) else 0.0
        if abs(total - round(total)) < _ROUNDING * len(strata):
            total = round(total)
        points = np.arange(np.ceil(total)) + rng.random_sample()
        points = points[points < total]
        chosen[rows[np.minimum(np.searchsorted(sums, points, "right"), len(rows) - 1)]] = True
    return chosen
