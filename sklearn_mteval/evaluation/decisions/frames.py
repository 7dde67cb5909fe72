"""The parts of a decision table: agreement at differences, differences needed, what is observed."""

import numpy as np
import pandas as pd

from sklearn_mteval.evaluation.decisions.pairs import AGREED, TIED
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.units import percentile_interval

_MOST_ROWS = 7  # of a table whose differences are not given
_LARGEST = 0.95  # quantile of the differences that it shows


def agreeing_of(sums, ties):
    """Return how many pairs agree, and of how many, of counts (n, n_cells, 3): two (n, n_cells)."""
    if ties == "half":
        return sums[..., AGREED] + sums[..., TIED] / 2, sums.sum(axis=-1)
    return sums[..., AGREED], sums.sum(axis=-1) - sums[..., TIED]


def round_numbers(differences):
    """Choose differences 1, 2 or 5 times powers of ten, the largest that are not rare."""
    largest = np.quantile(differences, _LARGEST)
    power = int(np.floor(np.log10(largest)))
    steps = [m * 10.0**k for k in range(power - 3, power + 1) for m in (1, 2, 5)]
    chosen = [step for step in steps if step <= largest]
    return np.array(chosen[-_MOST_ROWS:])


def _bounds(values, confidence):
    """Return percentiles of resampled values (n_resamples, n), some infinite: two of (n,)."""
    if values is None:
        return np.nan, np.nan
    # Without interpolation: between infinite values there is nothing.
    return percentile_interval(values.T, confidence, method="inverted_cdf").T


def _of_all(curves):
    """Return resampled curves with an axis for what they are asked."""
    return curves._replace(
        steepness=curves.steepness[:, np.newaxis], plateau=curves.plateau[:, np.newaxis]
    )


def agreement_frame(curve, resampled, differences, confidence):
    """Make a table of agreement at differences."""
    values = None if resampled is None else _of_all(resampled).agreement(differences)
    low, high = _bounds(values, confidence)
    columns = {"agreement": curve.agreement(differences), "low": low, "high": high}
    return pd.DataFrame(columns, index=pd.Index(differences, name="difference"))


def needed_frame(curve, resampled, agreements, largest, confidence):
    """Make the table of differences that an agreement needs."""
    values = None if resampled is None else _of_all(resampled).difference(agreements)
    low, high = _bounds(values, confidence)
    found = curve.difference(agreements)
    columns = {"difference": found, "low": low, "high": high, "observed": found <= largest}
    return pd.DataFrame(columns, index=pd.Index(agreements, name="agreement"))


def bins_frame(curve, cells, pooled, codes, sums, drawn, options):
    """Make the table of what was observed: cells, put together to bins of equal size."""
    agreeing, total = (part[0] for part in agreeing_of(sums, options["ties"]))
    there = np.flatnonzero(total)  # a cell of ties only joins the one before
    middles = (np.cumsum(total) - total / 2)[there]
    of_cell = np.minimum(middles * options["n_bins"] / total.sum(), options["n_bins"] - 1)
    of_cell = np.unique(of_cell.astype(np.int64), return_inverse=True)[1]
    places = np.searchsorted(there, np.arange(len(total)), side="right") - 1
    of_cell = of_cell[np.maximum(places, 0)]
    starts = np.flatnonzero(np.diff(of_cell, prepend=-1))

    def in_bins(values):
        return np.add.reduceat(values, starts, axis=-1)

    low = high = np.nan
    if drawn is not None:
        parts = [in_bins(part) for part in agreeing_of(drawn, options["ties"])]
        low, high = percentile_interval(ratio(*parts).T, options["confidence"]).T
    n, ties, agreed = (in_bins(part) for part in (total, sums[0, :, TIED], agreeing))
    sure = (agreed == 0) | (agreed == n)  # resamples are, too, which says nothing
    ends = np.append(starts[1:], len(cells))
    order = np.argsort(pooled, kind="stable")
    edges = np.searchsorted(codes[order], [starts, ends])
    return pd.DataFrame({
        "from": pooled[order][edges[0]], "to": pooled[order][edges[1] - 1],
        "difference": ratio(in_bins(total * cells), n), "pairs": n.astype(np.int64),
        "ties": ratio(ties, in_bins(sums[0].sum(axis=-1))), "agreement": ratio(agreed, n),
        "low": np.where(sure, np.nan, low), "high": np.where(sure, np.nan, high),
        "expected": ratio(in_bins(total * curve.agreement(cells)), n),
    })  # fmt: skip
