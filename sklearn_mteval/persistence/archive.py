"""What is checked of a stranger's model file before skops reads it.

A few bytes can promise, or unpack to, more than any memory holds: by compression, by an array's
header, or by objects that refer to each other.
"""

import io
import json
import math
import warnings
import zipfile

import numpy as np

_LEAST_LIMIT = 1 << 26  # bytes that any file may unpack to
_RATIO = 2  # beyond them, times its own size: save_model does not compress
_SCHEMA_LIMIT = 1 << 22  # bytes of the tree of objects, or as many as the file has
_PIECE = 1 << 20
SCHEMA = "schema.json"
# How an object of this package may be made: all but the last by its ``__setstate__``.
_LOADERS = ("ObjectNode", "FunctionNode", "TypeNode", "TupleNode")


def checked_archive(content, max_bytes=None):
    """Return a model file, a zip archive, uncompressed; ValueError if beyond the limits."""
    most = max_bytes or max(_LEAST_LIMIT, _RATIO * len(content))
    most_of_schema = max_bytes or max(_SCHEMA_LIMIT, len(content))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = _entries(archive, most)
        compressed = any(entry.compress_type != zipfile.ZIP_STORED for entry in entries)
        unpacked, total = {}, 0
        for entry in entries:
            data = _unpack(archive, entry)
            if entry.filename == SCHEMA:
                _check_schema(data, most_of_schema)
            else:
                total += _check_part(data, entry.filename, most)
            if total > most:
                raise _TooLarge(total, most)
            if compressed:
                unpacked[entry.filename] = data
    if not compressed:
        return content
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in unpacked.items():
            archive.writestr(name, data)
    return packed.getvalue()


class _TooLarge(ValueError):
    """More than the limit."""

    def __init__(self, size, most):
        super().__init__(
            f"it would unpack to {size:,} bytes and more, the limit being {most:,}: pass a larger "
            "max_bytes= if you trust it"
        )


def _entries(archive, most):
    """List the parts of an archive, whose directory must promise no more than is allowed."""
    entries = archive.infolist()
    total = sum(entry.file_size for entry in entries)
    if total > most:
        raise _TooLarge(total, most)
    names = set()
    for entry in entries:
        if entry.filename in names:
            raise ValueError(f"it has two parts named {entry.filename!r}")
        names.add(entry.filename)
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"{entry.filename!r} is compressed, and not by deflate")
        stored = entry.compress_type == zipfile.ZIP_STORED
        if entry.flag_bits & 1 or (stored and entry.compress_size != entry.file_size):
            raise ValueError(f"{entry.filename!r} is encrypted or damaged")
    return entries


def _unpack(archive, entry):
    """Unpack a part in pieces: what the directory says of its size need not be true."""
    if entry.compress_type == zipfile.ZIP_STORED:
        return archive.read(entry)
    # zipfile hands out no more than the directory promises, but would unpack all at once.
    data = bytearray()
    with archive.open(entry) as stream:
        while piece := stream.read(_PIECE):
            data += piece
    if len(data) != entry.file_size:
        raise ValueError(f"{entry.filename!r} is shorter than it says")
    return data


def _check_part(data, name, most):
    """Check an array (.npy) or a sparse matrix (.npz); return the bytes that it needs unpacked."""
    if data[:6] == b"\x93NUMPY":
        _check_array(data, name, most)
    elif data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            total = 0
            for entry in _entries(archive, most):
                part = _unpack(archive, entry)
                _check_array(part, f"{name}/{entry.filename}", most)
                total += len(part)
            return total
    return len(data)


def _check_array(data, name, most):
    """Raise unless the header of an array promises as many bytes as there are."""
    stream = io.BytesIO(data)
    try:
        major, _ = np.lib.format.read_magic(stream)
        read = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}
        with warnings.catch_warnings(action="ignore"):  # of Python 2's headers
            shape, _, dtype = read[major](stream)
    except KeyError:
        raise ValueError(f"{name!r} is an array of an unknown format") from None
    except SystemError:  # Python's own fault: to be read again
        raise
    except Exception as error:  # whatever a hostile header makes the parser raise
        raise ValueError(f"{name!r} is no array ({error})") from None
    if dtype.hasobject:
        raise ValueError(f"{name!r} holds pickled objects, which could run code")
    if any(type(n) is not int or n < 0 for n in shape):
        raise ValueError(f"{name!r} has the shape {shape}")
    if math.prod(shape) * dtype.itemsize != len(data) - stream.tell():
        raise ValueError(f"{name!r} is not as long as its header says: {shape} of {dtype}")
    # Of an array without numbers, the other dimensions can still make what is computed huge.
    if math.prod(max(n, 1) for n in shape) * max(dtype.itemsize, 1) > most:
        raise ValueError(f"{name!r} has the shape {shape}")


class _Size(int):
    """An object of the tree that was looked at: how many it holds, itself counted."""


class _State(_Size):
    """One that is a dict."""


def _check_schema(data, most):
    """Raise unless the tree of objects is plain: of bounded size, and each object written out."""
    if len(data) > most:
        raise _TooLarge(len(data), most)
    size_of = {}

    def measured(node):
        """Check a node, whose own nodes are checked and measured already."""
        loader, content = node.get("__loader__"), node.get("content")
        size = 1 + _sum(node.values())
        # skops reads an object that it has seen as a reference. As it writes every object out
        # whole, those of one number are equally large; else a few references to references would
        # be too many objects to walk through.
        number = node.get("__id__", 0)
        if type(number) is not int or (number and size_of.setdefault(number, size) != size):
            raise ValueError("its objects refer to each other")
        if str(node.get("__module__")).partition(".")[0] == "sklearn_mteval" and (
            loader not in _LOADERS or (loader == "ObjectNode" and type(content) is not _State)
        ):
            raise ValueError(f"a {node.get('__class__')} in it is not as save_model writes it")
        return _State(size) if loader == "DictNode" else _Size(size)

    try:
        json.loads(data, object_hook=measured)
    except RecursionError:
        raise ValueError("its objects are nested too deeply") from None


def _sum(values):
    """Add up the sizes among values, and in lists among them."""
    total = 0
    for value in values:
        if isinstance(value, _Size):
            total += value
        elif type(value) is list:
            total += _sum(value)
    return total
