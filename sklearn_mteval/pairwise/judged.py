"""What a fitted model says of the rows of a candidate table, whole or in windows."""

import warnings
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from sklearn.pipeline import Pipeline

from sklearn_mteval._helpers.fitting import unwrapped
from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.features import NormalizeText
from sklearn_mteval.pairwise import absolute
from sklearn_mteval.pairwise.answers import strengths
from sklearn_mteval.pairwise.pairs import grouped
from sklearn_mteval.pairwise.prediction import recomposed
from sklearn_mteval.pairwise.ranker import RankRecomposer
from sklearn_mteval.pairwise.recomposition import find_recomposition, snap_ties
from sklearn_mteval.text.windows import CHANCE, as_segments, windows_of

_LOST = -1.0  # the score of a window without counterpart
_NEAREST = 1e-9  # of probabilities to 0 and 1


class Judged:
    """What a model says of a candidate table; features are computed once.

    ``table`` has a row for each window, or, where nothing is parted, each candidate; ``of_rows``
    the first window of each candidate, all of it unless it is ``parted``. ``ranker``, the model's
    last step, is asked about it. ``first`` and ``place`` are as of :func:`distinct_rows`, ``index``
    is that of the candidates.
    """

    def __init__(self, model, X):
        model = getattr(model, "best_estimator_", model)  # of a search
        self.windows, self.index = None, X.index
        self.anchor = getattr(model, "anchor", None)
        parts, asked = X, model
        if hasattr(model, "ranker_"):
            asked = unwrapped(model)
            if isinstance(asked, Pipeline) and isinstance(asked[0], NormalizeText):
                parts, asked = asked[0].transform(X), asked[1:]  # before they are parted
            windows = windows_of(parts, anchor=model.anchor, longest=model.longest)
            if windows.by_length:
                warnings.warn(
                    f"{windows.by_length} sentences are wider than {model.longest} letters, and "
                    "were parted at commas or blanks.",
                    stacklevel=3,
                )
            if windows.parted.any():
                self.windows, parts = windows, windows.table
        self.table, self.ranker = absolute.apply_steps(asked, parts)
        self.of_rows, self.parted = self.table, np.zeros(len(X), dtype=bool)
        if self.windows is not None:
            ends = np.arange(self.windows.row[-1] + 2)
            self._starts = np.searchsorted(self.windows.row, ends)
            self.of_rows = self.table.iloc[self._starts[: len(X)]]
            self.parted = self.windows.parted
        self.first, self.place = absolute.distinct_rows(X, self.of_rows)
        self._model = model

    @cached_property
    def only_ranks(self):
        """Whether nothing is said of one translation by itself."""
        return absolute.only_ranks(self._model, self.ranker, self.table)

    def scores(self, rows=None):
        """Score rows, those of ``first`` unless others are given; see ``standalone_scores``."""
        rows = self.first if rows is None else rows
        if self.windows is None:
            table = self.table if len(rows) == len(self.index) else self.table.iloc[rows]
            return absolute.standalone_scores(self.ranker, table)
        bound = self.windows.bound[rows]
        texts, place = np.unique(np.append(rows, bound[bound >= 0]), return_inverse=True)
        take, owner = self._windows_of(texts, self.windows.own)
        found = np.zeros(0)
        if len(take):  # all may be omitted
            found = absolute.standalone_scores(self.ranker, self.table.iloc[take])
        lost = np.append(self.windows.lost, np.zeros(len(self._starts)))[texts]
        scores = _mean(found, self.windows.own[take], owner, lost, np.full(len(texts), _LOST))
        own = scores[place[: len(rows)]]
        own[bound >= 0] = np.minimum(own[bound >= 0], scores[place[len(rows) :]])
        return own

    def strengths(self, rows=None, ranker=None):
        """Return the strengths of rows among each other, of ``first`` unless others are given."""
        rows = self.first if rows is None else rows
        index = self.index[rows]
        ranker = self.ranker if ranker is None else ranker
        if self.windows is None:
            return strengths(ranker, self.table.iloc[rows].set_axis(index))
        take, owner = self._windows_of(rows, self.windows.shared)
        parts = self.table.iloc[take]
        labels = as_segments(index.take(owner), parts.index.get_level_values("segment"))
        found = strengths(ranker, parts.set_axis(labels))
        groups = comparable_groups(pd.DataFrame(index=index))
        added = self.windows.added[rows]
        lowest = _of_losers(ranker, np.bincount(groups), groups[owner], found)
        found = _mean(found, self.windows.shared[take], owner, added, lowest[groups])
        # Nor is a text stronger that is its reference, less something.
        best = np.full(len(lowest), np.inf)
        itself = self.windows.itself[rows]
        np.minimum.at(best, groups[itself], found[itself])
        loses = self.windows.bound[rows] >= 0
        found[loses] = np.minimum(found[loses], best[groups[loses]])
        # What is judged as a whole has the very strength that the ranker gives.
        parted = np.bincount(groups, self.windows.parted[rows])[groups] > 0
        order = grouped(groups)
        snapped = order.as_given(snap_ties(found[order.rows], order.starts))
        return np.where(parted, snapped, found)

    def ranks(self, strength, rows=None):
        """Rank rows by the strengths that :meth:`strengths` returns of them, 1 is best."""
        rows = self.first if rows is None else rows
        index = self.index[rows]
        groups = comparable_groups(pd.DataFrame(index=index))
        ranks = pd.Series(-strength).groupby(groups).rank(method="min").to_numpy(np.int64)
        if getattr(self.ranker, "ties", "drop") == "model":
            if self.windows is None:
                return self.ranker.predict(self.table.iloc[rows])
            whole = np.bincount(groups, self.windows.parted[rows])[groups] == 0
            table = self.table.iloc[self._starts[rows[whole]]].set_axis(index[whole])
            ranks[whole] = self.ranker.predict(table)
        return ranks

    def probabilities(self, i, j, ranker=None):
        """Return P(row i is better than row j), of windows by mean log-odds, and P(tie) or None."""
        ranker = self.ranker if ranker is None else ranker
        if self.windows is None:
            return _asked(ranker, self.table, i, j)
        (take, owner), (other, owner_2) = (
            self._windows_of(np.asarray(rows), self.windows.shared) for rows in (i, j)
        )
        if len(owner) != len(owner_2) or (owner != owner_2).any():
            raise ValueError("Translations with different references share no windows.")
        better, tie = _asked(ranker, self.table, take, other)
        decided = 1 if tie is None else np.maximum(1 - tie, _NEAREST)
        log_odds = logit(np.clip(better / decided, _NEAREST, 1 - _NEAREST))
        weights, added = self.windows.shared[take], self.windows.added
        missing = added[i] + added[j]
        lost = (added[j] - added[i]) / np.where(missing > 0, missing, 1.0)
        together = expit(_mean(log_odds, weights, owner, missing, lost * logit(1 - CHANCE)))
        if tie is not None:
            tie = _mean(tie, weights, owner, missing, np.zeros(len(missing)))
            together = together * (1 - tie)
        alone = _alone(owner, missing)
        together[owner[alone]] = better[alone]
        return together, tie

    def shared_windows(self, rows):
        """Return the windows that rows share, as places in ``table``, of which row each is, and
        their weights.
        """
        take, owner = self._windows_of(rows, self.windows.shared)
        return take, owner, self.windows.shared[take]

    def _windows_of(self, rows, weights):
        """Return the windows of rows that have a weight, and for each whose it is of the rows."""
        sizes = self._starts[rows + 1] - self._starts[rows]
        owner = np.repeat(np.arange(len(rows)), sizes)
        first = np.cumsum(sizes) - sizes
        take = np.arange(len(owner)) + (self._starts[rows] - first)[owner]
        there = weights[take] > 0
        return take[there], owner[there]


def _asked(ranker, table, i, j):
    """Return P(row i is better than row j) and P(tie), None without ties."""
    found = ranker.compare(table, pairs=(i, j))
    return found["probability"].to_numpy(), found["tie"].to_numpy() if "tie" in found else None


def _mean(found, weights, owner, missing, of_missing):
    """Average what is found of windows, and what stands for what is missing, for each row."""
    total = np.bincount(owner, weights, len(missing)) + missing
    means = (np.bincount(owner, weights * found, len(missing)) + missing * of_missing) / total
    alone = _alone(owner, missing)
    means[owner[alone]] = found[alone]  # the very number, which a product and a quotient round
    return means


def _alone(owner, missing):
    """Tell of each window whether it is all of its row."""
    return ((np.bincount(owner, minlength=len(missing)) == 1) & (missing == 0))[owner]


def _of_losers(ranker, sizes, groups, found):
    """Return for each ranking the strength of one that hardly beats any, or the lowest."""
    lowest = np.full(len(sizes), _LOST)
    if not isinstance(ranker, RankRecomposer):
        np.minimum.at(lowest, groups, found)
        return lowest
    how = find_recomposition(ranker.recomposition)
    if how.needs == ("empty",):
        return lowest
    for n in np.unique(sizes[sizes > 1]):
        i, j = pairs_within([n])
        better = np.where(i == 0, CHANCE, np.where(j == 0, 1 - CHANCE, 0.5))
        ties = np.zeros(len(i)) if ranker.ties == "model" else None
        lowest[sizes == n] = recomposed(how, better, np.array([n]), ties)[0]
    return lowest
