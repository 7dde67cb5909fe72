import re
import shlex
from itertools import combinations

import numpy as np
import pytest
from refused_imports import run_refusing
from sacrebleu import sentence_chrf

from sklearn_mteval.cli import _parser_of, main
from sklearn_mteval.cli import demo as demo_command
from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.models import open_model

pytestmark = pytest.mark.slow
ROW = re.compile(r"^(\S.*?) +(-?[0-9.]+) +\[.*?\] +([0-9.]+) %$", re.M)


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
    """What the demo prints, without torch, where static-en says what the ranks say."""
    run = run_refusing(["torch"], PROGRAM)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def agreement(ranks, scores):
    """Kendall's tau x 100 of scores, pair by pair, and the percentage of pairs in their order."""
    agreeing = total = 0
    for rows in ranks.groupby(level="segment").indices.values():
        for a, b in combinations(rows, 2):
            decided = ranks.iloc[b] - ranks.iloc[a]
            total += decided != 0
            agreeing += decided * (scores[a] - scores[b]) > 0
    return 100 * (2 * agreeing - total) / total, 100 * agreeing / total


def test_the_demo_has_one_table_of_a_pipeline_a_model_and_metrics(demo, sample):
    X, y = sample
    rows = {name: tuple(map(float, found)) for name, *found in ROW.findall(demo)}
    assert list(rows) == ["a pipeline, trained", "static-en", "chrF", "BLEU"]
    assert rows["static-en"] == (100, 100)
    scores = [sentence_chrf(h, [r]).score for h, r in zip(X.hypothesis, X.reference, strict=True)]
    assert rows["chrF"] == pytest.approx(agreement(y, scores), abs=0.051)
    assert rows["a pipeline, trained"] > rows["chrF"] > rows["BLEU"]


def test_in_the_example_the_model_is_right_and_chrf_is_not(sample):
    X, y = (part.loc[[demo_command._SEGMENT]] for part in sample)
    said = open_model("static-en").decision_function(X)
    assert np.argsort(-said).tolist() == np.argsort(y.to_numpy()).tolist()
    chrf = [sentence_chrf(h, [r]).score for h, r in zip(X.hypothesis, X.reference, strict=True)]
    first, best = X.hypothesis.iloc[np.argmax(chrf)], X.hypothesis[y.idxmin()]
    numbers = [re.findall(r"\d+", text) for text in (first, best, X.reference.iloc[0])]
    assert numbers[0] != numbers[1] == numbers[2]


def test_the_demo_shows_the_ranks_of_the_example(demo, sample):
    y = sample[1].loc[demo_command._SEGMENT].sort_values()
    shown = re.findall(r"^ +(\d) +(\d) +(\d)  \S(?:.*\n +)*?.*\((\w+)\)$", demo, re.MULTILINE)
    assert [(int(rank), int(model), name) for rank, model, _, name in shown] == [
        (rank, rank, name) for name, rank in y.items()
    ]
    assert sorted(int(chrf) for *_, chrf, _ in shown) == [1, 2, 3, 4, 5]


def test_the_demo_says_once_what_its_columns_mean(demo):
    assert demo.count("Kendall's tau x 100") == 1
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
