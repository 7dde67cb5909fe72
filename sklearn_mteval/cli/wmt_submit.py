"""Answer WMT's tasks of automatic evaluation, or check what is to be submitted.

Reads the test set as the organisers hand it out, the table of 2025 or the JSON lines of 2026, and
writes the errors that a model marks, scores from 0 to 100, or which translations have no error, a
line for each line, in their order. With --check FILE it writes nothing, and tells each line of FILE
that would not be accepted.
"""

from sklearn_mteval.cli._options import add, add_shared, options_for
from sklearn_mteval.cli._output import check_paths, show, write_pieces
from sklearn_mteval.cli._parser import MACHINE, OUTPUT

MORE = "error_spans"
EXAMPLES = (
    "sklearn-mteval wmt-submit test.tsv --task scores -o submitted.tsv",
    "sklearn-mteval wmt-submit test.tsv --task scores --check answers.tsv",
)


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument("test_set", nargs="?", metavar="INPUT", help="the organisers' test set")
    asked = parser.add_argument_group("what is asked")
    add(asked, "--task", "mark errors, score, or tell what has no error",
        choices=["spans", "scores", "error-free"], required=True)  # fmt: skip
    add(asked, "--model MODEL",
        "folder that 'train' saved, or the name of a ready-made one (default: error-marker; for "
        "scores the best one that is installed, of each language pair)")  # fmt: skip
    add(asked, "--threshold T",
        "from which probability of no error on a translation is error-free and has no marks "
        "(default: 0.5), or, of a model that gives scores, from which score, 0 to 100",
        type=float)  # fmt: skip
    add(asked, "--check FILE", "check FILE, to be submitted, against INPUT if that is given")
    add_shared(parser.add_argument_group(**OUTPUT), "--output")
    add_shared(parser, "--device", "--dtype")
    add_shared(parser.add_argument_group(**MACHINE), "--jobs", default=1,
        help="processes, each with a model of its own (default: 1); results do not depend on "
        "it")  # fmt: skip


def run(arguments):
    """Answer, or check."""
    from sklearn_mteval._helpers.progress import working
    from sklearn_mteval.datasets.submissions.form import answered, read_items
    from sklearn_mteval.models.submitting import answers_in_order

    if arguments.check is not None:
        return _check(arguments)
    if arguments.test_set is None:
        arguments.misunderstood("expected INPUT, the test set.")
    models = [] if arguments.model is None else [arguments.model]
    check_paths({"-o": arguments.output}, [arguments.test_set], models)
    is_table, header, items = read_items(arguments.test_set)
    options = options_for(arguments, answers_in_order)
    answers = answers_in_order(items, arguments.task, arguments.model, **options)
    with working("answering"):
        pieces = answered(is_table, header, arguments.task, answers)
        write_pieces(pieces, arguments.output)


def _check(arguments):
    """Show what is wrong; ValueError if anything is."""
    from sklearn_mteval.datasets.submissions.checks import problems_of

    n = 0
    for line, problem in problems_of(arguments.check, arguments.task, arguments.test_set):
        show(f"line {line}: {problem}")
        n += 1
    if n:
        raise ValueError(f"{arguments.check}: {n} problem{'s' * (n > 1)}: not to be submitted so.")
    show(f"{arguments.check} is of the form of the task.")
