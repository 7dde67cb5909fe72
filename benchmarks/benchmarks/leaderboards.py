"""Leaderboards of an arena's size, and the choice of segments."""

import resource

import numpy as np
import pandas as pd

from sklearn_mteval.evaluation import leaderboard, select_segments

from .common import seconds


class Arena:
    """140,000 battles of 130 models, 1,000 resamples."""

    def setup(self):
        rng = np.random.default_rng(0)
        n, m = 140_000, 130
        strengths = rng.normal(size=m)
        one = rng.choice(m, n, p=rng.dirichlet(np.full(m, 2.0)))
        other = (one + 1 + rng.integers(m - 1, size=n)) % m
        won = rng.random(n) < 1 / (1 + np.exp(strengths[other] - strengths[one]))
        outcome = np.where(rng.random(n) < 0.25, 0, np.where(won, 1, -1))
        names = np.array([f"model-{k}" for k in range(m)])
        labels = [np.repeat(np.arange(n), 2), names[np.column_stack([one, other]).ravel()]]
        index = pd.MultiIndex.from_arrays(labels, names=["segment", "system"])
        self.X = pd.DataFrame(index=index)
        self.y = np.column_stack([1 + (outcome < 0), 1 + (outcome > 0)]).ravel()

    def track_seconds(self):
        return seconds(lambda: leaderboard(self.X, self.y), repeat=1)

    def track_seconds_of_davidsons_model(self):
        return seconds(lambda: leaderboard(self.X, self.y, ties="model"), repeat=1)

    track_seconds.unit = track_seconds_of_davidsons_model.unit = "seconds"

    def track_peak_memory(self):
        leaderboard(self.X, self.y)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    track_peak_memory.unit = "MB of the process"


class Selection:
    """Half of 3,000 segments by three metrics' scores of fifteen systems."""

    def setup(self):
        index = pd.MultiIndex.from_product([range(3000), range(15)], names=["segment", "system"])
        values = np.random.default_rng(0).normal(size=(len(index), 3))
        self.scores = pd.DataFrame(values, index, ["a", "b", "c"])

    def track_seconds(self):
        return seconds(lambda: select_segments(self.scores))

    track_seconds.unit = "seconds"
