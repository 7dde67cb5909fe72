"""How often intervals of leaderboards hold: ``python benchmarks/leaderboard_coverage.py``.

Judgements are drawn from Davidson's model; translations deviate from their systems by a normal
effect of each segment and system, so that comparisons of a segment depend on each other. The truth
is what maximum likelihood finds of all possible judgements, by quadrature. Printed is the
proportion of 95 % intervals, of both kinds and of errors that take comparisons as independent, that
hold it, over all systems; and how often tests tell any two of equal systems apart.
"""

import argparse

import numpy as np
import pandas as pd
from scipy import stats

from sklearn_mteval.metrics import holm
from sklearn_mteval.metrics.paired_comparisons.comparisons import Comparisons
from sklearn_mteval.metrics.paired_comparisons.inference import estimate_strengths
from sklearn_mteval.metrics.paired_comparisons.regression import fit, paired_data

# Segments, comparisons of each, systems, strength of ties, deviation of translations, ties modelled
SETTINGS = [
    (300, 1, 6, 0.0, 0.0, False),
    (50, 10, 5, 0.8, 0.0, False),
    (50, 10, 5, 0.8, 1.0, False),
    (50, 10, 5, 0.8, 1.0, True),
    (100, 6, 6, 0.8, 1.0, False),
    (100, 6, 6, 0.8, 1.0, True),
    (200, 20, 10, 0.8, 1.0, False),
    (200, 20, 10, 0.8, 2.0, True),
    (2000, 1, 20, 0.5, 0.5, False),
]


def chances(d, nu):
    """Return P(win) and P(tie) of differences of strengths."""
    up, down = np.exp(d / 2), np.exp(-d / 2)
    return up / (up + down + nu), nu / (up + down + nu)


def truth(strengths, nu, deviation, ties):
    """Return the strengths that fit all possible judgements best."""
    n = len(strengths)
    first, second = np.triu_indices(n, 1)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    d = (strengths[first] - strengths[second])[:, None] + np.sqrt(2) * deviation * nodes
    won, tied = (part @ weights / weights.sum() for part in chances(d, nu))
    rows = np.arange(len(first))
    data = paired_data(
        rows, first, second, np.ones(len(rows)), np.zeros((len(rows), 0)), n_systems=n,
        ties=ties and nu > 0,
    )  # fmt: skip
    return fit(data, np.column_stack([np.ones(len(rows)), won + tied / 2, tied])).values[:n]


def draw(rng, strengths, n_segments, per_segment, nu, deviation):
    """Draw judgements."""
    n = len(strengths)
    segment = np.repeat(np.arange(n_segments), per_segment)
    one = rng.integers(n, size=len(segment))
    other = (one + 1 + rng.integers(n - 1, size=len(segment))) % n
    first, second = np.minimum(one, other), np.maximum(one, other)
    of_texts = strengths + rng.normal(0, deviation, (n_segments, n))
    won, tied = chances(of_texts[segment, first] - of_texts[segment, second], nu)
    u = rng.random(len(segment))
    outcome = np.where(u < won, 1, np.where(u < won + tied, 0, -1))
    order = np.lexsort((outcome, second, first, segment))
    names = pd.RangeIndex(n), pd.RangeIndex(n_segments)
    parts = (part[order] for part in (segment, first, second, outcome))
    return Comparisons(*parts, np.zeros((len(segment), 0)), *names, np.zeros((n, n)))


def any_told_apart(found):
    """Tell whether any two systems differ significantly at 5 %, by Holm's correction."""
    above = np.triu(np.ones(found.p_values.shape, dtype=bool), 1)
    return np.nanmin(holm(np.where(above, found.p_values, np.nan))) <= 0.05


def independent_errors(compared):
    """Return standard errors from the information alone, of Bradley and Terry's model."""
    n = len(compared.systems)
    data = paired_data(*compared[:5], n_systems=n, ties=False)
    # Its inverse has 1 / n in each cell more, in the direction that the mean leaves free.
    return np.sqrt(np.diag(np.linalg.inv(fit(data).information)) - 1 / n)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=1000)
    arguments = parser.parse_args()
    given = {"confidence": 0.95, "n_resamples": arguments.resamples}
    print("| segments | comparisons | systems | nu | deviation | ties | bootstrap | sandwich | "
          "independent | told apart |")  # fmt: skip
    print("| ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |")
    for n_segments, per_segment, n, nu, deviation, ties in SETTINGS:
        rng, strengths = np.random.default_rng(0), np.linspace(1, -1, n)
        goal = truth(strengths, nu, deviation, ties)
        held, told_apart = [], 0
        for k in range(arguments.samples):
            seed = np.random.RandomState(k)
            compared = draw(rng, strengths, n_segments, per_segment, nu, deviation)
            found = estimate_strengths(compared, ties=ties, rng=seed, **given)
            errors = independent_errors(compared) * stats.norm.ppf(0.975)
            simple = found.strengths[:, None] + errors[:, None] * [-1, 1]
            bounds = np.stack([found.bootstrap, found.sandwich, simple])
            held.append((bounds[:, :, 0] <= goal) & (goal <= bounds[:, :, 1]))
            equal = draw(rng, 0 * strengths, n_segments, per_segment, nu, deviation)
            given_equal = given | {"n_resamples": 1}
            told_apart += any_told_apart(
                estimate_strengths(equal, ties=ties, rng=seed, **given_equal)
            )
        shares = [*np.mean(held, axis=(0, 2)), told_apart / arguments.samples]
        if ties:
            shares[2] = np.nan  # of the other model
        cells = " | ".join("" if np.isnan(x) else f"{100 * x:.1f}" for x in shares)
        how = "model" if ties else "half"
        print(f"| {n_segments} | {per_segment} | {n} | {nu:g} | {deviation:g} | {how} | {cells} |",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
