"""Where the commands write what they have found."""

import contextlib
import os
import sys
from functools import partial
from pathlib import Path

from sklearn_mteval._helpers.progress import hidden
from sklearn_mteval.exceptions import CandidateError


class Finished(Exception):
    """A command has done what it was asked for."""


def check_paths(outputs, inputs, folders=()):
    """Raise, before any work, for what cannot or must not be read or written.

    ``outputs`` are paths by option, "-" being no file, ``inputs`` files that are read, ``folders``
    those all of whose files are; None is not given.
    """
    from sklearn_mteval._helpers.files import STANDARD_INPUT

    inputs, folders = ([path for path in some if path is not None] for some in (inputs, folders))
    if inputs.count(STANDARD_INPUT) > 1:
        raise ValueError('standard input, "-", is given twice, but can be read only once.')
    written = {}
    for option, path in outputs.items():
        if path in (None, "-"):
            continue
        there = _check_output(option, path)
        if there and not os.path.isfile(path):
            continue  # a pipe or a device: nothing is lost
        if not os.access(Path(path).parent, os.W_OK):
            raise PermissionError(f"{option} {path}: the folder cannot be written to.")
        real = os.path.normcase(os.path.realpath(path))  # Windows knows no upper case
        other = written.setdefault(real, option)
        if other != option:
            raise ValueError(f"{other} and {option} are one file, {path}.")
        if there and _is_read(path, inputs, folders):
            raise ValueError(f"{option} {path}: an input of this command, which would be lost.")


def _check_output(option, path):
    """Raise for what is no place to write to; tell whether something is there."""
    if not str(path):
        raise ValueError(f"{option} '': expected a file, found an empty name.")
    check_name(option, path)
    there = _is_there(path)
    if os.path.isdir(path):
        raise IsADirectoryError(f"{option} {path}: expected a file, found a folder.")
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(f"{option} {path}: No such folder to write into.")
    return there


def _is_read(path, inputs, folders):
    """Tell whether a file is one of the inputs, or in a folder all of whose files are read."""
    real = os.path.realpath(path)
    for file in inputs:
        if file != "-" and os.path.exists(file) and os.path.samefile(path, file):
            return True
    return any(real.startswith(os.path.join(os.path.realpath(f), "")) for f in folders)


def check_name(option, path):
    """Raise for a name that no file or folder can have."""
    if "\0" in str(path):
        raise ValueError(f"{option} {str(path)!r}: a file's name has no null byte.")


@contextlib.contextmanager
def naming_options(X, options):
    """Say in the error of a column that is missing which option gives it."""
    try:
        yield
    except CandidateError as error:
        for column, option in options.items():
            if column not in X and f"column {column!r}" in str(error):
                name = {"hypothesis": "translation"}.get(column, column)
                raise ValueError(
                    f"there are no {name}s, which a metric or a model reads: give {option}."
                ) from None
        raise


def _is_there(path):
    """Tell whether there is a file; OSError if that cannot be told."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def write(text, path):
    """Write text to a file, whole or not at all, or to standard output if the path is "-"."""
    write_pieces([text], path)


def write_pieces(pieces, path):
    """Write texts or bytes as they come: to standard output, or to a file that is whole."""
    from sklearn_mteval._helpers.atomic import write_atomically

    made = _Made(pieces)
    try:
        if path != "-":
            encode = partial(str.encode, encoding="utf-8", errors="surrogateescape")
            write_atomically(path, (p if isinstance(p, bytes) else encode(p) for p in made))
        elif sys.stdout is None:
            raise ValueError("standard output is closed: name a file with -o.")
        else:
            for piece in made:
                with hidden():
                    sys.stdout.write(piece if isinstance(piece, str) else piece.decode())
                    sys.stdout.flush()
    except UnicodeEncodeError as error:
        if error is made.problem:
            raise
        raise ValueError(
            f"standard output does not take {error.object[error.start]!r}, only "
            f"{error.encoding}: set PYTHONIOENCODING=utf-8, or name a file with -o."
        ) from None
    except OSError as error:
        if error is made.problem:
            raise
        name = "standard output" if path == "-" else str(path)
        raise OSError(error.errno, error.strerror, name) from None


class _Made:
    """Pieces, and what went wrong in making one, which is not the fault of where they go."""

    def __init__(self, pieces):
        self._pieces, self.problem = iter(pieces), None

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return next(self._pieces)
        except Exception as problem:
            self.problem = problem
            raise


def show(text):
    """Write lines to standard output."""
    write(f"{text}\n", "-")


def say(text):
    """Write text to standard error, if there is one."""
    with contextlib.suppress(OSError), hidden():
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()
