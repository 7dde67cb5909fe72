"""Values of the options of an evaluation. Importing them loads nothing: ``--help`` lists them."""

__all__ = ["GROUPINGS", "LEVELS", "TESTS"]

LEVELS = ("both", "segment", "system")
GROUPINGS = ("segment", "system", "none")  # which judgements are compared
TESTS = ("permutation", "bootstrap", "williams")
