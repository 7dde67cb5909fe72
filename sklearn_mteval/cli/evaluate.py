"""Measure how well metrics agree with human judgements, on segments and on systems.

Prints a table of metrics, best first, each figure with its interval, and one signature line that
says how the numbers were made. 'compare' adds whether the differences are more than chance.
"""

from sklearn_mteval.cli import _judged_scores

__all__ = ["add_arguments", "run"]


def add_arguments(parser):
    """Declare the arguments.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of this sub-command.
    """
    _judged_scores.add_arguments(parser)


def run(arguments):
    """Evaluate and print.

    Parameters
    ----------
    arguments : argparse.Namespace
        As declared.
    """
    import warnings

    from sklearn.exceptions import UndefinedMetricWarning

    from sklearn_mteval.cli._plots import draw_evaluation
    from sklearn_mteval.evaluation import evaluate_metrics
    from sklearn_mteval.report.metrics import evaluation_report

    y, scores = _judged_scores.load_judged_scores(arguments)
    with warnings.catch_warnings():  # the report shows what is undefined
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        found = evaluate_metrics(y, scores, **_judged_scores.evaluation_options(arguments))
    _judged_scores.write_found(
        evaluation_report(found, arguments.format),
        lambda folder: draw_evaluation(found, folder),
        arguments,
    )
