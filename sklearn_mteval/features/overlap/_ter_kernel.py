"""The compiled translation edit rate. Imported on first use: numba is slow to load.

Edits are sacreBLEU's: the same beam, the same shifts in the same rank, the same limits. What
is faster, besides the compiler: a shift changes the words between its two ends only, so that
its edit distance needs the rows between, the rest being known from both sides; and no shift
is tried that cannot be chosen.
"""

import math

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

# Those of sacreBLEU, the first three also of Tercom (which has a beam of 20).
_LONGEST_SHIFT = 10
_FARTHEST_SHIFT = 50
_BEAM = 25
_MOST_SHIFTS = 1000

_FAR = 1 << 29  # the distance of a cell that the beam leaves out


@compiled
def _beam(n_words, n_reference):
    """Find the cells that sacreBLEU's beam admits, hypotheses in rows, references in columns."""
    # Cells follow the diagonal of the matrix, all of row 0 besides; both bounds never fall.
    low, high = np.zeros(n_words + 1, dtype=np.int64), np.empty(n_words + 1, dtype=np.int64)
    high[0] = high[n_words] = n_reference + 1
    slope = n_reference / max(n_words, 1)
    width = math.ceil(slope / 2 + _BEAM) if slope / 2 > _BEAM else _BEAM
    for i in range(1, n_words + 1):
        diagonal = math.floor(i * slope)
        low[i] = max(0, diagonal - width)
        if i < n_words:
            high[i] = min(n_reference + 1, diagonal + width)
    return low, high


@compiled
def _matrix(low, high):
    """Make a band (low, high, offsets), its cell (i, j) being at ``offsets[i] + j``, and cells."""
    # Each row also has the neighbours that the next row looks at; they stay far.
    offsets = np.empty(len(low), dtype=np.int64)
    size = 0
    for i in range(len(low)):
        offsets[i] = size - (low[i] - 1)
        size += high[min(i + 1, len(low) - 1)] - (low[i] - 1)
    cells = np.full(size, _FAR, dtype=np.int32)
    for j in range(low[0], high[0]):
        cells[offsets[0] + j] = j
    return (low, high, offsets), cells


@compiled
def _fill(words, reference, first, last, band, above, cells):
    """Compute rows ``first + 1`` to ``last`` of ``cells``; row ``first`` is read in ``above``."""
    low, high, offsets = band
    for i in range(first + 1, last + 1):
        word = words[i - 1]
        row, before = offsets[i], offsets[i - 1]
        begin = max(low[i], 1)
        left = _FAR
        if low[i] == 0:
            left = above[before] + 1
            cells[row] = left
        diagonal = above[before + begin - 1]
        for j in range(begin, high[i]):
            up = above[before + j]
            left = min(diagonal + (word != reference[j - 1]), min(up, left) + 1)
            cells[row + j] = left
            diagonal = up
        above = cells


@compiled
def _trace(words, reference, offsets, cells, hypothesis_wrong, reference_wrong, aligned):
    """Walk the best path back: counts, wrong words, and ``aligned``, the hypothesis' last word."""
    # Of equal paths: a match or substitution first, then an insertion.
    i, j = len(words), len(reference)
    insertions = deletions = substitutions = 0
    while i > 0 or j > 0:
        distance = cells[offsets[i] + j]
        differ = i > 0 and j > 0 and words[i - 1] != reference[j - 1]
        if i > 0 and j > 0 and cells[offsets[i - 1] + j - 1] + differ == distance:
            i -= 1
            j -= 1
            substitutions += differ
            hypothesis_wrong[i] = reference_wrong[j] = differ
            aligned[j] = i
        elif i > 0 and cells[offsets[i - 1] + j] + 1 == distance:
            i -= 1
            insertions += 1
            hypothesis_wrong[i] = True
        else:
            j -= 1
            deletions += 1
            reference_wrong[j] = True
            aligned[j] = i - 1
    return insertions, deletions, substitutions


@compiled
def _find_shifts(words, reference, hypothesis_wrong, reference_wrong, aligned, most, shifts):
    """List shifts (start, length, target) of words to where the reference has the same."""
    # Both places must be wrong in the alignment. Stops when there are ``most``, or a few more.
    n_shifts = 0
    for start in range(len(words)):
        nearest = max(0, start - _FARTHEST_SHIFT)
        for to in range(nearest, min(len(reference), start + _FARTHEST_SHIFT + 1)):
            any_hypothesis = any_reference = False
            longest = min(_LONGEST_SHIFT, len(words) - start, len(reference) - to)
            for length in range(1, longest + 1):
                end = length - 1
                if words[start + end] != reference[to + end]:
                    break
                if start <= aligned[to] < start + length:
                    break  # within itself, and longer ones too
                any_hypothesis |= hypothesis_wrong[start + end]
                any_reference |= reference_wrong[to + end]
                if not (any_hypothesis and any_reference):
                    continue
                previous = -1
                for position in range(to - 1, to + length):
                    target = aligned[position] + 1 if position >= 0 else 0
                    if target != previous:
                        shifts[n_shifts] = start, length, target
                        n_shifts += 1
                    previous = target
                if n_shifts >= most:
                    return n_shifts
    return n_shifts


@compiled
def _shift(words, start, length, target, shifted):
    """Write to ``shifted`` the words that a shift changes: all from ``first`` to ``last``."""
    if target < start:
        first, middle, last = target, start, start + length
    elif target > start + length:
        first, middle, last = start, start + length, target
    else:  # as sacreBLEU has it: to the right, by as many words as the target is in the block
        first, middle, last = start, start + length, min(len(words), target + length)
    turn = last - middle
    for k in range(first, middle):
        shifted[k + turn] = words[k]
    for k in range(middle, last):
        shifted[first + k - middle] = words[k]
    while first < last and shifted[first] == words[first]:
        first += 1
    while first < last and shifted[last - 1] == words[last - 1]:
        last -= 1
    return first, last


@compiled
def _best_shift(words, shifted, reference, shifts, least, forward, cells, trial, backward, rest):
    """Find the shift that helps most, of equals the longest and first, or -1; ``cells`` and
    ``rest`` are the distances from the beginning and to the end without one.
    """
    n, m = len(words), len(reference)
    best = -1
    best_distance = cells[forward[2][n] + m]
    best_rank = (0, 0, 0)
    for k in range(len(shifts)):
        start, length, target = shifts[k]
        rank = (length, -start, -target)
        limit = best_distance if best >= 0 and rank > best_rank else best_distance - 1
        if limit < least:
            continue
        # Only words first to last - 1 change: rows before are known, and the rest of the way
        # from any cell of row ``last`` is, too.
        first, last = _shift(words, start, length, target, shifted)
        _fill(shifted, reference, first, last, forward, cells, trial)
        found = _FAR
        if first < last:
            here, there = forward[2][last], backward[2][n - last] + m
            for j in range(forward[0][last], forward[1][last]):
                found = min(found, trial[here + j] + rest[there - j])
        if found <= limit:
            best, best_distance, best_rank = k, found, rank
    return best


@compiled
def _edit(hypothesis, reference, least, shifts):
    """Count insertions, deletions, substitutions, shifts; ``least``: a bound of the distance."""
    # No shift can bring the edit distance below ``least``; ``shifts`` is room for them.
    n, m = len(hypothesis), len(reference)
    words, shifted = hypothesis.copy(), np.empty_like(hypothesis)
    low, high = _beam(n, m)
    forward, cells = _matrix(low, high)
    trial = cells.copy()
    backward, rest = _matrix(m + 1 - high[::-1], m + 1 - low[::-1])
    backward_reference = reference[::-1].copy()
    hypothesis_wrong, reference_wrong = np.empty(n, dtype=np.bool_), np.empty(m, dtype=np.bool_)
    aligned = np.empty(m, dtype=np.int64)
    n_done = n_tried = 0
    first, last = 0, n  # what changed since the matrices were filled
    while True:
        _fill(words, reference, first, n, forward, cells, cells)
        wrong = hypothesis_wrong, reference_wrong, aligned
        counts = _trace(words, reference, forward[2], cells, *wrong)
        if counts[0] + counts[1] + counts[2] <= least:
            break
        n_shifts = _find_shifts(words, reference, *wrong, _MOST_SHIFTS - n_tried, shifts)
        n_tried += n_shifts
        if n_shifts == 0 or n_tried >= _MOST_SHIFTS:  # sacreBLEU then does none of them
            break
        _fill(words[::-1].copy(), backward_reference, n - last, n - 1, backward, rest, rest)
        best = _best_shift(
            words, shifted, reference, shifts[:n_shifts], least,
            forward, cells, trial, backward, rest,
        )  # fmt: skip
        if best < 0:
            break
        start, length, target = shifts[best]
        first, last = _shift(words, start, length, target, shifted)
        words[first:last] = shifted[first:last]
        n_done += 1
    return counts[0], counts[1], counts[2], n_done


@compiled
def _count_common(hypothesis, reference, left):
    """Count the words that both have; ``left`` holds a 0 for each word, again afterwards."""
    n_common = 0
    for word in reference:
        left[word] += 1
    for word in hypothesis:
        n_common += left[word] > 0
        left[word] -= left[word] > 0
    for word in reference:
        left[word] = 0
    return n_common


@compiled
def count_edits(hypotheses, hyp_bounds, references, ref_bounds, pairs, set_bounds, n_words):
    """Count insertions, deletions, substitutions and shifts to the reference that needs fewest
    edits, (n_hypotheses, 4); token ids are below ``n_words``.
    """
    counts = np.zeros((len(pairs), 4), dtype=np.int64)
    shifts = np.empty((_MOST_SHIFTS + _LONGEST_SHIFT + 1, 3), dtype=np.int64)
    left = np.zeros(n_words, dtype=np.int64)
    for row in range(len(pairs)):
        hypothesis = hypotheses[hyp_bounds[row] : hyp_bounds[row + 1]]
        fewest = -1
        for r in range(set_bounds[pairs[row]], set_bounds[pairs[row] + 1]):
            reference = references[ref_bounds[r] : ref_bounds[r + 1]]
            n_common = _count_common(hypothesis, reference, left)
            least = max(len(hypothesis), len(reference)) - n_common
            found = _edit(hypothesis, reference, least, shifts)
            if fewest < 0 or sum(found) < fewest:
                fewest = sum(found)
                counts[row] = found
    return counts
