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
from sklearn_mteval.metrics.core.units import Bootstrap
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS
from sklearn_mteval.metrics.system.tables import aligned_tables, check_same, checked_table
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
    human: ArrayLike | WinCounts, metric: ArrayLike, *, statistic: str = "accuracy",
    confidence: float = 0.95, n_resamples: int = 1000, random_state: Seed = 0
) -> tuple[float, float]:  # fmt: skip
    """Percentile bootstrap interval of system-level agreement, resampling whole segments.

    The human and the metric's scores of a segment are resampled together, and system scores are
    computed anew.

    Parameters
    ----------
    human : DataFrame or ndarray of shape (n_segments, n_systems), or WinCounts
        Human scores of translations, higher is better, NaN is missing (``score_table``); or,
        of rankings, what :func:`win_counts` returns, for expected wins.
    metric : DataFrame or ndarray of shape (n_segments, n_systems)
        The metric's, likewise. With WinCounts a DataFrame, with a row for each segment that
        was judged; others are left out.
    statistic : {"accuracy", "pearson", "spearman", "kendall", "spa"}, default="accuracy"
        See :func:`system_agreement`; "spa" is :func:`soft_pairwise_accuracy`, by the normal
        approximation of the permutation distribution within resamples; not of WinCounts. Its
        interval may lie below the value: see Notes.
    confidence, n_resamples, random_state : see :func:`agreement_interval`
        The same. Resamples that leave the statistic undefined are left out; the order and names
        of segments and systems change nothing.

    Returns
    -------
    tuple of float
        Bounds, the lower one first; NaN, with a warning, if undefined or of one segment only.

    Raises
    ------
    CandidateError
        For different segments or systems, infinite scores, empty tables.

    Notes
    -----
    Differences of systems are noisier in resamples, so that soft pairwise accuracy is too low there
    on average, the more so the fewer the segments and the closer the systems. Compare metrics by
    the tests, which have no such bias, not by these bounds.

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
        counts, metric = _aligned_with_counts(human, metric)
        human = human_scores_of_weights(counts)
    else:
        human, metric, _ = aligned_tables(human, metric)
    statistics = [chosen.of_weights(human, metric)]
    ((low, high),) = bootstrap.intervals(statistics, len(metric)).tolist()
    if np.isnan(low):
        warn_undefined(
            f"The interval of systems' agreement ({statistic})",
            "fewer than two segments or systems, or constant scores",
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


def _aligned_with_counts(counts, metric):
    """Bring win counts and a metric's table to the same order, one of their content."""
    metric = checked_table("metric", metric)
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
    rows, columns = table_order(table, *counts.by_segment())
    return counts.in_order(rows, columns), table[rows][:, columns]
