"""Rank the outputs of several systems with a saved model.

Reads plain UTF-8 text, one segment per line, all files of equal length. Writes the ranks
of every segment to standard output or a file, and a table of the systems.
"""

__all__ = ["add_arguments", "run"]


def add_arguments(parser):
    """Declare the arguments.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of this sub-command.
    """
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
        "-f", "--format", choices=["tsv", "jsonl"], default="tsv", help="default: tsv"
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
    """Rank and write.

    Parameters
    ----------
    arguments : argparse.Namespace
        As declared.
    """
    import sys

    from sklearn_mteval._helpers.atomic import write_atomically
    from sklearn_mteval.datasets import load_translations
    from sklearn_mteval.models.ranking import rank_candidates, rank_systems
    from sklearn_mteval.persistence import load_model
    from sklearn_mteval.report.segments import segment_lines
    from sklearn_mteval.report.text_tables import text_table

    X = load_translations(arguments.translations, arguments.source, arguments.reference)
    model = load_model(arguments.model)
    ranked = rank_candidates(model, X)
    text = "".join(f"{line}\n" for line in segment_lines(ranked, arguments.format))
    if arguments.output == "-":
        sys.stdout.write(text)
    else:
        write_atomically(arguments.output, text.encode("utf-8", "surrogateescape"))
    systems = rank_systems(ranked)
    if arguments.systems is None:
        rows = [
            [str(row.Index), f"{row.mean_rank:.3f}", f"{row.mean_strength:+.4f}", f"{row.best:.1%}"]
            for row in systems.itertuples()
        ]
        header = ["system", "mean rank", "mean strength", "ranked best"]
        print(text_table(header, rows), file=sys.stderr)
    else:
        write_atomically(
            arguments.systems, systems.to_csv(sep="\t").encode("utf-8", "surrogateescape")
        )
