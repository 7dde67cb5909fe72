"""Link Grammar, a parser of English that counts and costs all readings of a sentence."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from queue import SimpleQueue

import numpy as np
from joblib import effective_n_jobs

from sklearn_mteval._helpers.platforms import WINDOWS
from sklearn_mteval.linguistic.trees.parses import FAILED, PARSED, TIMEOUT, BaseParser, Parses

_WORKER = Path(__file__).with_name("_link_grammar_worker.py")
_ALARMED = -getattr(signal, "SIGALRM", 14)  # the status of a worker that its alarm has ended
_START_LIMIT = 90  # seconds; the worker's own limit is shorter
_GRACE = 5  # seconds after which a worker that outlived its own alarm is killed
_IN_FLIGHT = 8  # sentences handed out per worker, so that results can come in order
_MAX_INT = 2**31 - 1  # of C, in which the library counts parses
_NULL_WORD_COST = 2.7  # the most that the dictionary lets any use of a word cost


class LinkGrammar(BaseParser):
    """Parse with Link Grammar (Sleator & Temperley 1993), in separate processes.

    Needs the C library and a dictionary: ``apt-get install link-grammar
    link-grammar-dictionaries-en``; not on Windows. Sentences that have no complete parse are
    parsed again with words left out, as few as possible.

    Parameters
    ----------
    language : str, default="en"
        Code of the dictionary. Only that of English is made for free text.
    timeout : int, default=5
        Seconds of processor time that a sentence may take. Such seconds hardly depend on what
        else the machine does; a worker that hangs without using the processor is ended after
        three times as many by the clock, and ten.
    n_jobs : int or None, default=None
        Worker processes; no result depends on it.

    Notes
    -----
    ``count`` is the number of valid linkages; of more than n, the valid proportion of a sample of
    n, always the same, times their number, at most n. ``scores`` are minus (disjunct cost + 2.7 ·
    words left out); 2.7 is the most that the dictionary lets any use of a word cost. ``tree`` has
    Link Grammar's constituents (S, NP, VP, PP, SBAR, …); over each word stands its dictionary
    suffix (``n``, ``v-d``, …), else the class of its spelling (``NUMBERS``, …), else the mark
    itself for punctuation and X for a word; over words left out stands NULL. All brackets in words
    are braces.

    Texts of 254 words and more, which the library refuses, and empty ones are ``FAILED``; NUL
    counts as a space, a lone surrogate as "?".

    References
    ----------
    Sleator & Temperley 1993, Parsing English with a Link Grammar; Avramidis 2012, section 3.4.

    Examples
    --------
    >>> from sklearn_mteval.trees import LinkGrammar
    >>> parser = LinkGrammar(n_jobs=2)
    >>> for parses in parser.parse_nbest(["This is a test."], n=1000):  # doctest: +SKIP
    ...     print(parses.count, parses.scores.max(), parses.tree)
    4 0.0 (S (NP (p this)) (VP (v is) (NP (X a) (n test))) (. .))
    """

    def __init__(self, language: str = "en", *, timeout: int = 5, n_jobs: int | None = None):
        self.language = language
        self.timeout = timeout
        self.n_jobs = n_jobs

    def _signature(self):
        self._check()
        return f"{_version(self.language)} {self.language} timeout={self.timeout} counts=2"

    def _parse(self, sentences, n):
        self._check()
        n = min(int(n), _MAX_INT)
        n_jobs = effective_n_jobs(self.n_jobs)
        workers = [_Worker(self.language, self.timeout) for _ in range(n_jobs)]
        idle = SimpleQueue()
        for worker in workers:
            idle.put(worker)

        def _parse(sentence):
            worker = idle.get()
            try:
                return worker.parse(sentence, n)
            finally:
                idle.put(worker)

        pool = ThreadPoolExecutor(n_jobs)
        waiting = deque()
        try:
            for sentence in sentences:
                waiting.append(pool.submit(_parse, sentence))
                if len(waiting) >= _IN_FLIGHT * n_jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # whether all is done, the caller stops asking, or something is raised
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.kill()  # ends what a thread waits for
            pool.shutdown(wait=True)
            for worker in workers:
                worker.kill()

    def _check(self):
        if not isinstance(self.language, str) or not re.fullmatch(r"[a-z]+", self.language):
            raise ValueError(f"language must be a code such as 'en', found {self.language!r}.")
        whole = isinstance(self.timeout, int) and not isinstance(self.timeout, bool)
        if not whole or self.timeout < 1:
            raise ValueError(f"timeout must be an integer >= 1 (seconds), found {self.timeout!r}.")


class _Worker:
    """One worker process: started when it is needed, and again when it has died."""

    def __init__(self, language, timeout):
        self.language = language
        self.timeout = timeout
        self.hard_timeout = 3 * timeout + 10
        self.version = None
        self._process = None

    def parse(self, sentence, n):
        """Parse a sentence, whatever that does to the process."""
        if self._process is None:
            self.start()
        line, timed_out = self._exchange([sentence, n], self.hard_timeout + _GRACE)
        parses = _read_answer(line)
        if parses is None:
            self.kill()
            return Parses(TIMEOUT if timed_out else FAILED)
        if parses.status == TIMEOUT:
            self.kill()  # a new one begins with little memory
        return parses

    def start(self):
        """Start the process and wait until the dictionary is read."""
        if WINDOWS:
            raise ImportError(
                "LinkGrammar does not run on Windows, where nothing ends a sentence that takes too "
                "long: use a parser that comes with the package, or Linux within Windows (WSL)."
            )
        options = {
            "language": self.language,
            "timeout": self.timeout,
            "hard_timeout": self.hard_timeout,
            "parent": os.getpid(),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(_WORKER), json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C.UTF-8"},  # the library reads texts in the locale
            text=True,
            encoding="ascii",
            errors="replace",
        )
        line, _ = self._exchange(None, _START_LIMIT)
        try:
            answer = json.loads(line)
            self.version = answer.get("version")
            problem = answer.get("error")
        except (ValueError, AttributeError):
            problem = f"its worker said {line!r}"
        if self.version is None:
            self.kill()
            raise ImportError(
                f"LinkGrammar(language={self.language!r}) needs the Link Grammar library and a "
                "dictionary: apt-get install link-grammar link-grammar-dictionaries-en (for other "
                f"languages link-grammar-dictionaries-all). Found: {problem}."
            )

    def kill(self):
        """End the process, if there is one, and forget it."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # what a thread has just written cannot be flushed
                    pipe.close()
            process.wait()

    def _exchange(self, question, limit):
        """Write a line unless None, read a line; "" if none comes, and whether time was up."""
        process, stopped = self._process, threading.Event()

        def stop():
            stopped.set()
            process.kill()

        timer = threading.Timer(limit, stop)
        timer.daemon = True
        timer.start()
        line = ""
        try:
            if question is not None:
                process.stdin.write(json.dumps(question) + "\n")
                process.stdin.flush()
            line = process.stdout.readline()
        except (OSError, ValueError):  # the process has gone, or was killed meanwhile
            pass
        finally:
            timer.cancel()
        if line.endswith("\n"):
            return line, False
        process.kill()  # what ended by itself keeps its exit status
        alarmed = process.wait() == _ALARMED
        return "", alarmed or stopped.is_set()


def _read_answer(line):
    """Turn a worker's line into parses; None if it is none."""
    try:
        status, count, costs, tree, skipped = json.loads(line)
        scores = -(np.array(costs, dtype=np.float64).reshape(-1) + _NULL_WORD_COST * skipped)
        if status == PARSED and 1 <= len(scores) <= count and np.isfinite(scores).all():
            return Parses(PARSED, int(count), scores + 0.0, _penn_brackets(tree), int(skipped))
        return Parses(status) if status in (FAILED, TIMEOUT) else None
    except (ValueError, TypeError, AttributeError):
        return None


_LEAF = re.compile(r"(?<=[ )])[^()\s]+|^[^()\s]+")
_GUESS = re.compile(r"(?<!^)\{[!?~&]([^{}]*)\}")
_SUFFIX = re.compile(r"(.+)\.([a-z]{1,3}(?:-[a-z]+)*)")


def _penn_brackets(tree):
    """Put a bracket with a tag around each word: ``(NP test.n)`` → ``(NP (n test))``."""
    return _LEAF.sub(lambda match: _preterminal(match.group()), tree.strip())


def _preterminal(leaf):
    guess = _GUESS.search(leaf)
    if guess is None and len(leaf) > 2 and leaf[0] == "{" and leaf[-1] == "}":
        return f"(NULL {leaf[1:-1]})"
    word = _GUESS.sub("", leaf)
    suffixed = _SUFFIX.fullmatch(word)
    if suffixed:
        return f"({suffixed[2]} {suffixed[1]})"
    if guess and guess[1].strip("<>"):
        return f"({guess[1].strip('<>')} {word})"
    return f"({'X' if any(map(str.isalnum, word)) else word} {word})"


@lru_cache(maxsize=16)
def _version(language):
    worker = _Worker(language, 1)
    try:
        worker.start()
        return worker.version
    finally:
        worker.kill()
