"""What a page knows of each two systems: the same numbers as ``duel`` prints of them."""

import math
from itertools import combinations

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models.duels import Duels
from sklearn_mteval.report.duel import ALPHA, OF_ALL, histogram
from sklearn_mteval.report.short_names import short_names
from sklearn_mteval.report.summaries.phrases import name_of

_MOST = 20  # systems, the best: they are 190 pairs


def duels_for(found, X, systems, *, pairs=None, confidence=0.95, documents=None, whole=True):
    """Make what a page takes of ranks or scores of the rows of X; None of fewer than two systems.

    Keys: ``systems``, the best first, with short ``names``; ``pairs``, each with its places,
    ``all`` (difference, low, high, p), ``counts`` (first better, equal, second better, identical),
    ``histogram`` (width, counts), ``kinds`` (segments, difference, low, high, p, adds of each); the
    names of these are ``kinds``; and ``notes``. Differences of all and their p are those of
    ``pairs``; a page of two systems without them is ``told`` to be of one duel, and has its numbers
    already.
    """
    there = set(X.index.unique("system"))
    systems = [name for name in systems if name in there][:_MOST]
    if len(systems) < 2:
        return None
    duels = Duels(found, X, systems, documents=documents, confidence=confidence)
    if pairs is not None:
        place = {name: k for k, name in enumerate(pairs.systems)}
        of_all = [getattr(pairs, name) for name in ("differences", "low", "high", "p_values")]
    compared, kinds = [], []
    for (one, first), (two, second) in combinations(enumerate(systems), 2):
        try:
            duel = duels.of(first, second)
        except CandidateError:  # no segment has both
            continue
        values = [getattr(duel, name) for name in OF_ALL]
        if pairs is not None:
            values = [array[place[first], place[second]] for array in of_all]
        kinds = [kind for _, kind in duel.themes.index]
        columns = ["segments", "difference", "low", "high", "p_value", "adds"]
        compared.append({
            "places": [one, two],
            "all": _numbers(values),
            "counts": [duel.counts[name] for name in ("better", "equal", "worse", "identical")],
            "histogram": list(histogram(duel.segments["difference"].to_numpy())),
            "kinds": [_numbers(row) for row in duel.themes[columns].to_numpy(dtype=float)],
        })  # fmt: skip
    return {
        "systems": list(map(str, systems)), "names": list(map(name_of, short_names(systems))),
        "pairs": compared, "kinds": kinds, "alpha": ALPHA,
        "by_rank": duels.by_rank, "told": pairs is None and len(there) == 2,
        "notes": _notes(len(kinds), len(there), pairs, documents, len(X), whole),
    }  # fmt: skip


def _numbers(values):
    """Return numbers as JSON has them, with more digits than a page shows."""
    return [None if math.isnan(value) else float(f"{value:.12g}") for value in values]


def _notes(n_kinds, n_systems, pairs, documents, n_rows, whole):
    """Say what is tested, and what is corrected for what."""
    notes = []
    if pairs is not None and len(pairs.systems) > 2:
        n = len(pairs.systems) * (len(pairs.systems) - 1) // 2
        notes.append(f"The p of all segments is corrected for {n:,} pairs of systems.")
    if pairs is None and n_systems > 2:
        notes.append("The p of all segments is not corrected for the number of systems.")
    if n_kinds:
        notes.append(
            f"The p of a kind of segments is corrected for {n_kinds} kinds: among many kinds one "
            "seems to differ by chance. “Adds” is what the segments of a kind add to the "
            "difference of all; within a theme it adds up."
        )
    units = "segment" if documents is None else "document"
    notes.append(f"Intervals and tests are Student's, of paired differences by {units}.")
    if n_systems > _MOST:
        notes.append(f"Of {n_systems} systems the best {_MOST} can be chosen.")
    if not whole:
        notes.append(f"Counts and kinds are those of the first {n_rows:,} translations.")
    return notes
