"""Training on a GPU, where there is one."""

import numpy as np
import pandas as pd
import pytest
import torch

from sklearn_mteval import PairwiseNN
from sklearn_mteval.neural import EncoderOptions

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
ROLES = {"hypothesis": [0, 1, 2], "reference": [3, 4, 5]}


def numbers(n=300):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 16)).astype(np.float32)
    X[:, 11:14] = X[:, 3:6]
    return X, X[:, 7] > X[:, 15]


def texts(n=120):
    rng = np.random.default_rng(0)
    words = np.array(["good", "bad", "the", "a", "cat", "sat", "mat"])
    t1, t2, r = (
        [" ".join(rng.choice(words, rng.integers(0, 9))) for _ in range(n)] for _ in range(3)
    )
    columns = [f"{half}__{role}" for half in ("t1", "t2") for role in ("hypothesis", "reference")]
    X = pd.DataFrame(dict(zip(columns, (t1, r, t2, r), strict=True)))
    return X, np.array([a.count("good") > b.count("good") for a, b in zip(t1, t2, strict=True)])


@needs_gpu
@pytest.mark.parametrize("loss", ["logistic", "kendall", "logistic+kendall"])
@pytest.mark.parametrize("symmetric", [False, True])
def test_the_same_network_as_on_the_cpu(loss, symmetric):
    X, y = numbers()
    options = {
        "column_roles": ROLES,
        "loss": loss,
        "symmetric": symmetric,
        "max_epochs": 5,
        "validation_fraction": None,
        "random_state": 0,
    }
    on_cpu, on_gpu = (PairwiseNN(device=d, **options).fit(X, y) for d in ("cpu", "cuda"))
    for name, values in on_cpu.weights_.items():
        np.testing.assert_allclose(on_gpu.weights_[name], values, atol=1e-4)
    np.testing.assert_allclose(on_gpu.predict_proba(X), on_cpu.predict_proba(X), atol=1e-4)


@needs_gpu
@pytest.mark.parametrize("kind", ["average", "cnn", "lstm", "bilstm"])
@pytest.mark.parametrize("fine_tuning", ["frozen", "moderate", "full"])
def test_encoders(kind, fine_tuning):
    X, y = texts()
    encoder = EncoderOptions(kind, fine_tuning=fine_tuning, dropout=0.2, n_units=5, n_dimensions=6)
    options = {"encoder": encoder, "max_epochs": 20, "random_state": 0, "device": "cuda"}
    net = PairwiseNN(**options).fit(X, y, validation=(X, y))
    assert net.history_[-1]["loss"] < net.history_[0]["loss"]
    assert net.predict_proba(X).shape == (len(X), 2)  # computed on the CPU


def test_a_device_that_is_not_there():
    X, y = numbers()
    with pytest.raises(ValueError, match="torch has no 'cuda:99' on this machine"):
        PairwiseNN(device="cuda:99", column_roles=ROLES, validation_fraction=None).fit(X, y)
