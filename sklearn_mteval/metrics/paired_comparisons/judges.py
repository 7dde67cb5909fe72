"""Strengths of systems and the discrimination of judges, from paired comparisons.

With d = s_i - s_j and covariates x of the first translation less those of the second, judge k
prefers the first with P = 1 / (1 + exp(-eta)), eta = g_k d + x (b + e_k), a tie being half a win;
Bradley and Terry's model where all g are 1 and all e 0 (Chen et al. 2013; Xu et al. 2026). Judges
deviate by normal effects, g_k from 1 and e_k from 0, of estimated variances (MacKay 1992). As
comparisons of one segment depend on each other, the likelihood counts as much less as its slopes
vary more between segments than they should (Ribatet et al. 2012).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from sklearn_mteval.metrics.paired_comparisons.models import laplacian
from sklearn_mteval.metrics.paired_comparisons.regression import paired_data

# A variance is estimated as if besides the judges there were one whose deviation is known to be
# this: it is never zero, and two judges do not estimate it alone.
_USUAL_DEVIATION = 0.5
FARTHEST = 100.0  # log-odds: a normal prior of the strengths, so wide that it decides nothing else
_MOST_ROUNDS = 100
_MOST_STEPS = 50
_LONGEST_STEP = 2.0
_SHORTEST_STEP = 1e-8
_LEAST_DEPENDENCE = 0.1  # where all tie, slopes do not vary at all
_SETTLED = 1e-3  # relative change of the variances


class Blocks(NamedTuple):
    """Slopes and information of the penalised likelihood; judges (q parameters) share no cell."""

    common: np.ndarray  # (c,): slopes
    own: np.ndarray  # (n_judges, q)
    of_common: np.ndarray  # (c, c)
    between: np.ndarray  # (n_judges, q, c)
    of_own: np.ndarray  # (n_judges, q, q)


class JudgeFit(NamedTuple):
    """An estimate; discriminations have the mean 1 over (weighted) comparisons."""

    common: np.ndarray  # (n_systems + n_covariates,): strengths of mean zero, effects
    own: np.ndarray  # (n_judges, 1 + n_covariates): discriminations, deviations of effects
    variances: np.ndarray  # (1 + n_covariates,): of discriminations, and of the deviations
    dependence: np.ndarray  # (1 + n_covariates,): variance of slopes over that of independent ones
    shares: np.ndarray  # (n_judges,): of the comparisons; they add up to one
    converged: bool


def judged_data(segment, first, second, outcome, judge, covariates, weights=None, **sizes):
    """Return PairedData with judges, a tie being half a win; ``sizes``: n_systems and n_judges."""
    compared = segment, first, second, outcome, covariates
    return paired_data(*compared, weights, ties=False, judge=judge, **sizes)


def fit_judges(data):
    """Maximise the penalised likelihood and estimate the variances; one judge has 1 exactly."""
    totals = data.totals()
    shares = np.bincount(data.judge, totals[:, 0], data.n_judges)
    shares /= shares.sum()
    k = data.covariates.shape[1]
    common, own = np.zeros(data.n_systems + k), np.zeros((data.n_judges, 1 + k))
    own[:, 0] = 1.0
    variances, dependence = np.full(1 + k, _USUAL_DEVIATION**2), np.ones(1 + k)
    for _ in range(_MOST_ROUNDS):
        common, own, converged = _climb(data, totals, shares, common, own, variances / dependence)
        at = common, own, variances / dependence
        known = _updated_variances(data, totals, shares, *at, dependence)
        found = _dependence(data, common, own)
        change = max(np.abs(known / variances - 1).max(), np.abs(found / dependence - 1).max())
        if not converged or change <= _SETTLED:
            break
        variances, dependence = known, found
    return JudgeFit(common, own, variances, dependence, shares, converged)


def _climb(data, totals, shares, common, own, variances):
    """Fisher's scoring with halved steps, at given variances; the likelihood never falls."""
    value = _log_posterior(data, totals, common, own, variances)
    for _ in range(_MOST_STEPS):
        blocks = judge_derivatives(data, totals, common, own, variances, observed=False)
        of_common, of_own = solve_blocks(blocks, shares)(blocks.common[None], blocks.own[None])
        longest = max(np.abs(of_common).max(), np.abs(of_own).max())
        size = min(1.0, _LONGEST_STEP / longest) if longest else 1.0
        while True:
            at = common + size * of_common[0]
            of_judges = own + size * of_own[0]
            reached = _log_posterior(data, totals, at, of_judges, variances)
            if reached >= value - 1e-12 * abs(value) or size * longest < _SHORTEST_STEP:
                break
            size /= 2
        common, own, value = at, of_judges, reached
        if size * longest <= _SHORTEST_STEP:
            return common, own, True
    return common, own, False


def _log_posterior(data, totals, common, own, variances):
    """Return the log-likelihood with the priors of judges and strengths."""
    eta = predictors(data, common, own)[0]
    judged, won, _ = totals.T
    likelihood = won @ eta - judged @ np.logaddexp(0, eta)
    deviations = own - _means(own)
    strengths = common[: data.n_systems]
    return (
        likelihood - (deviations**2 / variances).sum() / 2 - (strengths**2).sum() / FARTHEST**2 / 2
    )


def _means(own):
    """Return what the parameters of judges deviate from: 1, and 0 of the effects."""
    return np.append(1.0, np.zeros(own.shape[1] - 1))


def predictors(data, common, own):
    """Return the log-odds of each row, the difference of strengths, and the discrimination."""
    difference = common[data.first] - common[data.second]
    slope = own[data.judge, 0]
    eta = slope * difference
    for column, covariate in enumerate(data.covariates.T):
        eta += (common[data.n_systems + column] + own[data.judge, 1 + column]) * covariate
    return eta, difference, slope


def judge_derivatives(data, totals, common, own, variances, *, observed=True):
    """Return Blocks; the information is that observed, or else the expected one."""
    n, n_judges, (_, k) = data.n_systems, data.n_judges, data.covariates.shape
    eta, difference, slope = predictors(data, common, own)
    chance = expit(eta)
    residual = totals[:, 1] - totals[:, 0] * chance
    weight = totals[:, 0] * chance * (1 - chance)
    columns = [difference, *data.covariates.T]  # what a judge's own parameters are slopes of

    def by_system(values):
        ends = (np.bincount(end, values, n) for end in (data.first, data.second))
        return np.subtract(*ends)

    def by_judge(values):
        return np.bincount(data.judge, values, n_judges)

    common_slopes = by_system(residual * slope) - common[:n] / FARTHEST**2
    common_slopes = np.append(common_slopes, residual @ data.covariates)
    own_slopes = np.column_stack([by_judge(residual * column) for column in columns])
    own_slopes -= (own - _means(own)) / variances
    of_common = np.zeros((n + k, n + k))
    cells = np.bincount(data.first * n + data.second, weight * slope**2, n * n).reshape(n, n)
    # 1 / n in each cell keeps the mean, which the likelihood leaves free, at zero.
    of_common[:n, :n] = laplacian(cells + cells.T) + 1 / n + np.eye(n) / FARTHEST**2
    of_common[n:, n:] = (weight[:, None] * data.covariates).T @ data.covariates
    between = np.zeros((n_judges, 1 + k, n + k))
    of_own = np.zeros((n_judges, 1 + k, 1 + k))
    for one, column in enumerate(columns):
        pull = weight * slope * column
        if observed and not one:
            pull = pull - residual  # d2 eta / ds dg is 1 of the first system, -1 of the second
        for end, sign in ((data.first, 1), (data.second, -1)):
            cells = np.bincount(data.judge * n + end, pull, n_judges * n)
            between[:, one, :n] += sign * cells.reshape(n_judges, n)
        for other, again in enumerate(columns):
            of_own[:, one, other] = by_judge(weight * column * again)
            if other:
                between[:, one, n + other - 1] = of_own[:, one, other]
        of_own[:, one, one] += 1 / variances[one]
        if one:
            of_common[:n, n + one - 1] = of_common[n + one - 1, :n] = by_system(pull)
    return Blocks(common_slopes, own_slopes, of_common, between, of_own)


def solve_blocks(blocks, shares):
    """Return a function that solves for (m, c) and (m, n_judges, q) right-hand sides."""
    n_judges, q, c = blocks.between.shape
    border = np.zeros((n_judges, q, c + 1))
    border[:, :, :c] = blocks.between
    border[:, 0, c] = shares
    inner = np.linalg.inv(blocks.of_own)
    # From judges to what is common: (n_judges q, c + 1).
    through = (inner @ border).reshape(-1, c + 1)
    border = border.reshape(-1, c + 1)
    schur = np.zeros((c + 1, c + 1))
    schur[:c, :c] = blocks.of_common
    schur -= border.T @ through
    outer = np.linalg.inv(schur)

    def solve(common, own):
        right = -(own.reshape(len(common), -1) @ through)
        right[:, :c] += common
        found = right @ outer
        of_own = np.einsum("kqr,mkr->mkq", inner, own)
        of_own -= (found @ through.T).reshape(own.shape)
        return found[:, :c], of_own

    solve.inner, solve.through, solve.outer = inner, through, outer
    return solve


def _updated_variances(data, totals, shares, common, own, priors, dependence):
    """Return new variances of the deviations between judges (MacKay 1992, equation 4.6)."""
    blocks = judge_derivatives(data, totals, common, own, priors)
    solve = solve_blocks(blocks, shares)
    n_judges, q, _ = blocks.between.shape
    through = solve.through.reshape(n_judges, q, -1)
    spread = np.einsum("kqq->kq", solve.inner)
    spread = spread + np.einsum("kqc,cd,kqd->kq", through, solve.outer, through, optimize=True)
    free = np.append(n_judges - 1, np.full(q - 1, n_judges))  # the mean of g is held
    decided = np.clip(free - spread.sum(axis=0) / priors, 0, free)
    return (((own - _means(own)) ** 2).sum(axis=0) + _USUAL_DEVIATION**2) / (decided + 1)


def _dependence(data, common, own):
    """Return how much the slopes of judges' parameters vary, over what independent ones would."""
    eta, difference, _ = predictors(data, common, own)
    chance, (judged, won, _) = expit(eta)[data.row], data.counts.T
    residual = won - judged * chance
    weight = judged * chance * (1 - chance)
    of_pair = np.unique(data.segment * data.n_judges + data.judge[data.row], return_inverse=True)[1]
    found = np.ones(own.shape[1])
    for one, column in enumerate([difference, *data.covariates.T]):
        column = column[data.row]
        expected = weight @ column**2
        if expected > 0:
            found[one] = (np.bincount(of_pair, residual * column) ** 2).sum() / expected
    return np.maximum(found, _LEAST_DEPENDENCE)
