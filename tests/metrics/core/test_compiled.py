"""Compiled kernels against themselves as plain Python: the compiler changes no result."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.metrics import (
    best_system_rate,
    calibrate_ties,
    err,
    mrr,
    ndcg,
    permutation_test,
    soft_pairwise_accuracy,
    trueskill_scores,
)
from sklearn_mteval.metrics.system.tables import score_table


@pytest.fixture(scope="module")
def table():
    """Judgements and two metrics with ties, of twelve segments with two to five systems."""
    rng = np.random.default_rng(4)
    rows = [(s, "r", k) for s in range(12) for k in range(rng.integers(2, 6))]
    index = pd.MultiIndex.from_tuples(rows, names=["segment", "ranking", "system"])
    y = pd.Series(rng.integers(1, 5, len(rows)), index=index)
    return y, pd.DataFrame(rng.integers(0, 7, (len(rows), 2)) / 2, index=index)


def qualities(y, scores, groups):
    return [f(y, scores[0], groups=groups) for f in (ndcg, mrr, err, best_system_rate)]


def permutations(y, scores, groups):
    cases = [("wmt12", "pairs"), ("acc_eq", "groups"), ("wmt14", "groups")]
    rows = {"groups": groups, "documents": range(len(y))}
    return [
        permutation_test(
            y, scores, **rows, statistic=name, average=average, n_permutations=20
        ).p_values[0, 1]
        for name, average in cases
    ]


def calibrations(y, scores, groups):
    found = [calibrate_ties(y, scores[0], groups=groups, average=a) for a in ("pairs", "groups")]
    return [number for result in found for number in result[:2]]


def confidences(y, scores, groups):
    labels = [y.index.get_level_values(name) for name in ("segment", "system")]
    tables = [score_table(column, *labels) for column in (-y, scores[0], scores[1])]
    return [soft_pairwise_accuracy(tables[0], table) for table in tables]


def skills(y, scores, groups):
    return trueskill_scores(y.to_frame(), y).to_numpy().ravel().tolist()


@pytest.mark.parametrize(
    ("module", "compute"),
    [
        ("core.ranked_lists", qualities),
        ("significance.swapped_pairs", permutations),
        ("segment.tie_sweep", calibrations),
        ("system.flip_kernel", confidences),
        ("system.trueskill_kernel", skills),
    ],
)
def test_compiled_as_in_python(table, module, compute, monkeypatch):
    y, scores = table
    groups = y.index.droplevel("system")
    compiled = compute(y, scores, groups)
    kernels = import_module(f"sklearn_mteval.metrics.{module}")
    functions = {name: f for name, f in vars(kernels).items() if hasattr(f, "py_func")}
    assert functions
    for name, function in functions.items():
        monkeypatch.setattr(kernels, name, function.py_func)
    assert compute(y, scores, groups) == pytest.approx(compiled)
