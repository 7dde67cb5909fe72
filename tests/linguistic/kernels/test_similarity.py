"""TreeSimilarity against the kernel between what the parser makes, one pair at a time."""

import numpy as np
import pytest
from batteries import run_battery
from sklearn.base import clone
from small_treebank import small_model

from sklearn_mteval import load_model, save_model
from sklearn_mteval.kernels import (
    PartialTreeKernel,
    RelatedTrees,
    SubsetTreeKernel,
    TreeSimilarity,
)
from sklearn_mteval.testing import text_transformer_checks
from sklearn_mteval.trees import ShallowParser


@pytest.mark.parametrize("kernel", [PartialTreeKernel(), SubsetTreeKernel(0.7)])
def test_kernel_of_each_pair(sample, kernel):
    X = sample[0].iloc[:40]
    found = TreeSimilarity(["SYN", "DIS+SYN"], kernel=kernel).fit_transform(X)
    for column, structure in enumerate(("shallow", "shallow+discourse")):
        parser = ShallowParser(structure)
        for row in range(0, len(X), 7):
            cells = X["hypothesis"].iloc[row], X["reference"].iloc[row]
            one, other = parser.parse(
                [cell if isinstance(cell, str) else cell[0] for cell in cells]
            )
            np.testing.assert_allclose(found[row, column], kernel([one], [other])[0, 0], rtol=1e-12)


def test_equal_texts_have_one(sample):
    X = sample[0].iloc[:12]
    X = X.assign(reference=X["hypothesis"])
    np.testing.assert_allclose(TreeSimilarity().fit_transform(X), 1, rtol=1e-12)


@pytest.mark.parametrize(
    "transformer", [TreeSimilarity(), TreeSimilarity(["DIS"], kernel=SubsetTreeKernel())], ids=str
)
def test_battery(transformer):
    run_battery(text_transformer_checks(transformer, trusted=()))


@pytest.mark.parametrize("transformer", [TreeSimilarity(["SYN"]), RelatedTrees("SYN")], ids=str)
def test_another_parser_than_in_fit_is_refused(sample, tmp_path, transformer):
    X = sample[0].iloc[:4]
    save_model(clone(transformer).fit(X), tmp_path / "model")
    for fitted in (clone(transformer).fit(X), load_model(tmp_path / "model")):
        assert len(fitted.transform(X)) == len(X)
        fitted.set_params(parser_model=small_model())
        with pytest.raises(ValueError, match=r"were made by ShallowParser.*, but this is Shallow"):
            fitted.transform(X)
        assert len(fitted.fit(X).transform(X)) == len(X)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"structures": []}, "structures must be"),
        ({"structures": ["CFG"]}, "structures must be of"),
        ({"kernel": "tree"}, "kernel must be a tree kernel"),
    ],
)
def test_options_out_of_range(sample, options, problem):
    with pytest.raises(ValueError, match=problem):
        TreeSimilarity(**options).fit(sample[0])
