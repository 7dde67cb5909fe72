"""Kernels that Python runs: compiling them takes seconds, a few sentences milliseconds."""

from time import perf_counter
from types import FunctionType

import numpy as np
from numba.core.dispatcher import Dispatcher

from sklearn_mteval._helpers.compiled import at_once

SMALL = 100_000  # steps through innermost loops: Python needs a second at most
_LONG = 0.5  # seconds in Python, of all calls, after which a kernel is worth compiling


def interpret_if_small(kernel, steps):
    """Let Python run a kernel without machine code while ``steps`` of its arguments are few."""
    if not hasattr(kernel, "_compile_for_args"):
        return  # NUMBA_DISABLE_JIT is set: Python runs all kernels
    compile_for, function, spent = kernel._compile_for_args, None, 0.0

    def in_python(*arguments):
        nonlocal spent
        begin = perf_counter()
        with np.errstate(all="ignore"):  # integers wrap around silently, as in machine code
            result = function(*arguments)
        spent += perf_counter() - begin
        return result

    def code_for(*arguments):
        nonlocal function
        if (
            spent > _LONG
            or at_once.get()
            or steps(*arguments) > SMALL
            or (not spent and _is_kept(kernel, arguments))
        ):
            return compile_for(*arguments)
        function = function or _plain(kernel)
        return in_python

    # numba asks this for what it then calls, whenever it has no machine code for the arguments.
    kernel._compile_for_args = code_for


def _is_kept(kernel, arguments):
    """Tell whether the cache has machine code for arguments."""
    cache = kernel._cache
    try:
        signature = tuple(map(kernel.typeof_pyval, arguments))
        return cache._index_key(signature, kernel.targetctx.codegen()) in (
            cache._cache_file._load_index()
        )
    except Exception:  # no cache, a damaged one, or that of a numba that is not known
        return False


def _plain(kernel):
    """Return a kernel's function, in which the kernels that it calls are functions, too."""
    function = kernel.py_func
    called = {
        name: _plain(value)
        for name in function.__code__.co_names
        if isinstance(value := function.__globals__.get(name), Dispatcher)
    }
    return FunctionType(function.__code__, {**function.__globals__, **called})
