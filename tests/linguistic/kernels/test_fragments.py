"""Fragments of a preference kernel: together they are the kernel, exactly."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from random_trees import forest, partial_trees

from sklearn_mteval import RankRecomposer
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.kernels import (
    PartialTreeKernel,
    PreferenceKernelSVC,
    SubsetTreeKernel,
    top_fragments,
)
from sklearn_mteval.plots import FragmentDisplay


def fitted(trees, *, normalize=True, lam=0.6, mu=0.7):
    kernel = PartialTreeKernel(lam, mu, normalize=normalize)
    model = PreferenceKernelSVC(kernel, C=0.3, calibration_folds=None)
    lines = [str(tree) for tree in trees]
    pairs = [[one, other] for one, other in zip(lines[::2], lines[1::2], strict=True)]
    pairs += [pair[::-1] for pair in pairs]
    labels = [1] * (len(pairs) // 2) + [0] * (len(pairs) // 2)
    return model.fit(pairs, labels)


def shape_of(line):
    """Read a fragment, all of whose nodes are in brackets, as labels with places of parents."""
    found, above = [], []
    for token in line.replace("(", " ( ").replace(")", " ) ").split():
        if token == ")":
            above.pop()
        elif token != "(":
            found.append((token, above[-1] if above else -1))
            above.append(len(found) - 1)
    return tuple(found)


@pytest.mark.parametrize("normalize", [True, False])
def test_weights_of_all_fragments_give_the_scores(normalize):
    trees = [tree for tree in forest(3, 60, most=6) if len(tree.labels) > 1][:40]
    model = fitted(trees, normalize=normalize)
    table = top_fragments(model, n_fragments=10**6, max_nodes=6, beam=10**6)
    weight = {shape_of(row.fragment): row.weight for row in table.itertuples()}
    kernel = model.kernel
    scores = model.decision_function([[str(tree), ""] for tree in trees])
    for tree, score in zip(trees, scores, strict=True):
        features = partial_trees(tree, kernel.lam, kernel.mu)
        expected = sum(weight.get(shape, 0.0) * worth for shape, worth in features.items())
        if normalize:
            expected /= np.sqrt(PartialTreeKernel(0.6, 0.7, normalize=False)([tree])[0, 0])
        np.testing.assert_allclose(score, expected, atol=1e-9)
    assert (table["n_nodes"] == [len(shape_of(line)) for line in table["fragment"]]).all()
    assert table["weight"].abs().is_monotonic_decreasing


def test_the_heaviest_are_found_with_a_narrow_beam():
    good, bad = "(S (NP-REL (X a)) (VP (X b)))", "(S (NP (X a)) (VP (X b)))"
    others = [f"(S (O (X w{k})))" for k in range(4)]
    pairs = [[good, bad], [bad, good], [good, others[0]], [others[0], good]]
    model = PreferenceKernelSVC(calibration_folds=None).fit(pairs, [1, 0, 1, 0])
    table = top_fragments(model, n_fragments=3, beam=5)
    assert "NP-REL" in table[table["weight"] > 0]["fragment"].iloc[0]


def test_of_a_ranker_by_column_name():
    index = pd.MultiIndex.from_product([range(3), list("abc")], names=["segment", "system"])
    X = pd.DataFrame({"hypothesis_tree": [f"(S (N w{k}))" for k in range(9)]}, index=index)
    X["reference_tree"] = "(S (N w))"
    ranker = RankRecomposer(PreferenceKernelSVC()).fit(X, np.arange(9) % 3)
    table = top_fragments(ranker)
    assert set(table["column"]) <= {"hypothesis_tree", "reference_tree"}
    display = FragmentDisplay.from_estimator(ranker, n_fragments=2)
    assert len(display.bars_) == len(display.names) <= 4
    assert display.ax_.get_ylim()[0] > display.ax_.get_ylim()[1]  # the heaviest on top
    with pytest.raises(CandidateError, match=r"column .*found "):
        FragmentDisplay.from_estimator(ranker, column="source_tree")
    plt.close("all")


def test_what_has_no_fragments():
    with pytest.raises(TypeError, match="must be a PreferenceKernelSVC, found int"):
        top_fragments(3)
    numbers = PreferenceKernelSVC(calibration_folds=None).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    with pytest.raises(TypeError, match="on 0 columns of trees"):
        top_fragments(numbers)
    trees = [["(A b)", "(A c)"], ["(A c)", "(A b)"]]
    other = PreferenceKernelSVC(SubsetTreeKernel(), calibration_folds=None).fit(trees, [0, 1])
    with pytest.raises(TypeError, match="fragments are those of a PartialTreeKernel"):
        top_fragments(other)
    with pytest.raises(ValueError, match="beam"):
        top_fragments(fitted(forest(3, 8, most=6)[:0] + forest(1, 2, most=4)), beam=0)
    with pytest.raises(CandidateError, match="nothing to draw"):
        FragmentDisplay([], [])
    with pytest.raises(CandidateError, match="weights must have shape"):
        FragmentDisplay(["(A)"], [1, 2])
