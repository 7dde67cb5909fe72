"""The tutorial, the how-to guides and the pitfalls show what their commands print.

A page's blocks run in their order, in a folder with the files of ``sklearn-mteval demo --files .``:
``sh`` by bash, ``python`` in one program. A block ``text`` after one of them is what it prints; a
line ``...`` in it stands for lines that are left out. A command that writes nothing to standard
output, such as one with ``-o FILE``, prints what it says on standard error. Blocks of other
languages do not run.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sklearn_mteval.datasets.sample import sample_files

ROOT = Path(__file__).parent.parent
PLACES = ("docs/pitfalls.md", "docs/tutorial/*.md", "docs/howto/*.md")
PAGES = sorted(page for place in PLACES for page in ROOT.glob(place))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def without_ends(text):
    """The lines of a text, without spaces at their ends and empty lines around."""
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def shows(shown, printed):
    """Whether a block is what was printed, but for what it leaves out."""
    parts = "\n".join(without_ends(shown)).split("\n...\n")
    parts = [re.escape(part) for part in parts]
    pattern = r"\n(?:.*\n)*?".join(parts)
    if without_ends(shown)[-1] == "...":
        pattern = pattern.removesuffix(re.escape("\n...")) + r"(?:\n.*)*"
    return re.fullmatch(pattern, "\n".join(without_ends(printed))) is not None


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Go to a folder with the sample's files."""
    for name, content in sample_files().items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outputs(page, monkeypatch):
    """Yield each block of a page that shows an output, and what was printed before it."""
    program = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", program)  # for what is pickled
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    printed = ""
    for language, code in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "sh" and "pip install" not in code:
            done = subprocess.run(
                ["bash", "-eu", "-c", code], env=environment, capture_output=True, text=True
            )
            assert done.returncode == 0, f"{code}\n{done.stdout}{done.stderr}"
            printed = done.stdout or done.stderr
        elif language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as stream:
                exec(compile(code, str(page), "exec"), vars(program))
            printed = stream.getvalue()
        elif language == "text":
            yield code, printed


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_a_page_shows_what_its_commands_print(page, folder, monkeypatch):
    compared = list(outputs(page, monkeypatch))
    assert compared
    for shown, printed in compared:
        assert printed, shown
        assert shows(shown, printed), f"shown:\n{shown}\nprinted:\n{printed}"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("a\nb\nc\n", True),
        ("a\n...\nc\n", True),
        ("a\n...\n", True),
        ("a\n...\nd\n", False),
        ("a\nc\n", False),
        ("a\nb\n", False),
        ("a.\nb\nc\n", False),
    ],
)
def test_what_a_block_shows_is_compared(shown, expected):
    assert shows(shown, "a\nb  \nc\n") is expected


@pytest.mark.slow
def test_a_page_that_shows_something_else_is_noticed(folder, tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(
        "```sh\nhead -1 source.de | wc -l\n```\n\n```text\n2\n```\n\n"
        "```python\nprint(3)\n```\n\n```text\n3\n```\n",
        encoding="utf-8",
    )
    (first, counted), (second, printed) = outputs(page, monkeypatch)
    assert not shows(first, counted)
    assert shows(second, printed)
