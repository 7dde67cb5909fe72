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
        file = f"parses-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.sqlite3"
        with ExitStack() as stack:
            cache = RecordCache(Path(self.cache) / file, f"{identity}{n}\0", level=6)
            records, pending = stack.enter_context(cache), {}
            stack.callback(records.put, pending)
            distinct = dict.fromkeys(sentences)
            missing = [text for text in distinct if _unpacked(records.get(text)) is None]
            progress = working("parsing", len(missing), "sentences", shown=self.progress)
            step = stack.enter_context(progress)
            parsed = iter(self.parser.parse_nbest(missing, n))
            stack.callback(getattr(parsed, "close", lambda: None))  # where it is a generator
            to_parse, written = set(missing), time.monotonic()
            for sentence in sentences:
                if sentence not in to_parse:
                    yield _unpacked(pending.get(sentence) or records.get(sentence))
                    continue
                to_parse.remove(sentence)
                parses = next(parsed, None)
                if parses is None:
                    raise ValueError(
                        f"{self.parser!r} gave fewer parses than the {len(missing)} sentences it "
                        "was asked for."
                    )
                pending[sentence] = _packed(parses)
                if time.monotonic() - written >= _COMMIT:
                    records.put(pending)
                    pending.clear()
                    written = time.monotonic()
                step.advance()
                yield parses


def _packed(parses):
    """Turn parses into a record, a line of JSON and then the scores."""
    head = json.dumps([parses.status, parses.count, parses.tree, parses.skipped_words])
    return head.encode() + b"\n" + np.ascontiguousarray(parses.scores, dtype="<f8").tobytes()


def _unpacked(record):
    """Turn a record into parses; None if there is none, or it is not as it was written."""
    if record is None:
        return None
    try:
        head, _, scores = record.partition(b"\n")
        status, count, tree, skipped = json.loads(head)
        found = Parses(status, count, np.frombuffer(scores, dtype="<f8"), tree, skipped)
        texts = status in (PARSED, FAILED, TIMEOUT) and isinstance(tree, str)
        whole = texts and is_count(count) and is_count(skipped) and not np.isnan(found.scores).any()
    except (RecursionError, TypeError, ValueError):
        return None
    return found if whole else None
