"""What a model says of a table, block by block of whole segments: the same bits as of all."""

import numpy as np
import pandas as pd
from joblib import effective_n_jobs

from sklearn_mteval._helpers.progress import working
from sklearn_mteval._helpers.workers import in_order
from sklearn_mteval.datasets.blocks import BLOCK
from sklearn_mteval.segments import cut

_WORTH = 4  # blocks that take longer than to start a process


def in_blocks(function, X, what, n_jobs=None):
    """Call a function with each block of a table, for a table or Series with the block's index and
    what can be added up over blocks, or None; return both, in the order of X.
    """
    rows = cut(X, BLOCK)
    parts = (X.iloc[some] if len(rows) > 1 else X for some in rows)
    if len(rows) == 1:
        return function(next(parts))
    n_jobs = min(effective_n_jobs(n_jobs), max(1, len(rows) // _WORTH))
    found, total = [], None
    with working(what, len(X), "translations", rated=True) as step:
        for part, more in in_order(lambda: function, parts, n_jobs):
            found.append(part)
            total = more if total is None else total + more
            step.advance(len(part))
    return pd.concat(found).iloc[np.argsort(np.concatenate(rows))].set_axis(X.index), total
