"""Rank the outputs of several systems with a saved model.

Reads plain UTF-8 text, one segment per line, all files of equal length; one of them may be '-',
standard input, and each a pipe. Writes the ranks of every segment to standard output or a file, and
a table of the systems.
"""

from sklearn_mteval.report.rankings import SEGMENT_FORMATS

__all__ = ["add_arguments", "run"]


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODEL", help="folder that 'train' saved")
    parser.add_argument("-s", "--source", metavar="SRC", help="source sentences")
    parser.add_argument(
        "-r", "--reference", nargs="+", default=[], metavar="REF", help="reference translation(s)"
    )
    parser.add_argument(
        "-t",
        "--translations",
        nargs="+",
        required=True,
        metavar="SYS",
        help="system outputs, two or more",
    )
    parser.add_argument(
        "-f", "--format", choices=list(SEGMENT_FORMATS), default="tsv", help="default: tsv"
    )
    parser.add_argument(
        "-o",
        "--output",
        default="-",
        metavar="FILE",
        help="segment ranks (default: -, i.e. stdout)",
    )
    parser.add_argument(
        "--systems", metavar="FILE", help="system table as TSV (default: a table on standard error)"
    )


def run(arguments):
    """Rank and write."""
    from sklearn_mteval.cli._output import check_paths, naming_options, say, write
    from sklearn_mteval.datasets import load_translations
    from sklearn_mteval.models import rank_candidates, rank_systems
    from sklearn_mteval.persistence import load_model
    from sklearn_mteval.report import segment_report, system_report
    from sklearn_mteval.report.formats import tab_separated

    inputs = [*arguments.translations, *arguments.reference]
    inputs += [] if arguments.source is None else [arguments.source]
    outputs = {"-o": arguments.output, "--systems": arguments.systems}
    check_paths(outputs, inputs, [arguments.model])
    X = load_translations(arguments.translations, arguments.source, arguments.reference)
    model = load_model(arguments.model)
    with naming_options(X, {"reference": "-r", "source": "-s"}):
        ranked = rank_candidates(model, X)
    write(segment_report(ranked, arguments.format), arguments.output)
    systems = rank_systems(ranked)
    if arguments.systems is None:
        say(system_report(systems))
    else:
        write(tab_separated(systems), arguments.systems)
