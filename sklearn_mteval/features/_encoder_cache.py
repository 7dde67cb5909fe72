"""Embeddings kept on disk: one SQLite file for each model and kind of embedding.

SQLite makes writing atomic: a process that is killed leaves whole records only, and two that
write at once wait for each other. Each record has a checksum, so that one which is damaged all
the same counts as missing.
"""

import hashlib
import sqlite3
from contextlib import contextmanager
from pathlib import Path

import numpy as np

__all__ = ["EncodingCache"]

_FORMAT = 1
_DTYPES = {"sentences": np.dtype("<f4"), "tokens": np.dtype("<f2")}
_TABLE = """CREATE TABLE IF NOT EXISTS embeddings
    (text BLOB PRIMARY KEY, width INTEGER, numbers BLOB, checksum BLOB)"""
_WAIT = 60  # seconds for another process to finish its writing


class EncodingCache:
    """Embeddings of texts by one model, in a file of a folder.

    Parameters
    ----------
    folder : path-like
        Made if it is not there.
    kind : {"sentences", "tokens"}
        Vectors (float32), or matrices with a row for each token (float16).
    identity : str
        What the embeddings depend on beside the text.

    Raises
    ------
    ValueError
        If the file cannot be used, here and in all methods.
    """

    def __init__(self, folder, kind, identity):
        self.kind = kind
        self._key = hashlib.sha256(f"{_FORMAT}\0{kind}\0{identity}\0".encode())
        self.file = Path(folder) / f"{kind}-{self._key.hexdigest()[:16]}.sqlite3"
        self._connection = None

    def __enter__(self):
        with _explained(self.file):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.file, timeout=_WAIT, isolation_level=None)
            try:
                self._connection.execute(_TABLE)
            except BaseException:
                self._connection.close()
                raise
        return self

    def __exit__(self, *exception):
        self._connection.close()

    def get(self, texts):
        """Read the embeddings of those texts that are there.

        Parameters
        ----------
        texts : list of str
            Which ones.

        Returns
        -------
        dict of str to ndarray
            Of shape (n_dimensions,) or (n_tokens, n_dimensions).
        """
        found = {}
        query = "SELECT width, numbers, checksum FROM embeddings WHERE text = ?"
        with _explained(self.file):
            for text in texts:
                key = self._text_key(text)
                row = self._connection.execute(query, (key,)).fetchone()
                if row is None or _checksum(key, *row[:2]) != row[2]:
                    continue
                array = np.frombuffer(row[1], dtype=_DTYPES[self.kind])
                found[text] = array if self.kind == "sentences" else array.reshape(-1, row[0])
        return found

    def put(self, embeddings):
        """Write embeddings, all or none of them.

        Parameters
        ----------
        embeddings : dict of str to ndarray
            Text to its embedding.
        """
        rows = []
        for text, array in embeddings.items():
            key, width = self._text_key(text), array.shape[-1]
            numbers = np.ascontiguousarray(array, dtype=_DTYPES[self.kind]).tobytes()
            rows.append((key, width, numbers, _checksum(key, width, numbers)))
        with _explained(self.file):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(
                    "INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?)", rows
                )
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _text_key(self, text):
        """Hash a text together with what its embedding depends on."""
        key = self._key.copy()
        key.update(text.encode())
        return key.digest()


def _checksum(key, width, numbers):
    """Hash a record, whatever damage has made of its fields."""
    content = numbers if isinstance(numbers, bytes) else repr(numbers).encode()
    return hashlib.blake2b(key + f"{width}\0".encode() + content, digest_size=16).digest()


@contextmanager
def _explained(file):
    """Turn what SQLite and the file system raise into an error that names the cure."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise ValueError(
            f"cache: {file} cannot be used ({error}). If it is damaged, delete it: its embeddings "
            "are computed anew. Otherwise choose a folder that can be written, on a local disk."
        ) from error
