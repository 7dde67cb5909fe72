"""Each example runs as a script, without a warning, and draws; the site shows them as they run."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# After the example's own lines: the titles of its figures, which the site has as their texts for
# those who do not see them.
TITLES = """
import json
from matplotlib import pyplot
figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
print(json.dumps([figure.get_suptitle() for figure in figures]))
"""


def title(path):
    """The two first lines of an example's text: its question and a line below."""
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).splitlines()[:2]


def test_examples_are_found():
    assert len(EXAMPLES) >= 17
    assert all(path.name.startswith("plot_") for path in EXAMPLES)  # else nothing is run


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_a_title(path):
    question, line = title(path)
    assert line == "=" * len(question)


def test_the_index_names_each_example_once():
    index = (ROOT / "examples" / "README.rst").read_text(encoding="utf-8")
    assert sorted(re.findall("</gallery/(.*?)>", index)) == [path.stem for path in EXAMPLES]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_says_what_to_read_next(path):
    last = path.read_text(encoding="utf-8").rpartition("# %%\n")[2]
    last = " ".join(line.removeprefix("# ") for line in last.splitlines())
    assert re.fullmatch(r"\*\*Read next:\*\* :doc:`/[^`]+`(, :doc:`/[^`]+`)*\.", last)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path, tmp_path):
    pytest.importorskip("matplotlib")
    program = [sys.executable, "-W", "error", "-c", path.read_text(encoding="utf-8") + TITLES]
    environment = os.environ | {"MPLBACKEND": "agg", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        program, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    titles = json.loads(done.stdout.splitlines()[-1])
    assert titles
    assert len(set(titles)) == len(titles)
    assert all(len(words.split()) >= 4 for words in titles)
    assert list(tmp_path.iterdir()) == []
