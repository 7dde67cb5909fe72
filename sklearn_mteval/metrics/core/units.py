"""What is drawn of units, and what intervals are made of it.

A *unit* is what varies as a whole: a segment, a document, a translation. All bootstraps resample
units here, all permutation tests exchange them here, and all bounds of bootstraps are made here.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_draws, check_proportion
from sklearn_mteval._helpers.progress import tracked, working
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.metrics.core.ratios import ratio

FEW_CLUSTERS = 10  # fewer are too few to resample: Student's t
_RESAMPLES_AT_ONCE = 100
_FLIPS_AT_ONCE = 512
_FLIP_CELLS_AT_ONCE = 1 << 20
_CELLS_AT_ONCE = 1 << 22
_SIGNS_KEPT = 1 << 23  # 0.5 MB for each of the last seeds and numbers


def effective_number(sizes):
    """Return how many units of one size tell as much (Carter, Schnepel and Steigerwald 2017)."""
    total, squares = sizes.sum(axis=0), (sizes**2).sum(axis=0)
    # Two are two, however much larger one is: without a difference there is no variance.
    return np.maximum(ratio(total**2.0, squares, 0.0), np.minimum((sizes > 0).sum(axis=0), 2))


def left_out_factors(shares, n_units):
    """Return how much more units with these shares pull than they seem to: 1 if all are alike."""
    return (1 - 1 / np.maximum(n_units, 2)) / np.maximum(1 - shares, 1e-12)


def resamples(n_units, n_resamples, rng):
    """Yield bootstrap samples in blocks (n_block, n_units): how often each unit is taken."""
    with working("resampling", n_resamples, "samples") as step:
        for first in range(0, n_resamples, _RESAMPLES_AT_ONCE):
            size = min(_RESAMPLES_AT_ONCE, n_resamples - first)
            yield times_drawn(n_units, rng, size)
            step.advance(size)


def times_drawn(n_units, rng, size=None):
    """Return how often each unit is taken with replacement, of shape (size, n_units)."""
    return rng.multinomial(n_units, np.full(n_units, 1 / n_units), size=size).astype(np.float64)


def generator_of(rng):
    """Return a generator, faster than a RandomState, that this one seeds."""
    return np.random.Generator(np.random.PCG64(rng.randint(2**31 - 1)))


def units_drawn(n_units, n_resamples, rng, at_once):
    """Yield bootstrap samples in blocks (n_block, n_units): the units taken, uint32."""
    rng = generator_of(rng)
    for first in tracked(range(0, n_resamples, at_once), "resampling", "blocks of samples"):
        size = min(at_once, n_resamples - first), n_units
        yield rng.integers(n_units, size=size, dtype=np.uint32)


@dataclass(frozen=True)
class Bootstrap:
    """How intervals are made by resampling units; its options are those of public functions."""

    confidence: float = 0.95
    n_resamples: int = 1000
    random_state: Seed = 0

    def __post_init__(self):
        check_proportion("confidence", self.confidence)
        check_draws("n_resamples", self.n_resamples)

    def weights(self, n_units):
        """Yield blocks of samples (n_block, n_units): how often each unit is taken."""
        return resamples(n_units, self.n_resamples, check_random_state(self.random_state))

    def samples(self, statistics, n_units):
        """Compute statistics of the same samples, (n_statistics, n_resamples)."""
        drawn = {"n_resamples": self.n_resamples, "random_state": self.random_state}
        return bootstrap_statistics(statistics, n_units, **drawn)

    def intervals(self, statistics, n_units):
        """Return bounds (n_statistics, 2) of functions of weights, of few units by jackknife."""
        if 1 < n_units < FEW_CLUSTERS:
            values, errors = jackknifed(left_out(statistics, n_units))
            return student_interval(values, errors, n_units - 1, self.confidence)
        return percentile_interval(self.samples(statistics, n_units), self.confidence)

    def intervals_of_sums(self, functions, sums):
        """Return the bounds (n_functions, 2) of functions of sums over units (n_units, k)."""
        # Units with equal sums can be exchanged: sorted, samples depend on no names.
        sums = sums[np.lexsort(sums.T)]
        statistics = [lambda weights, f=f: f(weights @ sums) for f in functions]
        return self.intervals(statistics, len(sums))


def bootstrap_statistics(statistics, n_units, *, n_resamples, random_state):
    """Compute functions from weights (n_resamples, n_units) to values, (n_statistics, n_resamples):
    NaN where undefined, and everywhere for one unit, which does not vary.
    """
    check_draws("n_resamples", n_resamples)
    if n_units < 2:
        return np.full((len(statistics), n_resamples), np.nan)
    weights = resamples(n_units, n_resamples, check_random_state(random_state))
    return np.hstack([[of_weights(block) for of_weights in statistics] for block in weights])


def left_out(statistics, n_units):
    """Compute statistics of all units, and without each: (n_statistics, 1 + n_units)."""
    weights = np.vstack([np.ones(n_units), 1 - np.eye(n_units)])
    return np.array([of_weights(weights) for of_weights in statistics])


def jackknifed(values):
    """Return the values of all units and their errors, of what ``left_out`` returns."""
    return values[:, 0], np.sqrt(np.var(values[:, 1:], axis=1) * (values.shape[1] - 2))


def percentile_interval(values, confidence, method="linear"):
    """Return lower and upper bounds (n_statistics, 2) of bootstrap values, NaN left out."""
    tail = (1 - confidence) / 2
    bounds = np.full((len(values), 2), np.nan)
    for k, row in enumerate(values):
        row = row[~np.isnan(row)]
        if len(row):
            bounds[k] = np.quantile(row, [tail, 1 - tail], method=method)
    return bounds


def student_interval(values, errors, degrees, confidence):
    """Return bounds (n, 2) of values by their errors and Student's t."""
    from scipy import stats  # slow to load

    reach = errors * stats.t.ppf(1 - (1 - confidence) / 2, degrees)
    return values[:, None] + reach[:, None] * [-1, 1]


def expanded_percentiles(samples, tail, n_clusters):
    """Return percentiles (n_parameters, 2) of samples (n_resamples, n_parameters), expanded as t
    exceeds the normal quantile, so that few clusters cover as they should (Hesterberg 2015, 4.3).
    """
    from scipy import stats  # slow to load

    n_clusters = np.broadcast_to(n_clusters, samples.shape[1:])
    several = n_clusters > 1  # one says nothing of how they vary
    n = np.where(several, n_clusters, 2)
    quantiles = stats.t.ppf(tail, n - 1) * np.sqrt(n / (n - 1))
    places = ((len(samples) + 1) * stats.norm.cdf(quantiles)).astype(np.int64)
    places = np.maximum(1, places)[np.newaxis] - 1
    # A resample that says nothing of a parameter (NaN) allows any value.
    low = np.sort(np.where(np.isnan(samples), -np.inf, samples), axis=0)
    high = np.sort(np.where(np.isnan(samples), np.inf, samples), axis=0)
    bounds = [
        np.take_along_axis(low, places, axis=0)[0],
        np.take_along_axis(high, len(samples) - 1 - places, axis=0)[0],
    ]
    return np.where(several[:, np.newaxis], np.column_stack(bounds), np.nan)


@dataclass(frozen=True)
class Signs:
    """Signs of units in permutations: -1 where a unit is exchanged, else +1."""

    packed: np.ndarray  # (n_units, n_permutations / 8) uint8, as numpy.packbits makes it
    n_permutations: int

    @classmethod
    def from_rows(cls, packed, n_units):
        """Make them from bits packed by permutation, (n_permutations, n_units / 8)."""
        step = max(1, _CELLS_AT_ONCE // (8 * len(packed)))
        blocks = (packed[:, first : first + step] for first in range(0, packed.shape[1], step))
        columns = [np.packbits(np.unpackbits(block, axis=1).T, axis=1) for block in blocks]
        return cls(np.concatenate(columns)[:n_units], len(packed))

    @classmethod
    def of_none(cls, n_units):
        """Make those of the one permutation that exchanges nothing."""
        return cls(np.zeros((n_units, 1), dtype=np.uint8), 1)

    def within(self, units):
        """Return the signs of some units."""
        return Signs(self.packed[units], self.n_permutations)

    def blocks(self):
        """Split the permutations, so that all their signs at once need little memory."""
        step = max(1, _CELLS_AT_ONCE // (8 * len(self.packed)))
        for first in range(0, self.packed.shape[1], step):
            n_permutations = min(8 * step, self.n_permutations - 8 * first)
            yield Signs(self.packed[:, first : first + step], n_permutations)

    def of(self, units, dtype=np.float64):
        """Return the signs of units of any shape, (..., n_permutations)."""
        bits = np.unpackbits(self.packed[units], axis=-1, count=self.n_permutations).view(np.int8)
        return (1 - 2 * bits).astype(dtype)

    def sums(self, weights):
        """Add up weights (..., n_units) times signs: (..., n_permutations)."""
        step = max(1, _CELLS_AT_ONCE // self.n_permutations)
        parts = (slice(first, first + step) for first in range(0, len(self.packed), step))
        return sum(weights[..., part] @ self.of(part, weights.dtype) for part in parts)


def exchanges(n_units, n_permutations, rng, at_once):
    """Yield blocks of packed bits (n_block, n_units / 8) of permutations drawn at random."""
    width = -(-n_units // 8)
    for first in range(0, n_permutations, at_once):
        size = min(at_once, n_permutations - first)
        yield np.frombuffer(rng.bytes(size * width), dtype=np.uint8).reshape(size, width)


def all_exchanges(n_units, at_once):
    """Yield blocks of packed bits of all permutations that there are, 2 to the n_units."""
    for first in range(0, 2**n_units, at_once):
        yield _numbered_flips(first, min(first + at_once, 2**n_units), n_units)


def _numbered_flips(first, last, n_units):
    """Return some of all flips of units by number, as packed bits."""
    numbers = np.arange(first, last)
    return np.packbits(((numbers[:, None] >> np.arange(n_units)) & 1).astype(np.uint8), axis=1)


def half_exchanges(n_units, n_permutations, random_state):
    """Return blocks of packed bits (n_block, n_units / 8): half of all, without their opposites."""
    check_draws("n_permutations", n_permutations)
    drawn = n_units, n_permutations, random_state
    few = n_units * n_permutations <= _SIGNS_KEPT
    # Many metrics are compared with the same judgements, under the same flips.
    return _kept_flips(*drawn) if few and isinstance(random_state, int) else _drawn_flips(*drawn)


@lru_cache(maxsize=8)
def _kept_flips(n_units, n_permutations, seed):
    return list(_drawn_flips(n_units, n_permutations, seed))


def _drawn_flips(n_units, n_permutations, random_state):
    """Yield the blocks of ``half_exchanges``."""
    exact = n_units <= 40 and 2**n_units <= n_permutations
    n_rows = 2 ** (n_units - 1) if exact else -(-n_permutations // 2)
    rng = check_random_state(random_state)
    # Multiples of 32, so that blocks end where the generator's words do: their size changes no bit.
    at_once = min(_FLIPS_AT_ONCE, 32 * max(1, _FLIP_CELLS_AT_ONCE // (32 * n_units)))
    for first in range(0, n_rows, at_once):
        size = min(at_once, n_rows - first)
        if exact:
            yield _numbered_flips(first, first + size, n_units)
            continue
        drawn = np.frombuffer(rng.bytes(-(-size * n_units // 8)), dtype=np.uint8)
        bits = np.unpackbits(drawn, count=size * n_units).reshape(size, n_units)
        yield np.packbits(bits, axis=1)
