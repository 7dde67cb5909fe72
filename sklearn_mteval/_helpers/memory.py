"""How much memory is left, to say what does not fit before it is tried; how much was taken."""

import contextlib
import os
import sys
from pathlib import Path

import numpy as np

from sklearn_mteval.exceptions import CandidateError


def free_memory():
    """Return the bytes that any limit leaves this process on Linux, elsewhere infinity."""
    left = [np.inf]
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        left += [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    with contextlib.suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup")
        limit, used = ((group / f"memory.{name}").read_text("ascii") for name in ("max", "current"))
        left.append(int(limit) - int(used))
    with contextlib.suppress(OSError, ValueError, ImportError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        if limit != resource.RLIM_INFINITY:
            left.append(limit - pages * os.sysconf("SC_PAGE_SIZE"))
    return max(0, min(left))


def check_memory(n_bytes, what):
    """Raise a CandidateError, before it is tried, for what would not fit into memory."""
    free = free_memory()
    if n_bytes > free:
        raise CandidateError(
            f"{what} would take {gibibytes(n_bytes)} of memory, {gibibytes(free)} are free: take "
            "fewer at once."
        )


def gibibytes(n_bytes):
    """Show a number of bytes."""
    return f"{n_bytes / 2**30:.3g} GiB"


def peak_memory():
    """Return the most bytes that this process has held so far; None where that is not known."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
