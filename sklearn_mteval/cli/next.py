"""Choose the comparisons whose judgement would tell most, given judgements so far.

Writes a table of pairs of systems, the most useful comparison first; given the systems' outputs,
with the segment to compare them on. Systems without any judgement then take part.
"""

from sklearn_mteval.cli import _judgements
from sklearn_mteval.cli._options import add, add_shared, options_for
from sklearn_mteval.cli._output import check_paths, write
from sklearn_mteval.evaluation.option_values import NEXT_GOALS

MORE = "selection"
EXAMPLES = (
    "sklearn-mteval next battles.csv -n 20",
    "sklearn-mteval next wmt12 --lang-pair de-en --goal intervals",
)

# Of the judgements' options, those that stand for translations are the command's own.
_WITHOUT = ("metric_scores", "documents", "source", "reference", "translations")


def add_arguments(parser):
    """Declare the arguments."""
    _judgements.add_arguments(parser, _WITHOUT)
    add_shared(parser, "--source", "--reference")
    add_shared(parser, "--translations", required=False, default=[],
        help="system outputs, one segment a line, named as in the judgements: comparisons are then "
        "of segments")  # fmt: skip
    which = parser.add_argument_group("how many comparisons, and which")
    add(which, "-n, --size N", "how many comparisons (default: 100)", 100)
    add(which, "--goal",
        "pairs of systems told apart, or small errors of all differences (default: tiers)", "tiers",
        choices=NEXT_GOALS)  # fmt: skip
    add_shared(parser, "--alpha", "--seed", "--output")


def run(arguments):
    """Load judgements, choose and write."""
    from sklearn_mteval.datasets import load_translations
    from sklearn_mteval.evaluation import select_comparisons

    pairs = arguments.lang_pair or [None]
    if len(pairs) > 1:
        raise ValueError(
            f"--lang-pair {' '.join(pairs)}: comparisons are chosen for one language pair at a "
            "time."
        )
    given = vars(arguments) | dict.fromkeys(_WITHOUT) | {"lang_pair": pairs[0]}
    kind = _judgements.named_format(arguments.file, arguments.format)
    files, folders = _judgements.paths_read(arguments.file, given)
    texts = [*arguments.translations, *arguments.reference, arguments.source]
    check_paths({"-o": arguments.output}, [*files, *texts], folders)
    _judgements.check_options({kind}, given)
    candidates = None
    if arguments.translations:
        candidates = load_translations(
            arguments.translations, arguments.source, arguments.reference
        )
    judged = _judgements.load_judged(arguments.file, kind, given)
    chosen = {"candidates": candidates, "both_bad": judged.both_bad}
    chosen |= options_for(arguments, select_comparisons)
    found = select_comparisons(judged.X, judged.y, arguments.size, **chosen)
    write(found.to_csv(sep="\t", index=False, lineterminator="\n"), arguments.output)
