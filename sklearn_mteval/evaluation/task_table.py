"""Metrics on several campaigns and levels, as the WMT metrics tasks of 2022 to 2025 rank them."""

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval._helpers.options import check_draws, check_integer, check_number, check_one_of
from sklearn_mteval._helpers.order import table_order
from sklearn_mteval._helpers.shown import ShownTables
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.datasets import Judgements
from sklearn_mteval.evaluation.collected_scores import collect_scores
from sklearn_mteval.evaluation.compare import clusters_by_name
from sklearn_mteval.evaluation.join import check_name, join_common
from sklearn_mteval.evaluation.option_values import EXCHANGED, TASK_AVERAGES
from sklearn_mteval.evaluation.signature import hash_of, names, signature_line
from sklearn_mteval.evaluation.system import human_systems
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.segment.ties import calibrate_ties
from sklearn_mteval.metrics.significance.comparison import (
    MetricComparison,
    compared_rows,
    comparison_of,
)
from sklearn_mteval.metrics.significance.multiple_comparisons import corrected_p_values
from sklearn_mteval.metrics.significance.permutation import (
    differences_of_pairs,
    exchange_of_rows,
    permutation_p_values,
)
from sklearn_mteval.metrics.significance.ranks import RANKS
from sklearn_mteval.metrics.system.paired import in_clusters
from sklearn_mteval.metrics.system.permutation import exchange_of_soft_accuracy, exchange_of_systems
from sklearn_mteval.metrics.system.soft_accuracy import soft_pairwise_accuracy
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS
from sklearn_mteval.metrics.system.tables import units_of_segments


@dataclass(frozen=True, repr=False)
class MetricsTask(ShownTables):
    """How metrics rank over several campaigns and levels.

    Attributes
    ----------
    table : DataFrame of shape (n_metrics, 3 + 2 * n_tasks)
        Indexed by metric, best first. ``cluster``: number of the metric's cluster by the
        average, from 1; ``average``: mean of the statistics over all tasks; ``average_rank``: mean
        of the numbers of its clusters in them. Then for each task its statistic, higher is better,
        and the metric's cluster in it: ``CAMPAIGN_STATISTIC`` and ``CAMPAIGN_STATISTIC_cluster``.
        0 and NaN: undefined.
    tasks : tuple of (str, str)
        Campaign and statistic of each; those of systems begin with ``system_``.
    p_values : DataFrame of shape (n_metrics, n_metrics)
        Is the average of the row's metric higher than that of the column's? NaN where it is not.
        Sorted as the table.
    comparison : MetricComparison
        The test of the averages, uncorrected.
    left_out : tuple of str
        Metrics that not all campaigns have.
    sort_by : str
        What metrics are sorted by: "values" or "ranks".
    ranks, alpha, signature : see :class:`Comparison`
        The same.
    """

    table: pd.DataFrame
    tasks: tuple
    p_values: pd.DataFrame
    comparison: MetricComparison
    left_out: tuple
    sort_by: str
    ranks: str
    alpha: float
    signature: str


def metrics_task(
    campaigns: Mapping[str, Any], *, system_statistic: str | None = "spa",
    segment_statistic: str | None = "acc_eq", sort_by: str = "values",
    ranks: str = "metrics-task", exchanged: str = "documents", correction: str | None = None,
    alpha: float = 0.05, missing: str = "error", lower_is_better: Iterable[str] = (),
    n_permutations: int = 1000, random_state: Seed = 0, n_jobs: int | None = None
) -> MetricsTask:  # fmt: skip
    """Rank metrics over several campaigns, on the levels of systems and of segments.

    Each campaign, a language pair say, and each level is a task. Metrics are ranked by the mean
    over all tasks; which of them cannot be told apart is said by a permutation test of that
    mean, in which a document's scores are exchanged in all tasks or in none. As in the campaigns,
    it is one-sided, in the observed direction: of equal metrics twice as many differ as alpha says.

    Parameters
    ----------
    campaigns : mapping of str to Judgements or (y, scores)
        What :func:`~sklearn_mteval.datasets.load_judgements` returns, or judgements and scores as
        :func:`evaluate_metrics` takes them, or also documents. Metrics are those that all
        campaigns have.
    system_statistic : str or None, default="spa"
        "spa", soft pairwise accuracy (WMT24 and 25), which the test approximates by normal
        p-values, "accuracy", "pearson", "spearman" or "kendall"; None: no task of systems.
    segment_statistic : str or None, default="acc_eq"
        Any that :func:`evaluate_metrics` takes; "acc_eq" is calibrated for each metric and
        campaign (WMT23 to 25); "pdp" is pairwise difference Pearson. None: no task of segments.
    sort_by : {"values", "ranks"}, default="values"
        Whether metrics are sorted by the mean of the statistics (WMT23 to 25), or of the metric's
        clusters in the tasks (WMT22).
    ranks : {"metrics-task", "clusters"}, default="metrics-task"
        Where a new cluster begins: at the first metric that any metric of the cluster is
        significantly better than, as in the metrics tasks, or where all above are significantly
        better than all below; see :func:`~sklearn_mteval.metrics.significance_clusters`.
    exchanged : {"documents", "translations"}, default="documents"
        What permutations exchange as a whole: all translations of a document, or of a segment
        where documents are not known; or each translation by itself, as mt-metrics-eval does
        (PERM-BOTH), which finds more differences than there are.
    correction : {"holm", None}, default=None
        For the number of pairs of metrics; the campaigns use none. With Holm's, there are at least
        4 n_pairs / alpha permutations, so that the correction can answer.
    alpha : float, default=0.05
        Level of significance, above 0, at most 0.5.
    missing, lower_is_better : see :func:`evaluate_metrics`
        The same. Rows that some metric of a campaign has not scored are left out for all.
    n_permutations, random_state, n_jobs : see :func:`~sklearn_mteval.metrics.permutation_test`
        The same.

    Returns
    -------
    MetricsTask
        ``table``, ``p_values``, ``signature``.

    Raises
    ------
    CandidateError
        As :func:`evaluate_metrics`; for fewer than two metrics that all campaigns have.

    References
    ----------
    Freitag et al. 2023, "Results of WMT23 Metrics Shared Task", section 5; Freitag et al. 2024,
    "Are LLMs Breaking MT Metrics? Results of the WMT24 Metrics Shared Task"; Deutsch, Dror and
    Roth 2021.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.evaluation import metrics_task
    >>> rows = pd.MultiIndex.from_product([range(1, 41), list("ABC")], names=["segment", "system"])
    >>> penalty = pd.Series([0, 1, 5] * 40, index=rows)
    >>> scores = pd.DataFrame({"good": [9, 7, 4] * 40, "bad": [1, 2, 0] * 40}, index=rows)
    >>> found = metrics_task({"de-en": (penalty, scores), "en-de": (penalty, scores)})
    >>> found.tasks[:2], found.table["cluster"].to_dict()
    ((('de-en', 'system_spa'), ('de-en', 'acc_eq')), {'good': 1, 'bad': 2})
    """
    check_one_of("system_statistic", system_statistic, (*SYSTEM_STATISTICS, None))
    check_one_of("segment_statistic", segment_statistic, (*STATISTICS, None))
    check_one_of("sort_by", sort_by, TASK_AVERAGES)
    check_one_of("ranks", ranks, RANKS)
    check_one_of("exchanged", exchanged, EXCHANGED)
    check_one_of("correction", correction, ("holm", None))
    check_number("alpha", alpha, above=0, maximum=0.5)
    check_draws("n_permutations", n_permutations)
    check_integer("random_state", random_state, minimum=0)
    if system_statistic is None and segment_statistic is None:
        raise ValueError("system_statistic and segment_statistic are None: there is no task.")
    given, metrics, left_out = _common_metrics(campaigns)
    seeds = {"n_permutations": n_permutations, "random_state": random_state}
    tasks, hashes, tokenizers, clustered, n_all = {}, [], {}, [], 0
    for name, (y, scores, documents) in given.items():
        chosen = {metric: scores[metric] for metric in metrics}
        if exchanged == "translations":
            documents = None
        joined = join_common(
            y, chosen, documents=documents, lower_is_better=lower_is_better, missing=missing
        )
        hashes.append(hash_of(joined))
        tokenizers[name] = joined.tokenizers
        clustered.append("segments" if documents is None else exchanged)
        found, n_units = _tasks(joined, system_statistic, segment_statistic, seeds, exchanged)
        for statistic, task in found.items():
            tasks[name, statistic] = task._replace(units=n_all + task.units)
        n_all += n_units
    if correction:
        n_pairs = len(metrics) * (len(metrics) - 1) / 2
        n_permutations = max(n_permutations, math.ceil(4 * n_pairs / alpha))
    drawn = {"n_permutations": n_permutations, "random_state": random_state, "n_jobs": n_jobs}
    comparisons = _compared(metrics, tasks, n_all, **drawn)
    clusters = {
        task: clusters_by_name(comparison, alpha=alpha, correction=correction, ranks=ranks)
        for task, comparison in comparisons.items()
    }
    overall = comparisons.pop(_AVERAGE)
    table = _table(comparisons, overall, clusters, sort_by)
    p_values = corrected_p_values(overall) if correction else overall.p_values
    p_values = np.where(overall.differences >= 0, p_values, np.nan)
    p_values = pd.DataFrame(p_values, metrics, metrics).loc[table.index, table.index]
    parts = {
        "tasks": "+".join(map("_".join, tasks)), "sort_by": sort_by, "ranks": ranks,
        "test": "permutation", "alternative": "greater",
        "exchanged": exchanged if exchanged == "translations" else "+".join(clustered),
        "permutations": overall.n_permutations, "correction": correction,
        "alpha": f"{alpha:g}", "negated": names(lower_is_better), "missing": missing,
        "tok": "+".join(f"{name}={tok}" for name, tok in tokenizers.items() if tok) or None,
    }  # fmt: skip
    signature = signature_line(parts, random_state, "+".join(hashes))
    said = sort_by, ranks, alpha, signature
    return MetricsTask(table, tuple(tasks), p_values, overall, left_out, *said)


_AVERAGE = ("average",)  # unlike the name of any task


class _Task(NamedTuple):
    """One statistic of one campaign: values, the same or NaN, and how exchanges change it."""

    values: np.ndarray
    tested: np.ndarray
    difference: Callable
    units: np.ndarray  # which of all units are those that it exchanges


def _common_metrics(campaigns):
    """Return {name: (y, {metric: scores}, documents)}, the metrics that all have, and others."""
    if not isinstance(campaigns, Mapping) or not campaigns:
        raise CandidateError(
            "campaigns must map names to Judgements or (y, scores), at least one, found "
            f"{type(campaigns).__name__}."
        )
    given = {name: _checked(name, campaign) for name, campaign in campaigns.items()}
    all_metrics = [list(scores) for _, scores, _ in given.values()]
    common = set(all_metrics[0]).intersection(*all_metrics)
    left_out = sorted(set().union(*all_metrics) - common, key=str)
    if len(common) < 2:
        raise CandidateError(
            f"A task needs two metrics or more that all campaigns have, found {sorted(common)}; "
            f"others: {left_out}."
        )
    return given, sorted(common), tuple(left_out)


def _checked(name, campaign):
    """Return judgements, {metric: scores} and documents of a campaign."""
    check_name("campaign", name)
    if isinstance(campaign, Judgements):
        campaign = campaign.y, collect_scores(campaign), campaign.documents
    if not isinstance(campaign, tuple | list) or len(campaign) not in (2, 3):
        raise CandidateError(
            f"campaigns[{name!r}] must be Judgements or (y, scores), found "
            f"{type(campaign).__name__}."
        )
    y, scores, *more = campaign
    if not isinstance(scores, pd.DataFrame | Mapping):
        raise CandidateError(
            f"The scores of {name!r} must be a DataFrame or a mapping, found "
            f"{type(scores).__name__}."
        )
    return y, dict(scores.items()), more[0] if more else None


def _tasks(joined, system_statistic, segment_statistic, seeds, exchanged):
    """Make the tasks of one campaign, and say how many units there are to exchange."""
    human = human_systems(joined.y)
    tables = [joined.tables[metric] for metric in joined.rows.columns]
    judged = human.table.reindex(index=tables[0].index, columns=tables[0].columns)
    arrays = [table.to_numpy() for table in (judged, *tables)]
    segments, systems = table_order(*arrays)
    # Of each cell of the table, a translation, the number of what is exchanged with it.
    segments, units = in_clusters(segments, arrays, units_of_segments(joined.documents, judged))
    judged = judged.iloc[segments, systems]
    tables = np.stack([table.iloc[segments, systems].to_numpy() for table in tables])
    units = np.broadcast_to(units[:, np.newaxis], judged.shape)
    if exchanged == "translations":
        units = np.arange(judged.size).reshape(judged.shape)
    found = {}
    if system_statistic is not None:
        numbers = np.arange(units.max() + 1)
        if SYSTEM_STATISTICS[system_statistic].needs_segments:
            numbers = units.ravel()
            task = exchange_of_soft_accuracy(judged.to_numpy(), tables)
            with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
                values = [soft_pairwise_accuracy(judged.to_numpy(), x, **seeds) for x in tables]
            task = (np.array(values), np.where(np.isnan(task[1]), np.nan, values), task[2])
        else:
            scores = human.scores()[judged.columns].to_numpy()
            task = exchange_of_systems(system_statistic, scores, tables, units)
        found[f"system_{system_statistic}"] = _Task(*task, numbers)
    if segment_statistic is not None:
        found[segment_statistic] = _segment_task(joined, segment_statistic, judged, units)
    return found, units.max() + 1


def _segment_task(joined, statistic, judged, units):
    """Make the task of segments, given the units of cells of the table ``judged``."""
    y, groups = joined.y, joined.y.index.droplevel("system")
    cells = [
        axis.get_indexer(y.index.get_level_values(level))
        for axis, level in ((judged.index, "segment"), (judged.columns, "system"))
    ]
    units = units[tuple(cells)]
    rows = compared_rows(y, joined.rows, groups, units, "error")
    given = {"average": STATISTICS[statistic].average}
    if statistic == "acc_eq":
        with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
            epsilons = [
                calibrate_ties(y, joined.rows[metric], groups=groups, **given).epsilon
                for metric in joined.rows.columns
            ]
        given["epsilon"] = np.nan_to_num(epsilons)
    task = exchange_of_rows(statistic, rows, **given)
    return _Task(*task, units[rows.places[np.unique(rows.units, return_index=True)[1]]])


def _table(comparisons, overall, clusters, sort_by):
    """Make the table of metrics: averages, then the statistic and cluster of each task."""
    columns = {"cluster": clusters.pop(_AVERAGE), "average": overall.values, "average_rank": np.nan}
    for task, comparison in comparisons.items():
        column = "_".join(task)
        columns |= {column: comparison.values, f"{column}_cluster": clusters[task]}
    table = pd.DataFrame(columns)
    numbers = np.array(list(clusters.values()), dtype=float)
    table["average_rank"] = np.where((numbers > 0).all(axis=0), numbers.mean(axis=0), np.nan)
    key, ascending = ("average", False) if sort_by == "values" else ("average_rank", True)
    return table.sort_values(key, ascending=ascending, kind="stable")


def _compared(metrics, tasks, n_units, **options):
    """Test the metrics in each task and their average over tasks; options of the permutations."""
    found = np.array([(task.values, task.tested) for task in tasks.values()])
    values, tested = np.vstack([found, found.mean(axis=0)[np.newaxis]]).swapaxes(0, 1)
    n_pairs = len(metrics) * (len(metrics) - 1) // 2
    pairs = np.arange(n_pairs)

    def difference(signs, some):
        found = [
            np.full((n_pairs, signs.n_permutations), np.nan)
            if np.isnan(differences_of_pairs(task.tested)).all()
            else task.difference(signs.within(task.units), pairs)
            for task in tasks.values()
        ]
        return np.vstack([*found, np.mean(found, axis=0)])[some]

    observed = np.concatenate([differences_of_pairs(found) for found in tested])
    p_values, n_taken = permutation_p_values(
        difference, observed, n_units, one_sided=True, **options
    )
    p_values = (np.split(found, len(values)) for found in p_values)
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):  # NaN says it
        return {
            name: comparison_of(
                tuple(metrics), *found, n_permutations=n_taken, n_units=int(n_units)
            )
            for name, *found in zip([*tasks, _AVERAGE], values, *p_values, strict=True)
        }
