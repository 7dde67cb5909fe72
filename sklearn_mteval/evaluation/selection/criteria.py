"""What segments are chosen by when no chance is to be involved: the higher, the sooner.

All but "disagreement" are those of Zouhar et al. 2025, section 3, written anew.
"""

import numpy as np

from sklearn_mteval.evaluation.selection.tables import by_parts
from sklearn_mteval.metrics.core.ratios import mean_of_known as mean
from sklearn_mteval.metrics.core.ratios import ratio


def _variance(standard):
    """Return the mean over metrics of the variance of a segment's scores."""

    def of_segments(part):
        return mean(mean((part - mean(part, 2)[:, :, None]) ** 2, 2), 0)

    return by_parts(of_segments, standard)


def _consistency(standard):
    """Return Kendall's tau-c of a segment's scores and those of all, mean over metrics."""
    found = []
    for table in standard:
        of_systems = mean(table, 0)
        total = np.zeros(len(table))
        there = ~np.isnan(table)
        for first in range(table.shape[1]):
            for second in range(first):
                order = np.sign(of_systems[first] - of_systems[second])
                signs = np.sign(table[:, first] - table[:, second]) * order
                total += np.nan_to_num(signs)
        n = there.sum(axis=1)
        n_distinct = np.minimum(
            _n_distinct(table), _n_distinct(np.where(there, of_systems, np.nan))
        )
        # Stuart 1953: 2 m (C − D) / (n² (m − 1)), m being the smaller number of distinct values.
        found.append(np.nan_to_num(ratio(2.0 * n_distinct * total, n**2 * (n_distinct - 1.0))))
    return np.mean(found, axis=0)


def _n_distinct(table):
    """Count the distinct numbers of each row."""
    ordered = np.sort(table, axis=1)  # NaN last
    return (~np.isnan(ordered[:, :1]) + (np.diff(ordered, axis=1) > 0).sum(axis=1)[:, None])[:, 0]


def _disagreement(standard):
    """Return minus the mean correlation of two metrics within a segment."""
    if len(standard) < 2:
        raise ValueError("method='disagreement' needs two metrics or more, found one.")

    def of_segments(part):
        found = []
        for first in range(len(part)):
            for second in range(first):
                there = ~np.isnan(part[first] + part[second])
                a, b = (np.where(there, part[k], np.nan) for k in (first, second))
                a, b = (v - mean(v, 1)[:, None] for v in (a, b))
                scale = np.sqrt(mean(a * a, 1) * mean(b * b, 1))
                found.append(np.where(scale > 1e-12, ratio(mean(a * b, 1), scale), 0.0))
        return -mean(np.stack(found), 0)

    return by_parts(of_segments, standard)


CRITERIA = {
    # Minus the mean score: what is hard to translate.
    "average": lambda standard: by_parts(lambda part: -mean(mean(part, 2), 0), standard),
    "variance": _variance,
    "consistency": _consistency,
    "disagreement": _disagreement,
}
