import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sklearn_mteval.datasets import load_sample

ROOT = Path(__file__).parent.parent
PAGES = [str(page.relative_to(ROOT)) for page in sorted(ROOT.glob("docs/*.md"))]


def python_blocks(path):
    return re.findall(r"```python\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), re.DOTALL)


def test_the_readmes_script_runs_as_it_stands(data_dir):
    (script,) = python_blocks("README.md")
    assert '"../shared/data/wmt12"' in script
    script = script.replace("../shared/data", str(data_dir))
    script += "print(search.best_score_)"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True
    )
    assert float(run.stdout) > 0.18
    assert run.stderr == ""


def test_the_contributors_feature_works():
    (script,) = python_blocks("docs/contributing.md")
    names = {}
    exec(script, names)
    X, _ = load_sample(return_X_y=True)
    found = names["LengthDifference"]().set_output(transform="pandas").fit_transform(X)
    assert found.index.equals(X.index)
    row = X.iloc[7]
    assert found["length_difference"].iloc[7] == len(row["hypothesis"]) - len(row["reference"])


@pytest.mark.parametrize("path", [page for page in PAGES if python_blocks(page)])
def test_a_pages_blocks_run_as_one_script(path, tmp_path):
    script = "\n".join(python_blocks(path))
    search = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=tmp_path,  # what the script saves goes there
        env={**os.environ, "PYTHONPATH": search},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""


@pytest.mark.parametrize("path", ["README.md", *PAGES])
def test_links_lead_somewhere(path):
    path = ROOT / path
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target
