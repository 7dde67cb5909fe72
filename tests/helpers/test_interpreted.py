import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import numpy as np
import sklearn_mteval._helpers.compiled as compiling
from sklearn_mteval._helpers import _interpreted
compiling.on_compiling = lambda: print("compiling")
import kernels
times, size = map(int, sys.argv[1:])
for _ in range(times):
    assert kernels.outer(np.ones(size)) == 3 * size
"""
KERNELS = """
import numpy as np
from sklearn_mteval._helpers.compiled import compiled

@compiled
def inner(x):
    return 2 * x + 1

@compiled(steps_in_python=len)
def outer(values):
    total = np.uint64(2**63) * np.uint64(2)  # wraps around to 0
    for value in values:
        total += np.uint64(inner(value))
    return total
"""


@pytest.fixture
def run(tmp_path):
    """Call a kernel so many times with so many numbers; say whether it was compiled."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    paths = [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}

    def call(times, size, cache="cache", program=PROGRAM):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program, str(times), str(size)],
            env={**environment, "NUMBA_CACHE_DIR": str(tmp_path / cache)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout == "compiling\n"

    return call


@pytest.mark.slow
def test_small_data_are_not_worth_compiling_and_large_ones_are(run, tmp_path):
    assert not run(3, 1000)
    assert not list((tmp_path / "cache").rglob("*.nbc"))
    assert run(1, 100_001)
    assert list((tmp_path / "cache").rglob("*.nbc"))
    assert not run(1, 100_001)  # it is in the cache now


@pytest.mark.slow
def test_many_calls_of_small_data_are_worth_compiling(run):
    impatient = PROGRAM.replace("import kernels", "_interpreted._LONG = 0\nimport kernels")
    assert run(2, 1000, program=impatient)
    assert not run(1, 1000, "other", program=impatient)  # the first is not known to be slow


@pytest.mark.slow
def test_machine_code_that_is_there_is_run(run):
    assert run(1, 100_001)
    told = "assert kernels.outer.stats.cache_hits.total() == 1\n"
    assert not run(1, 1000, program=PROGRAM + told)


# What the ready-made model for English makes of odd texts and of ten segments of the sample.
SCORES = """
import sys
import pandas as pd
from sklearn_mteval._helpers import _interpreted
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.models import open_model, rank_candidates
_interpreted.SMALL, _interpreted._LONG = float(sys.argv[1]), float("inf")
X = load_sample(return_X_y=True)[0].iloc[:50]
odd = X.iloc[:5].copy()
odd["hypothesis"] = ["", "!", "the the the the the", "a" * 300, "ẞ 漢字 12.5% , -3"]
odd.index = odd.index.set_levels([f"odd {k}" for k in odd.index.levels[0]], level=0)
X = pd.concat([X, odd])
model = open_model("static-en", windows=False)
columns = model[:-1].transform(X).to_numpy(dtype=float)
print(columns.tobytes().hex(), rank_candidates(model, X).to_numpy(dtype=float).tobytes().hex())
"""


@pytest.mark.slow
def test_python_computes_the_same_bits_as_machine_code(tmp_path):
    def scores(small, **environment):
        return subprocess.run(
            [sys.executable, "-c", SCORES, small],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    interpreted = scores("inf", NUMBA_CACHE_DIR=str(tmp_path))
    assert not list(tmp_path.rglob("*.nbc"))
    assert len(interpreted) > 10_000
    assert interpreted == scores("0")
