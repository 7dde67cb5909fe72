"""Confidence intervals of system-level agreement, by bootstrap over segments."""

import numpy as np

from sklearn_mteval._helpers.options import check_integer, check_share
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.judgements import check_one_of, warn_undefined
from sklearn_mteval.metrics.significance.intervals import bootstrap_statistics, percentile_interval
from sklearn_mteval.metrics.system.agreement import SYSTEM_STATISTICS, system_figure_of_weights
from sklearn_mteval.metrics.system.human_scores import WinCounts, human_scores_of_weights
from sklearn_mteval.metrics.system.score_tables import aligned_tables, checked_table
from sklearn_mteval.metrics.system.soft_accuracy import soft_accuracy_of_weights
from sklearn_mteval.metrics.system.table_order import table_order

__all__ = ["system_agreement_interval"]


def system_agreement_interval(
    human, metric, *, statistic="accuracy", confidence=0.95, n_resamples=2000, random_state=0
):
    """Percentile bootstrap interval of system-level agreement, resampling whole segments.

    The human and the metric's scores of a segment are drawn together, and system scores are
    computed anew.

    Parameters
    ----------
    human : DataFrame or ndarray of shape (n_segments, n_systems), or WinCounts
        Human scores of translations, higher is better, NaN is missing (see
        :func:`score_table`); or, of rankings, what :func:`win_counts` returns, for expected
        wins.
    metric : DataFrame or ndarray of shape (n_segments, n_systems)
        The metric's, likewise. Beside WinCounts a DataFrame, with a row for each segment that
        was judged; others are left out.
    statistic : {"accuracy", "pearson", "spearman", "kendall", "spa"}, default="accuracy"
        See :func:`system_agreement`; "spa" is :func:`soft_pairwise_accuracy`, by the normal
        approximation of the permutation distribution within samples.
    confidence : float, default=0.95
        Coverage, between 0 and 1.
    n_resamples : int, default=2000
        Bootstrap samples. Those that leave the figure undefined are left out.
    random_state : int, RandomState or None, default=0
        Seed of the draws. The order and names of segments and systems change nothing.

    Returns
    -------
    low : float
        Lower bound; NaN, with a warning, if the figure is undefined or there is one segment only.
    high : float
        Upper bound, likewise.

    Raises
    ------
    CandidateError
        For different segments or systems, infinite scores, empty tables.
    ValueError
        For "spa" beside WinCounts: it needs a score of each translation.

    Examples
    --------
    >>> from sklearn_mteval.metrics import system_agreement_interval
    >>> human = [[1, 2, 3], [2, 3, 4], [1, 1, 3]] * 10
    >>> metric = [[2, 1, 4], [1, 4, 5], [0, 3, 4]] * 10
    >>> system_agreement_interval(human, metric)
    (1.0, 1.0)
    """
    check_one_of("statistic", statistic, (*SYSTEM_STATISTICS, "spa"))
    check_integer("n_resamples", n_resamples, minimum=1)
    check_share("confidence", confidence)
    if isinstance(human, WinCounts):
        if statistic == "spa":
            raise ValueError("Soft pairwise accuracy needs human scores, found win counts.")
        counts, metric = _beside_counts(human, metric)
        human = human_scores_of_weights(counts)
    else:
        human, metric, _ = aligned_tables(human, metric)
    if statistic == "spa":
        figure = soft_accuracy_of_weights(human, metric)
    else:
        figure = system_figure_of_weights(statistic, human, metric)
    values = bootstrap_statistics(
        [figure], len(metric), n_resamples=n_resamples, random_state=random_state
    )
    low, high = percentile_interval(values, confidence)[0]
    if np.isnan(low):
        warn_undefined(
            f"The interval of systems' agreement ({statistic})",
            "fewer than two segments or systems, or constant scores",
        )
    return float(low), float(high)


def _beside_counts(counts, metric):
    """Bring win counts and a metric's table to the same order, one of their content."""
    metric = checked_table("metric", metric)
    only = [*counts.segments.difference(metric.index), *counts.systems.difference(metric.columns)]
    only += [*metric.columns.difference(counts.systems)]
    if only:
        raise CandidateError(
            "metric must have the judged segments and systems; only one side has "
            f"{', '.join(map(str, only[:5]))}{' …' * (len(only) > 5)}."
        )
    wins, ties, segments, systems = counts
    metric = metric.loc[segments, systems].to_numpy()
    content = (wins.sum(axis=2), wins.sum(axis=1), ties.sum(axis=2))
    rows, columns = table_order(metric, *content)
    wins, ties = (values[rows][:, columns][:, :, columns] for values in (wins, ties))
    return WinCounts(wins, ties, segments[rows], systems[columns]), metric[rows][:, columns]
