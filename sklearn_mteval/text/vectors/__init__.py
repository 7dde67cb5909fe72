"""Word vectors: files, mappings, gensim's `KeyedVectors`."""

from sklearn_mteval.text.vectors.word_vectors import WordVectors, load_word_vectors

__all__ = ["WordVectors", "load_word_vectors"]
