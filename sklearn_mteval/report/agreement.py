"""How well models agree with annotators: of the standard experiment, and of outside metrics."""

from sklearn_mteval.report.formats import align

_NOTE = (
    "tau: Kendall's tau x 100, variant wmt12 (a metric tie counts as discordant), pairs pooled;\n"
    "in brackets its 95 % interval, bootstrap over segments. metric ties: pairs that annotators\n"
    "decide and the metric ties. accuracy: pairs decided as annotators did, before recomposition."
)
_NOTE_OF_STACKING = (
    "acc_eq x 100: pairs, tied ones included, told as annotators do; mean over segments,\n"
    "the threshold calibrated on all judgements. In brackets the 95 % interval of the difference,\n"
    "bootstrap over what was held out together; p: proportion of samples in which it is not better."
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


def stacking_report(table):
    """Write a list of StackedAgreement as a table for the terminal."""
    best = next(row for row in table if row.low != row.low)  # NaN: compared with itself
    rows = []
    for row in table:
        compared = ["", "", ""]
        if row is not best:
            p = f"{row.p:.3f}" if row.p >= 0.001 else "< 0.001"
            interval = f"[{100 * row.low:+.1f}, {100 * row.high:+.1f}]"
            compared = [f"{100 * row.difference:+.1f}", interval, p]
        rows.append([row.name, f"{100 * row.accuracy:.1f}", *compared])
    header = ["", "acc_eq", f"from {best.name}", "95 % interval", "p"]
    return align(header, rows) + f"\n\n{_NOTE_OF_STACKING}\n"
