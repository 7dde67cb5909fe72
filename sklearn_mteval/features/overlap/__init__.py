"""Words and characters that translation and reference share: BLEU, chrF, TER, METEOR, NIST."""
