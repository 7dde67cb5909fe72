"""Test which metrics agree better with human judgements than which others.

Prints what 'evaluate' prints, of the rows that all metrics have scored, then a matrix of p-values
(corrected by Holm's method) and clusters of metrics that cannot be told apart.
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
    test = parser.add_argument_group("significance")
    test.add_argument(
        "--test",
        default="permutation",
        choices=["permutation", "bootstrap", "williams"],
        help="paired permutation of standardised scores (PERM-BOTH), paired bootstrap of segments, "
        "or Williams' test (--statistic pearson --grouping none); default: permutation",
    )
    test.add_argument(
        "--alpha", type=float, default=0.05, help="level of significance (default: 0.05)"
    )


def run(arguments):
    """Compare and print.

    Parameters
    ----------
    arguments : argparse.Namespace
        As declared.
    """
    import warnings

    from sklearn.exceptions import UndefinedMetricWarning

    from sklearn_mteval.cli._plots import draw_comparison
    from sklearn_mteval.evaluation import compare_metrics
    from sklearn_mteval.report.metrics import comparison_report

    y, scores = _judged_scores.load_judged_scores(arguments)
    with warnings.catch_warnings():  # the report shows what is undefined
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        found = compare_metrics(
            y,
            scores,
            test=arguments.test,
            alpha=arguments.alpha,
            n_jobs=arguments.n_jobs,
            **_judged_scores.evaluation_options(arguments),
        )
    _judged_scores.write_found(
        comparison_report(found, arguments.format),
        lambda folder: draw_comparison(found, folder),
        arguments,
    )
