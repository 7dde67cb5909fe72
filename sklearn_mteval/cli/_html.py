"""The page that --html writes: a report to look at in a browser, of any command."""

import gzip
from pathlib import Path
from tempfile import TemporaryFile

from sklearn_mteval.cli import _plots
from sklearn_mteval.cli._output import say, write_pieces

_PIECE = 1 << 20


def check(arguments):
    """Return what the option writes, by what to call it, for the check of paths."""
    if arguments.html is None:
        return {}
    if arguments.html == "-":
        raise ValueError("--html -: a page to look at is a file: name it, as report.html.")
    if not Path(arguments.html).name:
        return {"--html": arguments.html}  # which the check of paths refuses
    return {
        "--html": arguments.html,
        "the segments next to --html": all_segments_path(arguments.html),
    }


def all_segments_path(html):
    """Return where the segments are that are too many for a page."""
    return str(Path(html).with_suffix(".segments.jsonl.gz"))


def of_pair(html, pair):
    """Return the page of one of several language pairs: of report.html, report.de-en.html."""
    if html is None:
        return None
    path = Path(html)
    return str(path.with_name(f"{path.stem}.{pair}{path.suffix}"))


class AllSegments:
    """The file next to a page, of all segments where they are too many: lines of JSON, gzipped."""

    def __init__(self, html):
        self._path, self._file, self._lines = all_segments_path(html), None, None
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


def write_page(arguments, make, contents=None, all_segments=None):
    """Write the page of what a command has found, and the file next to it.

    ``contents(all_segments=…)`` returns the ``segments``, ``themes`` and ``warnings``, given what
    takes the segments that are too many; ``make`` makes the page of these.
    """
    from sklearn_mteval.report.html.document import document
    from sklearn_mteval.report.plots_of_results import can_draw

    if can_draw():
        _plots.load_matplotlib("--html")
    all_segments = AllSegments(arguments.html) if all_segments is None else all_segments
    parts = {} if contents is None else contents(all_segments=all_segments)
    page = make(command=arguments.command_line, **parts)
    write_pieces([document(page)], arguments.html)
    also = " and " + all_segments.name if all_segments.write() else ""
    say(f"page: {arguments.html}{also}\n")
