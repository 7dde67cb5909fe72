"""Overlap of words and characters with the reference: BLEU, chrF, TER, METEOR and NIST."""
