import re
import subprocess
import sys
from pathlib import Path

import pytest

from sklearn_mteval.datasets import load_sample

ROOT = Path(__file__).parent.parent


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


@pytest.mark.parametrize("path", ["README.md", *map(str, sorted(ROOT.glob("docs/*.md")))])
def test_links_lead_somewhere(path):
    path = ROOT / path
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target
