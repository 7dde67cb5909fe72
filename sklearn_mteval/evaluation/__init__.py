"""Meta-evaluation: which metrics agree with annotators, as one table with one signature."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "Comparison": "compare",
        "Evaluation": "evaluate",
        "Leaderboard": "leaderboards",
        "MetricsTask": "task_table",
        "audit_judges": "audit",
        "collect_scores": "collected_scores",
        "compare_metrics": "compare",
        "evaluate_metrics": "evaluate",
        "leaderboard": "leaderboards",
        "metrics_task": "task_table",
        "select_segments": "selection",
    },
)
