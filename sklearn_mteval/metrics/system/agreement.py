"""System level: how well a metric's scores of systems agree with people's.

On this level both sides are higher-is-better: change the sign of ranks and MQM penalties.
"""

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.correlations import near_one
from sklearn_mteval.metrics.core.judgements import as_numbers, warn_undefined
from sklearn_mteval.metrics.system.score_tables import means_of_weights

__all__ = [
    "SYSTEM_STATISTICS",
    "system_agreement",
    "system_figure_of_scores",
    "system_figure_of_weights",
]

SYSTEM_STATISTICS = ("accuracy", "pearson", "spearman", "kendall")
_ROUNDING = 1e-12  # means that differ by less than this share of the largest are equal


def system_agreement(human, metric, *, statistic="accuracy"):
    """Compute how well a metric's system scores agree with the human ones.

    Parameters
    ----------
    human, metric : Series or dict of system to score
        Both higher is better, for the same systems in any order.
    statistic : {"accuracy", "pearson", "spearman", "kendall"}, default="accuracy"
        "accuracy" is the share of pairs of systems that both order alike. Pairs that the human
        scores tie are left out; a pair that only the metric ties is wrong. "kendall" is tau-b.

    Returns
    -------
    float
        Higher is better. Accuracy in [0, 1], correlations in [-1, 1]; NaN, with a warning, if
        it is undefined (one system, constant scores).

    Raises
    ------
    CandidateError
        For different systems, a system that is named twice, scores that are not finite.

    References
    ----------
    Kocmi et al. 2021, "To Ship or Not to Ship", section 3 (accuracy).

    Examples
    --------
    >>> from sklearn_mteval.metrics import system_agreement
    >>> system_agreement({"a": 3, "b": 2, "c": 1}, {"c": 5, "a": 7, "b": 2})
    0.6666666666666666
    """
    check_one_of("statistic", statistic, SYSTEM_STATISTICS)
    human, metric = (
        _checked_scores(name, scores) for name, scores in (("human", human), ("metric", metric))
    )
    different = sorted(map(str, human.index.symmetric_difference(metric.index)))
    if different:
        raise CandidateError(
            f"human and metric must score the same systems; only one has {', '.join(different)}."
        )
    human, metric = human.to_numpy(), metric.loc[human.index].to_numpy()
    order = np.lexsort((metric, human))  # the last bits of sums must not depend on names
    value = float(system_figure_of_scores(statistic, human[order], metric[order]))
    if np.isnan(value):
        warn_undefined(
            f"The agreement of systems ({statistic})", "fewer than two systems, or constant scores"
        )
    return value


def system_figure_of_scores(statistic, human, metric):
    """Compute a figure of agreement for many sets of system scores at once.

    Scores that differ by less than 1e-12 of the largest are equal: means of the same numbers
    in another order are.

    Parameters
    ----------
    statistic : {"accuracy", "pearson", "spearman", "kendall"}
        See :func:`system_agreement`.
    human, metric : ndarray of shape (..., n_systems)
        Both higher is better; leading axes (draws, metrics) are broadcast.

    Returns
    -------
    ndarray of shape (...)
        Higher is better. NaN where undefined: one system, constant scores, a NaN among them.

    Raises
    ------
    CandidateError
        For infinite scores.
    """
    check_one_of("statistic", statistic, SYSTEM_STATISTICS)
    human, metric = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    if np.isinf(human).any() or np.isinf(metric).any():
        raise CandidateError("System scores must be finite, found infinity.")
    x, y = (_vectors(statistic, scores) for scores in (human, metric))
    products = np.einsum("...i,...i->...", x, y)
    if statistic == "accuracy":
        decided = np.einsum("...i,...i->...", np.abs(x), np.abs(y))
        pairs = np.abs(x).sum(axis=-1)
        top, bottom = (products + decided) / 2, np.where(np.isnan(decided), 0, pairs)
    else:
        lengths = [np.sqrt(np.einsum("...i,...i->...", v, v)) for v in (x, y)]
        top, bottom = products, lengths[0] * lengths[1]
    figures = np.divide(top, bottom, where=bottom > 0, out=np.full(np.shape(top), np.nan))
    return np.clip(figures, -1, 1)


def system_figure_of_weights(statistic, human, metric):
    """Return a figure of systems as a function of how often each segment is drawn.

    Parameters
    ----------
    statistic : str
        See :func:`system_agreement`.
    human, metric : ndarray of shape (n_segments, n_systems), or callable
        Scores of translations, higher is better, NaN where there is none, the same segments
        and systems in both; or, for other system scores than means, a callable from weights
        of shape (n_draws, n_segments) to system scores of shape (n_draws, n_systems).

    Returns
    -------
    callable
        From weights, an ndarray of shape (n_draws, n_segments), to an ndarray of shape
        (n_draws,): NaN for draws without any segment of some system.
    """
    check_one_of("statistic", statistic, SYSTEM_STATISTICS)
    sides = [side if callable(side) else means_of_weights(side) for side in (human, metric)]
    return lambda weights: system_figure_of_scores(statistic, *(side(weights) for side in sides))


def _vectors(statistic, scores):
    """Return vectors whose cosine is the figure: centred scores or ranks, or signs of pairs."""
    if statistic == "pearson":
        scores = near_one(scores)
    largest = np.abs(scores).max(axis=-1, initial=0, keepdims=True)
    if statistic == "pearson":
        shifted = scores - scores[..., :1]
        equal = np.abs(shifted).max(axis=-1, initial=0, keepdims=True) <= _ROUNDING * largest
        means = shifted.sum(axis=-1, keepdims=True) / max(scores.shape[-1], 1)
        return np.where(equal, 0, shifted - means)
    if statistic == "spearman":
        # A midrank is, but for a constant, half of how many are below less how many above.
        differences = scores[..., :, None] - scores[..., None, :]
        return _signs(differences, largest[..., None]).sum(axis=-1)
    first, second = np.triu_indices(scores.shape[-1], 1)
    return _signs(scores[..., first] - scores[..., second], largest)


def _signs(differences, largest):
    """Return the sign of differences, 0 for rounding; NaN stays."""
    return np.where(np.abs(differences) <= _ROUNDING * largest, 0, np.sign(differences))


def _checked_scores(name, scores):
    """Return system scores as a Series of finite numbers with distinct labels."""
    try:
        scores = pd.Series(scores)
        scores = pd.Series(as_numbers(scores), index=scores.index)
    except (TypeError, ValueError) as error:
        raise CandidateError(f"{name} must be numbers, higher is better: {error}") from None
    twice = scores.index[scores.index.duplicated()]
    if len(twice):
        raise CandidateError(f"{name} has several scores for system {twice[0]!r}.")
    bad = scores.index[~np.isfinite(scores.to_numpy())]
    if len(bad):
        raise CandidateError(f"{name} has no finite score for system {bad[0]!r}.")
    return scores
