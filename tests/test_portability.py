"""The package needs nothing that one operating system has and another lacks.

What nobody here can run, Windows and macOS, is looked at in two ways: the source, by rules that
name each place, and processes that are made like those of Windows (``windows_like``).
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from portable_source import problems
from windows_like.what_windows_lacks import forbidden

import sklearn_mteval
from sklearn_mteval import load_model, save_model
from sklearn_mteval._helpers import atomic
from sklearn_mteval.cli._scores import named

PACKAGE = Path(sklearn_mteval.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
# Never imported: run by its path, after it was said that Windows has none of it.
POSIX_ONLY = PACKAGE / "linguistic" / "trees" / "external" / "_link_grammar_worker.py"
LIKE = Path(__file__).with_name("windows_like")
WRITTEN_BY_HAND = ("returns.en", "judged.csv", "systems.csv")


def start(command, folder, *, like_windows):
    """Start Python in a folder, which is made, as it is here or as on Windows."""
    folder.mkdir()
    env = os.environ | {"PYTHONUTF8": "0", "TQDM_DISABLE": "1"}
    env.pop("PYTHONIOENCODING", None)
    if like_windows:
        paths = [LIKE, env.get("PYTHONPATH")]
        env["PYTHONPATH"] = os.pathsep.join(str(path) for path in paths if path)
        env |= {"WINDOWS_LIKE": str(folder), "PYTHONWARNDEFAULTENCODING": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, *command], cwd=folder, env=env, **pipes)


def finished(process):
    """What a process has written, which ended well."""
    output, errors = process.communicate()
    assert process.returncode == 0, errors.decode(errors="replace")
    return output


def contents(folder):
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def test_the_package_needs_nothing_that_a_system_lacks():
    for path in MODULES:
        if path != POSIX_ONLY:
            found = list(problems(path.read_text(encoding="utf-8")))
            assert not found, f"{path}: {found}"


@pytest.mark.parametrize(
    "source",
    [
        "open('x')",
        "open(path, 'w', encoding='utf-8')",
        "open(path, mode='a')",
        "path.open()  # a text\nopen(path)",
        "path.open('w')",
        "os.fdopen(handle, 'w')",
        "io.TextIOWrapper(stream)",
        "NamedTemporaryFile('w')",
        "path.read_text()",
        "path.write_text(text)",
        "path.write_text(text, encoding='utf-8')",
        "subprocess.run(command, text=True)",
        "subprocess.Popen(command, universal_newlines=True, errors='replace')",
        "import fcntl",
        "def f():\n    from resource import getrusage",
        "try:\n    import pwd\nexcept OSError:\n    pass",
        "try:\n    pass\nexcept ImportError:\n    import grp",
        "from os import killpg",
        "from select import poll",
        "os.killpg(1, 9)",
        "handler = signal.SIGALRM",
        "os.kill(pid, signal.SIGKILL)",
        "if hasattr(os, 'x'):\n    pass\nos.sysconf('SC_PAGE_SIZE')",
        "os.open(path, os.O_RDONLY | os.O_NONBLOCK)",
        "open('/dev/null', 'wb')",
        "lines = Path('/proc/meminfo').read_text(encoding='ascii')",
        "folder = '/tmp'",
        "os.fork()",
        "context = multiprocessing.get_context('fork')",
        "import multiprocessing.pool",
    ],
)
def test_the_rules_find(source):
    assert list(problems(source))


@pytest.mark.parametrize(
    "source",
    [
        "open(path, 'rb')",
        "open(path, encoding='utf-8')",
        "open(path, 'w', encoding='utf-8', newline='')",
        "archive.open(entry)",
        "os.open(path, os.O_RDONLY)",
        "TemporaryFile()",
        "path.read_text('ascii')",
        "path.write_text(text, encoding='utf-8', newline='\\n')",
        "subprocess.run(command, encoding='utf-8')",
        "try:\n    import fcntl\nexcept ImportError:\n    fcntl = None",
        "with suppress(ImportError):\n    import resource",
        "if hasattr(os, 'killpg'):\n    os.killpg(1, KILL)",
        "def f():\n    if WINDOWS:\n        return\n    os.killpg(1, KILL)",
        "KILL = getattr(signal, 'SIGKILL', signal.SIGTERM)",
        "with suppress(OSError):\n    Path('/proc/meminfo').read_text('ascii')",
        "'''Read /proc/meminfo.'''",
        "folder = '/tmp' if os.path.isdir('/tmp') else None",
    ],
)
def test_the_rules_let_pass(source):
    assert not list(problems(source))


def test_processes_like_those_of_windows(tmp_path):
    """They lack what they must, and the check of names and open files can fail."""
    assert (
        finished(start([LIKE / "itself.py"], tmp_path / "there", like_windows=True)) == b"\xfc\r\n"
    )


@pytest.mark.slow
def test_the_core_has_the_same_results_on_windows(tmp_path):
    """To the byte, and with the line ends that it has elsewhere."""
    folders = here, there = tmp_path / "here", tmp_path / "there"
    started = [start([LIKE / "core.py"], f, like_windows=f == there) for f in folders]
    for process in started:
        finished(process)
    found = contents(there)
    assert {"ranks.html", "model/signature.json", "numbers.json", "systems.json"} <= set(found)
    assert found == contents(here)
    assert found["scores.tsv"] == found["plain.tsv"]  # of a file with other line ends
    texts = set(found) - set(WRITTEN_BY_HAND)
    assert not [name for name in texts if not name.endswith(".skops") and b"\r" in found[name]]


def test_redirected_output_is_utf_8(tmp_path):
    words = ["-m", "sklearn_mteval", "demo", "--files", "日本語"]
    said = finished(start(words, tmp_path / "there", like_windows=True))
    assert said.decode().startswith("日本語: source.de, ")
    assert said.endswith(b".csv\n")
    assert b"\r" not in said


def test_files_that_ship_have_names_that_all_systems_allow():
    files = [file.relative_to(PACKAGE.parent) for file in PACKAGE.rglob("*")]
    files = [file for file in files if "__pycache__" not in file.parts]
    assert not [file for file in files if any(map(forbidden, file.parts))]
    assert len({str(file).lower() for file in files}) == len(files)
    assert max(len(str(file)) for file in files) <= 120  # of 260, with the folder of packages


@pytest.mark.parametrize("name", ["aux", "Con.txt", "a:b", "ends.", "blank ", "x" * 300, 'a"b'])
def test_names_that_windows_forbids(name):
    assert forbidden(name)
    assert not forbidden("auxiliary.txt")


def test_how_deep_a_saved_model_goes(ranker, tmp_path, monkeypatch):
    """At most 46 characters below its folder, while it is saved, too; docs/installation.md."""
    names, opened = [], os.open
    monkeypatch.setattr(atomic.os, "open", lambda f, *rest: names.append(f) or opened(f, *rest))
    folder = tmp_path.joinpath(*["x" * 90] * 3)
    save_model(ranker, folder)
    names = [os.path.relpath(name, folder) for name in [*names, *folder.rglob("*")]]
    assert 40 <= max(map(len, names)) <= 46
    assert (
        load_model(folder).predict([[1.0], [2.0]]).tolist()
        == ranker.predict([[1.0], [2.0]]).tolist()
    )


def test_drive_letters_are_no_names():
    assert named(r"bleu=C:\scores.txt") == ("bleu", r"C:\scores.txt")
    assert named(r"C:\scores.txt") == (None, r"C:\scores.txt")
