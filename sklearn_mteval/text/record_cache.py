"""Results kept on disk by the text they belong to: one SQLite file for each way to compute them.

SQLite makes writing atomic; the checksum of zlib's format tells a damaged record.
"""

import hashlib
import sqlite3
import zlib
from contextlib import contextmanager
from pathlib import Path

_TABLE = "CREATE TABLE IF NOT EXISTS records (text BLOB PRIMARY KEY, record BLOB)"
_WAIT = 60  # seconds for another process to finish its writing
_MOST_BYTES = 1 << 28  # of a record, unpacked


class RecordCache:
    """Bytes by text, in one file, compressed by ``level``; ``identity`` says what records depend on
    else. A context manager, whose methods raise ValueError.
    """

    def __init__(self, file, identity, *, level=0):
        self.file = Path(file)
        self._identity = hashlib.sha256(identity.encode())
        self._level = level
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
        """Read the record of a text; None if it is not there, or damaged."""
        query = "SELECT record FROM records WHERE text = ?"
        with self._explained():
            row = self._connection.execute(query, (self._key(text),)).fetchone()
        try:
            return None if row is None else _unpacked(row[0])
        except (TypeError, zlib.error):  # of another type, or with another checksum
            return None

    def put(self, records):
        """Write a dict of texts to their records, all or none; they replace what is there."""
        rows = [(self._key(text), zlib.compress(r, self._level)) for text, r in records.items()]
        with self._explained(), self._connection:  # which commits, or rolls back
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT OR REPLACE INTO records VALUES (?, ?)", rows)

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
        except (OSError, UnicodeError, sqlite3.Error) as error:  # sqlite3 decodes what is damaged
            raise ValueError(
                f"cache: {self.file} cannot be used ({error}). If it is damaged, delete it: what "
                "it holds is computed anew. Otherwise choose a folder that can be written, on a "
                "local disk."
            ) from error


def _unpacked(record):
    """Decompress a record; None if it is cut, or larger than any that is written."""
    stream = zlib.decompressobj()
    content = stream.decompress(record, _MOST_BYTES)
    return content if stream.eof else None
