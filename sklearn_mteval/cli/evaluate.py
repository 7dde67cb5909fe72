"""Measure how well metrics agree with human judgements, on segments and on systems.

Prints a table of metrics, best first, each statistic with its interval, and one signature line
that says how the numbers were made. 'compare' adds whether the differences are more than chance.
"""

from sklearn_mteval.cli import _evaluation
from sklearn_mteval.cli._options import add
from sklearn_mteval.evaluation.option_values import ROWS

MORE = "meta_evaluation"
EXAMPLES = (
    "sklearn-mteval evaluate judged.csv --better higher --metrics bleu chrf",
    "sklearn-mteval evaluate judged.csv --better higher --scores comet=comet.txt",
    "sklearn-mteval evaluate wmt12 --lang-pair de-en cs-en --model static-en",
    "sklearn-mteval evaluate wmt23 --lang-pair zh-en --statistic acc_eq -f markdown",
)


def add_arguments(parser):
    """Declare the arguments."""
    _evaluation.add_arguments(parser)
    add(parser.add_argument_group("what is compared, and what ties"), "--rows",
        "evaluate all metrics on what all have scored, or each on its own (default: common)",
        "common", choices=ROWS)  # fmt: skip


def run(arguments):
    """Evaluate and print."""
    from sklearn_mteval.evaluation import evaluate_metrics

    _evaluation.run(arguments, "Metrics and annotators", evaluate_metrics)
