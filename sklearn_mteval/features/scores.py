"""Scores that another tool wrote, as a feature.

COMET, BLEURT or any other metric needs not be installed: its scores are joined to the
candidate table by segment and system.
"""

import math
from collections.abc import Mapping
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.datasets.scores import read_score_lines
from sklearn_mteval.exceptions import CandidateError, DataFileError
from sklearn_mteval.features.base import TextTransformer

__all__ = ["ScoreColumn"]


class ScoreColumn(TextTransformer):
    """One column of scores that were computed elsewhere.

    Parameters
    ----------
    scores : path-like, mapping or Series
        - A file with lines ``SYSTEM SCORE`` (split at the tab, else at the last space): the
          k-th line of a system is its segment k, counted from 1 (the ``.seg.score`` files of
          the WMT metrics tasks).
        - A file with one score per line, of a table with a single system.
        - A mapping from each system to such a file, to a sequence of scores in the order of the
          segments, or to a mapping from segments to scores, such as a Series whose index is named
          "segment".
        - A mapping from (segment, system) to scores, or a Series indexed by (segment, system),
          for segments that are not line numbers.
    name : str, default="score"
        Name of the output column.
    higher_is_better : bool, default=True
        Whether a higher score means a better translation. If not, scores are negated.

    Attributes
    ----------
    n_features_in_ : int
        Columns of the table seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names.

    See Also
    --------
    MetricScores : Scores of metrics that are computed here.

    Notes
    -----
    One output column, finite, higher is better. Files are read in ``transform``, so that a
    model scores new translations after ``set_params(scores=...)``; a saved model holds paths
    as they were given, and the scores that were given in memory. A row whose score is not there
    is an error: nothing is filled in, and systems with unequal numbers of lines are refused,
    because a line that is missing would shift all that follow.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import ScoreColumn
    >>> rows = pd.MultiIndex.from_tuples(
    ...     [(1, "A"), (1, "B"), (2, "B"), (2, "A")], names=["segment", "system"]
    ... )
    >>> X = pd.DataFrame(index=rows)
    >>> comet = ScoreColumn({"A": [0.8, 0.7], "B": [0.6, 0.9]}, name="comet")
    >>> comet.set_output(transform="pandas").fit_transform(X)["comet"].tolist()
    [0.8, 0.6, 0.9, 0.7]
    """

    def __init__(self, scores, *, name="score", higher_is_better=True):
        self.scores = scores
        self.name = name
        self.higher_is_better = higher_is_better

    def fit(self, X, y=None):
        """Check the parameters and that every row has a score; nothing is learnt.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            Indexed by ``segment`` and ``system``; its columns are not read.
        y : None
            Ignored.

        Returns
        -------
        ScoreColumn
            The transformer itself.
        """
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"name must be a non-empty string, found {self.name!r}.")
        check_boolean(higher_is_better=self.higher_is_better)
        _join(X, self.scores)
        self._remember_table(X, columns=())
        return self

    def transform(self, X):
        """Look the scores up.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            Indexed by ``segment`` and ``system``; its columns are not read.

        Returns
        -------
        ndarray of shape (n_candidates, 1), float64
            Higher is better; a DataFrame under ``set_output(transform="pandas")``.

        Raises
        ------
        DataFileError
            If a file cannot be read or holds anything but finite scores, naming the line.
        CandidateError
            If a row of X has no score.
        """
        check_is_fitted(self)
        scores = _join(X, self.scores)
        return (scores if self.higher_is_better else 0 - scores)[:, np.newaxis]  # not -0.0

    def _output_names(self):
        return [self.name]

    def __getstate__(self):
        # Only what loads anywhere: str for paths, plain dicts and arrays for what is in memory.
        state = super().__getstate__().copy()
        scores = _by_system(self.scores)
        if isinstance(scores, Mapping):
            state["scores"] = {system: _plain(given) for system, given in scores.items()}
        else:
            state["scores"] = _plain(scores)
        return state


def _plain(given):
    """Turn the scores of one system into types that can be stored."""
    if isinstance(given, Path):
        return str(given)
    if isinstance(given, Mapping):
        return {_plain(segment): _plain(score) for segment, score in given.items()}
    if isinstance(given, range | pd.api.extensions.ExtensionArray):
        return list(given)
    return given.item() if isinstance(given, np.generic) else given


def _join(X, given):
    """Return the score of each row of X."""
    check_candidates(X)
    if len(X) == 0:
        return np.zeros(0)
    segments = X.index.get_level_values("segment")
    codes, systems = pd.factorize(X.index.get_level_values("system"))
    scores = _by_system(given)
    if isinstance(scores, str | Path):
        scores = _read(Path(scores), systems)
    lacking = [system for system in systems if system not in scores]
    if lacking:
        raise CandidateError(
            f"X holds the system {lacking[0]!r}, but there are scores only of "
            f"{_some(list(scores))}. Are systems named otherwise there?"
        )
    columns = {system: _scores_of(system, scores[system]) for system in systems}
    lengths = {system: len(c) for system, c in columns.items() if not isinstance(c, Mapping)}
    if len(set(lengths.values())) > 1:
        few, many = min(lengths, key=lengths.get), max(lengths, key=lengths.get)
        raise CandidateError(
            f"There are {lengths[few]} scores of {few!r} and {lengths[many]} of {many!r}: every "
            "system needs one for each segment, since the k-th belongs to segment k."
        )
    result = np.empty(len(X))
    for code, system in enumerate(systems):
        rows = np.flatnonzero(codes == code)
        result[rows] = _look_up(system, columns[system], segments[rows])
    return result


def _by_system(given):
    """Bring a Series or a mapping from (segment, system) to a mapping from systems."""
    if isinstance(given, pd.Series):
        if set(given.index.names) != {"segment", "system"}:
            raise ValueError(
                "A Series of scores must be indexed by 'segment' and 'system', found the levels "
                f"{list(given.index.names)}."
            )
        given = given.reorder_levels(["segment", "system"])
        repeated = given.index.duplicated()
        if repeated.any():
            segment, system = given.index[repeated][0]
            raise ValueError(f"The Series has two scores of segment {segment} by {system!r}.")
        given = given.to_dict()
    if isinstance(given, str | Path):
        return given
    if not isinstance(given, Mapping) or not given:
        raise ValueError(
            "scores must be a path, a Series indexed by (segment, system), or a non-empty mapping "
            f"from systems or from (segment, system), found {type(given).__name__} "
            f"{repr(given)[:60]}."
        )
    if not all(isinstance(key, tuple) for key in given):
        return {
            system: _from_series(system, scores) if isinstance(scores, pd.Series) else scores
            for system, scores in given.items()
        }
    result = {}
    for key, score in given.items():
        if len(key) != 2:
            raise ValueError(f"Expected (segment, system) as keys of scores, found {key!r}.")
        result.setdefault(key[1], {})[key[0]] = score
    return result


def _from_series(system, given):
    """Return the mapping from segments that one system's Series is, or a plain one's values."""
    if given.index.name == "segment":
        repeated = given.index.duplicated()
        if repeated.any():
            raise ValueError(
                f"The Series of {system!r} has two scores of segment {given.index[repeated][0]!r}."
            )
        return given.to_dict()
    if not given.index.equals(pd.RangeIndex(len(given))):
        raise ValueError(
            f"The Series of {system!r} has labels that may or may not be segments: name its index "
            "'segment', or pass .to_numpy() if it is in the order of the segments."
        )
    return given.to_numpy()


def _scores_of(system, given):
    """Return one system's scores: a mapping from segments, or an array by line."""
    if isinstance(given, str | Path):
        path = Path(given)
        found = _read_lines(path)
        if list(found) != [None]:
            raise DataFileError(path, f"expected one score per line, of {system!r} alone.", 1)
        return found[None]
    where = f"The scores of {system!r}"
    if isinstance(given, Mapping):
        _check_finite(where, list(given.values()), list(given))
        return given
    try:
        values = np.asanyarray(given)  # a masked array keeps its mask
    except ValueError:  # lists of several lengths
        values = np.empty((0, 0))
    if values.ndim != 1 or values.dtype.kind == "U":
        raise ValueError(
            f"{where} must be a path, a sequence of numbers or a mapping from segments to numbers, "
            f"found {type(given).__name__} {repr(given)[:60]}."
        )
    return _check_finite(where, values, range(1, len(values) + 1))


def _check_finite(where, values, labels):
    """Return numbers as floats, or name the first that is none."""
    for label, value in zip(labels, values, strict=True):
        try:
            good = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
        except (OverflowError, TypeError):  # 10**400, a duration of numpy's
            good = False
        if not good:
            raise ValueError(
                f"{where}, segment {label!r}: expected a finite number, found {value!r}."
            )
    return np.array(values, dtype=np.float64)


def _look_up(system, scores, segments):
    """Return the scores of some segments of a system."""
    if isinstance(scores, Mapping):
        lacking = [segment for segment in segments if segment not in scores]
        if lacking:
            raise CandidateError(f"There is no score of segment {lacking[0]!r} by {system!r}.")
        return [scores[segment] for segment in segments]
    if not pd.api.types.is_integer_dtype(segments.dtype):
        raise CandidateError(
            "Scores in order of lines need integers in the index level 'segment' (line numbers "
            f"from 1), found {segments[0]!r}. Give a mapping from (segment, system) instead."
        )
    numbers = segments.to_numpy()
    outside = (numbers < 1) | (numbers > len(scores))
    if outside.any():
        raise CandidateError(
            f"X holds segment {numbers[outside][0]} of {system!r}, but there are scores of "
            f"{len(scores)} segment(s), counted from 1. Is the file cut, of another test set, or "
            "one of scores of whole systems?"
        )
    return scores[numbers - 1]


def _read(path, systems):
    """Read a file of one or several systems."""
    scores = _read_lines(path)
    if list(scores) != [None]:
        return scores
    if len(systems) > 1:
        raise DataFileError(
            path,
            f"holds one score per line, but X has {len(systems)} systems ({_some(systems)}): write "
            "lines 'SYSTEM SCORE', or give a mapping from each system to its file.",
        )
    return {systems[0]: scores[None]}


def _read_lines(path):
    """Read lines SCORE or SYSTEM SCORE to a mapping from systems (None: not named)."""
    scores = {}
    for _, system, value in read_score_lines(path):
        scores.setdefault(system, []).append(value)
    return {system: np.array(values) for system, values in scores.items()}


def _some(names):
    """Show a few names."""
    return ", ".join(map(repr, list(names)[:5])) + (", …" if len(names) > 5 else "")
