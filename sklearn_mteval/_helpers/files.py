"""The one opener of files that users give: within limits, never waiting for nobody, errors named.

What is read is a regular file or, where it is read once, a pipe or "-", standard input. A pipe that
has no writer for five seconds is an error, as a folder, a socket or a device is.
"""

import errno
import io
import os
import re
import select
import stat
import sys
import zlib
from contextlib import contextmanager
from difflib import get_close_matches

from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval.exceptions import DataFileError

STANDARD_INPUT = "-"
MAX_STREAMED = 64 << 30  # bytes of a file that is read in pieces
MAX_WHOLE = 1 << 30  # of one that is held in memory, several times over
MAX_LINE = 16 << 20
MAX_RATIO = 50  # of what a gzip file holds to its own size; texts and vectors have 2 to 6
MIN_ZIPPED = 16 << 20  # bytes that a gzip file of any size may hold
MAX_PADDING = 16 << 20  # bytes of zeros behind what a gzip file holds
NO_WRITER = 5  # seconds after which a pipe that nothing writes into is an error
_PIECE = 1 << 16

_GZIP = b"\x1f\x8b"
_ZIP = rb"PK\x03\x04"
_GZIP_FORMAT = 16 + zlib.MAX_WBITS  # zlib's number for it
_ICONV = "convert it, e.g. with iconv -f {} -t utf-8"
_KINDS = [  # how a file begins, what it looks like, what to do
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "UTF-32 text", _ICONV.format("utf-32")),
    (rb"\xff\xfe|\xfe\xff", "UTF-16 text", _ICONV.format("utf-16")),
    (rb"(?:[^\0]\0){4}", "UTF-16 text", _ICONV.format("utf-16le")),  # no byte order mark
    (rb"(?:\0[^\0]){4}", "UTF-16 text", _ICONV.format("utf-16be")),
    (_GZIP, "a gzip file", "decompress it first, with gunzip"),
    (_ZIP, "a zip file", "take the text out of it first, with unzip"),
    (rb"BZh[1-9]1AY&SY", "a bzip2 file", "decompress it first, with bunzip2"),
    (rb"\xfd7zXZ\0", "an xz file", "decompress it first, with unxz"),
    (rb"\x28\xb5\x2f\xfd", "a zstd file", "decompress it first, with unzstd"),
]
_SPECIAL = {stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}  # else a device


@contextmanager
def open_file(
    path, *, max_bytes=None, whole=False, lines=True, zipped=False, pipes=False, archive=False
):  # fmt: skip
    """Open a file for reading bytes in pieces; whatever goes wrong is a DataFileError.

    A ``whole`` file is held in memory; of ``lines`` none is too long; a ``zipped`` one is unpacked;
    ``pipes`` (and "-") are read; an ``archive`` may be a zip file. ``max_bytes`` replaces limits.
    """
    if max_bytes is not None:
        check_integer("max_bytes", max_bytes, minimum=1)
    raw, size = _opened(path, pipes)
    with raw:
        source = io.BufferedReader(raw, _PIECE)
        pieces = iter(lambda: source.read1(_PIECE), b"")
        with _explained(path):
            is_gzip = zipped and source.peek(len(_GZIP)).startswith(_GZIP)
        largest = max_bytes or (MAX_WHOLE if whole else MAX_STREAMED)
        if is_gzip:
            largest = max_bytes or min(largest, max(MIN_ZIPPED, MAX_RATIO * size))
            pieces = _gunzipped(source)
        elif size > largest:
            raise _beyond(path, "the file holds", largest)
        max_line = (max_bytes or MAX_LINE) if lines else None
        limited = _Raw(_within_limits(path, pieces, is_gzip, largest, max_line))
        with io.BufferedReader(limited, _PIECE) as file:
            head = file.peek(16)[:16]
            for magic, what, cure in _KINDS:
                if re.match(magic, head) and not (archive and magic == _ZIP):
                    raise DataFileError(path, f"looks like {what}: {cure}.", 1)
            yield file


def read_text(path, *, max_bytes=None, pipes=True):
    """Read a UTF-8 text file, plain or gzip, or a pipe, less a byte order mark."""
    with open_file(path, max_bytes=max_bytes, whole=True, zipped=True, pipes=pipes) as file:
        content = b"".join(iter(lambda: file.read(_PIECE), b""))
    return as_text(path, content)


def as_text(path, content, line=1):
    """Decode whole lines of a file; raise for a NUL byte, or the line ends of old Macintoshes."""
    if b"\0" in content:
        line += content[: content.index(b"\0")].count(b"\n")
        raise DataFileError(path, "expected text, found a NUL byte. Is the file damaged?", line)
    if line == 1 and b"\r" in content and b"\n" not in content:
        problem = (
            "expected lines that end in line feeds, found carriage returns alone: convert the "
            "file, e.g. with tr '\\r' '\\n'."
        )
        raise DataFileError(path, problem, line)
    return decoded(path, content, line)


def decoded(path, content, line=1, cure=""):
    """Decode UTF-8 that begins in a line of a file, in the first less a byte order mark."""
    try:
        return content.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line += error.object[: error.start].count(b"\n")
        byte, convert = error.object[error.start], _ICONV.format("latin1")
        problem = f"expected UTF-8, found the byte 0x{byte:02x}: {convert}{cure}."
        raise DataFileError(path, problem, line) from None


def nearby(path, more=()):
    """Ask for what has a name like a path's last, among its neighbours and ``more`` names."""
    folder, name = os.path.split(os.fspath(path))
    try:
        names = [*more, *os.listdir(folder or os.curdir)]
    except (OSError, ValueError):
        return ""
    # Without regard to upper case, of which difflib knows nothing.
    names = {each.lower(): each for each in reversed(names)}
    close = get_close_matches(name.lower(), names, 1, 0.7)
    return f" Did you mean {os.path.join(folder, names[close[0]])!r}?" if close else ""


def real_path(path):
    """Follow the links of a path; loops of them do not hinder."""
    try:
        return os.path.realpath(path)
    except ValueError as error:  # NUL, or what the file system's encoding has not
        raise DataFileError(repr(os.fspath(path)), f"cannot be read ({error}).") from None


class _Raw(io.RawIOBase):
    """A raw file made of pieces of bytes, none of which is empty."""

    def __init__(self, pieces, handle=None):
        self._pieces, self._rest = pieces, b""
        self._handle = handle

    def readable(self):
        """Say so."""
        return True

    def readinto(self, buffer):
        """Read the next bytes into a buffer."""
        piece = self._rest or memoryview(next(self._pieces, b""))
        n = min(len(piece), len(buffer))
        buffer[:n], self._rest = piece[:n], piece[n:] if n < len(piece) else b""
        return n

    def close(self):
        """Close the file that the bytes come from, if it is ours."""
        if self._handle is not None and not self.closed:
            os.close(self._handle)
        super().close()


def _opened(path, pipes):
    """Open a file without waiting; return the raw file and its size in bytes, a pipe's being 0."""
    if pipes and os.fspath(path) == STANDARD_INPUT:
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None:
            raise DataFileError(path, "standard input is closed.")
        return _Raw(iter(lambda: stream.read1(_PIECE), b"")), 0
    flags = [getattr(os, f"O_{name}", 0) for name in ("NONBLOCK", "CLOEXEC", "BINARY")]
    try:
        handle = os.open(path, sum(flags, os.O_RDONLY))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise _no_file(path, "a socket") from None
        if os.path.isdir(path):  # which Windows does not open
            raise _no_file(path, "a folder") from None
        hint = nearby(path) if error.errno == errno.ENOENT else ""
        raise DataFileError(path, f"cannot be read ({error.strerror}).{hint}") from None
    except ValueError as error:  # NUL, or what the file system's encoding has not
        raise DataFileError(repr(path), f"cannot be read ({error}).") from None
    found = os.fstat(handle)
    kind = stat.S_IFMT(found.st_mode)
    if kind == stat.S_IFREG:
        return io.FileIO(handle), found.st_size
    if kind == stat.S_IFIFO and pipes:
        return _Raw(_from_pipe(path, handle), handle), 0
    os.close(handle)
    if kind == stat.S_IFIFO:
        raise _no_file(path, "a pipe, and it is read more than once")
    raise _no_file(path, _SPECIAL.get(kind, "a device"))


def _no_file(path, found):
    """Make the error for what is no regular file."""
    return DataFileError(path, f"cannot be read: expected a file, found {found}.")


def _from_pipe(path, handle):
    """Generate what comes through a pipe that was opened without waiting."""
    if not hasattr(select, "poll"):  # Windows, where reading waits
        yield from iter(lambda: os.read(handle, _PIECE), b"")
        return
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    written = False
    while True:
        try:
            data = os.read(handle, _PIECE)
        except BlockingIOError:  # a writer that has nothing yet
            poll.poll()
        else:
            if data:
                yield data
            elif written:
                return
            elif not poll.poll(1000 * NO_WRITER):  # nobody came, neither to write nor to leave
                problem = f"a pipe that nothing has written into for {NO_WRITER} seconds."
                raise DataFileError(path, problem)
        written = True


@contextmanager
def _explained(path):
    """Name the file in what reading it raises."""
    try:
        yield
    except (EOFError, zlib.error) as error:
        raise DataFileError(path, f"damaged gzip file ({error}). Fetch it again.") from None
    except OSError as error:
        raise DataFileError(path, f"cannot be read ({error.strerror or error}).") from None


def _gunzipped(source):
    """Generate what gzip members hold; Python's GzipFile skips padding behind them byte by byte."""
    data, n_zeros = source.read1(_PIECE), 0
    while data:
        unzip, full = zlib.decompressobj(_GZIP_FORMAT), False
        while not unzip.eof:
            if not data and not full:  # else zlib has more to give without
                data = source.read1(_PIECE)
                if not data:
                    raise EOFError("it ends too early")
            found = unzip.decompress(data, _PIECE)
            data, full = unzip.unconsumed_tail, len(found) == _PIECE
            if found:
                yield found
        padded = unzip.unused_data or source.read1(_PIECE)
        data = padded.lstrip(b"\0")
        while padded and not data:
            n_zeros += len(padded)
            if n_zeros > MAX_PADDING:
                raise zlib.error(f"more than {MAX_PADDING >> 20} MiB of zeros at its end")
            padded = source.read1(_PIECE)
            data = padded.lstrip(b"\0")


def _within_limits(path, pieces, zipped, largest, max_line):
    """Generate the pieces of what a file holds, and count bytes and lines."""
    n_bytes, n_of_line, line = 0, 0, 1
    with _explained(path):
        for data in pieces:
            n_bytes += len(data)
            if n_bytes > largest:
                subject = "decompressed, the file holds" if zipped else "it holds"
                raise _beyond(path, subject, largest)
            if max_line is not None:
                last = data.rfind(b"\n")
                n_of_line = n_of_line + len(data) if last < 0 else len(data) - last - 1
                line += data.count(b"\n")
                if n_of_line > max_line:
                    raise _beyond(path, "the line has", max_line, line)
            yield data
            del data  # before the next piece is there


def _beyond(path, subject, limit, line=None):
    """Make the error for what goes beyond a limit."""
    units = {"GiB": 1 << 30, "MiB": 1 << 20}
    sizes = [f"{limit / n:.4g} {unit}" for unit, n in units.items() if limit >= n]
    size = [*sizes, f"{limit} bytes"][0]
    hint = "If that is no mistake, raise the limit: max_bytes= of the function that reads the file."
    return DataFileError(path, f"{subject} more than {size}. {hint}", line)
