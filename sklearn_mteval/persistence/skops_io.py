"""``skops.io``, loaded on use, and without torch; in a command, without a walk that takes long."""

import contextlib
import sys
from threading import Lock

from sklearn import utils

from sklearn_mteval._helpers.lazy import process_is_ours

# To list scikit-learn's estimators, which it trusts, skops walks through all its packages, of which
# this one imports torch: a second and more, for nothing. One that cannot be imported is left out.
_IMPORTS_TORCH = "sklearn.externals.array_api_compat.torch"
_IMPORTING = Lock()


def skops_io():
    """Import skops.io; in a process that is ours, it trusts no estimator of scikit-learn yet."""
    with _IMPORTING, _without_torch("skops.io" not in sys.modules) as hidden:
        walk = utils.all_estimators
        try:
            if hidden and process_is_ours():
                utils.all_estimators = list  # what the walk finds is an empty list
            import skops.io
        finally:
            if utils.all_estimators is not walk:
                utils.all_estimators = walk
    return skops.io


def trust_estimators():
    """Let skops trust the estimators of scikit-learn that it trusts where it walked at once."""
    from skops.io import _trusted_types

    with _IMPORTING, _without_torch(not _trusted_types.SKLEARN_ESTIMATOR_TYPE_NAMES) as hidden:
        if hidden:
            names = (_trusted_types.get_type_name(found) for _, found in utils.all_estimators())
            _trusted_types.SKLEARN_ESTIMATOR_TYPE_NAMES.extend(
                name for name in names if name.startswith("sklearn.")
            )


@contextlib.contextmanager
def _without_torch(wanted):
    """Hide scikit-learn's adapter for torch if it is wanted and not there; say whether it was."""
    hidden = wanted and _IMPORTS_TORCH not in sys.modules
    if hidden:
        sys.modules[_IMPORTS_TORCH] = None  # it cannot be imported
    try:
        yield wanted
    finally:
        if hidden:
            del sys.modules[_IMPORTS_TORCH]
