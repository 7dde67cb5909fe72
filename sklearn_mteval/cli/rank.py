"""Rank the outputs of several systems with a model.

Reads plain UTF-8 text, one segment per line, all files of equal length; one of them may be '-',
standard input, and each a pipe. Writes rank, strength and score of every translation to standard
output or a file, and which system is better: a table of the systems, sorted by the means of their
scores, with intervals, and letters that those share which a paired test does not tell apart. Equal
texts count once.
"""

from sklearn_mteval.cli import _translations

MORE = "rank_and_score"
EXAMPLES = (
    "sklearn-mteval rank -s source.de -r reference.en -t mine.en other.en",
    "sklearn-mteval rank my-model -s source.de -r reference.en -t mine.en other.en",
)


def add_arguments(parser):
    """Declare the arguments."""
    _translations.add_arguments(parser, n_systems="two", output="ranks")


def run(arguments):
    """Rank and write."""
    _translations.run(arguments, "ranks", min_systems=2)
