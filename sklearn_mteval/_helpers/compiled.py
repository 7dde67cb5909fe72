"""Compiled kernels that also work where the package's folder cannot be written, or is damaged.

numba is imported with the first kernel, not with this module.
"""

from functools import partial

__all__ = ["compiled", "on_compiling"]

# A function that is called once, before the first kernel is compiled that is in no cache.
on_compiling = None


def compiled(function=None, *, same_in_python=False, **options):
    """Compile a kernel with numba, the machine code cached on disk where there is a place for it.

    Without a function, return a decorator; ``py_func`` of the result is the function itself. One
    that is ``same_in_python``, with all kernels that it calls, computes the same bits when Python
    runs it: so it is run, uncompiled, where its arguments are small.
    """
    if function is None:
        return partial(compiled, same_in_python=same_in_python, **options)
    import numba

    from sklearn_mteval._helpers._interpreted import interpret_if_small
    from sklearn_mteval._helpers._machine_code import keep_checked, keep_nothing

    try:
        kernel = numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no writable cache folder: numba refuses to decorate
        kernel = numba.njit(nogil=True, **options)(function)
        keep_nothing(kernel, _announce)
    else:
        keep_checked(kernel, _announce)
    if same_in_python:
        interpret_if_small(kernel)
    return kernel


def _announce():
    """Call the hook, once."""
    global on_compiling
    hook, on_compiling = on_compiling, None
    if hook is not None:
        hook()
