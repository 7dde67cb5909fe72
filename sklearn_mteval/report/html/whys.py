"""Why a model prefers one translation of a segment to another, for any two of them, compactly."""

import warnings
from functools import partial
from itertools import pairwise

import numpy as np

from sklearn_mteval.candidates import segment_codes
from sklearn_mteval.models.explanations.all_pairs import values_in_segments
from sklearn_mteval.models.explanations.families import is_of_wording


def whys_of(pairs, X):
    """Return by segment what makes of its entry a plain dict of what its decisions are made of.

    ``pairs`` are PairValues of the rows of ``X``, None where nothing is known. A dict has ``of``,
    of each translation the number of its text, -1 for none, and ``pairs``, what each family adds to
    the decision for the first text of each pair, in 0.01: "0,12;-3,5" has two families of two
    pairs. Pairs are those of texts 0 and 1, 0 and 2, …, 1 and 2, …; one of which nothing is known
    is empty.
    """
    if pairs is None:
        return {}
    codes = segment_codes(X)
    rows = np.flatnonzero(pairs.text >= 0)
    segment_of = np.zeros(pairs.text.max(initial=-1) + 1, dtype=np.int64)
    segment_of[pairs.text[rows]] = codes[rows]
    of_pairs = segment_of[pairs.first]
    bounds = np.flatnonzero(np.diff(of_pairs, prepend=-1, append=-1))
    segments, texts = X.index.unique("segment"), {}
    systems = X.index.get_level_values("system")
    for row in rows.tolist():
        texts.setdefault(codes[row], {})[str(systems[row])] = pairs.text[row].item()
    return {
        segments[of_pairs[start]]: partial(
            _why, texts[of_pairs[start]], pairs.first[start].item(), _written(pairs, start, end)
        )
        for start, end in pairwise(bounds)
    }


def _why(texts, first, written, entry):
    """Make the dict of a segment."""
    of = [texts.get(one["system"], first - 1) - first for one in entry["translations"]]
    return {"of": of, "pairs": written}


def _written(pairs, start, end):
    """Write the values of some pairs."""
    rows = pairs.values[start:end].tolist()
    if not pairs.told[start:end].all():
        rows = [row if told else [] for row, told in zip(rows, pairs.told[start:end], strict=True)]
    return str(rows)[2:-2].replace("], [", ";").replace(" ", "")


def families_of_pairs(pairs):
    """Return what a page says once of all decisions: names of families, and which tell likeness of
    wording only; whether decisions are log-odds. Nothing of None.
    """
    if pairs is None:
        return {}
    families = [[name, is_of_wording(name)] for name in pairs.families]
    return {"families": families, "log_odds": pairs.log_odds}


def whys_of_some(model, X, interest):
    """Explain a model in the segments of the largest interest, as :func:`values_in_segments` does.

    Returns PairValues of the rows of X, None where there are none, and notes on what is left out.
    """
    segments = X.index.get_level_values("segment")
    wanted = interest.sort_values(ascending=False, kind="stable").index
    sizes = segments.value_counts()
    several = [name for name in (wanted if len(wanted) else sizes.index) if sizes[name] > 1]
    with warnings.catch_warnings(action="ignore"):  # what there is to warn of was said of them all
        try:
            pairs = values_in_segments(model, X, several)
        except (TypeError, ValueError):  # what cannot be explained is the model
            return None, []
    n_told = 0 if pairs is None else segments[pairs.text >= 0].nunique()
    note = (
        f"Why the model prefers a translation is told in {n_told:,} of the segments, those of the "
        "largest interest."
    )
    return pairs, [note] * (0 < n_told < len(several))
