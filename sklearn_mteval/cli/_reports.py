"""What the commands share that report on human judgements: the checks before, and the output."""

from sklearn_mteval.cli import _judgements
from sklearn_mteval.cli._options import OUTPUT, add_output_format, add_shared
from sklearn_mteval.report.formats import formats_of

__all__ = ["add_output", "check", "write"]


def add_output(parser, *, digits="", plots=None):
    """Declare the output; ``digits`` says how formats show numbers, ``plots`` what is drawn."""
    formats = formats_of("report")
    add_output_format(parser, formats, formats[0], f"{formats[0]}{digits}")
    add_shared(parser, "--output")
    if plots is None:
        parser.set_defaults(plots=None)
        return
    parser.add_argument_group(**OUTPUT).add_argument(
        "--plots", metavar="FOLDER", help=f"also draw {plots}; needs matplotlib"
    )


def check(arguments, path, kind, files=(), folders=()):
    """Raise, before any work, for what cannot be read or written, and for options of others."""
    from sklearn_mteval.cli._output import check_paths

    inputs, folders_read = _judgements.paths_read(path, vars(arguments))
    check_paths({"-o": arguments.output}, [*inputs, *files], [*folders_read, *folders])
    if arguments.plots is not None:
        from sklearn_mteval.cli._plots import prepare

        prepare(arguments.plots)
    _judgements.check_options({kind}, vars(arguments))


def write(arguments, found, text, draw=None):
    """Write the report of what was found, and draw its plots by a function."""
    from sklearn_mteval.cli import _output

    _output.write(text, arguments.output)
    if arguments.plots is not None:
        draw(found, arguments.plots)
