"""Loaders: rankings, penalties, translations and scores in files, as candidate tables."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "Judgements": "judgements",
        "candidates_from_frame": "own.tidy",
        "load_esa": "campaigns.esa",
        "load_judgements": "judgements",
        "load_mqm": "campaigns.mqm",
        "load_mtme": "campaigns.mtme",
        "load_pearmut": "campaigns.pearmut",
        "load_rankings": "own.rankings",
        "load_sample": "sample",
        "load_scores": "scores",
        "load_translations": "text_files",
        "load_wmt": "campaigns.wmt",
        "load_wmt_translations": "campaigns.wmt",
        "make_rankings": "synthetic",
        "similarity_from_rankings": "sklearn_mteval.neural.reval.similarity",
        "to_long": "own.tidy",
    },
)
