"""Quality of the order in which a metric puts the rows of each group, one value for each group.

Rows that the metric ties are in random order; every figure is its exact expectation, so that
the order of the rows means nothing (for NDCG: McSherry and Najork 2008).
"""

import numpy as np

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.metrics.core.judgements import bounds_of_groups

__all__ = ["QUALITIES", "qualities_of_groups"]

QUALITIES = ("ndcg", "mrr", "err", "best_system_rate")


def qualities_of_groups(statistic, human, metric, groups):
    """Compute a figure of each group.

    Parameters
    ----------
    statistic : str
        One of ``QUALITIES``.
    human, metric, groups : ndarray of shape (n_rows,)
        Judgement (lower is better), score (higher is better), group (not decreasing).

    Returns
    -------
    ndarray of shape (n_groups,)
        In [0, 1], higher is better; NaN where the human prefers none.
    """
    check_one_of("statistic", statistic, QUALITIES)
    from sklearn_mteval.metrics.core import ranked_list_kernel as kernel

    # Ties by judgement, so that not even the last bit depends on the order of the rows.
    order = np.lexsort((human, -metric, groups))
    figure = {
        "ndcg": kernel.ndcg_of_groups,
        "mrr": kernel.mrr_of_groups,
        "err": kernel.err_of_groups,
        "best_system_rate": kernel.best_of_groups,
    }[statistic]
    return figure(human[order], metric[order], bounds_of_groups(groups))
