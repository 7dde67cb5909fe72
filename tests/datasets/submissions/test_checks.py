"""The check of files made by hand: it tells each fault with its line, and sound ones pass."""

import json

import pytest

from sklearn_mteval.datasets.submissions.checks import problems_of

TEST_SET = """\
segment_id\tsource_lang\ttarget_lang\tsystem_id\tsource_segment\thypothesis_segment
1\ten\tcs\tA\tone\t😀abc
2\ten\tcs\tA\ttwo\tabcdefgh
2\ten\tcs\tA\ttwo\tabcdefgh
3\ten\tcs\tA\tthree\t
"""
SPANS = "start_indices\tend_indices\terror_types"
NONE = "-1\t-1\tno-error"


@pytest.fixture
def told(tmp_path):
    def told(task, content, test_set=TEST_SET):
        (tmp_path / "test").write_text(test_set or "", encoding="utf-8")
        (tmp_path / "file").write_text(content, encoding="utf-8")
        return list(problems_of(tmp_path / "file", task, test_set and tmp_path / "test"))

    return told


def spans(*cells):
    header, *rows = TEST_SET.splitlines()
    lines = [f"{row}\t{cell}\n" for row, cell in zip(rows, cells, strict=True)]
    return "".join([f"{header}\t{SPANS}\n", *lines])


def scores(*rows):
    return "".join(
        f"{row}\n" for row in ("segment_id\tsource_lang\ttarget_lang\tsystem_id\toverall", *rows)
    )


def test_sound_files(told):
    assert told("spans", spans("0 1\t1 4\tminor major", NONE, "0\t8\tmajor", NONE)) == []
    rows = [f"{k}\ten\tcs\tA\t{k}.5" for k in (1, 2, 2, 3)]
    assert told("scores", scores(*rows)) == [] == told("scores", scores(*rows), None)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("0\t5\tminor", "ends beyond the text of 4 characters"),  # in UTF-16 it has 5
        ("0\t0\tminor", "must start before its end"),
        ("2\t1\tminor", "must start before its end"),
        ("0 2\t3 4\tminor minor", "overlaps"),
        ("2 0\t4 1\tminor minor", "stands before"),
        ("0 2\t1\tminor minor", "found 2 starts, 1 ends and 2 severities"),
        ("0\t1\tcritical", "severity must be one of"),
        ("0\t1\tno-error", "severity must be one of"),
        ("-1\t1\tminor", "whole numbers from 0"),
        ("0.0\t1\tminor", "whole numbers from 0"),
        ("\t\t", "whole numbers from 0"),
    ],
)
def test_a_wrong_span(told, cells, message):
    found = told("spans", spans(cells, NONE, NONE, NONE))
    assert {line for line, _ in found} == {2}
    assert message in found[0][1]
    length_needed = "beyond" in message
    assert bool(told("spans", spans(cells, NONE, NONE, NONE), None)) or length_needed


ONE, TWO, THREE = (f"{k}\ten\tcs\tA\t0" for k in (1, 2, 3))


@pytest.mark.parametrize(
    ("rows", "lines", "message"),
    [
        ([ONE, TWO, THREE], [4], "has no answer"),
        ([ONE, ONE, TWO, TWO, THREE], [3], "once too often"),
        ([TWO, ONE, TWO, THREE], [3], "line 2 of the test set comes after its line 3"),
        ([ONE, TWO, TWO, THREE, "4\ten\tcs\tA\t0"], [6], "the test set has no '4 en cs A'"),
        ([ONE, TWO, TWO, "3\ten\tcs\tA\tnan"], [5], "finite number"),
        ([ONE, TWO, TWO, "3\ten\tcs\tA\tinf"], [5], "finite number"),
        ([ONE, TWO, TWO, "3\ten\tcs\tA\t"], [5], "finite number"),
        ([ONE, TWO, "2\ten\tcs", THREE], [4, 4], "expected 5 cells"),
        ([], [2, 3, 4, 5], "has no answer"),
    ],
)
def test_a_wrong_row(told, rows, lines, message):
    found = told("scores", scores(*rows))
    assert [line for line, _ in found] == lines
    assert message in found[0][1]


def test_wrong_columns_a_changed_text_and_another_form(told):
    assert "expected the columns" in told("scores", spans(NONE, NONE, NONE, NONE))[0][1]
    assert "expected the columns" in told("spans", scores(ONE, TWO, TWO, THREE))[0][1]
    assert told("scores", "") == [(1, "the file is empty.")]
    assert told("spans", "", ITEMS) == [(1, "the file is empty.")]
    assert "expected a table (2025)" in told("scores", '{"item_id": "1"}')[0][1]
    found = told("spans", spans(NONE, NONE, NONE, NONE).replace("abcdefgh", "abc"))
    assert [line for line, _ in found] == [3, 4] and "has 3 characters" in found[0][1]


ITEMS = """\
{"item_id": "en_###_cs_###_d_###_1", "src": "one", "hyps": {"A": "😀abc", "B": "x"}}
{"item_id": "en_###_cs_###_d_###_2", "src": "two", "hyps": {"A": "y"}}
"""


@pytest.mark.parametrize(
    ("task", "answers", "lines"),
    [
        ("error-free", [{"A": 1, "B": 0}, {"A": 1}], []),
        ("error-free", [{"A": 2, "B": True}, {"A": 0.5}], [1, 1, 2]),
        ("error-free", [{"A": 1}, {"A": 1, "C": 1}], [1, 2]),
        ("scores", [{"A": 1, "B": 0.5}, {"A": 100}], []),
        ("scores", [{"A": None, "B": float("nan")}, {"A": "1"}], [1, 1, 2]),
        ("spans", [{"A": [(0, 4)], "B": []}, {"A": []}], []),
        ("spans", [{"A": [(0, 5)], "B": [(0, 1), (0, 1)]}, {"A": [(1, 1)]}], [1, 1, 2]),
        ("spans", [{"A": None, "B": []}, None], [1, 2, 2]),  # and so has no answer
    ],
)
def test_json_lines(told, task, answers, lines):
    def as_errors(spans):
        names = ("start", "end")
        listed = [dict(zip(names, span, strict=True), severity="major") for span in spans or ()]
        return None if spans is None else {"errors": listed}

    if task == "spans":
        answers = [of and {name: as_errors(one) for name, one in of.items()} for of in answers]
    name = {"spans": "task1_pred", "scores": "task2_pred", "error-free": "task3_pred"}[task]
    written = [
        json.dumps({"item_id": f"en_###_cs_###_d_###_{k}", name: of}) + "\n"
        for k, of in enumerate(answers, 1)
    ]
    assert [line for line, _ in told(task, "".join(written), ITEMS)] == lines
    assert told(task, written[0], ITEMS)[-1] == (
        2, "of the test set ('en_###_cs_###_d_###_2') has no answer."
    )  # fmt: skip
