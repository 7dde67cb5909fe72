"""Scores as text: read back by the package's own reader, to the bit."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.datasets import load_scores
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.report.formats import write
from sklearn_mteval.report.scores import as_scores, system_text


@pytest.fixture
def scores():
    index = pd.MultiIndex.from_product(
        [[1, 2, 3], ["b b", "ç,#", "-"]], names=["segment", "system"]
    )
    values = [0.1 + 0.2, -1e-17, -0.0, 1 / 3, np.nan, 1.0, -1.0, 5e-324, -1 / 7]
    return pd.Series(values, index=index)


def test_lines_of_the_metrics_tasks_by_hand(scores):
    assert write(as_scores(scores.round(3)), "seg", "scores").splitlines() == [
        "b b\t0.3",
        "b b\t0.333",
        "b b\t-1.0",
        "ç,#\t0.0",
        "ç,#\tNone",
        "ç,#\t0.0",
        "-\t0.0",
        "-\t1.0",
        "-\t-0.143",
    ]


@pytest.mark.parametrize("form", ["seg", "tsv"])
def test_scores_read_back_to_the_bit(scores, tmp_path, form):
    for given in (scores, scores.sample(frac=1, random_state=0), scores.swaplevel()):
        path = tmp_path / "m.seg.score"
        path.write_text(write(as_scores(given), form, "scores"))
        found = load_scores(path, ["-", "b b", "ç,#"], 3).iloc[:, 0]
        pd.testing.assert_series_equal(
            found.reindex(scores.index), scores, check_names=False, check_exact=True
        )
        assert len(found) == len(scores)


def test_flags_are_one_more_column(scores):
    flags = pd.Series([[], ["=1+2"], ["a", "b"], *[[]] * 6], scores.index)
    lines = write(
        as_scores(scores, flags.sample(frac=1, random_state=0)), "tsv", "scores"
    ).splitlines()
    assert lines[0] == "segment\tsystem\tscore\tflags"
    assert [line.split("\t")[3] for line in lines[1:4]] == ["", "'=1+2", "a; b"]


def test_json_lines_are_best_first(scores):
    lines = [json.loads(line) for line in write(as_scores(scores), "jsonl", "scores").splitlines()]
    assert [line["segment"] for line in lines] == [1, 2, 3]
    assert lines[0]["translations"] == [
        {"system": "b b", "score": 0.1 + 0.2},
        {"system": "-", "score": 0.0},
        {"system": "ç,#", "score": -1e-17},
    ]
    assert lines[1]["translations"][-1] == {"system": "ç,#", "score": None}


@pytest.mark.parametrize("name", [" a", "a ", "a\tb", "a\nb", ""])
def test_names_that_lines_cannot_hold(name):
    index = pd.MultiIndex.from_tuples([(1, name)], names=["segment", "system"])
    with pytest.raises(CandidateError, match=r"cannot stand in lines 'SYSTEM SCORE'.*tsv"):
        write(as_scores(pd.Series([1.0], index=index)), "seg", "scores")


def test_other_levels(scores):
    more = pd.concat([scores], keys=["r"], names=["ranking"])
    with pytest.raises(
        CandidateError, match=r"found the levels \['ranking', 'segment', 'system'\]"
    ):
        write(as_scores(more), "seg", "scores")


def test_the_table_of_systems(scores):
    found = SystemSums.of(scores.dropna()).result(n_resamples=20)
    _, _, *table = system_text(found, "scores").splitlines()
    assert table[0].split() == ["system", "score", "interval", "letters", "segments"]
    names = [line[: len("system")].strip() for line in table[2:5]]
    assert names == ["-", "ç,#", "b b"]
    assert table[2].split()[1] == f"{(1 - 1 / 7) / 3:+.4f}" and table[2].split()[-1] == "3"
    with pytest.warns(UserWarning, match="fewer than two"):
        one = system_text(SystemSums.of(scores.loc[[1]]).result(), "scores")
    assert one.count("\N{EN DASH}") == 3
    assert one.startswith("Which of them is better cannot be tested")
