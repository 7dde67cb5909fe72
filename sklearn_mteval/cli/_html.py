"""The page that --html writes and --pdf prints: a report to look at, of any command."""

import gzip
from pathlib import Path
from tempfile import TemporaryFile

from sklearn_mteval.cli import _plots
from sklearn_mteval.cli._output import say, write_pieces

_PIECE = 1 << 20


def wanted(arguments):
    """Tell whether a page is made, to be looked at or printed."""
    return arguments.html is not None or arguments.pdf is not None


def check(arguments):
    """Return what the options write, by what to call it, for the check of paths."""
    outputs = {"--html": arguments.html, "--pdf": arguments.pdf}
    outputs = {option: path for option, path in outputs.items() if path is not None}
    for option, path in outputs.items():
        if path == "-":
            what = "page to look at" if option == "--html" else "PDF"
            end = option.removeprefix("--")
            raise ValueError(f"{option} -: a {what} is a file: name it, as report.{end}.")
        if not Path(path).name:
            return {option: path}  # which the check of paths refuses
    if arguments.pdf is not None:
        from sklearn_mteval.report.html.printing import find_browser

        find_browser()  # or raise before any work
    if outputs:
        outputs[f"the segments next to {next(iter(outputs))}"] = all_segments_path(arguments)
    return outputs


def all_segments_path(arguments):
    """Return where the segments are that are too many for a page."""
    return str(Path(arguments.html or arguments.pdf).with_suffix(".segments.jsonl.gz"))


def of_pair(file, pair):
    """Return the page of one of several language pairs: of report.html, report.de-en.html."""
    if file is None:
        return None
    path = Path(file)
    return str(path.with_name(f"{path.stem}.{pair}{path.suffix}"))


class AllSegments:
    """The file next to a page, of all segments where they are too many: lines of JSON, gzipped."""

    def __init__(self, arguments):
        self._path, self._file, self._lines = all_segments_path(arguments), None, None
        self.name = Path(self._path).name

    def __call__(self, line):
        """Add a line; there is no file before the first."""
        if self._file is None:
            self._file = TemporaryFile()  # noqa: SIM115, it lives as long as the command
            self._lines = gzip.GzipFile(fileobj=self._file, mode="wb", compresslevel=6, mtime=0)
        self._lines.write(line.encode())

    def write(self):
        """Write the file, whole or not at all, if there is anything for it; tell whether."""
        from sklearn_mteval._helpers.atomic import write_atomically

        if self._file is None:
            return False
        self._lines.close()
        self._file.seek(0)
        write_atomically(self._path, iter(lambda: self._file.read(_PIECE), b""))
        self._file.close()
        return True


def contents_of_judgements(*given, **options):
    """Make the contents of a page of judgements, by what is loaded for pages only."""
    from sklearn_mteval.report.html.contents import contents_of_judgements

    return contents_of_judgements(*given, **options)


def write_page(arguments, make, contents, all_segments=None):
    """Write the page of what a command has found, print it, and write the file next to it.

    ``contents(all_segments=…)`` returns the ``segments``, ``themes`` and ``warnings``, given what
    takes the segments that are too many; ``make`` makes the page of these.
    """
    from sklearn_mteval.report.html.document import document
    from sklearn_mteval.report.plots_of_results import can_draw

    if can_draw():
        _plots.load_matplotlib("--html" if arguments.pdf is None else "--pdf")
    all_segments = AllSegments(arguments) if all_segments is None else all_segments
    page = make(command=arguments.command_line, **contents(all_segments=all_segments))
    also = " and " + all_segments.name if all_segments.write() else ""
    if arguments.html is not None:
        write_pieces([document(page)], arguments.html)
        say(f"page: {arguments.html}{also}\n")
        also = ""
    if arguments.pdf is not None:
        from sklearn_mteval.report.html.printing import printed

        folder = Path(arguments.pdf).resolve().parent
        write_pieces([printed(document(page, packed=False), folder)], arguments.pdf)
        say(f"printed page: {arguments.pdf}{also}\n")
