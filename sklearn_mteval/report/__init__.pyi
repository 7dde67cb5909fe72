from sklearn_mteval.report.html.pages import html_report as html_report
from sklearn_mteval.report.leaderboard import leaderboard_report as leaderboard_report
from sklearn_mteval.report.metrics import comparison_report as comparison_report
from sklearn_mteval.report.metrics import evaluation_report as evaluation_report
from sklearn_mteval.report.tasks import task_report as task_report
