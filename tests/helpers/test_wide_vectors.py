"""What ``make test-kernels`` takes from numpy."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "wide_vectors.py"


def printed(environment):
    command = [sys.executable, "-W", "error", PROGRAM]
    return subprocess.run(
        command, env=environment, capture_output=True, check=True, text=True
    ).stdout


def test_numpy_takes_the_list_and_then_has_nothing_of_it():
    inherited = {k: v for k, v in os.environ.items() if k != "NPY_DISABLE_CPU_FEATURES"}
    found = printed(inherited).strip()
    assert printed(inherited | {"NPY_DISABLE_CPU_FEATURES": found}).strip() == ""
