"""Which scores permutations exchange: one bit for each, and products with their signs."""

from dataclasses import dataclass

import numpy as np

_CELLS_AT_ONCE = 1 << 22


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
        return self._unpacked(self.packed[units], dtype)

    def of_products(self, one, other, dtype=np.float64):
        """Return the products of the signs of two units each."""
        # (-1)^a (-1)^b = (-1)^(a xor b): eight products at a time.
        return self._unpacked(self.packed[one] ^ self.packed[other], dtype)

    def sums(self, weights, units=None):
        """Add up weights (..., k, n) times the signs of units (..., n): (..., k, n_permutations).

        In parts, so that memory does not grow with the units, all of them by default.
        """
        if units is None:
            units = np.arange(len(self.packed))
        step = max(1, _CELLS_AT_ONCE // (self.n_permutations * (units.size // units.shape[-1])))
        parts = (slice(first, first + step) for first in range(0, units.shape[-1], step))
        return sum(weights[..., part] @ self.of(units[..., part], weights.dtype) for part in parts)

    def _unpacked(self, packed, dtype):
        bits = np.unpackbits(packed, axis=-1, count=self.n_permutations).view(np.int8)
        return (1 - 2 * bits).astype(dtype)
