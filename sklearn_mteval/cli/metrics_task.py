"""Rank the metrics of a test set over language pairs and levels, as the WMT metrics tasks do.

Reads a test set in mt-metrics-eval's layout. Prints each metric's statistic of system level and of
segment level for each language pair, their mean, and significance clusters.
"""

from sklearn_mteval.cli._options import add_output_format, add_shared, options_for
from sklearn_mteval.evaluation.option_values import TASK_AVERAGES
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS
from sklearn_mteval.report.formats import formats_of

__all__ = ["add_arguments", "run"]

_NONE = "none"


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument("root", metavar="DIR", help="the test set, e.g. wmt23")
    parser.add_argument(
        "--lang-pair", nargs="+", required=True, metavar="SRC-TRG", help="e.g. zh-en he-en"
    )
    parser.add_argument(
        "--gold", default="mqm", metavar="NAME", help="which human scores (default: mqm)"
    )
    parser.add_argument(
        "--metric-scores",
        nargs="+",
        metavar="NAME",
        help="which metrics of the folder (default: all that every language pair has)",
    )
    parser.add_argument(
        "--no-human-systems",
        action="store_true",
        help="leave out references that the campaign evaluates as systems",
    )
    parser.add_argument(
        "--system-statistic",
        default="spa",
        choices=[*SYSTEM_STATISTICS, _NONE],
        help="default: spa, soft pairwise accuracy",
    )
    parser.add_argument(
        "--segment-statistic",
        default="acc_eq",
        choices=[*STATISTICS, _NONE],
        metavar="NAME",
        help="default: acc_eq, calibrated; any that 'evaluate' has, or none",
    )
    parser.add_argument(
        "--sort-by",
        default="values",
        choices=TASK_AVERAGES,
        help="sort by the mean of the statistics, or of the clusters (default: values)",
    )
    parser.add_argument(
        "--correction", default=_NONE, choices=["holm", _NONE], help="of p-values (default: none)"
    )
    formats = formats_of("report")
    add_output_format(parser, formats, formats[0])
    add_shared(parser, "--alpha", help="of clusters (default: 0.05)")
    add_shared(parser, "--ranks", "--missing", "--permutations", "--seed", "--output", "--n-jobs")


def run(arguments):
    """Rank and print."""
    from sklearn_mteval.cli._output import check_paths, write
    from sklearn_mteval.datasets import load_judgements
    from sklearn_mteval.evaluation import metrics_task
    from sklearn_mteval.report import task_report

    check_paths({"-o": arguments.output}, [], [arguments.root])
    campaigns = {
        lang_pair: load_judgements(
            arguments.root,
            "mtme",
            lang_pair=lang_pair,
            gold=arguments.gold,
            human_systems=not arguments.no_human_systems,
            metric_scores=arguments.metric_scores or True,
        )
        for lang_pair in arguments.lang_pair
    }
    options = options_for(arguments, metrics_task).items()
    found = metrics_task(
        campaigns, **{name: None if value == _NONE else value for name, value in options}
    )
    write(task_report(found, arguments.output_format), arguments.output)
