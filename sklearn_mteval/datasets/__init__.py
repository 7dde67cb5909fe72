"""Loaders: rankings, penalties, translations and scores in files, as candidate tables."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "candidates_from_frame": "tidy",
        "check_same_length": "_files",
        "load_esa": "esa",
        "load_mqm": "mqm",
        "load_mtme": "mtme",
        "load_pearmut": "pearmut",
        "load_rankings": "rankings",
        "load_sample": "sample",
        "load_scores": "scores",
        "load_translations": "text_files",
        "load_wmt": "wmt",
        "load_wmt_translations": "wmt",
        "make_rankings": "synthetic",
        "read_lines": "_files",
        "read_table": "_files",
        "similarity_from_rankings": "sklearn_mteval.neural.reval.similarity",
        "to_long": "tidy",
        "wmt_system_names": "wmt",
    },
)
