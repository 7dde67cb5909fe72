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
        "Judgements": "judgements",
        "Leaderboard": "leaderboards",
        "MetricsTask": "task_table",
        "TASK_AVERAGES": "option_values",
        "audit_judges": "audit",
        "collect_scores": "judgements",
        "compare_metrics": "compare",
        "evaluate_metrics": "evaluate",
        "esa_judgements": "judgements",
        "leaderboard": "leaderboards",
        "metrics_task": "task_table",
        "mqm_judgements": "judgements",
        "mtme_judgements": "judgements",
        "own_judgements": "judgements",
        "select_segments": "selection",
        "wmt_judgements": "judgements",
    },
)
