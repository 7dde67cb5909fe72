"""Results as text, TSV, JSON, LaTeX and Markdown: ``formats`` has one function for each."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "FORMATS": "formats",
        "agreement_report": "agreement",
        "comparison_report": "metrics",
        "evaluation_report": "metrics",
        "leaderboard_report": "leaderboard",
        "score_report": "scores",
        "segment_report": "rankings",
        "system_report": "rankings",
        "system_score_report": "scores",
        "task_report": "tasks",
        "tree_report": "trees",
    },
)
