"""The registry of statistics of system level: all that is known of each, once.

Both sides are higher-is-better here.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.correlations import near_one
from sklearn_mteval.metrics.core.ratios import ratio

_ROUNDING = 1e-12  # scores that differ by less than this proportion of the largest are equal


@dataclass(frozen=True)
class SystemStatistic:
    """A statistic of agreement of systems' scores; higher is better."""

    name: str
    label: str  # in a sentence: "Soft pairwise accuracy"
    heading: str  # of a column: "SPA"
    bounds: tuple[float, float] = (-1.0, 1.0)
    # From two arrays (..., n_systems) of scores to (...); None: SPA, of segments.
    function: Callable | None = None
    # Whether it is made of sums of products, from which what noise adds can be taken away.
    of_products: bool = False

    @property
    def needs_segments(self):
        """Whether it is computed of segments' scores: no system scores will do."""
        return self.function is None

    def check_no_segments(self, found):
        """Raise where segments' scores are needed and ``found``, a noun, is all there is."""
        if self.needs_segments:
            raise ValueError(
                f"{self.label} ({self.name!r}) needs human scores of segments, not {found}: call "
                "soft_pairwise_accuracy or, for an interval, system_agreement_interval with tables "
                "of segments and systems."
            )

    def of_scores(self, human, metric):
        """Compute it for many sets of system scores (..., n_systems), NaN where undefined."""
        human, metric = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
        if np.isinf(human).any() or np.isinf(metric).any():
            raise CandidateError("System scores must be finite, found infinity.")
        return self.function(human, metric)

    def of_means(self, human, metric):
        """Return it as a function of system scores, given tables (n_segments, n_systems)."""
        if self.needs_segments:
            from sklearn_mteval.metrics.system.soft_accuracy import soft_accuracy_of_means

            return soft_accuracy_of_means(human, metric)
        return self.of_scores


def means_of_weights(table):
    """Return systems' means of a table as a function of segments' weights; NaN is left out."""
    table = np.asarray(table, dtype=np.float64)
    there = ~np.isnan(table)
    filled = np.where(there, table, 0.0)
    return lambda weights: ratio(weights @ filled, weights @ there)


def _cosine(vectors):
    """Return the correlation that is the cosine of vectors made of each side's scores."""

    def correlation(human, metric):
        x, y = vectors(human), vectors(metric)
        lengths = [np.sqrt(np.einsum("...i,...i->...", v, v)) for v in (x, y)]
        return np.clip(ratio(np.einsum("...i,...i->...", x, y), lengths[0] * lengths[1]), -1, 1)

    return correlation


def _centred(scores):
    """Return scores less their mean; exact zeros where they are equal but for rounding."""
    scores = near_one(scores)
    shifted = scores - scores[..., :1]
    equal = np.abs(shifted).max(axis=-1, initial=0, keepdims=True) <= _ROUNDING * _largest(scores)
    means = shifted.sum(axis=-1, keepdims=True) / max(scores.shape[-1], 1)
    return np.where(equal, 0, shifted - means)


def _centred_ranks(scores):
    """Return twice the midranks less their mean: how many systems are below less how many above."""
    differences = scores[..., :, None] - scores[..., None, :]
    return _signs(differences, _largest(scores)[..., None]).sum(axis=-1)


def _signs_of_pairs(scores):
    """Return for each pair of systems which is better: tau-b is the cosine of such vectors."""
    first, second = np.triu_indices(scores.shape[-1], 1)
    return _signs(scores[..., first] - scores[..., second], _largest(scores))


def _accuracy(human, metric):
    """Return the proportion of pairs that the human scores decide and the metric's order alike."""
    x, y = _signs_of_pairs(human), _signs_of_pairs(metric)
    products = np.einsum("...i,...i->...", x, y)  # those alike less those opposed
    decided = np.einsum("...i,...i->...", np.abs(x), np.abs(y))  # both together
    pairs = np.where(np.isnan(decided), 0, np.abs(x).sum(axis=-1))
    # (alike - opposed + alike + opposed) / 2 are those alike.
    return ratio((products + decided) / 2, pairs)


def _largest(scores):
    """Return the largest magnitude of each set of scores."""
    return np.abs(scores).max(axis=-1, initial=0, keepdims=True)


def _signs(differences, largest):
    """Return signs of differences, 0 for rounding: means of the same in another order must tie."""
    return np.where(np.abs(differences) <= _ROUNDING * largest, 0, np.sign(differences))


_ZERO_TO_ONE = (0.0, 1.0)
_REGISTERED = (
    SystemStatistic(
        "pearson", "Pearson's correlation", "Pearson", function=_cosine(_centred), of_products=True
    ),
    SystemStatistic(
        "spearman", "Spearman's correlation", "Spearman", function=_cosine(_centred_ranks)
    ),
    SystemStatistic("kendall", "Kendall's tau-b", "Kendall", function=_cosine(_signs_of_pairs)),
    # Kocmi et al. 2021, section 3.
    SystemStatistic("accuracy", "Pairwise accuracy", "accuracy", _ZERO_TO_ONE, _accuracy),
    # Thompson et al. 2024.
    SystemStatistic("spa", "Soft pairwise accuracy", "SPA", _ZERO_TO_ONE),
)
SYSTEM_STATISTICS = {statistic.name: statistic for statistic in _REGISTERED}
