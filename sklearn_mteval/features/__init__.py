"""Feature transformers: one row of numbers per candidate translation."""

from sklearn_mteval.features.bleu import BLEUComp, sentence_bleu
from sklearn_mteval.features.embeddings import EmbeddingAverager
from sklearn_mteval.features.meteor import METEORComp

__all__ = ["BLEUComp", "EmbeddingAverager", "METEORComp", "sentence_bleu"]
