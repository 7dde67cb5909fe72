"""Work in order: the same in processes, lazily, with errors and warnings of theirs."""

import os
import signal
import subprocess
import sys
import time
import warnings

import pytest

from sklearn_mteval._helpers.workers import in_order
from sklearn_mteval.exceptions import DataFileError


def doubling():
    """Make a function; in each process once."""
    return lambda n: 2 * n


def misbehaving():
    def work(n):
        if n == 3:
            raise DataFileError("file", "expected something else.", 7)
        if n == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        warnings.warn(f"{n} is odd", UserWarning, stacklevel=1)
        return n

    return work


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_results_come_in_order(n_jobs):
    assert list(in_order(doubling, range(50), n_jobs)) == list(range(0, 100, 2))
    assert list(in_order(doubling, [], n_jobs)) == []


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_nothing_is_taken_before_it_is_needed(n_jobs):
    taken = []

    def items():
        for n in range(1000):
            taken.append(n)
            yield n

    found = in_order(doubling, items(), n_jobs)
    assert [next(found), next(found)] == [0, 2]
    assert len(taken) <= 1 + 2 * n_jobs + 1
    found.close()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_errors_and_warnings_are_those_of_the_work(n_jobs):
    found = in_order(misbehaving, range(1, 4), n_jobs)
    with pytest.warns(UserWarning, match="1 is odd"):
        assert next(found) == 1
    with pytest.warns(UserWarning, match="2 is odd"):
        assert next(found) == 2
    with pytest.raises(DataFileError, match=r"^file, line 7: expected") as error:
        next(found)
    assert (error.value.path, error.value.line) == ("file", 7)


def test_a_process_that_is_killed_is_an_error():
    with pytest.raises(ChildProcessError, match="Ask for fewer processes"):
        list(in_order(misbehaving, [5], 2))


def test_a_script_is_run_once(tmp_path):
    """A pool of the standard library runs it in each process again, where it asks for one more."""
    script = tmp_path / "script.py"
    script.write_text("""
from sklearn_mteval._helpers.workers import in_order

def doubling():
    return lambda n: 2 * n

print("once", list(in_order(doubling, range(3), 2)))
""")
    run = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert (run.stdout, run.stderr, run.returncode) == ("once [0, 2, 4]\n", "", 0)


@pytest.mark.slow
def test_processes_end_with_the_one_that_they_work_for(tmp_path):
    """However it ends: nothing must go on for nobody."""
    program = f"""
import os, time
from pathlib import Path
from sklearn_mteval._helpers.workers import in_order

def make():
    Path({str(tmp_path)!r}, str(os.getpid())).touch()
    return lambda n: time.sleep(600)

list(in_order(make, range(9), 2))
"""
    process = subprocess.Popen([sys.executable, "-c", program])
    try:
        while len(list(tmp_path.iterdir())) < 2 and process.poll() is None:
            time.sleep(0.1)
    finally:
        process.kill()
        process.wait()
    workers = [int(path.name) for path in tmp_path.iterdir()]
    assert len(workers) == 2
    for _ in range(100):
        if not any(map(runs, workers)):
            return
        time.sleep(0.1)
    pytest.fail("a process goes on")


def runs(pid):
    """Tell whether a process is there, and no zombie."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def reading():
    """Make a function that reads standard input, as what a library starts might."""
    return lambda n: (n, subprocess.run(["cat"], capture_output=True).stdout, sys.stdin.read())


def test_what_is_sent_is_read_by_nobody_else():
    assert list(in_order(reading, range(6), 2)) == [(n, b"", "") for n in range(6)]
