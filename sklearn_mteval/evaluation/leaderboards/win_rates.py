"""Leaderboards by win rate: how often a system's translation is preferred to another's."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.memory import check_memory
from sklearn_mteval._helpers.order import by_content, hash_rows
from sklearn_mteval.candidates import check_candidates, check_ranks
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
from sklearn_mteval.evaluation.leaderboards.tallies import counts_of, tally_of
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.paired_comparisons.comparisons import comparisons_of, flags_of


def win_rates(
    X, y, inference, *, selection=None, both_bad=None, judges=None, automatic_judges=(), scores=None
):  # fmt: skip
    """Score systems by the proportion of their comparisons that they win, a tie half a win."""
    options = options_of_means("win-rate", inference, judges, automatic_judges)
    check_candidates(X)
    ranks = pd.Series(check_ranks(y, X), X.index)
    people, machines = rows_of_judges(X, ranks, judges, options["automatic_judges"])
    both_bad = flags_of(both_bad, X)
    compared = comparisons_of(X[people], ranks[people], both_bad[people])
    automatic = {
        name: _outcomes(comparisons_of(X[rows], ranks[rows], both_bad[rows], connected=False))
        for name, rows in machines.items()
    }
    metrics = score_tables(ranks[people], scores, automatic)
    automatic |= {name: _outcomes_of_scores(table) for name, table in metrics.items()}
    scored = {name: part.segments for name, part in automatic.items()}
    sample = sample_of(selection, compared.segments, inference, scored)
    units = _units(_outcomes(compared), list(automatic.values()), sample)
    estimated = _within_bounds(estimate(units, options), units, options)
    return board_of(
        compared.systems, estimated, units, differences_of(estimated), tally_of(compared),
        automatic=list(automatic), sample=sample, judged=compared.segments,
        counts=counts_of(compared), options=options,
        data=(X.index, ranks.to_numpy()),
    )  # fmt: skip


class _Outcomes(NamedTuple):
    """Who won, as one judge says."""

    segment: np.ndarray  # (n_comparisons,) codes
    first: np.ndarray  # (n_comparisons,) codes of systems
    second: np.ndarray
    won: np.ndarray  # (n_comparisons,): the first, 1, 0.5 or 0
    segments: pd.Index  # labels
    systems: pd.Index


def _outcomes(compared):
    """Return the outcomes of comparisons."""
    won = (compared.outcome + 1) / 2
    return _Outcomes(*compared[:3], won, compared.segments, compared.systems)


def _outcomes_of_scores(table):
    """Return the outcomes of scores (segments, systems): the higher one wins."""
    values, n = table.to_numpy(), table.shape[1]
    check_memory(64 * len(values) * n * n, f"Comparisons of {n} systems in {len(values)} segments")
    first, second = np.triu_indices(n, 1)
    differences = values[:, first] - values[:, second]
    segment, pair = np.nonzero(~np.isnan(differences))
    won = (np.sign(differences[segment, pair]) + 1) / 2
    scored = ~np.isnan(values).all(axis=1)
    segment = (np.cumsum(scored) - 1)[segment]
    return _Outcomes(segment, first[pair], second[pair], won, table.index[scored], table.columns)


def _units(people, automatic, sample):
    """Return two units of each comparison, of either system; with automatic judges of each pair."""
    n = len(people.systems)
    if not automatic and sample.probability is None and not sample.is_clustered:
        cells = people.first, people.second, people.won, np.empty((len(people.won), 0))
        return _both_sides(people.segment, *cells, n, sample, np.arange(len(people.segments)))
    keys, won = _keyed(people, sample, people.systems)
    columns = np.empty((len(keys), 0))
    if automatic:
        found = [_means_of_keys(*_keyed(part, sample, people.systems)) for part in automatic]
        found = [_means_of_keys(keys, won), *found]
        keys = np.unique(np.concatenate([part[0] for part in found]))
        filled = np.full((len(found), len(keys)), np.nan)
        for column, (own, means) in zip(filled, found, strict=True):
            column[np.searchsorted(keys, own)] = means
        won, columns = filled[0], filled[1:].T
    segment, cell = np.divmod(keys, n * n)
    first, second = np.divmod(cell, n)
    # Clusters are in an order of their content; so are, within each, its units.
    content = [*map(np.float64, (first, second)), won, *columns.T]
    if sample.probability is not None:
        content.append(sample.probability[segment])
    rows = hash_rows(content, len(keys))
    clusters = np.unique(sample.clusters, return_inverse=True)[1]
    there, codes = np.unique(clusters[segment], return_inverse=True)
    empty = np.setdiff1d(clusters, there)
    place = np.argsort(np.append(empty, there[by_content(rows, codes, content)]))[clusters]
    order = np.lexsort((rows, place[segment]))
    cells = (part[order] for part in (segment, first, second, won, columns))
    return _both_sides(*cells, n, sample, place)


def _both_sides(segment, first, second, won, columns, n, sample, clusters):
    """Return the units of either system of comparisons; ``clusters`` are those of segments."""
    both = np.concatenate([segment, segment])
    return Units(
        np.concatenate([first, second]), clusters[both], np.concatenate([won, 1 - won]),
        np.concatenate([columns, 1 - columns]), n, int(clusters.max()) + 1,
        *sample.design(both, clusters),
    )  # fmt: skip


def _keyed(outcomes, sample, systems):
    """Return a number for each segment and two systems, the first one before, and who won."""
    number = systems.get_indexer(outcomes.systems)
    known = (number[outcomes.first] >= 0) & (number[outcomes.second] >= 0)
    segment = sample.labels.get_indexer(outcomes.segments)[outcomes.segment[known]]
    first, second = (number[ends[known]] for ends in (outcomes.first, outcomes.second))
    low, high = np.minimum(first, second), np.maximum(first, second)
    won, n = outcomes.won[known], len(systems)
    return (segment * n + low) * n + high, np.where(first < second, won, 1 - won)


def _means_of_keys(keys, won):
    """Return the distinct keys and the mean of each."""
    distinct, codes = np.unique(keys, return_inverse=True)
    # Sums of halves are exact, in any order.
    return distinct, ratio(np.bincount(codes, won, len(distinct)), np.bincount(codes))


def _within_bounds(estimated, units, options):
    """Return intervals within [0, 1], and bounds of systems that always won, or always lost."""
    # Of n clusters, a system may have won all with a rate of tail^(1/n) or more: with a lower one
    # that is less probable than the tail.
    bounds = np.clip([estimated.sandwich, estimated.bootstrap], 0.0, 1.0)
    tail = (1 - options["confidence"]) / 2
    if units.probability is None or (units.probability < 1).any():
        least = tail ** (1 / np.maximum(estimated.degrees + 1, 1))
        always, never = estimated.scores == 1, estimated.scores == 0
        bounds[:, always, 0] = least[always]
        bounds[:, never, 1] = 1 - least[never]
    return estimated._replace(sandwich=bounds[0], bootstrap=bounds[1])
