"""Arguments of Python in errors as options: ``segment='id'`` is ``--columns segment=id``.

Nothing is read but NAME=VALUE, and a name at the beginning; whatever the sentence says stays.
"""

import ast
import re
from shlex import quote

_TEXT = r"""'[^']*'|"[^"]*\""""
_VALUE = rf"{_TEXT}|\[(?:{_TEXT}|[^\]'\"])*\]|\{{[^}}]*\}}|True|False|None|[0-9.]*[0-9]|"
_COLUMNS = (
    "segment", "system", "judgement", "judge", "ranking", "source", "reference", "hypothesis",
)  # fmt: skip
# What load_rankings calls otherwise than the commands do.
OF_TABLES = {"missing": "--unjudged", "quoted": "--quotes", "texts": "-s, -r or -t"} | {
    name: f"--columns {name}=" for name in _COLUMNS
}


def flags_of(parser):
    """Map names of Python to the options of a command, but for those of columns."""
    flags = {each.dest: each.option_strings[-1:] for each in parser._actions}
    return {name: flag[0] for name, flag in flags.items() if flag and name not in _COLUMNS}


def as_options(message, flags):
    """Write each argument that a message names as the option that ``flags`` has for it."""

    def option(found):
        flag, value = flags[found[1] or found[3]], found[2]
        if value is None:
            return flag.rstrip("=")
        if flag.endswith("="):
            return f"\0{flag}{_written(value, ',') if value else 'COLUMN'}\0"
        if value == "None":
            return f"no {flag}"
        if value == "False":
            return flag.replace("--", "--no-")
        return f"{flag} {_written(value)}".rstrip()

    names = "|".join(flags)
    # What stands after --columns is as it was typed.
    pattern = rf"(?<![\w-])(?<!--columns )({names})=({_VALUE})|^({names})(?= must |: )"
    # One --columns takes all that follow each other.
    return re.sub(pattern, option, message).replace("\0, \0--columns", "").replace("\0", "")


def _written(text, between=" "):
    """Write a value of Python as a shell takes it."""
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
    if isinstance(value, bool):
        return ""
    if isinstance(value, dict):
        value = [f"{word}={meant}" for word, meant in value.items()]
    if isinstance(value, list):
        return between.join(quote(str(each)) for each in value)
    return "tab" if value == "\t" else quote(str(value))
