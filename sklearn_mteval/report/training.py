"""How a new model compares with ready-made ones, single features and metrics, and what to use."""

from sklearn_mteval.models.training_result import NEW
from sklearn_mteval.report.formats import align, shown

__all__ = ["learning_report", "training_report"]

_HARDLY = 0.01  # of tau: less is not worth judging for
_LABELS = {"ready-made": "{} (ready-made)", "saved": "{} (saved)"}
_NOTE = (
    "tau: Kendall's tau x 100, variant wmt12 (a metric tie counts as discordant), pairs pooled;\n"
    "in brackets 95 % intervals, bootstrap over segments. new - this: how much better the\n"
    "new model is, on the same resampled segments; an interval without 0 is more than chance."
)


def training_report(result):
    """Write the comparison of a TrainingResult as a table, then what is recommended."""
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
    header = ["", "tau", "95 % interval", "new - this", "95 % interval"]
    return f"{align(header, rows)}\n\n{_NOTE}\n\n{shown(result.recommendation.sentence)}\n"


def learning_report(curve):
    """Write a learning curve as lines, then whether more judgements are worth it."""
    if len(curve) < 2:
        return "Segments are too few to tell whether more of them would help.\n"
    rows = [
        [str(size), *_with_interval(row, "tau", "low", "high", "")]
        for size, row in curve.iterrows()
    ]
    table = align(["segments trained on", "tau", "95 % interval"], rows)
    half, gain = curve.index[-2], curve.iloc[-2]
    low, high = gain["difference_low"], gain["difference_high"]
    by = f"{100 * gain['difference']:+.1f} tau [{100 * low:.1f}, {100 * high:.1f}]"
    if low > 0:
        ends = "more judgements are worth it"
    elif high < _HARDLY:
        ends = "more judgements would hardly help"
    else:
        ends = "whether more would help cannot be told from so few"
    return f"{table}\n\nFrom {half} to {curve.index[-1]} segments: {by}; {ends}.\n"


def _with_interval(row, value, low, high, sign):
    """Write a value and its interval as two cells."""
    low, high = (f"{100 * row[bound]:{sign}.1f}" for bound in (low, high))
    return [f"{100 * row[value]:{sign}.1f}", f"[{low}, {high}]"]
