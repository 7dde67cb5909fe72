"""Options of a command from a TOML file, under the names that the command line gives them."""

import re
import tomllib
from difflib import get_close_matches

from sklearn_mteval._helpers.files import read_text
from sklearn_mteval.exceptions import DataFileError

_MOST_BYTES = 1 << 20


def _is(*types):
    # What TOML is read as has these very types; True is an int, too.
    return lambda value: type(value) in types


def _is_named(value):
    return isinstance(value.get("name") if isinstance(value, dict) else value, str)


def _or_listed(is_one):
    def check(value):
        return is_one(value) or (isinstance(value, list) and value and all(map(is_one, value)))

    return check


# What a kind of option is called, and the check of a value.
_KINDS = {
    "text": ("a text", _is(str)),
    "texts": ("a text or a list of texts", _or_listed(_is(str))),
    "flag": ("true or false", _is(bool)),
    "switch": ("true or false", _is(bool)),
    "integer": ("an integer", _is(int)),
    "number": ("a number", _is(int, float)),
    "named": ("a name, or a table with a name and options", _is_named),
    "all named": (
        "a name, a table with a name and options, or a list of these", _or_listed(_is_named)
    ),
}  # fmt: skip


def read_config(path, kinds):
    """Read a TOML file of options; ``kinds`` maps the name of each option to a key of _KINDS.

    DataFileError, naming the key, for what is no TOML, no option, or of another kind.
    """
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
        expected, is_right = _KINDS[kinds[key]]
        if not is_right(value):
            raise DataFileError(path, f"key {key!r}: expected {expected}, found {value!r}.")
    return found
