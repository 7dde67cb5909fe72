"""Quality of the order in which a metric puts the rows of each group, compiled.

Tied rows are in random order: values are exact expectations (NDCG: McSherry and Najork 2008).
"""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled
from sklearn_mteval.metrics.core.aligned import bounds_of_groups

_NAMES = ("ndcg", "mrr", "err", "best_system_rate")


def quality_of_groups(name, human, metric, groups):
    """Compute one of four qualities of each group, or NaN where all judgements are equal."""
    # Ties by judgement, so that not even the last bit depends on the order of the rows.
    order = np.lexsort((human, -metric, groups))
    return _of_groups(_NAMES.index(name), human[order], metric[order], bounds_of_groups(groups))


@compiled
def _of_groups(quality, human, metric, bounds):
    """Compute a quality, by its place among the names, of each group."""
    values = np.full(len(bounds) - 1, np.nan)
    for group in range(len(values)):
        ranks = human[bounds[group] : bounds[group + 1]]
        scores = metric[bounds[group] : bounds[group + 1]]
        if quality == 0:
            values[group] = _ndcg(ranks, scores)
            continue
        best, worst = ranks.min(), ranks.max()
        if best < worst:
            if quality == 1:
                values[group] = _reciprocal_rank(ranks, scores, best)
            elif quality == 2:
                values[group] = _err(ranks, scores, best, worst)
            else:
                values[group] = _best_first(ranks, scores, best)
    return values


@compiled
def _end_of_ties(metric, first):
    """Return the end of the rows that the metric ties with the first."""
    end = first + 1
    while end < len(metric) and metric[end] == metric[first]:
        end += 1
    return end


@compiled
def _best_first(human, metric, best):
    """Compute how likely the metric's first row is one that the human likes best."""
    end = _end_of_ties(metric, 0)
    hits = 0
    for k in range(end):
        hits += human[k] == best
    return hits / end


@compiled
def _ndcg(human, metric):
    """Compute the normalised discounted gain, which is the worst judgement less the row's."""
    ideal_order = np.sort(human)
    if ideal_order[0] == ideal_order[-1]:
        return np.nan
    # Sums of the largest numbers overflow, quotients of the smallest lose digits: a power of two
    # changes no bit of any others, and nothing of the ratio.
    largest = max(abs(ideal_order[0]), abs(ideal_order[-1]))
    if not 1e-200 < largest < 1e200:
        scale = 2.0**-200 if largest > 1 else 2.0**500
        ideal_order, human = ideal_order * scale, human * scale
    worst = ideal_order[-1]
    ideal = found = 0.0
    for place in range(len(human)):
        ideal += (worst - ideal_order[place]) / np.log2(place + 2.0)
    row = 0
    while row < len(human):
        end = _end_of_ties(metric, row)
        # Each tied row is as likely at each of the tie's places: mean gain times all discounts.
        gain = discount = 0.0
        for k in range(row, end):
            gain += worst - human[k]
            discount += 1 / np.log2(k + 2.0)
        found += gain / (end - row) * discount
        row = end
    return min(found / ideal, 1.0)  # sums of one order may round up


@compiled
def _reciprocal_rank(human, metric, best):
    """Compute the expected reciprocal place of the first row that the human likes best."""
    row = 0
    while True:
        end = _end_of_ties(metric, row)
        others = 0
        for k in range(row, end):
            others += human[k] != best
        if others < end - row:
            break
        row = end
    # All places of the tie before the next one are held by others with this probability.
    others_first, expected = 1.0, 0.0
    for place in range(others + 1):
        left, n_left = others - place, end - row - place
        expected += others_first * (1 - left / n_left) / (row + place + 1)
        others_first *= left / n_left
    return expected


@compiled
def _err(human, metric, best, worst):
    """Compute the expected reciprocal rank: of the row at which a reader stops."""
    reads_on = 1.0  # past all rows before
    value = 0.0
    row = 0
    while row < len(human):
        end = _end_of_ties(metric, row)
        # passed[j]: mean, over all choices of j of the tied rows, of the probability that the
        # reader stops at none. In random order the first j rows are such a choice, so that
        # the reader stops at place j with the probability passed[j - 1] - passed[j].
        passed = np.zeros(end - row + 1)
        passed[0] = 1.0
        for k in range(row, end):
            n = k - row + 1
            # (2^g - 1) / 2^g_max, with the grades g = worst - human.
            goes_on = 1 - (2.0 ** (best - human[k]) - 2.0 ** (best - worst))
            for j in range(n, 0, -1):
                passed[j] = (n - j) / n * passed[j] + j / n * goes_on * passed[j - 1]
        for j in range(1, end - row + 1):
            value += reads_on * (passed[j - 1] - passed[j]) / (row + j)
        reads_on *= passed[end - row]
        row = end
    return value
