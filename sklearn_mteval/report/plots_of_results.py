"""Plots of results, as commands write them and pages show them: ``of_…`` lists those of one."""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, NamedTuple

import sklearn_mteval.plots as plots
from sklearn_mteval.plots._base import MOST_NAMES
from sklearn_mteval.plots.drawing import drawings
from sklearn_mteval.report.metrics import heading
from sklearn_mteval.report.short_names import short_names

_MISSING = "Further plots are left out: they need pip install 'sklearn-mteval[plots]'."


class Plot(NamedTuple):
    """One plot."""

    name: str  # of the file
    title: str
    description: str  # what is seen, for those who cannot look at it
    display: Any  # with ``plot``
    options: Mapping = MappingProxyType({})  # of its ``plot``
    pictured: bool = False  # the page has a picture that says the same


def can_draw():
    """Tell whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def for_page(listed):
    """Draw listed plots as a page shows them, for light and dark, but those that its picture
    repeats; return them, and notes.
    """
    listed = [plot for plot in listed if not plot.pictured]
    if listed and not can_draw():
        return [], [_MISSING]
    found = []
    for plot in listed:
        light, dark = drawings(plot.display, **plot.options)
        found.append({"title": plot.title, "description": plot.description})
        found[-1] |= {"light": light, "dark": dark}
    return found, []


def of_evaluation(evaluation):
    """List ``agreement`` and, unless there are segments only, ``systems`` by the best metric."""
    name, table = evaluation.main_statistic, evaluation.table
    level = "systems" if name.startswith("system_") else "segments"
    label = f"{heading(name)}, {level}" if level == "systems" else name
    bounds = table[[f"{name}_low", f"{name}_high"]].to_numpy()
    yield Plot(
        "agreement",
        "Agreement of metrics with annotators",
        f"A dot and an interval for each of {len(table)} metrics, the best on top: the columns of "
        f"{heading(name)} in the table.",
        plots.AgreementDisplay(table.index, table[name].to_numpy(), bounds, statistic=label),
        pictured=True,
    )
    if evaluation.systems is None:
        return
    best = table.index[0]
    scores = evaluation.systems[["human", best]].dropna()[:MOST_NAMES]
    if len(scores):
        display = plots.SystemScatterDisplay(
            short_names(scores.index),
            scores["human"],
            scores[best],
            metric_name=f"{best}, mean of segments",
        )
        what = f"A dot for each of {len(scores)} systems: to the right the better by annotators, "
        yield Plot(
            "systems", f"Systems by annotators and by {best}", f"{what}above by {best}.", display
        )


def of_comparison(comparison):
    """List what :func:`of_evaluation` lists, and p-values with clusters: ``significance``."""
    evaluation, clusters = comparison.evaluation, comparison.clusters
    yield from of_evaluation(evaluation)
    numbers = sorted(set(clusters) - {0})  # 0 is undefined
    display = plots.SignificanceDisplay(
        comparison.p_values.index,
        comparison.p_values.to_numpy(),
        values=evaluation.table[evaluation.main_statistic].to_numpy(),
        clusters=[list(clusters.index[clusters == number]) for number in numbers],
        p_name="Holm's p",
        ranks=comparison.ranks,
    )
    yield Plot(
        "significance",
        "Which metric is significantly better",
        "The p-values of the table: a cell for each pair of metrics, dark where the row is surely "
        "better than the column, or of more than 12 a row for each metric, with a line to those "
        "that it cannot be told apart from.",
        display,
        {"alpha": comparison.alpha},
    )


def of_challenge(found):
    """List how often sound translations win: ``challenge``."""
    yield Plot(
        "challenge",
        "How often sound translations win",
        "A row for each kind of corruption, a dot for the model and each metric: the table's "
        "proportions.",
        plots.ChallengeDisplay.of(found),
        pictured=True,
    )


def of_leaderboard(leaderboard):
    """List the scores of systems, ``leaderboard``, and ``judges`` of a model of judges."""
    n_systems = min(len(leaderboard.table), MOST_NAMES)
    yield Plot(
        "leaderboard",
        "Systems and their intervals",
        f"A dot and its intervals for each of {n_systems} systems, the best on top, and "
        "its letters: the columns of the table.",
        plots.LeaderboardDisplay.of(leaderboard),
        pictured=True,
    )
    if leaderboard.options.get("judge_model", "alike") != "alike":
        yield Plot(
            "judges",
            "How much differences of systems sway each judge",
            "A dot and an interval for each judge; one at 0 guesses, one at 1 is like the others.",
            plots.LeaderboardDisplay.of_judges(leaderboard),
        )


def of_audit(audit):
    """Make the plot of an audit of judges: ``agreement_of_judges``; of many, who judged most."""
    if len(audit) > MOST_NAMES:
        audit = audit.sort_values("judgements", ascending=False, kind="stable")[:MOST_NAMES]
    return Plot(
        "agreement_of_judges",
        "How far judges agree",
        f"A row for each of {len(audit)} judges: the proportion of verdicts on the same two "
        "translations that agree with those of others, and with the judge's own.",
        plots.JudgesDisplay(audit),
    )


def of_decisions(found):
    """List how often annotators agree with a difference: ``decisions``."""
    yield Plot(
        "decisions",
        "How often annotators agree with a difference",
        "A curve that rises with the difference between two systems: the table's proportions.",
        plots.DecisionTableDisplay.of(found),
        pictured=True,
    )


def of_selection(scores, methods, **options):
    """Make the plot of the errors of methods that choose segments: ``selection``."""
    from matplotlib.figure import Figure

    own = Figure().add_subplot()  # thrown away
    return Plot(
        "selection",
        "How much a part of the segments says of all",
        f"A falling curve for {' and '.join(methods)}: the error of a system's mean by the "
        "proportion of segments that is judged. A line stands at the proportion chosen.",
        plots.SelectionDisplay.from_scores(scores, methods=methods, ax=own, **options),
    )


def of_systems(systems, counts):
    """List ``systems`` and, where there are any, ``scores``, of which there are counts."""
    shown = min(len(systems), MOST_NAMES)
    yield Plot(
        "systems",
        "Systems and their intervals",
        f"A dot and an interval for each of {shown} systems, the best on top: the columns "
        "of the table.",
        plots.LeaderboardDisplay.of_systems(systems),
        pictured=True,
    )
    if systems["score"].notna().any():
        quantiles = counts.quantiles().reindex(systems.index)[:MOST_NAMES]
        yield Plot(
            "scores",
            "How the scores of translations are distributed",
            f"A row for each of {shown} systems: the median score, the middle half and the "
            "middle 90 % of its scores.",
            plots.ScoreDistributionDisplay(quantiles.index, quantiles),
        )


def of_training(result):
    """List what more judgements bring: ``learning_curve``."""
    yield Plot(
        "learning_curve",
        "What more judgements bring",
        "Agreement with annotators on segments held out, for each number of segments trained on: "
        "the learning curve of the report.",
        plots.LearningCurveDisplay.of(result),
    )
