"""JSON of others, read so that nothing in it is lost, guessed or too deep."""

import json

from sklearn_mteval._helpers.numbers import is_exact
from sklearn_mteval.exceptions import DataFileError

_LARGEST = 1e300  # sums of larger numbers are infinite


def parse_json(path, text, line=None):
    """Parse JSON, in which a name that is there twice raises; NaN and Infinity, of Python, stay."""

    def distinct(pairs):
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"the name {twice[:60]!r} is there twice in one object")
        return found

    try:
        value = json.loads(text, object_pairs_hook=distinct)
        if "\\u" in text:  # only an escape can write half a character
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except json.JSONDecodeError as error:
        where = error.lineno if line is None else line
        problem = f"expected JSON, found what is none: {error.msg}, character {error.colno}."
        raise DataFileError(path, problem, where) from None
    except UnicodeEncodeError:
        raise DataFileError(path, "a text has half a character (a lone surrogate).", line) from None
    except RecursionError:
        raise DataFileError(path, "expected JSON, found one that is too deep.", line) from None
    except ValueError as error:  # a doubled name; a whole number of thousands of digits
        raise DataFileError(path, f"not to be read as JSON: {error}.", line) from None


def parse_json_lines(path, lines):
    """Parse lines, given with their numbers, each of which must be an object: a list of dict."""
    found = []
    for number, line in lines:
        found.append(parse_json(path, line, number))
        if not isinstance(found[-1], dict):
            kind = type(found[-1]).__name__
            raise DataFileError(path, f"expected one JSON object a line, found {kind}.", number)
    return found


def is_number(value):
    """Tell whether a value is a finite number, and the same as a float, too."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and abs(value) <= _LARGEST and is_exact(value)


def are_objects(value):
    """Tell whether a value is a list of objects."""
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)
