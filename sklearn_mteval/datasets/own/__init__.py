"""Your own judgements, read from tables of three layouts and written to them.

``--help`` reads the names here that options take, so nothing heavy is imported.
"""

from pathlib import Path

from sklearn_mteval.datasets._entries import modules_in

# Each is a module of layouts/, which holds its entry.
LAYOUTS = modules_in(Path(__file__).with_name("layouts"))
VERDICTS = ("a", "b", "tie", "both_bad")
