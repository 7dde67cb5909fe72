"""What Windows lacks or does in its own way, in one place."""

import contextlib
import errno
import os
import signal
import sys
from glob import glob
from time import monotonic, sleep

WINDOWS = os.name == "nt"
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # which on Windows ends a process all the same
_WAIT = 2  # seconds


def patiently(call, *arguments):
    """Call what opens or replaces a file; on Windows, wait a little for who else has it open."""
    end = monotonic() + _WAIT
    while True:
        try:
            return call(*arguments)
        except PermissionError:
            if not WINDOWS or monotonic() > end:
                raise
        sleep(0.01)


def end_group(process):
    """Kill a process that leads a group, with all of it; Windows has none, there it alone."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, KILL)
        else:
            process.kill()


def reader_is_gone(error):
    """Tell whether an error of writing to standard output says that nobody reads it any more."""
    # Windows says "invalid argument".
    plain = error.filename in (None, "standard output") and error.errno == errno.EINVAL
    return isinstance(error, BrokenPipeError) or (WINDOWS and plain)


def output_as_files():
    """Let standard output be as files are, UTF-8 and line feeds, where Windows redirects it."""
    if WINDOWS and "PYTHONIOENCODING" not in os.environ and sys.stdout is not None:
        with contextlib.suppress(AttributeError):  # no stream of Python's own
            if not sys.stdout.isatty():
                sys.stdout.reconfigure(encoding="utf-8", newline="\n")


def expanded(words):
    """Put files for patterns such as ``*.en``, as shells do but those of Windows."""
    if not WINDOWS:
        return words
    return [name for word in words for name in (_files(word) or [word])]


def _files(word):
    """List the files of a pattern; none for an option, or the name of a file."""
    return [] if word.startswith("-") or os.path.exists(word) else sorted(glob(word))
