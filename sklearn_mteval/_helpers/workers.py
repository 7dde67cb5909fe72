"""Work on a stream of things, in their order: here, or in processes of which each is made once.

Nothing is taken from the stream before it is needed, and no more results are held than there are
processes to make them, so that neither end of a long stream need fit into memory.
"""

import contextlib
import os
import signal
import threading
import time
import warnings
from collections import deque
from itertools import islice
from multiprocessing import active_children

from joblib import effective_n_jobs

__all__ = ["in_order"]

_AHEAD = 2  # things for each process that are worked on, or wait for it
_make = _work = None  # what this process does, if it is one that works for another


def in_order(make, items, n_jobs=None):
    """Yield ``make()(item)`` of each item, in their order.

    ``n_jobs`` processes call ``make`` once each; with one, or None, this process does all. Warnings
    of another process are given here. ChildProcessError if one was killed from outside.
    """
    n_jobs = effective_n_jobs(n_jobs)
    if n_jobs == 1:
        yield from map(make(), items)
        return
    # That of the standard library imports the main module again, which a script must be made for.
    from joblib.externals.loky import ProcessPoolExecutor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    threads = os.environ.get("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // n_jobs)))
    before = set(active_children())
    with _quiet_helper():
        executor = ProcessPoolExecutor(
            n_jobs, initializer=_begin, initargs=(make, os.getpid()),
            env={"OMP_NUM_THREADS": threads},
        )  # fmt: skip
    waiting, items = deque(), iter(items)
    try:
        while True:
            for item in islice(items, _AHEAD * n_jobs - len(waiting)):
                waiting.append(executor.submit(_answer, item))
            if not waiting:
                return
            found, warned = waiting.popleft().result()
            for message, category in warned:
                warnings.warn(message, category, stacklevel=2)
            yield found
    except TerminatedWorkerError:
        raise ChildProcessError(
            "a process that worked for this one has ended before its work was done: it was killed, "
            "mostly because memory was short. Ask for fewer processes."
        ) from None
    finally:
        if waiting:  # nobody waits for them: asked to end, they would write to the terminal
            for process in set(active_children()) - before:
                with contextlib.suppress(OSError):
                    os.kill(process.pid, signal.SIGKILL)
        executor.shutdown(kill_workers=bool(waiting))


@contextlib.contextmanager
def _quiet_helper():
    """Let the process that clears up after this one, which is started within, say nothing of it.

    A command that is interrupted ends at once, and leaves locks behind for it.
    """
    name = "PYTHONWARNINGS"
    before = os.environ.get(name)
    os.environ[name] = ",".join(filter(None, [before, "ignore:resource_tracker:UserWarning"]))
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _begin(make, parent):
    """Note what this process does; it ends with its parent, which Ctrl-C is for."""
    global _make
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _make = make


def _answer(item):
    """Work on one thing; return what is found, and the warnings."""
    global _work
    with warnings.catch_warnings(record=True) as caught:
        if _work is None:  # here, where an error reaches the caller
            _work = _make()
        found = _work(item)
    return found, [(str(warning.message), warning.category) for warning in caught]


def _end_with(parent):
    """Wait until the parent is gone, however it ended, and end at once."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
