"""Parses kept on disk, by sentence: one SQLite file for each parser.

Parsing takes a tenth of a second a sentence and more, so results are written while the others
are still computed: a process that is killed loses a second's work. SQLite leaves whole records
only, and two processes that write at once wait for each other. Each record has a checksum, so
that one which is damaged all the same counts as missing.
"""

import hashlib
import json
import sqlite3
import time
import zlib
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from tqdm import tqdm

from sklearn_mteval.parsing.parses import Parses

__all__ = ["CachedParser"]

_FORMAT = 1
_TABLE = """CREATE TABLE IF NOT EXISTS parses
    (sentence BLOB PRIMARY KEY, record BLOB, checksum BLOB)"""
_WAIT = 60  # seconds for another process to finish its writing
_COMMIT = 1  # seconds after which new parses are written


class CachedParser(BaseEstimator):
    """A parser that keeps its parses in a folder, and looks there first.

    Sentences that failed or were stopped are kept as well. Sentences, n and the parser's
    signature are the key; only hashes of sentences are stored, but their best trees hold their
    words.

    Parameters
    ----------
    parser : Parser
        What parses the sentences that are not there.
    folder : path-like
        Made if it is not there. On a local disk: network file systems lock badly.
    verbose : int, default=0
        1 shows a progress bar; its time left is that of the sentences that are not there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn_mteval.parsing import BracketedTrees, CachedParser
    >>> trees = BracketedTrees({"It works.": "(S (NP (PRP It)) (VP (VBZ works)) (. .))"})
    >>> with TemporaryDirectory() as folder:
    ...     parser = CachedParser(trees, folder)
    ...     [parses.status for parses in parser.parse_nbest(["It works.", "Does it?"], n=1)]
    ['parsed', 'failed']
    """

    def __init__(self, parser, folder, *, verbose=0):
        self.parser = parser
        self.folder = folder
        self.verbose = verbose

    @property
    def signature(self):
        """Name what the parses depend on.

        Returns
        -------
        str
            The parser's own signature.
        """
        return self.parser.signature

    def parse_nbest(self, sentences, n):
        """Parse sentences, those that are not in the folder only.

        Parameters
        ----------
        sentences : iterable of str
            Any texts.
        n : int
            How many parses to count and score.

        Yields
        ------
        Parses
            One for each sentence, in order.

        Raises
        ------
        ValueError
            If the file of parses cannot be used.
        """
        sentences = list(sentences)
        identity = f"{_FORMAT}\0{self.parser.signature}\0"
        name = f"parses-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.sqlite3"
        with _Records(Path(self.folder) / name, f"{identity}{n}\0") as records:
            distinct = dict.fromkeys(sentences)
            missing = [sentence for sentence in distinct if not records.has(sentence)]
            bar = tqdm(total=len(missing), desc="parse", unit="sentence", disable=not self.verbose)
            with bar, closing(_Stream(self.parser.parse_nbest(missing, n))) as parsed:
                to_parse = set(missing)
                for sentence in sentences:
                    if sentence in to_parse:
                        to_parse.remove(sentence)
                        parses = next(parsed, None)
                        if parses is None:
                            raise ValueError(
                                f"{self.parser!r} gave fewer parses than the {len(missing)} "
                                "sentences it was asked for."
                            )
                        records.put(sentence, parses)
                        bar.update()
                    else:
                        parses = records.get(sentence)
                    yield parses


class _Stream:
    """An iterator that can be closed, whatever kind the parser gave."""

    def __init__(self, iterator):
        self._iterator = iter(iterator)

    def __next__(self):
        return next(self._iterator)

    def close(self):
        getattr(self._iterator, "close", lambda: None)()


class _Records:
    """The records of one file that belong to one n.

    Parameters
    ----------
    file : Path
        Of SQLite; made if it is not there.
    identity : str
        What the parses depend on beside the sentence.
    """

    def __init__(self, file, identity):
        self.file = file
        self._key = hashlib.sha256(identity.encode())
        self._pending = {}
        self._written = time.monotonic()

    def __enter__(self):
        with _explained(self.file):
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
        try:
            self._flush()
        finally:
            self._connection.close()

    def has(self, sentence):
        """Tell whether there is a whole record of a sentence."""
        return self._record(sentence) is not None

    def get(self, sentence):
        """Read the parses of a sentence, which must be there."""
        key = self._sentence_key(sentence)
        return _unpacked(self._pending.get(key) or self._record(sentence))

    def put(self, sentence, parses):
        """Write the parses of a sentence, together with others, within a second or at the end."""
        self._pending[self._sentence_key(sentence)] = _packed(parses)
        if time.monotonic() - self._written >= _COMMIT:
            self._flush()

    def _record(self, sentence):
        key = self._sentence_key(sentence)
        query = "SELECT record, checksum FROM parses WHERE sentence = ?"
        with _explained(self.file):
            row = self._connection.execute(query, (key,)).fetchone()
        return row[0] if row is not None and _checksum(key, row[0]) == row[1] else None

    def _flush(self):
        rows = [(key, record, _checksum(key, record)) for key, record in self._pending.items()]
        with _explained(self.file):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany("INSERT OR REPLACE INTO parses VALUES (?, ?, ?)", rows)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        self._pending.clear()
        self._written = time.monotonic()

    def _sentence_key(self, sentence):
        key = self._key.copy()
        key.update(sentence.encode("utf-8", "surrogatepass"))
        return key.digest()


def _packed(parses):
    """Turn parses into bytes: a line of JSON, then the scores."""
    head = json.dumps([parses.status, parses.count, parses.tree, parses.skipped_words])
    scores = np.ascontiguousarray(parses.scores, dtype="<f8").tobytes()
    return zlib.compress(head.encode() + b"\n" + scores)


def _unpacked(record):
    head, _, scores = zlib.decompress(record).partition(b"\n")
    status, count, tree, skipped = json.loads(head)
    return Parses(status, count, np.frombuffer(scores, dtype="<f8"), tree, skipped)


def _checksum(key, record):
    """Hash a record, whatever damage has made of it."""
    content = record if isinstance(record, bytes) else repr(record).encode()
    return hashlib.blake2b(key + content, digest_size=16).digest()


@contextmanager
def _explained(file):
    """Turn what SQLite and the file system raise into an error that names the cure."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise ValueError(
            f"cache: {file} cannot be used ({error}). If it is damaged, delete it: its sentences "
            "are parsed anew. Otherwise choose a folder that can be written, on a local disk."
        ) from error
