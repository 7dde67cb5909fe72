"""Compiled kernels that also work where the package's folder cannot be written."""

from numba import njit

__all__ = ["compiled"]


def compiled(function):
    """Compile a kernel, with the machine code cached on disk where there is a place for it.

    Parameters
    ----------
    function : callable
        A function in numba's nopython subset.

    Returns
    -------
    callable
        Its compiled form; ``py_func`` is the function itself.
    """
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no writable cache folder: numba refuses to decorate
        return njit(nogil=True)(function)
