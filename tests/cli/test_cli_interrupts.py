"""Commands that are told to end while they work: at once, in one line, and nothing half written."""

import os
import signal
import time

import pytest
from terminal import Terminal

from sklearn_mteval.datasets import load_sample

LIMIT = 90.0  # seconds for the end, on a machine that does much else: it takes less than one


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A text of many words and translations of it, which take a minute to compare."""
    folder = tmp_path_factory.mktemp("long")
    X, _ = load_sample(return_X_y=True)
    texts = X["hypothesis"].tolist()
    for k, name in enumerate(("ref", "one", "two")):
        lines = (f"{texts[(n + k) % len(texts)]} {n}\n" for n in range(40000))
        (folder / name).write_text("".join(lines), encoding="utf-8")
    return folder


def ended(terminal, number):
    """Send a signal; return what was said after it, and the status; all processes have ended."""
    terminal.signal(number)
    began = time.monotonic()
    shown, status = terminal.finish()
    assert time.monotonic() - began < LIMIT
    deadline = time.monotonic() + LIMIT
    while True:  # the whole group: workers, too
        try:
            os.killpg(terminal.process.pid, 0)
        except ProcessLookupError:
            break
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return shown, status


SCORE = "score static-en -r {0}/ref -t {0}/one -o {1}/out"
WHEN = {
    "while it starts": (SCORE, "score ["),
    "in compiled code": (SCORE, "LexicalFeatures"),
    "in blocks, among processes": (
        "rank static-en -r {0}/ref -t {0}/one {0}/two --jobs 2 -o {1}/out",
        "a second",
    ),
    "among processes": (
        "select -t {0}/one {0}/two -r {0}/ref --metrics ter meteor --method diversity -o {1}/out",
        "select",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("when", WHEN)
def test_a_command_ends_at_once(files, tmp_path, when, number):
    line, word = WHEN[when]
    terminal = Terminal(*line.format(files, tmp_path).split())
    terminal.read_until(word)
    shown, status = ended(terminal, number)
    said = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}[number]
    assert shown[-1] == f"sklearn-mteval {line.split()[0]}: {said}"
    assert not any("Traceback" in line for line in shown)
    assert status == 128 + number
    assert list(tmp_path.iterdir()) == []
