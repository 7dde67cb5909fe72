"""Compiled kernels that also work where the package's folder cannot be written."""

from functools import partial

from numba import njit

__all__ = ["compiled"]


def compiled(function=None, **options):
    """Compile a kernel with numba, the machine code cached on disk where there is a place for it.

    Without a function, return a decorator; ``py_func`` of the result is the function itself.
    """
    if function is None:
        return partial(compiled, **options)
    try:
        return njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no writable cache folder: numba refuses to decorate
        return njit(nogil=True, **options)(function)
