"""How unlike each other the translations of a segment are (Zouhar et al. 2025, section 3.2)."""

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.base import clone

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.candidates import check_candidates, check_texts
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.overlap.registry import METRICS


def diversity_of(translations, similarity, segments):
    """Return minus the mean similarity of two translations of each of ``segments``, 0 of one.

    ``similarity`` is "unigram", 2 |A ∩ B| / (|A| + |B|) of words parted by white space, 1 against
    an empty text; "chrf", each as the other's reference; or the product of a transformer's vectors.
    """
    if translations is None:
        raise ValueError("method='diversity' reads the translations: give translations=X.")
    check_candidates(translations, columns=("hypothesis",))
    codes = segments.get_indexer(translations.index.get_level_values("segment"))
    counts = np.bincount(codes[codes >= 0], minlength=len(segments))
    if not counts.all():
        missing = segments[counts == 0].tolist()[0]
        raise CandidateError(f"translations has no row of segment {missing!r}.")
    translations, codes = translations[codes >= 0], codes[codes >= 0]
    if hasattr(similarity, "transform"):
        sums = _by_vectors(translations, codes, counts, similarity)
    else:
        check_one_of("similarity", similarity, SIMILARITIES)
        texts = check_texts(translations, "hypothesis")
        sums = np.zeros(len(segments))
        for code, found in pd.Series(texts, dtype=object).groupby(codes):
            sums[code] = SIMILARITIES[similarity](found.tolist())
    return -sums / np.maximum(counts * (counts - 1) / 2, 1)


def _by_vectors(translations, codes, counts, transformer):
    """Add up the dot products of all pairs: the square of a sum has each twice, and squares."""
    transformer = clone(transformer)
    vectors = np.asarray(transformer.fit_transform(translations[["hypothesis"]]), dtype=float)
    totals = np.zeros((len(counts), vectors.shape[1]))
    np.add.at(totals, codes, vectors)
    squares = np.bincount(codes, (vectors**2).sum(axis=1), minlength=len(counts))
    return ((totals**2).sum(axis=1) - squares) / 2


def _unigram(texts):
    """Add up the F scores of words over pairs of texts."""
    total, bags = 0.0, [Counter(text.split()) for text in sorted(texts)]
    for one, other in combinations(bags, 2):
        n = one.total() + other.total()
        total += 2 * (one & other).total() / n if one and other else 1.0
    return total


def _chrf(texts):
    """Add up, over pairs of texts, the mean chrF of one with the other as its reference."""
    metric, texts = METRICS["chrf"], sorted(texts)
    sets = [((text,), texts[:k] + texts[k + 1 :]) for k, text in enumerate(texts)]
    return float(metric.scores(sets, **metric.prepare([], {})).sum()) / 2


SIMILARITIES = {"unigram": _unigram, "chrf": _chrf}
