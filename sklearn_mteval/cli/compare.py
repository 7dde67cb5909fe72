"""Test which metrics agree better with human judgements than others.

Prints what 'evaluate' prints, of the rows that all metrics have scored, then a matrix of two-sided
p-values (corrected by Holm's method) and clusters of metrics that cannot be told apart.
"""

from sklearn_mteval.cli import _evaluation
from sklearn_mteval.cli._options import add, add_shared
from sklearn_mteval.evaluation.option_values import TESTS

MORE = "significance"
EXAMPLES = (
    "sklearn-mteval compare judged.csv --better higher --metrics bleu chrf ter",
    "sklearn-mteval compare wmt23 --lang-pair zh-en --statistic acc_eq",
)


def add_arguments(parser):
    """Declare the arguments."""
    _evaluation.add_arguments(parser)
    test = parser.add_argument_group("significance")
    add(test, "--test",
        "paired permutation of standardised scores, paired bootstrap, both by document, or "
        "Williams' test (--statistic pearson --grouping none); default: permutation",
        "permutation", choices=TESTS)  # fmt: skip
    add_shared(parser, "--alpha", "--ranks")


def run(arguments):
    """Compare and print."""
    from sklearn_mteval.evaluation import compare_metrics

    _evaluation.run(arguments, "Metrics compared", compare_metrics)
