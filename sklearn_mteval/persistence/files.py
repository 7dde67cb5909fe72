"""Reading files that a stranger may have put there: regular ones, up to a size."""

import errno
import os
import stat

# Without O_NONBLOCK, opening a pipe would wait for a writer.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_regular_file(path, most):
    """Return the bytes of a file; OSError if it is a pipe, a folder or the like, or too large."""
    try:
        handle = os.open(path, _FLAGS)
    except ValueError as error:  # NUL in its name
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        if found.st_size > most:
            size = f"it has {found.st_size:,} bytes, more than {most:,}"
            raise OSError(errno.EFBIG, size, str(path))
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read(found.st_size)
    finally:
        os.close(handle)
