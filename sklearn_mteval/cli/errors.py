"""Measure metrics where annotators marked errors: what they mark, and what they find error-free.

Prints, for each metric that marks errors itself (--spans), precision, recall and F of the
characters that annotators marked; and for scores of metrics how well they tell error-free
translations from others: average precision, calibrated probabilities, and a threshold tried on
held-out documents.
"""

from functools import partial

from sklearn_mteval.cli import _evaluation, _html, _judgements, _reports
from sklearn_mteval.cli._options import add, add_shared, options_for
from sklearn_mteval.cli._scores import named

_UNMATCHED = "words without counterpart"  # in the reference, as pages show them
MORE = "error_spans"
EXAMPLES = (
    "sklearn-mteval errors wmt23 --lang-pair zh-en --gold esa --spans xcomet.tsv",
    "sklearn-mteval errors wmt23 --lang-pair zh-en --gold esa --precision 0.95",
)


def add_arguments(parser):
    """Declare the arguments."""
    _judgements.add_arguments(parser)
    _evaluation.add_scores(parser)
    marked = parser.add_argument_group("errors that a metric marks")
    add(marked, "--spans [NAME=]FILE ...",
        "errors that a metric marked: what 'score --marks' wrote, or lines SYSTEM, tab, "
        '{"errors": [{"start": 0, "end": 4, "severity": "major"}]}, the k-th line of a system for '
        "its segment k")  # fmt: skip
    add(marked, "--measure",
        "errors matched one to one, or characters that both marked (default: mpp)", "mpp",
        choices=["mpp", "characters"])  # fmt: skip
    more = parser.add_argument_group("how errors and scores are counted", rare=True)
    add(more, "--average", "over all errors, or over translations (default: micro)", "micro",
        choices=["micro", "macro"])  # fmt: skip
    add(more, "--severity-credit CREDIT", "of a match with another severity, 0 to 1 (default: 1)",
        1.0)  # fmt: skip
    free = parser.add_argument_group("error-free translations")
    add(free, "--min-score SCORE",
        "error-free is what has at least this score and no marked error (default: 85; of "
        "penalties 0)", type=float)  # fmt: skip
    add(free, "--precision PRECISION", "wanted of what is accepted, between 0 and 1 (default: 0.9)",
        0.9)  # fmt: skip
    add(more, "--calibration", "how scores become probabilities (default: isotonic)", "isotonic",
        choices=["isotonic", "logistic"])  # fmt: skip
    add_shared(parser, "--missing", "--confidence", "--resamples", "--seed")
    _evaluation.add_jobs(parser)
    _reports.add_output(parser)


def run(arguments):
    """Load what the arguments name, evaluate it and write the report."""
    _reports.run(arguments, _work)


def _work(arguments, path, kind):
    """Evaluate one language pair."""
    from pathlib import Path

    from sklearn_mteval.datasets.span_files import load_spans
    from sklearn_mteval.evaluation.marked_errors import evaluate_marked_errors
    from sklearn_mteval.evaluation.span_baselines import BASELINES
    from sklearn_mteval.models.explanations.words import unmatched_spans

    marked = list(map(named, arguments.spans))
    judgements = _evaluation.load_checked(arguments, path, kind, [file for _, file in marked])
    spans = {}
    for name, file in marked:
        name = name or Path(file).name.partition(".")[0]
        if name in spans or name in (*BASELINES, _UNMATCHED):
            raise ValueError(f"two rows of --spans are named {name!r}: name one NAME=FILE.")
        spans[name] = load_spans(file, judgements, arguments.missing)
    if spans and "reference" in judgements.X:
        spans[_UNMATCHED] = unmatched_spans(judgements.X)
    scores = _evaluation.collect_given(arguments, kind, judgements)
    found = evaluate_marked_errors(
        judgements, scores, spans, **options_for(arguments, evaluate_marked_errors)
    )
    given, lower = {"": (judgements, scores)}, arguments.lower_is_better
    contents = partial(_html.contents_of_judgements, given, lower_is_better=lower)
    return _reports.Work(found, f"Marked errors, {Path(path).name}", contents)
