"""Rank the metrics of a test set over language pairs and levels, as the WMT metrics tasks do.

Reads a test set in mt-metrics-eval's layout. Prints each metric's statistic of system level and of
segment level for each language pair, their mean, and significance clusters.
"""

from functools import partial
from pathlib import Path

from sklearn_mteval.cli import _html, _reports
from sklearn_mteval.cli._options import add, add_shared, options_for
from sklearn_mteval.cli._output import check_paths
from sklearn_mteval.evaluation.option_values import EXCHANGED, TASK_AVERAGES
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS

MORE = "metrics_task"
EXAMPLES = (
    "sklearn-mteval metrics-task wmt23 --lang-pair zh-en he-en",
    "sklearn-mteval metrics-task wmt23 --lang-pair zh-en --segment-statistic pdp",
)

_NONE = "none"


def add_arguments(parser):
    """Declare the arguments."""
    given = parser.add_argument_group("human judgements and metrics")
    given.add_argument("root", metavar="DIR", help="the test set, e.g. wmt23")
    add(given, "--lang-pair SRC-TRG", "e.g. zh-en he-en", nargs="+", required=True)
    add(given, "--gold NAME", "which human scores (default: mqm, else esa, else da-sqm)")
    add(given, "--metric-scores NAME",
        "which metrics of the folder (default: all that every language pair has)",
        nargs="+")  # fmt: skip
    more = parser.add_argument_group("rules of the task", rare=True)
    add(more, "--no-human-systems", "leave out references that the campaign evaluates as systems")
    statistics = parser.add_argument_group("how agreement is measured")
    add(statistics, "--system-statistic", "of systems (default: spa, soft pairwise accuracy)",
        "spa", choices=[*SYSTEM_STATISTICS, _NONE])  # fmt: skip
    add(statistics, "--segment-statistic NAME",
        "of segments, any that 'evaluate' has, or none (default: acc_eq, calibrated)", "acc_eq",
        choices=[*STATISTICS, _NONE])  # fmt: skip
    add(more, "--sort-by",
        "sort by the mean of the statistics, or of the clusters (default: values)", "values",
        choices=TASK_AVERAGES)  # fmt: skip
    add(more, "--exchanged",
        "what permutations exchange as a whole: documents (segments, where none are known), or "
        "each translation, as mt-metrics-eval does, which finds more differences than there are "
        "(default: documents)", "documents", choices=EXCHANGED)  # fmt: skip
    add(more, "--correction", "of p-values (default: none)", _NONE, choices=["holm", _NONE])
    add_shared(parser, "--alpha", help="of clusters (default: 0.05)")
    _reports.add_output(parser)
    add_shared(parser, "--ranks", "--missing", "--permutations", "--seed", "--jobs")


def run(arguments):
    """Rank and print."""
    from sklearn_mteval.datasets import load_judgements
    from sklearn_mteval.datasets.suspicious.findings import warn_of_texts
    from sklearn_mteval.evaluation import metrics_task

    outputs = {"-o": arguments.output} | _html.check(arguments)
    check_paths(outputs, [], [arguments.root])
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
    for lang_pair, judged in campaigns.items():
        warn_of_texts(judged.translations, lang_pair)
    options = options_for(arguments, metrics_task).items()
    found = metrics_task(
        campaigns, **{name: None if value == _NONE else value for name, value in options}
    )
    given = {pair: (judged, dict(judged.scores.items())) for pair, judged in campaigns.items()}
    contents = partial(_html.contents_of_judgements, given, order=found.table.index)
    arguments.lang_pair = " ".join(arguments.lang_pair)
    title = f"Metrics of {Path(arguments.root).name}"
    _reports.write(arguments, _reports.Work(found, title, contents))
