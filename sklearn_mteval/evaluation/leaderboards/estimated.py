"""Means of what is judged, with two kinds of intervals and tests: of scores, and of wins.

Automatic judges help as ``metrics.core.assisted_means`` says ("prediction-powered": Angelopoulos et
al. 2023, "PPI++: Efficient prediction-powered inference"): means are about right however wrong they
are, if what annotators judged is not another kind of segments than the rest.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.utils import check_random_state

from sklearn_mteval.evaluation.leaderboards.automatic import table_of_coefficients
from sklearn_mteval.evaluation.leaderboards.board import (
    Leaderboard,
    hash_of,
    places,
    signed,
    uncertainty,
)
from sklearn_mteval.evaluation.signature import hash_of_rows, signature_line
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.assisted_means import assisted_means, variances_of_differences
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.units import (
    FEW_CLUSTERS,
    expanded_percentiles,
    percentile_interval,
    student_interval,
    units_drawn,
)
from sklearn_mteval.metrics.system.paired import pairs_of

_AT_ONCE = 1 << 22  # numbers of a block of resamples
_DIGITS = 9  # scores that agree to so many decimals of the largest share their rank


class Units(NamedTuple):
    """What is judged, in an order of its content."""

    target: np.ndarray  # (n_units,) codes of systems
    cluster: np.ndarray  # (n_units,) codes of what varies as a whole: segments, or documents
    values: np.ndarray  # (n_units,) what annotators say; NaN: nobody judged it
    automatic: np.ndarray  # (n_units, n_automatic); NaN: not judged by this one
    n_targets: int
    n_clusters: int
    weights: np.ndarray | None = None  # (n_units,) how many a judged one stands for; None: 1
    probability: np.ndarray | None = None  # (n_clusters,) of being chosen, where these are all
    stratum: np.ndarray | None = None  # (n_clusters,) codes: so many were drawn of each


class Estimated(NamedTuple):
    """Scores of systems with intervals, in the order of the units' targets."""

    scores: np.ndarray  # (n_targets,)
    errors: np.ndarray  # (n_targets,): NaN: judged in one cluster
    sandwich: np.ndarray  # (n_targets, 2): bounds by linearised errors and Student's t
    bootstrap: np.ndarray  # (n_targets, 2)
    variances: np.ndarray  # (n_targets, n_targets): of the difference of two scores
    degrees: np.ndarray  # (n_targets,): of freedom
    coefficients: np.ndarray  # (n_automatic,)
    gain: float  # how many times as many judgements would be as good without automatic ones
    gain_of_differences: float  # the same of differences of two scores


def estimate(units, options, found=None):
    """Estimate the mean of each target; of a sample, what all clusters would say.

    ``found`` are other means, AssistedMeans, with their sums over the clusters of the units.
    """
    if found is None:
        found = _means(units, units.automatic)
    if found.degrees.max(initial=0) < 1:
        raise CandidateError("Intervals come from segments that differ: two are needed.")
    variances = np.diag(found.covariance)
    errors = np.where(found.degrees > 0, np.sqrt(np.maximum(variances, 0.0)), np.nan)
    degrees = np.where(found.degrees > 0, found.degrees, np.nan)
    sandwich = student_interval(found.estimates, errors, degrees, options["confidence"])
    few = _n_clusters(found) < FEW_CLUSTERS
    bounds = np.where(few[:, np.newaxis], sandwich, _bootstrap(found, units, errors, options))
    spread, gains = variances_of_differences(found.covariance), (1.0, 1.0)
    if found.coefficients.any():
        alone = _means(units, None).covariance
        gains = _gain(np.diag(alone), variances), _gain(variances_of_differences(alone), spread)
    return Estimated(
        found.estimates, errors, sandwich, bounds, spread, found.degrees, found.coefficients, *gains
    )  # fmt: skip


def _n_clusters(found):
    """Count the clusters in which annotators judged each target."""
    return (found.sums.judged > 0).sum(axis=0)


def _gain(alone, helped):
    """Return how many times as large variances are alone, on average."""
    known = ~np.isnan(alone) & (helped > 0)
    return float(alone[known].sum() / helped[known].sum()) if known.any() else 1.0


def differences_of(estimated):
    """Return differences of scores, variances and numbers of clusters, (n_targets, n_targets)."""
    differences = estimated.scores[:, np.newaxis] - estimated.scores
    degrees = np.minimum.outer(estimated.degrees, estimated.degrees)
    return differences, estimated.variances, degrees + 1


def _means(units, automatic):
    """Return the means of targets, helped by automatic scores or not."""
    some = automatic is not None and automatic.shape[1]
    return assisted_means(
        units.target, units.cluster, units.values, automatic if some else None,
        n_targets=units.n_targets, n_clusters=units.n_clusters, probability=units.probability,
        weights=units.weights, stratum=units.stratum, finite=units.probability is not None,
    )  # fmt: skip


def _bootstrap(found, units, errors, options):
    """Return bounds (n_targets, 2) by resampling clusters, with the same coefficients.

    Of a sample, means are drawn together about the estimate until they vary as linearised errors do
    (Rao and Wu 1988). Means of scores alone are studentised (Efron 1979; Hall 1988), as percentiles
    of few do not reach as far as rare bad penalties.
    """
    n_resamples, n = options["n_resamples"], units.n_clusters
    rng = check_random_state(options["random_state"])
    drawn = np.unique(units.cluster)
    if units.probability is not None:
        drawn = np.unique(units.cluster[~np.isnan(units.values)])
    studentised = units.probability is None and not found.coefficients.any()
    of_counts = partial(_resampled_means, found, finite=units.probability is not None)
    if studentised:
        of_counts = _studentised(found, n)
    samples = []
    for draws in units_drawn(len(drawn), n_resamples, rng, max(1, _AT_ONCE // n)):
        counts = np.zeros((len(draws), n))
        for row, taken in zip(counts, draws, strict=True):
            row[drawn] = np.bincount(taken, minlength=len(drawn))
        samples.append(of_counts(counts))
    samples, tail = np.concatenate(samples), (1 - options["confidence"]) / 2
    if studentised:
        low, high = percentile_interval(samples.T, options["confidence"]).T
        return found.estimates[:, np.newaxis] - errors[:, np.newaxis] * np.column_stack([high, low])
    if units.probability is not None:
        spread = np.sqrt(np.nanmean((samples - found.estimates) ** 2, axis=0))
        factor = np.divide(errors, spread, where=spread > 0, out=np.ones_like(spread))
        samples = found.estimates + factor * (samples - found.estimates)
    return expanded_percentiles(samples, tail, found.degrees + 1)


def _studentised(found, n_clusters):
    """Return from counts what means of resamples differ by, in units of their own errors, of at
    least a third of the estimate's, or bounds would have no end where what is rare was not drawn.
    """
    judged = found.sums.judged
    # About the estimates, lest squares of large scores lose their digits.
    rest = csr_array(found.sums.values - judged.multiply(np.nan_to_num(found.estimates)[None, :]))
    squares = [
        csr_array(one.multiply(other))
        for one, other in ((rest, rest), (rest, judged), (judged, judged))
    ]

    # Products of what is large and full are faster without the places of its numbers.
    parts = [
        part.toarray() if part.nnz > max(_AT_ONCE, np.prod(part.shape) / 4) else part
        for part in (judged, rest, *squares)
    ]

    def of(weights):
        total, moved, spread, both, size = (weights @ part for part in parts)
        moved = ratio(moved, total)
        squared = np.maximum(spread - 2 * moved * both + moved**2 * size, 0.0)
        return moved, ratio(np.sqrt(squared), total)

    own, n = of(np.ones((1, n_clusters)))[1], _n_clusters(found)

    def studentised(counts):
        moved, errors = of(counts)
        return ratio(moved, np.maximum(errors, own / 3)) * np.sqrt(ratio(n - 1.0, n))

    return studentised


def _resampled_means(found, counts, finite):
    """Return the means of resamples; of a finite number of clusters all are known to machines."""
    sums = found.sums
    if not finite:
        return sums.means(counts, found.coefficients)
    residual = sums.values
    for coefficient, part in zip(found.coefficients, sums.judged_automatic, strict=True):
        residual = residual - coefficient * part
    ones = np.ones((1, counts.shape[1]))
    of_all = found.estimates - sums._replace(values=residual).means(ones, ())[0]
    return sums._replace(values=residual).means(counts, ()) + of_all


def board_of(
    systems, estimated, units, differences, tally, *, automatic, sample, judged, counts, options,
    data
):  # fmt: skip
    """Return the leaderboard; arrays are in the order of ``systems``, ``data`` index and y."""
    largest = np.abs(estimated.scores).max(initial=0.0) or 1.0
    ranks = (estimated.scores / largest).round(_DIGITS)
    order = np.lexsort((pd.factorize(systems, sort=True)[0], -ranks))  # of equal ones by label
    labels, tally = systems[order].rename("system"), tally.in_order(order)
    pairs = pairs_of(
        labels, *(part[np.ix_(order, order)] for part in differences),
        confidence=options["confidence"], alpha=options["alpha"],
        all_judged=units.probability is not None and bool((units.probability == 1).all()),
    )  # fmt: skip
    if options["question"] == "test-set":  # of which more than is left cannot be judged
        pairs = pairs._replace(needed=np.full(pairs.needed.shape, np.nan))
    columns = {
        "score": estimated.scores[order],
        **uncertainty(
            estimated.bootstrap[order], estimated.errors[order], estimated.sandwich[order]
        ),
        **places(pairs),
        **tally.columns(),
    }
    counts = {**counts, "systems": len(order), **sample.counts(judged)}
    coefficients = None
    if automatic:
        n_judged = counts.get("translations", counts.get("comparisons"))
        counts["worth"] = round(n_judged * estimated.gain)
        counts["worth_of_differences"] = round(n_judged * estimated.gain_of_differences)
        coefficients = table_of_coefficients(automatic, estimated, units, options["by"])
    return Leaderboard(
        pd.DataFrame(columns, index=labels), *tally.squares(labels), pairs,
        pd.DataFrame(index=pd.Index([], name="covariate", dtype=object)), None, counts, options,
        _signature(units, automatic, sample, counts, options, data), automatic=coefficients,
    )  # fmt: skip


def _signature(units, automatic, sample, counts, options, data):
    """Say on one line how the numbers were made."""
    parts = {"by": options["by"], "automatic": ",".join(automatic) or None, **counts}
    parts |= signed(options, sample, "t")
    if automatic:
        content = [units.target.astype(float), *units.automatic.T]
        parts["scores"] = hash_of_rows("", content, len(units.target))
    parts["selection"] = sample.mark
    index, y = data
    return signature_line(parts, options["random_state"], hash_of(index, [y]))
