"""Pairs of systems, or of translations of a segment: a metric's difference, annotators' verdict."""

from typing import NamedTuple

import numpy as np

from sklearn_mteval._helpers.order import table_order
from sklearn_mteval._helpers.pairs import pairs_of_rows
from sklearn_mteval.candidates import group_codes
from sklearn_mteval.evaluation.system import human_systems
from sklearn_mteval.metrics.system.paired import in_clusters
from sklearn_mteval.metrics.system.statistics import means_of_weights
from sklearn_mteval.segments import document_codes

_MOST_CELLS = 100  # of differences that are told apart
_EQUAL = 1e-12  # scores of systems that differ by less than this proportion of the largest are so
OPPOSED, TIED, AGREED = range(3)


class ComparedPairs(NamedTuple):
    """Pairs that the metric does not tie; codes of segments and systems follow their content."""

    differences: np.ndarray  # (n_pairs,), of the metric's scores, above 0
    outcomes: np.ndarray  # (n_pairs,): OPPOSED, TIED, AGREED, which annotators did
    clusters: np.ndarray  # (n_pairs,), codes of documents or segments; zeros for pairs of systems
    systems: tuple  # two of (n_pairs,), codes
    n_clusters: int  # 1 for pairs of systems
    n_systems: int
    metric_ties: int  # pairs left out


def compared_pairs(joined, name, level, factor, documents=None):
    """List the pairs of a metric's scores, times a factor, and of judgements brought together."""
    human, table = human_systems(joined.y), joined.tables[name]
    judged = human.table.reindex(index=table.index, columns=table.columns)
    segments, systems = table_order(judged.to_numpy(), table.to_numpy())
    if level == "segment" and documents is not None:
        codes = document_codes(documents.reindex(table.index).fillna(""))
        tables = [part.to_numpy()[:, systems] for part in (judged, table)]
        segments, clusters = in_clusters(segments, tables, codes)
    else:
        clusters = np.arange(len(segments))
    table = table.iloc[segments, systems]
    if level == "system":
        ones = np.ones((1, len(table)))
        scores = factor * means_of_weights(np.ascontiguousarray(table))(ones)[0]
        verdict = human.scores()[table.columns].to_numpy()
        first, second = np.triu_indices(len(scores), 1)
        of_pairs = np.zeros(len(first), dtype=np.int64)
        rows = np.arange(len(scores))
    else:
        y = joined.y
        codes = group_codes(y.index.droplevel("system"), len(y))
        order = np.argsort(codes, kind="stable")
        index, verdict = y.index[order], -y.to_numpy()[order]
        scores = factor * joined.rows[name].to_numpy()[order]
        rows = table.columns.get_indexer(index.get_level_values("system"))
        first, second = pairs_of_rows(codes[order])
        of_pairs = clusters[table.index.get_indexer(index.get_level_values("segment"))[first]]
    differences, preferences = scores[first] - scores[second], verdict[first] - verdict[second]
    if level == "system":  # means that are equal but for rounding
        for values, side in ((differences, scores), (preferences, verdict)):
            values[np.abs(values) <= _EQUAL * np.nanmax(np.abs(side), initial=0)] = 0
    there = np.isfinite(differences) & np.isfinite(preferences)
    kept = there & (differences != 0)
    outcomes = 1 + np.sign(differences) * np.sign(preferences)
    n_clusters = 1 if level == "system" else int(clusters.max(initial=-1)) + 1
    return ComparedPairs(
        np.abs(differences[kept]), outcomes[kept].astype(np.int64), of_pairs[kept],
        (rows[first[kept]], rows[second[kept]]), n_clusters,
        len(table.columns), int((there & ~kept).sum()),
    )  # fmt: skip


def cells_of(differences):
    """Put differences into cells of (nearly) equal size: number of each, mean of each cell."""
    distinct, codes = np.unique(differences, return_inverse=True)
    if len(distinct) > _MOST_CELLS:
        codes = ((np.cumsum(np.bincount(codes)) - 1) * _MOST_CELLS // len(differences))[codes]
        codes = np.unique(codes, return_inverse=True)[1]
    order = np.argsort(differences, kind="stable")  # so that sums do not depend on that of rows
    return codes, np.bincount(codes[order], weights=differences[order]) / np.bincount(codes)


def counts_of_units(campaigns, cells, n_cells):
    """Count the pairs of each system, if not of two, and cluster, (n_units, n_cells, 3): a list."""
    parts = [(pairs, (pairs.outcomes, own)) for pairs, own in zip(campaigns, cells, strict=True)]
    of_systems = [
        sum(counts_of(*part, n_cells, codes, pairs.n_systems) for codes in pairs.systems)
        for pairs, part in parts
        if pairs.n_systems > 2
    ]
    of_clusters = [
        counts_of(*part, n_cells, pairs.clusters, pairs.n_clusters)
        for pairs, part in parts
        if any(other.n_clusters > 1 for other in campaigns)
    ]
    return [np.concatenate(kind) for kind in (of_systems, of_clusters) if kind]


def counts_of(outcomes, cells, n_cells, units=0, n_units=1):
    """Count the pairs of each unit, cell and outcome, whole numbers: (n_units, n_cells, 3)."""
    places = 3 * (n_cells * units + cells) + outcomes
    counted = np.bincount(places, minlength=3 * n_cells * n_units)
    return counted.reshape(n_units, n_cells, 3).astype(np.float64)
