"""Paired permutation test of metrics on the level of systems, by segment or by document."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval._helpers.order import table_order
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import expected
from sklearn_mteval.metrics.core.ratios import mean_of_known, ratio
from sklearn_mteval.metrics.significance.comparison import check_names
from sklearn_mteval.metrics.significance.permutation import comparison_by_exchange, standardised
from sklearn_mteval.metrics.significance.swaps import difference_of_sums
from sklearn_mteval.metrics.system.paired import in_clusters
from sklearn_mteval.metrics.system.soft_accuracy import normal_p_values, soft_accuracy
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS
from sklearn_mteval.metrics.system.tables import units_of_segments

_ROUNDING = 1e-12  # a sum of squares below this proportion of its terms is zero


def system_permutation_test(
    human, scores, *, documents=None, statistic="pearson", n_permutations=1000, alpha=0.05,
    random_state=0, n_jobs=None
):  # fmt: skip
    """Test for each pair of metrics which agrees better with annotators about systems.

    ``human`` (n_systems,) are scores of systems, ``scores`` of each metric a table (n_segments,
    n_systems), higher is better, NaN being missing and exchanged like scores. The two metrics'
    scores of a document, standardised over the table, are exchanged with probability 1/2, those of
    all systems together (Deutsch, Dror and Roth 2021, section 4.2). The p-value is NaN, with a
    warning, of a metric that is constant or has no score of a system.
    """
    check_one_of("statistic", statistic, SYSTEM_STATISTICS)
    SYSTEM_STATISTICS[statistic].check_no_segments("scores of systems")
    names, human, tables = _aligned(human, scores)
    documents = units_of_segments(documents, next(iter(scores.values())))
    segments, systems = table_order(np.broadcast_to(human, tables[0].shape), *tables)
    segments, units = in_clusters(segments, tables, documents)
    human, tables = human[systems], tables[:, segments][:, :, systems]
    exchange = exchange_of_systems(statistic, human, tables, units[:, np.newaxis])
    drawn = {"n_permutations": n_permutations, "random_state": random_state, "n_jobs": n_jobs}
    return comparison_by_exchange(names, exchange, units.max() + 1, alpha=alpha, **drawn)


def exchange_of_systems(statistic, human, tables, units):
    """Return what ``exchange_of_rows`` does, of tables, and units (n_segments, 1) or of cells."""
    of_scores = SYSTEM_STATISTICS[statistic].of_scores
    there = ~np.isnan(tables)
    values = of_scores(human, mean_of_known(tables, 1))
    shape = tables.shape
    standard, spread = standardised(tables.reshape(len(tables), -1))
    standard = np.where(there, standard.reshape(shape), 0.0)
    # What each system has of each unit: the sum of its scores, and how many they are.
    n_units = units.max() + 1
    cells = np.arange(shape[2]) * n_units + units
    sums = [
        [np.bincount(cells.ravel(), part.ravel(), shape[2] * n_units) for part in parts]
        for parts in zip(standard, there, strict=True)
    ]
    sums = np.reshape(sums, (len(tables), 2 * shape[2], n_units))

    def of_sums(sums):
        return of_scores(human, ratio(*np.split(sums, 2, axis=-1)))

    return values, np.where(spread > 0, values, np.nan), difference_of_sums(sums, of_sums)


def exchange_of_soft_accuracy(human, tables):
    """Return what ``exchange_of_rows`` does, of tables with the same cells, by Signs of cells."""
    there = ~np.isnan(tables[0])
    if (np.isnan(tables) == there).any():
        raise CandidateError("Metrics must have scored the same translations.")
    of_humans = normal_p_values(human)()
    p_values = [normal_p_values(table)() for table in tables]
    values = [soft_accuracy(of_humans, of_metric) for of_metric in p_values]
    standard, spread = standardised(tables.reshape(len(tables), -1))
    standard = np.where(there, standard.reshape(tables.shape), 0.0)
    metrics = np.triu_indices(len(tables), 1)
    # (n_systems, n_pairs, n_segments) of metrics: with a sign s for each cell, a and b become
    # m ± s h.
    first, second = (standard[metric] for metric in metrics)
    middle = ((first + second) / 2).transpose(2, 0, 1)
    half = ((first - second) / 2).transpose(2, 0, 1)
    pairs = list(zip(*np.triu_indices(tables.shape[2], 1), strict=True))

    cells = np.arange(there.size).reshape(there.shape).T

    def difference(signs, some):
        return np.hstack([of_block(block.of(cells), some) for block in signs.blocks()])

    def of_block(by_system, some):
        total = np.zeros((len(some), by_system.shape[-1]))
        for (i, j), human_p in zip(pairs, of_humans, strict=True):
            # The systems' difference is (m_i - m_j) ± (s_i h_i - s_j h_j), in its square s² = 1.
            common = there[:, i] & there[:, j]
            fixed = (middle[i, some] - middle[j, some]) * common
            one, other = half[i, some] * common, half[j, some] * common
            moved = np.vstack([one, 2 * one * fixed]) @ by_system[i]
            moved -= np.vstack([other, 2 * other * fixed]) @ by_system[j]
            moved_sum, moved_square = np.split(moved, 2)
            least = (fixed**2 + one**2 + other**2).sum(axis=1, keepdims=True)
            square = least - (2 * one * other) @ (by_system[i] * by_system[j])
            for sign in (1, -1):
                sums = fixed.sum(axis=1, keepdims=True) + sign * moved_sum
                total -= sign * np.abs(
                    human_p - _p_values(sums, square + sign * moved_square, least)
                )
        return total / len(pairs)

    return np.array(values), np.where(spread > 0, values, np.nan), difference


def _p_values(sums, squares, least):
    """Return normal p-values, 1/2 where two systems are alike."""
    from scipy.special import ndtr

    varied = squares > _ROUNDING * least
    return ndtr(-sums / np.sqrt(squares, where=varied, out=np.full(squares.shape, np.inf)))


def _aligned(human, scores):
    """Return names, human scores and one array of all metrics' tables, checked."""
    if not isinstance(scores, Mapping):
        raise CandidateError(
            "scores must map names to tables of segments and systems, found "
            f"{type(scores).__name__}."
        )
    names = check_names(scores)
    tables = _with_labels_of(human, names, list(scores.values()))
    with expected("Scores must be numbers"):
        human = as_numbers(human)
        tables = [as_numbers(table) for table in tables]
    for name, table in zip(names, tables, strict=True):
        if human.ndim != 1 or table.shape != (len(tables[0]), len(human)) or not table.size:
            raise CandidateError(
                f"The metric {name} has scores of shape {table.shape}, human scores have shape "
                f"{human.shape}: expected (n_segments, n_systems) and (n_systems,)."
            )
        if np.isinf(table).any() or np.isnan(table).all():
            raise CandidateError(f"The metric {name} has infinite scores, or none.")
    if not np.isfinite(human).all():
        raise CandidateError("Human scores of systems must be finite.")
    return names, human, np.stack(tables)


def _with_labels_of(human, names, tables):
    """Return tables with their segments in one order, and systems in that of human; or arrays."""
    labelled = [isinstance(table, pd.DataFrame) for table in tables]
    if not any(labelled):
        return tables
    if not all(labelled) or not isinstance(human, pd.Series):
        raise CandidateError(
            "Either human is a Series and all tables are DataFrames, or all are arrays."
        )
    for name, table in zip(names, tables, strict=True):
        for kind, ours, theirs, other in (
            ("segments", table.index, tables[0].index, names[0]),
            ("systems", table.columns, human.index, "human"),
        ):
            if ours.has_duplicates or len(ours) != len(theirs) or len(ours.difference(theirs)):
                raise CandidateError(
                    f"The {kind} of the metric {name} are not those of {other}, each once. Bring "
                    "the table to the same labels with reindex: NaN is missing."
                )
    return [table.loc[tables[0].index, human.index] for table in tables]
