"""What PairwiseNN may be given: parameters, pair tables, labels; when its training can go on."""

import sys
import warnings
from numbers import Number

import numpy as np
import pandas as pd
from sklearn.utils import assert_all_finite, check_consistent_length
from sklearn.utils.validation import validate_data

from sklearn_mteval._helpers.options import (
    check_integer,
    check_number,
    check_one_of,
    check_within,
)
from sklearn_mteval.neural.pairwise.architectures import ARCHITECTURES
from sklearn_mteval.neural.pairwise.column_roles import is_numeric
from sklearn_mteval.neural.pairwise.losses import LOSSES
from sklearn_mteval.neural.pairwise.solvers import SOLVERS
from sklearn_mteval.pair_classifiers import learn_classes

_CHOICES = {"architecture": ARCHITECTURES, "loss": LOSSES, "solver": SOLVERS}
_MOST = 10**9  # of what is counted; more is a slip, and no integer of the kernels
_COUNTS = {"hidden_units": _MOST, "batch_size": _MOST, "max_epochs": 10**6}
_ANOTHER_NETWORK = (
    "Training cannot go on (warm_start, partial_fit) with another architecture, hidden_units, "
    "symmetric, encoder or column_roles: fit a new network."
)


def check_parameters(net):
    """Raise unless every parameter of a PairwiseNN is in range."""

    def option(name, unless=""):
        return f"PairwiseNN's {name}{unless}", getattr(net, name)

    for name, allowed in _CHOICES.items():
        check_one_of(*option(name), allowed)
    for name, most in _COUNTS.items():
        check_integer(*option(name), minimum=1, maximum=most)
    for name in ("patience", "n_threads"):
        if getattr(net, name) is not None:
            check_integer(*option(name, ", unless None,"), minimum=1, maximum=_MOST)
    for name in ("l2", "gamma", "beta"):
        check_within(*option(name), 0)
    check_number(*option("learning_rate"), above=0, maximum=sys.float_info.max)
    if net.validation_fraction is not None:
        check_within(*option("validation_fraction", ", unless None,"), 0, np.nextafter(1, 0))
    if not isinstance(net.device, str):
        raise ValueError(f"PairwiseNN's device must be a name like 'cpu', found {net.device!r}.")
    if isinstance(net.validation_segments, str | bytes | Number):
        raise ValueError(
            "PairwiseNN's validation_segments must be None or a list of labels of segments, found "
            f"{net.validation_segments!r}."
        )
    if net.solver == "numba" and net.device != "cpu":
        raise ValueError(f"solver='numba' computes on the CPU, found device={net.device!r}.")


def check_table(net, X, *, reset, texts=False):
    """Check names, width and numbers of a pair table; a DataFrame with texts stays as it is."""
    if isinstance(X, pd.DataFrame) and (texts or not is_numeric(X).all()):
        validate_data(net, X, reset=reset, skip_check_array=True)
        if not len(X):
            raise ValueError("Found array with 0 sample(s): the pair table has no rows.")
        assert_all_finite(X.loc[:, is_numeric(X)].to_numpy(np.float64), input_name="X")
        return X
    if texts:
        raise ValueError(
            "The network was trained on columns of texts: expected a DataFrame with them, "
            f"found {type(X).__name__}."
        )
    # Predictions find NaN in their own result, which is faster.
    kinds = [np.float64, np.float32]
    return validate_data(net, X, reset=reset, dtype=kinds, ensure_all_finite=reset)


def signs_of(y, X, classes=None):
    """Turn labels into +1 (the larger label, t1 is better) and −1; return signs and classes."""
    if y is None:
        raise ValueError("PairwiseNN requires y to be passed, but the target y is None.")
    check_consistent_length(X, y)
    known, codes = learn_classes(y, known=classes)
    return np.where(codes, 1.0, -1.0), known


def check_encoder_goes_on(before, options):
    """Raise if the weights of an encoder do not fit other EncoderOptions."""
    # Those that the weights depend on.
    names = ("kind", "fine_tuning", "n_units", "window", "pool", "lowercase")
    if any(getattr(before, name, None) != getattr(options, name, None) for name in names):
        raise ValueError(_ANOTHER_NETWORK)


def check_network_goes_on(net, connected, roles):
    """Raise if the weights of a fitted network do not fit its present parameters."""
    if not (
        net._architecture == net.architecture
        and net.antisymmetric_ == bool(net.symmetric)
        and net.weights_["weight"].shape == connected.shape
        and all(np.array_equal(net.column_roles_[role], at) for role, at in roles._asdict().items())
    ):
        raise ValueError(_ANOTHER_NETWORK)


def warn_without_hidden_units(architecture, connected):
    """Warn if there is nothing for hidden units to see."""
    if ARCHITECTURES[architecture].groups and connected.shape[1] == 1:
        warnings.warn(
            "The pair table has no embedding columns, so that the network has no hidden layer "
            "and is logistic regression. Embeddings are columns named …hypothesis_emb0 and "
            "…reference_emb0 (is set_output(transform='pandas') on, also within the "
            "classifier's pipeline?), or set column_roles={'hypothesis': …, 'reference': …}, or "
            "architecture='single-layer'.",
            stacklevel=5,
        )
