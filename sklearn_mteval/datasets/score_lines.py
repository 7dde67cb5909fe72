"""Lines ``SYSTEM SCORE`` or ``SCORE``, as metrics write them for each segment."""

import re

import numpy as np

from sklearn_mteval.datasets._files import read_lines
from sklearn_mteval.exceptions import DataFileError

__all__ = ["MISSING", "read_score_lines", "score_of"]

MISSING = "None"  # mt-metrics-eval's word for a translation that a metric could not score
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def score_of(text):
    """Read a plain decimal number.

    Python's own ``float`` would also read "nan", "infinity", "1_000" and digits of other
    scripts, none of which a metric writes on purpose.

    Parameters
    ----------
    text : str
        Such as "-0.25" or "1e-3"; blanks around it are ignored.

    Returns
    -------
    float or None
        None if it is anything else or too large.
    """
    text = text.strip()
    value = float(text) if _NUMBER.fullmatch(text) else np.inf
    return value if np.isfinite(value) else None


def read_score_lines(path, *, missing=False):
    """Read lines ``SYSTEM SCORE``, split at the last tab or else the last space, or ``SCORE``.

    Parameters
    ----------
    path : path-like
        The file; the first line says which of the two it is.
    missing : bool, default=False
        Whether a score may be the word "None", which becomes NaN.

    Returns
    -------
    list of (int, str or None, float)
        1-based line number, system (None: not named) and score of each line; blank lines at
        the end are left out.

    Raises
    ------
    DataFileError
        Naming the first line that is anything else.
    """
    lines = read_lines(path)
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise DataFileError(path, "expected scores, found an empty file.")
    named = len(lines[0].split()) > 1
    rows = []
    for number, line in enumerate(lines, start=1):
        system, score = None, line.strip()
        if named:
            system, _, score = score.rpartition("\t" if "\t" in score else " ")
            system = system.strip()
        value = np.nan if missing and score.strip() == MISSING else score_of(score)
        if value is None or system == "":
            expected = "a system and a finite score" if named else "a finite score"
            hint = f" A score that is missing is written {MISSING!r}." if missing else ""
            raise DataFileError(
                path, f"expected {expected}, found {line.strip()[:60]!r}.{hint}", number
            )
        rows.append((number, system, value))
    return rows
