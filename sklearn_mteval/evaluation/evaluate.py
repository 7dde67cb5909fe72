"""Statistics of agreement of several metrics, as one table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.options import check_draws, check_integer, check_number, check_one_of
from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval._helpers.shown import ShownTables
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import group_codes
from sklearn_mteval.evaluation.join import common_rows, join
from sklearn_mteval.evaluation.option_values import GROUPINGS, LEVELS, ROWS
from sklearn_mteval.evaluation.segment import comparable_rows, segment_statistics
from sklearn_mteval.evaluation.signature import signature_of
from sklearn_mteval.evaluation.system import human_systems, system_statistics
from sklearn_mteval.metrics.annotators.majority import AnnotatorCeiling
from sklearn_mteval.metrics.core.aligned import warn_undefined
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.statistics import AVERAGES, STATISTICS
from sklearn_mteval.metrics.core.units import Bootstrap
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS


@dataclass(frozen=True)
class Options:
    """What :func:`evaluate_metrics` takes besides the data, under the same names, checked."""

    statistic: str = "wmt12"
    level: str = "both"
    grouping: str = "segment"
    average: str | None = None
    threshold: float = 25.0
    epsilon: str | float = "calibrate"
    system_statistics: tuple = tuple(SYSTEM_STATISTICS)
    lower_is_better: tuple = ()
    missing: str = "error"
    rows: str = "common"
    confidence: float = 0.95
    n_resamples: int = 1000
    n_permutations: int = 1000
    random_state: int = 0
    ceiling: AnnotatorCeiling | None = None

    def __post_init__(self):
        check_one_of("statistic", self.statistic, STATISTICS)
        check_one_of("level", self.level, LEVELS)
        check_one_of("grouping", self.grouping, GROUPINGS)
        check_one_of("missing", self.missing, ("error", "skip"))
        check_one_of("rows", self.rows, ROWS)
        for name in ("system_statistics", "lower_is_better"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.average is None:
            object.__setattr__(self, "average", STATISTICS[self.statistic].average)
        check_one_of("average", self.average, AVERAGES)
        if self.epsilon != "calibrate":
            check_number("epsilon ('calibrate', or a threshold)", self.epsilon, above=-1e-300)
        if not self.system_statistics:
            raise ValueError("system_statistics must name one statistic or more.")
        for name in self.system_statistics:
            check_one_of("system_statistics", name, SYSTEM_STATISTICS)
        check_number("confidence", self.confidence, above=0, maximum=1 - 1e-9)
        check_draws("n_resamples", self.n_resamples)
        check_draws("n_permutations", self.n_permutations)
        check_integer("random_state", self.random_state, minimum=0)
        if not isinstance(self.ceiling, AnnotatorCeiling | None):
            raise TypeError(
                "ceiling must be what annotator_ceiling returns, or None, found "
                f"{type(self.ceiling).__name__}."
            )

    def of(self, *names):
        """Return some options as keyword arguments."""
        return {name: getattr(self, name) for name in names}

    @property
    def bootstrap(self):
        """How intervals are made."""
        return Bootstrap(**self.of("confidence", "n_resamples", "random_state"))

    @property
    def main_statistic(self):
        """The column of the table that metrics are sorted by."""
        if self.level == "system":
            return f"system_{self.system_statistics[0]}"
        return self.statistic


@dataclass(frozen=True, repr=False)
class Evaluation(ShownTables):
    """How well metrics agree with annotators.

    Attributes
    ----------
    table : DataFrame of shape (n_metrics, n_columns)
        Indexed by metric, best first. A statistic has three columns: its name is the value,
        ``NAME_low`` and ``NAME_high`` bound its interval; NaN is undefined. Those of system
        level start with ``system_``. Further columns: ``metric_ties`` (of the pairs that annotators
        decide, the proportion that the metric ties), ``epsilon`` (the threshold of acc_eq),
        ``of_ceiling`` (the statistic as a proportion of the ceiling given; NaN without one),
        ``rows`` (judged rows that the metric is evaluated on), ``translations`` (how many system
        scores are means of), ``left_out`` (how many more it has scored, but not all metrics).
    statistics : tuple of str
        Their names, in the order of the columns.
    main_statistic : str
        What metrics are sorted by.
    counts : dict of str to int
        ``rows`` judged, comparable ``pairs`` of them, ``segments``, ``systems`` and, where they are
        known, ``documents``.
    signature : str
        On one line, how the numbers were made.
    options : Options
        What was asked for.
    systems : DataFrame of shape (n_systems, 1 + n_metrics), or None
        Scores of systems, higher is better, indexed by system, by falling human score. Columns:
        ``human``, then the metrics, sorted as the table. None without statistics of system level.
    """

    table: pd.DataFrame
    statistics: tuple
    main_statistic: str
    counts: dict
    signature: str
    options: Options
    systems: pd.DataFrame | None = None


def evaluate_metrics(
    y: pd.Series, scores: pd.DataFrame | Mapping, *, documents: pd.Series | None = None,
    statistic: str = "wmt12", level: str = "both", grouping: str = "segment",
    average: str | None = None, threshold: float = 25.0, epsilon: str | float = "calibrate",
    system_statistics: tuple[str, ...] = tuple(SYSTEM_STATISTICS),
    lower_is_better: Iterable[str] = (), missing: str = "error", rows: str = "common",
    confidence: float = 0.95, n_resamples: int = 1000, n_permutations: int = 1000,
    random_state: Seed = 0, ceiling: AnnotatorCeiling | None = None
) -> Evaluation:  # fmt: skip
    """Measure how well metrics agree with human judgements, on segments and on systems.

    All metrics are evaluated on the same rows, those that all have scored, unless ``rows="own"``.

    Parameters
    ----------
    y : Series of length n_rows
        Human judgement, lower is better: ranks indexed by (segment, ranking, system), or MQM
        penalties indexed by (segment, system).
    scores : DataFrame of shape (n_scores, n_metrics), or mapping of str to Series or RankerScores
        Scores of each metric, higher is better, indexed by (segment, system), maybe more than were
        judged; or indexed like y. Systems have their names in y, or the same but for test set,
        language pair and ``.txt``. ``RankerScores`` holds strengths and what can be averaged.
    documents : array-like of length n_rows, or Series indexed by segment, optional
        The document of each row of y, or of each segment, as
        :func:`~sklearn_mteval.datasets.load_judgements` returns it; an empty label is a document of
        its own. Segments of a document vary together: without documents, intervals take them for
        independent, and are too narrow where they are not.
    statistic : str, default="wmt12"
        Of segment level, any that :func:`~sklearn_mteval.metrics.agreement_interval` takes.
        Metrics are sorted by it.
    level : {"both", "segment", "system"}, default="both"
        Which statistics to compute.
    grouping : {"segment", "system", "none"}, default="segment"
        Which rows are comparable: those of one segment (and ranking task), of one system, or
        all. Ranks can be compared within their ranking task only.
    average : {"pairs", "groups"}, optional
        Pool the pairs of all groups, or take the mean over groups. None does as is customary:
        "pairs" for "wmt12", "wmt13", "wmt14", "darr" and "pdp", "groups" for the others.
    threshold : float, default=25.0
        For "darr": human differences below it count as ties.
    epsilon : "calibrate" or float, default="calibrate"
        Scores that differ by at most this tie in acc_eq; "calibrate" finds the best threshold
        of each metric on these very data, as the WMT metrics tasks do.
    system_statistics : tuple of str, default=("pearson", "spearman", "kendall", "accuracy", "spa")
        Of system level; "spa" is soft pairwise accuracy.
    lower_is_better : iterable of str, default=()
        Metrics for which a lower score is better, such as TER: their sign is changed.
    missing : {"error", "skip"}, default="error"
        What a judged row without a score does: raise, or be left out.
    rows : {"common", "own"}, default="common"
        What is left out where a metric has no score, judged or not: the same for all metrics, so
        that their numbers can be compared, or for that metric only.
    confidence, n_resamples : see :func:`~sklearn_mteval.metrics.agreement_interval`
        Of the intervals; judgements and scores of a document are resampled together. With fewer
        than ten documents, those of segment level are Student's, and there are none of system
        level; see :func:`~sklearn_mteval.metrics.system_agreement_interval`.
    n_permutations : int, default=1000
        Of soft pairwise accuracy.
    random_state : int, default=0
        Seed.
    ceiling : AnnotatorCeiling, optional
        What :func:`~sklearn_mteval.metrics.annotator_ceiling` returns for these judgements and this
        statistic, of which the table then shows each value as a proportion.

    Returns
    -------
    Evaluation
        ``table``, ``statistics``, ``counts``, ``signature``, ``systems``. Human system scores are
        expected wins if y holds rankings, and mean judgements with the sign changed otherwise. A
        statistic that is NaN is named in a warning.

    Raises
    ------
    CandidateError
        For labels that do not match or are there twice, a system without scores, scores that
        are no numbers, infinite, or missing; if no judged row has a score of every metric.

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
    for name in ("y", "scores", "documents"):
        del given[name]
    options = Options(**given)
    joined = join(y, scores, documents=documents, **options.of("lower_is_better", "missing"))
    return evaluate_joined(common_rows(joined) if rows == "common" else joined, options)


def evaluate_joined(joined, options):
    """Evaluate metrics on data that were brought together, as :func:`evaluate_metrics` does."""
    y, documents, units = joined.y, joined.documents, joined.units()
    human = human_systems(y) if options.level != "segment" else None
    scores = {} if human is None else {"human": human.scores()}
    lines, names = {}, ()
    for metric in tracked(joined.rows.columns, "evaluating", "metrics"):
        found, sizes = {}, {}
        if options.level != "system":
            found, sizes = segment_statistics(y, joined.rows[metric], options, units)
            highest = np.nan if options.ceiling is None else options.ceiling.ceiling
            sizes["of_ceiling"] = float(ratio(found[options.statistic][0], highest))
        if human is not None:
            table = joined.tables[metric]
            of_systems, more, scores[metric] = system_statistics(human, table, options, documents)
            more["left_out"] = joined.left_out[metric]
            found, sizes = found | of_systems, sizes | more
        names, line = tuple(found), {}
        for name, (value, low, high) in found.items():
            line |= {name: value, f"{name}_low": low, f"{name}_high": high}
        lines[metric] = line | sizes
    table = pd.DataFrame.from_dict(lines, orient="index").rename_axis("metric").sort_index()
    table = table.sort_values(options.main_statistic, ascending=False, kind="stable")
    undefined = [name for name in names if table[name].isna().any()]
    if undefined:
        metrics = ", ".join(table.index[table[undefined].isna().any(axis=1)])
        what = f"{', '.join(undefined)} of {metrics}"
        warn_undefined(what, "too few pairs or systems, or constant scores")
    groups = comparable_rows(y.index, options.grouping)
    sizes = np.array([len(y)]) if groups is None else np.bincount(group_codes(groups, len(y)))
    counts = {"rows": len(y), "pairs": int((sizes * (sizes - 1) // 2).sum())}
    counts |= {f"{name}s": y.index.unique(name).size for name in ("segment", "system")}
    if documents is not None:
        counts["documents"] = pd.Series(units).nunique()
    signature = signature_of(joined, options, counts)
    systems = None
    if human is not None:
        systems = pd.DataFrame(scores)[["human", *table.index]].rename_axis("system").sort_index()
        systems = systems.sort_values("human", ascending=False, kind="stable")
    return Evaluation(table, names, options.main_statistic, counts, signature, options, systems)
