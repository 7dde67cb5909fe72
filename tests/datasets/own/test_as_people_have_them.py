"""Tables as people have them: spreadsheets, other separators and spellings, rows that are none."""

import csv
import datetime
import json
import warnings
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest

from sklearn_mteval.datasets import load_rankings
from sklearn_mteval.exceptions import CandidateError, DataFileError

FRAME = pd.DataFrame(
    {
        "segment": [1, 1, 2, 2],
        "system": ["A", "B", "A", "B"],
        "score": [6.5, 7.25, 80.125, 6.0],
        "hypothesis": ["Ein; zwei", "Ja, ja", 'Er sagt "nein".', "zwei\nZeilen"],
    }
)


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a text, and the path."""

    def write(text, name="mine.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def assert_is_frame(found):
    """Check against FRAME, whatever the file was."""
    assert found.y.tolist() == (-FRAME["score"]).tolist()
    assert found.X["hypothesis"].tolist() == FRAME["hypothesis"].tolist()
    assert found.X.index.get_level_values("segment").tolist() == [1, 1, 2, 2]


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
@pytest.mark.parametrize("decimal", [".", ","])
def test_what_pandas_writes_in_any_country(tmp_path, delimiter, decimal):
    path = tmp_path / "mine.csv"
    FRAME.to_csv(path, sep=delimiter, decimal=decimal, index=False, quoting=csv.QUOTE_NONNUMERIC)
    found = load_rankings(path, better="higher")
    assert_is_frame(found)
    assert ("separated by semicolons" in found.DESCR) == (delimiter == ";")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_line_that_tells_a_spreadsheet_what_separates(written, line_end):
    rows = ["sep=;", "segment;score_A;score_B", "1;6,6;7", "2;5", ""]
    path = written(line_end.join(rows[:3]))
    assert load_rankings(path, better="higher").y.tolist() == [-6.6, -7]
    with pytest.raises(DataFileError, match="line 4: expected 3 cells as in the header, found 2"):
        load_rankings(written(line_end.join(rows)), better="higher")


@pytest.mark.parametrize("columns", [["A", "B"], ["a b", "c-d"]])
def test_wide_tables_of_a_spreadsheet(written, columns):
    header = ";".join(["Segment", *(f"Score {name}" for name in columns)])
    path = written(f"{header}\n1;6,6;7\n2;-0,5;8,25\n")
    found = load_rankings(path, better="higher")
    assert found.format == "wide"
    assert found.y.tolist() == [-6.6, -7, 0.5, -8.25]
    assert list(found.X.index.unique("system")) == columns


def test_the_mark_of_a_column_is_that_of_the_table(written):
    """One column alone would be read otherwise: 1.234 are thousands here."""
    path = written("segment;score_A;score_B\n1;1.234;6,5\n")
    with pytest.raises(DataFileError, match=r"both as '1\.234' and as '6,5'"):
        load_rankings(path, better="higher")


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("segment;system;score\n1;A;1.250\n1;B;2.500\n", {"decimal": "."}, [-1.25, -2.5]),
        ("segment;system;score\n1;A;1,250\n1;B;2,500\n", {"decimal": ","}, [-1.25, -2.5]),
        ("segment;system;score,x\n1;A;1,25\n", {"delimiter": ";", "judgement": "score,x"}, [-1.25]),
        ("segment,system,score;x\n1,A,1\n", {"delimiter": ",", "judgement": "score;x"}, [-1]),
    ],
)
def test_what_may_be_read_in_two_ways_is_asked_for(written, text, options, expected):
    path = written(text)
    assert load_rankings(path, better="higher", **options).y.tolist() == expected
    if "decimal" in options:
        with pytest.raises(DataFileError, match=r"decimal='\.' or decimal=','"):
            load_rankings(path, better="higher")


@pytest.mark.parametrize("cells", [("1.234", "0,5"), ("1.234", "2.500"), ("1.5e3", "2")])
def test_a_point_is_before_no_decimals_where_commas_are(written, cells):
    """It was: 1.234, which are thousands there, was read as a number near 1."""
    path = written("segment;system;score\n1;A;{}\n1;B;{}\n".format(*cells))
    with pytest.raises(DataFileError, match=r"'1\.(234|5e3)' has a point, but commas stand"):
        load_rankings(path, better="higher", decimal=",")


def test_numbers_that_are_none_of_texts_have_no_mark():
    frame = pd.DataFrame({"segment": 1, "system": ["A", "B"], "score": [1.25, 2.5]})
    assert load_rankings(frame, better="higher", decimal=",").y.tolist() == [-1.25, -2.5]


def test_rows_tell_what_separates_cells(written):
    path = written('segment;system;score;note, if any\n1;A;3;"so, so"\n1;B;4;\n')
    assert load_rankings(path, better="higher").y.tolist() == [-3, -4]


def book(path, sheets):
    """Write sheets of rows with openpyxl."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)


def test_spreadsheets(tmp_path):
    path = tmp_path / "mine.xlsx"
    FRAME.to_excel(path, index=False)
    assert_is_frame(load_rankings(path, better="higher"))
    assert load_rankings(path, better="higher").X.index.unique("ranking").tolist() == [
        "mine:1",
        "mine:2",
    ]


def test_the_sheet_and_the_rows_of_a_spreadsheet(tmp_path):
    path = tmp_path / "mine.xlsx"
    rows = [[], [None, None], ["Segment ", "System A", "system-b", "Winner", None, None]]
    rows += [[1, "x", "y", "A"], [None] * 4, [2.0, "y", "x", "tie"], [3, "x", "y", None]]
    book(path, {"notes": [["nothing here"]], "judged": rows})
    with pytest.raises(DataFileError, match="there is no sheet 'other', only 'notes', 'judged'"):
        load_rankings(path, sheet="other")
    with pytest.raises(DataFileError, match="line 7: column 'Winner': no judgement here"):
        load_rankings(path, sheet="judged")
    found = load_rankings(path, sheet="judged", missing="skip")
    assert found.y.tolist() == [1, 2, 1, 1]
    assert found.X.index.unique("segment").tolist() == [1, 2]
    assert "'System A' as system" in found.DESCR


BAD_BOOKS = {
    "a date": ([["segment", "system", "score"], [1, "A", datetime.date(2026, 2, 1)]],
               "found datetime"),
    "a table beside": ([["segment", "system", "score"], [1, "A", 3, None, 7]],
                       "line 2: expected 3 cells as in the header, found more"),
    "a truth": ([["segment", "system", "score"], [1, "A", True]], "found bool True"),
    "nothing": ([], "the sheet 'one' is empty."),
    "an error": ([["segment", "system", "score"], [1, "A", "#DIV/0!"]], "found '#DIV/0!'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_BOOKS)
def test_bad_spreadsheets(tmp_path, case):
    rows, message = BAD_BOOKS[case]
    book(tmp_path / "mine.xlsx", {"one": rows})
    with pytest.raises(DataFileError, match=message.replace("(", r"\(")):
        load_rankings(tmp_path / "mine.xlsx", better="higher")


def test_files_that_are_no_spreadsheets(tmp_path):
    path = tmp_path / "mine.xlsx"
    path.write_text("segment,system,score\n")
    with pytest.raises(DataFileError, match="no spreadsheet that can be read"):
        load_rankings(path, better="higher")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a", "b")
    with pytest.raises(DataFileError, match="no spreadsheet that can be read"):
        load_rankings(path, better="higher")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/workbook.xml", b" " * 10**6)
    with pytest.raises(DataFileError, match="unpacks to 1000000 bytes, more than 20000"):
        load_rankings(path, better="higher", max_bytes=20_000)
    for name in ("mine.ods", "mine.xls"):
        with pytest.raises(DataFileError, match=r"save it as \.xlsx, or export the sheet as CSV"):
            load_rankings(tmp_path / name, better="higher")
    with pytest.raises(ValueError, match="sheet='x' is for spreadsheets"):
        load_rankings(tmp_path / "mine.csv", sheet="x")


@pytest.mark.parametrize(
    "header",
    [
        "Segment,SYSTEM,Score,MT",
        "seg id, system ,SCORE,Hyp",
        "Segment-ID,Model,score,Translation",
        "sentence_id,system,score,hypothesis",
    ],
)
def test_case_and_what_stands_between_words_do_not_matter(written, header):
    path = written(f"{header}\n1,A,3,x\n1,B,4,y\n")
    found = load_rankings(path, better="higher")
    assert found.y.tolist() == [-3, -4]
    assert found.X["hypothesis"].tolist() == ["x", "y"]
    for name in header.split(","):
        if name not in ("system", "score", "hypothesis", "sentence_id"):
            assert f"{name!r} as " in found.DESCR


def test_comparisons_of_an_annotation_tool(written):
    path = written(
        "Segment,System_A,System_B,Winner,Annotator,Translation_A,Translation_B\n"
        "1,x,y,x,ann,Hi.,Ho.\n2,x,y,,ann,He.,Hu.\n3,y,x,n/a,bob,Ha.,Hm.\n4,y,x,y,bob,So.,No.\n"
    )
    with pytest.raises(DataFileError, match="no judgement here, nor in 1 other row"):
        load_rankings(path)
    found = load_rankings(path, missing="skip")
    assert found.X.index.unique("segment").tolist() == [1, 4]
    assert found.X["hypothesis"].tolist() == ["Hi.", "Ho.", "So.", "No."]
    assert found.judges.tolist() == ["ann", "ann", "bob", "bob"]


def test_a_system_may_be_called_none(written):
    path = written("segment,system_a,system_b,winner\n1,none,y,none\n2,none,y,y\n")
    assert load_rankings(path).y.tolist() == [1, 2, 2, 1]
    own = {"": "tie", "x": "a", "y": "b"}
    path = written("segment,system_a,system_b,winner\n1,p,q,\n2,p,q,y\n")
    assert load_rankings(path, verdicts=own).y.tolist() == [1, 1, 2, 1]


def test_frames_with_other_spellings():
    frame = FRAME.rename(columns={"segment": "Segment", "hypothesis": "mt"})
    assert_is_frame(load_rankings(frame, better="higher"))


def test_json_of_pandas(tmp_path):
    for lines in (True, False):
        path = tmp_path / f"mine{lines}.json"
        FRAME.to_json(path, orient="records", lines=lines, indent=None if lines else 2)
        assert_is_frame(load_rankings(path, better="higher"))
    path.write_text(json.dumps([{"segment": 1, "system": "A", "rank": 1, "judge": None}]))
    assert load_rankings(path, better="lower").judges.tolist() == [""]


@pytest.mark.parametrize("word", ["Average", "MEAN:", "Total", "Durchschnitt", "合計"])
def test_a_row_that_sums_up_others_is_not_counted(written, word):
    path = written(f"segment,score_A,score_B\n1,5,6\n2,7,8\n{word},6,7\n")
    with pytest.warns(UserWarning, match=r"line 4: 1 row\(s\) left out that sum up others"):
        found = load_rankings(path, better="higher")
    assert found.y.tolist() == [-5, -6, -7, -8]


def test_a_number_far_from_all_others_is_warned_of():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 101, 40)
    frame = pd.DataFrame({"segment": range(1, 41), "score_A": scores, "score_B": scores[::-1]})
    frame.loc[40] = [41, scores.sum(), scores.sum() + 3]
    with pytest.warns(UserWarning, match="Row 40: 2 judgement") as caught:
        load_rankings(frame, better="higher")
    assert f"{scores.sum()}" in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_rankings(frame[:40], better="higher")
        ranks = pd.DataFrame({"segment": range(40), "rank_A": [1] * 40, "rank_B": [1] * 39 + [5]})
        load_rankings(ranks, better="lower")  # a range of zero says nothing


def test_one_message_says_all_that_is_missing():
    frame = pd.DataFrame(
        {"Which": [1, 2], "This": ["x", "y"], "That": ["y", "x"], "Said": ["x", "x"]}
    )
    with pytest.raises(CandidateError) as caught:
        load_rankings(frame, format="pairwise")
    said = str(caught.value)
    assert "Pass system=['This', 'That'], judgement='Said', segment='Which', if a row is" in said
    found = load_rankings(frame, segment="Which", system=["This", "That"], judgement="Said")
    assert found.y.tolist() == [1, 2, 2, 1]
