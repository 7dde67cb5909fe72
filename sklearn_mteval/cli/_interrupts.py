"""Ending a command at once when it is told to: Ctrl-C, or a signal to terminate."""

import contextlib
import os
import signal
import sys
import threading
from time import monotonic

from sklearn_mteval._helpers.platforms import KILL

_GRACE = 0.6  # seconds that a command has to end by itself
_SAID = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


class Stopped(KeyboardInterrupt):
    """The process has been told to end, by a signal; as text what is said of it."""

    def __init__(self, number=signal.SIGINT):
        super().__init__(_SAID[number])
        self.status = 128 + number  # as shells have it


def _stop(number, frame):
    """Handle the signal."""
    signal.signal(number, lambda *_: None)  # the first of several is enough
    # An import that is broken off may keep its lock, and say so; the thread ends the process.
    if not frame.f_code.co_filename.startswith("<frozen importlib"):
        raise Stopped(number)


@contextlib.contextmanager
def ending_at_once(report):
    """Raise Stopped on a signal to end, and end the process where that has no effect.

    Python raises only between its own instructions, and compiled code may run on for long. A thread
    therefore hears of the signal, too: if the command goes on, it calls ``report(Stopped)`` and
    ends the process. Signals that are ignored, as under nohup, stay so.
    """
    if threading.current_thread() is not threading.main_thread():  # no other one has signals
        yield
        return
    import socket

    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    usual = {number: way for number, way in usual.items() if signal.getsignal(number) == way}
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    threading.Thread(target=_watch, args=(reading, {*usual}, report), daemon=True).start()
    before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    for number in usual:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        writing.close()  # the thread ends


def _watch(reading, numbers, report):
    """Wait for a signal; end the process if the command has not ended a moment later."""
    stop, deadline = None, None
    with reading:
        while True:
            try:
                received = reading.recv(64)
            except TimeoutError:
                break
            if not received:  # the command has ended
                return
            if stop is None and numbers.intersection(received):
                stop = Stopped(signal.Signals(min(numbers.intersection(received))))
                deadline = monotonic() + _GRACE
            if stop is not None:
                reading.settimeout(max(0.001, deadline - monotonic()))
        if progress := sys.modules.get("sklearn_mteval._helpers.progress"):
            progress.silenced()  # lest its thread draws the line once more, below what is said
        report(stop)
        leave(stop.status)


def leave(status):
    """End the process at once, with those that work for it, and remove its temporary files."""
    # What is not imported has done nothing; an import here might wait for a lock.
    if multiprocessing := sys.modules.get("multiprocessing"):
        for process in multiprocessing.active_children():
            with contextlib.suppress(OSError):  # joblib's processes have no method for it
                os.kill(process.pid, KILL)
    if atomic := sys.modules.get("sklearn_mteval._helpers.atomic"):
        atomic.remove_unfinished()
    os._exit(status)
