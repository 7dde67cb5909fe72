"""Sums of flipped scores: against flips one at a time, whole numbers exactly."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval.metrics.system.flip_kernel import count_large, sums_of_flips

sizes = st.tuples(st.integers(1, 20), st.integers(1, 40), st.integers(1, 9))


@settings(max_examples=80, deadline=None)
@given(sizes=sizes, seed=st.integers(0, 999))
def test_sums_against_a_loop(sizes, seed):
    n_rows, n_segments, n_flips = sizes
    rng = np.random.default_rng(seed)
    rows = rng.integers(-99, 100, (n_rows, n_segments)).astype(float)
    bits = rng.integers(0, 2, (n_flips, n_segments), dtype=np.uint8)
    found = sums_of_flips(rows, np.packbits(bits, axis=1))
    expected = [
        [sum(-v if flipped else v for v, flipped in zip(row, flip, strict=True)) for flip in bits]
        for row in rows
    ]
    assert found.tolist() == expected


@settings(max_examples=40, deadline=None)
@given(sizes=sizes, seed=st.integers(0, 999))
def test_sums_do_not_hang_on_other_rows_or_flips(sizes, seed):
    n_rows, n_segments, n_flips = sizes
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_rows, n_segments)) * 10.0 ** rng.integers(-9, 9, (n_rows, 1))
    flips = rng.integers(0, 256, (n_flips, -(-n_segments // 8)), dtype=np.uint8)
    found = sums_of_flips(rows, flips)
    order = rng.permutation(n_flips)
    assert (sums_of_flips(rows, flips[order]) == found[:, order]).all()
    some = rng.permutation(n_rows)[: rng.integers(1, n_rows + 1)]
    assert (sums_of_flips(rows[some], flips[:1]) == found[some, :1]).all()
    assert (sums_of_flips(rows, ~flips) == -found).all()  # the opposite flips, to the bit


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 999), n_tables=st.integers(1, 2), n_signs=st.integers(1, 2))
def test_counts_against_a_loop(seed, n_tables, n_signs):
    rng = np.random.default_rng(seed)
    sums = rng.integers(-5, 6, (6, 7)).astype(float)
    first, second = rng.integers(0, 6, (2, n_tables, 4))
    least = rng.integers(0, 9, (n_signs, n_tables, 4)).astype(float)
    counts = np.ones(least.shape, dtype=np.int64)
    count_large(sums, first, second, least, counts)
    for sign, table, pair in np.ndindex(least.shape):
        ends = first[table, pair], second[table, pair]
        large = [
            abs(sums[ends[0], k] - sums[ends[1], k]) >= least[sign, table, pair] for k in range(7)
        ]
        assert counts[sign, table, pair] == 1 + sum(large)
