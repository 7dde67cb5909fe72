"""Minimum Bayes risk: the candidate with the highest expected utility (Kumar and Byrne 2004).

The candidates of a list are the references of each other, each as probable as its weight says. The
exact sum takes n² utilities of n texts; each entry of :data:`APPROXIMATIONS` takes fewer. A matrix
of which some are known is completed (Trabelsi et al. 2024).
"""

import numpy as np
import pandas as pd

_CELLS = 1 << 17  # utilities that are asked for at a time
_FIRST_REFERENCES = 8  # of pruning; doubled at every step, as Cheng and Vlachos do
_CONFIDENCE = 0.99
_RESAMPLES = 500
_WITH_MEANS = ("chrf", "chrf++", "bleu", "vectors")  # the utilities of which a list has a mean
_RANK, _ROUNDS = 8, 10  # of the completion
# Of the squares of factors, in units of the known cells' variance: what lost least on lists of 100
# and of 25 of which an eighth to a third was known.
_PENALTY = 1.0


def mean_places(values, lists):
    """Average the places, from 0, last, to 1, first, that utilities give to the texts of a list.

    Places, not values, so that no utility weighs more than another.
    """
    of_text = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    sizes = lists.sizes[of_text]
    total = np.zeros(len(of_text))
    for of_utility in values:
        lowest = np.where(np.isnan(of_utility), -np.inf, of_utility)
        below = pd.Series(lowest).groupby(of_text).rank(method="average").to_numpy() - 1
        total += np.divide(below, sizes - 1, out=np.ones(len(sizes)), where=sizes > 1)
    return total / len(values)


def exact(utility, lists, how):
    """Ask for every pair of texts of each list, a text and itself included."""
    values = np.zeros(len(lists.weights))
    of_text = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    # What nobody takes for the reference needs no utilities.
    references = np.flatnonzero(lists.weights > 0)
    sizes, starts = lists.sizes[of_text[references]], lists.starts[of_text[references]]
    part = (np.cumsum(sizes) - sizes) // _CELLS
    for some in np.split(np.arange(len(references)), np.flatnonzero(np.diff(part)) + 1):
        hypotheses = _ranges(starts[some], sizes[some])
        against = np.repeat(references[some], sizes[some])
        found = utility.cells(hypotheses, against)
        # One after another, so that the sum does not depend on what is asked for at a time.
        np.add.at(values, hypotheses, lists.weights[against] * found)
    return values, lists.sizes * np.bincount(of_text[references], minlength=len(lists.sizes))


def _ranges(starts, sizes):
    """Concatenate ranges of integers."""
    before = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) + np.repeat(starts - before, sizes)


def _aggregate(utility, lists, how):
    """Compare each text with the weighted mean of its list, as if that were one reference."""
    if not hasattr(utility, "aggregated"):
        raise ValueError(
            "approximation='aggregate' compares with a mean of references, and the utility has no "
            f"mean: it must be one of {list(_WITH_MEANS)}, or vectors of a transformer."
        )
    return utility.aggregated(lists.weights), lists.sizes


def _low_rank(utility, lists, how):
    """Ask for some utilities, and complete the matrix as one of low rank."""
    hypotheses, references, known = [], [], []
    for start, size, rng in lists.seeds(how.random_state):
        # A text's utility against itself is like no other, and is always asked for.
        seen = np.eye(size, dtype=bool)
        off = np.flatnonzero(~seen)
        n = max(round(how.proportion * len(off)), min(2 * size, len(off)))
        seen.flat[rng.permutation(off)[:n]] = True
        against, own = np.nonzero(seen.T)
        hypotheses.append(start + own)
        references.append(start + against)
        known.append(seen)
    asked = np.array([len(part) for part in hypotheses])
    cells = _in_parts(utility, np.concatenate(hypotheses), np.concatenate(references))
    values, cells = np.empty(len(lists.weights)), np.split(cells, np.cumsum(asked)[:-1])
    for k, (start, size, rng) in enumerate(lists.seeds(how.random_state)):
        matrix = np.zeros((size, size))
        matrix[hypotheses[k] - start, references[k] - start] = cells[k]
        matrix, texts = completed(matrix, known[k], rng), slice(start, start + size)
        values[texts] = (matrix * lists.weights[texts]).sum(axis=1)
    return values, asked


def _in_parts(utility, hypotheses, references):
    """Ask for utilities, a bounded number at a time."""
    parts = [
        utility.cells(hypotheses[a : a + _CELLS], references[a : a + _CELLS])
        for a in range(0, len(hypotheses), _CELLS)
    ]
    return np.concatenate([np.zeros(0), *parts])


class _Race:
    """A list whose candidates are pruned while more and more references are looked at."""

    def __init__(self, start, weights, rng):
        self.rng = rng
        order = rng.permutation(np.flatnonzero(weights > 0))
        self.references, self.of_reference = start + order, weights[order]
        self.alive, self.of_alive = start + np.arange(len(weights)), weights
        self.matrix = np.zeros((len(weights), 0))
        self.own = np.zeros(len(weights))
        self.asked = len(weights)

    def next_references(self, n):
        """Return the references up to the n-th that have not been looked at."""
        seen = self.matrix.shape[1]
        return self.references[seen:n] if len(self.alive) > 1 else self.references[:0]

    def take(self, cells):
        """Add the utilities of all that are left against further references, and prune."""
        self.asked += cells.size
        self.matrix = np.hstack([self.matrix, cells])
        n = self.matrix.shape[1]
        if n == len(self.references):
            return
        best = self.values(np.ones((1, n)))[:, 0].argmax()
        resampled = self.values(self.rng.multinomial(n, np.full(n, 1 / n), size=_RESAMPLES))
        wins = (resampled >= resampled[best]).mean(axis=1)
        left = wins > 1 - _CONFIDENCE
        left[best] = True
        self.alive, self.of_alive, self.own = (
            values[left] for values in (self.alive, self.of_alive, self.own)
        )
        self.matrix = self.matrix[left]

    def values(self, times):
        """Estimate expected utilities of those that are left, (n_alive, n_resamples).

        ``times``, (n_resamples, n_references), says how often each reference counts.
        """
        n = self.matrix.shape[1]
        # A candidate against itself would count too much among few references, so that those
        # would win that happen to be among them: its part is known, and the rest is estimated.
        others = self.alive[:, np.newaxis] != self.references[:n]
        weights = (times * self.of_reference[:n]).T
        means = np.divide(
            (self.matrix * others) @ weights, others @ weights,
            out=np.zeros((len(self.alive), len(times))), where=others @ weights > 0,
        )  # fmt: skip
        itself = self.of_alive[:, np.newaxis]
        return (1 - itself) * means + itself * self.own[:, np.newaxis]


def _prune(utility, lists, how):
    """Look at more and more references, and drop who hardly wins in resamples of them."""
    races = [_Race(a, lists.weights[a : a + n], rng) for a, n, rng in lists.seeds(how.random_state)]
    everyone = np.arange(len(lists.weights))
    own = np.split(_in_parts(utility, everyone, everyone), lists.starts[1:])
    for race, values in zip(races, own, strict=True):
        race.own = values
    n = _FIRST_REFERENCES
    while running := [race for race in races if len(race.next_references(n))]:
        references = [np.repeat(race.next_references(n), len(race.alive)) for race in running]
        hypotheses = [np.tile(race.alive, len(race.next_references(n))) for race in running]
        cells = _in_parts(utility, np.concatenate(hypotheses), np.concatenate(references))
        cuts = np.cumsum([len(part) for part in references])[:-1]
        for race, part in zip(running, np.split(cells, cuts), strict=True):
            race.take(part.reshape(-1, len(race.alive)).T)
        n *= 2
    values = np.full(len(lists.weights), np.nan)
    for race in races:
        values[race.alive] = race.values(np.ones((1, race.matrix.shape[1])))[:, 0]
    return values, np.array([race.asked for race in races])


# Functions of a utility, its lists and how, as ``exact``: expected utilities, (n_texts,), NaN of
# what was pruned, and how many were asked of a list.
APPROXIMATIONS = {"aggregate": _aggregate, "prune": _prune, "low-rank": _low_rank}


def completed(matrix, known, rng):
    """Fill in the cells off the diagonal that are not known, by alternating least squares."""
    n = len(matrix)
    seen = known & ~np.eye(n, dtype=bool)
    if known.all() or not seen.any():
        return matrix
    mean, spread = matrix[seen].mean(), matrix[seen].std()
    if spread == 0:
        return np.where(known, matrix, mean)
    cells = np.where(seen, (matrix - mean) / spread, 0.0)
    columns = rng.normal(scale=_RANK**-0.5, size=(n, _RANK))
    for _ in range(_ROUNDS):
        rows = _least_squares(cells, seen, columns)
        columns = _least_squares(cells.T, seen.T, rows)
    return np.where(known, matrix, mean + spread * (rows @ columns.T))


def _least_squares(cells, seen, others):
    """Fit the factors of rows to their known cells, given those of the columns."""
    # A row's normal equations: (Σ v vᵀ + penalty) u = Σ cell v, over the columns it knows.
    products = others[:, :, np.newaxis] * others[:, np.newaxis, :]
    squares = np.tensordot(seen.astype(np.float64), products, axes=1)
    squares += _PENALTY * np.eye(others.shape[1])
    return np.linalg.solve(squares, (cells @ others)[:, :, np.newaxis])[:, :, 0]
