"""The numbers that several pages state: one file has them, and pages mark where they repeat one.

``docs/numbers.json`` holds each figure of the tables in ``docs/measured`` that a command prints
(``published_figures.py`` says which tables these are, computes them anew and writes the file). A
page that repeats a figure says which, in a comment that readers do not see::

    chrF has 26.3<!-- wmt12 de-en chrf tau -->, 42 %<!-- wmt12 de-en chrf tau --> of the ceiling.

A name has the campaign's folder, the language pair, the row and the first word of the statistic; a
number before a percent sign is the percentage of the ceiling.

``python benchmarks/page_numbers.py`` names what differs from the file; with ``--write`` it writes
the file from the tables, and the file's numbers into the pages.
"""

import argparse
import json
import re
import sys

from published_figures import ROOT, figures_of

FILE = ROOT / "docs" / "numbers.json"
_COPY = re.compile(r"(-?\d+(?:\.\d+)?)( %)?<!-- ([^>]+?) -->")
_CAMPAIGN = {"--wmt": "", "--mtme": "", "--esa": ""}


def pages():
    """List the pages that may repeat a number."""
    places = [
        "README.md",
        "docs/*.md",
        "docs/tutorial/*.md",
        "docs/howto/*.md",
        "docs/measured/*.md",
    ]
    return sorted(path for place in places for path in ROOT.glob(place))


def measured():
    """Collect the figures of the tables in docs/measured: {name: its numbers, command and page}."""
    found = {}
    for path in sorted(ROOT.glob("docs/measured/*.md")):
        page = path.relative_to(ROOT).as_posix()
        for figure in figures_of(path.read_text(encoding="utf-8"), page):
            value, low, high, percent = figure.numbers
            words = list(figure.command)
            folder = next(words[k + 1] for k, word in enumerate(words) if word in _CAMPAIGN)
            parts = [
                folder.rsplit("/", 1)[-1],
                figure.pair,
                figure.row,
                figure.statistic.split()[0],
            ]
            entry = {"value": value, "low": low, "high": high, "percent": percent, "page": page}
            command = " ".join(words).replace("PAIR", figure.pair)
            found[" ".join(parts)] = {k: v for k, v in entry.items() if v is not None} | {
                "command": command
            }
    return found


def copies(text, numbers, page):
    """Yield the copies in a page's text: match, and what should stand there."""
    for copy in _COPY.finditer(text):
        if copy[3] not in numbers:
            raise ValueError(f"{page}: {FILE.name} has no number {copy[3]!r}.")
        number = numbers[copy[3]]
        yield copy, f"{number['percent']:.0f}" if copy[2] else f"{number['value']:.1f}"


def updated(text, numbers, page):
    """Put the file's numbers into a page's text."""
    for copy, number in reversed(list(copies(text, numbers, page))):
        text = text[: copy.start(1)] + number + text[copy.end(1) :]
    return text


def read():
    """Read the file."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def main(arguments=None):
    """Compare, and write if asked; return 1 where something differs and stays."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the file, and into the pages")
    options = parser.parse_args(arguments)
    numbers = measured()
    if options.write:
        FILE.write_text(json.dumps(numbers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    differing = 0
    if numbers != read():
        differing += 1
        print(f"{FILE.name} is not what the tables of docs/measured say.")
    for path in pages():
        page, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        for copy, number in copies(text, numbers, page):
            if copy[1] != number:
                differing += not options.write
                print(f"{page}, {copy[3]}: {copy[1]} is {number}")
        if options.write:
            path.write_text(updated(text, numbers, page), encoding="utf-8")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
