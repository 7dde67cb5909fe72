"""Feature transformers: one row of numbers per candidate translation."""

from sklearn_mteval.features.bleu import BLEUComp, sentence_bleu
from sklearn_mteval.features.embeddings import EmbeddingAverager
from sklearn_mteval.features.ter import TERComp

__all__ = ["BLEUComp", "EmbeddingAverager", "TERComp", "sentence_bleu"]
