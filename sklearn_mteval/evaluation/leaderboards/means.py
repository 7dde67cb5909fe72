"""Leaderboards by mean: how good a system's translations are, on the scale of the judgements."""

import warnings

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from sklearn_mteval._helpers.memory import check_memory
from sklearn_mteval._helpers.order import table_order
from sklearn_mteval._helpers.outliers import far_from_others
from sklearn_mteval.candidates import check_candidates, check_ranks, segment_labels
from sklearn_mteval.evaluation.leaderboards.automatic import (
    options_of_means,
    rows_of_judges,
    score_tables,
)
from sklearn_mteval.evaluation.leaderboards.estimated import (
    Units,
    board_of,
    differences_of,
    estimate,
)
from sklearn_mteval.evaluation.leaderboards.sampling import sample_of
from sklearn_mteval.evaluation.leaderboards.tallies import Tally
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.adjusted_means import adjusted_means
from sklearn_mteval.metrics.core.ratios import mean_of_known
from sklearn_mteval.metrics.system.paired import in_clusters, paired_means
from sklearn_mteval.metrics.system.tables import score_table

_LARGEST = 1e140  # squares of larger scores, added up, leave the range of float64
_MOST_RANKS = 10  # more than any campaign showed at once


def means(
    X, y, inference, *, selection=None, judges=None, automatic_judges=(), scores=None
):  # fmt: skip
    """Score systems by the mean score of their translations, 0 - y, each once, adjusted for
    segments (:mod:`..metrics.core.adjusted_means`) or by automatic judges, which have coefficients
    of means and of differences; ranks are refused.
    """
    options = options_of_means("mean", inference, judges, automatic_judges)
    check_candidates(X)
    y = pd.Series(check_ranks(y, X), X.index)
    _check_scores(y)
    people, machines = rows_of_judges(X, y, judges, options["automatic_judges"])
    _refuse_ranks(y[people])
    _warn_of_outliers(y[people])
    table = _table(y, people)
    automatic = {name: _table(y, rows) for name, rows in machines.items()}
    automatic |= score_tables(y[people], scores, automatic)
    scored = {name: part.index[part.notna().any(axis=1)] for name, part in automatic.items()}
    sample = sample_of(selection, table.index, inference, scored)
    units, human, cluster, systems = _units(table, list(automatic.values()), sample)
    n_judged, pairs = (~np.isnan(human)).sum(axis=0), paired_means(human, cluster)
    counts = {"judgements": int(people.sum()), "translations": int(n_judged.sum())}
    counts["segments"] = len(table)
    n_missing, helped = human.size - int(n_judged.sum()), automatic or selection is not None
    if n_missing and not helped:
        counts["missing"] = n_missing
        _check_connected(human, systems)
        estimated = estimate(units, options, adjusted_means(human, cluster))
    else:
        estimated = estimate(units, options)
    differences = differences_of(estimated)
    if not n_missing and not helped:
        differences = pairs.differences, pairs.variances, pairs.n_clusters
    return board_of(
        systems, estimated, units, differences,
        Tally(pairs.wins, pairs.ties, np.zeros(len(systems), dtype=np.int64), n_judged),
        automatic=list(automatic), sample=sample, judged=table.index, counts=counts,
        options=options, data=(X.index, y.to_numpy()),
    )  # fmt: skip


def _check_connected(table, systems):
    """Raise unless shared segments connect all systems of a table (n_segments, n_systems)."""
    there = (~np.isnan(table)).astype(np.float64)
    n_parts, part = connected_components(there.T @ there > 0, directed=False)
    if n_parts > 1:
        least = sorted(map(str, systems[part == np.bincount(part).argmin()]))
        some = ", ".join(map(repr, least[:5])) + " …" * (len(least) > 5)
        raise CandidateError(
            f"Systems fall into {n_parts} parts that no segment connects: {some} and the other "
            f"{len(systems) - len(least)} were judged on different segments, so that nothing tells "
            "how much of a difference is the segments'. Score each part by itself: leave the "
            "others out of X and y (--without SYSTEM ...)."
        )


def _check_scores(y):
    """Raise for a y without judgements, or with some whose squares leave the range of numbers."""
    if not len(y):
        raise CandidateError("There is no judgement: X and y are empty.")
    large = np.abs(y.to_numpy()) > _LARGEST
    if large.any():
        raise CandidateError(
            f"y must lie between -{_LARGEST:g} and {_LARGEST:g} for means, found "
            f"{y.iloc[large.argmax()]:g} in row {int(large.argmax())}."
        )


def _refuse_ranks(y):
    """Raise for a y that can only be ranks."""
    values = y.to_numpy()
    most = max(_MOST_RANKS, y.index.unique("system").size)
    if (values >= 1).all() and (values <= most).all() and (values == np.floor(values)).all():
        raise CandidateError(
            f"by='mean' needs scores, y seems to hold ranks (whole numbers from 1 to "
            f"{int(values.max())}): ranks of different rankings have no common scale, and their "
            "mean depends on whom a system was ranked with. Use by='win-rate' or by='strength'. If "
            "they are scores, lower being better, subtract a number from all: y - 1000."
        )


def _warn_of_outliers(y):
    """Warn of a few scores far from all others, which make a mean say nothing."""
    far = far_from_others(y.to_numpy())
    if len(far):
        levels = zip(y.index.names, y.index[far[0]], strict=True)
        where = ", ".join(f"{name} {label!r}" for name, label in levels)
        warnings.warn(
            f"{len(far)} score(s) are far from all others, {0 - y.iloc[far[0]]:g} first, of "
            f"{where}: means of systems with such scores say little else. Is it a slip?",
            stacklevel=4,
        )


def _table(y, rows):
    """Spread scores over segments and systems: means, where a translation was judged again."""
    y = y[rows]
    segments, systems = segment_labels(y.to_frame()), y.index.get_level_values("system")
    size = segments.nunique() * systems.nunique()
    check_memory(60 * size, f"Scores of {segments.nunique()} segments by systems")
    return score_table(0.0 - y.to_numpy(), segments, systems)


def _units(table, automatic, sample):
    """Return the units in the order of their content, annotators' table so, and the systems."""
    human = table.reindex(sample.labels).to_numpy()
    columns = [part.reindex(index=sample.labels, columns=table.columns) for part in automatic]
    tables = [human, *(part.to_numpy() for part in columns)]
    if sample.probability is not None:
        tables.append(np.repeat(sample.probability[:, np.newaxis], human.shape[1], axis=1))
    rows, systems = table_order(*tables)
    cluster = np.arange(len(rows))
    if sample.is_clustered:
        rows, cluster = in_clusters(rows, tables, sample.clusters)
    human, *machines = (part[np.ix_(rows, systems)] for part in tables[: 1 + len(automatic)])
    there = ~np.isnan([human, *machines]).all(axis=0)
    of_segments = np.empty(len(rows), dtype=np.int64)
    of_segments[rows] = cluster
    segment, target = np.nonzero(there)
    parts = [half[there] for part in machines for half in _halves(part)]
    scores = np.array(parts).reshape(len(parts), len(target)).T
    units = Units(
        target, cluster[segment], human[there], scores, len(systems), int(cluster.max()) + 1,
        *sample.design(rows[segment], of_segments),
    )  # fmt: skip
    return units, human, cluster, table.columns[systems]


def _halves(table):
    """Split scores into their segment's mean, which moves all systems alike, and the difference."""
    means = mean_of_known(table, 1)[:, np.newaxis]
    return np.where(np.isnan(table), np.nan, means), table - means
