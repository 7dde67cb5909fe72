"""Blocks of whole segments to train on, and what two fitted rankers hold compared."""

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

NAMES = {"alone": list("abcd"), "with head": ["a", "competing_b", "c", "x__contrastive_d"]}


def table(names="abcd", n_segments=40, seed=0):
    """Segments of one or two rankings of one to five systems, ranks with ties, odd scales."""
    rng = np.random.default_rng(seed)
    labels = [
        (s, f"judge{r}", f"sys{k}")
        for s in range(n_segments) for r in range(rng.integers(1, 3))
        for k in range(rng.integers(1, 6))
    ]  # fmt: skip
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "ranking", "system"])
    values = rng.normal(size=(len(labels), 4)) * [1, 10, 0.1, 1e3] + [0, 5, 100, 1e4]
    X = pd.DataFrame(values, index=index, columns=list(names))
    X["length"] = [7.0 + s % 5 for s, _, _ in labels]  # the segment's, not the candidate's
    y = pd.Series(np.ceil(-2 * X.iloc[:, 0] + rng.normal(size=len(X))), index=index)
    return X, y


def cut(X, y, n_blocks, seed=0):
    """Deal whole segments to blocks at random."""
    labels = X.index.get_level_values("segment")
    dealt = np.random.default_rng(seed).integers(0, n_blocks, labels.max() + 1)[labels]
    return [(X[dealt == k], y[dealt == k]) for k in range(n_blocks) if (dealt == k).any()]


def assert_alike(found, expected, rtol=1e-8):
    """Compare all that two fitted estimators hold, and those within them."""
    assert type(found) is type(expected)
    if isinstance(expected, Pipeline):
        for (name, step), (other, like) in zip(found.steps, expected.steps, strict=True):
            assert name == other
            assert_alike(step, like, rtol)
        return
    assert vars(found).keys() == vars(expected).keys()
    for name, value in vars(expected).items():
        own = getattr(found, name)
        if name in found.get_params(deep=False) or name == "n_iter_":
            continue
        assert type(own) is type(value), name
        if name == "_so_far":
            assert own[1] == value[1]
        elif name == "_trained":
            assert own is None if value is None else all(map(np.array_equal, own, value))
        elif hasattr(value, "get_params"):
            assert_alike(own, value, rtol)
        elif isinstance(value, np.ndarray):
            assert own.dtype == value.dtype and own.shape == value.shape, name
            if value.dtype.kind == "f":
                scale = np.abs(value).max(initial=0)
                np.testing.assert_allclose(own, value, rtol, 1e-9 + 1e-12 * scale, err_msg=name)
            else:
                np.testing.assert_array_equal(own, value, err_msg=name)
        else:
            assert own == value, name
