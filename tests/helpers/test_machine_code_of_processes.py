"""Machine code that different processes have compiled, and one loads, has names of its own.

numba names it by the function and a number. Where np.sort's sorting and np.argsort's had one name
and number, ``ndcg`` after ``pairwise_accuracy`` was 1, as what was loaded first stood for both.
"""

import os
import subprocess
import sys

import pytest

KERNEL = """
from sklearn_mteval._helpers.compiled import compiled

@compiled
def twice(x):
    return 2 * x
"""
NAME = """
from kernel import twice
assert twice(2) == 4
print(*(found.fndesc.unique_name for found in twice.overloads.values()))
"""


@pytest.mark.slow
def test_no_two_processes_give_one_name(tmp_path):
    (tmp_path / "kernel.py").write_text(KERNEL)
    paths = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    names = [
        subprocess.run(
            [sys.executable, "-c", NAME],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / cache), "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for cache in ("first", "second")
    ]
    assert all(name.startswith("twice$") for name in names)
    assert names[0] != names[1]
