"""Paired comparisons: which rows are compared, and the Bradley–Terry strengths of what competes."""

import numpy as np

from sklearn_mteval._helpers.pairs import pairs_within

__all__ = ["bradley_terry_strengths", "pairs_of_rows"]

_LONGEST_STEP = 2.0


def pairs_of_rows(groups):
    """List each unordered pair of rows of one group: positions (n_pairs,) of the first, the second.

    ``groups`` are integers >= 0 that do not decrease; the first position is the smaller.
    """
    bounds = np.flatnonzero(np.diff(groups, prepend=-1, append=-1))
    return pairs_within(np.diff(bounds), ordered=False)


def bradley_terry_strengths(wins, *, precision=0.0, max_iter=200, tol=1e-6):
    """Fit s, mean zero, of P(i beats j) = 1 / (1 + exp(s_j - s_i)) to ``wins`` (..., n, n).

    Wins may be fractions, the diagonal is ignored. A normal prior of that ``precision`` keeps
    finite who never lost; without it, no part may have won, or lost, all against the rest.
    """
    shape, n = wins.shape, wins.shape[-1]
    diagonal = np.eye(n)
    wins = wins.reshape(-1, n, n) * (1 - diagonal)
    judged = wins + wins.swapaxes(1, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        logits = np.log(wins + diagonal)
        strengths = (logits - logits.swapaxes(1, 2)).mean(axis=-1)
    # Exact where every pair was judged alike often and wins follow the model. Without a win there
    # is no logit: start from zero, where no probability is extreme.
    strengths[~np.isfinite(strengths).all(axis=-1)] = 0.0
    # Slopes add up to zero but for the prior, and the likelihood leaves the mean free: 1 / n
    # in each cell of the curvature keeps it where it is. Newton squares the error: a last step of
    # 1e-6 leaves about 1e-12, unless strengths are extreme.
    fixed = precision * diagonal + 1 / max(n, 1)
    active = np.arange(len(wins))  # what has not converged
    for _ in range(max_iter):
        current = strengths[active]
        p = 1 / (1 + np.exp(current[:, None, :] - current[:, :, None]))
        expected = judged * p
        slope = (wins - expected).sum(axis=-1) - precision * current
        information = expected * p.swapaxes(1, 2)
        curvature = fixed - information
        curvature[:, *np.diag_indices(n)] += information.sum(axis=-1)
        step = np.linalg.solve(curvature, slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, initial=0)
        # From afar the quadratic model overshoots.
        shortened = np.minimum(1, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
        strengths[active] += step * shortened[:, None]
        moving = longest > tol
        if not moving.any():
            break
        if not moving.all():
            active, wins, judged = active[moving], wins[moving], judged[moving]
    return (strengths - strengths.mean(axis=-1, keepdims=True)).reshape(shape[:-1])
