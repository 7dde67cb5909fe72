"""Which columns of a pair table are embeddings, references or similarity features.

Roles are read from the names that ``EmbeddingAverager`` gives, through the prefixes that
unions, pipelines and the pair table put before them
(``t1__embeddingaverager__hypothesis_emb0``); for plain arrays they are set by hand.
"""

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.neural.pairwise.architecture import InputShape

__all__ = ["ROLES", "Blocks", "find_blocks", "is_numeric"]

ROLES = ("hypothesis", "reference", "similarity")

_BY_NAME = {
    "hypothesis": re.compile(r"(^|__)hypothesis_emb\d+$"),
    "reference": re.compile(r"(^|__)reference_emb\d+$"),
}
_TEXT = {role: re.compile(rf"(^|__){role}$") for role in ("hypothesis", "reference")}


def is_numeric(X):
    """Tell which columns of a table hold numbers.

    Parameters
    ----------
    X : DataFrame of shape (n_rows, n_columns)
        The table.

    Returns
    -------
    ndarray of shape (n_columns,), bool
        By their dtype.
    """
    return np.array([dtype.kind in "fiub" for dtype in X.dtypes], dtype=bool)


class Blocks(NamedTuple):
    """Positions of each role among the features of one translation.

    Attributes
    ----------
    hypothesis, reference, similarity : ndarray of int
        Numeric columns.
    hypothesis_text, reference_text : int or None
        Columns of texts for an encoder.
    """

    hypothesis: np.ndarray
    reference: np.ndarray
    similarity: np.ndarray
    hypothesis_text: int | None = None
    reference_text: int | None = None

    def table_columns(self, half):
        """Return the columns of a pair table in the order of the network's inputs.

        Parameters
        ----------
        half : int
            Features of one translation; t2's follow t1's.

        Returns
        -------
        ndarray of shape (n_inputs,), int64
            ``[x_t1 | x_t2 | x_r | s_t1 | s_t2]``; x_r is read beside t1.
        """
        return np.concatenate(
            [
                self.hypothesis,
                self.hypothesis + half,
                self.reference,
                self.similarity,
                self.similarity + half,
            ]
        )

    def shape(self, n_encoded=0):
        """Return the sizes of the network's input.

        Parameters
        ----------
        n_encoded : int, default=0
            Numbers that an encoder makes of each text, which stand before the columns.

        Returns
        -------
        InputShape
            With them counted in.
        """
        reference = n_encoded if self.reference_text is not None else 0
        return InputShape(
            len(self.hypothesis) + n_encoded,
            len(self.reference) + reference,
            len(self.similarity),
        )


def find_blocks(X, names, given, *, encoder):
    """Find the role of every column of a pair table.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n_pairs, 2 * n_features)
        A pair table.
    names : sequence of str or None
        Names of its columns, if it has any.
    given : dict or None
        What the caller sets by hand: a role to a regular expression that is searched in the
        features' names, a list of names, or a list, slice or boolean mask of positions among
        the features of one translation. Roles that are not given are read from the
        names; similarity features are what is left. Without names and without this, all
        columns are the hypothesis's embedding.
    encoder : bool
        Whether texts will be encoded.

    Returns
    -------
    Blocks
        The positions.

    Raises
    ------
    ValueError
        If a half does not mirror the other, a column has two roles, or the embeddings of
        hypothesis and reference differ in size.
    """
    half = _half(X, names)
    own = None if names is None else [str(name).removeprefix("t1__") for name in names[:half]]
    texts = np.zeros(half, dtype=bool)
    if isinstance(X, pd.DataFrame):
        texts = ~is_numeric(X)[:half]
    found = {}
    given = {} if given is None else given
    if not isinstance(given, dict) or not set(given) <= set(ROLES):
        raise ValueError(
            f"blocks must be None or a dict with keys from {list(ROLES)}, found {given!r}."
        )
    for role, wanted in given.items():
        found[role] = _positions(role, wanted, own, half)
    for role, pattern in _BY_NAME.items():
        matches = [] if own is None else [at for at in range(half) if pattern.search(own[at])]
        found.setdefault(role, np.array(matches, dtype=np.int64))
    if own is None and not given:
        found["hypothesis"] = np.arange(half)
    taken = np.concatenate([*found.values()])
    found.setdefault("similarity", np.setdiff1d(np.flatnonzero(~texts), taken))
    _check_roles(found, own, texts)
    hypothesis_text, reference_text = _text_columns(own, texts, encoder)
    return Blocks(
        found["hypothesis"],
        found["reference"],
        found["similarity"],
        hypothesis_text,
        reference_text,
    )


def _half(X, names):
    """Return the number of features of one translation; check that the halves mirror."""
    n_columns = X.shape[1]
    if n_columns % 2:
        raise ValueError(
            "A pair table has an even number of columns, t1's then t2's; found "
            f"n_features = {n_columns}."
        )
    half = n_columns // 2
    for first, second in zip((names or ())[:half], (names or ())[half:], strict=True):
        if str(first).startswith("t1__") and str(second) != f"t2__{str(first)[4:]}":
            raise ValueError(
                f"Column {first!r} of t1 faces {second!r} of t2: expected 't2__{first[4:]}'. An "
                "embedding, or any other feature, must have the same columns in both halves."
            )
    return half


def _positions(role, wanted, names, half):
    """Turn what the caller gives for one role into positions."""
    if isinstance(wanted, str):
        if names is None:
            raise ValueError(
                f"blocks[{role!r}] is the pattern {wanted!r}, but the columns have no names: give "
                "positions, or a DataFrame (set_output(transform='pandas') on the pipeline)."
            )
        try:
            at = [k for k, name in enumerate(names) if re.search(wanted, name)]
        except re.error as error:
            raise ValueError(
                f"blocks[{role!r}]: {wanted!r} is no regular expression: {error}."
            ) from None
        if not at:
            raise ValueError(
                f"blocks[{role!r}]: no name of a feature matches {wanted!r}; they are {names}."
            )
        return np.array(at, dtype=np.int64)
    if isinstance(wanted, slice):
        return np.arange(half)[wanted]
    wanted = list(wanted) if hasattr(wanted, "__iter__") else [wanted]
    if wanted and all(isinstance(name, str) for name in wanted):
        unknown = [name for name in wanted if name not in (names or ())]
        if unknown:
            raise ValueError(
                f"blocks[{role!r}] names {unknown[0]!r}, which is no feature; they are {names}."
            )
        return np.array([names.index(name) for name in wanted], dtype=np.int64)
    at = np.array(wanted, dtype=None if wanted else np.int64)
    if at.dtype == bool and len(at) == half:
        return np.flatnonzero(at)
    if at.dtype.kind not in "iu" or at.ndim != 1 or (at < 0).any() or (at >= half).any():
        raise ValueError(
            f"blocks[{role!r}] must be a pattern, a list of names, or positions from 0 to "
            f"{half - 1} among the features of one translation; found {wanted!r}."
        )
    return at.astype(np.int64)


def _check_roles(found, names, texts):
    """Raise if a column has two roles, is text, or the embeddings differ in size."""
    shown = (lambda at: f"column {at}") if names is None else (lambda at: repr(names[at]))
    every = np.concatenate([found[role] for role in ROLES])
    at, counts = np.unique(every, return_counts=True)
    if (counts > 1).any():
        raise ValueError(f"blocks give {shown(at[counts > 1][0])} two roles.")
    if texts[every].any():
        raise ValueError(f"{shown(every[texts[every]][0])} holds texts, not numbers.")
    d, r = len(found["hypothesis"]), len(found["reference"])
    if d and r and d != r:
        raise ValueError(
            f"The embedding of a hypothesis has {d} columns, that of the reference {r}: they must "
            "agree, or one be empty. Set them with blocks={'hypothesis': …, 'reference': …}."
        )


def _text_columns(names, texts, encoder):
    """Find the columns that an encoder reads."""
    if not encoder:
        if texts.any():
            at = int(np.flatnonzero(texts)[0])
            raise ValueError(
                f"Column {at if names is None else names[at]!r} holds texts, not numbers, which "
                "needs encoder=…, e.g. PairwiseNN(encoder='average'), or a transformer before. "
                "(Numbers of dtype object become numbers with X.astype(float).)"
            )
        return None, None
    columns = []
    names = [""] * len(texts) if names is None else names
    for role, pattern in _TEXT.items():
        at = [k for k in np.flatnonzero(texts) if pattern.search(names[k])]
        if len(at) > 1:
            raise ValueError(f"Two columns of texts are named {role!r}: {[names[k] for k in at]}.")
        columns.append(int(at[0]) if at else None)
    if columns[0] is None:
        raise ValueError(
            "The encoder needs a column of texts named 'hypothesis' (and 'reference'), such as "
            "ColumnTransformer([('text', 'passthrough', ['hypothesis', 'reference']), …]) makes; "
            f"found {list(np.array(names, dtype=object)[texts]) if names else 'no names'}."
        )
    return tuple(columns)
