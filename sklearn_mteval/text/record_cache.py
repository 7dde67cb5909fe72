"""Results kept on disk by the text they belong to: one SQLite file for each way to compute them.

SQLite makes writing atomic: a process that is killed leaves whole records only, and two that
write at once wait for each other. Each record has a checksum, so that one which is damaged all
the same counts as missing.
"""

import hashlib
import sqlite3
from contextlib import contextmanager
from pathlib import Path

__all__ = ["RecordCache"]

_TABLE = """CREATE TABLE IF NOT EXISTS records
    (text BLOB PRIMARY KEY, record BLOB, checksum BLOB)"""
_WAIT = 60  # seconds for another process to finish its writing


class RecordCache:
    """Bytes by text, in one file; a context manager.

    Parameters
    ----------
    file : path-like
        Made if it is not there, with its folder.
    identity : str
        What the records depend on beside the text; part of their keys.

    Raises
    ------
    ValueError
        If the file cannot be used, here and in all methods.
    """

    def __init__(self, file, identity):
        self.file = Path(file)
        self._identity = hashlib.sha256(identity.encode())
        self._connection = None

    def __enter__(self):
        with self._explained():
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                self.file, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
            try:
                self._connection.execute(_TABLE)
            except BaseException:
                self._connection.close()
                raise
        return self

    def __exit__(self, *exception):
        self._connection.close()

    def get(self, text):
        """Read a record.

        Parameters
        ----------
        text : str
            Its text.

        Returns
        -------
        bytes or None
            None if it is not there, or damaged.
        """
        key = self._key(text)
        query = "SELECT record, checksum FROM records WHERE text = ?"
        with self._explained():
            row = self._connection.execute(query, (key,)).fetchone()
        return row[0] if row is not None and _checksum(key, row[0]) == row[1] else None

    def put(self, records):
        """Write records, all or none of them.

        Parameters
        ----------
        records : dict of str to bytes
            Text to its record; replaces what is there.
        """
        rows = []
        for text, record in records.items():
            key = self._key(text)
            rows.append((key, record, _checksum(key, record)))
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(
                    "INSERT OR REPLACE INTO records VALUES (?, ?, ?)", rows
                )
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _key(self, text):
        """Hash a text together with what its record depends on."""
        key = self._identity.copy()
        key.update(text.encode("utf-8", "surrogatepass"))
        return key.digest()

    @contextmanager
    def _explained(self):
        """Turn what SQLite and the file system raise into an error that names the cure."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise ValueError(
                f"cache: {self.file} cannot be used ({error}). If it is damaged, delete it: what "
                "it holds is computed anew. Otherwise choose a folder that can be written, on a "
                "local disk."
            ) from error


def _checksum(key, record):
    """Hash a record, whatever damage has made of it."""
    content = record if isinstance(record, bytes) else repr(record).encode()
    return hashlib.blake2b(key + content, digest_size=16).digest()
