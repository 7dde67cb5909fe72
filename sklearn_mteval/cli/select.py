"""Choose which segments to judge, given translations of the systems and metric scores of them.

By default the segments are a sample on which the metrics score the systems as on all segments.
Writes their line numbers, counted from 1, one a line. Judgements are not asked for: segments that
have been judged may be named, and the others are chosen to go with them.
"""

from sklearn_mteval.cli._options import add_shared, options_for
from sklearn_mteval.evaluation.option_values import SELECTIONS
from sklearn_mteval.features.overlap.registry import METRICS

__all__ = ["add_arguments", "run"]

_DEFAULT = ("bleu", "chrf")


def add_arguments(parser):
    """Declare the arguments."""
    add_shared(parser, "--translations", help="system outputs, one segment a line, two or more")
    add_shared(parser, "--source", "--reference")
    parser.add_argument(
        "--metrics",
        nargs="+",
        choices=list(METRICS),
        metavar="METRIC",
        help=f"computed here: {', '.join(METRICS)} (default without --scores: "
        f"{' '.join(_DEFAULT)}); they read -r",
    )
    parser.add_argument(
        "--scores",
        nargs="+",
        default=[],
        metavar="FILE",
        help="scores by any tool, as for 'evaluate'; higher is better; systems are named after "
        "their files",
    )
    parser.add_argument(
        "-n",
        "--size",
        type=_size,
        default=0.5,
        metavar="N",
        help="how many segments, those judged included: a number, or a proportion below 1 "
        "(default: 0.5)",
    )
    parser.add_argument(
        "--method", default="balanced", choices=SELECTIONS, help="default: balanced"
    )
    parser.add_argument(
        "--documents",
        metavar="FILE",
        help="the document of each segment, one label a line: about the same proportion of each is "
        "chosen",
    )
    parser.add_argument(
        "--judged", metavar="FILE", help="line numbers of segments that are judged, one a line"
    )
    add_shared(parser, "--seed", "--output")


def _size(text):
    """Read -n: a number of segments or a proportion."""
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def run(arguments):
    """Score, choose and write."""
    import pandas as pd

    from sklearn_mteval.cli._output import check_paths, write
    from sklearn_mteval.datasets import load_translations
    from sklearn_mteval.datasets.text_files import read_lines
    from sklearn_mteval.evaluation import select_segments

    files = [arguments.source, arguments.documents, arguments.judged]
    inputs = [*arguments.translations, *arguments.reference, *arguments.scores]
    inputs += [path for path in files if path is not None]
    check_paths({"-o": arguments.output}, inputs)
    if arguments.metrics is None and not arguments.scores:
        arguments.metrics = _DEFAULT
    if arguments.metrics and not arguments.reference:
        raise ValueError("the metrics read the reference: give -r, or --scores without --metrics.")
    X = load_translations(arguments.translations, arguments.source, arguments.reference)
    documents = None
    if arguments.documents is not None:
        documents = read_lines(arguments.documents)
        segments = X.index.unique("segment")
        if len(documents) != len(segments):
            raise ValueError(
                f"{arguments.documents}: expected {len(segments)} lines, one for each segment, "
                f"found {len(documents)}."
            )
        documents = pd.Series(documents, index=range(1, len(documents) + 1))
    options = options_for(arguments, select_segments) | {
        "documents": documents,
        "judged": [] if arguments.judged is None else _numbers(arguments.judged),
    }
    chosen = select_segments(_scores(arguments, X), arguments.size, **options)
    write("".join(f"{segment}\n" for segment in chosen), arguments.output)


def _scores(arguments, X):
    """Return a table of the scores, computed and read."""
    import pandas as pd

    from sklearn_mteval.datasets import load_scores
    from sklearn_mteval.features import MetricScores

    tables = []
    if arguments.metrics:
        metrics = list(dict.fromkeys(arguments.metrics))
        tables.append(MetricScores(metrics).set_output(transform="pandas").fit_transform(X))
    systems, n_segments = X.index.unique("system"), X.index.unique("segment").size
    for path in arguments.scores:
        table = load_scores(path, systems, n_segments)
        tables.append(table.add_prefix(f"{path}:").reindex(X.index))
    return pd.concat(tables, axis=1)


def _numbers(path):
    """Read line numbers."""
    from sklearn_mteval.datasets.text_files import read_lines
    from sklearn_mteval.exceptions import DataFileError

    numbers = []
    for line, text in enumerate(read_lines(path), 1):
        if not text.strip().isdecimal():
            raise DataFileError(path, f"expected the number of a line, found {text[:40]!r}.", line)
        numbers.append(int(text))
    return numbers
