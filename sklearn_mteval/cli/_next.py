"""``select --next``: the comparisons whose judgement would tell most, given judgements so far."""

from sklearn_mteval._project import page
from sklearn_mteval.cli import _judgements
from sklearn_mteval.cli._options import add_shared, options_for
from sklearn_mteval.evaluation.option_values import NEXT_GOALS

_SIZE = 100
# Of the judgements' options, those that stand for translations are the command's own.
_WITHOUT = ("metric_scores", "source", "reference", "translations")
_SHARED = {"translations", "size", "random_state", "output"}  # with the choice of segments


def add_arguments(parser):
    """Declare what is judged, and the options of the choice of comparisons."""
    group = parser.add_argument_group(
        "comparisons next",
        "With --next, the command chooses comparisons of two systems instead of segments: "
        f"{page('next_comparisons')}",
    )
    group.add_argument(
        "--next",
        metavar="FILE",
        help="judgements so far, of any format that 'leaderboard' reads; writes the comparisons "
        "whose judgement would tell most, a table with system and against (and segment, given -t); "
        f"-n is how many (default: {_SIZE})",
    )
    group.add_argument(
        "--goal",
        default="tiers",
        choices=NEXT_GOALS,
        help="pairs of systems told apart, or small errors of all differences (default: tiers)",
    )
    add_shared(group, "--alpha")
    add_shared(group, "--format")
    _judgements.add_options(parser, _WITHOUT, rare=True)


def check_absent(given):
    """Raise for an option that only --next has; ``given`` are names of options that were given."""
    for name in sorted(given & _own_options()):
        raise ValueError(f"{_flag(name)} is of the choice of comparisons: give --next.")


def _own_options():
    """Return the names of the options of this choice alone."""
    return _judgements.option_names().difference(_WITHOUT) | {"next", "goal", "alpha", "format"}


def _flag(name):
    """Write the name of an option as the command has it."""
    return f"--{name.replace('_', '-')}"


def run(arguments, given):
    """Load judgements, choose and write; ``given`` are names of the options that were given."""
    from sklearn_mteval.cli._output import check_paths, write
    from sklearn_mteval.datasets import load_translations
    from sklearn_mteval.evaluation import select_comparisons

    for name in sorted(given - _own_options() - _SHARED):
        raise ValueError(f"{_flag(name)} is of the choice of segments: --next has comparisons.")
    size = arguments.size if "size" in given else _SIZE
    if isinstance(size, float):
        raise ValueError(f"-n {size:g}: with --next, a number of comparisons, such as 100.")
    pairs = arguments.lang_pair or [None]
    if len(pairs) > 1:
        raise ValueError(
            f"--lang-pair {' '.join(pairs)}: comparisons are chosen for one language pair at a "
            "time."
        )
    options = vars(arguments) | dict.fromkeys(_WITHOUT) | {"lang_pair": pairs[0]}
    kind = _judgements.named_format(arguments.next, arguments.format)
    files, folders = _judgements.paths_read(arguments.next, options)
    files += arguments.translations or []
    check_paths({"-o": arguments.output}, files, folders)
    _judgements.check_options({kind}, options)
    candidates = None
    if arguments.translations:
        candidates = load_translations(arguments.translations)
    judged = _judgements.load_judged(arguments.next, kind, options)
    chosen = {"candidates": candidates, "both_bad": judged.both_bad}
    chosen |= options_for(arguments, select_comparisons)
    found = select_comparisons(judged.X, judged.y, size, **chosen)
    write(found.to_csv(sep="\t", index=False, lineterminator="\n"), arguments.output)
