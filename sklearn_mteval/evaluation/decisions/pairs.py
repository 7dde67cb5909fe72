"""Pairs of systems, or of translations of a segment: a metric's difference, annotators' verdict."""

from typing import NamedTuple

import numpy as np

from sklearn_mteval._helpers.order import table_order
from sklearn_mteval._helpers.pairs import pairs_of_rows
from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval.candidates import group_codes
from sklearn_mteval.evaluation.system import human_systems
from sklearn_mteval.metrics.core.units import times_drawn
from sklearn_mteval.metrics.system.statistics import means_of_weights

_MOST_CELLS = 100  # of differences that are told apart
_EQUAL = 1e-12  # scores of systems that differ by less than this proportion of the largest are so
OPPOSED, TIED, AGREED = range(3)


class ComparedPairs(NamedTuple):
    """Pairs that the metric does not tie; codes of segments and systems follow their content."""

    differences: np.ndarray  # (n_pairs,), of the metric's scores, above 0
    outcomes: np.ndarray  # (n_pairs,): OPPOSED, TIED, AGREED, which annotators did
    segments: np.ndarray  # (n_pairs,), codes; zeros for pairs of systems
    systems: tuple  # two of (n_pairs,), codes
    n_segments: int  # 1 for pairs of systems
    n_systems: int
    metric_ties: int  # pairs left out


def compared_pairs(joined, name, level, factor):
    """List the pairs of a metric's scores, times a factor, and of judgements brought together."""
    human, table = human_systems(joined.y), joined.tables[name]
    judged = human.table.reindex(index=table.index, columns=table.columns)
    segments, systems = table_order(judged.to_numpy(), table.to_numpy())
    table = table.iloc[segments, systems]
    if level == "system":
        ones = np.ones((1, len(table)))
        scores = factor * means_of_weights(np.ascontiguousarray(table))(ones)[0]
        verdict = human.scores()[table.columns].to_numpy()
        first, second = np.triu_indices(len(scores), 1)
        of_segment = np.zeros(len(first), dtype=np.int64)
        rows = np.arange(len(scores))
    else:
        y = joined.y
        codes = group_codes(y.index.droplevel("system"), len(y))
        order = np.argsort(codes, kind="stable")
        index, verdict = y.index[order], -y.to_numpy()[order]
        scores = factor * joined.rows[name].to_numpy()[order]
        rows = table.columns.get_indexer(index.get_level_values("system"))
        first, second = pairs_of_rows(codes[order])
        of_segment = table.index.get_indexer(index.get_level_values("segment"))[first]
    differences, preferences = scores[first] - scores[second], verdict[first] - verdict[second]
    if level == "system":  # means that are equal but for rounding
        for values, side in ((differences, scores), (preferences, verdict)):
            values[np.abs(values) <= _EQUAL * np.nanmax(np.abs(side), initial=0)] = 0
    there = np.isfinite(differences) & np.isfinite(preferences)
    kept = there & (differences != 0)
    outcomes = 1 + np.sign(differences) * np.sign(preferences)
    return ComparedPairs(
        np.abs(differences[kept]), outcomes[kept].astype(np.int64), of_segment[kept],
        (rows[first[kept]], rows[second[kept]]), 1 if level == "system" else len(table),
        len(table.columns), int((there & ~kept).sum()),
    )  # fmt: skip


def cells_of(differences):
    """Put differences into cells of (nearly) equal size: number of each, mean of each cell."""
    distinct, codes = np.unique(differences, return_inverse=True)
    if len(distinct) > _MOST_CELLS:
        before = np.cumsum(np.bincount(codes)) - 1
        codes = (before * _MOST_CELLS // len(differences))[codes]
        codes = np.unique(codes, return_inverse=True)[1]
    order = np.argsort(differences, kind="stable")  # so that sums do not depend on that of rows
    sums = np.bincount(codes[order], weights=differences[order])
    return codes, sums / np.bincount(codes)


def observed_sums(campaigns, cells):
    """Count the pairs of each cell and outcome: (1, n_cells, 3)."""
    return _sums(campaigns, cells, [np.ones(len(pairs.outcomes)) for pairs in campaigns])[None]


def resampled_sums(campaigns, cells, n_resamples, rng):
    """Count pairs in bootstrap samples (n_resamples, n_cells, 3); None if nothing can be drawn.

    Drawn are segments and, of three or more, systems: a pair counts as often as the product of how
    often its segment and its two systems are drawn.
    """
    if not any(pairs.n_systems > 2 or pairs.n_segments > 1 for pairs in campaigns):
        return None
    found = []
    for _ in tracked(range(n_resamples), "resampling", "samples"):
        weights = []
        for pairs in campaigns:
            weight = times_drawn(pairs.n_segments, rng)[pairs.segments]
            if pairs.n_systems > 2:
                drawn = times_drawn(pairs.n_systems, rng)
                weight *= drawn[pairs.systems[0]] * drawn[pairs.systems[1]]
            weights.append(weight)
        found.append(_sums(campaigns, cells, weights))
    return np.array(found)


def _sums(campaigns, cells, weights):
    """Add up weights, whole numbers, so that their order does not matter: (n_cells, 3)."""
    n_cells = max(of_pairs.max() for of_pairs in cells if len(of_pairs)) + 1
    return sum(
        np.bincount(3 * of_pairs + pairs.outcomes, weights=weight, minlength=3 * n_cells)
        for pairs, of_pairs, weight in zip(campaigns, cells, weights, strict=True)
    ).reshape(n_cells, 3)
