"""Models as features of other models, cross-fitted; public as names of ``features``."""
