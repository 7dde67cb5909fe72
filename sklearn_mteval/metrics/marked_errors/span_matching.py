"""Which errors of two annotations of one translation are the same, and for how much each counts.

Match with partial overlap and partial credit (MPP; Perrella, Morales Agostinho and Zaragoza 2026),
and shared characters, as the shared tasks of quality estimation count them (Blain et al. 2023).
"""

from bisect import bisect_left
from collections import Counter
from itertools import pairwise

import numpy as np
from scipy.optimize import linear_sum_assignment

from sklearn_mteval._helpers.error_spans import OMISSION
from sklearn_mteval.metrics.core.ratios import ratio

_OPEN = 4096  # partial matchings that are followed at once


def f_of(precision, recall):
    """Return the harmonic mean, 0 of two zeros."""
    return ratio(2 * np.multiply(precision, recall), np.add(precision, recall), 0.0)


def matched_spans(true, predicted, credit):
    """Match spans one to one for the highest F; return the credit of predicted ones, their number,
    the same of true ones: the proportion of characters shared, times ``credit`` where severities
    differ.
    """
    omitted = _matched_omissions(true, predicted, credit)
    pairs = _pairs(
        *([span for span in spans if span.place != OMISSION] for spans in (predicted, true)), credit
    )
    sizes = len(predicted), len(true)
    earned = _best(pairs, omitted, sizes) if pairs else (omitted, omitted)
    return earned[0], sizes[0], earned[1], sizes[1]


def matched_characters(true, predicted, credit):
    """Compare characters: credit of predicted, their number, the same of true."""
    both = [[(s.place, s.start, _end(s), s.severity) for s in spans] for spans in (predicted, true)]
    # Whatever their length, spans are few pieces between the places where any begins or ends.
    edges = sorted({edge for spans in both for _, start, end, _ in spans for edge in (start, end)})
    end_of = dict(pairwise(edges))
    found = [
        Counter(
            (place, k, severity)
            for place, start, end, severity in spans
            for k in edges[bisect_left(edges, start) : bisect_left(edges, end)]
        )
        for spans in both
    ]
    shared = found[0] & found[1]  # the same character with the same severity
    rest = [Counter(), Counter()]
    for counts, left in zip(found, rest, strict=True):
        for (place, k, _), n in (counts - shared).items():
            left[place, k] += n

    def characters(counts):
        return sum(n * (end_of[key[1]] - key[1]) for key, n in counts.items())

    earned = characters(shared) + credit * characters(rest[0] & rest[1])
    return earned, characters(found[0]), earned, characters(found[1])


def _end(span):
    """Return where a span ends; an omission is one character."""
    return max(span.end, span.start + 1)


MEASURES = {"mpp": matched_spans, "characters": matched_characters}


def _matched_omissions(true, predicted, credit):
    """Return the credit of omissions, which differ in severity only."""
    found = [
        Counter(span.severity for span in spans if span.place == OMISSION)
        for spans in (predicted, true)
    ]
    same = (found[0] & found[1]).total()
    return same + credit * (min(found[0].total(), found[1].total()) - same)


def _pairs(predicted, true, credit):
    """List, for each predicted span that shares characters, {number of a true one: two credits}."""
    predicted, true = sorted(predicted), sorted(true)
    found = []
    for one in predicted:
        shared = {}
        for k, other in enumerate(true):
            overlap = min(one.end, other.end) - max(one.start, other.start)
            reward = 1.0 if one.severity == other.severity else credit
            if one.place == other.place and overlap > 0 and reward > 0:
                sizes = one.end - one.start, other.end - other.start
                shared[k] = tuple(reward * overlap / size for size in sizes)
        if shared:
            found.append(shared)
    return found


def _best(pairs, omitted, sizes):
    """Return the credits of the matching with the highest F."""
    # F grows with both credits: a partial matching may be dropped if another one that leaves the
    # same spans open, those that later ones share, has no less of either.
    later, seen = [], 0
    for shared in reversed(pairs):
        later.append(seen)
        for k in shared:
            seen |= 1 << k
    fronts = {0: [(omitted, omitted)]}
    for shared, open_ in zip(pairs, reversed(later), strict=True):
        fronts = _grown(fronts, shared, open_)
        if sum(map(len, fronts.values())) > _OPEN:
            return _assigned(pairs, omitted, sizes)
    credits = np.array([pair for front in fronts.values() for pair in front])
    precision, recall = credits[:, 0] / sizes[0], credits[:, 1] / sizes[1]
    order = np.lexsort((precision, precision + recall, np.round(f_of(precision, recall), 12)))
    return tuple(map(float, credits[order[-1]]))


def _grown(fronts, shared, open_):
    """Match one more predicted span with each span that it may, or none; ``open_`` stays told."""
    grown = {}
    for used, front in fronts.items():
        for k, (one, other) in [(None, (0.0, 0.0)), *shared.items()]:
            taken = 0 if k is None else 1 << k
            if not used & taken:
                key = (used | taken) & open_
                grown.setdefault(key, []).extend((a + one, b + other) for a, b in front)
    return {key: _undominated(front) for key, front in grown.items()}


def _undominated(front):
    """Return the pairs of which no other one has as much of both."""
    kept = []
    for pair in sorted(front, reverse=True):
        if not kept or pair[1] > kept[-1][1]:
            kept.append(pair)
    return kept


def _assigned(pairs, omitted, sizes):
    """Return the credits of the matching with the highest precision + recall."""
    scores = np.zeros((len(pairs), 1 + max(max(shared) for shared in pairs)))
    for row, shared in enumerate(pairs):
        for k, (one, other) in shared.items():
            scores[row, k] = one / sizes[0] + other / sizes[1]
    matched = zip(*linear_sum_assignment(scores, maximize=True), strict=True)
    earned = [pairs[row][int(k)] for row, k in matched if int(k) in pairs[row]]
    return tuple(omitted + float(sum(column)) for column in zip(*earned, strict=True))
