"""Predictions of a model, cross-fitted, as features of another; public as names of ``features``."""
