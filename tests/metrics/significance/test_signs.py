"""Packed signs against signs as numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.metrics.core import units as module
from sklearn_mteval.metrics.core.units import Signs


@given(data=st.data(), n_units=st.integers(1, 30), n_permutations=st.integers(1, 40))
@pytest.mark.parametrize("cells", [1, 100, 1 << 22])
def test_signs_are_those_of_the_bits(cells, data, n_units, n_permutations):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    bits = rng.integers(0, 2, (n_permutations, n_units))
    plain = 1.0 - 2 * bits.T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CELLS_AT_ONCE", cells)
        signs = Signs.from_rows(np.packbits(bits, axis=1), n_units)
        some = rng.integers(0, n_units, (3, 4))
        np.testing.assert_array_equal(signs.of(some), plain[some])
        np.testing.assert_array_equal(signs.within(some[0]).of(np.arange(4)), plain[some[0]])
        blocks = [block.of(np.arange(n_units)) for block in signs.blocks()]
        np.testing.assert_array_equal(np.hstack(blocks), plain)
        weights = rng.normal(size=(2, n_units))
        np.testing.assert_allclose(signs.sums(weights), weights @ plain, atol=1e-12)
