"""Parameters of PairwiseNN: what they may be."""

import numbers

import numpy as np

from sklearn_mteval.neural.network import ARCHITECTURES

__all__ = ["LOSSES", "check_parameters"]

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
