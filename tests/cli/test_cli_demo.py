import re
import shlex
from itertools import combinations

import pytest
from refused_imports import run_refusing
from sacrebleu import sentence_chrf

from sklearn_mteval.cli import _parser_of, main
from sklearn_mteval.datasets import load_judgements

pytestmark = pytest.mark.slow
ROW = re.compile(r"^(\S.*?) +(-?[0-9.]+) +\[.*?\] +(\d+) of (\d+) +([0-9.]+) %$", re.M)


# With a ready-made model that says what the annotators said.
PROGRAM = """
import sys
from sklearn_mteval import models
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_sample

class Oracle:
    def decision_function(self, X):
        return -load_sample(return_X_y=True)[1].loc[X.index].to_numpy(dtype=float)

models.open_model = {"static-en": Oracle()}.__getitem__
status = main(["demo", "--no-progress"])
sys.exit(f"status {status}, asked for {asked}" if status or asked else 0)
"""


@pytest.fixture(scope="module")
def demo():
    """What the demo prints, in a process in which torch cannot be imported."""
    run = run_refusing(["torch"], PROGRAM)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def test_the_demo_begins_with_a_model_that_needs_no_training(demo, sample):
    before, after = demo.split("Now models that are trained")
    assert "static-en, not trained on the sample" in before
    ready_made, bleu, chrf = ROW.findall(before)
    assert ready_made[:2] == ("static-en", "100.0") and ready_made[2] == "0"
    assert bleu == ROW.findall(after)[0]  # all segments are held out once
    X, y = sample
    scores = [sentence_chrf(h, [r]).score for h, r in zip(X.hypothesis, X.reference, strict=True)]
    agreeing = total = 0
    for rows in X.groupby(level="segment").indices.values():
        for a, b in combinations(rows, 2):
            decided = y.iloc[b] - y.iloc[a]
            total += decided != 0
            agreeing += decided * (scores[a] - scores[b]) > 0
    assert chrf[0] == "chrF" and int(chrf[3]) == total
    assert float(chrf[1]) == pytest.approx(100 * (2 * agreeing - total) / total, abs=0.051)


def test_the_demo_shows_that_soft_recomposition_ties_less_than_hard(demo):
    rows = ROW.findall(demo.split("Now models that are trained")[1])
    ties = {name: int(count) for name, _, count, _, _ in rows}
    assert len(rows) == 6
    assert ties["k-nearest neighbours, soft"] < ties["k-nearest neighbours, hard"]
    assert ties["logistic regression, soft"] <= ties["logistic regression, hard"]
    assert len({pairs for *_, pairs, _ in ROW.findall(demo)}) == 1
    shown = re.findall(r"^ +(\d) +(\d)  \S", demo, re.M)
    assert sorted(int(judged) for judged, _ in shown) == [1, 2, 3, 4, 5]


def test_the_demo_says_once_what_its_columns_mean(demo):
    assert demo.count("tau: Kendall's tau x 100, variant wmt12") == 1
    assert max(map(len, demo.splitlines())) <= 100


def test_the_demo_ends_with_three_commands_that_exist(demo):
    title, *commands = demo.splitlines()[-4:]
    assert title.startswith("What to do next")
    for line in commands:
        program, command, *rest = shlex.split(line)
        assert program == "sklearn-mteval" and _parser_of(command).parse_args(rest)


def test_the_sample_is_written_as_files_that_other_commands_read(tmp_path, capsys, sample):
    folder = tmp_path / "new" / "sample"
    assert main(["demo", "--files", str(folder)]) == 0
    assert "source.de, reference.en" in capsys.readouterr().out
    X, y = sample
    for system, rows in X.groupby("system"):
        lines = (folder / f"{system}.en").read_text(encoding="utf-8").splitlines()
        assert lines == rows["hypothesis"].tolist()
    found = load_judgements(folder / "judgements.csv", better="lower")
    assert found.X["hypothesis"].tolist() == X["hypothesis"].tolist()
    assert found.y.tolist() == y.tolist()
    battles = (folder / "battles.csv").read_text(encoding="utf-8").splitlines()
    assert len(battles) == 1 + X.groupby("segment").ngroups * 10  # 10 pairs of 5 systems
    assert main(["demo", "--files", str(folder)]) == 0  # what is there already is left


def test_the_sample_replaces_no_file_of_another_content(tmp_path, capsys):
    (tmp_path / "source.de").write_text("mine", encoding="utf-8")
    assert main(["demo", "--files", str(tmp_path)]) == 1
    assert "Name another folder" in capsys.readouterr().err
    assert main(["demo", "--files", str(tmp_path / "source.de")]) == 1
    assert "is a file: name a folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["source.de"]
