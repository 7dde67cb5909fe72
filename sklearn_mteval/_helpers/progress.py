"""How far long work has come: loops count in :func:`working`, which draws nothing.

A thread of :func:`showing` looks at the open steps: the clock goes on in compiled code. A terminal
gets one line of them, drawn again and again; a pipe or file one where nothing was said for a while.
"""

import contextlib
import os
import sys
import threading
from time import monotonic

_INTERVAL = 0.2  # seconds between two looks
_TOLD = 2.0  # seconds before the time left is estimated
_SILENT, _LONGEST = 1.5, 60.0  # seconds of silence before something is said, later ever more

_line = None  # what is shown in this process, by `showing`


class _Step:
    """A step of work: how much of it is done, of how much."""

    def __init__(self, what, total=None, unit="", parts=None, rated=False):
        self.what, self.total, self.unit, self.parts = what, total, unit, parts
        self.rated = rated
        self.done, self.note, self.began = 0, "", monotonic()

    def advance(self, n=1, note=""):
        """Count what has been done."""
        self.done += n
        self.note = note

    def speed(self, now, clock):
        """Say how fast it goes, and how long it will take, once that can be told."""
        spent = now - self.began
        if not self.done or self.parts or spent <= _TOLD:  # parts take very different times
            return ""
        said = f", {self.done / spent:,.0f} a second" if self.rated else ""
        if self.total and self.done < self.total:
            said += f", about {clock(spent * (self.total - self.done) / self.done)} left"
        return said

    def __str__(self):
        if self.parts:
            return f"{self.what} {min(max(self.done, 1), self.parts)} of {self.parts}"
        if self.total is None:
            return f"{self.what}, {self.done:,} {self.unit}" if self.done else self.what
        note = f" ({self.note})" if self.note else ""
        return f"{self.what}, {min(self.done, self.total):,} of {self.total:,} {self.unit}{note}"


class _Line:
    """A line on standard error with the steps that are open in the thread which made it."""

    def __init__(self, what, drawn=True):
        from tqdm import tqdm  # which takes a while to import

        self._tqdm = tqdm
        self._drawn, self._wait, self._said = drawn, _SILENT, monotonic()
        self.steps, self.leave, self._last = [], what is None, None
        if what is not None:
            self.steps.append(_Step(what))
        self.owner = threading.get_ident()
        self._began, self._print, self._shown = monotonic(), None, None
        self._lock, self._end = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self):
        """Draw what is new, until the end."""
        with contextlib.suppress(OSError, ValueError):  # standard error may be closed
            while not self._end.wait(_INTERVAL):
                text = self._text(self._tqdm.format_interval)
                with self._lock:
                    if self._end.is_set() or text in (None, self._shown):
                        continue
                    if self._drawn:
                        self._print = self._print or self._tqdm.status_printer(sys.stderr)
                        self._print(text)
                        self._shown = text
                    elif monotonic() - self._said >= self._wait:
                        sys.stderr.write(f"{text}\n")
                        sys.stderr.flush()
                        self._said, self._wait = monotonic(), min(10 * self._wait, _LONGEST)

    def _text(self, clock):
        """Say which steps are open, and since when; None if there are none."""
        steps, now = list(self.steps), monotonic()
        if not steps:
            return None
        times = clock(now - self._began)
        counted = next((step for step in steps if step.total or step.parts or step.rated), None)
        if counted is not None:
            times += counted.speed(now, clock)
        width = _columns() - len(times) - 4
        text = ": ".join(map(str, steps)) + ": at work" * (not self._drawn and len(steps) == 1)
        return f"{text if len(text) <= width else text[: width - 1] + '…'} [{times}]"

    def end(self, step):
        """Count a step as done; the last of Python's own line stays on the screen."""
        if self.leave and len(self.steps) == 1:
            self._last = self._text(self._tqdm.format_interval)
        self.steps.remove(step)

    def take_away(self):
        """Clear the line; whoever calls this holds the lock, or has closed the line."""
        if self._shown is not None:
            with contextlib.suppress(OSError, ValueError):
                self._print("")
                self._print("")  # the cursor to the first column
            self._shown = None

    @contextlib.contextmanager
    def hidden(self):
        """Keep the line away for a while."""
        held = self._lock.acquire(timeout=1)  # a terminal may have stopped
        try:
            self.take_away()
            yield
            self._said = monotonic()
        finally:
            if held:
                self._lock.release()

    def close(self):
        """Take the line away for good."""
        self._end.set()
        self._thread.join(1)
        self.take_away()
        if self._last is not None:
            with contextlib.suppress(OSError, ValueError):
                print(self._last, file=sys.stderr, flush=True)


def _columns():
    """Return the width of the terminal."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    return 80


@contextlib.contextmanager
def showing(shown=True, what=None, *, drawn=True):
    """Show on standard error which steps of this thread are open, unless something does already.

    What is not ``drawn``, time and again, is said in a line where nothing has been for a while.
    """
    global _line
    if not shown or _line is not None or sys.stderr is None:
        yield
        return
    _line = _Line(what, drawn)
    try:
        yield
    finally:
        line, _line = _line, None
        line.close()


def working(what, total=None, unit="", *, parts=None, rated=False, shown=False):
    """Open a step of work of ``total`` units, or unknown, and ``parts`` steps within, whose
    ``advance(n)`` counts; ``rated`` tells the speed, ``shown`` shows it anyhow.
    """
    step = _Step(what, total, unit, parts, rated)
    return contextlib.nullcontext(step) if _line is None and not shown else _opened(step, shown)


@contextlib.contextmanager
def _opened(step, shown):
    """Have a step in the line while it is open."""
    with showing(shown):
        line = _line
        if line is None or threading.get_ident() != line.owner:
            yield step
            return
        if line.steps:
            line.steps[-1].done += line.steps[-1].parts is not None
        line.steps.append(step)
        try:
            yield step
        finally:
            line.end(step)


def tracked(items, what, unit, *, total=None, shown=False):
    """Yield items, counting each when its work is done; see :func:`working`."""
    total = len(items) if total is None else total
    with working(what, total, unit, shown=shown) as step:
        for item in items:
            yield item
            step.advance()


def silenced():
    """Take the line away for good: somebody does not want it."""
    if _line is not None:
        _line.close()


def hidden():
    """Return a context in which the line is taken away, for something else to be written."""
    return contextlib.nullcontext() if _line is None else _line.hidden()
