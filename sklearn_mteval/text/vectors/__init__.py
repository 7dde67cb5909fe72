"""Word vectors: files, mappings, gensim's `KeyedVectors`."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {"WordVectors": "word_vectors", "load_word_vectors": "word_vectors"}
)
