"""Summaries and warnings of results, by their type: what pages and notebooks ask."""

from sklearn_mteval.evaluation.challenges import Challenge
from sklearn_mteval.evaluation.compare import Comparison
from sklearn_mteval.evaluation.decisions.table import DecisionTable
from sklearn_mteval.evaluation.evaluate import Evaluation
from sklearn_mteval.evaluation.leaderboards.board import Leaderboard
from sklearn_mteval.evaluation.marked_errors import MarkedErrors
from sklearn_mteval.evaluation.task_table import MetricsTask
from sklearn_mteval.models.training_result import TrainingResult
from sklearn_mteval.report.summaries import agreement, decisions, models, systems

SUMMARIES = {  # by type: what makes sentences, and what makes warnings
    Challenge: (models.summary_of_challenge, models.warnings_of_challenge),
    Comparison: (agreement.summary_of_comparison, agreement.warnings_of_comparison),
    DecisionTable: (decisions.summary_of_decisions, decisions.warnings_of_decisions),
    Evaluation: (agreement.summary_of_evaluation, agreement.warnings_of_evaluation),
    Leaderboard: (systems.summary_of_leaderboard, systems.warnings_of_leaderboard),
    MarkedErrors: (decisions.summary_of_marked_errors, decisions.warnings_of_marked_errors),
    MetricsTask: (agreement.summary_of_task, agreement.warnings_of_task),
    TrainingResult: (models.summary_of_training, models.warnings_of_training),
}


def summary_of(found):
    """Say a result in whole sentences; none of a type that has no summary."""
    summary, _ = SUMMARIES.get(type(found), (_nothing, _nothing))
    return summary(found)


def warnings_of(found):
    """Say in whole sentences what a reader should know before trusting a result."""
    _, warnings = SUMMARIES.get(type(found), (_nothing, _nothing))
    return warnings(found)


def _nothing(found):
    """Say nothing."""
    return []
