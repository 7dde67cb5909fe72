"""N-gram language models: estimated from a corpus, written as ARPA files, queried."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "FileModel": "file_model",
        "NgramModel": "model",
        "estimate": "estimation",
        "write_arpa": "arpa",
    },
)
