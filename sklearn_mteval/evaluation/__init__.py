"""Meta-evaluation: which metrics agree with people, as one table with one signature."""

from sklearn_mteval.evaluation._evaluate import Evaluation, evaluate_metrics

__all__ = ["Evaluation", "evaluate_metrics"]
