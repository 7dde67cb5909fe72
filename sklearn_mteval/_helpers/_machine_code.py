"""Machine code of kernels on disk: numba's cache, whose files are checked before they are run."""

import contextlib
import hashlib
import os
import pickle
from itertools import count

from numba.core.bytecode import FunctionIdentity
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

# numba numbers the functions of a process from 1 on, and names their machine code by the numbers.
# Of two functions of one name and number, np.sort's and np.argsort's sorting, say, which different
# processes compiled, the one that is loaded first would stand for both. No two processes begin with
# the same number. (A numba that numbers otherwise is left as it is.)
if hasattr(FunctionIdentity, "_unique_ids"):
    FunctionIdentity._unique_ids = count(int.from_bytes(os.urandom(7), "big"))


def keep_checked(kernel, on_missing):
    """Have the files of a kernel's machine code checked; call a function where there is none."""
    if hasattr(kernel, "_cache"):  # not where NUMBA_DISABLE_JIT is set
        # Of another version of numba than those known, the cache stays as it is.
        with contextlib.suppress(AttributeError, TypeError):
            kernel._cache = _CheckedCache(kernel.py_func, on_missing)


def keep_nothing(kernel, on_missing):
    """Call a function before a kernel is compiled whose machine code cannot be kept."""
    if hasattr(kernel, "_cache"):
        kernel._cache = _NoCache(on_missing)


class _CheckedCache(FunctionCache):
    """numba's cache with checksums: what is damaged, or of two processes, is compiled anew."""

    def __init__(self, function, on_missing):
        super().__init__(function)
        self._on_missing = on_missing
        file = self._cache_file
        self._cache_file = _CheckedFile(file._cache_path, file._index_name[:-4], file._source_stamp)

    def load_overload(self, sig, target_context):
        """Load the machine code of a signature; None if it is not there, or damaged."""
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # whatever damaged pickles raise
            found = None
            with contextlib.suppress(Exception):
                self.flush()  # so that it is written anew
        if found is None:
            self._on_missing()
        return found

    def save_overload(self, sig, data):
        """Keep machine code, if the disk has room for it."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


class _NoCache(NullCache):
    """numba's cache that keeps nothing."""

    def __init__(self, on_missing):
        self._on_missing = on_missing

    def load_overload(self, sig, target_context):
        """Find nothing."""
        self._on_missing()


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
    """Hash machine code together with what it was compiled for, and the way it was numbered."""
    return hashlib.sha256(b"2" + repr(key).encode() + content).digest()
