"""Translations that are surely worse: what annotators who read them see."""

import pandas as pd

from sklearn_mteval.datasets import corrupt
from sklearn_mteval.evaluation.annotation.following import first_rows, first_texts

# What nobody who reads both takes for as good as the sound text.
KINDS = ("other_segment", "dropped_third", "halves_swapped", "shuffled")
_FEWEST_WORDS = 6


def check_pairs(X, n_pairs, rng):
    """Draw sound translations and corruptions of them, of different segments as far as there are.

    The sound one is the reference, where there are any. Returns a table of ``n_pairs`` rows, or of
    fewer, indexed by segment: ``sound``, ``corrupted``, ``kind``.
    """
    first = first_rows(X)
    if "reference" in X:
        first = first.assign(hypothesis=list(first_texts(X, "reference").values()))
    long = first["hypothesis"].str.split().map(len) >= _FEWEST_WORDS
    first = first[long.to_numpy()] if long.any() else first
    first = first.iloc[rng.permutation(len(first))]
    seed = int(rng.randint(2**31 - 1))
    made = corrupt(first, KINDS, random_state=seed) if len(first) else first[:0]
    rows = []
    for k, segment in enumerate(first.index.get_level_values("segment")):
        if len(rows) == n_pairs:
            break
        try:
            there = made.xs(segment, level="segment")
        except KeyError:  # nothing of it can be corrupted
            continue
        kinds = there.index.get_level_values("corruption")
        wanted = next(kind for kind in KINDS[k % len(KINDS) :] + KINDS if kind in kinds)
        corrupted = there["hypothesis"].to_numpy()[list(kinds).index(wanted)]
        rows.append((segment, first["hypothesis"].iloc[k], corrupted, wanted))
    columns = ["segment", "sound", "corrupted", "kind"]
    return pd.DataFrame(rows, columns=columns).set_index("segment")
