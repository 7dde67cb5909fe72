import csv
import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.datasets import load_esa
from sklearn_mteval.exceptions import DataFileError

MORE = "😀 and"  # two units of UTF-16, as browsers count, and one character
SPAN = [{"start_i": 3, "end_i": 5, "severity": "minor", "error_type": None}]
OMISSION = [{"start_i": "missing", "end_i": "missing", "severity": "major"}]


def span(start, end, **labels):
    return {"start_i": start, "end_i": end, "severity": "minor"} | labels


def item(judge, system, place, score, kind="TGT", **changed):
    row = {
        "judge": judge,
        "system": system,
        "place": place,
        "kind": kind,
        "source": "eng",
        "target": "ces",
        "score": score,
        "document": "d1" if place < 2 else "d2",
        "whole": False,
        "spans": [],
        "start": 100.5,
        "end": 103.0,
    }
    row |= changed
    return [json.dumps(v) if isinstance(v, list) else v for v in row.values()]


ROWS = [
    item("u", "ende-tutorial1", 1000001, 5),
    item("u", "A", 0, 90, spans=SPAN),
    item("u", "B", 0, 60, spans=OMISSION, start=200, end=190),
    item("v", "A", 0, 70),
    item("u", "A", 0, 80, document="d1#dup", start=300, end=301),  # judged again
    item("u", "A", 0, 20, "BAD", document="d1#bad"),
    item("u", "C+D", 1, 50),
    item("v", "A", 2, 0, "BAD"),
    item("v", "refA", 2, 100),
    item("u", "A", 1, 66, whole=True),
    item("u", "A", 1, 99, "REF"),
    item("v", "B", 2, 40, "CHK"),
    item("w", "A", 0, 33, target="hin"),
]


def as_csv(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


@pytest.fixture
def save(tmp_path):
    def write(rows, name="esa.csv"):
        path = tmp_path / name
        path.write_text(as_csv(rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def texts(tmp_path):
    root = tmp_path / "texts"
    files = {
        "sources/en-cs.txt": "one\ntwo\nthree\n",
        "references/en-cs.refA.txt": "jedna\ndva\ntři\n",
        "documents/en-cs.docs": "news\td1\nnews\td1\nnews\td2\n",
    }
    files |= {
        f"system-outputs/en-cs/{name}.txt": f"{name}1{MORE}\n{name}2\n{name}3\n" for name in "ABCD"
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    return root


def short(series):
    """Index by segment, judge and number of the judgement, and system."""
    return {
        (segment, ranking.split(":", 1)[1], system): value
        for (segment, ranking, system), value in series.items()
    }


def test_single_judgements(save):
    esa = load_esa(save(ROWS), "en-cs")
    check_candidates(esa.X)
    assert list(esa.X.columns) == []
    assert short(esa.y) == {
        (1, "u:1", "A"): -90,
        (1, "u:1", "B"): -60,
        (1, "v:1", "A"): -70,
        (1, "u:1#2", "A"): -80,  # later
        (2, "u:2", "C"): -50,
        (2, "u:2", "D"): -50,
        (3, "v:3", "B"): -40,
    }
    assert {key[1][0]: judge for key, judge in short(esa.judges).items()} == {"u": "u", "v": "v"}
    spans = short(esa.spans)
    assert spans[1, "u:1", "A"] == [(3, 6, "minor", "", "translation")]  # the end excluded
    assert spans[1, "u:1", "B"] == [(0, 0, "major", "", "omission")]
    assert spans[1, "v:1", "A"] == []
    assert short(esa.documents)[1, "u:1#2", "A"] == "d1"
    seconds = short(esa.seconds)
    assert seconds[1, "u:1", "A"] == 2.5
    assert np.isnan(seconds[1, "u:1", "B"])  # it ends before it starts
    assert (esa.n_repeated, esa.n_contradictions) == (1, 1)
    assert esa.translations is None
    assert esa.n_segments is None
    assert esa.other_systems == ("refA",)
    checks = {
        (r.judge, r.segment, r.system): (r.damaged, r.original) for r in esa.checks.itertuples()
    }
    assert checks.pop(("u", 1, "A")) == (20, 85)
    damaged, original = checks.pop(("v", 3, "A"))
    assert damaged == 0
    assert np.isnan(original)
    assert not checks
    human = load_esa(save(ROWS), "eng-ces", human_systems=True)
    assert short(human.y)[3, "v:3", "refA"] == -100


def test_means(save):
    esa = load_esa(save(ROWS), "en-cs", average_judges=True)
    check_candidates(esa.X)
    assert esa.y.to_dict() == {
        (1, "A"): -80,
        (1, "B"): -60,
        (2, "C"): -50,
        (2, "D"): -50,
        (3, "B"): -40,
    }
    assert esa.n_judgements.to_dict()[1, "A"] == 3
    assert esa.spans[1, "A"] == [(3, 6, "minor", "", "translation")]  # by one of them
    said = zip(esa.ratings.index, esa.ratings, esa.marks.map(len), strict=True)
    assert sorted(row for row in said if row[0][::2] == (1, "A")) == [
        ((1, "u", "A"), -90, 1), ((1, "u", "A"), -80, 0), ((1, "v", "A"), -70, 0)
    ]  # fmt: skip
    assert esa.documents.to_dict()[1, "A"] == "d1"
    X, y = load_esa(save(ROWS), "en-cs", average_judges=True, return_X_y=True)
    assert X.index.equals(esa.X.index)
    pd.testing.assert_series_equal(y, esa.y)


def test_texts(save, texts):
    esa = load_esa(save(ROWS), "en-cs", texts=texts)
    rows = {(k[0], k[2]): tuple(row) for k, *row in esa.X.itertuples(name=None)}
    assert rows[1, "A"] == ("one", "jedna", f"A1{MORE}")
    assert short(esa.spans)[1, "u:1", "A"] == [(2, 5, "minor", "", "translation")]
    assert rows[2, "D"] == ("two", "dva", "D2")
    assert list(esa.X.columns) == ["source", "reference", "hypothesis"]
    assert esa.translations.shape == (12, 3)
    assert esa.n_segments == 3
    human = load_esa(save(ROWS), "en-cs", texts=texts, human_systems=True)
    assert "reference" not in human.X  # it competes
    assert human.X.xs("refA", level="system")["hypothesis"].tolist() == ["tři"]
    kept = load_esa(save(ROWS), "en-cs", texts=texts, human_systems=True, reference="refA")
    assert "refA" not in kept.y.index.unique("system")
    (texts / "system-outputs" / "en-cs" / "C+D.txt").write_text("x\ny\nz\n")
    joint = load_esa(save(ROWS), "en-cs", texts=texts)
    assert joint.X.xs("C+D", level="system")["hypothesis"].tolist() == ["y"]


@pytest.fixture
def lines(texts):
    """The texts of the folder, each file named by itself."""
    outputs = [texts / "system-outputs" / "en-cs" / f"{name}.txt" for name in "DABC"]
    reference = texts / "references" / "en-cs.refA.txt"
    source = texts / "sources" / "en-cs.txt"
    return {"source": source, "reference": reference, "hypothesis": outputs}


@pytest.mark.parametrize("average", [False, True])
def test_texts_in_files_are_those_of_a_folder(save, texts, lines, average):
    of_folder = load_esa(save(ROWS), "en-cs", texts=texts, average_judges=average)
    of_files = load_esa(save(ROWS), "en-cs", texts=lines, average_judges=average)
    pd.testing.assert_frame_equal(of_files.X, of_folder.X)
    pd.testing.assert_series_equal(of_files.spans, of_folder.spans)
    pd.testing.assert_frame_equal(
        of_files.translations.sort_index(), of_folder.translations.sort_index()
    )
    assert of_files.n_segments == 3 and of_files.other_systems == ()


def test_texts_in_files_by_part_and_under_other_names(save, texts, lines):
    folder = texts / "system-outputs" / "en-cs"
    (folder / "nobody.txt").write_text("x\ny\nz\n")
    (folder / "A.txt").rename(folder / "A.cs")
    names = ["A.cs", "B.txt", "C.txt", "D.txt", "nobody.txt"]
    given = {"hypothesis": [folder / name for name in names]}
    esa = load_esa(save(ROWS), "en-cs", texts=given)
    assert list(esa.X) == ["hypothesis"]
    assert esa.X["hypothesis"].xs(1, level="segment").iloc[0] == f"A1{MORE}"
    assert set(esa.translations.index.unique("system")) == {"A", "B", "C", "D", "nobody"}
    given["hypothesis"] = {"A": folder / "B.txt"} | {name: folder / f"{name}.txt" for name in "BCD"}
    assert load_esa(save(ROWS), "en-cs", texts=given).X["hypothesis"].iloc[0] == f"B1{MORE}"


def test_texts_in_files_that_do_not_fit(save, texts, lines, tmp_path):
    with pytest.raises(DataFileError, match=r"'A' has no output among the texts; there are 'C'"):
        load_esa(save(ROWS), "en-cs", texts=lines | {"hypothesis": lines["hypothesis"][3:]})
    with pytest.raises(ValueError, match="texts has no 'hypothesis'"):
        load_esa(save(ROWS), "en-cs", texts={"source": lines["source"]})
    twice = [*lines["hypothesis"], tmp_path / "A"]
    (tmp_path / "A").write_text("x\ny\nz\n")
    with pytest.raises(ValueError, match="both name the system 'A'"):
        load_esa(save(ROWS), "en-cs", texts=lines | {"hypothesis": twice})
    with pytest.raises(
        DataFileError, match=r"line number 3, but .*en-cs.txt has 3 lines"
    ) as caught:
        load_esa(save([GOOD, item("u", "A", 3, 5)]), "en-cs", texts=lines)
    assert caught.value.line == 2
    lines["reference"].write_text("jedna\n")
    with pytest.raises(DataFileError, match=r"refA.txt.*has 1 lines?, but .* has 3"):
        load_esa(save(ROWS), "en-cs", texts=lines)


def test_one_pair_needs_no_name(save):
    assert len(load_esa(save(ROWS[:-1])).y) == 7
    with pytest.raises(DataFileError, match=r"found \['en-cs', 'en-hi'\]: pass lang_pair="):
        load_esa(save(ROWS))
    with pytest.raises(
        DataFileError, match=r"no judgement of 'en-de', only of \['en-cs', 'en-hi'\]"
    ):
        load_esa(save(ROWS), "en-de")
    rows = [item("u", system, 0, 3, target="zho") for system in "AB"]
    assert len(load_esa(save(rows), "en-zh_TW").y) == 2


def test_exports_of_scores_alone(save):
    rows = [row[:9] + row[10:] for row in ROWS]
    assert short(load_esa(save(rows), "en-cs").y) == short(load_esa(save(ROWS), "en-cs").y)


def test_the_order_of_lines_changes_nothing(save):
    one = load_esa(save(ROWS), "en-cs")
    other = load_esa(save(ROWS[::-1]), "en-cs")
    pd.testing.assert_series_equal(one.y, other.y)
    pd.testing.assert_series_equal(one.spans, other.spans)
    pd.testing.assert_frame_equal(
        *(e.checks.sort_values(["judge", "segment"], ignore_index=True) for e in (one, other))
    )


def test_compressed(save, tmp_path):
    path = tmp_path / "esa.csv.gz"
    path.write_bytes(gzip.compress(as_csv(ROWS).encode()))
    assert short(load_esa(path, "en-cs").y) == short(load_esa(save(ROWS), "en-cs").y)


GOOD = item("u", "A", 0, 5)
BAD_LINES = {
    "a header": ([["user", "system", "itemID", *"abcdefghi"], GOOD], 1, "remove the line"),
    "too few cells": ([GOOD, GOOD[:8]], 2, "expected 12 cells"),
    "too many cells": ([GOOD, [*GOOD, ""]], 2, "expected 12 cells"),
    "a score that is text": ([GOOD, item("u", "A", 0, "good")], 2, "score must lie between"),
    "a score of NaN": ([GOOD, item("u", "A", 0, "nan")], 2, "score must lie between"),
    "a score beyond the scale": ([item("u", "A", 0, 101)], 1, "between 0 and 100, found '101'"),
    "a score below the scale": ([item("u", "A", 0, -1)], 1, "between 0 and 100, found '-1'"),
    "no judge": ([item("", "A", 0, 5)], 1, "judge must be a name"),
    "white space": ([item("u", " A", 0, 5)], 1, "system must be a name"),
    "a place that is text": ([GOOD, [*GOOD[:2], "x", *GOOD[3:]]], 2, "line number must"),
    "an unknown type": ([item("u", "A", 0, 5, "bad")], 1, r"item type .*TGT, CHK, BAD"),
    "no truth": ([item("u", "A", 0, 5, whole="maybe")], 1, "must be True or False"),
    "spans that are none": ([item("u", "A", 0, 5, spans="{}")], 1, "must be a JSON list"),
    "spans cut off": ([item("u", "A", 0, 5, spans="[{")], 1, "expected JSON"),
    "a span elsewhere": ([item("u", "A", 0, 5, spans=[{"start_i": "x"}])], 1, "start_i of a span"),
    "a span backwards": ([item("u", "A", 0, 5, spans=[span(4, 2)])], 1, "0 <= start <= end"),
    "a span before": ([item("u", "A", 0, 5, spans=[span(-1, 2)])], 1, "0 <= start <= end"),
    "a severity": ([item("u", "A", 0, 5, spans=[span(1, 2, severity=3)])], 1, "severity must"),
    "a span of NaN": ([item("u", "A", 0, 5, spans='[{"start_i": NaN, "end_i": 1}]')], 1, "nan"),
    "a time that is text": ([item("u", "A", 0, 5, start="soon")], 1, "must be seconds"),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_bad_lines_are_named(save, case):
    rows, line, message = BAD_LINES[case]
    with pytest.raises(DataFileError, match=message) as caught:
        load_esa(save(rows))
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "found an empty file"),
        (as_csv(ROWS).encode("utf-16"), "looks like UTF-16 text"),
        (gzip.compress(as_csv(ROWS).encode())[:-9], "damaged gzip file"),
        (gzip.compress(as_csv(ROWS).encode() * 100_000), "decompressed, the file holds more than"),
        (as_csv(ROWS).encode() + b'u,"A', "not a well-formed table"),
        (as_csv(ROWS).replace(",", "\t").encode(), "expected 12 cells"),
        (as_csv(ROWS).encode().replace(b"A", b"\xe9", 1), "expected UTF-8"),
    ],
)
def test_what_is_no_export(tmp_path, content, message):
    path = tmp_path / "esa.csv"
    path.write_bytes(content)
    with pytest.raises(DataFileError, match=message):
        load_esa(path, "en-cs")


def test_texts_of_another_test_set(save, texts):
    with pytest.raises(DataFileError, match=r"line number 3, but .* has 3 lines") as caught:
        load_esa(save([GOOD, item("u", "A", 3, 5)]), "en-cs", texts=texts)
    assert caught.value.line == 2
    with pytest.raises(DataFileError, match=r"'E' has no output among the texts"):
        load_esa(save([item("u", "E", 0, 5)]), "en-cs", texts=texts)
    moved = [item("u", "A", 1, 5, document="d2")]
    with pytest.raises(DataFileError, match=r"of the document 'd2' here, and of 'd1'"):
        load_esa(save(moved), "en-cs", texts=texts)
    assert len(load_esa(save([item("u", "A", 1, 5, document="?")]), "en-cs", texts=texts).y) == 1
    with pytest.raises(DataFileError, match="no such file"):
        load_esa(save(ROWS), "en-hi", texts=texts)


def test_nothing_to_compare(save):
    with pytest.raises(DataFileError, match="no judgement of a system's translation for en-cs"):
        load_esa(save([item("u", "refA", 0, 5), item("u", "ende-tutorial2", 0, 5)]))
    with pytest.raises(ValueError, match="reference names texts"):
        load_esa(save(ROWS), "en-cs", reference="refA")
    with pytest.raises(ValueError, match="lang_pair must be like"):
        load_esa(save(ROWS), 5)


@pytest.mark.parametrize(
    ("lang_pair", "n_judged", "n_damaged"),
    [("en-cs", 5018, 733), ("en-ja", 4116, 602), ("en-hi", 3473, 511)],
)
def test_wmt24(data_dir, lang_pair, n_judged, n_damaged):
    path = data_dir / "wmt24" / "esa" / "esa_generalMT2024_wave2.csv"
    esa = load_esa(path, lang_pair, human_systems=True)
    assert (len(esa.y), len(esa.checks)) == (n_judged, n_damaged)
    assert (esa.checks["damaged"] < esa.checks["original"]).mean() > 0.85
    if lang_pair != "en-hi":
        full = load_esa(path, lang_pair, texts=data_dir / "wmt24")
        assert full.X["hypothesis"].map(len).gt(0).all()
        assert "refA" not in full.y.index.unique("system")


def test_translations_of_wmt24_that_were_judged_twice(data_dir):
    path = data_dir / "wmt24" / "esa" / "esa_generalMT2024_wave2.csv"
    twice = 0
    for lang_pair in ("en-cs", "en-ja", "en-hi"):
        esa = load_esa(path, lang_pair, human_systems=True, average_judges=True)
        twice += int((esa.n_judgements > 1).sum())
    assert twice == 683 - 18  # of which 18 are the tutorial's


def test_marked_errors_of_wmt24_are_words(data_dir):
    """Appraise counts an emoji as two: whoever counts characters would mark "eloton "."""
    file = data_dir / "wmt24" / "esa" / "esa_generalMT2024_wave2.csv"
    esa = load_esa(file, "en-ja", texts=data_dir / "wmt24", average_judges=True)
    [span] = esa.spans[583, "GPT-4"]
    text = esa.X.loc[(583, "GPT-4"), "hypothesis"]
    assert text[span.start : span.end] == "peloton"
    assert "\N{THINKING FACE}" in text[: span.start]
    ends = [
        span.end <= len(text)
        for spans, text in zip(esa.spans, esa.X["hypothesis"], strict=True)
        for span in spans
    ]
    assert all(ends)
    assert len(ends) > 1000
