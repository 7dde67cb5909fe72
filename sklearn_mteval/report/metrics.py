"""Reports of how well metrics agree with annotators, and of which differences are significant."""

from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.core.units import FEW_CLUSTERS
from sklearn_mteval.metrics.significance.ranks import RANKS
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS
from sklearn_mteval.report.cells import (
    UNDEFINED,
    aligned,
    best_cells,
    estimates,
    percent,
    plain,
    undefined_notes,
    written,
)
from sklearn_mteval.report.formats import Report, Table


def report_of_evaluation(evaluation):
    """Return the report of an evaluation."""
    return Report(
        _tables(evaluation), _notes(evaluation), evaluation.signature, evaluation.table,
        _record(evaluation)
    )  # fmt: skip


def report_of_comparison(comparison):
    """Return the report of the evaluation, with p-values and clusters."""
    report, p_values = report_of_evaluation(comparison.evaluation), comparison.p_values
    clusters, alpha = comparison.clusters, comparison.alpha
    table = Table(
        f"Is the metric of the row better? Two-sided p-values, {comparison.test} test, Holm's "
        "correction",
        ["cluster", "metric", *(f"> {name}" for name in p_values.columns)],
        [
            [str(clusters[name] or UNDEFINED), name, *(_p_value(p, alpha) for p in row)]
            for name, row in zip(p_values.index, p_values.to_numpy(), strict=True)
        ],
    )
    rule = RANKS[comparison.ranks]
    note = f"A star marks p <= {alpha:g}. Clusters ({rule.name}): {rule.meaning}"
    values = report.values.assign(cluster=clusters)
    for name in p_values.columns:
        values[f"p_better_than_{name}"] = p_values[name]
    for entry in report.record["metrics"]:
        row = p_values.loc[entry["name"]].dropna()
        entry["cluster"] = int(clusters[entry["name"]])
        entry["p_better_than"] = row.to_dict()
    record = report.record | {"test": comparison.test, "alternative": "two-sided"}
    record |= {"ranks": rule.name, "alpha": alpha}
    return Report(
        [*report.tables, table], [*report.notes, note], comparison.signature, values, record
    )


def _record(evaluation):
    """Return what JSON holds."""
    metrics = [
        _entry(metric, row, evaluation.statistics) for metric, row in evaluation.table.iterrows()
    ]
    record = {"sorted_by": evaluation.main_statistic, **evaluation.counts, "metrics": metrics}
    if evaluation.options.ceiling is not None:
        given = evaluation.options.ceiling._asdict()
        record["ceiling"] = {name: plain(value) for name, value in given.items()}
    if evaluation.systems is not None:
        record["system_scores"] = [
            {
                "name": str(name),
                "human": plain(row["human"]),
                "metrics": {metric: plain(row[metric]) for metric in evaluation.table.index},
            }
            for name, row in evaluation.systems.iterrows()
        ]
    return record


def _entry(metric, row, statistics):
    """Return what JSON holds of one metric."""
    values, rest = {}, row.to_dict()
    for name in statistics:
        ends = (("value", ""), ("low", "_low"), ("high", "_high"))
        values[name] = {key: plain(rest.pop(f"{name}{end}")) for key, end in ends}
    counts = {"rows", "translations", "left_out"}
    rest = {name: int(value) if name in counts else plain(value) for name, value in rest.items()}
    return {"name": metric, "statistics": values, **rest}


def _tables(evaluation):
    """Return the table of each level."""
    table, confidence = evaluation.table, f"{100 * evaluation.options.confidence:g} %"
    tables = []
    for level in ("segment", "system"):
        names = [
            name
            for name in evaluation.statistics
            if name.startswith("system_") == (level == "system")
        ]
        if not names:
            continue
        cells = {"metric": table.index}
        cells |= {heading(name): estimates(table, name, f"{name}_") for name in names}
        if level == "segment":
            ceiling = evaluation.options.ceiling
            if ceiling is not None:
                ends = (
                    (table["of_ceiling"] * (ceiling.ceiling / end)).map(percent)
                    for end in (ceiling.highest, ceiling.lowest)
                )
                parts = (table["of_ceiling"].map(percent), *ends)
                cells["% of ceiling"] = aligned("{} ({}-{})", *parts)
            cells |= {
                "metric ties": [percent(x) + " %" * (x == x) for x in table["metric_ties"]],
                "epsilon": [written(x, ".3g") for x in table["epsilon"]],
                "rows": [str(int(x)) for x in table["rows"]],
            }
        else:
            cells["scores"] = [str(int(x)) for x in table["translations"]]
        title = f"{level.capitalize()} level, x 100 with {confidence} intervals"
        tables.append(Table.of_columns(title, cells, best=best_cells(table, names, 1)))
    return tables


def heading(name):
    """Return the heading of a statistic's column, given the column's name in an evaluation."""
    if name.startswith("system_"):
        return SYSTEM_STATISTICS[name.removeprefix("system_")].heading
    return STATISTICS[name].heading


def _of_ceiling(options):
    """Say what the ceiling is."""
    found, pattern = options.ceiling, "{} [{}, {}]"
    ceiling, annotator = (pattern.format(*map(percent, found[k : k + 3])) for k in (0, 3))
    return (
        f"The ceiling is {ceiling}, {heading(options.statistic)} x 100 of a model that would "
        "always side with the majority of infinitely many annotators, estimated from "
        f"{found.n_pairs:,} pairs of translations that several judged. In parentheses stand the "
        f"percentages of the most and the least that it can be, {percent(found.highest)} and "
        f"{percent(found.lowest)}, however annotators differ. One annotator reaches {annotator} "
        "against another."
    )


def _p_value(p, alpha):
    """Write a p-value, marked where significant; nothing where there is no test."""
    if p != p:
        return ""
    return ("<0.001" if p < 0.001 else f"{p:.3f}") + ("*" if p <= alpha else " ")


def _notes(evaluation):
    """Say what the columns mean."""
    options, notes = evaluation.options, []
    if options.level != "system":
        ties = "calibrated on these data" if options.epsilon == "calibrate" else "given"
        notes += [
            "acc_eq is the proportion of pairs that metric and annotators order, or tie, alike; "
            f"scores that differ by no more than epsilon ({ties}) are a tie.",
            "Metric ties are a percentage of the pairs in which annotators prefer a translation.",
        ]
        if options.ceiling is not None:
            notes.append(_of_ceiling(options))
    if options.level != "segment":
        notes.append(
            "Accuracy is the proportion of pairs of systems that are ordered alike, and SPA is "
            "soft pairwise accuracy; scores is how many translations a metric's system scores are "
            "means of."
        )
        left_out = evaluation.table["left_out"]
        if left_out.any():
            more = ", ".join(f"{n} of {name}" for name, n in left_out[left_out > 0].items())
            notes.append(f"Scores that not all metrics have are left out: {more}.")
    notes.append(_note_on_intervals(evaluation.counts))
    return notes + undefined_notes(evaluation.table[list(evaluation.statistics)])


def _note_on_intervals(counts):
    """Say what intervals, and exchanges of a test, take to vary as a whole."""
    n = counts.get("documents")
    if n is None:
        return (
            "Intervals and tests take segments to be independent. If several are of one document, "
            "intervals are too narrow and p-values too small (name documents with --documents)."
        )
    if n >= FEW_CLUSTERS:
        return f"In intervals and tests, segments of a document vary together ({n:,} documents)."
    return (
        f"Segments of a document vary together, of which there are {n}: intervals of segment level "
        f"are Student's t, and those of system level need {FEW_CLUSTERS}."
    )
