"""Commands on a pseudo-terminal, as a person runs them."""

import os
import select
import signal
import subprocess
import sys
import time

import pytest

pty = pytest.importorskip("pty")

COLUMNS = 100
LIMIT = 300.0  # seconds, for a machine that does much else


class Terminal:
    """A command whose standard error is a terminal, its standard output too unless given."""

    def __init__(self, *words, stdout=None, environment=None):
        import fcntl
        import struct
        import termios

        self._end, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sklearn_mteval.cli", *map(str, words)],
            stdin=subprocess.DEVNULL,
            stdout=terminal if stdout is None else stdout,
            stderr=terminal,
            env=os.environ | {"TERM": "xterm", "TQDM_DISABLE": ""} | (environment or {}),
            start_new_session=True,
        )
        os.close(terminal)
        self.text = ""

    def read_until(self, word=None):
        """Read what is shown until there is a word, or until the end."""
        deadline = time.monotonic() + LIMIT
        while word is None or word not in self.text:
            if time.monotonic() > deadline:
                break
            if not select.select([self._end], [], [], 1)[0]:
                continue
            try:
                found = os.read(self._end, 2**16)
            except OSError:  # the end, on Linux
                found = b""
            if not found:
                break
            self.text += found.decode()
        if word is not None and word not in self.text:
            self.process.kill()
            self.finish()
            raise AssertionError(f"expected {word!r}, found {self.text!r}")

    def finish(self):
        """Read to the end; return the lines that stay on the screen, and the status."""
        self.read_until()
        os.close(self._end)
        return screen(self.text), self.process.wait(LIMIT)

    def signal(self, number=signal.SIGINT):
        """Send a signal to all processes of the terminal, as the key does."""
        os.killpg(self.process.pid, number)


def screen(text):
    """Return the lines that a terminal shows in the end, of text with carriage returns."""
    lines = []
    for line in text.split("\n"):
        cells = []
        for part in line.split("\r"):
            cells[: len(part)] = part
        lines.append("".join(cells).rstrip())
    return [line for line in lines if line]
