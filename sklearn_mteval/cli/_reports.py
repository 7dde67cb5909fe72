"""What the commands share that report on human judgements: the checks before, and the output."""

import argparse
import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sklearn_mteval.cli import _html, _judgements, _output, _plots
from sklearn_mteval.cli._options import add_output_format, add_shared
from sklearn_mteval.cli._output import Finished
from sklearn_mteval.report.formats import formats_of, writer

_PLACE = "{lang_pair}"
_OF_PAIRS = {"scores", "spans", "selection"}  # files that each language pair has of its own


class Work(NamedTuple):
    """What a command has found of one language pair."""

    found: Any
    title: str  # of the page
    contents: Callable  # of the page, as for ``write_page``
    plots: Sequence = ()  # that are made already, in addition to those of what was found


def add_output(parser, *, digits="", plots=None):
    """Declare the output; ``digits`` says how formats show numbers, ``plots`` what is drawn."""
    formats = formats_of("report")
    add_output_format(parser, formats, formats[0], f"{formats[0]}{digits}")
    add_shared(parser, "--output", "--html", "--pdf")
    if plots is None:
        parser.set_defaults(plots=None)
        return
    add_shared(parser, "--plots", help=f"also draw {plots}, and as SVG; needs matplotlib")


def check(arguments, path, kind, files=(), folders=()):
    """Raise, before any work, for what cannot be read or written, and for options of others."""
    inputs, folders_read = _judgements.paths_read(path, vars(arguments))
    outputs = {"-o": arguments.output} | _html.check(arguments)
    _output.check_paths(outputs, [*inputs, *files], [*folders_read, *folders])
    _plots.prepare(arguments.plots)
    _judgements.check_options({kind}, vars(arguments))


def run(arguments, work):
    """Write the report of ``work(arguments, path, kind)``, a Work for each language pair."""
    path = arguments.file
    kind = _judgements.named_format(path, arguments.format)
    pairs = arguments.lang_pair or [None]
    if len(pairs) == 1:
        arguments.lang_pair = pairs[0]
        write(arguments, work(arguments, path, kind))
        return
    works = {pair: _for_pair(arguments, pair) for pair in pairs}
    if len(works) < len(pairs):
        raise ValueError(f"--lang-pair {' '.join(pairs)}: one is there twice.")
    texts = {}
    for pair, given in works.items():
        if given.dry_run:
            _output.write(f"{pair}:\n", "-")
        with contextlib.suppress(Finished):  # of the dry run
            done = work(given, path, kind)
            texts[pair] = _text(given, done)
            show(given, done)
    if texts:
        _output.write(writer(arguments.output_format, "several")(texts), arguments.output)


def _for_pair(arguments, pair):
    """Return the arguments for one of several language pairs, each with files of its own."""
    given = vars(arguments) | {"lang_pair": pair}
    for name in _OF_PAIRS & given.keys():
        files = given[name]
        if not files:
            continue
        listed = [files] if isinstance(files, str) else files
        for file in listed:
            if _PLACE not in file:
                raise ValueError(
                    f"--{name} {file}: of several language pairs each has files of its own: "
                    f"write {_PLACE} into the name where the pair stands."
                )
        listed = [file.replace(_PLACE, pair) for file in listed]
        given[name] = listed[0] if isinstance(files, str) else listed
    if arguments.plots is not None:
        given["plots"] = str(Path(arguments.plots) / pair)
    given |= {name: _html.of_pair(given[name], pair) for name in ("html", "pdf")}
    return argparse.Namespace(**given)


def write(arguments, work):
    """Write the report of what was found; draw plots, write the page."""
    _output.write(_text(arguments, work), arguments.output)
    show(arguments, work)


def _text(arguments, work):
    """Write the report of what was found."""
    from sklearn_mteval.report.results import report_text

    return report_text(work.found, arguments.output_format)


def draws(arguments):
    """Tell whether plots are drawn: into a folder, or for a page if matplotlib is there."""
    if arguments.plots is not None or not _html.wanted(arguments):
        return arguments.plots is not None
    from sklearn_mteval.report.plots_of_results import can_draw

    return can_draw()


def show(arguments, work):
    """Draw plots into a folder, and write the page."""
    if arguments.plots is not None:
        from sklearn_mteval.report.results import RESULTS

        own = RESULTS[type(work.found)].plots(work.found)
        _plots.draw([*own, *work.plots], arguments.plots)
    if _html.wanted(arguments):
        pair = getattr(arguments, "lang_pair", None)
        title = work.title if pair is None else f"{work.title}, {pair}"
        from sklearn_mteval.report.html.pages import page_of_result

        page = partial(page_of_result, title, work.found, plots=work.plots)
        _html.write_page(arguments, page, work.contents)
