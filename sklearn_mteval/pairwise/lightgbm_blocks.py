"""LightGBM's own data out of core: rows are read twice, and kept as bins of a byte or two."""

import sys
from collections import deque

import numpy as np
from joblib import effective_n_jobs

from sklearn_mteval.exceptions import CandidateError

_ROWS = 1 << 14  # that LightGBM asks for at a time


def check_lightgbm(estimator):
    """Raise unless it is a ranker of LightGBM's whose options its own function can be given."""
    lightgbm = sys.modules.get("lightgbm")  # loaded, if the estimator is one of its classes
    if lightgbm is None or type(estimator) is not lightgbm.LGBMRanker:
        raise TypeError(
            "fit_blocks trains LightGBM's LGBMRanker, whose data are bins of a byte or two, found "
            f"{estimator!r}. For rankers of other libraries there is fit(X, y), of all rows."
        )
    options = estimator.get_params()
    if callable(options["objective"]) or options["class_weight"] is not None:
        raise ValueError(
            "fit_blocks hands options to LightGBM itself, which takes neither functions as "
            "objective nor class_weight: leave them out, or use fit(X, y)."
        )


def train_on_rows(estimator, rows, relevance, sizes, names):
    """Train LightGBM by an estimator's options; return the booster."""
    lightgbm = sys.modules["lightgbm"]

    class Rows(lightgbm.Sequence):
        """All rows; they are asked for in ascending order, twice: a sample, then batches."""

        batch_size = _ROWS

        def __len__(self):
            return len(relevance)

        def __getitem__(self, index):
            if isinstance(index, slice):
                return rows(*index.indices(len(relevance))[:2])
            return rows(int(index), int(index) + 1)[0]

    options = {k: v for k, v in estimator.get_params().items() if v is not None}
    n_trees = options.pop("n_estimators")
    options.pop("importance_type")
    if "n_jobs" in options:
        options["num_threads"] = effective_n_jobs(options.pop("n_jobs"))
    options.setdefault("objective", "lambdarank")
    data = lightgbm.Dataset(
        Rows(), label=relevance, group=sizes, params=options, feature_name=names or "auto"
    )
    return lightgbm.train(options, data, num_boost_round=n_trees)


class RowsOfBlocks:
    """Rows by their number, of blocks that are read pass after pass: quick in ascending order."""

    def __init__(self, blocks, sorted_rows):
        self._blocks, self._sorted_rows = blocks, sorted_rows
        self._pass, self._values, self._first, self._last = iter(()), None, 0, 0

    def __call__(self, first, last):
        """Return rows, float64 of shape (last - first, n_features)."""
        if first < self._first or self._values is None:
            self._pass, self._first, self._last = self._blocks.read(by_content=True), 0, 0
        found = []
        while first < last:
            while first >= self._last:
                block = next(self._pass, None)
                if block is None:
                    raise CandidateError("blocks changed while they were read: they ended early.")
                self._values = self._sorted_rows(block)
                self._first, self._last = self._last, self._last + len(self._values)
            found.append(self._values[first - self._first : last - self._first])
            first += len(found[-1])
        return np.concatenate(found)

    def end(self):
        """Read to the end, where a pass is compared with the first one."""
        deque(self._pass, maxlen=0)
