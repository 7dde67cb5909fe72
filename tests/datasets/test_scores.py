"""Score files: all layouts, hostile content, and fuzzed tables against what was written."""

import csv
import gzip
import io
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sklearn_mteval.datasets import load_scores, scores
from sklearn_mteval.datasets._files import read_lines, rows_of
from sklearn_mteval.datasets._score_lines import number, numbers
from sklearn_mteval.exceptions import DataFileError


@pytest.fixture
def write(tmp_path):
    def write(text, name="comet.seg.score"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def as_dict(table):
    return {
        (key, name): value
        for name, column in table.items()
        for key, value in column.items()
        if not math.isnan(value)
    }


EXPECTED = {((1, "A"), "comet"): 0.5, ((2, "A"), "comet"): -1, ((1, "B"), "comet"): 200}


@pytest.mark.parametrize(
    "text",
    [
        "A\t0.5\nA\t-1\nB\t2e2\nB\tNone\n",
        "B  200.\nA .5\r\nB None\nA -1.0\n\n \n",
        "\ufeffA 0.5\nB +200\nA -1\nB None",
        "system,segment,comet\nA,1,0.5\nA,2,-1\nB,2,None\nB,1,200\n",
        "segment\tcomet\tsystem\n2\t\tB\n1\t0.5\tA\n2\t-1\tA\n\n1\t2E+2\tB\r\n",
        '\ufeff"system","segment","comet"\r\n"A","1","0.5"\r\nA,2,-1\r\nB,1,200\r\n',
    ],
)
def test_each_layout(write, text):
    table = load_scores(write(text), ["A", "B"], 2)
    assert as_dict(table) == EXPECTED
    assert list(table.index.names) == ["segment", "system"]
    assert (table.dtypes == np.float64).all()


def test_names_and_several_columns(write):
    path = write("system,segment,x,COMET-22\nA,1,5,7\nB,1,6,8\n", "all.csv")
    assert load_scores(path, ["A", "B"], 1).to_dict("list") == {"x": [5, 6], "COMET-22": [7, 8]}
    assert list(load_scores(path, ["A"], 1, column="COMET-22", others=["B"])) == ["COMET-22"]
    lines = "my system\t1\nother one\t2\n"
    table = load_scores(write(lines, "BLEURT-0.2-refA.seg.score"), ["my system", "other one"], 1)
    assert table["BLEURT-0.2-refA"].to_dict() == {(1, "my system"): 1, (1, "other one"): 2}


def test_a_text_column_is_passed_over_when_one_is_named(write):
    path = write('system,segment,text,m\nA,1,"one, two",7\n')
    with pytest.raises(DataFileError, match=r"line 2: column 'text'.*'one, two'"):
        load_scores(path, ["A"], 1)
    assert load_scores(path, ["A"], 1, column="m")["m"].tolist() == [7]


def test_a_system_may_be_named_like_a_header(write):
    table = load_scores(write("segment system 1\n"), ["segment system"], 1)
    assert as_dict(table) == {((1, "segment system"), "comet"): 1}


def test_unknown_number_of_segments(write):
    assert len(load_scores(write("A 1\nB 2\nA 3\nB 4"), ["A", "B"], None)) == 4
    with pytest.raises(DataFileError, match=r"1 score\(s\) of 'B', expected 2"):
        load_scores(write("A 1\nB 2\nA 3"), ["A", "B"], None)


NUMBERS = [
    "nan",
    "NaN",
    "inf",
    "-Infinity",
    "1e400",
    "0x1",
    "1_000",
    "１",
    "1,5",
    "x",
    "1.2.3",
    "--1",
]


@pytest.mark.parametrize("number", NUMBERS)
def test_only_plain_finite_numbers(write, number):
    with pytest.raises(DataFileError, match=r"comet.seg.score, line 2: expected a system and a fi"):
        load_scores(write(f"A 1\nA {number}\n"), ["A"], 2)
    table = f"system\tsegment\tm\nA\t1\t{number}\n"
    with pytest.raises(DataFileError, match=r"line 2: column 'm': expected a finite number, found"):
        load_scores(write(table), ["A"], 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A 1\nA 2\nB 1", r"1 score\(s\) of 'B', expected 2"),
        ("A 1\nB 1\nA 2\nB 2\nA 3", r"line 5: score number 3 of 'A'.* 2 segments"),
        ("A 1\nA 2\nB 1\nB 2\nA 1\nA 2", r"line 5: score number 3 of 'A'.*twice"),
        ("A 1\nA 2", "no score of the system 'B', only of 'A'"),
        ("A 1\nC 2", r"line 2: the system 'C' does not exist; there are 'A', 'B'"),
        ("A 1\n\nA 2", "line 2: expected a system"),
        ("1\n2\n", "line 1: expected lines 'SYSTEM SCORE'"),
        ("A\nB\n", "line 1: expected a finite score"),
        ("system,score\nA,1\n", "line 1: expected a finite score, found 'system,score'"),
        ("system;segment;m\nA;1;1\n", "line 1: expected a header, separated by commas or tabs"),
        ("System,Segment,m\nA,1,1\n", "columns 'system' and 'segment', found 'System,Segment,m'"),
        ("A" * 1000 + " 1\n", "the system '" + "A" * 60 + "' does not exist"),
        ("", "empty file"),
        ("\n\n", "empty file"),
        ("\ufeff", "empty file"),
        (b"A 1\nA \xff", "line 2: expected UTF-8"),
        ("system,segment,m\n", "has a header, but no scores"),
        ("system,segment\nA,1\n", "each with a name of its own, found none"),
        ("system,segment,m,m\nA,1,1,1\n", "columns 3 and 4 of the header have one name: 'm'"),
        ("system,segment,\nA,1,1\n", "found '' 1 times"),
        ("system,segment,m,system\nA,1,1,A\n", "columns 1 and 4 .* name: 'system'"),
        ("system,segment,m\nA,1,1\nA,1,1\n", "line 3: a second score of segment 1 by 'A'"),
        ("system,segment,m\nA,0,1\n", "line 2: segment must be a line number from 1 to 2, found"),
        ("system,segment,m\nA,3,1\n", "from 1 to 2, found '3'"),
        ("system,segment,m\nA,1.0,1\n", "from 1 to 2, found '1.0'"),
        ("system,segment,m\nA,１,1\n", "from 1 to 2, found '１'"),
        ("system,segment,m\nA,99999999999999999999,1\n", "from 1 to 2, found '9"),
        ("system,segment,m\nC,1,1\n", "line 2: the system 'C' does not exist"),
        ("system,segment,m\nA,1,1\n", "no score of the system 'B', only of 'A'"),
        ("system,segment,m\nA,1\n", "line 2: expected 3 cells"),
        ('system,segment,m\nA,1,"1\n', "not a well-formed table"),
    ],
)
def test_bad_files(write, text, message):
    with pytest.raises(DataFileError, match=message):
        load_scores(write(text), ["A", "B"], 2)


def test_bad_columns_and_paths(write, tmp_path):
    with pytest.raises(DataFileError, match=r"no column 'n'; the header is \['system'"):
        load_scores(write("system,segment,m\nA,1,1\n"), ["A"], 1, column="n")
    with pytest.raises(DataFileError, match="has no column 'n': expected a header"):
        load_scores(write("A 1"), ["A"], 1, column="n")
    with pytest.raises(DataFileError, match="cannot be read"):
        load_scores(tmp_path / "none", ["A"], 1)


words = st.text(st.sampled_from("aB-. é"), min_size=1).map(str.strip).filter(bool)
finite = st.floats(allow_nan=False, allow_infinity=False)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    systems=st.lists(words, min_size=1, max_size=4, unique=True),
    n_segments=st.integers(1, 5),
    data=st.data(),
)
def test_what_was_written_is_read(tmp_path, systems, n_segments, data):
    keys = data.draw(st.permutations([(k, s) for s in systems for k in range(1, n_segments + 1)]))
    values = data.draw(st.lists(st.none() | finite, min_size=len(keys), max_size=len(keys)))
    index = pd.MultiIndex.from_tuples(keys, names=["segment", "system"])
    table = pd.DataFrame({"m": np.array(values, dtype=float)}, index=index)
    path = tmp_path / "m.txt"
    for sep in ",\t":
        table.to_csv(path, sep=sep)
        assert as_dict(load_scores(path, systems, n_segments)) == as_dict(table)
    ordered = table.sort_index(level="segment", kind="stable")
    path.write_text(
        "".join(f"{s}\t{float(v)!r}\n" for (_, s), v in ordered["m"].items()).replace("nan", "None")
    )
    assert as_dict(load_scores(path, systems, n_segments)) == as_dict(table)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    content=st.binary(max_size=40)
    | st.text(st.sampled_from('A1 \t\n,"N\r'), max_size=30).map(str.encode)
)
@example(content=b"system,segment,m\nA,1,\x00\n")
@example(content=b"A 1\nA 2\x0b")
def test_any_bytes_give_numbers_or_a_clear_error(tmp_path, content):
    path = tmp_path / "m"
    path.write_bytes(content)
    try:
        table = load_scores(path, ["A"], 2)
    except DataFileError:
        return
    assert set(table.index.get_level_values("system")) == {"A"}
    assert len(table) <= 2
    assert not np.isinf(table.to_numpy()).any()


def test_a_quoted_cell_may_hold_a_line_feed(tmp_path):
    file = tmp_path / "scores.csv"
    text = 'system,segment,note,"a\nmetric"\nA,1,"one\ntwo",0.5\nA,2,"x",0.25\n'
    file.write_text(text, encoding="utf-8")
    header, rows = rows_of(file, read_lines(file), ["system"])
    rows = list(rows)
    assert [header, *(cells for _, cells in rows)] == list(csv.reader(io.StringIO(text)))
    assert [line for line, _ in rows] == [4, 5]


COMET = {
    "out/sys-A.txt": [
        {"src": "a", "mt": "b", "ref": "c", "COMET": 0.875, "errors": []},
        {"src": "a", "mt": "b", "ref": "c", "COMET": None},
    ],
    "out/newstest2015.B.de-en.txt": [{"COMET": -1, "errors": [{"text": "x"}]}, {"COMET": 0}],
}


@pytest.mark.parametrize("indent", [None, 4])
def test_comets_json(tmp_path, indent):
    path = tmp_path / "xcomet-xl.json.gz"
    path.write_bytes(gzip.compress(json.dumps(COMET, indent=indent).encode()))
    found = load_scores(path, ["sys-A", "B"], 2)
    assert list(found) == ["xcomet-xl"]
    expected = {(1, "sys-A"): 0.875, (2, "sys-A"): float("nan"), (1, "B"): -1, (2, "B"): 0}
    assert found["xcomet-xl"].to_dict() == pytest.approx(expected, nan_ok=True)


SEGMENT = {"COMET": 0.5}
BAD_COMET = {
    "a list": ([SEGMENT, SEGMENT], "found list of 2"),
    "nothing": ({}, "found dict of 0"),
    "no segments": ({"A": []}, "expected a list of segments of the system 'A'"),
    "an object": ({"A": {"COMET": 1}}, "expected a list of segments of the system 'A'"),
    "numbers": ({"A": [0.5, 0.6]}, "segment 1 of 'A': expected an object with a finite 'COMET'"),
    "null": ({"A": [SEGMENT, None]}, "segment 2 of 'A': expected an object"),
    "another metric": ({"A": [SEGMENT, {"BLEU": 1}]}, "segment 2 of 'A': expected an object"),
    "text": ({"A": [SEGMENT, {"COMET": "0.5"}]}, "segment 2 of 'A': expected an object"),
    "NaN": ({"A": [SEGMENT, {"COMET": float("nan")}]}, "finite 'COMET', found 'nan'"),
    "infinity": ({"A": [SEGMENT, {"COMET": -float("inf")}]}, "finite 'COMET', found '-inf'"),
    "True": ({"A": [SEGMENT, {"COMET": True}]}, "finite 'COMET', found 'True'"),
    "one of two": ({"A": [SEGMENT]}, r"1 score\(s\) of 'A', expected 2"),
    "three of two": ({"A": [SEGMENT] * 3}, "score number 3 of 'A'"),
    "one system twice": ({"x/A": [SEGMENT] * 2, "y/A": [SEGMENT] * 2}, "both name the system 'A'"),
    "two names of one": (
        {"A": [SEGMENT] * 2, "A.txt": [SEGMENT] * 2},
        "'A' and 'A.txt' both name the system 'A'",
    ),
    "another system": ({"A": [SEGMENT] * 2, "B": [SEGMENT] * 2}, "the system 'B' does not exist"),
    "none of it": ({"B": [SEGMENT] * 2}, "the system 'B' does not exist"),
}


@pytest.mark.parametrize("case", BAD_COMET)
def test_bad_json_of_comet(tmp_path, case):
    content, message = BAD_COMET[case]
    path = tmp_path / "comet.json"
    path.write_text(json.dumps(content))
    with pytest.raises(DataFileError, match=message):
        load_scores(path, ["A"], 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"A": [{"COMET": 1}, {"COMET": 1}], "A": []}', "the name 'A' is there twice"),
        ('{"A": [{"COMET": 1}, {"COMET": 1}]', "expected JSON"),
        ("{" * 100_000, "expected JSON"),
        ('{"A": [{"COMET": ' + "9" * 5000 + "}]}", "not to be read as JSON"),
    ],
)
def test_what_is_no_json(tmp_path, text, message):
    path = tmp_path / "comet.json"
    path.write_text(text)
    with pytest.raises(DataFileError, match=message):
        load_scores(path, ["A"], 2)


def test_many_names_read_a_file_once_and_only_their_columns(write, monkeypatch):
    """A column of texts that nobody named hinders nobody, and a file is opened once."""
    opened = []

    def read_once(path, **options):
        opened.append(path)
        return read_lines(path, **options)

    monkeypatch.setattr(scores, "read_lines", read_once)
    path = write('system,segment,m,note,n\nA,1,1,"one, two",5\nB,1,2,x,6\n', "all.csv")
    found = scores.named_scores(path, ["n", "m"], ["A", "B"], 1, ())
    assert {name: column[name].tolist() for name, column in found.items()} == {
        "n": [5, 6],
        "m": [1, 2],
    }
    assert len(opened) == 1
    with pytest.raises(ValueError, match="has no column 'k', but 'm', 'note', 'n'"):
        scores.named_scores(path, ["k"], ["A", "B"], 1, ())
    renamed = scores.named_scores(write("A 1\nB 2\n"), ["x", None], ["A", "B"], 1, ())
    assert [*renamed["x"], *renamed[None]] == ["x", "comet"]


@pytest.mark.parametrize("text", ["1", " 2.5 ", "-.5", "1e300", "", "None", "9007199254740993"])
def test_many_numbers_are_read_as_single_ones(text):
    words = ("", "None")
    for texts in ([text], ["1", text, "2"], [text, "x"], [text, "1 2"], [text, "1e999"]):
        values, bad = numbers(texts, words)
        one_by_one = [number(each, words) for each in texts]
        assert bad == (one_by_one.index(None) if None in one_by_one else None)
        np.testing.assert_array_equal(values, np.array(one_by_one, dtype=float))
