"""How new models compare with others and with metrics, what to use, and how far they agree."""

from sklearn_mteval.models.training_result import NEW
from sklearn_mteval.report.cells import records, shown
from sklearn_mteval.report.formats import Report, Table, align

_HARDLY = 0.01  # of tau: less is not worth judging for
_LABELS = {"ready-made": "{} (ready-made)", "saved": "{} (saved)"}
_COLUMNS = ["tau", "95 % interval", "new - this", "95 % interval"]
_NOTE = (
    "tau is Kendall's tau x 100, variant wmt12 (a metric tie counts as discordant), of all pairs;\n"
    "brackets hold 95 % intervals, by bootstrap over what was held out. new - this is by how much\n"
    "the new model is better, on the same resamples; an interval without 0 is more than chance."
)
_NOTE_OF_STACKING = (
    "acc_eq x 100 is of pairs, tied ones included, that are told as annotators do; mean over\n"
    "segments, the threshold calibrated on all judgements. Brackets hold the 95 % interval of the\n"
    "difference, by bootstrap over what was held out together; p is the proportion of samples in\n"
    "which it is not better."
)


def training_report(result):
    """Write the comparison of a TrainingResult as a table, then what is recommended."""
    table = align(["", *_COLUMNS], _compared(result))
    return f"{table}\n\n{_NOTE}\n\n{shown(result.recommendation.sentence)}\n"


def learning_report(curve):
    """Write a learning curve as lines, then whether more judgements are worth it."""
    if len(curve) < 2:
        return f"{learning_sentence(curve)}\n"
    return f"{align(_learnt(curve), _of_sizes(curve))}\n\n{learning_sentence(curve)}\n"


def learning_sentence(curve):
    """Say whether more judgements are worth it."""
    if len(curve) < 2:
        return f"{curve.index.name.title()} are too few to tell whether more of them would help."
    half, gain = curve.index[-2], curve.iloc[-2]
    low, high = gain["difference_low"], gain["difference_high"]
    by = f"{100 * gain['difference']:+.1f} tau [{100 * low:.1f}, {100 * high:.1f}]"
    if low > 0:
        ends = "more judgements are worth it"
    elif high < _HARDLY:
        ends = "more judgements would hardly help"
    else:
        ends = "whether more would help cannot be told from so few"
    return f"From {half} to {curve.index[-1]} {curve.index.name}: {by}; {ends}."


def report_of_training(result):
    """Return the report of a TrainingResult: both tables."""
    title = f"On the {result.n_held_out} {result.unit}s held out"
    tables = [Table(title, ["model", *_COLUMNS], _compared(result), names="model")]
    if len(result.learning_curve) > 1:
        rows = _of_sizes(result.learning_curve)
        learnt = _learnt(result.learning_curve)
        tables.append(Table("By how much it was trained on", learnt, rows, names=learnt[0]))
    record = {
        "n_train": result.n_train,
        "n_held_out": result.n_held_out,
        "use": result.recommendation.use,
        "compared": records(result.comparison.reset_index(names="name")),
    }
    return Report(tables, [" ".join(_NOTE.split())], "", result.comparison, record)


def _compared(result):
    """Make the row of each model and metric that were compared."""
    rows = []
    for name, row in result.comparison.iterrows():
        label = _LABELS.get(row["kind"], "{}").format(name)
        if row["seen"]:
            label += ", trained on these"
        rows.append([label, *_with_interval(row, "tau", "low", "high", "")])
        differs = ["", ""]
        if name != NEW:
            differs = _with_interval(row, "difference", "difference_low", "difference_high", "+")
        rows[-1] += differs
    return rows


def _learnt(curve):
    """Name the columns of a learning curve."""
    return [f"{curve.index.name} trained on", "tau", "95 % interval"]


def _of_sizes(curve):
    """Make the row of each size of the training data."""
    return [
        [str(size), *_with_interval(row, "tau", "low", "high", "")]
        for size, row in curve.iterrows()
    ]


def _with_interval(row, value, low, high, sign):
    """Write a value and its interval as two cells."""
    low, high = (f"{100 * row[bound]:{sign}.1f}" for bound in (low, high))
    return [f"{100 * row[value]:{sign}.1f}", f"[{low}, {high}]"]


def agreement_report(table):
    """Write a list of Agreement as a table for the terminal."""
    rows = [
        [
            row.name, f"{100 * row.tau:.1f}", f"[{100 * row.low:.1f}, {100 * row.high:.1f}]",
            f"{row.ties} of {row.pairs}", f"{100 * row.accuracy:.1f} %"
        ]
        for row in table
    ]  # fmt: skip
    header = ["", "tau", "95 % interval", "metric ties", "accuracy"]
    return f"{align(header, rows)}\n"


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
