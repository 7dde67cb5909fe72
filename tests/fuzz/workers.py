"""Processes that run cases, so that a crash or a hang is a verdict and the run goes on."""

import faulthandler
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter, namedtuple
from pathlib import Path

from numba.core import event

from fuzz.judge import BAD, CRASH, FUZZER, HANG, judge
from fuzz.registry import TARGETS, load_targets, schedule

MEMORY = 5 << 30  # bytes of address space, of which libraries take one and a half
SECONDS = 60  # of processor time for a case, what it compiles left out
PATIENCE = 20  # times as many on the wall: a case that waits for nothing, on a busy machine

Found = namedtuple("Found", ["target", "number", "verdict", "text"])


def run(
    n_cases, *, seed=0, jobs=1, names=None, package="fuzz.targets", seconds=SECONDS, on_found=None
):
    """Run cases in ``jobs`` processes; return how often each target came to each verdict."""
    names = list(names or load_targets(package))
    counts, lock = Counter(), threading.Lock()

    def tell(found):
        with lock:
            counts[found.target, found.verdict] += 1
            if on_found is not None:
                on_found(found)

    def share(first):
        try:
            _share(first, n_cases, jobs, seed, names, package, seconds, tell)
        except BaseException as error:
            tell(Found("the runner", first, FUZZER, repr(error)))
            raise

    threads = [threading.Thread(target=share, args=(first,)) for first in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts


def _share(first, n_cases, jobs, seed, names, package, seconds, tell):
    """Run every jobs-th case in one worker after another."""
    case = schedule(names)
    place = first
    while place < n_cases:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            log = Path(folder) / "log"
            with log.open("wb") as stderr:
                worker = subprocess.Popen(
                    [sys.executable, "-m", "fuzz.workers",
                     *map(str, (place, n_cases, jobs, seed, seconds)), package, *names],
                    stdout=subprocess.PIPE, stderr=stderr, stdin=subprocess.DEVNULL, text=True,
                    env=_environment(folder),
                )  # fmt: skip
                with worker:
                    for line in worker.stdout:
                        tell(Found(*case(place), *json.loads(line)))
                        place += jobs
            if place < n_cases:  # it ended within a case
                said = log.read_text(errors="replace")
                waited = said.rfind("Timeout (") > said.rfind("Fatal Python error")
                last = said[max(said.rfind("Timeout ("), said.rfind("Fatal Python error"), 0) :]
                last = last.partition("Extension modules")[0][-4000:]
                hung = waited or worker.returncode == -signal.SIGPROF
                # Not by a signal, nor by a watchdog: the worker itself is at fault.
                verdict = HANG if hung else CRASH if worker.returncode < 0 else FUZZER
                tell(Found(*case(place), verdict, f"exit status {worker.returncode}\n{last}"))
                place += jobs


def _environment(folder):
    """Return the environment of a worker: one thread, its own temporary folder."""
    tests = Path(__file__).parents[1]
    paths = filter(None, [str(tests), os.environ.get("PYTHONPATH"), str(tests.parent)])
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "OMP_NUM_THREADS": "1",
        "TMPDIR": folder,
        "TQDM_DISABLE": "1",
        "MPLBACKEND": "Agg",
    }


class _Clock(event.Listener):
    """Counts the processor time of a case, and stands still while a kernel is compiled."""

    depth = left = 0

    def on_start(self, _):
        """Stop it."""
        if self.depth == 0:
            self.left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
        self.depth += 1

    def on_end(self, _):
        """Let it go on."""
        self.depth -= 1
        if self.depth == 0:
            signal.setitimer(signal.ITIMER_PROF, self.left)


def main(place, n_cases, step, seed, seconds, package, *names):
    """Run every step-th case from a place on; write a line of JSON for each."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    faulthandler.enable()
    # Both watchdogs are of C, and need neither the interpreter nor its lock.
    faulthandler.register(signal.SIGPROF, chain=True)
    event.register("numba:compile", _Clock())
    load_targets(package)
    case = schedule(names)
    for k in range(int(place), int(n_cases), int(step)):
        name, number = case(k)
        signal.setitimer(signal.ITIMER_PROF, float(seconds))
        faulthandler.dump_traceback_later(PATIENCE * float(seconds), exit=True)
        verdict, text = judge(TARGETS[name], int(seed), number)
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_PROF, 0)
        answers.write(json.dumps([verdict, text if verdict in BAD else ""]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
