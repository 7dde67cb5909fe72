"""Compiled kernels that also work where the package's folder cannot be written."""

from functools import partial

from numba import njit

__all__ = ["compiled"]


def compiled(function=None, **options):
    """Compile a kernel, with the machine code cached on disk where there is a place for it.

    Parameters
    ----------
    function : callable, optional
        A function in numba's nopython subset; without it a decorator is returned.
    **options : dict
        Further options of ``numba.njit``.

    Returns
    -------
    callable
        Its compiled form; ``py_func`` is the function itself.
    """
    if function is None:
        return partial(compiled, **options)
    try:
        return njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no writable cache folder: numba refuses to decorate
        return njit(nogil=True, **options)(function)
