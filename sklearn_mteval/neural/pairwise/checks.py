"""Parameters of PairwiseNN: what they may be."""

import numbers

import numpy as np
from sklearn.utils import assert_all_finite, check_consistent_length
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from sklearn_mteval.neural.pairwise.architecture import ARCHITECTURES

__all__ = ["LOSSES", "check_parameters", "signs_of"]

# The objectives that each loss goes through.
LOSSES = {
    "logistic": ("logistic",),
    "kendall": ("kendall",),
    "logistic+kendall": ("logistic", "kendall"),
}
_CHOICES = {
    "architecture": ARCHITECTURES,
    "loss": tuple(LOSSES),
    "solver": ("auto", "torch", "numba"),
}


def check_parameters(net):
    """Raise unless every parameter of a PairwiseNN is in range.

    Parameters
    ----------
    net : PairwiseNN
        Whose parameters.

    Raises
    ------
    ValueError
        Naming the parameter, what it may be and what it is.
    """
    for name, allowed in _CHOICES.items():
        if getattr(net, name) not in allowed:
            _refuse(net, name, f"one of {list(allowed)}")
    for name in ("hidden_units", "max_epochs", "batch_size"):
        _check_number(net, name, numbers.Integral, 1, "a whole number, 1 or more")
    for name in ("patience", "n_threads"):
        if getattr(net, name) is not None:
            _check_number(net, name, numbers.Integral, 1, "None or a whole number, 1 or more")
    for name in ("l2", "gamma", "beta"):
        _check_number(net, name, numbers.Real, 0, "a number, 0 or more")
    _check_number(net, "lr", numbers.Real, np.nextafter(0, 1), "a number above 0")
    if net.validation_fraction is not None:
        _check_number(net, "validation_fraction", numbers.Real, 0, "None or from 0 to below 1")
        if net.validation_fraction >= 1:
            _refuse(net, "validation_fraction", "None or from 0 to below 1")
    if not isinstance(net.device, str):
        _refuse(net, "device", "the name of a device, such as 'cpu' or 'cuda'")
    if isinstance(net.validation_segments, str | bytes | numbers.Number):
        _refuse(net, "validation_segments", "None or a list of labels of segments")
    if net.solver == "numba" and net.device != "cpu":
        raise ValueError(f"solver='numba' computes on the CPU, found device={net.device!r}.")


def _check_number(net, name, kind, least, expected):
    """Check type and range of a number."""
    value = getattr(net, name)
    if isinstance(value, bool) or not isinstance(value, kind) or not least <= value < np.inf:
        _refuse(net, name, expected)


def _refuse(net, name, expected):
    """Say what a parameter must be."""
    raise ValueError(f"PairwiseNN's {name} must be {expected}, found {getattr(net, name)!r}.")


def signs_of(y, X, classes=None):
    """Turn labels into +1 and −1.

    Parameters
    ----------
    y : array-like of shape (n_pairs,)
        Labels.
    X : DataFrame or ndarray with n_pairs rows
        What they belong to.
    classes : array-like of shape (2,), optional
        Both labels, where y need not have both.

    Returns
    -------
    signs : ndarray of shape (n_pairs,)
        +1 for the larger label, t1 is better; −1 for the other.
    classes : ndarray of shape (2,)
        The labels.

    Raises
    ------
    ValueError
        If y is missing, of another length, has NaN, or has not two labels.
    """
    if y is None:
        raise ValueError("PairwiseNN requires y to be passed, but the target y is None.")
    check_consistent_length(X, y)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    known = np.unique(y if classes is None else classes)
    if len(known) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y)}: {len(known)} classes, expected 2, t1 is worse or better."
        )
    if len(known) == 1:
        raise ValueError(
            f"y has one class only, {known.tolist()[0]!r}: PairwiseNN needs pairs of both "
            "classes. Give every pair in both directions."
        )
    unknown = np.setdiff1d(y, known)
    if len(unknown):
        raise ValueError(
            f"y has the label {unknown.tolist()[0]!r}; the classes are {known.tolist()}."
        )
    return np.where(y == known[1], 1.0, -1.0), known
