"""The decision of a pair, split over families of columns (Shapley 1953) and over their columns.

A family that is not told has the same numbers, the means of the pair, in both translations. Its
value is what it adds to the decision on average over all orders of telling; that of a column is its
average over orders in which the columns of a family stand together (Owen 1977). Values add up to
the decision, and of a linear model they are coefficients times differences.
"""

from functools import partial
from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import logit

from sklearn_mteval.classifiers._base import LogOddsClassifier
from sklearn_mteval.classifiers.ensemble import PairEnsemble
from sklearn_mteval.models.explanations.exact import exact_values
from sklearn_mteval.models.explanations.families import families_of
from sklearn_mteval.pairwise.answers import Pairs, margins, probabilities, strengths
from sklearn_mteval.pairwise.ranker import RankRecomposer

_MOST_EXACT = 10  # families whose 2**n subsets are all asked about
_PAIRS = 1024  # that are asked about at once
_NEAREST = 1e-9  # of probabilities to 0 or 1, so that log-odds are finite
_WINDOWS = 4  # whose decisions are split over families, those that count most
SURE = logit(0.98)  # the decision against what has no counterpart
_ORDERS = 64  # that are drawn, and as many the other way round


def split_decision(decide, first, second, families, exact_values=None):
    """Split a decision over families and columns; return it, values by family and those of columns.

    ``decide`` tells, of features of n pairs, (n, n_features) twice, how far the first translation
    of each is preferred, (n,); exchanging both must change the sign. ``first`` and ``second`` are
    those of the pair in question, ``families`` the name of each column's family;
    ``exact_values``, of differences, is as of :func:`~.exact.exact_values`.
    """
    families = np.array(families, dtype=object)
    names = list(dict.fromkeys(families))
    mean = (first + second) / 2
    differs = ~((first == second) | np.isnan(mean))

    def ask(told):
        """Decide on pairs of which these columns are told, bool of shape (n, n_features)."""
        return decide(np.where(told, first, mean), np.where(told, second, mean))

    groups = [np.flatnonzero(differs & (families == name)) for name in names]
    active = [group for group in groups if len(group)]
    columns = _values_of_columns(ask, len(first), active)
    exact = [columns[group].sum() for group in active]
    if exact_values is not None:
        found = exact_values(first[None] - second)[0]
        exact = [value for group, value in zip(groups, found, strict=True) if len(group)]
    elif len(active) <= _MOST_EXACT:
        exact = _exact_values(ask, len(first), active)
    if exact_values is not None or len(active) <= _MOST_EXACT:
        for group, value in zip(active, exact, strict=True):
            sizes = np.abs(columns[group])
            if sizes.any():
                columns[group] += (value - columns[group].sum()) * sizes / sizes.sum()
    found = iter(exact)
    values = {
        name: float(next(found)) if len(group) else 0.0
        for name, group in zip(names, groups, strict=True)
    }
    return float(ask(differs[None])[0]), values, columns


def _exact_values(ask, n_features, groups):
    """Compute Shapley values of groups of columns, by all of their subsets."""
    n = len(groups)
    subsets = np.arange(2**n)
    member = (subsets[:, None] >> np.arange(n)) & 1 == 1
    told = np.zeros((2**n, n_features), dtype=bool)
    for k, group in enumerate(groups):
        told[:, group] = member[:, [k]]
    decisions, sizes = ask(told), member.sum(axis=1)
    values = []
    for k in range(n):
        without = subsets[~member[:, k]]
        weights = np.array([1 / (n * comb(n - 1, size)) for size in sizes[without]])
        values.append(weights @ (decisions[without | (1 << k)] - decisions[without]))
    return values


def _values_of_columns(ask, n_features, groups):
    """Average what each column adds over drawn orders, those of a group standing together."""
    rng = np.random.default_rng(0)
    values = np.zeros(n_features)
    orders = []
    for _ in range(_ORDERS if groups else 0):
        shuffled = [rng.permutation(groups[k]) for k in rng.permutation(len(groups))]
        order = np.concatenate(shuffled)
        orders += [order, order[::-1]]
    # Many orders are asked about at once: of a few pairs, checks take longer than answers.
    n_at_once = max(1, _PAIRS // (sum(map(len, groups)) + 1))
    for start in range(0, len(orders), n_at_once):
        some = np.array(orders[start : start + n_at_once])
        told = np.zeros((len(some), some.shape[1] + 1, n_features), dtype=bool)
        for k in range(some.shape[1]):
            told[np.arange(len(some)), k + 1 :, some[:, k]] = True
        added = np.diff(ask(told.reshape(-1, n_features)).reshape(len(some), -1))
        for order, parts in zip(some, added, strict=True):
            values[order] += parts / len(orders)
    return values


class _OfPair(NamedTuple):
    """A decision and what it is made of; columns have values of both rows, and what they add."""

    decision: float
    families: dict
    columns: tuple
    windows: list


class Split:
    """Splits decisions of pairs of rows, over windows first where texts are judged in windows."""

    def __init__(self, model, judged):
        self._judged, table = judged, judged.table
        self.families = families_of(model, table.columns)
        self._decide = _deciding(judged.ranker, table.columns, table.index.names)
        self._exact = exact_values(judged.ranker, self.families)

    def of_pair(self, i, j):
        """Split the decision between two rows of the candidate table."""
        windows, table = self._judged.windows, self._judged.table
        if windows is None:
            first, second = table.to_numpy(np.float64)[[i, j]]
            decision, values, columns = split_decision(
                self._decide, first, second, self.families, self._exact
            )
            return _OfPair(decision, values, (first, second, columns), [])
        (take, _, weights), (other, *_) = (
            self._judged.shared_windows(np.array([row])) for row in (i, j)
        )
        if len(take) != len(other):
            raise ValueError("Translations with different references share no windows.")
        added = windows.added[[i, j]]
        total = added.sum() + weights.sum()
        weights = weights / total
        rows = table.iloc[take].to_numpy(np.float64), table.iloc[other].to_numpy(np.float64)
        parts = weights * self._decide(*rows)
        values, columns = {}, np.zeros((3, table.shape[1]))
        for k in np.argsort(-np.abs(parts), kind="stable")[:_WINDOWS].tolist():
            _, found, of_columns = split_decision(
                self._decide, rows[0][k], rows[1][k], self.families, self._exact
            )
            for family, value in found.items():
                values[family] = values.get(family, 0.0) + weights[k] * value
            columns += weights[k] * np.array([rows[0][k], rows[1][k], of_columns])
        if len(parts) > _WINDOWS and self._exact is not None:
            of_all = weights @ self._exact(rows[0] - rows[1])
            values = dict(zip(values, of_all.tolist(), strict=True))
        elif len(parts) > _WINDOWS:
            rest = parts.sum() - sum(values.values())
            values[f"the other {len(parts) - _WINDOWS} windows"] = rest
        lost = SURE * (added[1] - added[0]) / total
        if lost:
            values["sentences without counterpart"] = lost
        of_windows = [
            (k + 1, part, *self._texts(take[k], other[k])) for k, part in enumerate(parts.tolist())
        ]
        return _OfPair(parts.sum() + lost, values, tuple(columns), of_windows)

    def _texts(self, i, j):
        """Return the texts of two windows: the anchor's, and both translations'."""
        texts = self._judged.windows.table
        anchor = texts[self._judged.anchor].iloc[i]
        anchor = anchor if isinstance(anchor, str) else anchor[0]
        return anchor, texts["hypothesis"].iloc[i], texts["hypothesis"].iloc[j]


def _deciding(ranker, columns, levels):
    """Return a function of the features of pairs, (n_pairs, n_columns) twice, to their decisions.

    Log-odds of both directions are averaged, so that exchanging them changes the sign.
    """
    estimator = getattr(ranker, "estimator_", None)
    if isinstance(estimator, PairEnsemble):  # ranking has checked the numbers, signs are exact
        return lambda first, second: estimator._log_odds_of_differences(first - second)
    return partial(_decisions, ranker, columns, levels)


def _decisions(ranker, columns, levels, first, second):
    """Ask a ranker, or its classifier, about a table of pairs."""
    n = len(first)
    labels = [np.tile(np.arange(n), 2) for _ in levels]
    labels[list(levels).index("system")] = np.repeat([0, 1], n)
    index = pd.MultiIndex.from_arrays(labels, names=levels)
    table = pd.DataFrame(np.vstack([first, second]), index, columns)
    if not isinstance(ranker, RankRecomposer):
        ahead, behind = np.split(strengths(ranker, table), 2)
        return ahead - behind
    estimator, (i, j) = ranker.estimator_, np.split(np.arange(2 * n), 2)
    forth, back = (_asked(Pairs(estimator, table, *rows, "system")) for rows in ((i, j), (j, i)))
    return (forth - back) / 2


def _asked(pairs):
    """Return log-odds that t1 is better, or margins."""
    estimator = pairs.estimator
    if len(estimator.classes_) == 2 and isinstance(estimator, LogOddsClassifier):
        return margins(pairs)
    if pairs.log_odds is not None:
        return pairs.log_odds
    if hasattr(estimator, "predict_proba"):
        return logit(np.clip(probabilities(pairs), _NEAREST, 1 - _NEAREST))
    return margins(pairs)
