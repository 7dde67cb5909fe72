"""Inter- and intra-annotator agreement of rankings, as the WMT campaigns report it."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.metrics.annotators import judged_pairs
from sklearn_mteval.metrics.core.aligned import warn_undefined
from sklearn_mteval.metrics.core.correlations import add_up
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.units import Bootstrap


class AnnotatorAgreement(NamedTuple):
    """How often annotators agree, and what that is worth."""

    kappa: float  # (agreed - expected) / (1 - expected), at most 1; 0 is chance, higher is better
    agreed: float  # P(A) in [0, 1]: the proportion of compared judgements that say the same
    expected: float  # P(E) in [1/3, 1]: the proportion that would by chance
    n_comparisons: int  # pairs of judgements of the same two systems on the same segment
    # low, high: bounds of the interval of kappa; NaN for one segment
    low: float
    high: float


def annotator_agreement(
    y: pd.Series, annotators: ArrayLike, *, kind: str = "inter", texts: ArrayLike | None = None,
    confidence: float = 0.95, n_resamples: int = 1000, random_state: Seed = 0
) -> AnnotatorAgreement:  # fmt: skip
    """Compute Cohen's kappa of pairwise judgements, by WMT's definition.

    A judgement is what one ranking task says of two systems on one segment: the first is better,
    they are equal, or the second is better. Compared are all pairs of judgements of the same two
    systems on the same segment, by different annotators ("inter") or by the same annotator in
    different ranking tasks ("intra"). Chance is P(E) = P(A > B)² + P(A = B)² + P(A < B)²;
    P(A = B) is the proportion of ties among all judgements, the other two halve the rest.

    Parameters
    ----------
    y : Series of length n_rows
        Ranks, lower is better, indexed by (segment, ranking, system), as ``load_wmt`` returns
        them. One language pair at a time, for segments are told apart by their label.
    annotators : array-like of length n_rows
        Who ranked each row (``load_wmt(…).judges``); one for each ranking task. A Series has the
        index of y.
    kind : {"inter", "intra"}, default="inter"
        Agreement between annotators, or of annotators with themselves.
    texts : array-like of length n_rows, optional
        The translations (``X["hypothesis"]``), for files that give the rank of a translation to
        every system with that output (WMT15 and 16): systems with equal translations are then one.
    confidence, n_resamples, random_state : see :func:`agreement_interval`
        Of the interval of kappa.

    Returns
    -------
    AnnotatorAgreement
        Statistics are NaN, with a warning, if no pair of systems was judged twice, or all tie.

    Raises
    ------
    CandidateError
        If y is no such Series, lengths or indices differ, annotators are missing, or a ranking
        task has two.

    References
    ----------
    Callison-Burch et al. 2012, section 3.2; Bojar et al. 2013, section 3.2; Cohen 1960.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.metrics import annotator_agreement
    >>> index = pd.MultiIndex.from_product(
    ...     [[1, 2], ["r1", "r2"], ["A", "B"]], names=["segment", "ranking", "system"])
    >>> y = pd.Series([1, 2, 1, 2, 1, 1, 2, 1], index=index)
    >>> annotator_agreement(y, list("aabbaabb"))[:4]
    (0.23809523809523808, 0.5, 0.34375, 2)
    """
    bootstrap = Bootstrap(confidence, n_resamples, random_state)
    check_one_of("kind", kind, ("inter", "intra"))
    ranked = judged_pairs.rankings(y, texts)
    annotators = judged_pairs.annotators_of_rows(annotators, y, ranked)
    ranked = judged_pairs.one_row_each(ranked)
    annotators = annotators[ranked.rows]
    first, second, cells, outcomes = judged_pairs.outcomes_of_cells(ranked)
    apart = ranked.items[first] != ranked.items[second]
    first, cells, outcomes = first[apart], cells[apart], outcomes[apart]
    n_segments = ranked.segments.max(initial=-1) + 1
    # All pairs of judgements of a cell, less those by one annotator, are by two.
    by_annotator = cells * (annotators.max(initial=0) + 1) + annotators[first]
    by_annotator = np.unique(by_annotator, return_inverse=True)[1]
    segments = ranked.segments[first]
    compared = _compared(by_annotator, outcomes, segments, n_segments)
    if kind == "inter":
        compared = _compared(cells, outcomes, segments, n_segments) - compared
    judged = np.column_stack([outcomes == judged_pairs.TIED, np.ones(len(outcomes))])
    sums = np.column_stack([compared, add_up(judged, segments, n_segments)])
    kappa, agreed, expected = (float(value) for value in _kappa(sums.sum(axis=0)))
    if np.isnan(kappa):
        reason = "no two systems were judged twice, or all judgements tie"
        warn_undefined(f"The {kind}-annotator kappa", reason)
    low, high = bootstrap.intervals_of_sums([lambda sums: _kappa(sums)[0]], sums)[0].tolist()
    return AnnotatorAgreement(kappa, agreed, expected, int(sums[:, 1].sum()), low, high)


def _compared(cells, outcomes, segments, n_segments):
    """Count for each segment the pairs of judgements within cells: agreeing ones, and all."""
    n_cells = cells.max(initial=-1) + 1
    counts = np.bincount(3 * cells + outcomes, minlength=3 * n_cells).reshape(-1, 3)
    total = counts.sum(axis=1)
    # n (n - 1) / 2 pairs of n judgements: of those that say the same, and of all.
    pairs = np.column_stack([(counts * (counts - 1) // 2).sum(axis=1), total * (total - 1) // 2])
    segment = np.zeros(n_cells, dtype=np.int64)
    segment[cells] = segments
    return add_up(pairs, segment, n_segments)


def _kappa(sums):
    """Compute kappa, P(A) and P(E) from agreeing, compared, tied and all judgements."""
    agreeing, compared, tied, judged = np.moveaxis(sums, -1, 0)
    agreed, ties = ratio(agreeing, compared), ratio(tied, judged)
    expected = ties**2 + (1 - ties) ** 2 / 2  # at least 1/3, and 1 only if all judgements tie
    return ratio(agreed - expected, np.where(tied < judged, 1 - expected, 0)), agreed, expected
