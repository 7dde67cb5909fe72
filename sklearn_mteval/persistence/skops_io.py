"""``skops.io``, loaded on use, and without torch."""

import sys
from threading import Lock

__all__ = ["skops_io"]

# To list its estimators, skops walks through scikit-learn's packages, of which this one imports
# torch: a second and more, for nothing. One that cannot be imported is left out.
_IMPORTS_TORCH = "sklearn.externals.array_api_compat.torch"
_IMPORTING = Lock()


def skops_io():
    """Import skops.io."""
    with _IMPORTING:
        hidden = "skops.io" not in sys.modules and _IMPORTS_TORCH not in sys.modules
        if hidden:
            sys.modules[_IMPORTS_TORCH] = None  # it cannot be imported
        try:
            import skops.io
        finally:
            if hidden:
                del sys.modules[_IMPORTS_TORCH]
    return skops.io
