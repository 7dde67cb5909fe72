import json
import re

import pandas as pd
import pytest

from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.report.formats import write
from sklearn_mteval.report.scores import as_ranks, system_text


def test_lines_of_tab_separated_values(ranked):
    assert write(as_ranks(ranked), "tsv", "ranks").splitlines() == [
        "segment\tsystem\trank\tstrength\tscore",
        "1\ta\t1\t2.000000\t0.5",
        "1\tb\t3\t-1.250000\t-0.25",
        "1\tç\t2\t0.500000\t0.0",
        "2\ta\t2\t-0.333333\t0.125",
        "2\tb\t1\t3.000000\t0.75",
        "2\tç\t2\t-0.333333\t0.125",
    ]


def test_a_score_has_all_digits(ranked):
    ranked.loc[(1, "a"), "score"] = 1 / 3
    assert (
        write(as_ranks(ranked), "tsv", "ranks").splitlines()[1] == f"1\ta\t1\t2.000000\t{1 / 3!r}"
    )
    line = write(as_ranks(ranked), "jsonl", "ranks").splitlines()[0]
    assert json.loads(line)["translations"][0] == {
        "system": "a", "rank": 1, "strength": 2.0, "score": 1 / 3
    }  # fmt: skip


def test_a_model_without_scores_has_no_column_of_them(ranked):
    ranked["score"] = float("nan")
    lines = write(as_ranks(ranked), "tsv", "ranks").splitlines()
    assert lines[:2] == ["segment\tsystem\trank\tstrength", "1\ta\t1\t2.000000"]
    assert "score" not in write(as_ranks(ranked), "jsonl", "ranks")


def test_lines_of_json(ranked):
    lines = write(as_ranks(ranked), "jsonl", "ranks").splitlines()
    assert [json.loads(line)["segment"] for line in lines] == [1, 2]
    assert "ç" in lines[0] and "\n" not in lines[0]
    assert json.loads(lines[0])["translations"] == [
        {"system": "a", "rank": 1, "strength": 2.0, "score": 0.5},
        {"system": "ç", "rank": 2, "strength": 0.5, "score": 0.0},
        {"system": "b", "rank": 3, "strength": -1.25, "score": -0.25},
    ]
    assert [entry["system"] for entry in json.loads(lines[1])["translations"]] == ["b", "a", "ç"]
    assert json.loads(lines[1])["translations"][1]["strength"] == -0.333333


def test_json_lines_do_not_need_segments_in_a_row(ranked):
    shuffled = ranked.iloc[[5, 0, 3, 2, 4, 1]]
    entries = {
        json.loads(line)["segment"]: json.loads(line)["translations"]
        for line in write(as_ranks(shuffled), "jsonl", "ranks").splitlines()
    }
    assert [entry["system"] for entry in entries[1]] == ["a", "ç", "b"]
    assert entries[2][0] == {"system": "b", "rank": 1, "strength": 3.0, "score": 0.75}


def test_flags_are_one_more_column(ranked):
    flags = pd.Series([["a", "b"], *[[]] * 5], ranked.index)
    lines = write(as_ranks(ranked, flags), "tsv", "ranks").splitlines()
    assert lines[0].split("\t")[-1] == "flags"
    assert [line.split("\t")[-1] for line in lines[1:3]] == ["a; b", ""]
    first = json.loads(write(as_ranks(ranked, flags), "jsonl", "ranks").splitlines()[0])[
        "translations"
    ]
    assert [entry["flags"] for entry in first] == [["a", "b"], [], []]
    systems = SystemSums.of(ranked).result()
    systems = systems._replace(table=systems.table.assign(flagged=[2, 0, 1]))
    table = system_text(systems, "ranks").splitlines()
    assert [line.split()[-1] for line in [table[2], *table[4:7]]] == ["flagged", "2", "0", "1"]
    assert table[-1].startswith("Flagged counts segments")


def test_a_format_that_is_not_there(ranked):
    with pytest.raises(
        ValueError, match=r"one of \['text', 'tsv', 'jsonl', 'parquet'\], found 'seg'"
    ):
        write(as_ranks(ranked), "seg", "ranks")


def test_the_table_of_systems_says_what_it_is_sorted_by(ranked):
    said, _, *lines = system_text(SystemSums.of(ranked).result(), "ranks").splitlines()
    assert said == "a cannot be told apart from b and ç (p = 1; 0 of 3 pairs differ)."
    columns = ["system", "score", "interval", "letters", "mean rank", "ranked best"]
    assert re.split("  +", lines[0]) == columns
    assert [line.split()[:4] for line in lines[2:5]] == [
        ["a", "+0.3125", "[+0.1250,", "+0.5000]"],
        ["b", "+0.2500", "[-0.2500,", "+0.7500]"],
        ["ç", "+0.0625", "[+0.0000,", "+0.1250]"],
    ]
    assert lines[2].split()[4:] == ["a", "1.500", "50.0%"]
    assert lines[5].startswith("Systems are sorted by score, the mean of segments' scores")
    assert "strengths of two segments cannot be compared" in lines[6]
    assert lines[7].startswith("Systems that share a letter are not told apart")


def test_the_table_of_a_model_without_scores_is_sorted_by_mean_rank(ranked):
    ranked["score"] = float("nan")
    said, _, *lines = system_text(SystemSums.of(ranked).result(), "ranks").splitlines()
    assert said == "a cannot be told apart from b and ç (p = 1; 0 of 3 pairs differ)."
    assert lines[0].split() == ["system", "letters", "mean", "rank", "ranked", "best"]
    assert [line.split()[:3] for line in lines[2:5]] == [
        ["a", "a", "1.500"],
        ["b", "a", "2.000"],
        ["ç", "a", "2.000"],
    ]
    assert lines[5] == "Systems are sorted by mean rank, since the model has no scores."
