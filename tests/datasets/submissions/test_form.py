"""Test sets of WMT's shared task and answers to them, against files written by hand."""

import json

import pytest

from sklearn_mteval.datasets.submissions.form import answered, read_items
from sklearn_mteval.exceptions import DataFileError

COLUMNS = [
    "doc_id",
    "segment_id",
    "source_lang",
    "target_lang",
    "set_id",
    "system_id",
    "source_segment",
    "hypothesis_segment",
    "reference_segment",
    "domain_name",
    "method",
]
ROWS = [
    ["d", "1", "en", "cs_CZ", "official", "A", "One.", "😀 Jedna.", "Jedna.", "news", "ESA"],
    ["d", "1", "en", "cs_CZ", "official", "B", "One.", "", "NaN", "news", "ESA"],
    ["x", "7", "de", "en", "challenge_x", "hyp-1", '"A ""b"""', "a\\nb", "", "", ""],
]
ITEM = {
    "item_id": "official_###_eng_Latn_###_deu_Latn_###_news_###_a_b_###_0",
    "src": "One.\nTwo.",
    "ref": {"text": "Eins.", "type": "human"},
    "hyps": {"Gemma 4": "😀 Eins.", "B": " "},
    "resources": {},
}
OTHER = {"item_id": "challenge_x_###_en_###_cs_###_d_###_e_###_0", "src": "a", "hyps": {"A": "b"}}


def as_table(rows):
    return "".join("\t".join(row) + "\n" for row in rows)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_table_is_read_and_answered_in_its_own_words(tmp_path, end):
    file = tmp_path / "test.tsv"
    file.write_bytes(as_table([COLUMNS, *ROWS]).replace("\n", end).encode())
    is_table, header, items = read_items(file)
    items = list(items)
    assert is_table and header == COLUMNS
    assert [item.line for item in items] == [2, 3, 4]
    assert [item.reference for item in items] == ["Jedna.", "", ""]
    assert [item.target for item in items] == ["cs_CZ", "cs_CZ", "en"]
    assert items[0].hypotheses == {"A": "😀 Jedna."}
    # As many characters as in the file, so that places are those of the file.
    assert items[2].source == 'A "b"' and items[2].hypotheses == {"hyp-1": "a \nb"}
    spans = [[[(0, 1, "minor"), (2, 8, "major")]], [[]], [[(3, 4, "minor")]]]
    answers = zip(items, spans, strict=True)
    marked = [
        ["start_indices", "end_indices", "error_types"],
        ["0 2", "1 8", "minor major"],
        ["-1", "-1", "no-error"],
        ["3", "4", "minor"],
    ]
    rows = [[*row, *more] for row, more in zip([COLUMNS, *ROWS], marked, strict=True)]
    assert "".join(answered(True, header, "spans", answers)) == as_table(rows)
    for task, name in {"scores": "overall", "error-free": "error_free"}.items():
        answers = zip(items, [[1], [0], [1]], strict=True)
        values = zip([COLUMNS, *ROWS], [name, "1", "0", "1"], strict=True)
        rows = [[*row[:6], *row[9:], value] for row, value in values]
        assert "".join(answered(True, header, task, answers)) == as_table(rows)


def test_json_lines_are_read_and_answered_by_system(tmp_path):
    file = tmp_path / "test.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in (ITEM, OTHER)))
    is_table, header, items = read_items(file)
    items = list(items)
    assert not is_table
    assert [item.target for item in items] == ["deu_Latn", "cs"]
    assert [item.reference for item in items] == ["Eins.", ""]
    answers = zip(items, [[[(0, 1, "minor")], []], [[]]], strict=True)
    first, second = map(json.loads, answered(is_table, header, "spans", answers))
    none = {"errors": [], "omission": None, "instruction_fault": None}
    assert first == {
        "item_id": ITEM["item_id"],
        "task1_pred": {
            "Gemma 4": none | {"errors": [{"start": 0, "end": 1, "severity": "minor"}]},
            "B": none | {"omission": "major"},
        },
    }
    assert second == {"item_id": OTHER["item_id"], "task1_pred": {"A": none}}
    answers = zip(items, [[99.5, 0.0], [50.0]], strict=True)
    first, second = map(json.loads, answered(is_table, header, "scores", answers))
    assert first["task2_pred"] == {"Gemma 4": 99.5, "B": 0.0} and second["task2_pred"] == {"A": 50}


def test_a_reference_may_be_a_text(tmp_path):
    file = tmp_path / "test.jsonl"
    file.write_text("".join(json.dumps(ITEM | {"ref": ref}) + "\n" for ref in ("Eins.", None)))
    assert [item.reference for item in read_items(file)[2]] == ["Eins.", ""]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: expected one column 'source_lang'"),
        (as_table([COLUMNS]), "no translations"),
        (as_table([COLUMNS, ROWS[0], ROWS[1][:-1]]), "line 3: expected 11 cells .* found 10"),
        (as_table([[*COLUMNS, "overall"], [*ROWS[0], "1"]]), "line 1: is answered already"),
        (json.dumps(ITEM) + "\n{", "line 2: expected JSON"),
        (json.dumps(ITEM | {"hyps": {}}), "line 1: expected 'hyps'"),
        (json.dumps(ITEM | {"hyps": {"A": None}}), "line 1: expected texts"),
        (json.dumps(ITEM | {"ref": ["Eins."]}), "line 1: expected texts"),
        (json.dumps(ITEM | {"item_id": "7"}), "line 1: item_id must name"),
    ],
)
def test_what_is_no_test_set_is_told_with_its_line(tmp_path, content, message):
    file = tmp_path / "test"
    file.write_text(content)
    with pytest.raises(DataFileError, match=message):
        list(read_items(file)[2])
