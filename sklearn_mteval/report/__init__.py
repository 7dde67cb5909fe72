"""Results as text, TSV, JSON, LaTeX and Markdown: ``formats`` has one function for each."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "comparison_report": "metrics",
        "evaluation_report": "metrics",
        "leaderboard_report": "leaderboard",
        "task_report": "tasks",
    },
)
