"""Errors in the words of the command line: ``segment='id'`` of Python is ``--columns segment=id``.

What is raised says how it is mended in Python; a command says it as its options are written.
"""

import ast
import re
from shlex import quote

_VALUE = r"""(?P<value>'[^']*'|"[^"]*"|\[[^\]]*\]|\{[^}]*\}|True|False|None|[0-9.]*[0-9]|)"""
_COLUMNS = (
    "segment", "system", "judgement", "judge", "ranking", "source", "reference", "hypothesis",
)  # fmt: skip
# How options of load_rankings are called where that is not their own name.
_OF_TABLES = {
    "missing": "unjudged", "quoted": "quotes", "format": "format", "better": "better",
    "verdicts": "verdicts", "delimiter": "delimiter", "decimal": "decimal", "sheet": "sheet",
}  # fmt: skip


def of_judgements(message):
    """Write what loading a table of one's own raised as the options of a command."""
    keys = "|".join(_COLUMNS)
    one = rf"\b(?:{keys})={_VALUE.replace('?P<value>', '')}"
    message = re.sub(rf"{one}(?:, {one})*", _columns, message)
    message = message.replace("texts=", "-s, -r or -t")
    return as_options(message, _OF_TABLES)


def of_options(message, parser):
    """Write the options of functions that a message names as those of a command's parser."""
    flags = {
        action.dest: action.option_strings[-1].removeprefix("--")
        for action in parser._actions
        if action.option_strings and action.dest not in _COLUMNS
    }
    begin = re.match(r"(\w+)(?= must |: )", message)
    if begin and begin[1] in flags:
        message = f"--{flags[begin[1]]}{message[begin.end() :]}"
    return as_options(message, flags)


def as_options(message, flags):
    """Write ``name=value`` as ``--flag value``, for the flags of some names."""
    names = "|".join(map(re.escape, sorted(flags, key=len, reverse=True)))
    if not names:
        return message

    def option(match):
        flag, value = flags[match["name"]], match["value"]
        if value in ("True", "False"):
            return f"--{'no-' if value == 'False' else ''}{flag}"
        if value == "None":
            return f"no --{flag}"
        return f"--{flag} {_written(value)}".rstrip()

    return re.sub(rf"(?<![\w-])(?P<name>{names})={_VALUE}", option, message)


def _columns(match):
    """Write columns that are named one after the other as one option."""
    found = re.finditer(rf"\b(?P<name>{'|'.join(_COLUMNS)})={_VALUE}", match[0])
    named = [f"{one['name']}={_written(one['value'] or 'COLUMN')}" for one in found]
    return f"--columns {' '.join(named)}"


def _written(text):
    """Write a value of Python as a shell takes it."""
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
    if value is False:
        return ""
    if isinstance(value, dict):
        return " ".join(quote(f"{word}={meant}") for word, meant in value.items())
    if isinstance(value, list):
        return quote(",".join(map(str, value)))
    return "tab" if value == "\t" else quote(str(value))
