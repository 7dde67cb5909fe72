"""Measure how well metrics agree with human judgements, on segments and on systems.

Prints a table of metrics, best first, each statistic with its interval, and one signature line
that says how the numbers were made. 'compare' adds whether the differences are more than chance.
"""

from sklearn_mteval.cli import _evaluation
from sklearn_mteval.evaluation.option_values import ROWS

__all__ = ["add_arguments", "run"]


def add_arguments(parser):
    """Declare the arguments."""
    _evaluation.add_arguments(parser)
    parser.add_argument(
        "--rows",
        default="common",
        choices=ROWS,
        help="evaluate all metrics on what all have scored, or each on its own (default: common)",
    )


def run(arguments):
    """Evaluate and print."""
    from sklearn_mteval.cli._plots import draw_evaluation
    from sklearn_mteval.evaluation import evaluate_metrics
    from sklearn_mteval.report import evaluation_report

    _evaluation.run(arguments, evaluate_metrics, evaluation_report, draw_evaluation)
