"""Orders of rows, groups and segments that depend on their content only.

Neither the order of rows, nor names, nor a number's last bits, which differ between processors, may
decide on seeded resamples and the last bits of sums: rounded values come first, then hashes.
"""

from itertools import chain

import numpy as np
import pandas as pd

# Odd, so that multiplying loses no bit (2^64 / golden ratio, Knuth's multiplicative hashing).
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_AT_ONCE = 1 << 15  # numbers hashed, what the cache holds
_SET_MULTIPLIER = np.uint64(0xC2B2AE3D27D4EB4F)  # another one, odd as well


def hash_cells(values):
    """Hash the numbers or texts of an array of any shape, uint64; there is one NaN and one zero."""
    flat = values.ravel()
    if values.dtype == object:
        return pd.util.hash_array(flat).reshape(values.shape)
    hashes = np.empty(len(flat), dtype=np.uint64)
    for first in range(0, len(flat), _AT_ONCE):
        part = flat[first : first + _AT_ONCE]
        if part.dtype.kind == "f":  # pandas before 3.1 hashes their bits as they are
            part = part + 0
            part[np.isnan(part)] = np.nan
        hashes[first : first + _AT_ONCE] = pd.util.hash_array(part)
    return hashes.reshape(values.shape)


def hash_rows(columns, n_rows, *, multiplier=MULTIPLIER):
    """Hash rows given as columns of shape (n_rows,), or another one; the columns' order counts."""
    hashes = np.zeros(n_rows, dtype=np.uint64)
    for values in columns:
        hashes = hashes * multiplier + hash_cells(values)
    return hashes


def hash_sets(hashes, codes):
    """Hash what the rows of each code from 0 on contain, whatever their order."""
    sums = np.zeros(codes.max(initial=-1) + 1, dtype=np.uint64)
    # A sum does not depend on the order; x² + x keeps sets of equal sums of x apart. pandas hashes
    # 0 as 0, but a row of zeros counts as well.
    np.add.at(sums, codes, np.where(hashes == 0, MULTIPLIER, hashes * hashes + hashes))
    return sums


def rough(values):
    """Count numbers in units of 2^-30 of the largest: equal, if they are so on any processor."""
    values = np.asarray(values, dtype=np.float64)
    largest = np.abs(values).max(initial=0, where=np.isfinite(values))
    return np.rint(np.ldexp(values, 30 - int(np.frexp(largest)[1])))


def landmarks(columns, codes):
    """Yield each column's middle, largest (or NaN) and smallest value of each code, or NaN."""
    sizes = np.bincount(codes)
    starts, there = np.cumsum(sizes) - sizes, sizes > 0
    for values in columns:
        ordered = np.append(values[np.lexsort((values, codes))], np.nan)
        for place in (sizes // 2, sizes - 1, 0):
            yield ordered[np.where(there, starts + place, -1)]


def by_content(hashes, units, columns=()):
    """Order units, codes >= 0, by numbers among the columns, then by the hashes of their rows."""
    numbers = (rough(values) for values in columns if values.dtype.kind in "fiub")
    return lexicographic(chain(landmarks(numbers, units), [hash_sets(hashes, units)]))


def content_order(segments, groups, human, *scores):
    """Order rows by content, NaN too: positions, a group's together, and new numbers of their
    groups (not decreasing) and segments (from 0).
    """
    columns = [np.asarray(values, dtype=np.float64) for values in (human, *scores)]
    content = hash_rows(columns, len(human))
    of_group = hash_sets(content, groups)
    # What a row stands among becomes part of its content: a segment is known by its groups.
    content = content + of_group[groups] * _SET_MULTIPLIER
    of_segment = hash_sets(content, segments)
    content = content + of_segment[segments] * _SET_MULTIPLIER
    columns = [rough(values) for values in columns]
    # Equal groups come in the order of their segments, on which that of their rows depends.
    keys = landmarks(columns, groups), [of_group, hash_sets(content, groups)]
    groups = _numbered(groups, chain(*keys))
    segments = _numbered(segments, chain(landmarks(columns, segments), [of_segment]))
    rows = lexicographic([groups, segments, *columns, content])
    return rows, groups[rows], segments[rows]


def table_order(*tables):
    """Order rows and columns of tables by content, later ones deciding only between equals."""
    marks = np.zeros(tables[0].shape[1], dtype=np.uint64)
    keys = _system_keys(tables, marks)
    while True:
        systems = np.lexsort(keys[::-1])
        alike = np.all([np.diff(key[systems]) == 0 for key in keys], axis=0)
        if not alike.any():
            break
        # Systems that mirror each other: whichever comes first, the ordered table is the same.
        marks[systems[alike.argmax()]] = marks.max() + np.uint64(1)
        keys += _system_keys(tables, marks)
    return lexicographic(table[:, system] for table in tables for system in systems), systems


def sparse_order(table):
    """Sort rows of a sparse array of numbers >= 0 as ``lexsort`` does, the first column first."""
    table.sort_indices()
    lengths = np.diff(table.indptr)
    # Descending columns, and values in them, as one key; a row that has ended comes first of all.
    values = np.unique(table.data, return_inverse=True)[1]
    entries = (table.shape[1] - table.indices.astype(np.int64)) * (
        values.max(initial=0) + 1
    ) + values
    entries = np.append(entries, 0)

    def key(place):
        return entries[np.where(lengths > place, table.indptr[:-1] + place, -1)]

    return lexicographic(map(key, range(lengths.max(initial=0) + 1)))


def lexicographic(keys):
    """Sort rows by keys as ``lexsort`` does, the first key first; later ones are read for ties."""
    keys = iter(keys)
    first = next(keys)
    order = np.argsort(first, kind="stable")
    new = _differs_from_last(first[order])
    for key in keys:
        tied = np.flatnonzero(~(new & np.append(new[1:], True)))
        if not len(tied):
            break
        classes, rows = np.cumsum(new[tied]), order[tied]
        rows = rows[np.lexsort((key[rows], classes))]
        order[tied] = rows
        new[tied] |= _differs_from_last(key[rows])
    return order


def _differs_from_last(values):
    """Tell of sorted values where a new one begins; NaN equals NaN."""
    new = values[1:] != values[:-1]
    new &= ~(np.isnan(values[1:]) & np.isnan(values[:-1]))
    return np.concatenate([[True], new])


def system_order(tables, relations):
    """Order systems as :func:`table_order`, and those alike by ``relations()``, if they decide."""
    keys = _system_keys(tables, np.uint64(0))
    classes = _classes(*keys)
    if classes.max(initial=-1) + 1 == len(classes):
        return np.argsort(classes)
    seen = [cells for values in relations() for cells in (values, values.swapaxes(1, 2))]
    relation = hash_rows((cells.astype(np.float64) for cells in seen), seen[0].shape)
    while True:
        # A round knows of each system what the one before knows of those it met: at most as many
        # rounds as systems tell any more apart.
        for _ in range(len(classes)):
            known = hash_cells(classes.astype(np.float64))
            met = hash_cells(relation + known * MULTIPLIER)
            of_segment = (met + known[:, np.newaxis] * _SET_MULTIPLIER) ** 2
            segments = hash_cells(of_segment.sum(axis=(1, 2)))[:, np.newaxis, np.newaxis]
            finer = _classes(classes, hash_cells(met + segments * MULTIPLIER).sum(axis=(0, 2)))
            if finer.max() == classes.max():
                break
            classes = finer
        sizes = np.bincount(classes)
        if (sizes == 1).all():
            return np.argsort(classes)
        # Systems that mirror each other: whichever comes first, the ordered relations are the same.
        first = np.flatnonzero(classes == (sizes > 1).argmax())[0]
        classes = _classes(classes, np.arange(len(classes)) != first)


def comparison_order(segments, first, second, content, mirrored):
    """Order systems (positions) and segments (new numbers) by what is compared, hashed as the first
    system sees it, ``content``, and as the second, ``mirrored``.
    """
    ends = np.concatenate([first, second])
    others = np.concatenate([second, first])
    within = np.concatenate([segments, segments])
    seen = np.concatenate([content, mirrored])
    systems = np.zeros(ends.max() + 1, dtype=np.uint64)
    of_segments = np.zeros(segments.max() + 1, dtype=np.uint64)
    while True:
        known = 0
        # As in system_order: a round knows what the one before knows of opponents and segments.
        for _ in range(len(systems)):
            rows = (systems[ends] * MULTIPLIER + systems[others]) * MULTIPLIER
            rows = hash_cells(rows + seen + of_segments[within] * _SET_MULTIPLIER)
            of_segments = hash_cells(of_segments * MULTIPLIER + hash_sets(rows, within))
            systems = hash_cells(systems * MULTIPLIER + hash_sets(rows, ends))
            classes, sizes = np.unique(systems, return_counts=True)
            if len(classes) == known:
                break
            known = len(classes)
        if known == len(systems):
            break
        # Systems that mirror each other: whichever comes first, the ordered data are the same.
        systems[np.flatnonzero(systems == classes[sizes.argmax()])[0]] += np.uint64(1)
    order = np.argsort(systems)
    number = np.argsort(order).astype(np.float64)
    forward = number[first] < number[second]
    columns = np.minimum(number[first], number[second]), np.maximum(number[first], number[second])
    content = hash_rows([*columns, np.where(forward, content, mirrored)], len(first))
    return order, _numbered(np.arange(len(of_segments)), [hash_sets(content, segments)])


def _classes(*keys):
    """Number what is equal in all keys, in their order: the first key first."""
    order = np.lexsort(keys[::-1])
    new = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    classes = np.empty(len(order), dtype=np.int64)
    classes[order] = np.append(0, np.cumsum(new))[: len(order)]
    return classes


def _system_keys(tables, systems):
    """Return keys of systems, for each table, from its cells and those before."""
    from sklearn_mteval._helpers._kernels import add_hashes

    keys, tables = [], list(tables)
    segments = np.zeros(len(tables[0]), dtype=np.uint64)
    systems = np.broadcast_to(systems, tables[0].shape[1:])
    for table in tables:
        cells = hash_cells(table.T.astype(np.float64))
        # Systems may have equal scores in other segments: a round tells them apart by what the
        # one before knows of the segments.
        for last in (False, False, True):
            systems = systems * MULTIPLIER
            add_hashes(cells, segments, systems)
            if last and len(np.unique(systems)) == len(systems):
                return [*keys, systems]  # no later key can change the order
            segments = segments * MULTIPLIER
            add_hashes(cells.T, systems, segments)
        keys.append(systems)
    return keys


def _numbered(codes, keys):
    """Number codes from 0 by the keys of each code, the first key first."""
    sizes = np.bincount(codes)
    there = np.flatnonzero(sizes)
    number = np.empty(len(sizes), dtype=np.int64)
    number[there[lexicographic(key[there] for key in keys)]] = np.arange(len(there))
    return number[codes]
