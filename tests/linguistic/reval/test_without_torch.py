"""Without the extra [neural], nothing is missing."""

import pytest
from refused_imports import run_refusing

PROGRAM = """
import pandas as pd
from sklearn_mteval.neural import ReValRegressor

X = pd.DataFrame({"hypothesis": ["a b", "c"], "reference": ["a b", "d"]})
options = {"n_units": 3, "max_epochs": 1, "random_state": 0}
for encoder in ("lstm", "tree-lstm"):
    assert ReValRegressor(encoder=encoder, **options).fit(X, [5, 1]).predict(X).shape == (2,)
assert not asked
"""


@pytest.mark.slow
def test_training_and_prediction():
    run = run_refusing(["torch", "skorch"], PROGRAM)
    assert run.returncode == 0, run.stderr
