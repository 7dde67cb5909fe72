"""Tree kernels and preference kernels, with hostile trees, numbers and options."""

import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from fuzz import call, check, target
from fuzz.draw import WORDS
from fuzz.targets.trees import grown
from sklearn_mteval.kernels import (
    PartialTreeKernel,
    PreferenceKernelSVC,
    RelatedTrees,
    SubsetTreeKernel,
    SubtreeKernel,
    TreeSimilarity,
    top_fragments,
)

_KERNELS = (PartialTreeKernel, SubsetTreeKernel, SubtreeKernel)


def kernel_of(draw):
    """Draw a kernel, its decays mostly in their range."""
    kind = draw.one(_KERNELS)
    lam = draw.one([0.4, 1, 1e-3, 1e-300]) if draw.chance(0.9) else draw.one([0, -1, np.nan, "x"])
    return call(kind, lam, normalize=draw.chance(0.8), n_jobs=draw.one([None, 2]))


def lines_of(draw, n):
    """Draw lines of brackets; now and then something else."""
    trees = [str(grown(draw)) for _ in range(min(n, 4))]
    trees += ["()", "(A b)"]
    lines = [draw.one(trees) for _ in range(n)]
    if draw.chance(0.1):
        lines[draw.integer(0, n - 1)] = draw.one(["", "(", "(A b) (C d)", "x", None, 3.0, *WORDS])
    return lines


@target(weight=3)
def gram_matrices(draw):
    kernel, lines = kernel_of(draw), lines_of(draw, draw.integer(1, 8))
    gram = call(kernel, lines)
    check(np.isfinite(gram).all() and gram.min() >= 0, "kernels are finite and not negative")
    check(bool((gram == gram.T).all()), "symmetric")
    if kernel.normalize:
        check(bool((np.abs(np.diagonal(gram) - 1) < 1e-12).all()), "equal trees have 1")
        check(bool(gram.max() <= 1 + 1e-9), "at most 1")
    cross = call(kernel, lines, lines)
    check(np.allclose(gram, cross, rtol=1e-9), "one way or the other")


@target(weight=3)
def preferences(draw):
    n = draw.integer(2, 12)
    trees = np.array(lines_of(draw, 2 * n), dtype=object)
    columns = {"t1__tree": trees[:n], "t2__tree": trees[n:]}
    if draw.chance():
        numbers = np.array([draw.one([0.0, 1.0, -3.0, 1e9]) for _ in range(2 * n)])
        if draw.chance(0.1):
            numbers[0] = draw.one([np.nan, np.inf, 1e300])
        table = {
            "t1__tree": trees[:n], "t1__x": numbers[:n], "t2__tree": trees[n:], "t2__x": numbers[n:]
        }  # fmt: skip
        columns = table
    X = pd.DataFrame({k: pd.Series(v, dtype=v.dtype) for k, v in columns.items()})
    y = np.array([draw.one([0, 1]) for _ in range(n)])
    model = call(
        PreferenceKernelSVC,
        draw.one([None, PartialTreeKernel(), SubsetTreeKernel()]),
        C=draw.one([0.03, 1.0, 1e4, 0]) if draw.chance(0.3) else 0.03,
        loss=draw.one(["hinge", "squared_hinge"]),
        n_components=draw.one([None, 2, 100]),
        calibration_folds=draw.one([None, 2, 5]),
        max_iter=50,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "All pairs are of one segment")
        call(model.fit, X, y)
    margins = call(model.decision_function, X)
    check(np.isfinite(margins).all(), "margins are finite")
    if model.calibration_folds is not None:
        answer = call(model.predict_proba, X)
        check(((answer >= 0) & (answer <= 1)).all(), "probabilities")
    if type(model.kernel) is PartialTreeKernel:
        table = call(top_fragments, model, n_fragments=3, max_nodes=3, beam=10)
        check(np.isfinite(table["weight"]).all(), "weights are finite")


@target(weight=1)
def related_trees(draw):
    X = draw.texts()
    structure = draw.one(["SYN", "DIS", "DIS+POS", "DIS+SYN"])
    made = call(call(RelatedTrees, structure, match=draw.one(["lower", "stem"])).fit_transform, X)
    check(len(made) == len(X), "a row for each row")
    kernel = PartialTreeKernel()
    for column in made:
        check(np.isfinite(kernel.diagonal(made[column].tolist()[:5])).all(), "trees are trees")
    similarity = call(call(TreeSimilarity, [structure]).fit_transform, X)
    check(((similarity >= 0) & (similarity <= 1 + 1e-9)).all(), "between 0 and 1")
