"""Agreement of a metric's scores of systems with the human ones, and its bootstrap interval."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval._helpers.order import table_order
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import label_index
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import expected, warn_undefined
from sklearn_mteval.metrics.core.units import FEW_CLUSTERS, Bootstrap
from sklearn_mteval.metrics.system.paired import in_clusters
from sklearn_mteval.metrics.system.resampled import intervals_of_systems
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS, means_of_weights
from sklearn_mteval.metrics.system.tables import (
    aligned_tables,
    check_same,
    checked_table,
    units_of_segments,
)
from sklearn_mteval.metrics.system.wins import WinCounts, human_scores_of_weights, in_content_order


def system_agreement(
    human: pd.Series | dict, metric: pd.Series | dict, *, statistic: str = "accuracy"
) -> float:
    """Compute how well a metric's system scores agree with the human ones.

    Parameters
    ----------
    human, metric : Series or dict of system to score
        Both higher is better, for the same systems in any order.
    statistic : {"accuracy", "pearson", "spearman", "kendall"}, default="accuracy"
        "accuracy" is the proportion of pairs of systems that both order alike. Pairs that the
        human scores tie are left out; a pair that only the metric ties is wrong. "kendall" is
        tau-b. "spa" needs segment scores: see :func:`soft_pairwise_accuracy`.

    Returns
    -------
    float
        Higher is better. Accuracy in [0, 1], correlations in [-1, 1]; NaN, with a warning, if
        it is undefined (one system, constant scores).

    Raises
    ------
    CandidateError
        For different systems, a system that is named twice, scores that are not finite.

    References
    ----------
    Kocmi et al. 2021, "To Ship or Not to Ship", section 3 (accuracy).

    Examples
    --------
    >>> from sklearn_mteval.metrics import system_agreement
    >>> system_agreement({"a": 3, "b": 2, "c": 1}, {"c": 5, "a": 7, "b": 2})
    0.6666666666666666
    """
    check_one_of("statistic", statistic, SYSTEM_STATISTICS)
    SYSTEM_STATISTICS[statistic].check_no_segments("scores of systems")
    human, metric = (
        _checked_scores(name, scores) for name, scores in (("human", human), ("metric", metric))
    )
    check_same("systems", human.index, metric.index)
    human, metric = human.to_numpy(), metric.loc[human.index].to_numpy()
    order = np.lexsort((metric, human))  # the last bits of sums must not depend on names
    value = float(SYSTEM_STATISTICS[statistic].of_scores(human[order], metric[order]))
    if np.isnan(value):
        what = f"The agreement of systems ({statistic})"
        warn_undefined(what, "fewer than two systems, or constant scores")
    return value


def system_agreement_interval(
    human: ArrayLike | WinCounts, metric: ArrayLike, *, documents: ArrayLike | None = None,
    statistic: str = "accuracy", confidence: float = 0.95, n_resamples: int = 1000,
    random_state: Seed = 0
) -> tuple[float, float]:  # fmt: skip
    """Percentile bootstrap interval of system-level agreement, resampling whole documents.

    The human and the metric's scores of a document are resampled together, and system scores are
    computed anew.

    Parameters
    ----------
    human : DataFrame or ndarray of shape (n_segments, n_systems), or WinCounts
        Human scores of translations, higher is better, NaN is missing (``score_table``); or,
        of rankings, what :func:`win_counts` returns, for expected wins.
    metric : DataFrame or ndarray of shape (n_segments, n_systems)
        The metric's, likewise. With WinCounts a DataFrame, with a row for each segment that
        was judged; others are left out.
    documents : array-like of length n_segments, or Series indexed by segment, optional
        The document of each row of ``metric``: segments of a document vary together; an empty label
        is a document of its own. None takes segments for independent.
    statistic : {"accuracy", "pearson", "spearman", "kendall", "spa"}, default="accuracy"
        See :func:`system_agreement`; "spa" is :func:`soft_pairwise_accuracy`, by the normal
        approximation of the permutation distribution; not of WinCounts.
    confidence, n_resamples, random_state : see :func:`agreement_interval`
        The same. The order and names of segments and systems change nothing.

    Returns
    -------
    tuple of float
        Bounds, the lower one first; NaN, with a warning, if undefined or of fewer than ten
        documents: no interval that we tried held the truth of so few as often as it says.

    Raises
    ------
    CandidateError
        For different segments or systems, infinite scores, empty tables.

    Notes
    -----
    Noise lowers agreement, in the sample and once more in resamples, so that plain percentiles lie
    too low. Pearson's correlation is therefore computed of resamples less their noise, the others
    of true system scores drawn by empirical Bayes (Laird and Louis 1987), normal about those seen.
    Intervals are about the agreement on all documents, and may lie above the value.

    Examples
    --------
    >>> from sklearn_mteval.metrics import system_agreement_interval
    >>> human = [[1, 2, 3], [2, 3, 4], [1, 1, 3]] * 10
    >>> metric = [[2, 1, 4], [1, 4, 5], [0, 3, 4]] * 10
    >>> system_agreement_interval(human, metric)
    (1.0, 1.0)
    """
    check_one_of("statistic", statistic, SYSTEM_STATISTICS)
    chosen = SYSTEM_STATISTICS[statistic]
    bootstrap = Bootstrap(confidence, n_resamples, random_state)
    if isinstance(human, WinCounts):
        chosen.check_no_segments("win counts")
        counts, metric, units = _aligned_with_counts(human, metric, documents)
        sides, of_means = [human_scores_of_weights(counts)], chosen.of_scores
    else:
        given = human, metric
        human, metric, _, rows = aligned_tables(human, metric)
        units = units_of_segments(documents, given[1])
        if isinstance(given[1], pd.DataFrame):
            units = units[given[1].index.get_indexer(given[0].index)]
        rows, units = in_clusters(np.arange(len(rows)), [human, metric], units[rows])
        human, metric = human[rows], metric[rows]
        sides, of_means = [means_of_weights(human)], chosen.of_means(human, metric)
    sides.append(means_of_weights(metric))
    low, high = intervals_of_systems([chosen], [of_means], sides, units, bootstrap)[0].tolist()
    if np.isnan(low):
        warn_undefined(
            f"The interval of systems' agreement ({statistic})",
            f"fewer than {FEW_CLUSTERS} documents or segments, one system, or constant scores",
        )
    return low, high


def _checked_scores(name, scores):
    """Return system scores as a Series of finite numbers with distinct labels."""
    with expected(f"{name} must be numbers, higher is better"):
        if isinstance(scores, dict):
            scores = pd.Series(list(scores.values()), index=label_index(list(scores)))
        scores = pd.Series(scores)
        scores = pd.Series(as_numbers(scores), index=scores.index)
    twice = scores.index[scores.index.duplicated()]
    if len(twice):
        raise CandidateError(f"{name} has several scores for system {twice[0]!r}.")
    bad = scores.index[~np.isfinite(scores.to_numpy())]
    if len(bad):
        raise CandidateError(f"{name} has no finite score for system {bad[0]!r}.")
    return scores


def _aligned_with_counts(counts, metric, documents):
    """Bring win counts, a metric's table and units to the same order, one of their content."""
    metric = checked_table("metric", metric)
    units = units_of_segments(documents, metric)
    only = [*counts.segments.difference(metric.index), *counts.systems.difference(metric.columns)]
    only += [*metric.columns.difference(counts.systems)]
    if only:
        raise CandidateError(
            "metric must have the judged segments and systems; only one side has "
            f"{', '.join(map(str, only[:5]))}{' …' * (len(only) > 5)}."
        )
    table = metric.loc[counts.segments, counts.systems].to_numpy()
    # Segments whose sums and scores are equal keep the order that their whole tables give them.
    counts = in_content_order(counts, table_order(table, *counts.by_segment())[1])
    table = metric.loc[counts.segments, counts.systems].to_numpy()
    units = units[metric.index.get_indexer(counts.segments)]
    rows, columns = table_order(table, *counts.by_segment())
    rows, units = in_clusters(rows, [table, *counts.by_segment()], units)
    return counts.in_order(rows, columns), table[rows][:, columns], units
