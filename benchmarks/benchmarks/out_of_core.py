"""Training on blocks that are made anew in each pass, against the same fit of all rows in memory.

Each fit runs in a process of its own, because peak memory is one of a process.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import PairDifference, RankRecomposer
from sklearn_mteval._helpers.memory import peak_memory

N_ROWS, N_COLUMNS, N_BLOCKS = 1_000_000, 16, 50


class Blocks:
    """Rankings of five, drawn anew in each pass, as a reader of files would read them."""

    def __init__(self, n_rows=N_ROWS, n_blocks=N_BLOCKS):
        self.n_segments, self.n_blocks = n_rows // 5 // n_blocks, n_blocks

    def __len__(self):
        return self.n_blocks

    def __iter__(self):
        weights = np.linspace(-0.3, 0.3, N_COLUMNS)
        for number in range(self.n_blocks):
            rng = np.random.default_rng(number)
            values = rng.normal(size=(self.n_segments * 5, N_COLUMNS))
            first = number * self.n_segments
            segments = np.repeat(np.arange(first, first + self.n_segments), 5)
            index = pd.MultiIndex.from_arrays(
                [segments, np.tile([*"abcde"], self.n_segments)], names=["segment", "system"]
            )
            liking = (values @ weights + rng.normal(size=len(values))).reshape(-1, 5)
            ranks = 1 + (-liking).argsort(axis=1).argsort(axis=1)
            yield pd.DataFrame(values, index=index), pd.Series(ranks.ravel(), index=index)


def classifier(solver):
    """Make the default classifier, with a solver that goes on to the minimum."""
    last = LogisticRegression(solver=solver, tol=1e-10 if solver != "lbfgs" else 1e-4)
    return make_pipeline(PairDifference(), StandardScaler(copy=False), last)


def fit(how):
    """Train in one way; return processor seconds, MiB before and at the peak, and weights."""
    blocks = Blocks()
    few = Blocks(n_rows=1000, n_blocks=2)
    RankRecomposer().fit_blocks(few)  # what is compiled, and imported, is there
    if how == "read":
        before, start = peak_memory(), time.process_time()
        for _ in blocks:
            pass
        weights = []
    elif how == "blocks":
        before, start = peak_memory(), time.process_time()
        ranker = RankRecomposer().fit_blocks(blocks)
        weights = ranker.estimator_[-1].coef_[0].tolist()
    elif how == "sgd":
        before, start = peak_memory(), time.process_time()
        last = SGDClassifier(loss="log_loss", random_state=0)
        ranker = RankRecomposer(make_pipeline(PairDifference(), last))
        for X, y in blocks:
            ranker.partial_fit(X, y)
        weights = ranker.estimator_[-1].coef_[0].tolist()
    else:
        before = peak_memory()
        X, y = (pd.concat(parts) for parts in zip(*blocks, strict=True))
        start = time.process_time()
        ranker = RankRecomposer(classifier(how)).fit(X, y)
        weights = ranker.estimator_[-1].coef_[0].tolist()
    seconds = time.process_time() - start
    return seconds, before / 2**20, peak_memory() / 2**20, weights


class MillionRows:
    """1,000,000 rows of 16 columns, rankings of five: 4,000,000 ordered pairs; processor time."""

    unit = "seconds"
    timeout = 600

    def setup_cache(self):
        """Run each way once."""
        found = {}
        for how in ("read", "blocks", "sgd", "newton-cholesky", "lbfgs"):
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.out_of_core", how],
                capture_output=True, check=True, text=True, cwd=Path(__file__).parents[1],
            )  # fmt: skip
            found[how] = json.loads(done.stdout)
        return found

    def track_blocks(self, found):
        return found["blocks"][0]

    def track_reading_one_pass(self, found):
        return found["read"][0]

    def track_ratio_to_newton_in_memory(self, found):
        return found["newton-cholesky"][0] / found["blocks"][0]

    track_ratio_to_newton_in_memory.unit = "times as fast"

    def track_ratio_to_lbfgs_in_memory(self, found):
        return found["lbfgs"][0] / found["blocks"][0]

    track_ratio_to_lbfgs_in_memory.unit = "times as fast"

    def track_memory_of_blocks(self, found):
        return found["blocks"][2]

    track_memory_of_blocks.unit = "MiB"

    def track_memory_before(self, found):
        return found["blocks"][1]

    track_memory_before.unit = "MiB"

    def track_memory_of_newton_in_memory(self, found):
        return found["newton-cholesky"][2]

    track_memory_of_newton_in_memory.unit = "MiB"

    def track_memory_of_lbfgs_in_memory(self, found):
        return found["lbfgs"][2]

    track_memory_of_lbfgs_in_memory.unit = "MiB"

    def track_partial_fit_of_sgd(self, found):
        return found["sgd"][0]

    def track_difference_of_weights_to_newton(self, found):
        return float(np.abs(np.subtract(found["blocks"][3], found["newton-cholesky"][3])).max())

    track_difference_of_weights_to_newton.unit = "log-odds"

    def track_difference_of_weights_to_lbfgs(self, found):
        return float(np.abs(np.subtract(found["blocks"][3], found["lbfgs"][3])).max())

    track_difference_of_weights_to_lbfgs.unit = "log-odds"


if __name__ == "__main__":
    print(json.dumps(fit(sys.argv[1])))
