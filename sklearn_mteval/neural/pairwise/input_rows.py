"""From a pair table to the rows that a network reads."""

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import check_texts
from sklearn_mteval.neural.encoders.texts import number_texts

# References of t1 and t2 may differ by rounding: this proportion of the largest entry.
TOLERANCE = 1e-4


def read_numbers(X, roles, dtype=np.float32):
    """Take the numeric columns in the order of an input row, C-contiguous."""
    columns = roles.table_columns(X.shape[1] // 2)
    if not isinstance(X, pd.DataFrame):
        values = X[:, columns]
    elif len(set(X.dtypes)) == 1:
        values = X.to_numpy()[:, columns]
    else:
        values = X.iloc[:, columns].to_numpy(dtype=np.float64)
    with np.errstate(over="ignore"):
        found = np.ascontiguousarray(values, dtype=dtype)
    large = np.isinf(found)
    if large.any():
        raise ValueError(
            f"Expected numbers of at most {np.finfo(dtype).max:g} in magnitude, found "
            f"{values[large][0]:g}: scale or leave out the column."
        )
    return found


def read_texts(X, roles, lowercase):
    """Number the texts to encode: Texts with word ids in order of first appearance, the words."""
    at = [roles.hypothesis_text, roles.hypothesis_text + (X.shape[1] // 2)]
    if roles.reference_text is not None:
        at += [roles.reference_text]
    return number_texts([check_texts(X, X.columns[k]) for k in at], lowercase)


def interleave(encoded, numbers):
    """Order the parts of an input row: encodings of t1, t2 (and the reference) before numbers."""
    parts = []
    for at, values in enumerate(numbers):
        parts += [*encoded[at : at + 1], values]
    return parts


def assemble(numbers, roles, of_pair, encoded):
    """Join numbers with the vectors of the texts that ``of_pair`` says t1 and t2 are."""
    vectors = [encoded[texts].astype(numbers.dtype, copy=False) for texts in of_pair.T]
    parts = np.split(numbers, np.cumsum(roles.widths)[:3], axis=1)
    return np.ascontiguousarray(np.hstack(interleave(vectors, parts)))


def check_references(X, roles, row_numbers=None):
    """Raise unless t1's and t2's references agree but for rounding; return their largest entry."""
    half = X.shape[1] // 2
    if roles.reference_text is not None:
        texts = (X.iloc[:, roles.reference_text + at].to_numpy(object) for at in (0, half))
        differ = np.not_equal(*texts).astype(bool)
        if differ.any():
            _refuse_references(int(np.flatnonzero(differ)[0]))
    if not len(roles.reference):
        return 0.0
    values = X.iloc if isinstance(X, pd.DataFrame) else X
    first = np.asarray(values[:, roles.reference], dtype=np.float64)
    second = np.asarray(values[:, roles.reference + half], dtype=np.float64)
    scale = float(np.abs(first).max(initial=0.0))
    # Half each, so that the largest numbers do not overflow.
    differ = np.abs(first / 2 - second / 2).max(axis=1) > TOLERANCE / 2 * scale
    if differ.any():
        row = int(np.flatnonzero(differ)[0])
        _refuse_references(row if row_numbers is None else int(row_numbers[row]))
    return scale


def reference_probe(roles, half):
    """Return weights, shape (2 * half,), that make 0 of a row whose references agree."""
    probe = np.zeros(2 * half)
    # Incommensurable weights between 0.5 and 1.5: differences of several entries, such as +0.01
    # and -0.01, do not cancel out.
    weights = 1.0 + 0.5 * np.cos(np.arange(1, len(roles.reference) + 1))
    probe[roles.reference] = weights
    probe[roles.reference + half] = -weights
    return probe


def _refuse_references(row):
    """Say that a pair is no pair."""
    raise ValueError(
        f"Row {row} of the pair table has different references for t1 and t2: only translations "
        "of the same segment can be compared. If these columns do not describe the reference, "
        "set column_roles={'reference': […]}."
    )
