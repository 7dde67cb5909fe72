"""The figures that pages state, by the commands printed above them.

``python benchmarks/published_figures.py`` compares every table of figures in the guides and
the cards of the ready-made models with what its command prints now, and names the cells that
differ by more than rounding; ``--write`` puts the new numbers into the pages. ``--only chrf
static-en`` takes some rows, ``--pages docs/measured/ready_made.md`` some pages, ``--pairs cs-en``
some columns. ``SKLEARN_MTEVAL_DATA`` names the data.

A table of figures is a table directly below a fenced command ``sklearn-mteval evaluate``:

- its first heading is that of a statistic, as the command prints it: "tau (wmt12)", "SPA";
- each other heading stands in the command for PAIR;
- each row begins with a metric, a model (NAME:score with ``--stand-alone``), "ceiling" or "one
  annotator"; below a command with ``--format mtme`` maybe with a metric whose scores the folder
  has;
- a cell is the statistic x 100, then maybe its interval in brackets, then maybe percent of the
  ceiling after a semicolon: ``35.9 [33.1, 38.6]; 70 %``. What is not measured stays empty. To add a
  figure, write any number of that form.
"""

import argparse
import contextlib
import io
import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

from sklearn_mteval.cli import main as command_line
from sklearn_mteval.report.metrics import heading

ROOT = Path(__file__).parents[1]
CARDS = "sklearn_mteval/models/ready_made_files"
PLACEHOLDER = "PAIR"
CEILINGS = {"ceiling": "", "one annotator": "annotator"}
_TABLE = re.compile(
    r"^```sh\n(sklearn-mteval evaluate (?:.*\\\n)*.*)\n```\n\n((?:\|.*\|\n)+)", re.MULTILINE
)
_FOLDER = ("--format", "mtme")
_NUMBER = r"-?\d+\.\d"
_CELL = re.compile(rf"({_NUMBER})(?: \[({_NUMBER}), ({_NUMBER})\])?(?:; (\d+) %)?")


class Figure(NamedTuple):
    """A cell of a table of figures."""

    page: str
    span: tuple  # where it stands in the page: first character, end
    command: tuple  # words of the command
    statistic: str  # heading
    row: str
    pair: str
    text: str

    @property
    def numbers(self):
        """What is printed: value, low, high, percent of the ceiling; None where it is not."""
        found = _CELL.fullmatch(self.text)
        if found is None:
            raise ValueError(
                f"{self.page}: expected '35.9', '35.9 [33.1, 38.6]' or '35.9 [33.1, 38.6]; 70 %', "
                f"found {self.text!r} ({self.row}, {self.pair})."
            )
        return tuple(None if part is None else float(part) for part in found.groups())

    def written(self, values):
        """Write values in the form that the cell has."""
        value, low, high, part = (
            None if number is None else found
            for number, found in zip(self.numbers, values, strict=True)
        )
        interval = "" if low is None else f" [{low:.1f}, {high:.1f}]"
        return f"{value:.1f}{interval}" + ("" if part is None else f"; {part:.0f} %")

    def differs(self, values):
        """Tell whether what is printed is not what values round to."""
        return any(
            number is not None and not abs(number - value) <= half + 1e-6  # nor is NaN
            for number, value, half in zip(self.numbers, values, (0.05,) * 3 + (0.5,), strict=True)
        )


def figures_of(text, page):
    """List the figures of a page's text."""
    found = []
    for table in _TABLE.finditer(text):
        command = tuple(shlex.split(table[1].replace("\\\n", " ")))
        lines = list(re.finditer(r"^\|(.*)\|$", table[2], re.MULTILINE))
        statistic, *pairs = (cell.strip() for cell in lines[0][1].split("|"))
        for line in lines[2:]:
            cells = list(re.finditer(r"[^|]+", line[0]))
            row = cells[0][0].strip(" `*").lower()
            for pair, cell in zip(pairs, cells[1:], strict=True):
                written = cell[0].strip()
                start = table.start(2) + line.start() + cell.start()
                start += len(cell[0]) - len(cell[0].lstrip())
                span = (start, start + len(written))
                if written:
                    found.append(Figure(page, span, command, statistic, row, pair, written))
    return found


def recomputed(figures):
    """Run the commands of figures; return the four numbers of each, in their order."""
    wanted = {}
    for figure in figures:
        head, options = _split(figure.command)
        rest = {k: v for k, v in options.items() if k not in ("--metrics", "--model")}
        key = (head, figure.pair, tuple(rest.items()))
        wanted.setdefault(key, {}).setdefault(_entry(figure, options), []).append(figure)
    values = {}
    for (head, pair, rest), entries in wanted.items():
        record = _run(head, pair, dict(rest), set(entries) - {_FOLDER})
        for figure in (figure for some in entries.values() for figure in some):
            values[figure] = _numbers(record, figure)
    return [values[figure] for figure in figures]


def _split(command):
    """Split a command: the words before its options, and {option: its words}."""
    first = next(k for k, word in enumerate(command) if word.startswith("--"))
    options, name = {}, None
    for word in command[first:]:
        name = word if word.startswith("--") else name
        options[name] = (*options.get(name, ()), *(() if word == name else (word,)))
    return command[:first], options


def _entry(figure, options):
    """Say which metric or model must be evaluated for a figure."""
    models, metrics = options.get("--model", ()), options.get("--metrics", ())
    if figure.row in CEILINGS:
        return "--metrics", "chrf"
    if figure.row in metrics:
        return "--metrics", figure.row
    name = figure.row.removesuffix(":score")
    if name in models and (name == figure.row or "--stand-alone" in options):
        return "--model", name
    if "mtme" in options.get("--format", ()):
        return _FOLDER
    raise _evaluates_no(figure)


def _evaluates_no(figure):
    """Return the error of a row that its command does not print."""
    return ValueError(f"{figure.page}: the command above the table evaluates no {figure.row!r}.")


def _run(head, pair, options, entries):
    """Run a command for a language pair, and some of its metrics and models; return the record."""
    words = [os.path.expandvars(word) for word in head[1:]]
    for kind in ("--metrics", "--model"):
        names = sorted(name for option, name in entries if option == kind)
        words += [kind, *names] if names else []
    for option, values in options.items():
        values = [os.path.expandvars(value.replace(PLACEHOLDER, pair)) for value in values]
        words += [option, *values]
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        status = command_line([*words, "-f", "json"])
    if status:
        raise SystemExit(f"failed: sklearn-mteval {shlex.join(words)}")
    return json.loads(output.getvalue())


def _numbers(record, figure):
    """Find a figure in what its command said: value, low, high, percent of the ceiling."""
    if figure.row in CEILINGS:
        prefix, ceiling = CEILINGS[figure.row], record["ceiling"]
        names = (prefix or "ceiling", *(f"{prefix}_{end}".lstrip("_") for end in ("low", "high")))
        found = [ceiling[name] for name in names]
        part = found[0] / ceiling["ceiling"]
    else:
        found = [metric for metric in record["metrics"] if metric["name"].lower() == figure.row]
        if not found:
            raise _evaluates_no(figure)
        entry = max(found, key=lambda metric: metric["name"] == figure.row)
        (name,) = (name for name in entry["statistics"] if heading(name) == figure.statistic)
        found = [entry["statistics"][name][key] for key in ("value", "low", "high")]
        part = entry.get("of_ceiling")
    return tuple(float("nan") if value is None else 100 * value for value in (*found, part))


def pages():
    """List the pages that may have tables of figures, from the root of the repository."""
    folders = ("docs", "docs/measured", f"{CARDS}/*")
    found = [path for folder in folders for path in ROOT.glob(f"{folder}/*.md")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def selected(names, only=None, pairs=None):
    """List figures of pages: of some rows (of a model its scores, too) and columns, or all."""
    return [
        figure
        for name in names
        for figure in figures_of((ROOT / name).read_text(encoding="utf-8"), name)
        if only is None or figure.row.removesuffix(":score") in only
        if pairs is None or figure.pair in pairs
    ]


def rewrite(text, figures, values):
    """Put new numbers into a page's text."""
    for figure, found in sorted(zip(figures, values, strict=True), reverse=True, key=_place):
        first, end = figure.span
        text = text[:first] + figure.written(found) + text[end:]
    return text


def _place(pair):
    return pair[0].span


def main(arguments=None):
    """Compare, and write if asked; return 1 where figures differ and stay."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put new numbers into the pages")
    parser.add_argument("--only", nargs="+", metavar="ROW", help="metrics and models")
    parser.add_argument("--pairs", nargs="+", metavar="PAIR", help="columns")
    parser.add_argument("--pages", nargs="+", default=pages(), metavar="PAGE")
    options = parser.parse_args(arguments)
    figures = selected(options.pages, options.only, options.pairs)
    values = recomputed(figures)
    differing = [(f, found) for f, found in zip(figures, values, strict=True) if f.differs(found)]
    for figure, found in differing:
        place = f"{figure.page}, {figure.row}, {figure.pair}"
        print(f"{place}: {figure.text} is {figure.written(found)}")
    print(f"{len(differing)} of {len(figures)} figures differ.")
    if options.write:
        for name in {figure.page for figure, _ in differing}:
            there = [(figure, found) for figure, found in differing if figure.page == name]
            text = (ROOT / name).read_text(encoding="utf-8")
            (ROOT / name).write_text(rewrite(text, *zip(*there, strict=True)), encoding="utf-8")
    return int(bool(differing) and not options.write)


if __name__ == "__main__":
    sys.exit(main())
