"""Which comparisons next? Chosen ones against random and round-robin: ``next_comparisons.py DATA``.

Each campaign starts with some comparisons and asks for batches more. How many pairs of systems do
tests (Wald's, errors clustered by segment, Holm's correction at 5 %) then tell apart, and how far
are the strengths from the truth? Simulated arenas, and judgements of WMT15 drawn again with
replacement, for which the strengths of all judgements are the truth. DATA holds ``wmt15``.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import expit

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.metrics.core.assisted_means import variances_of_differences
from sklearn_mteval.metrics.paired_comparisons.comparisons import Comparisons, comparisons_of
from sklearn_mteval.metrics.paired_comparisons.next_pairs import Pairs, knowledge_of
from sklearn_mteval.metrics.paired_comparisons.regression import covariance, fit, paired_data
from sklearn_mteval.metrics.significance.multiple_comparisons import holm

WAYS = ("random", "round-robin", "tiers", "intervals")


class Arena:
    """Simulated systems; each comparison is of a segment of its own, and none ties."""

    def __init__(self, seed, n_systems, start, *, spread, exposure):
        self.rng = np.random.default_rng(seed)
        strengths = self.rng.normal(0, spread, n_systems)
        self.strengths, self.n_systems = strengths - strengths.mean(), n_systems
        weights = self.rng.dirichlet(np.full(n_systems, exposure)) if exposure else None
        one = self.rng.choice(n_systems, start, p=weights)
        other = (one + 1 + self.rng.integers(n_systems - 1, size=start)) % n_systems
        # Each system has met another one, whatever the weights.
        ring = np.arange(n_systems)
        self.start = np.append(one, ring), np.append(other, (ring + 1) % n_systems)

    def judge(self, one, other):
        """Return segments (to be renumbered) and outcomes."""
        chance = expit(self.strengths[one] - self.strengths[other])
        outcome = np.where(self.rng.random(len(one)) < chance, 1, -1)
        return self.rng.permutation(len(one)) + 1e9 * self.rng.random(), outcome


class Campaign:
    """Judgements of a campaign, drawn with replacement among those of the same two systems."""

    def __init__(self, seed, compared, start):
        self.rng, self.n_systems = np.random.default_rng(seed), len(compared.systems)
        self.compared = compared
        self.strengths = knowledge_of(compared, self.n_systems).strengths
        key = compared.first * self.n_systems + compared.second
        self.rows = pd.Series(np.arange(len(key))).groupby(key).indices
        drawn = self.rng.integers(len(key), size=start)
        self.start = compared.first[drawn], compared.second[drawn]

    def judge(self, one, other):
        """Return segments and outcomes."""
        low, high = np.minimum(one, other), np.maximum(one, other)
        drawn = np.array(
            [self.rng.choice(self.rows[key]) for key in (low * self.n_systems + high).tolist()]
        )
        sign = np.where(one < other, 1, -1)
        return self.compared.segment[drawn].astype(float), sign * self.compared.outcome[drawn]


def held(segment, one, other, outcome, n_systems):
    """Make Comparisons of what was judged so far."""
    sign = np.where(one < other, 1, -1)
    first, second, outcome = np.minimum(one, other), np.maximum(one, other), sign * outcome
    segment = np.unique(segment, return_inverse=True)[1]
    rows = np.lexsort((outcome, second, first, segment))
    parts = (part[rows] for part in (segment, first, second, outcome))
    labels = pd.RangeIndex(n_systems)
    return Comparisons(*parts, np.zeros((len(rows), 0)), labels, labels, np.zeros((0, 0)))


def told_apart(judged, n_systems):
    """Return strengths, and which pairs tests tell apart (n_pairs,)."""
    data = paired_data(*judged[:5], n_systems=n_systems, ties=False)
    found = fit(data)
    upper = np.triu_indices(n_systems, 1)
    d = (found.values[:, None] - found.values)[upper]
    p = 2 * stats.norm.sf(
        np.abs(d) / np.sqrt(variances_of_differences(covariance(data, found))[upper])
    )
    return found.values, holm(p) <= 0.05


def run(world, way, batch, n_batches):
    """Return one row for each batch: comparisons, proportion told apart, wrongly, and the error."""
    n, rng = world.n_systems, world.rng
    upper = np.triu_indices(n, 1)
    one, other = world.start
    segment, outcome = world.judge(one, other)
    turn, rows = rng.permutation(len(upper[0])), []
    for k in range(n_batches + 1):
        judged = held(segment, one, other, outcome, n)
        strengths, apart = told_apart(judged, n)
        true = (world.strengths[:, None] - world.strengths)[upper]
        wrong = (strengths[:, None] - strengths)[upper] * true <= 0
        error = np.sqrt(np.mean((strengths - world.strengths) ** 2))
        rows.append([len(one), apart.mean(), (apart & wrong).sum(), error])
        if way in ("random", "round-robin"):
            place = rng.integers(len(turn), size=batch)
            if way == "round-robin":
                place = turn[(k * batch + np.arange(batch)) % len(turn)]
            more = upper[0][place], upper[1][place]
        else:
            known = knowledge_of(judged, n)
            pairs, chosen = Pairs(known, batch, goal=way, alpha=0.05), []
            for _ in range(batch):
                i, j, _ = pairs.best()
                pairs.compare(i, j)
                chosen.append((i, j))
            more = np.array(chosen).T
        new, judged = world.judge(*more)
        one, other = np.append(one, more[0]), np.append(other, more[1])
        segment, outcome = np.append(segment, new), np.append(outcome, judged)
    return np.array(rows)


def needed(curve, column, level, *, falling=False):
    """Return how many comparisons reach a level of a mean curve; infinite if all are too few."""
    values = -curve[:, column] if falling else curve[:, column]
    level = -level if falling else level
    best = np.maximum.accumulate(values)
    if best[-1] < level:
        return np.inf
    k = int((best >= level).argmax())
    if k == 0:
        return curve[0, 0]
    share = (level - best[k - 1]) / (best[k] - best[k - 1])
    return curve[k - 1, 0] + share * (curve[k, 0] - curve[k - 1, 0])


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?")
    parser.add_argument("--only", default="", help="part of the names of the campaigns")
    parser.add_argument("--samples", type=int, default=30)
    arguments = parser.parse_args()
    worlds = {
        "12 systems, all judged alike often": (
            lambda seed: Arena(seed, 12, 600, spread=0.5, exposure=None), 200, 20,
        ),
        "25 systems, some judged often, some hardly": (
            lambda seed: Arena(seed, 25, 1500, spread=0.6, exposure=0.7), 500, 20,
        ),
        "12 equal systems": (
            lambda seed: Arena(seed, 12, 600, spread=0.0, exposure=None), 200, 20,
        ),
    }  # fmt: skip
    for pair in ("de-en", "en-cs") if arguments.data else ():
        compared = comparisons_of(*load_wmt(Path(arguments.data) / "wmt15", pair, return_X_y=True))
        worlds[f"WMT15 {pair}, {len(compared.systems)} systems"] = (
            lambda seed, compared=compared: Campaign(seed, compared, 2000), 1000, 20,
        )  # fmt: skip
    print("| start | way | told apart at the end | wrongly, pairs | error | comparisons for what "
          "random tells apart | for its error |")  # fmt: skip
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name, (make, batch, n_batches) in worlds.items():
        if arguments.only not in name:
            continue
        curves = {
            way: np.mean(
                [run(make(seed), way, batch, n_batches) for seed in range(arguments.samples)],
                axis=0,
            )
            for way in WAYS
        }
        _, apart, _, error = curves["random"][-1]
        for way, curve in curves.items():
            cells = [f"{100 * curve[-1, 1]:.1f} %", f"{curve[-1, 2]:.2f}", f"{curve[-1, 3]:.3f}"]
            cells.append(f"{needed(curve, 1, apart):.0f}")
            cells.append(f"{needed(curve, 3, error, falling=True):.0f}")
            print(f"| {name} | {way} | {' | '.join(cells)} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
