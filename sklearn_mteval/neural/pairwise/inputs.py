"""From a pair table to the rows that the network reads."""

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import check_texts
from sklearn_mteval.neural.encoders.options import number_texts

__all__ = [
    "TOLERANCE",
    "assemble",
    "block_widths",
    "check_references",
    "read_numbers",
    "read_texts",
    "reference_probe",
]

# References of t1 and t2 may differ by rounding: this share of the largest entry.
TOLERANCE = 1e-4


def read_numbers(X, blocks, dtype=np.float32):
    """Take the numeric columns in the order of the network's inputs.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n_pairs, 2 * n_features)
        A pair table.
    blocks : Blocks
        Roles of its columns.
    dtype : dtype, default=float32
        Of the result.

    Returns
    -------
    ndarray of shape (n_pairs, n_numbers)
        ``[x_t1 | x_t2 | x_r | s_t1 | s_t2]`` without encodings, C-contiguous.
    """
    columns = blocks.table_columns(X.shape[1] // 2)
    if not isinstance(X, pd.DataFrame):
        return np.ascontiguousarray(X[:, columns], dtype=dtype)
    if len(set(X.dtypes)) == 1:
        return np.ascontiguousarray(X.to_numpy()[:, columns], dtype=dtype)
    return np.ascontiguousarray(X.iloc[:, columns].to_numpy(dtype=dtype))


def read_texts(X, blocks, lowercase):
    """Read and number the texts to encode.

    Parameters
    ----------
    X : DataFrame of shape (n_pairs, 2 * n_features)
        A pair table with columns of texts.
    blocks : Blocks
        Roles of its columns.
    lowercase : bool
        Whether to lowercase first.

    Returns
    -------
    texts : Texts
        With word ids from 0 in order of first appearance.
    words : list of str
        The words.

    Raises
    ------
    CandidateError
        If a cell is no string.
    """
    half = X.shape[1] // 2
    at = [blocks.hypothesis_text, blocks.hypothesis_text + half]
    if blocks.reference_text is not None:
        at += [blocks.reference_text]
    columns = [check_texts(X, X.columns[k]) for k in at]
    return number_texts(columns, lowercase)


def assemble(numbers, blocks, of_pair, encoded):
    """Put encodings beside the numbers.

    Parameters
    ----------
    numbers : ndarray of shape (n_pairs, n_numbers)
        As :func:`read_numbers` returns it.
    blocks : Blocks
        Roles of the columns.
    of_pair : ndarray of shape (n_pairs, 2 or 3)
        Text of t1, of t2, of the reference.
    encoded : ndarray of shape (n_texts, n_outputs)
        Vectors of the texts.

    Returns
    -------
    ndarray of shape (n_pairs, n_inputs)
        Rows as the network reads them.
    """
    bounds = np.cumsum(block_widths(blocks))[:3]
    beside = np.split(numbers, bounds, axis=1)
    parts = []
    for at in range(3):
        if at < of_pair.shape[1]:
            parts.append(encoded[of_pair[:, at]].astype(numbers.dtype, copy=False))
        parts.append(beside[at])
    return np.ascontiguousarray(np.hstack([*parts, beside[3]]))


def block_widths(blocks):
    """Return the widths of the blocks of numbers.

    Parameters
    ----------
    blocks : Blocks
        Roles of the columns.

    Returns
    -------
    list of 4 int
        Of t1's embedding, t2's, the reference's, and of both translations' similarity
        features together.
    """
    d, r, k = len(blocks.hypothesis), len(blocks.reference), len(blocks.similarity)
    return [d, d, r, 2 * k]


def check_references(X, blocks, numbers=None):
    """Raise unless t1 and t2 stand beside the same reference in every row.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n_pairs, 2 * n_features)
        A pair table.
    blocks : Blocks
        Roles of its columns.
    numbers : ndarray of shape (n_pairs,), optional
        What to call the rows in the message; default 0, 1, ….

    Returns
    -------
    float
        The largest absolute entry of the references.

    Raises
    ------
    ValueError
        If references of a row differ by more than rounding: 1e-4 of the largest entry.
    """
    half = X.shape[1] // 2
    if blocks.reference_text is not None:
        texts = (X.iloc[:, blocks.reference_text + at].to_numpy(object) for at in (0, half))
        differ = np.not_equal(*texts).astype(bool)
        if differ.any():
            _different_references(int(np.flatnonzero(differ)[0]))
    if not len(blocks.reference):
        return 0.0
    values = X.iloc if isinstance(X, pd.DataFrame) else X
    first = np.asarray(values[:, blocks.reference], dtype=np.float64)
    second = np.asarray(values[:, blocks.reference + half], dtype=np.float64)
    scale = float(np.abs(first).max(initial=0.0))
    # Half each, so that the largest numbers do not overflow.
    differ = np.abs(first / 2 - second / 2).max(axis=1) > TOLERANCE / 2 * scale
    if differ.any():
        row = int(np.flatnonzero(differ)[0])
        _different_references(row if numbers is None else int(numbers[row]))
    return scale


def reference_probe(blocks, half):
    """Make weights that turn a row into a number, 0 if its references agree.

    Parameters
    ----------
    blocks : Blocks
        Roles of its columns.
    half : int
        Features of one translation.

    Returns
    -------
    ndarray of shape (2 * half,)
        A column for the matrix product that runs the network anyway, so that the check
        costs next to nothing.
    """
    probe = np.zeros(2 * half)
    # Incommensurable weights between 0.5 and 1.5: differences do not cancel out.
    weights = 1.0 + 0.5 * np.cos(np.arange(1, len(blocks.reference) + 1))
    probe[blocks.reference] = weights
    probe[blocks.reference + half] = -weights
    return probe


def _different_references(row):
    """Say that a pair is no pair."""
    raise ValueError(
        f"Row {row} of the pair table has different references for t1 and t2: only translations "
        "of the same segment can be compared. If these columns do not describe the reference, "
        "set blocks={'reference': […]}."
    )
