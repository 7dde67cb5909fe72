"""Values of the options of an evaluation. Importing them loads nothing: ``--help`` lists them."""

__all__ = ["GROUPINGS", "LEVELS", "ROWS", "TESTS"]

LEVELS = ("both", "segment", "system")
GROUPINGS = ("segment", "system", "none")  # which judgements are compared
ROWS = ("common", "own")  # what metrics are evaluated on
TESTS = ("permutation", "bootstrap", "williams")
