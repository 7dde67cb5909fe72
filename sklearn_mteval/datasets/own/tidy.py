"""Tidy tables, one row for each translation and all in columns, and candidate tables."""

from itertools import zip_longest

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval.candidates import check_candidates, check_ranks, check_texts
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets.own._finding import find_table_columns
from sklearn_mteval.datasets.own._reading import as_pandas, read_any_table
from sklearn_mteval.exceptions import CandidateError

_TEXTS = ("source", "reference", "hypothesis")


def candidates_from_frame(
    frame: pd.DataFrame, *, segment: str | bool | None = None, system: str | bool | None = None,
    ranking: str | bool | None = None, source: str | bool | None = None,
    reference: str | list[str] | bool | None = None, hypothesis: str | bool | None = None
) -> pd.DataFrame:  # fmt: skip
    """Make a candidate table from a tidy DataFrame, one row for each translation, judged or not.

    Parameters
    ----------
    frame : DataFrame
        Of pandas, polars or Arrow, with columns, or named index levels, of segments and systems,
        and of texts.
    segment, system, ranking, source, hypothesis : str or False, optional
        Names of columns, as for :func:`load_rankings` of long tables. False (not for segment and
        system): not read.
    reference : str, list of str or False, optional
        One or several columns of references; of several, those that are empty or missing are left
        out.

    Returns
    -------
    DataFrame
        Indexed by (segment, system), or by (segment, ranking, system) where there is such a column,
        in the order of the rows. Columns of texts have our names; others are as they were.

    Raises
    ------
    CandidateError
        Naming the row, counted from 0: a label that is missing, a translation that is there twice,
        a cell that is no text; or the column that is missing or there twice.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.datasets import candidates_from_frame
    >>> frame = pd.DataFrame({"id": [1, 1], "model": ["A", "B"], "translation": ["Hi.", "Hello."]})
    >>> candidates_from_frame(frame, segment="id")
                   hypothesis
    segment system
    1       A             Hi.
            B          Hello.
    """
    frame = as_pandas(frame)
    if not isinstance(frame, pd.DataFrame):
        raise CandidateError(f"Expected a pandas DataFrame, found {type(frame).__name__}.")
    asked = {
        "segment": segment, "system": system, "ranking": ranking,
        "source": source, "reference": reference, "hypothesis": hypothesis,
    }  # fmt: skip
    return candidates_of_rows(frame, asked)


def candidates_of_rows(frame, asked):
    """Do what :func:`candidates_from_frame` does, given names of columns by what they are."""
    places = find_table_columns(read_any_table(frame), asked)
    references = places.pop("reference")
    levels = [name for name in ("segment", "ranking", "system") if places[name] is not None]
    plain = frame.reset_index([name for name in frame.index.names if name is not None])
    index = pd.MultiIndex.from_frame(plain[[places[name] for name in levels]], names=levels)
    used = {places[key]: key for key in ("source", "hypothesis") if places[key] is not None}
    X = plain.drop(columns=[places[name] for name in levels]).set_axis(index).rename(columns=used)
    X = _with_references(X, plain, references)
    check_candidates(X)
    for name in (name for name in _TEXTS if name in X):
        check_texts(X, name, several=name == "reference")
        X[name] = X[name].astype(object)
    return X


def _with_references(X, plain, names):
    """Make one column of references, of one or several."""
    if len(names) < 2:
        return X.rename(columns=dict.fromkeys(names, "reference"))
    several = []
    for texts in plain[names].itertuples(index=False):
        absent = ((pd.api.types.is_scalar(t) and pd.isna(t)) or t == "" for t in texts)
        several.append([t for t, is_absent in zip(texts, absent, strict=True) if not is_absent])
    X.insert(X.columns.get_loc(names[0]), "reference", as_object(several))
    return X.drop(columns=[name for name in names if name != "reference"])


def to_long(
    X: pd.DataFrame, y: ArrayLike | None = None, *, judges: ArrayLike | None = None
) -> pd.DataFrame:
    """Write a candidate table as a tidy DataFrame, one row for each translation.

    Parameters
    ----------
    X : DataFrame
        A candidate table.
    y : array-like of shape (n_candidates,), optional
        Ranks, lower is better.
    judges : array-like of shape (n_candidates,), optional
        Who judged, as :func:`load_rankings` and :func:`load_wmt` return it.

    Returns
    -------
    DataFrame of shape (n_candidates, n_columns)
        The levels of the index and the columns of X, then ``rank`` and ``judge``; a column of lists
        of references becomes ``reference_1``, ``reference_2``, …, None where a row has fewer.
        ``load_rankings(frame, better="lower")`` and :func:`candidates_from_frame` read it.

    Raises
    ------
    CandidateError
        If X or y is none, or X has a column that is named like one of those that are added.

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample, to_long
    >>> X, y = load_sample(return_X_y=True)
    >>> to_long(X, y).columns.tolist()
    ['segment', 'system', 'source', 'reference', 'hypothesis', 'rank']
    """
    check_candidates(X)
    for name in X.index.names:
        if not isinstance(name, str):
            raise CandidateError(f"Each level of the index must have a name, found {name!r}.")
    added = {name: X.index.get_level_values(name) for name in X.index.names}
    columns = {name: X[name].set_axis(range(len(X))) for name in X.columns}
    if "reference" in columns and any(isinstance(cell, list | tuple | np.ndarray)
                                      for cell in columns["reference"]):  # fmt: skip
        columns = _split_references(X, columns)
    rows = {}
    if y is not None:
        check_ranks(y, X)
        rows["rank"] = np.asarray(y)
    if judges is not None:
        judges = np.asarray(judges, dtype=object)
        if judges.shape != (len(X),):
            raise CandidateError(f"judges has the shape {judges.shape} for {len(X)} rows of X.")
        rows["judge"] = judges
    doubled = [name for name in (*added, *rows) if name in columns]
    if doubled:
        raise CandidateError(
            f"X has a column {doubled[0]!r}, and so would the tidy table: rename it first."
        )
    return pd.DataFrame({**added, **columns, **rows})


def _split_references(X, columns):
    """Make a column of each reference of lists."""
    lists = check_texts(X, "reference", several=True)
    split, found = {}, {}
    for k, texts in enumerate(zip_longest(*lists), 1):
        split[f"reference_{k}"] = pd.Series(texts, dtype=object)
    for name, cells in columns.items():
        found |= split if name == "reference" else {name: cells}
    return found
