"""Feature transformers: one row of numbers per candidate translation."""

from sklearn_mteval.features.alignment import WordVectorAlignment
from sklearn_mteval.features.bleu import BLEUComp, sentence_bleu
from sklearn_mteval.features.embeddings import EmbeddingAverager

__all__ = ["BLEUComp", "EmbeddingAverager", "WordVectorAlignment", "sentence_bleu"]
