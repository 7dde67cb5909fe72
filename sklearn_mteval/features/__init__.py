"""Feature transformers: one row of numbers per candidate translation."""

from sklearn_mteval.features.bleu import BLEUComp, sentence_bleu
from sklearn_mteval.features.embeddings import EmbeddingAverager
from sklearn_mteval.features.encoders import SentenceEncoder
from sklearn_mteval.features.token_alignment import TokenAlignment

__all__ = ["BLEUComp", "EmbeddingAverager", "SentenceEncoder", "TokenAlignment", "sentence_bleu"]
