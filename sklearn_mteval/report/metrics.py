"""Tables of metrics as text, TSV, JSON, LaTeX or Markdown, each with its signature."""

import json
import math
import textwrap

from sklearn_mteval.report.text_tables import text_table

__all__ = ["FORMATS", "comparison_report", "evaluation_report", "figure_title"]

FORMATS = ("text", "tsv", "json", "latex", "markdown")
_UNDEFINED = "\N{EN DASH}"
_FOOTNOTE = f"{_UNDEFINED}: undefined (too few pairs or systems, or constant scores)."
_TITLES = {
    "system_pearson": "Pearson",
    "system_spearman": "Spearman",
    "system_kendall": "Kendall",
    "system_accuracy": "accuracy",
    "system_spa": "SPA",
    "acc_eq": "acc_eq",
    "pearson": "Pearson",
    "spearman": "Spearman",
    "ndcg": "NDCG",
    "mrr": "MRR",
    "err": "ERR",
    "best_system_rate": "best system",
}
_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    _UNDEFINED: "--",
}


def evaluation_report(evaluation, form):
    """Write figures of several metrics.

    Parameters
    ----------
    evaluation : Evaluation
        What ``evaluate_metrics`` returned.
    form : {"text", "tsv", "json", "latex", "markdown"}
        Text, LaTeX and Markdown are for people: figures x 100 with their intervals. TSV and
        JSON hold all digits of the figures as they are.

    Returns
    -------
    str
        Lines, the last one ended.
    """
    if form == "json":
        return _json(_evaluation_object(evaluation))
    if form == "tsv":
        return _tsv(evaluation.table) + f"# {evaluation.signature}\n"
    return _document(_blocks(evaluation), _notes(evaluation), evaluation.signature, form)


def comparison_report(comparison, form):
    """Write figures of several metrics, p-values of their differences, and clusters.

    Parameters
    ----------
    comparison : Comparison
        What ``compare_metrics`` returned.
    form : {"text", "tsv", "json", "latex", "markdown"}
        See :func:`evaluation_report`.

    Returns
    -------
    str
        Lines, the last one ended.
    """
    evaluation, p_values = comparison.evaluation, comparison.p_values
    clusters = comparison.clusters
    if form == "json":
        found = _evaluation_object(evaluation)
        for entry in found["metrics"]:
            row = p_values.loc[entry["name"]]
            entry["cluster"] = int(clusters[entry["name"]])
            entry["p_better_than"] = {name: _number(p) for name, p in row.items() if p == p}
        found |= {"test": comparison.test, "alpha": comparison.alpha}
        found["signature"] = comparison.signature
        return _json(found)
    if form == "tsv":
        table = evaluation.table.assign(cluster=clusters)
        for name in p_values.columns:
            table[f"p_better_than_{name}"] = p_values[name]
        return _tsv(table) + f"# {comparison.signature}\n"
    header = ["cluster", "metric", *(f"> {name}" for name in p_values.columns)]
    rows = [
        [str(clusters[name] or _UNDEFINED), name, *(_p_value(p, comparison.alpha) for p in row)]
        for name, row in zip(p_values.index, p_values.to_numpy(), strict=True)
    ]
    title = f"Is the metric of the row better? p-values, {comparison.test} test, Holm's correction"
    blocks = [*_blocks(evaluation), (title, header, rows, ())]
    notes = [
        *_notes(evaluation),
        f"*: p <= {comparison.alpha:g}. Each metric of a cluster is significantly better than all "
        "metrics of later clusters.",
    ]
    return _document(blocks, notes, comparison.signature, form)


def _evaluation_object(evaluation):
    """Return what JSON holds."""
    table, figures = evaluation.table, evaluation.statistics
    parts = {column for name in figures for column in (name, f"{name}_low", f"{name}_high")}
    metrics = []
    for name, row in table.iterrows():
        values = {
            figure: {
                "value": _number(row[figure]),
                "low": _number(row[f"{figure}_low"]),
                "high": _number(row[f"{figure}_high"]),
            }
            for figure in figures
        }
        rest = {column: _number(row[column]) for column in table.columns if column not in parts}
        for column in {"rows", "translations"} & set(rest):
            rest[column] = int(rest[column])
        metrics.append({"name": name, "figures": values, **rest})
    found = {"sorted_by": evaluation.main_statistic, **evaluation.counts, "metrics": metrics}
    if evaluation.systems is not None:
        found["system_scores"] = [
            {
                "name": str(name),
                "human": _number(row["human"]),
                "metrics": {metric: _number(row[metric]) for metric in table.index},
            }
            for name, row in evaluation.systems.iterrows()
        ]
    return found | {"signature": evaluation.signature}


def _number(value):
    """Return a number for JSON, which has no NaN."""
    return None if math.isnan(value) else float(value)


def _json(found):
    """Write JSON."""
    return json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _tsv(table):
    """Write all columns with all digits; NaN is empty."""
    return table.to_csv(sep="\t", float_format=None, lineterminator="\n")


def _blocks(evaluation):
    """Return title, header, rows and columns to compare of each level's table."""
    table, options = evaluation.table, evaluation.options
    percent = f"{100 * options.confidence:g} %"
    blocks = []
    for level in ("segment", "system"):
        names = [n for n in evaluation.statistics if n.startswith("system_") == (level == "system")]
        if not names:
            continue
        cells = {figure_title(name): _cells(table, name) for name in names}
        if level == "segment":
            cells |= {
                "metric ties": [_percent(x) + " %" * (x == x) for x in table["metric_ties"]],
                "epsilon": [_short(x) for x in table["epsilon"]],
                "rows": [str(int(x)) for x in table["rows"]],
            }
        else:
            cells["scores"] = [str(int(x)) for x in table["translations"]]
        title = f"{level.capitalize()} level, x 100 with {percent} intervals"
        rows = [[name, *row] for name, *row in zip(table.index, *cells.values(), strict=True)]
        blocks.append((title, ["metric", *cells], rows, _best(table, names)))
    return blocks


def figure_title(name):
    """Name a figure for people.

    Parameters
    ----------
    name : str
        A column of the table.

    Returns
    -------
    str
        The head of a column.
    """
    return _TITLES.get(name, name if name.startswith("tau") else f"tau ({name})")


def _best(table, names):
    """Return row and column of the best value of each figure."""
    return [
        (row, column)
        for column, name in enumerate(names, 1)
        for row in range(len(table))
        if table[name].iloc[row] == table[name].max()
    ]


def _cells(table, name):
    """Write values and intervals, aligned."""
    cells = [
        [_percent(row[name]), _percent(row[f"{name}_low"]), _percent(row[f"{name}_high"])]
        for _, row in table.iterrows()
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "{} [{}, {}]".format(*(c.rjust(w) for c, w in zip(parts, widths, strict=True)))
        for parts in cells
    ]


def _percent(value):
    """Write a share x 100."""
    return f"{100 * value:.1f}" if value == value else _UNDEFINED


def _short(value):
    """Write a number with few digits."""
    return f"{value:.3g}" if value == value else _UNDEFINED


def _p_value(p, alpha):
    """Write a p-value, marked where significant; nothing where there is no test."""
    if p != p:
        return ""
    return ("<0.001" if p < 0.001 else f"{p:.3f}") + ("*" if p <= alpha else " ")


def _notes(evaluation):
    """Say what the columns mean."""
    options, notes = evaluation.options, []
    if options.level != "system":
        ties = "calibrated on these data" if options.ties == "calibrate" else "given"
        notes += [
            f"acc_eq: pairs that metric and people order or tie alike; epsilon, {ties}: scores "
            "that differ by no more tie.",
            "metric ties: of the pairs that people decide.",
        ]
    if options.level != "segment":
        notes.append(
            "accuracy: pairs of systems ordered alike; SPA: soft pairwise accuracy; scores: how "
            "many translations a metric's system scores are means of."
        )
    if evaluation.table[list(evaluation.statistics)].isna().to_numpy().any():
        notes.append(_FOOTNOTE)
    return notes


def _document(blocks, notes, signature, form):
    """Put tables, notes and the signature together."""
    if form == "text":
        parts = [
            f"{title}\n\n{text_table(header, rows, left=(header.index('metric'),))}"
            for title, header, rows, _ in blocks
        ]
        wrapped = [textwrap.fill(note, 96, subsequent_indent="  ") for note in notes]
        return "\n\n".join([*parts, "\n".join(wrapped), signature]) + "\n"
    if form == "markdown":
        parts = [f"{title}\n\n{_pipe_table(header, rows)}" for title, header, rows, _ in blocks]
        return "\n\n".join([*parts, *notes, f"`{signature}`"]) + "\n"
    parts = [
        f"% {title}\n{_booktabs(header, rows, set(best))}" for title, header, rows, best in blocks
    ]
    return "\n\n".join([*parts, "\n".join(f"% {line}" for line in [*notes, signature])]) + "\n"


def _pipe_table(header, rows):
    """Write a table for Markdown."""
    lines = [header, ["---" if name == "metric" else "---:" for name in header], *rows]
    escaped = [[cell.replace("\\", "\\\\").replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def _booktabs(header, rows, best):
    """Write a table for LaTeX, the best values in bold."""
    lines = [
        rf"\begin{{tabular}}{{{''.join('l' if name == 'metric' else 'r' for name in header)}}}",
        r"\toprule",
        " & ".join(map(_escaped, header)) + r" \\",
        r"\midrule",
    ]
    for k, row in enumerate(rows):
        cells = [
            rf"\textbf{{{_escaped(cell)}}}" if (k, column) in best else _escaped(cell)
            for column, cell in enumerate(row)
        ]
        # Braces, lest a name in brackets be taken for an argument of the line break before it.
        lines.append("{}" * cells[0].startswith(("[", "*")) + " & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _escaped(text):
    """Escape what LaTeX reads as a command; a minus is one."""
    escaped = "".join(_LATEX.get(character, character) for character in " ".join(text.split()))
    for sign in ("<", ">"):
        escaped = escaped.replace(sign, f"${sign}$")
    numbers = escaped.replace("[-", "[$-$").replace(" -", " $-$")
    return "$-$" + numbers[1:] if numbers[:1] == "-" and numbers[1:2].isdigit() else numbers
