"""Writing files so that a kill or a power cut never leaves half of one."""

import contextlib
import errno
import os
import tempfile
from pathlib import Path

__all__ = ["TEMPORARY_SUFFIX", "write_atomically"]

TEMPORARY_SUFFIX = ".mteval-tmp"


def write_atomically(file, content):
    """Write a file so that the old one or the new one is there, whole.

    Parameters
    ----------
    file : path-like
        What to write or replace; its folder must be there.
    content : bytes
        All of it.

    Raises
    ------
    OSError
        If the folder is not there, or the disk is full; the old file is left as it was.
    """
    file = Path(file)
    if not file.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "No such folder to write into", str(file))
    if file.exists() and not file.is_file():  # a pipe or a device is written to, not replaced
        file.write_bytes(content)
        return
    handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=TEMPORARY_SUFFIX)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, file)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    if hasattr(os, "O_DIRECTORY"):  # the new name itself must reach the disk, too
        folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
