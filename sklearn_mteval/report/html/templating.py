"""Templates of HTML, which escape whatever is put into them."""

import base64
import math
import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

# A number at the beginning of a cell, perhaps a bound or in brackets, that is no part of a word, a
# date or a decimal comma's: "-0.5 [-1, 0]", "p < .001", "8.5e-06", "1,048 of 3,003", "12 %".
_NUMBER = re.compile(
    r"""[\[(]?\s* (?:p\s*(?=[<>=]))? (?P<bound>[<>]?)[=\s]*
    (?P<number>[-+\N{MINUS SIGN}]?
    (?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\N{INFINITY}))
    (?![.,]?\w|-)""",
    re.VERBOSE,
)
_PLAIN = str.maketrans({"\N{MINUS SIGN}": "-", "\N{INFINITY}": "1e308", ",": None})
# What reorders or hides what stands next to it, and what no file of UTF-8 can hold.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)


def rendered(template, **given):
    """Fill a template of this room."""
    return _environment().get_template(template).render(**given)


@cache
def _environment():
    """Make the environment; what a template needs and is not given is an error."""
    environment = Environment(
        loader=PackageLoader("sklearn_mteval.report.html", "templates"), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )  # fmt: skip
    environment.filters |= {
        "safe_text": safe_text,
        "data_url": lambda svg: (
            f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
        ),
    }
    return environment


def safe_text(text):
    """Show characters that steer a terminal, a browser or the direction of text as U+FFFD."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", str(text))


def table_of(table):
    """Make a plain dict of a :class:`~sklearn_mteval.report.formats.Table`, with values to sort by.

    Keys: ``title``; ``columns``, each with ``label`` and whether ``numeric``; ``rows`` of cells,
    each with ``text``, ``value`` (the number it begins with, None where there is none; a bound is
    just below or above it) and whether it is the ``best``; ``names``, the position of the column
    that says what a row is about. A column is numeric if all that its cells say are numbers.
    """
    values = [[_value(cell) for cell in row] for row in table.rows]
    names = table.header.index(table.names)
    columns = []
    for k, label in enumerate(table.header):
        # A cell may be empty or undefined.
        said = (bool(row[k].strip(" \N{EN DASH}")) for row in table.rows)
        there = [v[k] for v, says in zip(values, said, strict=True) if says]
        numeric = not table.left[k] and bool(there) and None not in there
        columns.append({"label": label, "numeric": numeric})
    rows = [
        [
            {"text": text, "value": value, "best": (r, k) in table.best}
            for k, (text, value) in enumerate(zip(row, of_row, strict=True))
        ]
        for r, (row, of_row) in enumerate(zip(table.rows, values, strict=True))
    ]
    return {"title": table.title, "columns": columns, "rows": rows, "names": names}


def _value(cell):
    """Return the number that a cell begins with; infinite ones as the largest that JSON has."""
    found = _NUMBER.match(cell.strip())
    if found is None:
        return None
    value = float(found["number"].translate(_PLAIN))
    beyond = {"<": -math.inf, ">": math.inf, "": value}[found["bound"]]
    return math.nextafter(value, beyond) if math.isfinite(value) else None
