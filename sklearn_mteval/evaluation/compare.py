"""Which differences between metrics are more than chance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sklearn_mteval._helpers.options import check_number, check_one_of
from sklearn_mteval._helpers.shown import ShownTables
from sklearn_mteval.evaluation.evaluate import Evaluation, Options, evaluate_joined
from sklearn_mteval.evaluation.join import join_common
from sklearn_mteval.evaluation.option_values import TESTS
from sklearn_mteval.evaluation.segment import comparable_rows
from sklearn_mteval.evaluation.signature import signature_of
from sklearn_mteval.evaluation.system import human_systems
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.significance.comparison import MetricComparison
from sklearn_mteval.metrics.significance.multiple_comparisons import (
    corrected_p_values,
    significance_clusters,
)
from sklearn_mteval.metrics.significance.paired_bootstrap import paired_bootstrap
from sklearn_mteval.metrics.significance.permutation import permutation_test
from sklearn_mteval.metrics.significance.ranks import RANKS
from sklearn_mteval.metrics.significance.williams import williams_comparison
from sklearn_mteval.metrics.system.permutation import system_permutation_test
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS


@dataclass(frozen=True, repr=False)
class Comparison(ShownTables):
    """How well metrics agree with annotators, and which differences are more than chance.

    Attributes
    ----------
    evaluation : Evaluation
        Of the rows that every metric has scored.
    p_values : DataFrame of shape (n_metrics, n_metrics)
        Two-sided, corrected by Holm's method for the number of pairs of metrics: is the metric of
        the row better than that of the column? NaN where it is not, or where there is no test.
        Sorted as the evaluation.
    clusters : Series of length n_metrics
        Number of each metric's cluster, from 1. 0: the statistic is undefined.
    comparison : MetricComparison
        The uncorrected test.
    test : str
        "permutation", "bootstrap" or "williams".
    ranks : str
        Where a new cluster begins: "metrics-task" or "clusters".
    alpha : float
        Level of significance.
    signature : str
        On one line, how the numbers were made.
    """

    evaluation: Evaluation
    p_values: pd.DataFrame
    clusters: pd.Series
    comparison: MetricComparison
    test: str
    ranks: str
    alpha: float
    signature: str


def compare_metrics(
    y: pd.Series, scores: pd.DataFrame | Mapping, *, documents: pd.Series | None = None,
    test: str = "permutation", alpha: float = 0.05, ranks: str = "metrics-task",
    n_jobs: int | None = None, **options: Any
) -> Comparison:  # fmt: skip
    """Evaluate metrics and test which of them agree better with annotators than others.

    Rows that some metric has not scored are left out for all (``missing="skip"``): a paired
    test needs common rows, and so do values that are compared.

    Parameters
    ----------
    y, scores, documents : see :func:`evaluate_metrics`
        The data; two metrics or more. Scores of all translations of a document are exchanged
        together, and without documents those of a segment.
    test : {"permutation", "bootstrap", "williams"}, default="permutation"
        The paired permutation test of
        :func:`~sklearn_mteval.metrics.permutation_test`, the paired bootstrap, or
        Williams' test, for ``statistic="pearson", grouping="none"`` only. What is tested
        is the statistic of segment level; with ``level="system"``, by permutation only, the
        first of ``system_statistics``.
    alpha, ranks : see :func:`metrics_task`
        The level of significance, and where a new cluster begins.
    n_jobs : int or None, default=None
        Threads of the permutation test; the result does not depend on it.
    **options : see :func:`evaluate_metrics`
        All others but ``rows``; ``n_permutations`` and ``n_resamples`` hold for the test, too.

    Returns
    -------
    Comparison
        ``evaluation``, ``p_values``, ``clusters``, ``signature``.

    Raises
    ------
    CandidateError
        As :func:`evaluate_metrics`; for fewer than two metrics, or no row that all have scored.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.evaluation import compare_metrics
    >>> rows = pd.MultiIndex.from_product([range(1, 41), list("ABC")], names=["segment", "system"])
    >>> penalty = pd.Series([0, 1, 5] * 40, index=rows)
    >>> scores = pd.DataFrame({"good": [9, 7, 4] * 40, "bad": [1, 2, 0] * 40}, index=rows)
    >>> found = compare_metrics(penalty, scores, level="segment")
    >>> found.clusters.to_dict()
    {'good': 1, 'bad': 2}
    """
    given = Options(**options)
    check_one_of("test", test, TESTS)
    check_number("alpha", alpha, above=0, maximum=0.5)
    check_one_of("ranks", ranks, RANKS)
    _check_test(test, given)
    if given.rows != "common":
        raise ValueError(f"A comparison is one of common rows, found rows={given.rows!r}.")
    shared = given.of("lower_is_better", "missing")
    joined = join_common(y, scores, documents=documents, **shared)
    if joined.rows.shape[1] < 2:
        raise CandidateError("A comparison needs two metrics or more, found one.")
    evaluation = evaluate_joined(joined, given)
    drawn = {**given.of("n_permutations", "random_state"), "alpha": alpha, "n_jobs": n_jobs}
    comparison = _tested(joined, given, test, evaluation.table.get("epsilon"), drawn)
    order = evaluation.table.index
    p_values = pd.DataFrame(
        corrected_p_values(comparison), index=comparison.names, columns=comparison.names
    ).loc[order, order]
    clusters = clusters_by_name(comparison, alpha=alpha, ranks=ranks)[order].rename("cluster")
    n_permutations = comparison.n_permutations if test == "permutation" else None
    more = {"test": test, "alternative": "two-sided", "permutations": n_permutations}
    more |= {"correction": "holm", "ranks": ranks}
    signature = signature_of(joined, given, evaluation.counts, **more, alpha=f"{alpha:g}")
    return Comparison(evaluation, p_values, clusters, comparison, test, ranks, alpha, signature)


def clusters_by_name(comparison, **options):
    """Number the cluster of each metric, from 1; 0 where its value is undefined."""
    numbers = pd.Series(0, index=pd.Index(comparison.names, name="metric"))
    for number, names in enumerate(significance_clusters(comparison, **options), 1):
        numbers[names] = number
    return numbers


def _check_test(test, options):
    """Raise unless the test can be made of the statistic."""
    if options.level == "system":
        name = options.system_statistics[0]
        if test != "permutation" or SYSTEM_STATISTICS[name].needs_segments:
            tested = [n for n, s in SYSTEM_STATISTICS.items() if not s.needs_segments]
            raise ValueError(
                f"With level='system', test='permutation' compares the first of system_statistics, "
                f"one of {tested}; found {test!r} of {name!r}."
            )
    elif test == "williams" and (options.statistic, options.grouping) != ("pearson", "none"):
        raise ValueError(
            "Williams' test is one of Pearson's correlation over all rows: use "
            "statistic='pearson' and grouping='none', or another test."
        )


def _tested(joined, options, test, epsilons, permuted):
    """Run the test; ``permuted``: how, by permutations."""
    rows, index = joined.rows, joined.y.index
    # In one order, so that the matrix depends on the metrics and not on their places.
    rows = rows[sorted(rows.columns)]
    if options.level == "system":
        human, statistic = human_systems(joined.y).scores(), options.system_statistics[0]
        tables = {name: joined.tables[name] for name in rows.columns}
        documents = joined.documents
        return system_permutation_test(
            human, tables, documents=documents, statistic=statistic, **permuted
        )
    if test == "williams":
        return williams_comparison(joined.y, rows)
    given = {
        "groups": comparable_rows(index, options.grouping),
        "documents": joined.units(),
        **options.of("statistic", "average", "threshold"),
    }
    if options.statistic == "acc_eq":
        given["epsilon"] = epsilons[rows.columns].to_dict()
    if test == "bootstrap":
        drawn = options.of("n_resamples", "confidence", "random_state")
        return paired_bootstrap(joined.y, rows, **given, **drawn)
    return permutation_test(joined.y, rows, **given, **permuted)
