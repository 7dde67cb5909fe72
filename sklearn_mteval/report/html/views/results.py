"""What is shown of results that have a report: summary, warnings and all tables."""

from sklearn_mteval.report.html.views.view import View
from sklearn_mteval.report.reports import report_of
from sklearn_mteval.report.summaries.registry import summary_of, warnings_of

_TITLES = {
    "Challenge": "Challenge",
    "Comparison": "Comparison of metrics",
    "DecisionTable": "Decision table",
    "Evaluation": "Evaluation of metrics",
    "Leaderboard": "Leaderboard",
    "MarkedErrors": "Marked errors",
    "MetricsTask": "Metrics task",
    "TrainingResult": "Training",
}


def view_of_result(found):
    """Return the view of a result of any type of ``REPORTS``."""
    title = _TITLES[type(found).__name__]
    return View(title, report_of(found), summary_of(found), warnings_of(found))
