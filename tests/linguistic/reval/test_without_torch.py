"""Without the extra [neural], only other devices are missing."""

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
try:
    ReValRegressor(device="cuda", **options).fit(X, [5, 1])
except ImportError as error:
    print(error)
"""


@pytest.mark.slow
def test_training_and_prediction():
    run = run_refusing(["torch", "skorch"], PROGRAM)
    assert run.returncode == 0, run.stderr
    assert "device='cuda' needs torch" in run.stdout
    assert 'pip install "sklearn-mteval[neural]"' in run.stdout
