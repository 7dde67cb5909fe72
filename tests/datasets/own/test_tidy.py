"""Tidy tables and candidate tables: each is made of the other, and wrong ones are told."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.datasets import (
    candidate_blocks,
    candidates_from_frame,
    load_sample,
    to_long,
)
from sklearn_mteval.datasets.own import table_blocks
from sklearn_mteval.exceptions import CandidateError

X, y = load_sample(return_X_y=True)
FRAME = pd.DataFrame(
    {
        "id": [3, 3, 4],
        "engine": ["A", "B", "A"],
        "mt": ["x", "y", "z"],
        "one": ["r", "r", ""],
        "two": ["s", "s", "t"],
        "length": [1.5, 2.5, 3.5],
    }
)
NAMES = {"segment": "id", "system": "engine", "hypothesis": "mt"}


def test_there_and_back():
    assert candidates_from_frame(to_long(X)).equals(X)
    assert candidates_from_frame(to_long(X, y)).drop(columns="rank").equals(X)
    features = X.assign(length=np.arange(float(len(X))), kind="text")
    features = features.set_axis(X.index.rename({"system": "system"}))
    assert candidates_from_frame(to_long(features)).equals(features)


def test_columns_of_other_names():
    table = candidates_from_frame(FRAME, **NAMES, reference=["one", "two"])
    assert table.index.tolist() == [(3, "A"), (3, "B"), (4, "A")]
    assert list(table) == ["hypothesis", "reference", "length"]
    assert table["reference"].tolist() == [["r", "s"], ["r", "s"], ["t"]]
    assert table["length"].tolist() == [1.5, 2.5, 3.5]
    assert list(candidates_from_frame(FRAME, **NAMES)) == ["hypothesis", "one", "two", "length"]
    indexed = FRAME.set_index(["id", "engine"])
    assert candidates_from_frame(indexed, **NAMES, reference="two")["reference"].tolist() == [
        "s", "s", "t"
    ]  # fmt: skip


def test_rankings_are_a_level():
    frame = FRAME.assign(ranking=["p", "q", "p"], engine="A")
    assert candidates_from_frame(frame, **NAMES).index.tolist() == [
        (3, "p", "A"), (3, "q", "A"), (4, "p", "A")
    ]  # fmt: skip


def test_lists_of_references_become_columns():
    table = candidates_from_frame(FRAME, **NAMES, reference=["one", "two"])
    long = to_long(table, [1, 2, 1], judges=["j", "j", "k"])
    assert list(long) == [
        "segment", "system", "hypothesis", "reference_1", "reference_2", "length", "rank", "judge"
    ]  # fmt: skip
    assert long["reference_2"].tolist() == ["s", "s", None]
    assert long["rank"].tolist() == [1, 2, 1] and long["judge"].tolist() == ["j", "j", "k"]
    back = candidates_from_frame(long, reference=["reference_1", "reference_2"])
    assert back["reference"].tolist() == table["reference"].tolist()


BAD = {
    "no frame": (FRAME.to_numpy(), {}, "Expected a pandas DataFrame, found ndarray"),
    "no column": (FRAME.rename(columns={"id": "which"}), {}, "expected a column 'segment'"),
    "no system": (FRAME.rename(columns={"engine": "by"}), {"segment": "id"},
                  "expected a column 'system' or 'model'"),
    "not there": (FRAME, {**NAMES, "source": "src"}, "there is no column 'src'"),
    "twice": (FRAME.assign(engine="A"), NAMES, r"Row 1 of X repeats the index \(3, 'A'\)"),
    "no label": (FRAME.assign(id=[3, None, 4]), NAMES, "Row 1 of X has no label"),
    "no text": (FRAME.assign(mt=["x", None, "z"]), NAMES, "Column 'hypothesis', row 1"),
    "no reference": (FRAME, {**NAMES, "reference": ["one", "one"]}, "names a column twice"),
    "empty references": (FRAME.assign(two=""), {**NAMES, "reference": ["one", "two"]},
                         "Column 'reference', row 2"),
    "a column twice": (pd.concat([FRAME, FRAME[["id"]]], axis=1), NAMES, "two columns have one"),
    "not read": (FRAME, {**NAMES, "segment": False}, "segment=False: expected the name"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_frames(case):
    frame, options, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        candidates_from_frame(frame, **options)


def test_bad_candidates():
    with pytest.raises(CandidateError, match="X has a column 'rank', and so would the tidy table"):
        to_long(X.assign(rank=1), y)
    with pytest.raises(CandidateError, match="the index that says"):
        to_long(X.to_numpy())
    with pytest.raises(CandidateError, match="y has 2 entries"):
        to_long(X, [1, 2])
    with pytest.raises(CandidateError, match=r"judges has the shape \(1,\)"):
        to_long(X, y, judges=["a"])
    nameless = pd.concat({"a": X})
    with pytest.raises(CandidateError, match="must have a name, found None"):
        to_long(nameless)


@pytest.mark.parametrize("rows_at_once", [1, 2, 100])
def test_lines_that_name_neither_segment_nor_system(tmp_path, monkeypatch, rows_at_once):
    """As COMET's: rows of one source that follow each other are a segment, however they are cut."""
    monkeypatch.setattr(table_blocks, "_ROWS", rows_at_once)
    rows = [("a", "x"), ("a", "y"), ("b", "x"), ("c", "z"), ("c", "z"), ("a", "x")]
    lines = [json.dumps({"src": s, "mt": t, "ref": "r", "score": 0.5}) for s, t in rows]
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    X = pd.concat(candidate_blocks(tmp_path / "x.jsonl", n_candidates=1))
    assert X.index.tolist() == [(1, "1"), (1, "2"), (2, "1"), (3, "1"), (3, "2"), (4, "1")]
    assert X["source"].tolist() == [s for s, _ in rows]
