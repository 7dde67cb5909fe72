"""The reports of results, by their type: what every format, page and notebook is made of."""

from sklearn_mteval.evaluation.challenges import Challenge
from sklearn_mteval.evaluation.compare import Comparison
from sklearn_mteval.evaluation.decisions.table import DecisionTable
from sklearn_mteval.evaluation.evaluate import Evaluation
from sklearn_mteval.evaluation.leaderboards.board import Leaderboard
from sklearn_mteval.evaluation.marked_errors import MarkedErrors
from sklearn_mteval.evaluation.task_table import MetricsTask
from sklearn_mteval.models.training_result import TrainingResult
from sklearn_mteval.report.challenge import report_of_challenge
from sklearn_mteval.report.decisions import report_of_decisions
from sklearn_mteval.report.leaderboard import report_of_leaderboard
from sklearn_mteval.report.marked_errors import report_of_marked_errors
from sklearn_mteval.report.metrics import report_of_comparison, report_of_evaluation
from sklearn_mteval.report.tasks import report_of_task
from sklearn_mteval.report.training import report_of_training

REPORTS = {
    Challenge: report_of_challenge,
    Comparison: report_of_comparison,
    DecisionTable: report_of_decisions,
    Evaluation: report_of_evaluation,
    Leaderboard: report_of_leaderboard,
    MarkedErrors: report_of_marked_errors,
    MetricsTask: report_of_task,
    TrainingResult: report_of_training,
}


def report_of(found):
    """Return the Report of a result of any type of ``REPORTS``."""
    return REPORTS[type(found)](found)
