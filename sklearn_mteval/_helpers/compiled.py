"""Compiled kernels that also work where the package's folder cannot be written, or is damaged."""

import contextlib
import hashlib
import pickle
from functools import partial

from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile

__all__ = ["compiled"]


def compiled(function=None, **options):
    """Compile a kernel with numba, the machine code cached on disk where there is a place for it.

    Without a function, return a decorator; ``py_func`` of the result is the function itself.
    """
    if function is None:
        return partial(compiled, **options)
    try:
        kernel = njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no writable cache folder: numba refuses to decorate
        return njit(nogil=True, **options)(function)
    if hasattr(kernel, "_cache"):  # not where NUMBA_DISABLE_JIT is set
        # Of another version of numba than those known, the cache stays as it is.
        with contextlib.suppress(AttributeError, TypeError):
            kernel._cache = _CheckedCache(function)
    return kernel


class _CheckedCache(FunctionCache):
    """numba's cache, but what is damaged in it is compiled anew instead of raised or run.

    A file that was cut off raises whatever unpickling does. One with other machine code, such as
    two processes make that number their files alike, would run: each has a checksum.
    """

    def __init__(self, function):
        super().__init__(function)
        file = self._cache_file
        self._cache_file = _CheckedFile(file._cache_path, file._index_name[:-4], file._source_stamp)

    def load_overload(self, sig, target_context):
        """Load the machine code of a signature; None if it is not there, or damaged."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever damaged pickles raise
            with contextlib.suppress(Exception):
                self.flush()  # so that it is written anew
            return None

    def save_overload(self, sig, data):
        """Keep machine code, if the disk has room for it."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


class _CheckedFile(IndexDataCacheFile):
    """numba's files, with a checksum of what is in them and of what it is for."""

    def save(self, key, data):
        """Write machine code."""
        content = pickle.dumps(data)
        super().save(key, (_checksum(key, content), content))

    def load(self, key):
        """Read machine code; None if it is not there, an error if it is damaged."""
        found = super().load(key)
        if found is None:
            return None
        checksum, content = found
        if checksum != _checksum(key, content):
            raise ValueError("damaged")
        return pickle.loads(content)


def _checksum(key, content):
    """Hash machine code together with what it was compiled for."""
    return hashlib.sha256(repr(key).encode() + content).digest()
