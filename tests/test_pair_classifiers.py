"""Every classifier of pairs passes the public battery; what their base says of bad tables."""

import warnings

import numpy as np
import pytest
from batteries import run_battery

from sklearn_mteval import KNN, LogReg, NaiveBayes, PairwiseNN
from sklearn_mteval.classifiers import PairEnsemble, TiedPairClassifier
from sklearn_mteval.kernels import PreferenceKernelSVC
from sklearn_mteval.pair_classifiers import check_halves, declares, learn_classes
from sklearn_mteval.testing import pair_classifier_checks

SMALL = {"max_epochs": 30, "learning_rate": 0.1, "validation_fraction": None, "random_state": 0}
SMALL_ENSEMBLE = PairEnsemble(cv=2).set_params(
    boosting__max_iter=10, boosting__min_samples_leaf=2, boosting__max_bins=16
)
CLASSIFIERS = {
    "LogReg": LogReg(),
    "LogReg, stepwise": LogReg(stepwise=True),
    "NaiveBayes": NaiveBayes(),
    "NaiveBayes, few points": NaiveBayes(span=0.2, n_points=5),
    "KNN": KNN(),
    "KNN, three": KNN(n_neighbors=3),
    "PairEnsemble": SMALL_ENSEMBLE,
    "PairwiseNN": PairwiseNN(solver="numba", **SMALL),
    "PairwiseNN, symmetric": PairwiseNN(solver="numba", symmetric=True, **SMALL),
    "PairwiseNN, torch": PairwiseNN(solver="torch", **SMALL),
    "PreferenceKernelSVC": PreferenceKernelSVC(),
    "PreferenceKernelSVC, no probabilities": PreferenceKernelSVC(calibration_folds=None),
    "PreferenceKernelSVC, landmarks": PreferenceKernelSVC(n_components=5, random_state=0),
    "TiedPairClassifier": TiedPairClassifier(),
    "TiedPairClassifier, Davidson": TiedPairClassifier(tie_model="davidson", varying=False),
}


@pytest.mark.parametrize("title", CLASSIFIERS)
def test_it_passes_the_battery(title):
    n_classes = 2 + title.startswith("Tied")
    for text in ("All pairs are of one segment", "Training stopped", "The pair table has no"):
        warnings.filterwarnings("ignore", text)  # pytest takes it back
    run_battery(pair_classifier_checks(CLASSIFIERS[title], n_classes=n_classes))


def test_halves_mirror_each_other():
    assert check_halves(6) == check_halves(6, ["t1__a", "b", "c", "t2__a", "d", "e"]) == 3
    with pytest.raises(ValueError, match=r"even number of columns.* found n_features = 5"):
        check_halves(5)
    with pytest.raises(ValueError, match="'t1__b' of t1 faces 't2__a' of t2: expected 't2__b'"):
        check_halves(4, ["t1__a", "t1__b", "t2__a", "t2__a"])


def test_labels_are_numbered_in_their_order():
    classes, codes = learn_classes(["no", "yes", "no"])
    assert classes.tolist() == ["no", "yes"] and codes.tolist() == [0, 1, 0]
    assert learn_classes([2, 2], known=[2, -1])[1].tolist() == [1, 1]
    assert learn_classes([7, 5, 6, 5], 3)[1].tolist() == [2, 0, 1, 0]


@pytest.mark.parametrize(
    ("y", "options", "problem"),
    [
        ([1, 1], {}, "^Expected two classes, t1 is worse or better; y has 1 class: .1.[.]$"),
        ([1, 2, 3], {}, "^Only binary classification is supported. .* multiclass. Expected two"),
        ([0, 1], {"n_classes": 3}, "^Expected three classes, .*; y has 2 classes: .0, 1.[.]$"),
        ([0, 7], {"known": [0, 1]}, "label 7; the classes are .0, 1."),
        ([0.0, np.nan], {}, "y contains NaN"),
        ([0.5, 1.5], {}, "Unknown label type: continuous"),
    ],
)
def test_labels_that_are_none(y, options, problem):
    with pytest.raises(ValueError, match=problem):
        learn_classes(y, **options)


@pytest.mark.parametrize("value", [1, "yes", np.True_, None, [True]])
def test_only_true_declares(value):
    model = LogReg()
    assert not declares(model, "antisymmetric") and not declares(object(), "antisymmetric")
    model.antisymmetric = value
    assert not declares(model, "antisymmetric")
    model.antisymmetric = True
    assert declares(model, "antisymmetric")
