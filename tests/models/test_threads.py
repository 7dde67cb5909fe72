"""Models without an encoder say the same, to the bit, with any number of threads."""

import os
import subprocess
import sys

import pytest

from sklearn_mteval.models.cards import READY_MADE

PROGRAM = """
import sys
import numpy as np
from sklearn_mteval import load_pretrained
from sklearn_mteval.datasets import load_sample

X, _ = load_sample(return_X_y=True)
print(np.asarray(load_pretrained(sys.argv[1]).decision_function(X)).tobytes().hex())
"""


@pytest.mark.slow  # three programs
@pytest.mark.parametrize("name", [name for name, card in READY_MADE.items() if not card.encoder])
def test_strengths_with_any_number_of_threads(name):
    found = set()
    for n_threads in ("1", "2", None):
        environment = {key: value for key, value in os.environ.items() if "NUM_THREADS" not in key}
        environment |= {} if n_threads is None else {"OMP_NUM_THREADS": n_threads}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, name], env=environment, capture_output=True, check=True
        )
        found.add(done.stdout)
    assert len(found) == 1
    assert len(found.pop()) > 5000
