"""The picture of each type of result: what its first sentence says, as a reader sees it."""

from sklearn_mteval.report.cells import percent, written
from sklearn_mteval.report.leaderboard import number_of
from sklearn_mteval.report.metrics import heading
from sklearn_mteval.report.pictures.curves import Point, curve
from sklearn_mteval.report.pictures.dots import SHAPES, Band, Row, dots
from sklearn_mteval.report.summaries.models import of_judge
from sklearn_mteval.report.summaries.phrases import name_of

_BETWEEN = {"system": "systems", "segment": "translations"}
_LETTERS = "Systems that share a letter cannot be told apart."
_LABELS = {"mean": "mean judgement", "win-rate": "win rate x 100"}
_SCALES = {"elo": "strength in Elo points", "log-odds": "strength in log-odds"}


def of_systems(systems):
    """Draw the table of Systems that a model scored or ranked."""
    if systems["score"].isna().all() and "mean_rank" in systems:
        rows = [Row(str(name), rank) for name, rank in systems["mean_rank"].items()]
        said = "Each dot is the mean rank of a system's translations; the best possible is 1."
        label = "mean rank, lower is better"
        return dots(rows, "Mean ranks of systems, the best on top", label=label, caption=said)
    letters = systems.get("letters", ())
    said = _said("the mean score of a system's translations", 0.95)
    return dots(
        _rows(systems, "score", letters), "Mean scores of systems, the best on top",
        number="{:+.4f}".format, label="mean score, higher is better",
        caption=f"{said} {_LETTERS}" if any(letters) else said,
    )  # fmt: skip


def of_leaderboard(found):
    """Draw the systems of a leaderboard."""
    options = found.options
    label = _LABELS.get(options["by"]) or _SCALES[options["scale"]]
    factor = 100 if options["by"] == "win-rate" else 1
    rows = _rows(found.table, "score", found.table["letters"], factor=factor)
    number = "{:.1f}".format if factor == 100 else number_of(found)
    said = _said(f"a system's {label}", options["confidence"])
    return dots(
        rows, f"The {label} of systems, the best on top", number=number,
        label=f"{label}, higher is better", caption=f"{said} {_LETTERS}",
    )  # fmt: skip


def of_evaluation(found, notes=(), said=""):
    """Draw the agreement of metrics with annotators, and what annotators reach themselves."""
    name, ceiling, band = found.main_statistic, None, None
    level = "systems" if name.startswith("system_") else "segments"
    rows = _rows(found.table, name, notes, f"{name}_", 100)
    if level == "segments":
        ceiling = found.options.ceiling
    if ceiling is not None:
        band = Band(
            100 * ceiling.ceiling, 100 * ceiling.lowest, 100 * ceiling.highest, "highest possible"
        )
        alone = [100 * x for x in ceiling[3:6]]
        rows.append(Row("one annotator, by another", *alone, hollow=True))
        said = (
            f"{said} The band shows what a metric could reach at most, since annotators differ."
        ).strip()
    label = f"{heading(name)} on {level}, x 100"
    caption = _said(f"a metric's {heading(name)} with annotators", found.options.confidence)
    return dots(
        rows, f"Agreement of metrics with annotators: {label}, the best on top",
        number="{:.1f}".format, label=label, band=band, caption=f"{caption} {said}".strip(),
    )  # fmt: skip


def of_comparison(found):
    """Draw the agreement of metrics, with the clusters that tests tell apart."""
    notes = [str(number) if number else "" for number in found.clusters]
    said = "The number to the right is the metric's significance cluster." if any(notes) else ""
    return of_evaluation(found.evaluation, notes, said)


def of_task(found):
    """Draw the averages of metrics over all tasks, with their clusters."""
    table, by, factor, number = found.table, "average", 100, "{:.1f}".format
    label = "average of all tasks, x 100"
    if found.sort_by == "ranks":
        by, factor, number, label = "average_rank", 1, "{:.2f}".format, "mean rank, lower is better"
    rows = [
        Row(str(name), factor * row[by], note=f"{row['cluster']:.0f}" if row["cluster"] else "")
        for name, row in table.iterrows()
    ]
    said = f"Each dot is a metric's {label}; the number to the right is its significance cluster."
    return dots(
        rows, f"Metrics by their {label}, the best on top", number=number, label=label, caption=said
    )


def of_marked_errors(found):
    """Draw F of the errors that metrics marked, else how well scores find error-free ones."""
    confidence = found.options["confidence"]
    if found.spans is not None:
        rows, n = _rows(found.spans, "f_score", (), "f_score_", 100), found.counts["baselines"]
        rows = [row._replace(hollow=k >= len(rows) - n) for k, row in enumerate(rows)]
        said = _said("the F score (x 100) of the errors that a metric marked", confidence)
        label, lines = "F of marked characters, x 100", ()
        if n:
            said += " Hollow dots show what is reached without a metric."
    else:
        table, name = found.error_free, "average_precision"
        table = table.sort_values(name, ascending=False, kind="stable")
        rows = _rows(table, name, (), f"{name}_", 100)
        said = _said("a metric's average precision (x 100)", confidence)
        label, lines = "average precision, x 100", [(100 * table["error_free"].iloc[0], "guessing")]
    return dots(
        rows, f"Metrics by {label}", number="{:.1f}".format, label=label, caption=said, lines=lines
    )


def of_decisions(found):
    """Draw how often annotators agree, by the difference of scores."""
    what, metric = _BETWEEN[found.options["level"]], name_of(found.options["metric"])
    band, bins = found.band, found.bins
    line = [(x, *(100 * y for y in row)) for x, *row in band.itertuples()]
    columns = bins[["difference", "agreement", "low", "high"]].to_numpy() * [1, 100, 100, 100]
    steps = [(x, 100 * agreement) for agreement, x in found.needed["difference"].items()]
    needed = "; ".join(f"{percent(y / 100)} % at {written(x, '.3g')}" for x, y in steps)
    description = (
        f"The percentage of pairs of {what} in which annotators agree, rising with the difference "
        f"in {metric}. Reached: {needed}."
    )
    caption = (
        "The percentage of pairs in which annotators prefer the higher score, by the difference of "
        "scores. The line is the estimate with its interval, dots are what was observed with "
        "theirs, and dashed lines show which difference is needed for an agreement of "
        f"{', '.join(percent(y / 100) for _, y in steps)} %."
    )
    label = f"difference in {metric}"
    points = [Point(*row) for row in columns]
    return curve(line, points, description, steps=steps, label=label, caption=caption)


def of_challenge(found):
    """Draw how often a model and metrics prefer sound translations, the worst kind first."""
    of_model = of_judge(found, found.model).sort_values("proportion", kind="stable")
    metrics = found.metrics[: len(SHAPES)]
    values = {name: of_judge(found, name)["proportion"] for name in metrics}
    rows = []
    for row in _rows(of_model, "proportion", (), "", 100):
        others = tuple(100 * values[name].get(row.name, float("nan")) for name in metrics)
        rows.append(row._replace(others=others))
    legend = ", ".join(f"{shape} {name_of(n)}" for shape, n in zip(SHAPES, metrics, strict=False))
    said = _said(
        f"how often (in % of segments) {name_of(found.model)} prefers the sound translation to the "
        "corrupted one",
        found.confidence,
    )
    return dots(
        rows, "How often sound translations win, by kind of corruption, the worst on top",
        number="{:.1f}".format, label="sound translation preferred, % of segments",
        lines=[(50.0, "guessing")], caption=f"{said} {legend and f'Others: {legend}.'}".strip(),
    )  # fmt: skip


def of_training(found):
    """Draw the new model against others and metrics, on what was held out."""
    table = found.comparison.sort_values("tau", ascending=False, kind="stable")
    rows = _rows(table, "tau", (), "", 100)
    rows = [row._replace(hollow=seen) for row, seen in zip(rows, table["seen"], strict=True)]
    said = _said("the agreement with annotators (Kendall's tau, x 100)", 0.95)
    if table["seen"].any():
        said += " A hollow dot says nothing here: that model was trained on these judgements."
    return dots(
        rows, "Agreement of models and metrics with annotators, the best on top",
        number="{:.1f}".format, label="tau on what was held out, x 100", caption=said,
    )  # fmt: skip


def _rows(table, name, notes=(), prefix="", factor=1):
    """Make the rows of a table with a column ``name`` and PREFIXlow and PREFIXhigh."""
    columns = zip(table[name], table[f"{prefix}low"], table[f"{prefix}high"], strict=True)
    notes = list(notes) or [""] * len(table)
    return [
        Row(str(label), *(factor * x for x in values), note)
        for label, values, note in zip(table.index, columns, notes, strict=True)
    ]


def _said(what, confidence):
    """Say what dots and lines are."""
    return f"Each dot is {what}; the line through it is its {100 * confidence:g} % interval."
