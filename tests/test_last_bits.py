"""Numbers as another processor computes them: their last bits move no draw, no fold and no split.

OpenBLAS adds up in another order on each processor, and numpy has its own exponentials where there
is AVX-512. Models and metrics say other last bits there, and must not be judged otherwise.
"""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval import RankRecomposer
from sklearn_mteval._helpers.order import by_content, content_order, landmarks, rough
from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.datasets.sample import sample_files
from sklearn_mteval.metrics import (
    agreement_interval,
    error_free_detection,
    paired_bootstrap,
    permutation_test,
)
from sklearn_mteval.stacking.cross_fit import CrossFitScore

# Exponentials and logarithms as of another processor: of most numbers the neighbouring one.
OTHER_NUMPY = """
import contextlib
import numpy as np

with contextlib.suppress(ImportError):
    import dask.array  # which asks for true ufuncs

def nudged(name):
    exact = getattr(np, name)
    class Nudged:
        def __call__(self, x, *args, **options):
            found = exact(x, *args, **options)
            if not isinstance(found, np.ndarray) or found.dtype != np.float64 or "out" in options:
                return found
            some = np.isfinite(found) & (found != 0) & (found != 1)
            some &= np.ascontiguousarray(found).view(np.uint64) % np.uint64(4) > 0
            return np.where(some, np.nextafter(found, np.inf), found)
        def __getattr__(self, name):
            return getattr(exact, name)
    return Nudged()

for name in ("exp", "log", "tanh", "expm1", "log1p"):
    setattr(np, name, nudged(name))
"""
TRAINED = ("train", "judgements.csv", "--better", "lower", "-o", "mine", "--no-progress")
COMPARED = ("compare", "judgements.csv", "--better", "lower", "--metrics", "chrf", "bleu", "ter",
            "--level", "segment")  # fmt: skip


def nudged(values, seed=0):
    """Change the last bits of numbers; 0 and whole numbers are exact everywhere."""
    values = np.asarray(values, dtype=np.float64)
    noise = np.random.default_rng(seed).integers(-8, 9, values.shape)
    return np.where(values == np.rint(values), values, values * (1 + noise * 2.0**-52))


@pytest.fixture(scope="module")
def judged():
    """60 segments of four systems: ranks, and two metrics one of which has ties."""
    rng = np.random.default_rng(0)
    segments = np.repeat(np.arange(60), 4)
    human = np.concatenate([rng.permutation(4) for _ in range(60)])
    fine = rng.normal(scale=2, size=240) - human
    return segments, human, {"fine": fine, "coarse": np.round(rng.normal(size=240) - human)}


@pytest.mark.parametrize("seed", range(5))
def test_rows_and_segments_keep_their_order(judged, seed):
    segments, human, scores = judged
    found = content_order(segments, segments, human, *scores.values())
    other = content_order(segments, segments, human, nudged(scores["fine"], seed), scores["coarse"])
    for one, another in zip(found, other, strict=True):
        np.testing.assert_array_equal(one, another)


def test_landmarks_by_hand():
    codes = np.array([2, 0, 2, 2, 0, 2, 3])
    values = np.array([5.0, 1, 7, 6, 2, -1, np.nan])
    middle, largest, smallest = landmarks([values], codes)
    np.testing.assert_array_equal(middle, [2, np.nan, 6, np.nan])
    np.testing.assert_array_equal(largest, [2, np.nan, 7, np.nan])
    np.testing.assert_array_equal(smallest, [1, np.nan, -1, np.nan])


def test_what_processors_disagree_in_is_equal():
    values = np.array([0.1 + 0.2, 0.3, 0.0, 1e-17, -4.0, np.nan, np.inf, 0.3000001])
    found = rough(values)
    assert found[0] == found[1] < found[7]
    assert found[2] == found[3]
    assert found[4] == -(2.0**29)
    assert np.isnan(found[5])
    assert np.isposinf(found[6])
    assert rough([5e-324, 0]).tolist() == [2.0**29, 0]
    assert rough([True, False]).tolist() == [2.0**29, 0]
    assert rough([]).tolist() == []


def test_units_are_ordered_by_values_then_by_hashes():
    units = np.array([0, 1, 2, 3])
    hashes = np.array([9, 2, 7, 1], dtype=np.uint64)
    texts = np.array(["d", "c", "b", "a"], dtype=object)
    values = np.array([3.0, 1.0, 1.0, np.nan])
    assert by_content(hashes, units, [texts, values]).tolist() == [1, 2, 0, 3]
    assert by_content(hashes, units, [np.ones(4), np.arange(4)[::-1]]).tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("statistic", ["wmt12", "acc_eq", "pearson", "spearman"])
def test_intervals_and_tests_of_metrics(judged, statistic):
    segments, human, scores = judged
    others = {name: nudged(values, 1) for name, values in scores.items()}
    options = {"groups": segments, "statistic": statistic, "average": "groups"}
    for name in scores:
        found = agreement_interval(human, scores[name], **options)
        other = agreement_interval(human, others[name], **options)
        np.testing.assert_allclose(found, other, rtol=1e-9)
    for test in (paired_bootstrap, permutation_test):
        found, other = (test(human, given, **options) for given in (scores, others))
        np.testing.assert_allclose(found.p_values, other.p_values, rtol=1e-9)


def test_folds_of_error_free_detection(judged):
    segments, human, scores = judged
    found, other = (
        error_free_detection(human == 0, given, groups=segments)
        for given in (scores["fine"], nudged(scores["fine"]))
    )
    pd.testing.assert_frame_equal(found.table, other.table, rtol=1e-9)


@pytest.fixture(scope="module")
def features(judged):
    """Features of candidates: sums whose differences are 0 but for rounding, counts, noise."""
    segments, human, scores = judged
    rng = np.random.default_rng(1)
    tenths = rng.integers(0, 3, 240) / 10 + 0.1 + 0.2
    columns = [tenths, rng.integers(0, 5, 240).astype(float), scores["fine"]]
    index = pd.MultiIndex.from_arrays([segments, np.tile(list("abcd"), 60)])
    X = pd.DataFrame(np.column_stack(columns), index.set_names(["segment", "system"]))
    return X.add_prefix("f"), pd.Series(human, X.index)


def test_an_ensemble_learns_the_same(features):
    X, y = features
    models = [
        RankRecomposer(PairEnsemble(), recomposition="expected").fit(given, y)
        for given in (X, *(X * 0 + nudged(X.to_numpy(), seed) for seed in (1, 2, 3)))
    ]
    found, *others = (model.decision_function(X) for model in models)
    for other in others:
        np.testing.assert_allclose(other, found, atol=1e-6)


def test_cross_fitted_scores_are_of_the_same_folds(features):
    from sklearn.linear_model import Ridge

    X, y = features
    found, other = (
        np.asarray(CrossFitScore(Ridge()).fit_transform(given, y))
        for given in (X, X * 0 + nudged(X.to_numpy()))
    )
    np.testing.assert_allclose(other, found, rtol=1e-9)


@pytest.mark.slow  # three programs
@pytest.mark.parametrize("command", [TRAINED, COMPARED], ids=lambda command: command[0])
def test_commands_print_the_same_on_another_processor(tmp_path, command):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sitecustomize.py").write_text(OTHER_NUMPY)
    for name, content in sample_files().items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    other = {
        "PYTHONPATH": os.pathsep.join([str(tmp_path / "other"), os.environ.get("PYTHONPATH", "")])
    }
    printed = []
    for environment in ({}, {"OPENBLAS_CORETYPE": "Prescott"}, other):
        done = subprocess.run(
            [sys.executable, "-m", "sklearn_mteval", *command],
            env=os.environ | environment, cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
        printed.append([line for line in done.stdout.splitlines() if "data:" not in line])
        for path in tmp_path.glob("mine*"):
            path.rename(tmp_path / f"{len(printed)}{path.name}")
    found, *others = printed
    assert any("chrF" in line or "chrf" in line for line in found)
    assert all(line == found for line in others)
