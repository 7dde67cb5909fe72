"""How well models agree with annotators, as the standard experiment finds it."""

from sklearn_mteval.report.formats import align

_NOTE = (
    "tau: Kendall's tau x 100, variant wmt12 (a metric tie counts as discordant), pairs pooled;\n"
    "in brackets its 95 % interval, bootstrap over segments. metric ties: pairs that annotators\n"
    "decide and the metric ties. accuracy: pairs decided as annotators did, before recomposition."
)


def agreement_report(table, *, note=True):
    """Write a list of Agreement as a table for the terminal; ``note``: with a legend."""
    rows = [
        [
            row.name,
            f"{100 * row.tau:.1f}",
            f"[{100 * row.low:.1f}, {100 * row.high:.1f}]",
            f"{row.ties} of {row.pairs}",
            f"{100 * row.accuracy:.1f} %",
        ]
        for row in table
    ]
    header = ["", "tau", "95 % interval", "metric ties", "accuracy"]
    return align(header, rows) + (f"\n\n{_NOTE}\n" if note else "\n")
