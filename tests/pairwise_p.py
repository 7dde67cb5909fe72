"""What soft pairwise accuracy compares: p of each two systems, both ways."""

import numpy as np
import pandas as pd

from sklearn_mteval.metrics.system.soft_accuracy import _Comparisons
from sklearn_mteval.metrics.system.tables import aligned_tables


def pairwise_p_values(table, *, n_permutations=1000, random_state=0):
    """p of "the system of the row is better than that of the column"."""
    values, _, columns, _ = aligned_tables(table, table)
    comparisons = _Comparisons([values])
    found = comparisons.p_values([1, -1], n_permutations, random_state)
    forth, back = np.where(comparisons.defined, found, np.nan)[:, 0]
    first, second = columns[np.stack(np.triu_indices(len(columns), 1))]
    p_values = np.full((len(columns), len(columns)), np.nan)
    p_values[first, second], p_values[second, first] = forth, back
    labels = pd.DataFrame(table).columns
    return pd.DataFrame(p_values, index=labels, columns=labels)
