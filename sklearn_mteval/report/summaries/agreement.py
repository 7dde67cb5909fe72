"""What evaluations and comparisons of metrics say, in words."""

import numpy as np

from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.report.cells import percent
from sklearn_mteval.report.metrics import heading
from sklearn_mteval.report.summaries.phrases import (
    behind,
    counted,
    few_segments,
    first_group,
    has,
    listed,
    many_ties,
    name_of,
    undefined,
    value_of,
)

_FEW_SYSTEMS = 10
_TESTS = {
    "permutation": "permutation test",
    "bootstrap": "paired bootstrap",
    "williams": "Williams' test",
}


def summary_of_evaluation(found):
    """Say which metric agrees best with annotators at each level that was evaluated."""
    sentences = []
    for level, statistic in _mains(found).items():
        sentences += _best(found, level, statistic)
    if len(found.table) > 1:
        sentences.append(
            "Whether metrics differ by more than chance is not tested here; compare_metrics, or "
            "the command compare, tests it."
        )
    return [*sentences, _subject(found)]


def warnings_of_evaluation(found):
    """Warn of few segments and systems, undefined values, ties and rows that differ."""
    table, options, counts = found.table, found.options, found.counts
    warnings = [*turned(found), *few_segments(counts["segments"])]
    if options.level != "segment" and counts["systems"] < _FEW_SYSTEMS:
        warnings.append(
            f"Figures for systems rest on {counted(counts['systems'], 'system')}: with fewer than "
            f"{_FEW_SYSTEMS}, one system more or less can change which metric is best."
        )
    for name in found.statistics:
        warnings += undefined(table[name], heading(name))
    if options.level != "system" and options.statistic in _ties_that_cost():
        warnings += many_ties(table["metric_ties"], heading(options.statistic))
    if options.level != "system" and table["rows"].nunique() > 1:
        warnings.append(
            f"Metrics were evaluated on different judgements, from {int(table['rows'].min()):,} to "
            f"{int(table['rows'].max()):,} of them, so that their values cannot be compared as "
            "they are."
        )
    return warnings


def turned(found):
    """Name the metrics that agree with annotators less than chance: is lower better of them?"""
    table, name = found.table, found.options.statistic
    if name not in found.statistics or STATISTICS[name].bounds[0] >= 0:
        return []
    # With the other sign a metric's ties would count against it as they do now, at most twice.
    metrics = table.index[table[f"{name}_high"] + 2 * table["metric_ties"] < 0]
    if not len(metrics):
        return []
    said = (
        f"{heading(name)} of {listed(metrics)} is below 0, and so is its whole interval: if lower "
        "scores are better, say so with --lower-is-better NAME or lower_is_better=[NAME]"
    )
    if len(metrics) == len(table):
        said += "; if the judgements are read upside down, with --better or better="
    return [f"{said}."]


def summary_of_comparison(found):
    """Say which metric agrees best, which it is significantly better than, and which not."""
    evaluation, statistic = found.evaluation, found.evaluation.main_statistic
    level = "system" if statistic.startswith("system_") else "segment"
    sentences = [*_best(evaluation, level, statistic), _subject(evaluation)]
    if np.isnan(evaluation.table[statistic].iloc[0]):
        return sentences
    if _smallest_p_value(found) > found.alpha:  # the warnings say what to do
        return [
            "Which metric is better by more than chance cannot be tested here: "
            f"{found.comparison.n_units} documents or segments are too few for any p-value to be "
            "small enough.",
            *sentences,
        ]
    how = f"{_TESTS[found.test]}, Holm's correction, {100 * found.alpha:g} % level"
    answer = behind(found.p_values.iloc[0], found.alpha, how)
    return [*answer, *first_group(found.clusters, "cluster", "metric"), *sentences]


def _smallest_p_value(found):
    """Return the smallest corrected p-value that exchanges of so few documents can give."""
    n, tests = found.comparison.n_units, int(found.p_values.notna().to_numpy().sum())
    # The observed exchange and its opposite are two of 2^n.
    return 0.0 if n is None else tests * 2.0 ** (1 - n)


def warnings_of_comparison(found):
    """Warn of what the evaluation warns of, and of a test that cannot find any difference."""
    warnings = warnings_of_evaluation(found.evaluation)
    smallest = _smallest_p_value(found)
    if smallest > found.alpha:
        warnings.insert(
            0,
            f"The smallest p-value that exchanges of {found.comparison.n_units} documents or "
            f"segments can give is {min(smallest, 1):.3g} after Holm's correction, so that no "
            f"metric can be significantly better at the {100 * found.alpha:g} % level: more "
            "documents, or fewer metrics, are needed.",
        )
    return warnings


def summary_of_task(found):
    """Say which metric is best over all tasks, and which cannot be told apart from it."""
    table, campaigns = found.table, list(dict.fromkeys(name for name, _ in found.tasks))
    statistics = dict.fromkeys(statistic for _, statistic in found.tasks)
    subject = (
        f"{counted(len(table), 'metric')} {'was' if len(table) == 1 else 'were'} compared with "
        f"human judgements in {counted(len(found.tasks), 'task')}: "
        f"{listed(map(_said, statistics))} of {listed(campaigns)}."
    )
    by, ends = "average", "the highest average over all tasks, {} (x 100)"
    value = table["average"].map(percent)
    if found.sort_by == "ranks":
        by, ends = "average_rank", "the best mean rank over all tasks, {}"
        value = table["average_rank"].map("{:.2f}".format)
    if np.isnan(table[by].iloc[0]):
        return ["No metric has a value in all tasks, so that none is best.", subject]
    names = table.index[table[by] == table[by].iloc[0]]
    best = f"{listed(names)} {has(names)} {ends.format(value.iloc[0])}."
    group = first_group(table["cluster"], "cluster", "metric")
    if found.sort_by == "ranks":
        return [best, *group, subject]
    how = f"permutation test of the average, {100 * found.alpha:g} % level"
    return [*behind(found.p_values.iloc[0], found.alpha, how), best, *group, subject]


def warnings_of_task(found):
    """Warn of undefined values and metrics left out."""
    warnings = []
    for campaign, statistic in found.tasks:
        values, where = found.table[f"{campaign}_{statistic}"], f" in {name_of(campaign)}"
        warnings += undefined(values, _said(statistic), where)
    if found.left_out:
        warnings.append(
            f"{listed(found.left_out)} {has(found.left_out, 'is', 'are')} left out, because not "
            "all campaigns have scores."
        )
    return warnings


def _subject(found):
    """Say what was compared, and on what."""
    counts, n = found.counts, len(found.table)
    return (
        f"{counted(n, 'metric')} {'was' if n == 1 else 'were'} compared with "
        f"{counted(counts['rows'], 'human judgement')} of translations "
        f"({counted(counts['systems'], 'system')}, {counted(counts['segments'], 'segment')}), "
        f"which make {counted(counts['pairs'], 'pair')} that can be compared."
    )


def _mains(found):
    """Return the first statistic of each level."""
    mains = {}
    for name in found.statistics:
        mains.setdefault("system" if name.startswith("system_") else "segment", name)
    if found.options.level != "system":
        mains["segment"] = found.options.statistic
    return mains


def _best(found, level, statistic):
    """Say which metric has the highest value of a statistic."""
    table = found.table
    where = {"segment": "On segments", "system": "On systems"}[level]
    highest = table[statistic].max()
    if np.isnan(highest):
        return [
            f"{where}, {heading(statistic)} is undefined for every metric, so that none is best."
        ]
    of_best = table[table[statistic] == highest]
    best, row = of_best.index, of_best.iloc[0]
    value = value_of(row, statistic, f"{statistic}_")
    how = f"x 100, {100 * found.options.confidence:g} % interval"
    if len(table) == 1:
        ends = f"{listed(best)} reaches a {heading(statistic)} of {value} with annotators ({how})"
    else:
        its = f"its {heading(statistic)}" if len(best) == 1 else f"{heading(statistic)} of each"
        agree = has(best, "agrees", "agree")
        ends = f"{listed(best)} {agree} best with annotators: {its} is {value} ({how})"
    sentences = [f"{where}, {ends}."]
    if level == "segment" and found.options.ceiling is not None:
        ceiling = found.options.ceiling
        part, least, most = (
            percent(row["of_ceiling"] * ceiling.ceiling / end)
            for end in (ceiling.ceiling, ceiling.highest, ceiling.lowest)
        )
        sentences.append(
            f"That is about {part} % ({least} to {most} %) of what any metric could reach: since "
            "annotators differ, it cannot do better than always side with their majority."
        )
    return sentences


def _said(statistic):
    """Name a statistic with its level."""
    level = "systems" if statistic.startswith("system_") else "segments"
    return f"{heading(statistic)} on {level}"


def _ties_that_cost():
    """Return the names of statistics in which a tie of the metric counts as a mistake."""
    return {
        name
        for name, statistic in STATISTICS.items()
        if statistic.is_tau and statistic.numerator[2] < 0 and statistic.denominators[0][2]
    }
