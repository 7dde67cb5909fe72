"""Scores that another tool wrote, joined to the candidate table by segment and system."""

import math
from collections import Counter
from collections.abc import Mapping
from numbers import Real
from os import PathLike

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.fitting import unwrapped
from sklearn_mteval._helpers.numbers import is_exact
from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval._helpers.restored import is_array, refusing
from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.datasets._score_lines import read_score_lines
from sklearn_mteval.datasets.system_names import match_systems
from sklearn_mteval.exceptions import CandidateError, DataFileError
from sklearn_mteval.text.transformer import TextTransformer, check_names


class ScoreColumn(TextTransformer):
    """One column of scores that were computed elsewhere.

    Parameters
    ----------
    scores : path-like, mapping, Series or list of str
        - A file with lines ``SYSTEM SCORE`` (split at the tab, else at the last space): the
          k-th line of a system is its segment k, counted from 1 (the ``.seg.score`` files of
          the WMT metrics tasks).
        - A file with one score per line, of a table with a single system.
        - A mapping from each system to such a file, or to a sequence of scores in the order of
          the segments.
        - A mapping from (segment, system) to scores, or a Series indexed by "segment" and
          "system", also for segments that are not line numbers.
        - A list of names of columns of the table that hold scores, as
          ``load_mtme(metric_scores=True)`` gives them: their mean, each standardised as it is in
          fit, so that metrics of any scales count alike.
    name : str, default="score"
        Name of the output column.
    higher_is_better : bool, default=True
        Whether a higher score means a better translation. If not, scores are negated.

    Attributes
    ----------
    mean_, scale_ : ndarray of shape (n_scores,)
        Of a list of columns: mean and standard deviation in fit; the latter infinite for a
        constant.

    Notes
    -----
    One output column, finite, higher is better. The table's index has the levels ``segment`` and
    ``system``. Files are read in ``transform``: a model scores new translations after
    ``set_params(scores=...)``; a saved model holds paths, and scores that were given in memory.
    Names of systems may differ in test set, language pair and ``.txt``
    ("newstest2015.online-E.0.de-en.txt" is "online-E.0"). A row whose score is missing is an error,
    and so are systems with unequal numbers of lines.

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

    def __init__(
        self, scores: PathLike | Mapping | pd.Series | list[str], *, name: str = "score",
        higher_is_better: bool = True
    ):  # fmt: skip
        self.scores = scores
        self.name = name
        self.higher_is_better = higher_is_better

    def _fit(self, X):
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"name must be a non-empty string, found {self.name!r}.")
        check_boolean(higher_is_better=self.higher_is_better)
        if isinstance(self.scores, list):
            check_names("scores", self.scores)
            # Sorted, so that no bit depends on the order of rows.
            columns = np.sort(_own_columns(X, self.scores), axis=0)
            mean, spread = columns.mean(axis=0), columns.std(axis=0)
            constant = spread <= 1e-12 * np.abs(columns).max(axis=0, initial=0)
            self.mean_, self.scale_ = mean, np.where(constant, np.inf, spread)
        else:
            _join(X, self.scores)
        self._remember_table(X, columns=())

    def _transform(self, X):
        if isinstance(self.scores, list):
            standardised = (_own_columns(X, self.scores) - self.mean_) / self.scale_
            scores = standardised.sum(axis=1) / len(self.scores)
        else:
            scores = _join(X, self.scores)
        return (scores if self.higher_is_better else 0 - scores)[:, np.newaxis]  # not -0.0

    def _output_names(self):
        return [self.name]

    def _is_whole(self):
        """Tell whether what was loaded can be what a fit leaves."""
        if not isinstance(self.scores, list):
            return True
        width = (len(self.scores),)
        scales = is_array(self.scale_, width, low=0, finite=False) and (self.scale_ > 0).all()
        return is_array(self.mean_, width) and bool(scales)

    def __getstate__(self):
        # Only what loads anywhere: str for paths, plain lists and arrays for what is in memory.
        state = super().__getstate__()
        if _is_by_pair(self.scores):
            pairs = _from_pairs(self.scores)
            labels = [[_plain(label) for label in level] for level in zip(*pairs, strict=True)]
            state["scores"], state["_pairs"] = None, [*labels, np.array([*pairs.values()], float)]
        elif isinstance(self.scores, Mapping):
            state["scores"] = {system: _plain(given) for system, given in self.scores.items()}
        else:
            state["scores"] = _plain(self.scores)
        return state

    def __setstate__(self, state):
        state = dict(state)
        if "_pairs" in state:
            with refusing(self):
                *labels, scores = state.pop("_pairs")
                pairs = zip(zip(*labels, strict=True), np.ravel(scores).tolist(), strict=True)
                state["scores"] = _from_pairs(dict(pairs))
        super().__setstate__(state)


def columns_of_scores(model):
    """List the columns of scores, each once, that the steps of a fitted model read in its table."""
    model = unwrapped(model)
    if isinstance(model, ScoreColumn):
        return [*model.scores] if isinstance(model.scores, list) else []
    parts = getattr(model, "steps", None) or getattr(model, "transformer_list", None) or ()
    found = (name for _, part in parts for name in columns_of_scores(part))
    return list(dict.fromkeys(found))


def _own_columns(X, names):
    """Return columns of scores that a table has, (n_rows, n_scores), each a finite number."""
    check_candidates(X)
    missing = [name for name in names if name not in X.columns]
    if missing:
        raise CandidateError(
            f"The scores of {', '.join(map(repr, missing))} are missing: expected a column for "
            f"each of {', '.join(map(repr, names))}, whose mean is taken. On the command line give "
            f"--scores {missing[0]}=FILE."
        )
    columns = np.empty((len(X), len(names)))
    for k, name in enumerate(names):
        columns[:, k] = pd.to_numeric(X[name], errors="coerce")
        wrong = np.flatnonzero(~np.isfinite(columns[:, k]))
        if len(wrong):
            raise CandidateError(
                f"Column {name!r}, row {X.index[wrong[:1]].tolist()[0]}: expected a score, a "
                f"finite number, found {X[name].iloc[wrong[0]]!r}; so in {len(wrong)} of {len(X)} "
                "rows. Leave these out, or the metric."
            )
    return columns


def _plain(given):
    """Turn a path, a sequence of scores or a label into a type that can be stored."""
    if isinstance(given, PathLike):
        return str(given)
    if isinstance(given, range | pd.api.extensions.ExtensionArray | pd.Series):
        return list(given)
    return given.item() if isinstance(given, np.generic) else given


def _join(X, given):
    """Return the score of each row of X."""
    check_candidates(X)
    segments, systems = (X.index.get_level_values(level) for level in ("segment", "system"))
    if len(X) == 0:
        return np.zeros(0)
    wanted = list(systems.unique())
    scores = _from_pairs(given) if _is_by_pair(given) else _from_lines(given, wanted)
    names = match_systems((system for _, system in scores), wanted)
    name_of = {meant: name for name, meant in names.items()}
    keys = [(segment, name_of.get(s, s)) for segment, s in zip(segments, systems, strict=True)]
    for key in keys:
        if key not in scores:
            raise _without_score(*key, scores, given)
    return np.array([scores[key] for key in keys], dtype=np.float64)


def _without_score(segment, system, scores, given):
    """Make the error for a row of X that has no score."""
    known = Counter(other for _, other in scores)
    if system in known:
        return CandidateError(
            f"X holds segment {segment!r} of {system!r}, but there are scores of {known[system]} "
            "other segment(s). Is the file cut, of another test set, or one of scores of whole "
            "systems? Lines are counted from 1; for segments that are no line numbers give a "
            "mapping from (segment, system)."
        )
    named = [*map(repr, known or given)]
    names = ", ".join(named[:5] + ["…"] * (len(named) > 5))
    return CandidateError(
        f"X holds the system {system!r}, but there are scores only of {names}. Names must "
        "be the same but for test set, language pair and '.txt'."
    )


def _is_by_pair(given):
    """Tell scores by (segment, system) from those in the order of lines."""
    if isinstance(given, Mapping):
        return len(given) > 0 and all(isinstance(key, tuple) for key in given)
    return isinstance(given, pd.Series)


def _from_pairs(given):
    """Check a mapping from (segment, system), or a Series, which becomes one."""
    if isinstance(given, pd.Series):
        if set(given.index.names) != {"segment", "system"}:
            raise ValueError(
                "A Series of scores must be indexed by 'segment' and 'system', found the levels "
                f"{list(given.index.names)}."
            )
        given = given.reorder_levels(["segment", "system"])
        repeated = given.index.duplicated()
        if repeated.any():
            segment, system = map(_plain, given.index[repeated][0])
            raise ValueError(f"There are two scores of segment {segment!r} by {system!r}.")
        given = given.to_dict()
    for key, score in given.items():
        if len(key) != 2:
            raise ValueError(f"Expected (segment, system) as keys of scores, found {key!r}.")
        _check_finite(key[1], key[0], score)
    return given


def _from_lines(given, systems):
    """Turn scores in the order of lines, of these systems at least, into a mapping from pairs."""
    if isinstance(given, str | PathLike):
        found = _read(given)
        if None in found and len(systems) > 1:
            raise DataFileError(
                given,
                f"holds one score per line, but X has {len(systems)} systems: write lines "
                "'SYSTEM SCORE', or give a mapping from each system to its file.",
            )
        found = {systems[0] if system is None else system: s for system, s in found.items()}
    elif isinstance(given, Mapping) and given:
        known = match_systems(given, systems)
        found = {system: _scores_of(system, s) for system, s in given.items() if system in known}
    else:
        raise ValueError(
            "scores must be a path, a non-empty mapping from systems or from (segment, system), a "
            "Series indexed by 'segment' and 'system', or a list of columns, found "
            f"{repr(given)[:60]}."
        )
    lengths = {len(found[system]): system for system in match_systems(found, systems)}
    if len(lengths) > 1:
        raise CandidateError(
            f"There are {min(lengths)} scores of {lengths[min(lengths)]!r} and {max(lengths)} of "
            f"{lengths[max(lengths)]!r}: every system needs one for each segment, since the k-th "
            "belongs to segment k."
        )
    return {(k, system): s for system in found for k, s in enumerate(found[system], start=1)}


def _scores_of(system, given):
    """Return one system's scores by line."""
    if isinstance(given, str | PathLike):
        found = _read(given)
        if list(found) != [None]:
            raise DataFileError(given, f"expected one score per line, of {system!r} alone.", 1)
        return found[None]
    labelled = isinstance(given, pd.Series) and not given.index.equals(pd.RangeIndex(len(given)))
    if labelled or isinstance(given, Mapping):
        raise ValueError(
            f"The scores of {system!r} have labels. In the order of the segments, give a list; "
            "else one Series of all systems: pd.concat({system: pd.Series(scores[system]) for "
            "system in scores}, names=['system', 'segment'])."
        )
    try:
        values = np.asanyarray(given)  # a masked array keeps its mask
    except ValueError:  # lists of several lengths
        values = np.empty((0, 0))
    if values.ndim != 1 or values.dtype.kind == "U":
        raise ValueError(
            f"The scores of {system!r} must be a path or a sequence of numbers, found "
            f"{type(given).__name__} {repr(given)[:60]}."
        )
    for segment, value in enumerate(values, start=1):
        _check_finite(system, segment, value)
    return values


def _check_finite(system, segment, value):
    """Raise unless a score is a finite number."""
    try:
        number = isinstance(value, Real) and not isinstance(value, bool)
        good = number and math.isfinite(value) and is_exact(value)
    except (OverflowError, TypeError):  # 10**400, a duration of numpy's
        good = False
    if not good:
        raise ValueError(
            f"The scores of {system!r}, segment {segment!r}: expected a finite number, found "
            f"{value!r}."
        )


def _read(path):
    """Read lines SCORE or SYSTEM SCORE to a mapping from systems (None: not named)."""
    scores = {}
    for _, system, value in read_score_lines(path):
        scores.setdefault(system, []).append(value)
    return scores
