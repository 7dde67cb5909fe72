"""Score the outputs of one system or several with a model.

Reads plain UTF-8 text, one segment per line, all files of equal length; one of them may be '-',
standard input, and each a pipe. Writes a score of every segment, from -1 to 1, higher is better, to
standard output or a file, as 'evaluate --scores' reads them, and a table of the systems: the means
of their scores with bootstrap intervals over segments.
"""

from sklearn_mteval.cli import _translations
from sklearn_mteval.cli._options import add_shared, options_for

__all__ = ["add_arguments", "run"]


def add_arguments(parser):
    """Declare the arguments."""
    _translations.add_arguments(parser, n_systems="one", output="scores")
    add_shared(parser, "--confidence", "--resamples", "--seed")


def run(arguments):
    """Score and write."""
    import warnings

    from sklearn.exceptions import UndefinedMetricWarning

    from sklearn_mteval._helpers.options import check_draws, check_proportion
    from sklearn_mteval.models import score_candidates, score_systems
    from sklearn_mteval.report.scores import score_report, system_score_report

    check_proportion("--confidence", arguments.confidence)
    check_draws("--resamples", arguments.n_resamples)
    scores = _translations.ask(arguments, score_candidates, min_systems=1)
    # The table shows what is undefined.
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        systems = score_systems(scores, **options_for(arguments, score_systems))
    segments = score_report(scores, arguments.format)
    _translations.write_tables(arguments, segments, systems, system_score_report)
