"""The numbers that several pages state: one file has them, and pages mark where they repeat one.

``docs/numbers.json`` holds each figure of the tables in ``docs/measured`` that a command prints
(``published_figures.py`` says which tables these are, computes them anew and writes the file). A
page that repeats a figure says which, in a comment that readers do not see::

    chrF has 26.3<!-- wmt12 de-en chrf tau -->, 42 %<!-- wmt12 de-en chrf tau --> of the ceiling.

A name has the campaign's folder, the language pair, the row and the first word of the statistic; a
number before a percent sign is the percentage of the ceiling. A table of figures on another page,
such as a model's card, needs no comments: its cells have such names already.

A number that no such command prints gets a name of its own where ``docs/measured`` states it, by a
comment that begins with an equals sign, and is repeated as it is written there, by the same
comment without that sign::

    | `encoder-en`, 200 texts | 250<!-- = encoder-en texts a second --> | 100 |

    On one core it reads 250<!-- encoder-en texts a second --> texts a second.

One name can have a value and, before a percent sign, a percentage, as figures do.

``python benchmarks/page_numbers.py`` names what differs from the file; with ``--write`` it writes
the file from the tables, and the file's numbers into the pages.
"""

import argparse
import json
import re
import sys

from published_figures import CARDS, ROOT, figures_of

FILE = ROOT / "docs" / "numbers.json"
_COPY = re.compile(r"(-?\d+(?:,\d{3})*(?:\.\d+)?)( %)?<!-- (?P<defines>= )?(?P<name>[^>]+?) -->")
_PARTS = ("value", "low", "high", "percent")  # of a figure's cell


def pages():
    """List the pages that may repeat a number."""
    places = [
        "README.md",
        "docs/*.md",
        "docs/tutorial/*.md",
        "docs/howto/*.md",
        "docs/linguistic/*.md",
        "docs/measured/*.md",
        f"{CARDS}/*/*.md",
    ]
    return sorted(path for place in places for path in ROOT.glob(place))


def measured():
    """Collect the numbers that docs/measured states: of tables of figures, and those with names.

    A figure has its numbers, command and page, a number with a name its text, as a string.
    """
    found = {}
    for path in sorted(ROOT.glob("docs/measured/*.md")):
        page, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        for figure in figures_of(text, page):
            entry = dict(zip(_PARTS, figure.numbers, strict=True))
            command = " ".join(figure.command).replace("PAIR", figure.pair)
            entry |= {"page": page, "command": command}
            entry = {k: v for k, v in entry.items() if v is not None}
            if found.setdefault(_name(figure), entry)["value"] != entry["value"]:
                raise ValueError(f"{page}: there are two numbers {_name(figure)!r}.")
        for copy in _COPY.finditer(text):
            if copy["defines"]:
                entry = found.setdefault(copy["name"], {"page": page})
                if (part := _part(copy)) in entry:
                    raise ValueError(f"{page}: there are two numbers {copy['name']!r}.")
                entry[part] = copy[1]
    return found


def _name(figure):
    """Name a figure by campaign, language pair, row and statistic."""
    folder = figure.command[2].rsplit("/", 1)[-1]
    return " ".join([folder, figure.pair, figure.row, figure.statistic.split()[0]])


def _part(copy):
    """Say what a number is by what follows it: value or percent."""
    return "percent" if copy[2] else "value"


def repeated(text, numbers, page):
    """List what a page's text repeats: (place, name, what stands there, what should)."""
    found = []
    for copy in _COPY.finditer(text):
        if not copy["defines"]:
            name, part = copy["name"], _part(copy)
            if part not in (number := numbers.get(name, {})):
                raise ValueError(f"{page}: {FILE.name} has no number {name!r} ({part}).")
            expected = number[part]
            if isinstance(expected, float):
                expected = format(expected, ".0f" if part == "percent" else ".1f")
            found.append((copy.span(1), name, copy[1], expected))
    if "docs/measured/" not in page:
        for figure in figures_of(text, page):
            if number := numbers.get(_name(figure)):
                own = zip(_PARTS, figure.numbers, strict=True)
                values = [number.get(part, stated) for part, stated in own]
                values = [float("nan" if value is None else value) for value in values]
                found.append((figure.span, _name(figure), figure.text, figure.written(values)))
    return sorted(found)


def updated(text, numbers, page):
    """Put the file's numbers into a page's text."""
    for (first, end), _, _, expected in reversed(repeated(text, numbers, page)):
        text = text[:first] + expected + text[end:]
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
        for _, name, stated, expected in repeated(text, numbers, page):
            if stated != expected:
                differing += not options.write
                print(f"{page}, {name}: {stated} is {expected}")
        if options.write:
            path.write_text(updated(text, numbers, page), encoding="utf-8")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
