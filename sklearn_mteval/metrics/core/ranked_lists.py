"""Quality of the order in which a metric puts the rows of each group, compiled.

Rows that the metric ties are in random order; every value is its exact expectation, so that the
order of the rows means nothing (for NDCG: McSherry and Najork 2008).

In each kernel the rows of a group are consecutive and sorted by the metric, best first;
``starts`` holds the first row of each group, then the number of rows. A group whose judgements
are all equal gets NaN. Imported on first use: numba is slow to load.
"""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled
from sklearn_mteval.metrics.core.judgements import bounds_of_groups

__all__ = ["quality_of_groups"]


def quality_of_groups(name, human, metric, groups):
    """Compute "ndcg", "mrr", "err" or "best_system_rate" of each group, in [0, 1] or NaN."""
    # Ties by judgement, so that not even the last bit depends on the order of the rows.
    order = np.lexsort((human, -metric, groups))
    kernel = {
        "ndcg": ndcg_of_groups,
        "mrr": mrr_of_groups,
        "err": err_of_groups,
        "best_system_rate": best_of_groups,
    }[name]
    return kernel(human[order], metric[order], bounds_of_groups(groups))


@compiled
def _end_of_ties(metric, first, last):
    """Return the end of the rows that the metric ties with the first."""
    end = first + 1
    while end < last and metric[end] == metric[first]:
        end += 1
    return end


@compiled
def ndcg_of_groups(human, metric, starts):
    """Compute the normalised discounted gain, which is the worst judgement less the row's."""
    values = np.full(len(starts) - 1, np.nan)
    for group in range(len(values)):
        first, last = starts[group], starts[group + 1]
        ideal_order = np.sort(human[first:last])
        worst = ideal_order[-1]
        if ideal_order[0] == worst:
            continue
        ideal = found = 0.0
        for place in range(last - first):
            ideal += (worst - ideal_order[place]) / np.log2(place + 2.0)
        row = first
        while row < last:
            end = _end_of_ties(metric, row, last)
            # Each tied row is as likely at each of the tie's places: mean gain times all discounts.
            gain = discount = 0.0
            for k in range(row, end):
                gain += worst - human[k]
                discount += 1 / np.log2(k - first + 2.0)
            found += gain / (end - row) * discount
            row = end
        values[group] = found / ideal
    return values


@compiled
def mrr_of_groups(human, metric, starts):
    """Compute the expected reciprocal place of the first row that the human likes best."""
    values = np.full(len(starts) - 1, np.nan)
    for group in range(len(values)):
        first, last = starts[group], starts[group + 1]
        best, worst = human[first:last].min(), human[first:last].max()
        if best == worst:
            continue
        row = first
        while row < last:
            end = _end_of_ties(metric, row, last)
            others = 0
            for k in range(row, end):
                others += human[k] != best
            if others < end - row:
                # All places before the next one are held by others with this probability.
                others_first, expected = 1.0, 0.0
                for place in range(others + 1):
                    left, n_left = others - place, end - row - place
                    expected += others_first * (1 - left / n_left) / (row - first + place + 1)
                    others_first *= left / n_left
                values[group] = expected
                break
            row = end
    return values


@compiled
def err_of_groups(human, metric, starts):
    """Compute the expected reciprocal rank: of the row at which a reader stops."""
    values = np.full(len(starts) - 1, np.nan)
    for group in range(len(values)):
        first, last = starts[group], starts[group + 1]
        best, worst = human[first:last].min(), human[first:last].max()
        if best == worst:
            continue
        reads_on = 1.0  # past all rows before
        value = 0.0
        row = first
        while row < last:
            end = _end_of_ties(metric, row, last)
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
                value += reads_on * (passed[j - 1] - passed[j]) / (row - first + j)
            reads_on *= passed[end - row]
            row = end
        values[group] = value
    return values


@compiled
def best_of_groups(human, metric, starts):
    """Compute how likely the metric's first row is one that the human likes best."""
    values = np.full(len(starts) - 1, np.nan)
    for group in range(len(values)):
        first, last = starts[group], starts[group + 1]
        best, worst = human[first:last].min(), human[first:last].max()
        if best == worst:
            continue
        end = _end_of_ties(metric, first, last)
        hits = 0
        for k in range(first, end):
            hits += human[k] == best
        values[group] = hits / (end - first)
    return values
