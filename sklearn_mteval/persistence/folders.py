"""Model folders, which hold one whole model at any moment.

The model goes to a file named after its hash; replacing ``signature.json`` is the commit. Savers
take turns by a lock on the folder itself, which leaves no file behind.
"""

import contextlib
import errno
import os
import stat
import time
from pathlib import Path

from sklearn_mteval._helpers.atomic import TEMPORARY_SUFFIX, write_atomically
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.persistence.signature import (
    MODEL_NAME,
    SIGNATURE,
    parse_signature,
    read_regular_file,
    read_signature,
)

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_WAIT = 60  # seconds for others to finish their saving
_OLD = 3600  # seconds after which a file cannot be of a saver at work


def check_model_folder(path):
    """Tell whether saving would replace a model; ModelFolderError if none may be saved there."""
    path = Path(path)
    names = _names_in(path)
    strangers = [name for name in names if not name.endswith(TEMPORARY_SUFFIX)]
    if not strangers:
        return False
    if any(MODEL_NAME.fullmatch(name) for name in names):
        return True
    if SIGNATURE in names:
        with contextlib.suppress(ModelFolderError):
            read_signature(path)
            return True  # a model whose file was lost
    raise ModelFolderError(
        f"{path} holds other files ({strangers[0]}, …) and no model: choose a folder that "
        "is new, empty or an older model."
    )


def _names_in(path):
    """List the files in a folder, none if it is not there; ModelFolderError if it is no folder."""
    try:
        return sorted(os.listdir(path))
    except FileNotFoundError:
        if path.is_symlink():
            raise ModelFolderError(f"{path} is a link to what is not there.") from None
        return []
    except NotADirectoryError:
        if not path.exists():
            raise ModelFolderError(f"{path}: a part of this path is a file, no folder.") from None
        raise ModelFolderError(f"{path} is a file: a model is saved as a folder.") from None
    except (OSError, ValueError) as error:
        raise ModelFolderError(f"{path} cannot be used: {_reason(error)}.") from None


def write_model_files(path, content, signature):
    """Write a model's file and signature; the last saver wins, a failure leaves what was there."""
    path = Path(path)
    name = parse_signature(signature, path / SIGNATURE)["model"]
    missing = [folder for folder in (path, *path.parents) if not os.path.exists(folder)]
    try:
        _write_all(path, {name: content, SIGNATURE: signature})
    except BaseException as error:
        for folder in missing:
            with contextlib.suppress(OSError, ValueError):  # another saver may be at work in it
                folder.rmdir()
        if isinstance(error, FileNotFoundError) and not missing and not path.exists():
            return write_model_files(path, content, signature)  # it was another's, who failed
        if not isinstance(error, OSError | ValueError):
            raise
        raise ModelFolderError(
            f"{path}: the model cannot be saved ({_reason(error)}). Nothing is left half written."
        ) from error


def _write_all(path, files):
    """Write a model's file and its signature, in this order, while nobody else does."""
    path.mkdir(parents=True, exist_ok=True)
    [name, _] = files
    with _turn(path) as locked:
        known = (path / name).exists()
        try:
            for file, content in files.items():
                _write(path / file, content)
        except BaseException:
            if not known and _named(path) != name:
                with contextlib.suppress(OSError):
                    os.unlink(path / name)
            raise
        _clean(path, locked)


def read_model_file(path, most):
    """Return the signature of a model folder and the bytes of the model's file, at most so many."""
    path = Path(path)
    signature = read_signature(path)
    try:
        with contextlib.suppress(FileNotFoundError):
            return signature, read_regular_file(path / signature["model"], most)
        with _turn(path):  # a saver may have replaced it a moment ago
            signature = read_signature(path)
            return signature, read_regular_file(path / signature["model"], most)
    except OSError as error:
        cure = "" if error.errno != errno.EFBIG else ": pass a larger max_bytes= if you trust it"
        raise ModelFolderError(
            f"{path}: the model file cannot be read ({_reason(error)}){cure}."
        ) from None


@contextlib.contextmanager
def _turn(path):
    """Wait until nobody else is saving; yield whether that is sure: not all disks can tell."""
    if fcntl is None:
        yield False
        return
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield _lock(handle)
    finally:
        # A process that was forked in between holds a copy of the handle, and of the lock.
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)
        os.close(handle)


def _lock(handle):
    """Lock a folder; tell whether the file system can. OSError if others hold it for too long."""
    end = time.monotonic() + _WAIT
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > end:
                raise TimeoutError(
                    errno.ETIMEDOUT, f"another process has locked the folder for {_WAIT} seconds"
                ) from None
            time.sleep(0.005)
        except OSError:  # as on some network file systems
            return False


def _write(file, content):
    """Write a file of the folder; not through a link, nor into a pipe."""
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(os.lstat(file).st_mode):
            raise OSError(errno.EINVAL, f"{file.name} is a link or no regular file", str(file))
    write_atomically(file, content)


def _clean(path, locked):
    """Delete older models, and what a kill left behind; without a lock, only what is old."""
    kept = _named(path)
    for name in os.listdir(path):
        if name != kept and (MODEL_NAME.fullmatch(name) or name.endswith(TEMPORARY_SUFFIX)):
            with contextlib.suppress(OSError):
                if locked or time.time() - (path / name).stat().st_mtime > _OLD:
                    os.unlink(path / name)


def _named(path):
    """Return the name of the model's file that counts; None if there is none."""
    with contextlib.suppress(ModelFolderError):
        return read_signature(path)["model"]


def _reason(error):
    """Say what the system says."""
    return getattr(error, "strerror", None) or str(error)
