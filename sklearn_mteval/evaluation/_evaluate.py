"""Figures of agreement of several metrics, as one table."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import group_codes
from sklearn_mteval.evaluation._joined import join
from sklearn_mteval.evaluation._options import Options
from sklearn_mteval.evaluation._segment_level import comparable_rows, segment_figures
from sklearn_mteval.evaluation._signature import signature_of
from sklearn_mteval.evaluation._system_level import (
    human_system_scores,
    human_systems,
    system_figures,
)
from sklearn_mteval.metrics.core.judgements import warn_undefined

__all__ = ["Evaluation", "evaluate_joined", "evaluate_metrics"]


@dataclass(frozen=True)
class Evaluation:
    """How well metrics agree with people.

    Attributes
    ----------
    table : DataFrame of shape (n_metrics, n_columns)
        Indexed by metric, best first. A figure has three columns: its name is the value,
        ``NAME_low`` and ``NAME_high`` bound its interval; NaN is undefined. Figures of system
        level start with ``system_``. Further columns: ``metric_ties`` (share of the pairs
        that people decide and the metric ties), ``epsilon`` (the threshold of acc_eq), ``rows``
        (judged rows that the metric scored), ``translations`` (how many system scores are made
        of).
    figures : tuple of str
        Names of the figures, in the order of the columns.
    main_figure : str
        What metrics are sorted by.
    counts : dict of str to int
        ``rows`` judged, comparable ``pairs`` of them, ``segments`` and ``systems``.
    signature : str
        On one line, how the numbers were made.
    options : Options
        What was asked for.
    systems : DataFrame of shape (n_systems, 1 + n_metrics), or None
        Scores of systems, indexed by system, best first for people; higher is better. Columns:
        ``human``, then the metrics, sorted as the table. None without figures of system level.
    """

    table: pd.DataFrame
    figures: tuple
    main_figure: str
    counts: dict
    signature: str
    options: Options
    systems: pd.DataFrame | None = None


def evaluate_metrics(
    y,
    scores,
    *,
    statistic="wmt12",
    level="both",
    grouping="segment",
    average=None,
    threshold=25.0,
    ties="calibrate",
    system_statistics=("pearson", "spearman", "kendall", "accuracy", "spa"),
    lower_is_better=(),
    missing="error",
    confidence=0.95,
    n_resamples=1000,
    n_permutations=1000,
    random_state=0,
):
    """Measure how well metrics agree with human judgements, on segments and on systems.

    Each metric's numbers depend on its own scores only, not on what stands beside it; nothing
    depends on the order of rows.

    Parameters
    ----------
    y : Series of length n_rows
        Human judgement, lower is better: ranks indexed by (segment, ranking, system), or MQM
        penalties indexed by (segment, system).
    scores : DataFrame of shape (n_scores, n_metrics), or mapping of str to Series
        Scores of each metric, higher is better, indexed by (segment, system), one for each
        translation and maybe more than were judged; or indexed like y.
    statistic : str, default="wmt12"
        The figure of segment level: a variant of :func:`~sklearn_mteval.metrics.kendall_tau`,
        "acc_eq", "pearson" or "spearman". Metrics are sorted by it.
    level : {"both", "segment", "system"}, default="both"
        Which figures to compute.
    grouping : {"segment", "system", "none"}, default="segment"
        Which rows are comparable: those of one segment (and ranking task), of one system, or
        all. Ranks can be compared within their ranking task only.
    average : {"pairs", "groups"}, optional
        Pool the pairs of all groups, or take the mean over groups. None does as is customary:
        "pairs" for "wmt12", "wmt13", "wmt14" and "darr", "groups" for the others.
    threshold : float, default=25.0
        For "darr": human differences below it count as ties.
    ties : "calibrate" or float, default="calibrate"
        Scores that differ by at most this tie in acc_eq; "calibrate" finds the best threshold
        of each metric on these very data, as the WMT metrics tasks do: an optimistic figure.
    system_statistics : tuple of str, default=("pearson", "spearman", "kendall", "accuracy", "spa")
        Figures of system level; "spa" is soft pairwise accuracy.
    lower_is_better : iterable of str, default=()
        Metrics for which a lower score is better, such as TER: their sign is changed.
    missing : {"error", "skip"}, default="error"
        What a judged row without a score does: raise, or be left out for that metric.
    confidence : float, default=0.95
        Coverage of the intervals, between 0 and 1: percentiles of a bootstrap over segments,
        judgements and scores drawn together.
    n_resamples : int, default=1000
        Bootstrap samples.
    n_permutations : int, default=1000
        Of soft pairwise accuracy.
    random_state : int, default=0
        Seed.

    Returns
    -------
    Evaluation
        ``table``, ``figures``, ``counts``, ``signature``, ``systems``. Human system scores are
        expected wins if y holds rankings, and mean judgements with the sign changed otherwise.

    Raises
    ------
    CandidateError
        For labels that do not match or are there twice, a system without scores, scores that
        are no numbers, infinite, or missing.
    ValueError
        For options.

    Warns
    -----
    UndefinedMetricWarning
        If a figure is NaN, naming it.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.evaluation import evaluate_metrics
    >>> rows = pd.MultiIndex.from_product([range(1, 41), list("ABC")], names=["segment", "system"])
    >>> penalty = pd.Series([0, 1, 5] * 40, index=rows)
    >>> scores = pd.DataFrame({"good": [9, 7, 4] * 40, "bad": [1, 2, 0] * 40}, index=rows)
    >>> found = evaluate_metrics(penalty, scores)
    >>> found.table["wmt12"].round(3).to_dict()
    {'good': 1.0, 'bad': 0.333}
    """
    given = dict(locals())
    options = Options(
        **{
            name: tuple(value) if name in ("system_statistics", "lower_is_better") else value
            for name, value in given.items()
            if name not in ("y", "scores")
        }
    )
    joined = join(y, scores, lower_is_better=options.lower_is_better, missing=missing)
    return evaluate_joined(joined, options)


def evaluate_joined(joined, options):
    """Evaluate metrics on data that were brought together.

    Parameters
    ----------
    joined : Joined
        The data.
    options : Options
        See :func:`evaluate_metrics`.

    Returns
    -------
    Evaluation
        See :func:`evaluate_metrics`.
    """
    y = joined.y
    groups = comparable_rows(y.index, options.grouping)
    human = human_systems(y) if options.level != "segment" else None
    scores = {} if human is None else {"human": human_system_scores(human)}
    lines, names = {}, ()
    for metric in joined.rows.columns:
        figures, line = {}, {}
        if options.level != "system":
            figures, line = segment_figures(y, joined.rows[metric], options)
        if human is not None:
            of_systems, counts, scores[metric] = system_figures(
                human, joined.tables[metric], options
            )
            figures |= of_systems
            line |= counts
        names = tuple(figures)
        for name, (value, low, high) in figures.items():
            line |= {name: value, f"{name}_low": low, f"{name}_high": high}
        lines[metric] = line
    columns = [column for name in names for column in (name, f"{name}_low", f"{name}_high")]
    table = pd.DataFrame.from_dict(lines, orient="index")
    table = table[[*columns, *(c for c in table.columns if c not in columns)]]
    table = table.rename_axis("metric").sort_index()
    table = table.sort_values(options.main_figure, ascending=False, kind="stable")
    undefined = [name for name in names if table[name].isna().any()]
    if undefined:
        metrics = ", ".join(table.index[table[undefined].isna().any(axis=1)])
        warn_undefined(
            f"{', '.join(undefined)} of {metrics}",
            "too few pairs or systems, or constant scores",
        )
    codes = np.zeros(len(y), dtype=np.int64) if groups is None else group_codes(groups, len(y))
    sizes = np.bincount(codes)
    counts = {
        "rows": len(y),
        "pairs": int((sizes * (sizes - 1) // 2).sum()),
        "segments": y.index.unique("segment").size,
        "systems": y.index.unique("system").size,
    }
    kind = None if human is None else human.kind
    signature = signature_of(joined, options, counts, kind)
    systems = None
    if human is not None:
        systems = pd.DataFrame(scores)[["human", *table.index]].rename_axis("system").sort_index()
        systems = systems.sort_values("human", ascending=False, kind="stable")
    return Evaluation(table, names, options.main_figure, counts, signature, options, systems)
