"""Each example runs as a script, without a warning, and draws; the site shows them as they run."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# After the example's own lines: how many figures it has drawn.
COUNT = "\nimport matplotlib.pyplot\nprint(len(matplotlib.pyplot.get_fignums()))\n"


def title(path):
    """The two first lines of an example's text: its question and a line below."""
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).splitlines()[:2]


def test_examples_are_found():
    assert len(EXAMPLES) >= 5
    assert all(path.name.startswith("plot_") for path in EXAMPLES)  # else nothing is run


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_a_title(path):
    question, line = title(path)
    assert line == "=" * len(question)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path, tmp_path):
    pytest.importorskip("matplotlib")
    program = [sys.executable, "-W", "error", "-c", path.read_text(encoding="utf-8") + COUNT]
    environment = os.environ | {"MPLBACKEND": "agg", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        program, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert int(done.stdout.splitlines()[-1]) >= 1
    assert list(tmp_path.iterdir()) == []
