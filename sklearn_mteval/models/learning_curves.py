"""How a ranker gains from more judgements: trained on parts, tested on the same ones."""

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_random_state

from sklearn_mteval.models.held_out_comparison import compare_strengths

_PROPORTIONS = (0.25, 0.5)
_SMALL, _DRAWS = 100, 3  # fewer segments than this vary much: several draws of them
_FEWEST = 2  # segments, or there is nothing to calibrate on


def learning_curve(ranker, seen, y, units, unseen, y_test, units_test, whole, random_state):
    """Train a ranker on parts of what it has seen; a table as in ``TrainingResult``.

    Features, learnt ones too, are those of all segments. ``units`` number from 0 what is drawn
    together: a row, of shape (n_rows, n_units), is drawn where all are that it is made of.
    ``whole`` are the strengths of the ranker that was trained on all.
    """
    rng = check_random_state(random_state)
    n_all = int(units.max()) + 1
    n_draws = _DRAWS if n_all < _SMALL else 1
    strengths, sizes = {"": whole}, [n_all]
    for proportion in _PROPORTIONS:
        size = round(proportion * n_all)
        for draw in range(n_draws if size >= _FEWEST else 0):
            rows = np.isin(units, rng.permutation(n_all)[:size]).all(axis=1)
            part = clone(ranker).set_params(standalone=False)
            try:
                part.fit(seen[rows], y[rows])
            except ValueError:  # all of the few may be tied, say
                continue
            strengths[f"{size} {draw}"] = part.decision_function(unseen)
            sizes.append(size)
    columns = ["tau", "low", "high", "difference", "difference_low", "difference_high"]
    found = compare_strengths(strengths, unseen, y_test, units_test)[columns]
    found = found.set_axis(pd.Index(sizes, name="segments"))
    grouped = found.groupby(level="segments")
    return grouped.mean().assign(draws=grouped.size())
