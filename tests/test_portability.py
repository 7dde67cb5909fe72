"""The package needs nothing that one operating system has and another lacks.

What nobody here can run, Windows and macOS, is looked at in two ways: the source, by rules that
name each place, and processes that are made like those of Windows (``windows_like``).
"""

from pathlib import Path

import pytest
from portable_source import problems

import sklearn_mteval

PACKAGE = Path(sklearn_mteval.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
# Never imported: run by its path, after it was said that Windows has none of it.
POSIX_ONLY = PACKAGE / "linguistic" / "trees" / "external" / "_link_grammar_worker.py"


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
