"""Writing files so that a kill or a power cut never leaves half of one."""

import contextlib
import errno
import os
import secrets
from pathlib import Path
from time import monotonic, sleep

from sklearn_mteval._helpers.platforms import WINDOWS, patiently

NO_READER = 5  # seconds after which a pipe that nobody reads is an error, as for one that is read
TEMPORARY_SUFFIX = ".mteval-tmp"
_unfinished = set()  # temporary files of this process


def write_atomically(file, content):
    """Write bytes, or pieces of them, so that the old file or the new one is there, whole."""
    file = Path(file)
    pieces = [content] if isinstance(content, bytes) else content
    if not file.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "No such folder to write into", str(file))
    if file.exists() and not file.is_file():  # a pipe or a device is written to, not replaced
        with os.fdopen(_opened(file), "wb") as stream:
            stream.writelines(pieces)
        return
    try:
        file = file.resolve()  # a link stays a link
    except RuntimeError:
        raise OSError(errno.ELOOP, "A loop of links", str(file)) from None
    # A name of its own for each call: a process has threads, and pids are used again.
    temporary = file.with_name(f".{secrets.token_hex(16)}{TEMPORARY_SUFFIX}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    _unfinished.add(temporary)
    handle = os.open(temporary, flags, 0o666)  # less the umask
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            os.fsync(stream.fileno())
        if file.exists() and not WINDOWS:  # which would only know of what must not be written
            os.chmod(temporary, file.stat().st_mode & 0o777)
        patiently(os.replace, temporary, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    finally:
        _unfinished.discard(temporary)
    if hasattr(os, "O_DIRECTORY"):  # the new name itself must reach the disk, too
        folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _opened(file):
    """Open a pipe or a device to write into; OSError if nobody comes to read from a pipe."""
    flags = os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    deadline = monotonic() + NO_READER
    while True:
        try:
            handle = os.open(file, flags)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if monotonic() > deadline:
                problem = f"A pipe that nobody has read from for {NO_READER} seconds"
                raise OSError(errno.ENXIO, problem, str(file)) from None
            sleep(0.05)
        else:
            if hasattr(os, "O_NONBLOCK"):
                os.set_blocking(handle, True)
            return handle


def remove_unfinished():
    """Remove the temporary files of writes that will not come to an end, as the process ends."""
    for temporary in list(_unfinished):
        with contextlib.suppress(OSError):
            os.unlink(temporary)
