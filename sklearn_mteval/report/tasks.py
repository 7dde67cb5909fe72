"""Reports of metrics ranked over several campaigns and levels."""

from sklearn_mteval.metrics.significance.ranks import RANKS
from sklearn_mteval.report.cells import UNDEFINED, best_cells, plain, undefined_notes, written
from sklearn_mteval.report.formats import Report, Table
from sklearn_mteval.report.metrics import heading


def report_of_task(task):
    """Return the report of a metrics task."""
    table = task.table
    columns = ["average", *map("_".join, task.tasks)]
    clusters = ["cluster", *(f"{name}_cluster" for name in columns[1:])]
    headings = [f"{campaign} {heading(statistic)}" for campaign, statistic in task.tasks]
    header = ["metric", "mean rank", "average", *headings]
    rows = [
        [metric, written(row["average_rank"], ".2f")]
        + [_cell(row[name], row[cluster]) for name, cluster in zip(columns, clusters, strict=True)]
        for metric, row in table.iterrows()
    ]
    title = "Statistics x 100 (significance cluster), sorted by " + (
        "average" if task.sort_by == "values" else "mean rank"
    )
    notes = [
        "The average is the mean of the statistics over all tasks, and the mean rank that of the "
        f"metric's clusters in them. Clusters ({task.ranks}, one-sided p <= {task.alpha:g}): "
        f"{RANKS[task.ranks].meaning}"
    ]
    if task.left_out:
        notes.append(
            f"Metrics that not all campaigns have are left out: {', '.join(task.left_out)}."
        )
    notes += undefined_notes(table)
    found = Table(title, header, rows, best_cells(table, columns, 2))
    return Report([found], notes, task.signature, table, _record(task))


def _cell(value, cluster):
    """Write a statistic x 100 with the number of its cluster."""
    return f"{100 * value:.1f} ({cluster:.0f})" if value == value else UNDEFINED


def _record(task):
    """Return what JSON holds."""
    metrics = []
    for metric, row in task.table.iterrows():
        values = {name: plain(value) for name, value in row.items()}
        values |= {name: int(row[name]) for name in row.index if name.endswith("cluster")}
        p_values = task.p_values.loc[metric].dropna().to_dict()
        metrics.append({"name": metric, **values, "p_better_than": p_values})
    tasks = [{"campaign": campaign, "statistic": statistic} for campaign, statistic in task.tasks]
    return {
        "sorted_by": task.sort_by, "ranks": task.ranks, "tasks": tasks, "alternative": "greater",
        "alpha": task.alpha, "left_out": list(task.left_out), "metrics": metrics
    }  # fmt: skip
