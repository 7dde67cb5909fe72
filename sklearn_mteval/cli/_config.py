"""Options of a command from a TOML file, under the names that the command line gives them."""

import re
import tomllib
from difflib import get_close_matches

from sklearn_mteval._helpers.files import read_text
from sklearn_mteval.exceptions import DataFileError

_MOST_BYTES = 1 << 20


# What a kind of option is called, and the types that a value may have: True is no integer.
_KINDS = {
    "text": ("a text", (str,)),
    "texts": ("a text or a list of texts", (str,)),
    "flag": ("true or false", (bool,)),
    "switch": ("true or false", (bool,)),
    "integer": ("an integer", (int,)),
    "number": ("a number", (int, float)),
    "named": ("a name, or a table with a name and options", (str,)),
    "all named": ("a name, a table with a name and options, or a list of these", (str,)),
}


def _fits(value, kind):
    """Tell whether a value is of a kind."""
    listed = kind in ("texts", "all named") and isinstance(value, list)
    values = value if listed else [value]
    if "named" in kind:
        values = [each.get("name") if isinstance(each, dict) else each for each in values]
    return bool(values) and all(type(each) in _KINDS[kind][1] for each in values)


def read_config(path, kinds):
    """Read a TOML file of options; ``kinds`` maps the name of each option to a key of _KINDS."""
    text = read_text(path, max_bytes=_MOST_BYTES)
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at line ([0-9]+), column [0-9]+\)$", str(error))
        line = int(place[1]) if place else None
        raise DataFileError(path, f"no TOML ({str(error).rstrip('.')}).", line) from None
    except (RecursionError, ValueError) as error:  # too deep; a number of too many digits
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise DataFileError(path, f"no TOML that can be read ({reason}).") from None
    for key, value in found.items():
        if key not in kinds:
            close = get_close_matches(key, list(kinds), 1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise DataFileError(path, f"unknown key {key!r}; expected one of {list(kinds)}.{hint}")
        if not _fits(value, kinds[key]):
            expected, _ = _KINDS[kinds[key]]
            raise DataFileError(path, f"key {key!r}: expected {expected}, found {value!r}.")
    return found
