"""Which columns of a pair table are embeddings, references or similarity features.

Told by ``EmbeddingAverager``'s names behind any prefixes, or by hand.
"""

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.neural.pairwise.architectures import InputLayout
from sklearn_mteval.pair_classifiers import check_halves

ROLES = ("hypothesis", "reference", "similarity")

_BY_NAME = {
    "hypothesis": re.compile(r"(^|__)hypothesis_emb\d+$"),
    "reference": re.compile(r"(^|__)reference_emb\d+$"),
}
_TEXT = {role: re.compile(rf"(^|__){role}$") for role in ("hypothesis", "reference")}


def is_numeric(X):
    """Tell by their dtype which columns of a DataFrame hold numbers."""
    return np.array([dtype.kind in "fiub" for dtype in X.dtypes], dtype=bool)


class ColumnRoles(NamedTuple):
    """Positions of each role among the features of one translation; of texts one, or None."""

    hypothesis: np.ndarray
    reference: np.ndarray
    similarity: np.ndarray
    hypothesis_text: int | None = None
    reference_text: int | None = None

    def table_columns(self, half):
        """Columns of a pair table, whose t2 begins at ``half``, in the order of an input row."""
        t1, reference, similarity = self[:3]  # the reference is read with t1
        return np.concatenate([t1, t1 + half, reference, similarity, similarity + half])

    @property
    def widths(self):
        """Widths of t1's numbers, t2's, the reference's and both similarities' in an input row."""
        d = len(self.hypothesis)
        return [d, d, len(self.reference), 2 * len(self.similarity)]

    def layout(self, n_encoded=0):
        """InputLayout with the numbers that an encoder makes of each text counted in."""
        return InputLayout(
            len(self.hypothesis) + n_encoded,
            len(self.reference) + n_encoded * (self.reference_text is not None),
            len(self.similarity),
        )


def find_roles(X, names, given, *, encoder):
    """Find each column's role by ``names`` (or None) and what is ``given`` as ``column_roles``."""
    half = check_halves(X.shape[1], names)
    own = None if names is None else [str(name).removeprefix("t1__") for name in names[:half]]
    texts = ~is_numeric(X)[:half] if isinstance(X, pd.DataFrame) else np.zeros(half, dtype=bool)
    given = {} if given is None else given
    if not isinstance(given, dict) or not set(given) <= set(ROLES):
        raise ValueError(
            f"column_roles must be None or a dict with keys from {list(ROLES)}, found {given!r}."
        )
    found = {role: _positions(role, wanted, own, half) for role, wanted in given.items()}
    if own is None and not given:
        found["hypothesis"] = np.arange(half)
    for role, pattern in _BY_NAME.items():
        matches = [at for at, name in enumerate(own or ()) if pattern.search(name)]
        found.setdefault(role, np.array(matches, dtype=np.int64))
    taken = np.concatenate([*found.values()])
    found.setdefault("similarity", np.setdiff1d(np.flatnonzero(~texts), taken))
    _check_roles(found, own, texts)
    return ColumnRoles(*(found[role] for role in ROLES), *_text_columns(own, texts, encoder))


def _positions(role, wanted, names, half):
    """Turn what the caller gives for one role into positions."""
    role = f"column_roles[{role!r}]"
    if isinstance(wanted, str):
        return _matching(role, wanted, names)
    if isinstance(wanted, slice):
        return np.arange(half)[wanted]
    wanted = list(wanted) if hasattr(wanted, "__iter__") else [wanted]
    if wanted and all(isinstance(name, str) for name in wanted):
        return _named(role, wanted, names)
    at = np.array(wanted, dtype=None if wanted else np.int64)
    if at.dtype == bool and len(at) == half:
        return np.flatnonzero(at)
    if at.dtype.kind not in "iu" or at.ndim != 1 or not np.isin(at, np.arange(half)).all():
        raise ValueError(
            f"{role} must be a pattern, a list of names, or positions from 0 to "
            f"{half - 1} among the features of one translation; found {wanted!r}."
        )
    return at.astype(np.int64)


def _matching(role, pattern, names):
    """Return the positions of the names that a pattern is found in."""
    if names is None:
        raise ValueError(
            f"{role} is the pattern {pattern!r}, but the columns have no names: give "
            "positions, or a DataFrame (set_output(transform='pandas') on the pipeline)."
        )
    try:
        at = [k for k, name in enumerate(names) if re.search(pattern, name)]
    except re.error as error:
        raise ValueError(f"{role}: {pattern!r} is no regular expression: {error}.") from None
    if not at:
        raise ValueError(f"{role}: no name of a feature matches {pattern!r}; they are {names}.")
    return np.array(at, dtype=np.int64)


def _named(role, wanted, names):
    """Return the positions of names."""
    unknown = [name for name in wanted if name not in (names or ())]
    if unknown:
        raise ValueError(f"{role} names {unknown[0]!r}, which is no feature; they are {names}.")
    return np.array([names.index(name) for name in wanted], dtype=np.int64)


def _check_roles(found, names, texts):
    """Raise if a column has two roles, is text, or the embeddings differ in size."""
    shown = (lambda at: f"column {at}") if names is None else (lambda at: repr(names[at]))
    every = np.concatenate([found[role] for role in ROLES])
    at, counts = np.unique(every, return_counts=True)
    if (counts > 1).any():
        raise ValueError(f"column_roles give {shown(at[counts > 1][0])} two roles.")
    if texts[every].any():
        raise ValueError(f"{shown(every[texts[every]][0])} holds texts, not numbers.")
    d, r = len(found["hypothesis"]), len(found["reference"])
    if d and r and d != r:
        raise ValueError(
            f"The embedding of a hypothesis has {d} columns, that of the reference {r}: they must "
            "agree, or one be empty. Set them with column_roles={'hypothesis': …, 'reference': …}."
        )


def _text_columns(names, texts, encoder):
    """Find the columns that an encoder reads."""
    at = np.flatnonzero(texts).tolist()
    if not encoder:
        if at:
            raise ValueError(
                f"Column {at[0] if names is None else names[at[0]]!r} holds texts, not numbers, "
                "which needs encoder=…, e.g. PairwiseNN(encoder='average'), or a transformer "
                "before. (Numbers of dtype object become numbers with X.astype(float).)"
            )
        return None, None
    names = [""] * len(texts) if names is None else names
    columns = [_text_column(role, names, at) for role in _TEXT]
    if columns[0] is None:
        raise ValueError(
            "The encoder needs a column of texts named 'hypothesis' (and 'reference'), such as "
            "ColumnTransformer([('text', 'passthrough', ['hypothesis', 'reference']), …]) makes; "
            f"found {[names[k] for k in at] if names else 'no names'}."
        )
    return tuple(columns)


def _text_column(role, names, at):
    """Return the one column of texts, of those at some places, that is named after a role."""
    found = [k for k in at if _TEXT[role].search(names[k])]
    if len(found) > 1:
        raise ValueError(f"Two columns of texts are named {role!r}: {[names[k] for k in found]}.")
    return found[0] if found else None
