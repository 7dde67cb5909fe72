"""Feature transformers: one row of numbers per candidate translation."""

from sklearn_mteval.features.bleu import BLEUComp, sentence_bleu
from sklearn_mteval.features.chrf import ChrFComp
from sklearn_mteval.features.embeddings import EmbeddingAverager
from sklearn_mteval.features.nist import NISTScore

__all__ = ["BLEUComp", "ChrFComp", "EmbeddingAverager", "NISTScore", "sentence_bleu"]
