"""Paired comparisons: their models, with ties and covariates, strengths, and what is certain."""
