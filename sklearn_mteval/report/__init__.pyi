from sklearn_mteval.report.html.pages import html_report as html_report
from sklearn_mteval.report.results import report_text as report_text
