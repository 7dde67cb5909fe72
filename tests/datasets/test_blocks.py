"""Texts and tables in blocks of whole segments: together they are what is read whole."""

import gzip
import json
import os
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.datasets import (
    candidate_blocks,
    load_translations,
    suspicious_texts,
    to_long,
    translation_blocks,
)
from sklearn_mteval.datasets.suspicious.findings import Findings
from sklearn_mteval.exceptions import CandidateError, DataFileError
from sklearn_mteval.segments import Seen, cut

N = 23


@pytest.fixture
def files(tmp_path):
    """Lines of a source, two references and three systems; one has DOS line ends, one is gzip."""
    rng = np.random.default_rng(0)
    paths = {}
    for name in ("src", "ref", "ref2", "a", "b", "c"):
        lines = [f"{name} {k} {'x' * rng.integers(9)}" for k in range(N)]
        paths[name] = tmp_path / name
        paths[name].write_bytes(("\r\n" if name == "b" else "\n").join([*lines, ""]).encode())
    paths["c"] = tmp_path / "c.gz"
    paths["c"].write_bytes(gzip.compress((tmp_path / "c").read_bytes()))
    return paths


def given_files(files):
    return [files[name] for name in "abc"], files["src"], [files["ref"], files["ref2"]]


@pytest.mark.parametrize("n_candidates", [1, 3, 7, 9, 3 * N - 1, 3 * N, 1000, None])
def test_blocks_of_lines_are_the_whole(files, n_candidates):
    whole = load_translations(*given_files(files))
    blocks = translation_blocks(*given_files(files), n_candidates=n_candidates)
    assert blocks.n_candidates == (None if n_candidates is None else len(whole))
    for _ in range(2):  # files can be read again
        parts = list(blocks)
        pd.testing.assert_frame_equal(pd.concat(parts), whole)
        size = max(1, (n_candidates or len(whole)) // 3) * 3
        assert {len(part) for part in parts[:-1]} <= {size} and len(parts[-1]) <= size


@pytest.mark.parametrize("n", [1, 9, 1000])
def test_pipes_are_read_in_blocks(files, n, tmp_path):
    whole = load_translations(*given_files(files))
    os.mkfifo(tmp_path / "pipe")
    content = files["a"].read_bytes()
    systems, *others = given_files(files)
    systems = [tmp_path / "pipe", *systems[1:]]
    blocks = translation_blocks(systems, *others, n_candidates=n)
    assert blocks.n_candidates is None
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,))
    writer.start()
    found = pd.concat(list(blocks)).rename({"pipe": "a"}, level="system")
    writer.join()
    pd.testing.assert_frame_equal(found, whole)


@pytest.mark.parametrize("n_candidates", [3, 1000, None])
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: text + b"more\n", rf"b, line {N + 1}: has {N + 1} lines, but .*src has {N}"),
        (lambda text: text[:40], r"b, line \d+: has \d+ lines, but .*src has 23"),
        (lambda text: text + b"\xff", "b, line 24: expected UTF-8, found the byte 0xff"),
        (lambda text: text[:-20] + b"\0" + text[-20:], r"b, line \d+: expected text, found a NUL"),
    ],
)
def test_what_is_wrong_is_said_before_any_block(files, change, problem, n_candidates):
    files["b"].write_bytes(change(files["b"].read_bytes()))
    with pytest.raises(DataFileError, match=problem):
        list(translation_blocks(*given_files(files), n_candidates=n_candidates))
    if n_candidates is not None:
        with pytest.raises(DataFileError, match=problem):
            translation_blocks(*given_files(files), n_candidates=n_candidates)


def test_a_pipe_that_is_shorter(files, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    blocks = translation_blocks([files["a"], tmp_path / "pipe"], n_candidates=10)
    threading.Thread(target=(tmp_path / "pipe").write_text, args=("one\n" * 12,)).start()
    with pytest.raises(DataFileError, match=r"pipe, line 13: has 12 lines, but .*a has more"):
        list(blocks)


def test_a_reference_as_a_system_and_an_empty_file(files, tmp_path):
    files["a"].write_bytes(files["ref"].read_bytes())
    with pytest.raises(CandidateError, match="has the same lines as the reference"):
        list(translation_blocks(*given_files(files), n_candidates=60))
    (tmp_path / "empty").touch()
    with pytest.raises(DataFileError, match="the file is empty"):
        list(translation_blocks([tmp_path / "empty"], min_systems=1))


@pytest.fixture
def table(files):
    return load_translations(*given_files(files))


def write(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".json":
        path.write_text(json.dumps(frame.to_dict("records")))
    else:
        path.write_text("".join(f"{json.dumps(row)}\n\n" for row in frame.to_dict("records")))
    return path


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "csv", "json"])
@pytest.mark.parametrize("n_candidates", [1, 5, 1000])
def test_blocks_of_tables_are_the_whole(table, tmp_path, suffix, n_candidates, monkeypatch):
    monkeypatch.setattr("sklearn_mteval.datasets.own.table_blocks._ROWS", 4)
    frame = to_long(table).rename(columns={"hypothesis": "mt", "source": "src"})
    path = write(frame.assign(mood=range(len(frame))), tmp_path / f"c.{suffix}")
    references = ["reference_1", "reference_2"]
    blocks = candidate_blocks(path, n_candidates=n_candidates, reference=references)
    if suffix != "jsonl":
        assert blocks.n_candidates == len(table)
    for _ in range(2):
        parts = list(blocks)
        found = pd.concat(parts)
        pd.testing.assert_frame_equal(found[table.columns], table, check_column_type=False)
        assert found["mood"].astype(int).tolist() == list(range(len(table)))
        assert len(parts) > 1 or n_candidates == 1000
        names = [set(part.index.unique("segment")) for part in parts]
        assert sum(map(len, names)) == len(set.union(*names)) == N


def test_lists_of_references(tmp_path):
    rows = [{"segment": "s", "system": k, "hyp": "x", "ref": ["a", "b"]} for k in "AB"]
    path = write(pd.DataFrame(rows), tmp_path / "c.jsonl")
    (X,) = candidate_blocks(path)
    assert X["reference"].tolist() == [["a", "b"]] * 2 and list(X) == ["hypothesis", "reference"]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda f: pd.concat([f, f[:1].assign(system="z")]),
            "segment 1 has been before, and other",
        ),
        (lambda f: pd.concat([f, f[-1:]]), "repeats the index"),
        (lambda f: f.assign(hypothesis=[None, *f["hypothesis"][1:]]), "expected a string"),
        (lambda f: f.drop(columns="system"), "expected a column 'system' or 'model'"),
    ],
)
def test_broken_tables(table, tmp_path, change, problem, suffix):
    frame = to_long(table[["hypothesis"]])
    path = write(change(frame), tmp_path / f"c.{suffix}")
    with pytest.raises(DataFileError, match=rf"c\.{suffix}: (line|row)s \d+ to \d+.*{problem}"):
        list(candidate_blocks(path, n_candidates=9))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"segment": 1, "system": "a", "mt": "x"}\n[]\n', "line 2: expected one JSON object"),
        ('{"segment": 1, "system": "a", "mt": "x"\n', "line 1: expected JSON"),
        ('{"segment": 1, "segment": 2}\n', "line 1: .*there twice"),
    ],
)
def test_broken_lines(tmp_path, text, problem):
    (tmp_path / "c.jsonl").write_text(text)
    with pytest.raises(DataFileError, match=problem):
        list(candidate_blocks(tmp_path / "c.jsonl"))


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_tables_without_rows(table, tmp_path, suffix):
    path = write(to_long(table)[:0], tmp_path / f"c.{suffix}")
    with pytest.raises(DataFileError, match=r"c\.\w+[:,]"):
        list(candidate_blocks(path))


def test_what_is_no_parquet(tmp_path):
    (tmp_path / "c.parquet").write_bytes(b"PAR1 no PAR1")
    with pytest.raises(DataFileError, match=r"c\.parquet: no parquet file that can be read"):
        candidate_blocks(tmp_path / "c.parquet")
    os.mkfifo(tmp_path / "pipe")
    threading.Thread(target=(tmp_path / "pipe").write_text, args=("segment,system\n",)).start()
    with pytest.raises(DataFileError, match="expected JSON lines"):
        candidate_blocks(tmp_path / "pipe")


TEXTS = st.sampled_from(["", "one", "two words", "eins", "a b c", "zwei", "d e f g"])


@given(st.data())
def test_findings_of_blocks_are_those_of_the_whole(data):
    """All but the language, which the first block tells."""
    n, systems = data.draw(st.integers(1, 12)), ["A", "B", "C"]
    index = pd.MultiIndex.from_product([range(n), systems], names=["segment", "system"])
    column = st.lists(TEXTS, min_size=len(index), max_size=len(index))
    X = pd.DataFrame({"hypothesis": data.draw(column)}, index, dtype=object)
    X["source"] = np.repeat(data.draw(st.lists(TEXTS, min_size=n, max_size=n)), 3)
    if data.draw(st.booleans()):
        X.loc[pd.IndexSlice[:, "B"], "hypothesis"] = X.xs("A", level="system")[
            "hypothesis"
        ].tolist()
    findings, cuts = Findings(), data.draw(st.integers(1, 5))
    for rows in cut(X, cuts):
        findings.add(X.iloc[rows])
    assert findings.said() == suspicious_texts(X)


def test_findings_name_systems_first_whatever_block_has_them():
    index = pd.MultiIndex.from_product([range(2), ["B", "A"]], names=["segment", "system"])
    X = pd.DataFrame({"hypothesis": ["", "", "", "one"], "source": "", "reference": ""}, index)
    findings = Findings()
    for rows in cut(X, 1):
        findings.add(X.iloc[rows])
    said = ["Empty lines: all 1 of 'B', all 1 of the sources, all 1 of the references."]
    assert findings.said() == suspicious_texts(X) == said


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 12))
def test_blocks_are_of_whole_segments(segments, n_rows):
    labels = [(segment, f"s{k}") for k, segment in enumerate(segments)]
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "system"])
    X = pd.DataFrame({"x": range(len(index))}, index)
    blocks = cut(X, n_rows)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(len(X)))
    of = [{segments[row] for row in block} for block in blocks]
    assert sum(map(len, of)) == len(set(segments))
    largest = max(map(segments.count, segments))
    assert all((np.diff(block) > 0).all() and len(block) < n_rows + largest for block in blocks)


@given(st.lists(st.sets(st.integers(0, 60), max_size=9)))
def test_segments_that_came_before_are_known(rounds):
    seen, before = Seen(), set()
    for labels in map(sorted, rounds):
        index = pd.Index(labels, dtype=np.int64)
        assert seen.add(index).tolist() == [label in before for label in labels]
        before |= set(labels)
