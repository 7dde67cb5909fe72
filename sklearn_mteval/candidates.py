"""The candidate table's contract: checks, texts, targets, comparable groups.

A row is one translation, told by a MultiIndex of ``segment``, ``system`` and levels between (an
annotator's ``ranking``). Rows are *comparable* iff they agree on every level but the system.
"""

import math
import re

import numpy as np
import pandas as pd
from sklearn.utils.validation import column_or_1d

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval._helpers.numbers import as_numbers, check_exact
from sklearn_mteval.exceptions import CandidateError

TEXT_COLUMNS = ("source", "reference", "hypothesis")
_LARGEST = 1e140  # squares of larger features, added up, leave the range of float64
_FEW = 64  # rows, whose cells are looked at faster than a Series of the columns' types is made
_CURE = (
    "If the table never had an index: it says which rows are translations of one segment, and is "
    "needed to predict as it is to fit. Make it by X = datasets.candidates_from_frame(X), of "
    "columns 'segment' and 'system', or by X = X.set_index(['segment', 'system']). If a "
    "transformer dropped the index, call .set_output(transform='pandas') on the pipeline. A step "
    "that a grid search or set_params puts in does not inherit that: make the pipeline with "
    "make_ranking_pipeline(...), or call sklearn.set_config(transform_output='pandas')."
)


def check_candidates(X, *, item_level="system", columns=()):
    """Raise CandidateError unless X keeps the contract and has these columns.

    Its index must have the level ``segment`` and ``item_level``, by which a ranking's items differ.
    """
    if not isinstance(X, pd.DataFrame):
        shape = f" of shape {X.shape}" if hasattr(X, "shape") else ""
        raise CandidateError(
            "Expected a pandas DataFrame whose MultiIndex has the levels 'segment' and "
            f"{item_level!r}, found {type(X).__name__}{shape}: the index that says which "
            f"translations may be compared is lost. {_CURE}"
        )
    index = X.index
    if not isinstance(index, pd.MultiIndex):
        raise CandidateError(
            f"Expected a MultiIndex with the levels 'segment' and {item_level!r}, found "
            f"{type(index).__name__} named {index.name!r}: nothing says which translations "
            f"may be compared. {_CURE}"
        )
    if item_level == "segment":
        raise CandidateError("item_level='segment' would compare translations across segments.")
    missing = [level for level in ("segment", item_level) if level not in index.names]
    if missing:
        raise CandidateError(
            f"The index level {missing[0]!r} is missing; there are {list(index.names)}. "
            "Name them with X.index.set_names(...)."
        )
    check_columns(X, columns)
    for level, codes in zip(index.names, index.codes, strict=True):
        if (codes < 0).any():
            row = int(np.flatnonzero(codes < 0)[0])
            raise CandidateError(f"Row {row} of X has no label in the index level {level!r}.")
    if _has_repeated(index):
        row = int(index.duplicated().argmax())
        raise CandidateError(
            f"Row {row} of X repeats the index {_label(index, row)}: each row must be one "
            "translation. Several judgements of a segment need a level of their own (ranking); a "
            "segment that a bootstrap draws twice needs a new label."
        )


def _has_repeated(index):
    """Tell whether two rows of a MultiIndex have the same labels, none of which is missing."""
    if len(index) == 1:
        return False
    shape = [len(level) for level in index.levels]
    if not 0 < math.prod(shape) <= 16 * len(index):
        return not index.is_unique
    # Marks in a table of all labels, which most are in, are faster than hashes of the rows.
    seen = np.zeros(math.prod(shape), dtype=bool)
    seen[np.ravel_multi_index(index.codes, shape)] = True
    return np.count_nonzero(seen) < len(index)


def _label(index, row):
    """Show a row's label with Python's own numbers and strings."""
    return repr(index[[row]].tolist()[0])


def check_columns(X, columns):
    """Raise CandidateError unless X is a DataFrame that has each of these columns once."""
    if not isinstance(X, pd.DataFrame):
        raise CandidateError(
            f"Expected a pandas DataFrame with the columns {list(columns)}, found "
            f"{type(X).__name__}. A list of texts becomes one with "
            "pd.DataFrame({'hypothesis': [...], 'reference': [...]}, index=...), a table of polars "
            "or Arrow by X.to_pandas() or datasets.candidates_from_frame(X)."
        )
    names = X.columns.tolist() if columns else []
    for column in columns:
        found = names.count(column)
        if found != 1:
            raise CandidateError(
                f"Expected one column {column!r}, found {found}; the columns are {list(X.columns)}."
            )


def check_feature_columns(X):
    """Raise CandidateError unless a table has columns of distinct names, none sparse or complex."""
    if not X.shape[1]:
        raise CandidateError("X has no column: nothing to tell translations apart by.")
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        raise CandidateError(f"X has two columns {twice!r}: features need distinct names.")
    for name, dtype in zip(X.columns.tolist(), X.dtypes.tolist(), strict=True):
        if isinstance(dtype, pd.SparseDtype):
            raise CandidateError(
                f"Column {name!r}: expected dense numbers or texts, found {dtype}. Convert them "
                "with X.sparse.to_dense(), or make the step before return dense output."
            )
        if dtype.kind == "c":
            raise CandidateError(f"Column {name!r}: expected real numbers, found {dtype}.")
    check_numbers(X)


def are_moderate(values):
    """Tell whether float64 holds the squares of numbers; NaN may be there."""
    return bool(
        np.fmax.reduce(values, axis=None, initial=0) <= _LARGEST
        and np.fmin.reduce(values, axis=None, initial=0) >= -_LARGEST
    )


def is_float64(X):
    """Tell whether a table has columns of float64 only, one at least."""
    if len(X) <= _FEW:
        values = X.to_numpy()
        # Without a copy there is one block of cells, and one type.
        if values.dtype == np.float64 and np.may_share_memory(values, X.to_numpy()):
            return True
    return set(X.dtypes.tolist()) == {np.dtype(np.float64)}


def standalone_columns(names):
    """List names of columns that compare no rows: none of ``competing_`` or ``contrastive_``."""
    compares_rows = re.compile("(^|_)(competing|contrastive)_")
    return [name for name in names if not compares_rows.search(str(name).rpartition("__")[2])]


def check_numbers(X):
    """Raise CandidateError for numbers whose squares float64 does not hold; NaN may be there."""
    if is_float64(X) and are_moderate(X.to_numpy()):
        return  # one look at most tables, not one at each column
    for k, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True)):
        if dtype.kind not in "iuf":
            continue
        if dtype.itemsize > 8:
            raise CandidateError(
                f"Column {name!r}: expected float64 or less, found {dtype}. Convert it: "
                f"X.astype({{{name!r}: float}})."
            )
        values = X.iloc[:, k].to_numpy(np.float64, na_value=np.nan)
        if dtype.kind != "f":
            try:
                check_exact(X.iloc[:, k], values)
            except ValueError as error:
                raise CandidateError(f"Column {name!r}: {error}") from None
        large = np.abs(values) > _LARGEST
        if large.any():
            row = int(large.argmax())
            found = f"{values[row]:g}" if np.isfinite(values[row]) else "infinity"
            raise CandidateError(
                f"Column {name!r}: expected numbers of at most {_LARGEST:g} in magnitude, found "
                f"{found} in row {row}: scale or leave out the column."
            )


def check_texts(X, column, *, several=False):
    """Return a text column as a list; CandidateError names the first cell that is no text.

    With ``several``, cells may also be non-empty lists of texts, and the list is one of tuples.
    """
    cells = column_cells(X, column)
    expected = "a string or a non-empty list of strings" if several else "a string"
    if several:
        cells = [as_texts(cell) for cell in cells]
        bad = [row for row, texts in enumerate(cells) if not texts]
    else:
        bad = [row for row, cell in enumerate(cells) if not isinstance(cell, str)]
    if bad:
        row = bad[0]
        cell = X[column].iloc[row]
        if not isinstance(cell, list | tuple):
            hint = "An empty translation is the empty string ''."
        elif several:
            hint = "Each entry of the list must be a string."
        else:
            hint = "Only references may be lists: were they passed as hypotheses?"
        raise CandidateError(
            f"Column {column!r}, row {row} (index {_label(X.index, row)}): expected {expected}, "
            f"found {type(cell).__name__} {cell!r}; {len(bad)} such row(s). {hint}"
        )
    return cells


def column_cells(X, column):
    """Return the cells of a column as a list; CandidateError unless there is one."""
    names = X.columns.tolist() if isinstance(X, pd.DataFrame) else []
    if names.count(column) != 1:
        check_columns(X, [column])
    if len(X) == 1:  # of a Series, its index takes longer than the rest of a small table's checks
        return [X.to_numpy(dtype=object)[0, names.index(column)]]
    return X[column].tolist()


def as_texts(cell):
    """Return the text or texts of a cell as a tuple, an empty one unless all are texts."""
    if isinstance(cell, str):
        return (cell,)
    is_vector = isinstance(cell, list | tuple) or (isinstance(cell, np.ndarray) and cell.ndim == 1)
    return tuple(cell) if is_vector and all(isinstance(text, str) for text in cell) else ()


def check_sources(X):
    """Number the segments of rows, all of one ``source``, or CandidateError says which differs."""
    segments = segment_codes(X)
    sources, _ = numbered(check_texts(X, "source"))
    _, first = np.unique(segments, return_index=True)
    differ = sources != sources[first[segments]]
    if differ.any():
        row = int(np.flatnonzero(differ)[0])
        raise CandidateError(
            f"Row {row} of X (index {_label(X.index, row)}) has another source than the rows "
            "before it of the same segment: they cannot be compared. Tables of several "
            "campaigns or language pairs need segment labels of their own before they are joined."
        )
    return segments


def content_keys(cells, column):
    """Return texts that are equal iff the cells of an object column have the same content.

    Texts, numbers, missing values and lists of texts have one; equal trees may print unlike.
    """
    keys = np.empty(len(cells), dtype=object)
    for row, cell in enumerate(cells):
        keys[row] = repr(cell) if type(cell) is str else _content_key(cell)
        if keys[row] is None:
            raise CandidateError(
                f"Column {column!r}, row {row}: expected a text, a number, None or a list of "
                f"texts, found {type(cell).__name__}, whose content cannot be told. Store a tree "
                "as a line of brackets, such as '(S (NP ...) (VP ...))', and anything else as a "
                "text or in columns of numbers."
            )
    return keys


def _content_key(cell):
    """Return what tells a cell's content, None if nothing does."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, str):
        return repr(str(cell))
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return repr(np.nan)
    if isinstance(cell, int):  # True is 1
        return repr(int(cell))
    if isinstance(cell, float):
        return repr(int(cell)) if cell.is_integer() else repr(float(cell))
    if type(cell) is np.ndarray and cell.ndim:
        cell = cell.tolist()
    # Exact types: a tree may be a list that has a label besides.
    if type(cell) in (list, tuple) and all(isinstance(text, str) for text in cell):
        return repr([str(text) for text in cell])
    return None


def check_ranks(y, X):
    """Return y, rank-like (lower is better), as float64 of shape (n_candidates,).

    CandidateError if it is missing, of another length or index than X, not numeric or not finite.
    """
    if y is None:
        raise CandidateError("requires y to be passed, but the target y is None.")
    if isinstance(X, pd.Series):
        raise CandidateError("X is a Series: were X and y swapped? The call is fit(X, y).")
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        y = y.iloc[:, 0]
    if isinstance(y, np.ma.MaskedArray):  # column_or_1d drops masks
        y = y.astype(object).filled(np.nan)
    values = column_or_1d(y, warn=True)
    if len(values) != _n_rows(X):
        raise CandidateError(
            f"y has {len(values)} entries for {_n_rows(X)} rows of X: inconsistent numbers of "
            "samples."
        )
    if isinstance(y, pd.Series) and isinstance(X, pd.DataFrame):
        _check_aligned(y.index, X.index)
    try:
        values = as_numbers(values)
        check_exact(y, values)
    except (TypeError, ValueError) as error:
        raise CandidateError(f"y must be numeric ranks, lower is better: {error}") from None
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise CandidateError(
            f"y has NaN or infinity in {len(bad)} row(s), the first is row {bad[0]}: drop "
            "unjudged translations before fitting or scoring."
        )
    return values


def _check_aligned(of_y, of_X):
    """Raise CandidateError unless two indexes of equal length have the same labels."""
    if isinstance(of_y, pd.MultiIndex) and not isinstance(of_X, pd.MultiIndex):
        raise CandidateError(
            f"y has the index levels {list(of_y.names)}, but X has lost them: its index is a "
            f"{type(of_X).__name__}. {_CURE}"
        )
    if of_X.equals(of_y):
        return
    # pandas says that they differ, without reason, of equal labels with lone surrogates. Labels of
    # unlike levels cannot always be compared: a number and a tuple.
    levels_differ = of_X.nlevels != of_y.nlevels
    row = next((r for r in range(len(of_X)) if levels_differ or of_X[r] != of_y[r]), None)
    if row is not None:
        raise CandidateError(
            f"X and y are not aligned: row {row} of X is {_label(of_X, row)}, of y "
            f"{_label(of_y, row)}. Use y = y.loc[X.index]; it is never reordered silently."
        )


def _n_rows(X):
    """Count the rows of a table, array or list."""
    if np.ndim(getattr(X, "shape", None)) == 1 and len(X.shape):
        return X.shape[0]
    if not isinstance(X, list | tuple):
        raise CandidateError(f"Expected a table or array as X, found {type(X).__name__}.")
    return len(X)


def label_index(labels, **options):
    """Make an Index of labels; of objects, where pandas with pyarrow refuses lone surrogates."""
    try:
        return pd.Index(labels, **options)
    except UnicodeEncodeError:
        return pd.Index(labels, dtype=object, **options)


def group_codes(groups, n_rows):
    """Number the groups of rows 0, 1, … in order of first appearance, int64 of shape (n_rows,).

    ``groups`` has one label per row, which may be a tuple; CandidateError if one is missing.
    """
    if isinstance(groups, list | tuple):
        # numpy would make "nan" of a label that is missing among strings, and "1" of 1.
        groups = label_index(groups)
    if isinstance(groups, pd.MultiIndex):
        codes = np.zeros(len(groups), dtype=np.int64)
        missing = np.zeros(len(groups), dtype=bool)
        for level, level_codes in zip(groups.levels, groups.codes, strict=True):
            missing |= level_codes < 0
            # Renumbered at every level, so that the product cannot overflow.
            codes = _factorize(codes * len(level) + level_codes)
    else:
        if not isinstance(groups, pd.Index | pd.Series):
            groups = np.asarray(groups)
        if groups.ndim != 1:
            raise CandidateError(f"groups must be 1-D, found {groups.ndim} dimensions.")
        try:
            codes = _factorize(np.asarray(groups))
        except TypeError:
            raise CandidateError("groups must be 1-D: one label per row, found lists.") from None
        missing = codes < 0
    if len(codes) != n_rows:
        raise CandidateError(f"groups has {len(codes)} entries for {n_rows} rows.")
    if missing.any():
        raise CandidateError(f"groups has no label in row {int(np.flatnonzero(missing)[0])}.")
    return codes


def _factorize(labels):
    """Number labels in order of first appearance; a missing one is -1."""
    if labels.dtype.kind in "iu" and (labels[1:] >= labels[:-1]).all():  # no need to hash
        codes = np.zeros(len(labels), dtype=np.int64)
        np.cumsum(labels[1:] != labels[:-1], out=codes[1:])
        return codes
    return pd.factorize(labels)[0].astype(np.int64)


def comparable_groups(X, *, item_level="system"):
    """Number groups of rows that agree on all levels but ``item_level``; None: all rows are one."""
    if item_level is None:
        return np.zeros(_n_rows(X), dtype=np.int64)
    check_candidates(X, item_level=item_level)
    if len(X) == 1:
        return np.zeros(1, dtype=np.int64)
    return group_codes(X.index.droplevel(item_level), len(X))


def segment_codes(X):
    """Number the segments of rows 0, 1, … in order of first appearance, int64 of (n_rows,)."""
    if isinstance(X, pd.DataFrame) and X.index.nlevels > 1 and X.index.names.count("segment") == 1:
        codes = X.index.codes[X.index.names.index("segment")]
        if (codes >= 0).all():
            return _factorize(codes)
    return group_codes(segment_labels(X), len(X))


def segment_labels(X):
    """Return the ``segment`` label of every row, read from the index, as an Index."""
    if not isinstance(X, pd.DataFrame) or "segment" not in X.index.names:
        found = list(X.index.names) if isinstance(X, pd.DataFrame) else type(X).__name__
        raise CandidateError(
            f"Expected a DataFrame with an index level 'segment', found {found}: without it "
            f"translations of one segment would stand in training and test. {_CURE}"
        )
    labels = X.index.get_level_values("segment")
    if labels.hasnans:
        row = int(np.flatnonzero(labels.isna())[0])
        raise CandidateError(f"Row {row} of X has no label in the index level 'segment'.")
    return labels
