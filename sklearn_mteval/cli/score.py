"""Score the outputs of one system or several with a model.

Reads plain UTF-8 text, one segment per line, all files of equal length; one of them may be '-',
standard input, and each a pipe. Writes a score of every segment, from -1 to 1, higher is better, to
standard output or a file, as 'evaluate --scores' reads them, and which system is better: a table of
the means of their scores with intervals, and letters that those share which a paired test does not
tell apart.
"""

from sklearn_mteval.cli import _translations

MORE = "rank_and_score"
EXAMPLES = (
    "sklearn-mteval score -s source.de -r reference.en -t mine.en",
    "sklearn-mteval score -r reference.en -t mine.en --flags -f tsv -o scores.tsv",
    "sklearn-mteval score any -s source.en -r reference.de -t mine.de",
)


def add_arguments(parser):
    """Declare the arguments."""
    _translations.add_arguments(parser, n_systems="one", output="scores")


def run(arguments):
    """Score and write."""
    _translations.run(arguments, "scores", min_systems=1)
