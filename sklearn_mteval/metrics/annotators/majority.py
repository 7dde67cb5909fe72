"""What a model reaches that sides with the majority of infinitely many annotators.

An annotator prefers the first of two translations with a probability p of the pair's own, whose
spread the beta-binomial likelihood of pairs judged several times tells, though no single p.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import beta

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.annotators import judged_pairs
from sklearn_mteval.metrics.core.correlations import add_up
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.core.units import Bootstrap

PREFERENCE_STATISTICS = ("wmt12", "wmt14")  # human ties, of which p says nothing, are dropped
_GRID = np.linspace(0, 1, 1001)


class AnnotatorCeiling(NamedTuple):
    """What the best model can be expected to reach, and what one annotator does."""

    # Expected tau of a model that always sides with the majority of infinitely many annotators
    ceiling: float
    # low, high: bounds of its interval; NaN for one segment
    low: float
    high: float
    # Expected tau of one annotator against another, on translations that differ: 1 / (2a + 1)
    annotator: float
    # annotator_low, annotator_high: bounds of its interval
    annotator_low: float
    annotator_high: float
    # Observed, in [0, 1]: of two annotators' preferences between the same two translations, the
    # proportion that is the same. Tau of these would be 2 agreed - 1
    agreed: float
    # agreed_low, agreed_high: bounds of its interval
    agreed_low: float
    agreed_high: float
    # Of the distribution Beta(a, a) of p: 0 where annotators never disagree, infinite where they
    # toss a coin
    a: float
    n_pairs: int  # pairs of translations about which two annotators or more had a preference
    n_judgements: int  # their preferences
    # lowest, highest: between them lies the ceiling, however p is distributed, given one
    # annotator's tau r against another: from r, where every p is 0, 1/2 or 1, to the root of r
    lowest: float
    highest: float


def annotator_ceiling(
    y: pd.Series, *, annotators: ArrayLike | None = None, texts: ArrayLike | None = None,
    statistic: str = "wmt12", confidence: float = 0.95, n_resamples: int = 1000,
    random_state: Seed = 0
) -> AnnotatorCeiling:  # fmt: skip
    """Estimate tau of a model that always sides with the majority of infinitely many annotators.

    For each two translations the probability p that an annotator prefers the first is taken to be
    drawn from Beta(a, a), of the likeliest a for pairs judged more than once. The ceiling
    is the mean of 2 max(p, 1 - p) - 1, which is Γ(a + 1/2) / (√π Γ(a + 1)), and one annotator's tau
    against another the mean of (2p - 1)², which is 1 / (2a + 1). Preferences between equal
    ``texts`` count as the statistic has it.

    An annotator's repeated judgements of a pair count once, as what most of them say. Ties do not
    count: both statistics drop them.

    Parameters
    ----------
    y, texts : see :func:`annotator_agreement`
        Ranks, lower is better, and translations.
    annotators : array-like of length n_rows, optional
        Who ranked each row (``load_wmt(…).judges``). None takes each ranking task as that of
        another annotator: annotators agree with themselves more than with others, so that the
        ceiling is too high where one annotator had a segment twice.
    statistic : {"wmt12", "wmt14"}, default="wmt12"
        Of :func:`kendall_tau`, pooled over pairs; they differ in equal texts only.
    confidence, n_resamples, random_state : see :func:`agreement_interval`
        Of the intervals.

    Returns
    -------
    AnnotatorCeiling
        All values but ``a`` and counts are at most 1, higher is better.

    Raises
    ------
    CandidateError
        If no two annotators had a preference between the same two translations, and as
        :func:`annotator_agreement`.

    Notes
    -----
    Pairs that were judged more than once are taken to be like the others. Of other distributions
    than Beta the mean of ``|2p - 1|`` may be anything from that of its square, r, to the root of r
    (Jensen): these are ``lowest`` and ``highest``.

    References
    ----------
    Skellam 1948.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.metrics import annotator_ceiling
    >>> index = pd.MultiIndex.from_product(
    ...     [range(40), ["r1", "r2"], ["A", "B"]], names=["segment", "ranking", "system"])
    >>> y = pd.Series([1, 2, 1, 2] * 30 + [1, 2, 2, 1] * 10, index=index)
    >>> found = annotator_ceiling(y)
    >>> found.agreed, round(found.annotator, 3), round(found.ceiling, 3)
    (0.75, 0.5, 0.637)
    """
    found = ceiling_if_repeated(
        y, annotators=annotators, texts=texts, statistic=statistic, confidence=confidence,
        n_resamples=n_resamples, random_state=random_state,
    )  # fmt: skip
    if found is None:
        who = "ranking tasks" if annotators is None else "annotators"
        raise CandidateError(
            f"Expected translations of a segment between which two {who} have a preference, found "
            "none: how far annotators agree cannot be told from pairs that were judged once. Pass "
            "judgements, not their means, of several annotators."
        )
    return found


def ceiling_if_repeated(y, *, annotators, texts, statistic, **drawn):
    """Estimate the ceiling as :func:`annotator_ceiling` does; None where nothing was repeated."""
    check_one_of("statistic", statistic, PREFERENCE_STATISTICS)
    bootstrap = Bootstrap(**drawn)
    sums, n_pairs, n_judgements = _sums_of_segments(y, annotators, texts)
    if not n_pairs:
        return None
    tied = STATISTICS[statistic].numerator[2]  # what a metric's tie of equal texts adds

    def of_differing(sums, value):
        same = ratio(sums[..., 0], sums[..., 1])
        return (1 - same) * value + same * tied

    def ceiling(sums, rho=None):
        rho = _intraclass(sums[..., 4:]) if rho is None else rho
        # The derivative of (p (1 - p))^a is a multiple of the density times 1 - 2p: the mean of
        # 2 max(p, 1 - p) - 1 is 2 4^-a / (a B(a, a)), that is B(a + 1/2, 1/2) / pi (duplication).
        with np.errstate(divide="ignore"):
            a = (1 - rho) / (2 * np.asarray(rho))  # infinite at 0, where the mean is 0
        return of_differing(sums, beta(a + 0.5, 0.5) / np.pi)

    total = sums.sum(axis=0)

    def agreed(sums):
        return ratio(sums[..., 2], sums[..., 3])

    functions = (ceiling, lambda sums: _intraclass(sums[..., 4:]), agreed)
    bounds = bootstrap.intervals_of_sums(functions, sums)
    rho = _polished(total[4:])
    values = (ceiling(total, rho), rho, agreed(total))
    a = (1 - rho) / (2 * rho) if rho else np.inf
    estimated = (float(x) for v, ends in zip(values, bounds, strict=True) for x in (v, *ends))
    ends = (float(of_differing(total, end)) for end in (rho, np.sqrt(rho)))
    return AnnotatorCeiling(*estimated, float(a), n_pairs, n_judgements, *ends)


def _sums_of_segments(y, annotators, texts):
    """Sum what estimates need, (n_segments, 4 + 2 m); pairs judged twice, and their judgements."""
    ranked = judged_pairs.rankings(y, texts)
    n_segments = ranked.segments.max(initial=-1) + 1
    annotators = (
        None if annotators is None else judged_pairs.annotators_of_rows(annotators, y, ranked)
    )
    first, second, _, outcomes = judged_pairs.outcomes_of_cells(ranked)
    decided = outcomes != judged_pairs.TIED
    same = decided & (ranked.items[first] == ranked.items[second])
    said = add_up(np.column_stack([same, decided]), ranked.segments[first], n_segments)

    once = judged_pairs.one_row_each(ranked)
    first, second, cells, outcomes = judged_pairs.outcomes_of_cells(once)
    counts = (once.items[first] != once.items[second]) & (outcomes != judged_pairs.TIED)
    first, cells, outcomes = first[counts], cells[counts], outcomes[counts]
    # One preference of each annotator of each pair: of opposite ones what most of them say.
    who = (once.tasks if annotators is None else annotators[once.rows])[first]
    keys, by = np.unique(np.column_stack([cells, who]), axis=0, return_inverse=True)
    by = by.reshape(-1)
    net = np.bincount(
        by, weights=np.where(outcomes == judged_pairs.BETTER, 1, -1), minlength=len(keys)
    )
    n_cells = cells.max(initial=-1) + 1
    ahead, behind = (np.bincount(keys[side, 0], minlength=n_cells) for side in (net > 0, net < 0))
    segments = np.zeros(n_cells, dtype=np.int64)
    segments[cells] = once.segments[first]
    n = ahead + behind
    judged = n >= 2
    ahead, behind, n, segments = ahead[judged], behind[judged], n[judged], segments[judged]
    above = np.arange(n.max(initial=0))
    terms = np.column_stack([
        ahead * (ahead - 1) + behind * (behind - 1),
        n * (n - 1),
        (ahead[:, None] > above).astype(np.int64) + (behind[:, None] > above),
        n[:, None] > above,
    ])  # fmt: skip
    return np.hstack([said, add_up(terms, segments, n_segments)]), len(n), int(n.sum())


def _log_likelihood(counts, rho):
    """Compute log-likelihoods (..., n_rho) of counts (..., 2 m) at rho = 1 / (2a + 1)."""
    # B(k + a, n - k + a) / B(a, a) is a product of (1 - rho + 2 i rho), i below k and below n - k,
    # over one of (1 - rho + i rho), i below n: finite at both ends, unlike in a.
    i = np.arange(counts.shape[-1] // 2)[:, None]
    with np.errstate(divide="ignore"):
        # At 1, i = 0 is log 0: finite, so that where it cancels (no disagreement) it is 0.
        above, below = (np.maximum(np.log(1 - rho + f * i * rho), -1e4) for f in (2, 1))
    return counts @ np.vstack([above, -below])


def _intraclass(counts):
    """Maximise the likelihood of each of counts (n, 2 m): rho (n,), NaN where nothing repeated."""
    values = _log_likelihood(counts, _GRID)
    best = values.argmax(axis=-1)
    inner = np.clip(best, 1, len(_GRID) - 2)
    left, middle, right = (
        np.take_along_axis(values, (inner + k)[..., None], axis=-1)[..., 0] for k in (-1, 0, 1)
    )
    # The top of the parabola through the three highest points of the grid.
    bend = left - 2 * middle + right
    step = np.divide(left - right, 2 * bend, where=bend < 0, out=np.zeros_like(bend))
    step = np.where(inner == best, np.clip(step, -0.5, 0.5), 0)
    found = _GRID[best] + step * _GRID[1]
    return np.where(counts[..., counts.shape[-1] // 2] > 0, found, np.nan)


def _polished(counts):
    """Maximise the likelihood of counts (2 m,): rho to some ten digits."""
    best = _GRID[_log_likelihood(counts, _GRID).argmax()]
    bounds = max(best - _GRID[1], 0), min(best + _GRID[1], 1)

    def loss(rho):
        return -_log_likelihood(counts, np.array([rho]))[0]

    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-11})
    return float(found.x if found.fun < loss(best) else best)
