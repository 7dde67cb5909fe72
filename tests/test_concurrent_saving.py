"""Several that save into one folder at once, and others that load: always one whole model."""

import ast
import subprocess
import sys
import threading

import pytest
from model_files import SIGNATURE, strengths
from nursery import nursery

from sklearn_mteval import RankRecomposer, load_model, save_model
from sklearn_mteval.persistence.trust import skops_io

SAVE_AND_LOAD = """
import sys
from sklearn_mteval import RankRecomposer, load_model, save_model
folder, number, n_times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
model = RankRecomposer(item_level=None).fit([[1.0], [2.0], [4.0 + number]], [3, 2, 1])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(n_times):
    if number >= 0:
        save_model(model, folder)
    load_model(folder)
"""


def ranker_of(number):
    return RankRecomposer(item_level=None).fit([[1.0], [2.0], [4.0 + number]], [3, 2, 1])


RANKERS = [ranker_of(number) for number in range(3)]
WHOLE = {strengths(ranker) for ranker in RANKERS}


def assert_one_whole_model(folder):
    assert strengths(load_model(folder)) in WHOLE
    assert len(list(folder.iterdir())) == 2


def threads_save(folder, n_times):
    """Save by three threads while two load; raise what any of them raises."""
    save_model(RANKERS[0], folder)
    errors, done = [], threading.Event()

    def watched(work):
        try:
            work()
        except BaseException as error:
            errors.append(error)

    def save(ranker):
        for _ in range(n_times):
            save_model(ranker, folder)

    def load():
        while not done.is_set():
            assert strengths(load_model(folder)) in WHOLE

    savers = [threading.Thread(target=watched, args=(lambda r=r: save(r),)) for r in RANKERS]
    loaders = [threading.Thread(target=watched, args=(load,)) for _ in range(2)]
    for thread in savers + loaders:
        thread.start()
    for thread in savers:
        thread.join()
    done.set()
    for thread in loaders:
        thread.join()
    if errors:
        raise errors[0]
    assert_one_whole_model(folder)


def processes_save(folder, n_times, n_savers):
    """The same by processes that save and load, and one that only loads."""
    save_model(RANKERS[0], folder)
    command = [sys.executable, "-c", SAVE_AND_LOAD, folder]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    runs = [
        subprocess.Popen([*command, str(number), str(n_times)], text=True, **pipes)
        for number in range(-1, n_savers)
    ]
    try:
        for run in runs:
            assert run.stdout.readline() == "ready\n"
        for run in runs:
            run.stdin.write("go\n")
            run.stdin.flush()
        for run in runs:
            _, errors = run.communicate()
            assert run.returncode == 0, errors
    finally:
        for run in runs:
            run.kill()
            run.wait()
    assert_one_whole_model(folder)


def test_a_library_that_is_there_is_not_hidden_from_other_threads(monkeypatch):
    """One hid torch's adapter while another had just done so, and a model was called damaged."""
    skops_io()

    class Watched(dict):
        def __setitem__(self, name, module):
            raise AssertionError(name)

        setdefault = __delitem__ = __setitem__

    monkeypatch.setattr(sys, "modules", Watched(sys.modules))
    assert skops_io().dumps


def test_threads_that_save_at_once_leave_one_whole_model(tmp_path):
    threads_save(tmp_path / "model", 4)


def test_a_parser_that_other_threads_disturb_is_asked_again(tmp_path, monkeypatch):
    """cpython issue 106905: ast.literal_eval, by which numpy reads headers, fails now and then."""
    save_model(RANKERS[0], tmp_path / "model")
    parse, calls = ast.parse, []

    def disturbed(*args, **kwargs):
        calls.append(args)
        if len(calls) in (1, 3, 4):
            raise SystemError("AST constructor recursion depth mismatch (before=96, after=92)")
        return parse(*args, **kwargs)

    with monkeypatch.context() as patched:  # pytest parses as well
        patched.setattr(ast, "parse", disturbed)
        loaded = load_model(tmp_path / "model")
    assert strengths(loaded) == strengths(RANKERS[0])
    assert len(calls) > 4


@pytest.mark.slow
def test_many_rounds_by_threads(tmp_path):
    threads_save(tmp_path / "model", 100)


@pytest.mark.slow
def test_many_rounds_by_processes(tmp_path):
    processes_save(tmp_path / "model", 100, 3)


SAVE_FOR_EVER = (
    """
from sklearn_mteval import RankRecomposer, save_model
models = [RankRecomposer(item_level=None).fit([[1.0], [2.0], [4.0 + n]], [3, 2, 1]) for n in (1, 2)]
""",
    """
while True:
    for model in models:
        save_model(model, words[0])
        print("saved", flush=True)
""",
)


@pytest.mark.slow
def test_kills_while_saving(tmp_path):
    """Kill a process that saves, again and again; the folder holds a whole model each time."""
    folder = tmp_path / "model"
    save_model(RANKERS[0], folder)
    with nursery(*SAVE_FOR_EVER) as begin:
        for _ in range(60):
            begin(folder, kill=(2, 0.02))
            assert strengths(load_model(folder)) in WHOLE
    assert SIGNATURE in {file.name for file in folder.iterdir()}
    save_model(RANKERS[0], folder)  # clears away what the kills left
    assert_one_whole_model(folder)
