"""Tables of judgements that are wrong: each error says where, what was expected, and the cure."""

import gzip
import json
import sys

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

from sklearn_mteval._helpers import files
from sklearn_mteval.datasets import load_rankings
from sklearn_mteval.datasets.own import _arrow
from sklearn_mteval.exceptions import CandidateError, DataFileError

HEADERS = {
    "long": "segment,system,rank",
    "pairwise": "segment,system_a,system_b,winner",
    "wide": "segment,rank_A,rank_B",
}


def raised(tmp_path, content, *, name="mine.csv", **options):
    """Load what cannot be loaded; return the error's text, less the path."""
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataFileError) as caught:
        load_rankings(path, **options)
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path)).lstrip(",: ")


LONG = {
    "a rank as text": ("1,A,first", "line 2: column 'rank': expected a number of at most 2^53, "
                       "found 'first'"),
    "a rank of another script": ("1,A,１", "found '１'"),
    "a rank with underscores": ("1,A,1_0", "found '1_0'"),
    "infinity": ("1,A,inf", "found 'inf'"),
    "overflow": ("1,A,1e999", "found '1e999'"),
    "more than a float tells apart": ("1,A,9007199254740994", "at most 2^53, found '9007199254"),
    "too many digits": ("1,A," + "9" * 30, "at most 2^53, found '999"),
    "two decimal marks": ('1,A,"1,5"\n1,B,2.5', "numbers are written both as '2.5' and as '1,5'. "
                          "Say which mark stands before decimals: decimal='.' or decimal=','"),
    "perhaps thousands": ('1,A,"1,500"', "'1,500' may be a number of thousands, or have three"),
    "no judgement": ("1,A,1\n1,B,\n1,C,NaN", "line 3: column 'rank': no judgement here, nor in 1 "
                     "other row(s). Drop such rows, or pass missing='skip'"),
    "not judged, as WMT writes it": ("1,A,1\n1,B,-1", "line 3: column 'rank': found the rank -1"),
    "no segment": (",A,1", "line 2: column 'segment': expected a name without white space around "
                   "it, found ''"),
    "white space": ("1, A,1", "column 'system': expected a name without white space around it"),
    "a name with a tab": ('1,"A\tB",1', "column 'system': expected a name"),
    "a header again": ("1,A,1\nsegment,system,rank\n1,B,2", "line 3: column 'rank': expected a "
                       "number of at most 2^53, found 'rank'"),
    "too few cells": ("1,A", "line 2: expected 3 cells as in the header, found 2"),
    "too many cells": ("1,A,1,2", "line 2: expected 3 cells as in the header, found 4"),
    "a quote that does not end": ('1,A,"1', "not a well-formed table"),
    "nothing": ("", "there is no judgement, only a header"),
    "judged twice by nobody knows whom": (
        "1,A,1\n1,B,2\n1,A,2", "line 4: segment 1: 'A' has a second judgement, the first is in "
        "line 2. Name the column that tells annotators apart by judge=, or"),
}  # fmt: skip


@pytest.mark.parametrize("case", LONG)
def test_long(case, tmp_path):
    rows, message = LONG[case]
    assert message in raised(tmp_path, f"{HEADERS['long']}\n{rows}\n", better="lower")


PAIRWISE = {
    "an unknown outcome": ("1,A,B,hm", "line 2: column 'winner': unknown outcome 'hm'. "
                           "Expected 'A', 'B', 'a', 'b', 'tie' or 'both_bad'"),
    "no outcome": ("1,A,B,", "line 2: column 'winner': no judgement here, nor in 0 other row(s). "
                   "Drop such rows, or pass missing='skip'"),
    "an unknown system": ("1,A,B,C\n1,A,C,C", "line 2: column 'winner': unknown outcome 'C'"),
    "names and positions": ("1,X,Y,X\n1,X,Y,b", "unknown outcome 'X'"),
    "a number": ("1,A,B,1", "unknown outcome '1'"),
    "NaN": ("1,A,B,nan", "no judgement here"),
    "a comparison with itself": ("1,A,B,A\n1,A,A,tie", "line 3: 'A' is compared with itself"),
    "no system": ("1,A,,A", "column 'system_b': expected a name"),
    "a header again": ("1,A,B,A\nsegment,system_a,system_b,winner", "line 3: column 'winner': "
                       "unknown outcome 'winner'"),
}  # fmt: skip


@pytest.mark.parametrize("case", PAIRWISE)
def test_pairwise(case, tmp_path):
    rows, message = PAIRWISE[case]
    assert message in raised(tmp_path, f"{HEADERS['pairwise']}\n{rows}\n")


WIDE = {
    "a rank as text": ("1,1,second", "line 2: column 'rank_B': expected a number"),
    "nobody judged": ("1,1,2\n2,,", "line 3: none of ['rank_A', 'rank_B']: no judgement"),
    "not judged, as WMT writes it": ("1,-1,2", "line 2: column 'rank_A': found the rank -1"),
}


@pytest.mark.parametrize("case", WIDE)
def test_wide(case, tmp_path):
    rows, message = WIDE[case]
    assert message in raised(tmp_path, f"{HEADERS['wide']}\n{rows}\n", better="lower")


HEADER = {
    "an empty file": ("", {}, "it is empty: expected a header, and below it the judge"),
    "no judgement": ("segment,system\n1,A\n", {}, "what the rows are; of what is needed, "
                     "it names no judgement. Pass format='long'"),
    "no header": ("1,A,2\n1,B,1\n", {}, "the first row, ['1', 'A', '2'], looks like a judgement"),
    "other names": ("what,programme,value\n1,A,1\n1,B,1\n1,A,1\n1,B,2\n", {}, "Pass "
                    "system='programme', judgement='value', segment='what', if a row is"),
    "wide without prefixes": ("segment,x,y\n1,3,4\n2,4,1\n", {"format": "wide"},
                              "Pass system=['x', 'y'], if a row is a task"),
    "pipes": ("segment|system|rank\n1|A|1\n", {"format": "long"}, "separated by commas, semi"),
    "commas or semicolons": ("segment;system,x;rank,y\n1;A,1;1,2\n", {}, "cells may be separated "
                             "by commas or by semicolons: 'segment;system,x;rank,y'. Say which"),
    "long and pairwise": (
        "segment,system,rank,system_a,system_b,winner\n", {}, "does not say for certain"),
    "no column": ("segment,rank\n1,1\n", {"format": "long"}, "it names no system. Pass format="),
    "no segment": ("system,rank\nA,1\n", {"format": "long"}, "it names no segment. Pass format="),
    "no segments of comparisons": ("system_a,system_b,winner\nA,B,A\n", {}, "Pass segment=False "
                                   "(each comparison has a segment of its own)"),
    "a doubled column": ("segment,system,rank,rank\n1,A,1,1\n", {}, "line 1: columns 3 and 4 of "
                         "the header have one name: 'rank' and 'rank'"),
    "doubled but for case": ("segment,system,rank,Rank\n1,A,1,1\n", {}, "have one name"),
    "doubled but for spaces": ("seg id,seg_id,system,rank\n1,1,A,1\n", {}, "both 'seg id' and "
                               "'seg_id' may be meant: say which by segment='seg id'"),
    "mixed directions": ("segment,system,rank,score\n1,A,1,9\n", {}, "both 'rank' and 'score' may "
                         "be meant: say which by judgement='rank'"),
    "mixed directions, wide": ("segment,rank_A,score_B\n1,1,9\n", {"format": "wide"},
                               "it names no system"),
    "two judges": ("segment,system,rank,judge,rater\n1,A,1,x,y\n", {}, "both 'judge' and 'rater'"),
    "a column that is named": ("segment,system,rank\n1,A,1\n", {"judge": "who"},
                               "there is no column 'who', as judge='who' says, but"),
    "one system": ("segment,rank_A\n1,1\n", {"format": "wide"}, "it names no system"),
    "a system that is named": ("segment,A,B\n1,1,2\n", {"format": "wide", "system": ["A", "C"]},
                               "there is no column of judgements of 'C', as system=['A', 'C']"),
    "a system of another name": ("segment,score_A,score_B\n1,1,2\n", {"system": ["A", "C"]},
                                 "there is no column of judgements of 'C'"),
    "a system, and others' judgements": (
        "segment,A,C,score_A\n1,1,2,3\n", {"system": ["A", "C"], "judgement": "score"},
        "there is no column of judgements of 'C', as system=['A', 'C'] says, but ['segment'"),
    "a translation of some": ("segment,rank_A,rank_B,hypothesis_A\n1,1,2,x\n", {"format": "wide"},
                              "there is no column of translations of 'B'"),
}  # fmt: skip


@pytest.mark.parametrize("case", HEADER)
def test_headers(case, tmp_path):
    text, options, message = HEADER[case]
    assert message in raised(tmp_path, text, **{"better": "lower", **options})


ALIKE = {
    "source": ("source", "1,A,1,x\n1,B,2,y", "line 3: segment 1: the source is 'y' here, and 'x' in"
               " line 2"),
    "two references": ("reference", "1,A,1,x\n2,A,1,z\n1,B,2,y", "line 4: segment 1: the reference "
                       "is 'y' here, and 'x' in line 2. Several references stand in columns of "
                       "their own: reference=['ref1', 'ref2'], say"),
    "translation": ("hypothesis,judge", "1,A,1,x,p\n1,B,2,y,p\n1,A,1,y,q", "line 4: segment 1: the "
                    "hypothesis of 'A' is 'y' here, and 'x' in line 2. Two translations"),
}  # fmt: skip


@pytest.mark.parametrize("case", ALIKE)
def test_texts_that_differ(case, tmp_path):
    columns, rows, message = ALIKE[case]
    assert message in raised(tmp_path, f"segment,system,rank,{columns}\n{rows}\n", better="lower")


def test_no_reference_of_several(tmp_path):
    text = "segment,system,rank,p,q\n1,A,1,x,y\n2,A,1,,\n"
    message = raised(tmp_path, text, better="lower", reference=["p", "q"])
    assert message.startswith("line 3: columns ['p', 'q']: expected a reference, found none")


def test_other_encodings_and_archives(tmp_path):
    text = HEADERS["long"] + "\n1,A,1\n1,B,2\n"
    assert "UTF-16 text: convert it, e.g. with iconv" in raised(tmp_path, text.encode("utf-16"))
    assert "UTF-16 text" in raised(tmp_path, text.encode("utf-16-le"))
    packed = gzip.compress(text.encode() * 500)
    assert "damaged gzip file (it ends too early)" in raised(tmp_path, packed[:-9])
    assert "damaged gzip file" in raised(tmp_path, packed[:40] + b"\xff" * 40)
    assert "expected UTF-8, found the byte 0xe9" in raised(tmp_path, (text + "é").encode("latin1"))
    assert "found a NUL byte" in raised(tmp_path, text + "\0")
    assert "looks like a zip file" in raised(tmp_path, b"PK\x03\x04" + b"x" * 50)


def test_what_is_no_file(tmp_path, monkeypatch):
    with pytest.raises(DataFileError, match="expected a file, found a folder"):
        load_rankings(tmp_path)
    with pytest.raises(DataFileError, match="No such file"):
        load_rankings(tmp_path / "none.csv")
    with pytest.raises(DataFileError, match="No such file"):
        load_rankings(tmp_path / "none.parquet")
    for nothing in (None, 5, [], object()):
        with pytest.raises(TypeError, match="expected a path or a DataFrame, found"):
            load_rankings(nothing)
    monkeypatch.setattr(files, "MAX_WHOLE", 10)
    (tmp_path / "large.csv").write_text("x" * 11)
    with pytest.raises(DataFileError, match="holds more than 10 bytes"):
        load_rankings(tmp_path / "large.csv")
    (tmp_path / "small.csv").write_text(HEADERS["long"] + "\n1,A,1\n")
    with pytest.raises(DataFileError, match="max_bytes= of the function"):
        load_rankings(tmp_path / "small.csv", better="lower")
    load_rankings(tmp_path / "small.csv", better="lower", max_bytes=1000)


def test_quotes_that_would_hide_rows(tmp_path):
    """One text begins with a quote, a later one ends with one: three rows would become one."""
    text = 'segment\tsystem\trank\thypothesis\n1\tA\t1\t"So\n1\tB\t2\tNo\n1\tC\t3\tend"\n'
    message = raised(tmp_path, text, better="lower")
    assert message.startswith("line 4: a quote opens a cell that holds tabs and goes on over lines")
    assert "Pass quoted=False if quotes are characters like any other" in message
    X, _ = load_rankings(tmp_path / "mine.csv", better="lower", quoted=False, return_X_y=True)
    assert X["hypothesis"].tolist() == ['"So', "No", 'end"']


JSON = {
    "a list of numbers": ('[{"segment": 1}, 2]', "expected a JSON list of objects, found one that "
                          "holds int"),
    "a list of rows without ranks": ('[\n{"segment": 1,\n"system": "A", "rank": 1},'
                                     '{"segment": 1, "system": "B"}]', "row 1: column 'rank': no"),
    "a number": ('{"segment": 1}\n2', "line 2: expected one JSON object a line, found int"),
    "a name twice": ('{"rank": 1, "rank": 2}', "the name 'rank' is there twice"),
    "cut short": ('{"rank": 1', "line 1: expected JSON"),
    "deep": ('{"rank": ' + "[" * 200_000, "too deep"),
    "a list as a rank": ('{"segment": 1, "system": "A", "rank": [1]}', "line 1: column 'rank': "
                         "expected a text or a number, found list [1]"),
    "true": ('{"segment": 1, "system": "A", "rank": true}', "found bool True"),
    "an object as a text": ('{"segment": 1, "system": "A", "rank": 1, "source": {}}',
                            "column 'source': expected a text or a number, found dict {}"),
    "null as a text": ('{"segment": 1, "system": "A", "rank": 1, "source": null}',
                       "column 'source': expected a text, found nothing. An empty text is ''"),
    "null as a rank": ('{"segment": 1, "system": "A", "rank": null}', "no judgement here"),
    "infinity": ('{"segment": 1, "system": "A", "rank": Infinity}', "found 'inf'"),
    "no reference": ('{"segment": 1, "system": "A", "rank": 1, "reference": []}',
                     "column 'reference': expected texts, found []"),
    "half a reference": ('{"segment": 1, "system": "A", "rank": 1, "reference": ["x", null]}',
                         "column 'reference': expected texts"),
    "a key that is there sometimes": ('{"segment": 1, "system": "A", "rank": 1}\n'
                                      '{"segment": 1, "system": "B"}', "line 2: column 'rank'"),
}  # fmt: skip


@pytest.mark.parametrize("case", JSON)
def test_json_lines(case, tmp_path):
    text, message = JSON[case]
    assert message in raised(tmp_path, text, name="mine.jsonl", format="long", better="lower")


def test_deep_lists_in_an_error(tmp_path):
    row = {"segment": 1, "system": "A", "rank": json.loads("[" * 300 + "]" * 300)}
    message = raised(tmp_path, json.dumps(row), format="long", better="lower")
    assert "found list [[[[" in message and len(message) < 200


def test_parquet(tmp_path, monkeypatch):
    frame = pd.DataFrame({"segment": [1, 1], "system": ["A", "B"], "rank": [1, np.nan]})
    path = tmp_path / "mine.parquet"
    frame.to_parquet(path)
    assert "row 1: column 'rank': no judgement" in raised(
        tmp_path, path.read_bytes(), name="mine.parquet", better="lower"
    )
    content = path.read_bytes()
    for broken in (b"", b"segment,system,rank\n", content[:-8], content[:200], content[100:]):
        message = raised(tmp_path, broken, name="mine.parquet", better="lower")
        assert message.startswith("no parquet file that can be read (")
    dates = frame.assign(segment=pd.to_datetime(["2020", "2021"]))
    dates.to_parquet(path)
    message = raised(tmp_path, path.read_bytes(), name="mine.parquet", better="lower")
    assert "column 'segment': expected a text or a number, found datetime" in message
    frame.to_parquet(path)
    monkeypatch.setattr(_arrow, "_MOST_CELLS", 5)
    with pytest.raises(DataFileError, match="2 rows of 3 columns are too many"):
        load_rankings(path, better="lower")


def test_parquet_that_unpacks_to_much(tmp_path):
    """Ten thousand times one long text take next to no space, neither here nor there."""
    path, n = tmp_path / "bomb.parquet", 10_000
    texts = pyarrow.DictionaryArray.from_arrays(np.zeros(n, dtype=np.int32), ["x" * 1_000_000])
    columns = {"segment": range(n), "system": ["A"] * n, "rank": [1] * n, "source": texts}
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    assert path.stat().st_size < 2_000_000
    X, _ = load_rankings(path, better="lower", return_X_y=True)
    assert X["source"].iloc[0] is X["source"].iloc[-1]
    with pytest.raises(DataFileError, match="it unpacks to more than"):
        load_rankings(path, better="lower", max_bytes=999_999)


def test_nested_columns_of_parquet(tmp_path):
    path = tmp_path / "mine.parquet"
    frame = pd.DataFrame({"segment": [1], "system": ["A"], "rank": [1], "turns": [[{"x": 1}]]})
    frame.to_parquet(path)
    assert load_rankings(path, better="lower").y.tolist() == [1]
    with pytest.raises(DataFileError, match="row 0: column 'turns': expected a text or a number"):
        load_rankings(path, better="lower", source="turns")


def test_without_pyarrow(tmp_path, monkeypatch):
    path = tmp_path / "mine.parquet"
    pd.DataFrame({"segment": [1]}).to_parquet(path)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r'pip install "sklearn-mteval\[parquet\]"'):
        load_rankings(path)


FRAMES = {
    "no text as name": ({0: [1], "system": ["A"], "rank": [1]}, "names of columns must be texts"),
    "twice but for case": ({"Segment": [1], "segment": [1], "system": ["A"], "rank": [1]},
                           "both 'Segment' and 'segment' may be meant"),
    "no label": ({"segment": [None, 1], "system": ["A", "B"], "rank": [1, 1]},
                 "Row 0 of the table: column 'segment': expected a name"),
    "NaN": ({"segment": [1, 1], "system": ["A", "B"], "rank": [1, np.nan]},
            "Row 1 of the table: column 'rank': no judgement here"),
    "text": ({"segment": [1], "system": ["A"], "rank": ["best"]}, "found 'best'"),
    "a truth": ({"segment": [1], "system": ["A"], "rank": [True]}, "found bool True"),
    "no rows": ({"segment": [], "system": [], "rank": []}, "there is no judgement"),
    "a missing text": ({"segment": [1], "system": ["A"], "rank": [1], "source": [np.nan]},
                       "column 'source': expected a text, found nothing"),
}  # fmt: skip


@pytest.mark.parametrize("case", FRAMES)
def test_frames(case):
    columns, message = FRAMES[case]
    with pytest.raises(CandidateError, match=message.replace("(", r"\(")):
        load_rankings(pd.DataFrame(columns), better="lower")


def test_frames_with_a_column_twice():
    frame = pd.DataFrame([[1, "A", 1, 2]], columns=["segment", "system", "rank", "rank"])
    with pytest.raises(CandidateError, match="two columns have one name, 'rank'"):
        load_rankings(frame, better="lower")
    frame = pd.DataFrame({"segment": [1], "system": ["A"], "rank": [1]})
    with pytest.raises(CandidateError, match="'segment' both as a column and as an index level"):
        load_rankings(frame.set_index("segment", drop=False), better="lower")


OPTIONS = {
    "no direction": ({}, "better= is missing, and is never guessed: 'rank' needs better='lower'."),
    "a direction of no kind": ({"better": "up"}, "better "),
    "no such format": ({"format": "tall", "better": "lower"}, "format "),
    "verdicts of ranks": ({"better": "lower", "verdicts": "names"}, "verdicts= is for format='pa"),
    "verdicts of no kind": ({"verdicts": {"x": "won"}}, "verdicts must be 'names', 'positions' or"),
    "missing": ({"missing": "drop"}, "missing "),
    "quoted": ({"quoted": "no"}, "quoted must be True or False"),
    "no name of a column": ({"segment": 3}, "segment must be the name of a column found 3"),
    "a list where one is meant": ({"judge": ["a", "b"]}, "judge must be the name of a column"),
    "a column twice": ({"reference": ["a", "a"]}, "names a column twice"),
    "a column of two kinds": ({"better": "lower", "judge": "system", "system": "system"},
                              "the column 'system' is both judge= and system="),
    "no judgement": ({"judgement": False}, "judgement=False: without judgements"),
    "two systems of a long table": ({"format": "long", "system": ["system", "rank"]},
                                    "format='long' has one such column"),
    "texts that are none": ({"better": "lower", "texts": ["src"]}, "texts must be a dict with key"),
    "texts of no kind": ({"better": "lower", "texts": {"src": "x"}}, "texts must be a dict"),
    "texts of nothing": ({"better": "lower", "texts": {"hypothesis": []}}, "names no file"),
    "no path": ({"better": "lower", "texts": {"source": 5}}, "expected a path, found 5"),
    "two files of a system": ({"better": "lower", "texts": {"hypothesis": ["x/A", "y/A"]}},
                              "two files of one name"),
}  # fmt: skip


@pytest.mark.parametrize("case", OPTIONS)
def test_options(case, tmp_path):
    options, message = OPTIONS[case]
    (tmp_path / "mine.csv").write_text("segment,system,rank\n1,A,1\n1,B,2\n")
    with pytest.raises(ValueError, match=r".") as caught:
        load_rankings(tmp_path / "mine.csv", **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("format", ["pairwise", "wide"])
def test_options_that_belong_elsewhere(format, tmp_path):
    (tmp_path / "mine.csv").write_text(HEADERS[format] + "\n1,1,2,1\n"[: None if format[0] == "p"
                                                                      else -3] + "\n")  # fmt: skip
    with pytest.raises(ValueError, match=f"ranking= is for format='long': with '{format}'"):
        load_rankings(tmp_path / "mine.csv", format=format, ranking="segment")
    if format == "pairwise":
        with pytest.raises(ValueError, match="a comparison has a winner"):
            load_rankings(tmp_path / "mine.csv", better="lower")
        with pytest.raises(ValueError, match="format='pairwise' has two such columns"):
            load_rankings(tmp_path / "mine.csv", format=format, system="system_a")


LINES = {
    "another line count": ({"src": "a\nb\n", "ref": "a\n"}, "ref, line 2: has 1 lines, but"),
    "a header": ({"src": "source\na\n", "ref": "a\nb\n"}, "src, line 1: 'source' looks like a hea"),
    "beyond the end": ({"src": "a\n", "ref": "b\n"}, "line 3: segment 2 is no line of"),
    "no such file": ({"ref": "a\nb\n"}, "No such file"),
}


@pytest.mark.parametrize("case", LINES)
def test_texts_of_lines(case, tmp_path):
    files, message = LINES[case]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "mine.csv").write_text("segment,system,rank\n1,A,1\n2,B,2\n")
    texts = {"source": tmp_path / "src", "reference": tmp_path / "ref"}
    with pytest.raises(DataFileError) as caught:
        load_rankings(tmp_path / "mine.csv", better="lower", texts=texts)
    assert message in str(caught.value)


def test_systems_and_labels_of_lines(tmp_path):
    for name in ("A", "C", "src"):
        (tmp_path / name).write_text("x\ny\n")
    path = tmp_path / "mine.csv"
    path.write_text("segment,system,rank,source\n1,A,1,x\n2,B,2,y\n")
    texts = {"hypothesis": [tmp_path / "A", tmp_path / "C"]}
    with pytest.raises(DataFileError, match=r"line 3: .* has no file of the system 'B', only of"):
        load_rankings(path, better="lower", texts=texts)
    with pytest.raises(
        ValueError, match=r"'source' is in the table and in texts=: pass source=False"
    ):
        load_rankings(path, better="lower", texts={"source": tmp_path / "src"})
    for segment in ("one", "0"):
        path.write_text(f"segment,system,rank\n1,A,1\n{segment},A,2\n")
        with pytest.raises(DataFileError, match=rf"segment (1|{segment}) is no line"):
            load_rankings(path, better="lower", texts={"source": tmp_path / "src"})
