"""Work on a stream of things, in their order: here, or in processes of which each is made once.

Nothing is taken before it is needed. A process that is killed leaves nobody waiting, and no script
is run once more, as the standard library's pool would.
"""

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import warnings
from itertools import cycle, islice

import cloudpickle
from joblib import effective_n_jobs

_AHEAD = 2  # things that each process works on, or has read already
_SERVE = (
    "import sys; sys.path[:] = {}; from sklearn_mteval._helpers import workers; workers.serve()"
)


def in_order(make, items, n_jobs=None):
    """Yield ``make()(item)`` in order, each of ``n_jobs`` processes calling make once, and warnings
    here; ChildProcessError if one was killed from outside.
    """
    n_jobs = effective_n_jobs(n_jobs)
    if n_jobs == 1:
        yield from map(make(), items)
        return
    started, items, n_waiting = [], iter(items), 0
    with processes(n_jobs) as start:
        for item in islice(items, n_jobs):  # fewer things need fewer processes
            started.append(start(make))
            send(started[-1], item)
            n_waiting += 1
        for process in islice(cycle(started), (_AHEAD - 1) * len(started)):
            n_waiting += _send_next(process, items)
        for process in cycle(started):
            if not n_waiting:
                return
            answer = _answer(process)
            n_waiting += _send_next(process, items) - 1
            yield _result(answer)


@contextlib.contextmanager
def processes(n_jobs):
    """Yield a function that starts a process, which calls what it is given once; then end all."""
    threads = os.environ.get("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // n_jobs)))
    command = [sys.executable, "-c", _SERVE.format(sys.path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    environment = os.environ | {"OMP_NUM_THREADS": threads}
    started = []

    def start(make):
        started.append(subprocess.Popen(command, env=environment, **pipes))
        send(started[-1], make)
        return started[-1]

    try:
        yield start
    finally:
        for process in started:
            process.kill()
        for process in started:
            with contextlib.suppress(OSError):  # what it has not read is lost with it
                process.stdin.close()
            process.stdout.close()
            process.wait()


def receive(process):
    """Wait for what a process made of the first thing that it was sent and has not answered."""
    return _result(_answer(process))


def _answer(process):
    """Read what was found, warnings and a problem."""
    with _told_of_its_end():
        return pickle.load(process.stdout)


def _result(answer):
    """Return what was found; warn, or raise the problem, as the process did."""
    found, warned, problem = answer
    for message, category in warned:
        warnings.warn(message, category, stacklevel=2)
    if problem is not None:
        raise problem
    return found


def _send_next(process, items):
    """Send the next item, if there is one; return how many were sent."""
    for item in items:
        send(process, item)
        return 1
    return 0


def send(process, thing):
    """Send a thing to a process, which reads at once whatever it is sent."""
    with _told_of_its_end():
        cloudpickle.dump(thing, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
        process.stdin.flush()


@contextlib.contextmanager
def _told_of_its_end():
    """Raise ChildProcessError if the other end of a pipe is gone."""
    try:
        yield
    except (EOFError, OSError, pickle.UnpicklingError):  # Windows has no BrokenPipeError here
        raise ChildProcessError(
            "a process that worked for this one has ended before its work was done: it was killed, "
            "mostly because memory was short. Ask for fewer processes."
        ) from None


def serve():
    """Do what comes in on standard input, answer on standard output, and end with the sender."""
    for number in (signal.SIGINT, signal.SIGTERM):  # they are for the other one, and so for both
        signal.signal(number, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    things = queue.SimpleQueue()
    pipe = os.fdopen(os.dup(0), "rb")
    # What work starts or imports must not read what is sent, nor wait while that is read.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    threading.Thread(target=_read_ahead, args=(pipe, things), daemon=True).start()
    make, work = things.get(), None
    while True:
        item = things.get()
        found = problem = None
        with warnings.catch_warnings(record=True) as caught:
            try:
                if work is None:  # here, where an error reaches the caller
                    work = make()
                found = work(item)
            except Exception as error:
                problem = error
        warned = [(str(warning.message), warning.category) for warning in caught]
        try:
            answer = cloudpickle.dumps((found, warned, problem), pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            answer = pickle.dumps((None, warned, RuntimeError(f"no answer can be sent: {error}")))
        answers.write(answer)
        answers.flush()


def _read_ahead(pipe, things):
    """Read what is sent as it comes; end the process when the other one is gone."""
    with contextlib.suppress(Exception), pipe:
        while True:
            things.put(pickle.load(pipe))
    os._exit(1)
