"""Where the commands write what they have found."""

import sys

from sklearn_mteval._helpers.atomic import write_atomically

__all__ = ["write"]


def write(text, path):
    """Write text to a file, whole or not at all, or to standard output if the path is "-"."""
    if path == "-":
        sys.stdout.write(text)
    else:
        write_atomically(path, text.encode("utf-8", "surrogateescape"))
