"""Parses kept on disk, by sentence: one SQLite file for each parser.

Parsing takes a tenth of a second a sentence and more, so results are written while the others
are still computed: a process that is killed loses a second's work.
"""

import hashlib
import json
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from sklearn_mteval._helpers.progress import working
from sklearn_mteval._helpers.restored import is_count
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.linguistic.trees.parses import (
    FAILED,
    PARSED,
    TIMEOUT,
    BaseParser,
    Parser,
    Parses,
)
from sklearn_mteval.text.record_cache import RecordCache

_FORMAT = 3
_COMMIT = 1  # seconds after which new parses are written


class CachedParser(BaseParser):
    """A parser that keeps its parses in a folder, and reads those that are there already.

    Sentences that failed or were stopped are kept as well. Sentences, n and the parser's
    signature are the key; only hashes of sentences are stored, but their best trees hold their
    words.

    Parameters
    ----------
    parser : Parser
        What parses the sentences that are not there.
    cache : path-like
        Made if it is not there. On a local disk: network file systems lock badly.
    progress : bool, default=False
        1 shows a progress bar; its time left is that of the sentences that are not there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn_mteval.trees import BracketedTrees, CachedParser
    >>> trees = BracketedTrees({"It works.": "(S (NP (PRP It)) (VP (VBZ works)) (. .))"})
    >>> with TemporaryDirectory() as folder:
    ...     parser = CachedParser(trees, folder)
    ...     [parses.status for parses in parser.parse_nbest(["It works.", "Does it?"], n=1)]
    ['parsed', 'failed']
    """

    def __init__(self, parser: Parser, cache: PathLike, *, progress: bool = False):
        self.parser = parser
        self.cache = cache
        self.progress = progress

    def _signature(self):
        return self.parser.signature

    def _parse(self, sentences, n):
        sentences = list(sentences)
        identity = f"{_FORMAT}\0{self.parser.signature}\0"
        name = f"parses-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.sqlite3"
        with _Records(Path(self.cache) / name, f"{identity}{n}\0", level=6) as records:
            missing = [text for text in dict.fromkeys(sentences) if records.parses(text) is None]
            parsed = iter(self.parser.parse_nbest(missing, n))
            with (
                working("parsing", len(missing), "sentences", shown=self.progress) as step,
                ExitStack() as stack,
            ):
                stack.callback(getattr(parsed, "close", lambda: None))  # where it is a generator
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
                        records.add(sentence, parses)
                        step.advance()
                    else:
                        parses = records.parses(sentence)
                    yield parses


class _Records(RecordCache):
    """The parses of one file that belong to one n."""

    def __enter__(self):
        self._pending = {}
        self._written = time.monotonic()
        return super().__enter__()

    def __exit__(self, *exception):
        try:
            self._flush()
        finally:
            super().__exit__(*exception)

    def parses(self, sentence):
        """Read the parses of a sentence; None if they are not there, or damaged."""
        record = self._pending.get(sentence) or self.get(sentence)
        try:
            return None if record is None else _unpacked(record)
        except (RecursionError, TypeError, ValueError):  # not as it was written: parsed anew
            return None

    def add(self, sentence, parses):
        """Write the parses of a sentence, together with others, within a second or at the end."""
        head = json.dumps([parses.status, parses.count, parses.tree, parses.skipped_words])
        scores = np.ascontiguousarray(parses.scores, dtype="<f8").tobytes()
        self._pending[sentence] = head.encode() + b"\n" + scores
        if time.monotonic() - self._written >= _COMMIT:
            self._flush()

    def _flush(self):
        self.put(self._pending)
        self._pending.clear()
        self._written = time.monotonic()


def _unpacked(record):
    """Turn a record, a line of JSON and then the scores, into parses."""
    head, _, scores = record.partition(b"\n")
    status, count, tree, skipped = json.loads(head)
    found = Parses(status, count, np.frombuffer(scores, dtype="<f8"), tree, skipped)
    texts = status in (PARSED, FAILED, TIMEOUT) and isinstance(tree, str)
    if not texts or not is_count(count) or not is_count(skipped) or np.isnan(found.scores).any():
        raise ValueError("damaged")
    return found
