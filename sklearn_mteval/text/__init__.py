"""What texts are made of: tokens, word vectors, language models."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "FileModel": "language_models.file_model",
        "NgramModel": "language_models.model",
        "WordVectors": "vectors.word_vectors",
        "estimate": "language_models.estimation",
        "load_word_vectors": "vectors.word_vectors",
        "write_arpa": "language_models.arpa",
    },
)
