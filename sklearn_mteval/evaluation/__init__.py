"""Meta-evaluation: which metrics agree with people, as one table with one signature."""

from sklearn_mteval.evaluation._compare import TESTS, Comparison, compare_metrics
from sklearn_mteval.evaluation._evaluate import Evaluation, evaluate_metrics
from sklearn_mteval.evaluation._options import GROUPINGS, LEVELS

__all__ = [
    "GROUPINGS",
    "LEVELS",
    "TESTS",
    "Comparison",
    "Evaluation",
    "compare_metrics",
    "evaluate_metrics",
]
