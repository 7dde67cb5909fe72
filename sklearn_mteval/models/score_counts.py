"""How often which scores are, of each system: quantiles of any number of scores, part by part."""

from collections import Counter

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import label_index
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.system.tables import finite_scores

PROPORTIONS = (0.05, 0.25, 0.5, 0.75, 0.95)
_DROPPED = 15  # bits of a single-precision number: sign, exponent and 8 bits of the fraction stay
_LARGEST = np.finfo(np.float32).max


class ScoreCounts:
    """Counts of scores, rounded to eight bits of their fraction, by 2^-9 of their value at most."""

    def __init__(self):
        self._of_systems = {}

    def add(self, scores):
        """Count the scores of a Series that is indexed by segment and system; NaN is missing."""
        if not {"segment", "system"} <= set(scores.index.names):
            raise CandidateError(
                "scores must be indexed by 'segment' and 'system', found the levels "
                f"{list(scores.index.names)}."
            )
        values = finite_scores(scores)
        codes, names = scores.index.get_level_values("system").factorize()
        for k, name in enumerate(names.tolist()):
            there = values[(codes == k) & ~np.isnan(values)]
            there = np.clip(there + 0.0, -_LARGEST, _LARGEST)  # zero has no sign
            bits = there.astype(np.float32).view(np.uint32) >> _DROPPED
            self._of_systems.setdefault(name, Counter()).update(bits.tolist())

    def quantiles(self):
        """Return the ``PROPORTIONS`` of each system's scores, a row of a DataFrame each, or NaN."""
        rows = [_quantiles(counts) for counts in self._of_systems.values()]
        names = label_index(list(self._of_systems), tupleize_cols=False).rename("system")
        return pd.DataFrame(rows, names, PROPORTIONS, dtype=np.float64)


def _quantiles(counts):
    """Interpolate between the scores that stand next to each proportion."""
    if not counts:
        return [np.nan] * len(PROPORTIONS)
    keys, numbers = (np.array(list(part)) for part in (counts.keys(), counts.values()))
    middle = 1 << (_DROPPED - 1)  # of the numbers that are rounded to one
    values = ((keys.astype(np.uint32) << _DROPPED) + np.uint32(middle)).view(np.float32)
    values = np.where(keys == 0, 0.0, values.astype(np.float64))
    order = np.argsort(values)
    values, until = values[order], np.cumsum(numbers[order])
    places = np.array(PROPORTIONS) * (until[-1] - 1)
    below, above = (
        values[np.searchsorted(until, place, side="right")]
        for place in (np.floor(places), np.ceil(places))
    )
    return below + (above - below) * (places % 1)
