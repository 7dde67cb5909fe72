"""The parts of a decision table: agreement at differences, differences needed, what is observed."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.evaluation.decisions.pairs import (
    AGREED,
    TIED,
    cells_of,
    counts_of,
    counts_of_units,
)
from sklearn_mteval.evaluation.decisions.uncertainty import Shared, interval_of_bin
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.ratios import ratio

_UNITS = {"system": "systems", "segment": "translations"}  # that pairs are of, by level
_MOST_ROWS = 7  # of a table whose differences are not given
_LARGEST = 0.95  # quantile of the differences that it shows


def agreeing_of(sums, ties):
    """Return how many pairs agree, and of how many, of counts (..., 3): two of (...)."""
    if ties == "half":
        return sums[..., AGREED] + sums[..., TIED] / 2, sums.sum(axis=-1)
    return sums[..., AGREED], sums.sum(axis=-1) - sums[..., TIED]


class Observed(NamedTuple):
    """The pairs of all campaigns, put into cells of like differences."""

    pooled: np.ndarray  # (n_pairs,) differences
    kept: np.ndarray  # (n_kept,) those of which agreement is a proportion
    codes: np.ndarray  # (n_pairs,) of cells
    cells: np.ndarray  # (n_cells,) mean differences
    agreeing: np.ndarray  # (n_cells,) pairs, and of how many
    total: np.ndarray
    ties: np.ndarray  # (n_cells,) pairs that annotators tie
    all_pairs: np.ndarray  # (n_cells,)
    shared: list  # what systems and clusters have of them


def observe(campaigns, options):
    """Pool the pairs of campaigns, and count them."""
    pooled = np.concatenate([pairs.differences for pairs in campaigns])
    outcomes = np.concatenate([pairs.outcomes for pairs in campaigns])
    kept = pooled[outcomes != TIED] if options["ties"] == "drop" else pooled
    if not len(kept):
        raise CandidateError(
            f"There is no pair of {_UNITS[options['level']]} that {options['metric']!r} and the "
            "annotators decide."
        )
    codes, cells = cells_of(pooled)
    of_each = np.split(codes, np.cumsum([len(pairs.differences) for pairs in campaigns])[:-1])
    [counts] = counts_of(outcomes, codes, len(cells))
    of_units = counts_of_units(campaigns, of_each, len(cells))
    shared = [Shared(*agreeing_of(kind, options["ties"])) for kind in of_units]
    agreeing = agreeing_of(counts, options["ties"])
    cells = pooled, kept, codes, cells, *agreeing, counts[:, TIED], counts.sum(axis=1)
    return Observed(*cells, shared)


def round_numbers(differences):
    """Choose differences 1, 2 or 5 times powers of ten, the largest that are not rare."""
    largest = np.quantile(differences, _LARGEST)
    power = int(np.floor(np.log10(largest)))
    steps = [m * 10.0**k for k in range(power - 3, power + 1) for m in (1, 2, 5)]
    return np.array([step for step in steps if step <= largest][-_MOST_ROWS:])


def agreement_frame(curve, accepted, differences):
    """Make a table of agreement at differences, with that of curves that are not refuted."""
    values = accepted.agreement(differences)
    columns = {"agreement": curve.agreement(differences)}
    columns |= {"low": values.min(axis=0), "high": values.max(axis=0)}
    return pd.DataFrame(columns, index=pd.Index(differences, name="difference"))


def needed_frame(curve, accepted, agreements, largest):
    """Make the table of differences that an agreement needs."""
    values, found = accepted.difference(agreements), curve.difference(agreements)
    columns = {"difference": found, "low": values.min(axis=0), "high": values.max(axis=0)}
    columns["observed"] = found <= largest
    return pd.DataFrame(columns, index=pd.Index(agreements, name="agreement"))


def bins_frame(curve, observed, options):
    """Make the table of what was observed: cells, put together to bins of equal size."""
    cells, agreeing, total = observed.cells, observed.agreeing, observed.total
    there = np.flatnonzero(total)  # a cell of ties only joins the one before
    middles = (np.cumsum(total) - total / 2)[there]
    of_cell = np.minimum(middles * options["n_bins"] / total.sum(), options["n_bins"] - 1)
    of_cell = np.unique(of_cell.astype(np.int64), return_inverse=True)[1]
    places = np.searchsorted(there, np.arange(len(total)), side="right") - 1
    of_cell = of_cell[np.maximum(places, 0)]
    starts = np.flatnonzero(np.diff(of_cell, prepend=-1))

    def in_bins(values):
        return np.add.reduceat(values, starts, axis=-1)

    n, ties, agreed = (in_bins(part) for part in (total, observed.ties, agreeing))
    ends = np.append(starts[1:], len(cells))
    bounds = np.array([
        interval_of_bin(
            agreeing[part], total[part],
            [Shared(kind.agreeing[:, part], kind.total[:, part]) for kind in observed.shared],
            options["confidence"],
        )
        for part in map(slice, starts, ends)
    ])  # fmt: skip
    order = np.argsort(observed.pooled, kind="stable")
    pooled = observed.pooled[order]
    edges = np.searchsorted(observed.codes[order], [starts, ends])
    return pd.DataFrame({
        "from": pooled[edges[0]], "to": pooled[edges[1] - 1],
        "difference": ratio(in_bins(total * cells), n), "pairs": n.astype(np.int64),
        "ties": ratio(ties, in_bins(observed.all_pairs)), "agreement": ratio(agreed, n),
        "low": bounds[:, 0], "high": bounds[:, 1],
        "expected": ratio(in_bins(total * curve.agreement(cells)), n),
    })  # fmt: skip
