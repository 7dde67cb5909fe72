"""``skops.io``, loaded on use, and without torch."""

import sys

__all__ = ["skops_io"]

# To list its estimators, skops walks through scikit-learn's packages, of which this one imports
# torch: a second and more, for nothing. One that cannot be imported is left out.
_IMPORTS_TORCH = "sklearn.externals.array_api_compat.torch"


def skops_io():
    """Import skops.io."""
    sys.modules.setdefault(_IMPORTS_TORCH)  # None, if it is not there: it cannot be imported
    try:
        import skops.io
    finally:
        if sys.modules.get(_IMPORTS_TORCH, "not there") is None:
            del sys.modules[_IMPORTS_TORCH]
    return skops.io
