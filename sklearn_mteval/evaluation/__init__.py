"""Meta-evaluation: which metrics agree with annotators, as one table with one signature."""

from sklearn_mteval.evaluation.compare import TESTS, Comparison, compare_metrics
from sklearn_mteval.evaluation.evaluate import LEVELS, Evaluation, evaluate_metrics
from sklearn_mteval.evaluation.segment import GROUPINGS

__all__ = [
    "GROUPINGS",
    "LEVELS",
    "TESTS",
    "Comparison",
    "Evaluation",
    "compare_metrics",
    "evaluate_metrics",
]
