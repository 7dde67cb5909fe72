"""Meta-evaluation: which metrics agree with annotators, as one table with one signature."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "GROUPINGS": "option_values",
        "LEVELS": "option_values",
        "ROWS": "option_values",
        "SCALES": "option_values",
        "SELECTIONS": "option_values",
        "RankerScores": "join",
        "TESTS": "option_values",
        "TIES": "option_values",
        "Comparison": "compare",
        "Evaluation": "evaluate",
        "Leaderboard": "leaderboards",
        "MetricsTask": "task_table",
        "TASK_AVERAGES": "option_values",
        "audit_judges": "audit",
        "collect_scores": "collected_scores",
        "compare_metrics": "compare",
        "evaluate_metrics": "evaluate",
        "leaderboard": "leaderboards",
        "metrics_task": "task_table",
        "select_segments": "selection",
    },
)
