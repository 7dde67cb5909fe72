import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sklearn_mteval import datasets
from sklearn_mteval.datasets import load_sample

ROOT = Path(__file__).parent.parent
# Pages that fit dear models: they say how, not how well, so that ten segments of the sample do.
DEAR = ("docs/linguistic/quality_estimation.md", "docs/rank_and_score.md")
# Those of these folders are run by test_page_outputs.py.
SHOWN = ("docs/tutorial", "docs/howto", "docs/pitfalls")
FOLDERS = ("docs", "docs/measured", "docs/tutorial", "docs/howto", "docs/linguistic")
PAGES = [
    str(p.relative_to(ROOT)) for folder in FOLDERS for p in sorted(ROOT.glob(f"{folder}/*.md"))
]


def python_blocks(path):
    return re.findall(r"```python\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run a script in an empty folder and a ``__main__`` of its own; it may say nothing on stderr.

    In this process, where the heavy modules are loaded already; pytest makes warnings errors.
    """

    def run(path, script):
        program = ModuleType("__main__")
        monkeypatch.setitem(sys.modules, "__main__", program)  # for what is pickled
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(ROOT)
        exec(compile(script, path, "exec"), vars(program))
        assert capfd.readouterr().err == ""
        return program

    return run


def test_the_contributors_feature_works(run):
    (script,) = python_blocks("docs/contributing.md")
    X, _ = load_sample(return_X_y=True)
    feature = run("docs/contributing.md", script).LengthDifference()
    found = feature.set_output(transform="pandas").fit_transform(X)
    assert found.index.equals(X.index)
    row = X.iloc[7]
    assert found["length_difference"].iloc[7] == len(row["hypothesis"]) - len(row["reference"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [page for page in PAGES if python_blocks(page) and not page.startswith(SHOWN)],
)
def test_a_pages_blocks_run_as_one_script(path, run, monkeypatch):
    if path in DEAR:
        few = tuple(table[:50] for table in load_sample(return_X_y=True))
        monkeypatch.setattr(datasets, "load_sample", lambda *, return_X_y: few)
    run(path, "\n".join(python_blocks(path)))


def test_what_a_page_must_not_do_is_noticed(run):
    with pytest.raises(AssertionError):
        run("page", "import sys; print('a warning', file=sys.stderr)")
    with pytest.raises(UserWarning, match="old"):
        run("page", "import warnings; warnings.warn('old')")


def test_no_passage_is_a_comment():
    """A line of text that begins with a percent sign is one to MyST, and vanishes from the page."""
    for path in [*PAGES, "README.md", "CHANGELOG.md", "SECURITY.md"]:
        text = (ROOT / path).read_text(encoding="utf-8")
        text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        assert not re.findall(r"^\s*%.*", text, re.MULTILINE), path


def test_links_lead_somewhere():
    for path in [ROOT / page for page in PAGES]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            if example := re.fullmatch(r"(?:\.\./)?gallery/(\w+)", target):  # made by the build
                file = ROOT / "examples" / f"{example[1]}.py".replace("index.py", "README.rst")
            else:
                file = path.parent / target
            assert file.exists(), (path, target)
