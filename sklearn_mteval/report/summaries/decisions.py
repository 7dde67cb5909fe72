"""What decision tables and marked errors say, in whole sentences."""

import numpy as np

from sklearn_mteval.evaluation.span_baselines import ANNOTATORS
from sklearn_mteval.report.cells import percent, written
from sklearn_mteval.report.summaries.phrases import (
    counted,
    few_segments,
    listed,
    name_of,
    value_of,
)


def summary_of_decisions(found):
    """Say which difference of scores is needed for annotators to agree."""
    counts, metric = found.counts, name_of(found.options["metric"])
    what = "systems" if found.options["level"] == "system" else "translations"
    needed = found.needed[np.isfinite(found.needed["difference"])]
    never = found.needed.index.difference(needed.index)
    parts = [
        f"in {percent(agreement)} % of pairs that differ by {written(row['difference'], '.3g')} "
        f"[{written(row['low'], '.3g')}, {written(row['high'], '.3g')}]"
        for agreement, row in needed.iterrows()
    ]
    answers = []
    if parts:
        answers.append(
            f"Annotators agree with {metric} on which of two {what} is better "
            f"{listed(parts)} in {metric}."
        )
    if len(never):
        answers.append(
            f"No difference of {metric} is enough for agreement in {listed(map(percent, never))} % "
            f"of pairs of {what}."
        )
    return [
        *answers,
        f"This is estimated from {counted(counts['pairs'], 'pair')} of {what} "
        f"({counted(counts['segments'], 'segment')}, {counted(counts['systems'], 'system')}).",
    ]


def warnings_of_decisions(found):
    """Warn of few segments, and of differences that nobody has seen."""
    needed = found.needed
    beyond = needed.index[~needed["observed"] & np.isfinite(needed["difference"])]
    extrapolated = [
        f"For an agreement of {listed(map(percent, beyond))} %, scores must differ by more than in "
        "any pair here: that figure is extrapolated."
    ]
    return few_segments(found.counts["segments"]) + extrapolated * bool(len(beyond))


def summary_of_marked_errors(found):
    """Say which metric marks errors best, and which tells error-free translations best."""
    counts, answers, subjects, metrics = found.counts, [], [], None
    if found.spans is not None:
        metrics = found.spans.iloc[: len(found.spans) - counts["baselines"]]
        answers += _best(
            metrics, "f_score",
            "The errors that {} marks are most like those of annotators, with an F of {}",
            "The errors that {} marks are like those of annotators with an F of {}",
        )  # fmt: skip
        if ANNOTATORS in found.spans.index:
            alone = value_of(found.spans.loc[ANNOTATORS], "f_score", "f_score_")
            answers.append(f"Annotators compared with each other reach {alone}.")
        subjects.append(
            f"Annotators marked {counted(counts['errors'], 'error')} in "
            f"{counted(counts['translations'], 'translation')}."
        )
    if found.error_free is not None:
        answers += _best(
            found.error_free, "average_precision",
            "{} finds error-free translations best, with an average precision of {}",
            "{} finds error-free translations with an average precision of {}",
        )  # fmt: skip
        subjects.append(
            f"{counts['error_free']:,} of {counted(counts['rows'], 'translation')} "
            f"({percent(counts['error_free'] / counts['rows'])} %, the average precision of "
            f"guessing) count as error-free: they have {found.rule}."
        )
    if any(table is not None and len(table) > 1 for table in (metrics, found.error_free)):
        subjects.append("Whether metrics differ by more than chance is not tested here.")
    return answers + subjects


def _best(table, name, of_several, of_one):
    """Say which metric is best, and how good it is; a list, empty where nothing is defined."""
    if not table[name].notna().any():
        return []
    best = table[name].idxmax()
    said = of_several if len(table) > 1 else of_one
    return [f"{said.format(name_of(best), value_of(table.loc[best], name, f'{name}_'))} (x 100)."]


def warnings_of_marked_errors(found):
    """Warn of few translations."""
    n = found.counts.get("translations", found.counts.get("rows", 0))
    few = f"There are only {counted(n, 'translation')}, so that intervals are wide."
    return [] if n >= 100 else [few]
