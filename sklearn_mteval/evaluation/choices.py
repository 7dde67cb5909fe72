"""Values of the options of an evaluation. Importing them loads nothing: ``--help`` lists them."""

__all__ = ["GROUPINGS", "LEVELS", "ROWS", "TASK_AVERAGES", "TESTS"]

LEVELS = ("both", "segment", "system")
GROUPINGS = ("segment", "system", "none")  # which judgements are compared
ROWS = ("common", "own")  # what metrics are evaluated on
TESTS = ("permutation", "bootstrap", "williams")
TASK_AVERAGES = ("values", "ranks")  # of the tasks of a metrics task
