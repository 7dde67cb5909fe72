"""Translation and reference as vectors: averages, alignment, pretrained encoders."""
