"""Feature transformers: one row of numbers per candidate translation."""

from sklearn_mteval.features.bleu import BLEUComp, sentence_bleu

__all__ = ["BLEUComp", "sentence_bleu"]
