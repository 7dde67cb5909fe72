"""Plots as the commands write them: PNG files of an evaluation in a folder, SVG of trees."""

import os
import sys
from pathlib import Path

from sklearn_mteval._helpers.atomic import write_atomically
from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval.cli._output import check_name
from sklearn_mteval.plots import (
    AgreementDisplay,
    ChallengeDisplay,
    DecisionTableDisplay,
    LeaderboardDisplay,
    SignificanceDisplay,
    SystemScatterDisplay,
)
from sklearn_mteval.plots.drawing import drawn
from sklearn_mteval.report.metrics import heading

__all__ = [
    "draw_challenge", "draw_comparison", "draw_decisions", "draw_evaluation",
    "draw_leaderboard", "load_matplotlib", "prepare",
]  # fmt: skip


def prepare(folder):
    """Make a folder for plots, or raise ImportError without matplotlib, OSError without folder."""
    load_matplotlib("--plots")
    check_name("--plots", folder)
    if os.path.isfile(folder):
        raise NotADirectoryError(f"--plots {folder}: expected a folder, found a file.")
    Path(folder).mkdir(parents=True, exist_ok=True)


def draw_evaluation(evaluation, folder):
    """Draw the statistic that metrics are sorted by, and the systems by the best metric.

    Written are ``agreement.png`` and, unless there are segments only, ``systems.png``.
    """
    name, table = evaluation.main_statistic, evaluation.table
    level = "systems" if name.startswith("system_") else "segments"
    label = f"{heading(name)}, {level}" if level == "systems" else name
    bounds = table[[f"{name}_low", f"{name}_high"]].to_numpy()
    display = AgreementDisplay(table.index, table[name].to_numpy(), bounds, statistic=label)
    _save(display, folder, "agreement")
    if evaluation.systems is None:
        return
    best = table.index[0]
    scores = evaluation.systems[["human", best]].dropna()
    if len(scores):
        display = SystemScatterDisplay(
            _without_common_parts(scores.index),
            scores["human"],
            scores[best],
            metric_name=f"{best}, mean of segments",
        )
        _save(display, folder, "systems")


def _without_common_parts(names):
    """Shorten names that are all of one file name's pattern, as WMT15's are."""
    parts = [str(name).split(".") for name in names]
    for end in (0, -1):
        while len(parts) > 1 and min(map(len, parts)) > 1 and len({p[end] for p in parts}) == 1:
            for part in parts:
                part.pop(end)
    return [".".join(part) for part in parts]


def draw_comparison(comparison, folder):
    """Draw what :func:`draw_evaluation` draws, and p-values with clusters: ``significance.png``."""
    evaluation, clusters = comparison.evaluation, comparison.clusters
    draw_evaluation(evaluation, folder)
    numbers = sorted(set(clusters) - {0})  # 0 is undefined
    display = SignificanceDisplay(
        comparison.p_values.index,
        comparison.p_values.to_numpy(),
        values=evaluation.table[evaluation.main_statistic].to_numpy(),
        clusters=[list(clusters.index[clusters == number]) for number in numbers],
        p_name="Holm's p",
        ranks=comparison.ranks,
    )
    _save(display, folder, "significance", alpha=comparison.alpha)


def draw_challenge(found, folder):
    """Draw how often sound translations win: ``challenge.png``."""
    _save(ChallengeDisplay.of(found), folder, "challenge")


def draw_leaderboard(leaderboard, folder):
    """Draw the scores of systems: ``leaderboard.png``; and ``judges.png`` of a model of judges."""
    _save(LeaderboardDisplay.of(leaderboard), folder, "leaderboard")
    if leaderboard.options.get("judge_model", "alike") != "alike":
        _save(LeaderboardDisplay.of_judges(leaderboard), folder, "judges")


def draw_decisions(found, folder):
    """Draw how often annotators agree with a difference: ``decisions.png``."""
    _save(DecisionTableDisplay.of(found), folder, "decisions")


def _save(display, folder, name, **options):
    """Draw a display and write it, whole or not at all."""
    write_atomically(Path(folder) / f"{name}.png", drawn(display, "png", **options))


def load_matplotlib(option):
    """Load matplotlib, which an option needs; no display is needed to write files."""
    matplotlib = import_extra("matplotlib", "plots", option)
    if "matplotlib.pyplot" not in sys.modules:
        matplotlib.use("Agg")
