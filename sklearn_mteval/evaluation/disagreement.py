"""In which segments two scorings disagree: annotators and a metric, or two metrics.

The distance of two rankings with ties is that of Fagin, Kumar, Mahdian, Sivakumar and Vee 2004,
*Comparing and aggregating rankings with ties*, K^(p) of p = 1/2.
"""

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import group_codes
from sklearn_mteval.metrics.core.agreement import counts_of_groups
from sklearn_mteval.metrics.core.aligned import aligned
from sklearn_mteval.metrics.core.correlations import add_up
from sklearn_mteval.metrics.core.ratios import ratio

# What a pair adds: both orders agree, oppose; only the metric ties, only the annotator, both.
_WEIGHTS = np.array([0, 1, 0.5, 0.5, 0])


def segment_disagreement(y, scores):
    """Return the proportion, (n_segments, n_scores), of each segment's pairs that two scorings
    order differently; a pair that one ties counts half, one that both tie is agreed on.

    ``y``, lower is better, has segment and system and maybe levels that part ranking tasks;
    ``scores`` its index, higher is better. NaN rows are left out; NaN where there is no pair.
    """
    there = y.notna().to_numpy()
    y, index = y[there], y.index
    segments = group_codes(index.get_level_values("segment"), len(index))
    labels = index.get_level_values("segment")[np.unique(segments, return_index=True)[1]]
    segments, groups, found = segments[there], y.index.droplevel("system"), {}
    for name, column in scores.items():
        human, metric, codes, rows = aligned(y, column[there], groups, "skip")
        codes = np.unique(codes, return_inverse=True)[1]
        counts = counts_of_groups(human, metric, codes, "tau-a")
        of_groups = segments[rows[np.unique(codes, return_index=True)[1]]]
        counts = add_up(counts.astype(np.float64), of_groups, len(labels))
        found[name] = ratio(counts @ _WEIGHTS, counts.sum(axis=1))
    return pd.DataFrame(found, index=labels)
