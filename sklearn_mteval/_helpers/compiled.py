"""Compiled kernels that also work where the package's folder cannot be written, or is damaged.

numba is imported with the first kernel, not with this module.
"""

import contextlib
from contextvars import ContextVar
from functools import partial

# A function that is called once, before the first kernel is compiled that is in no cache.
on_compiling = None
at_once = ContextVar("at_once", default=False)  # compile a kernel however little it has to do


def compiled(function=None, *, steps_in_python=None, **options):
    """Compile a kernel with numba, or return a decorator; the machine code is kept if it can be.

    ``steps_in_python`` counts, from the arguments, the innermost steps of a kernel that computes
    the same bits when Python runs it: where they are few, Python does.
    """
    if function is None:
        return partial(compiled, steps_in_python=steps_in_python, **options)
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
    if steps_in_python is not None:
        interpret_if_small(kernel, steps_in_python)
    return kernel


@contextlib.contextmanager
def compiling_at_once():
    """Have all kernels compiled that are asked meanwhile, since they will be asked again."""
    token = at_once.set(True)
    try:
        yield
    finally:
        at_once.reset(token)


def _announce():
    """Call the hook, once."""
    global on_compiling
    hook, on_compiling = on_compiling, None
    if hook is not None:
        hook()
