"""Results by their type, each registered once: what pages, notebooks and commands make of them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn_mteval.evaluation.challenges import Challenge
from sklearn_mteval.evaluation.compare import Comparison
from sklearn_mteval.evaluation.decisions.table import DecisionTable
from sklearn_mteval.evaluation.evaluate import Evaluation
from sklearn_mteval.evaluation.leaderboards.board import Leaderboard
from sklearn_mteval.evaluation.marked_errors import MarkedErrors
from sklearn_mteval.evaluation.task_table import MetricsTask
from sklearn_mteval.models.duels import Duel
from sklearn_mteval.models.training_result import TrainingResult
from sklearn_mteval.report import plots_of_results as plots
from sklearn_mteval.report.challenge import report_of_challenge
from sklearn_mteval.report.decisions import report_of_decisions
from sklearn_mteval.report.duel import (
    picture_of_duel,
    report_of_duel,
    summary_of_duel,
    warnings_of_duel,
)
from sklearn_mteval.report.formats import write
from sklearn_mteval.report.leaderboard import report_of_leaderboard
from sklearn_mteval.report.marked_errors import report_of_marked_errors
from sklearn_mteval.report.metrics import report_of_comparison, report_of_evaluation
from sklearn_mteval.report.pictures import of_results as pictures
from sklearn_mteval.report.summaries import agreement, decisions, models, systems
from sklearn_mteval.report.tasks import report_of_task
from sklearn_mteval.report.training import report_of_training


class Result(NamedTuple):
    """What is made of a result of one type, by functions of it."""

    title: str
    report: Callable
    summary: Callable  # sentences
    warnings: Callable  # sentences: what a reader should know before trusting it
    picture: Callable
    plots: Callable = lambda found: ()


RESULTS = {
    Challenge: Result(
        "Challenge", report_of_challenge, models.summary_of_challenge,
        models.warnings_of_challenge, pictures.of_challenge, plots.of_challenge,
    ),
    Comparison: Result(
        "Comparison of metrics", report_of_comparison, agreement.summary_of_comparison,
        agreement.warnings_of_comparison, pictures.of_comparison, plots.of_comparison,
    ),
    DecisionTable: Result(
        "Decision table", report_of_decisions, decisions.summary_of_decisions,
        decisions.warnings_of_decisions, pictures.of_decisions, plots.of_decisions,
    ),
    Duel: Result("Duel", report_of_duel, summary_of_duel, warnings_of_duel, picture_of_duel),
    Evaluation: Result(
        "Evaluation of metrics", report_of_evaluation, agreement.summary_of_evaluation,
        agreement.warnings_of_evaluation, pictures.of_evaluation, plots.of_evaluation,
    ),
    Leaderboard: Result(
        "Leaderboard", report_of_leaderboard, systems.summary_of_leaderboard,
        systems.warnings_of_leaderboard, pictures.of_leaderboard, plots.of_leaderboard,
    ),
    MarkedErrors: Result(
        "Marked errors", report_of_marked_errors, decisions.summary_of_marked_errors,
        decisions.warnings_of_marked_errors, pictures.of_marked_errors,
    ),
    MetricsTask: Result(
        "Metrics task", report_of_task, agreement.summary_of_task,
        agreement.warnings_of_task, pictures.of_task,
    ),
    TrainingResult: Result(
        "Training", report_of_training, models.summary_of_training,
        models.warnings_of_training, pictures.of_training, plots.of_training,
    ),
}  # fmt: skip


def report_text(found: Any, format: str = "text") -> str:
    r"""Write a result as text: its tables, what their columns mean, and how it was made.

    Parameters
    ----------
    found : result
        What an evaluation, a comparison, a leaderboard, a metrics task, a challenge, a duel, a
        training, a measurement of marked errors or a decision table returned.
    format : {"text", "tsv", "json", "latex", "markdown"}, default="text"
        Text, LaTeX and Markdown are for readers: rounded, statistics x 100 with their intervals.
        TSV and JSON hold all digits of the statistics as they are. TSV has one line for each
        metric or system, with the signature as its last column, and reads back with
        ``pandas.read_csv(sep="\t")``; in JSON, infinite numbers are "inf" and "-inf".

    Returns
    -------
    str
        Lines, the last one ended.
    """
    return write(RESULTS[type(found)].report(found), format)
