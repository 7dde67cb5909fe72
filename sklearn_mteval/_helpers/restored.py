"""Checks of what loading puts into an object: it may come from a stranger's file.

Whatever is used as an index or a shape, or goes into a compiled kernel, is checked here, once, when
it is loaded; what computes then trusts it.
"""

import numbers
from contextlib import contextmanager
from inspect import getattr_static
from itertools import pairwise

import numpy as np

_DAMAGED = (
    AttributeError, IndexError, KeyError, OverflowError, RecursionError, TypeError, ValueError
)  # fmt: skip
_ARRAYS = np.ndarray, np.memmap  # not a matrix, nor a masked array


def check_restored(estimator, is_whole):
    """Raise unless a loaded estimator has its parameters and, once fitted, ``is_whole()``."""
    with refusing(estimator):
        # Among its attributes, the state could have what stands in for a method, this check even.
        for name in vars(estimator):
            if hasattr(getattr_static(type(estimator), name, None), "__get__"):
                refuse(estimator, f"{name} is a method")
        estimator.get_params(deep=False)
        # check_is_fitted asks no more.
        fitted = any(name.endswith("_") and name[:2] != "__" for name in vars(estimator))
        whole = not fitted or (_knows_its_table(estimator) and is_whole())
    if not whole:
        refuse(estimator)


@contextmanager
def refusing(thing):
    """Refuse an object if what was saved of it raises what damaged or foreign content does."""
    try:
        yield
    except _DAMAGED as error:
        refuse(thing, error)


def refuse(thing, reason=None):
    """Say that an object cannot be what was saved."""
    raise ValueError(
        f"The saved {type(thing).__name__} does not hold what a fit leaves: its numbers do not fit "
        f"together{f' ({reason})' if reason else ''}. Train and save it again."
    )


def are_labels(classes, n_classes=2):
    """Tell whether these are two labels, or another number, in order, NaN being none."""
    if type(classes) not in _ARRAYS or classes.shape != (n_classes,):
        return False
    return all(bool(low < high) for low, high in pairwise(classes))


def is_array(value, shape, dtype=np.float64, *, low=-np.inf, high=np.inf, finite=True):
    """Tell whether a value is numpy's own C-contiguous array, its numbers in bounds, none NaN."""
    if type(value) not in _ARRAYS or value.dtype != dtype or value.shape != tuple(shape):
        return False
    if not value.flags.c_contiguous:
        return False
    if not value.size or value.dtype.kind == "b":
        return True
    least, most = value.min(), value.max()  # NaN, if there is one
    bounded = bool(low <= least and most <= high)
    return bounded and not (finite and (np.isinf(least) or np.isinf(most)))


def is_count(value, low=0, high=2**53):
    """Tell whether a value is an integer within bounds; True and False are none."""
    integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return integer and bool(low <= value <= high)


def is_number(value, low=-np.inf, high=np.inf):
    """Tell whether a value is a finite number within bounds."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return number and bool(np.isfinite(value)) and bool(low <= value <= high)


def is_list_of(kind, value, *, distinct=False):
    """Tell whether a value is a list whose items are of a type, or of types."""
    if type(value) is not list or not all(isinstance(item, kind) for item in value):
        return False
    return not distinct or len(set(value)) == len(value)


def is_dict_of(value, keys, is_right):
    """Tell whether a value is a dict from these keys to what is right."""
    return type(value) is dict and set(value) == set(keys) and all(map(is_right, value.values()))


def _knows_its_table(estimator):
    """Check number and names of the columns that were seen in fit, where they are kept."""
    state = vars(estimator)
    n_features = state.get("n_features_in_", 0)
    names = state.get("feature_names_in_")
    if not is_count(n_features):
        return False
    if names is None:
        return True
    plain = type(names) in _ARRAYS and names.dtype == object and names.shape == (n_features,)
    return plain and "n_features_in_" in state
