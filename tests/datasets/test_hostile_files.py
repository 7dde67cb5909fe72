"""Files that tools damage or declare wrongly: all of one is read, or an error says what to do."""

import re
import zipfile

import openpyxl
import pytest

from sklearn_mteval.datasets import (
    load_esa,
    load_mqm,
    load_mtme,
    load_rankings,
    load_scores,
    load_translations,
    translation_blocks,
)
from sklearn_mteval.datasets.own import _arrow
from sklearn_mteval.datasets.selections import read_selection
from sklearn_mteval.exceptions import DataFileError

SHEET = "xl/worksheets/sheet1.xml"


def sheet(path, change, n_rows=40):
    """Write a sheet of judgements whose XML is then changed."""
    book = openpyxl.Workbook()
    book.active.append(["segment", "system", "rank"])
    for row in range(n_rows):
        book.active.append([row // 2 + 1, "AB"[row % 2], row % 2 + 1])
    plain = path.with_name("plain.xlsx")
    book.save(plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content.decode()) if name == SHEET else content)
    return path


def more(rows):
    return lambda xml: xml.replace("</sheetData>", f"{rows}</sheetData>")


@pytest.mark.parametrize("declared", ["A1:C11", "A1:B41", "A1", "B2:C3", "A1:XFD1048576"])
def test_a_sheet_that_declares_another_size_is_read_whole(tmp_path, declared):
    path = sheet(
        tmp_path / "mine.xlsx",
        lambda xml: re.sub('<dimension ref="[^"]*"', f'<dimension ref="{declared}"', xml),
    )
    y = load_rankings(path, better="lower").y
    assert y.tolist() == [1, 2] * 20
    assert y.index.unique("segment").tolist() == [*range(1, 21)]


BOMBS = {
    "rows that repeat": "<row><c><v>1</v></c></row>" * 200_000,
    "empty rows": "<row/>" * 1_000_000,
    "a row beyond any sheet": '<row r="99999999999"><c r="A2"><v>1</v></c></row>',
    "many wide rows": '<row><c r="ZZZ9"><v>1</v></c></row>' * 10_000,
}


@pytest.mark.parametrize("case", BOMBS)
def test_a_small_sheet_that_unpacks_to_much_is_refused_at_once(tmp_path, case):
    path = sheet(tmp_path / "mine.xlsx", more(BOMBS[case]))
    with pytest.raises(DataFileError, match=r"If that is no mistake|Delete what stands"):
        load_rankings(path, better="lower")


def test_the_limit_of_sheets_can_be_raised(tmp_path, monkeypatch):
    path = sheet(tmp_path / "mine.xlsx", more(""), 2000)
    assert len(load_rankings(path, better="lower").y) == 2000
    monkeypatch.setattr(_arrow, "_MIN_UNPACKED", 1)
    monkeypatch.setattr(_arrow, "MAX_RATIO", 2)
    with pytest.raises(
        DataFileError, match=r"it unpacks to .* bytes, .* raise the limit: max_byte"
    ):
        load_rankings(path, better="lower")
    assert len(load_rankings(path, better="lower", max_bytes=1 << 20).y) == 2000


MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
ENDINGS = {
    "a table": (lambda path: load_rankings(path, better="lower"), "segment,system,rank\n1,A,1\n"),
    "a table without quotes": (
        lambda path: load_rankings(path, better="lower", quoted=False),
        "segment;system;rank\n1;A;1\n",
    ),
    "a long table": (
        lambda path: load_rankings(path, better="lower"),
        "segment,system,rank\n" + "".join(f"{k},A,1\n" for k in range(9999)),
    ),
    "JSON lines": (
        lambda path: load_rankings(path, better="lower"),
        '{"segment": 1, "system": "A", "rank": 1}\n{"segment": 1, "system": "B", "rank": 2}\n',
    ),
    "annotations": (load_mqm, f"{MQM}\nA\td\t1\t1\tr\ts\tt\tOther\tMinor\n"),
    "scores": (lambda path: load_scores(path, ["A"], 1), "system,segment,m\nA,1,1\n"),
    "lines of scores": (lambda path: load_scores(path, ["A"], 2), "A 1\nA 2\n"),
    "a selection": (read_selection, "segment\tchosen\tprobability\n1\t1\t\n"),
    "texts": (lambda path: load_translations([path], min_systems=1), "One.\nTwo.\n"),
    "texts in blocks": (
        lambda path: list(translation_blocks([path], min_systems=1)),
        "One.\nTwo.\n",
    ),
    "lists": (lambda path: load_translations([path], nbest=True), "1 ||| a\n1 ||| b\n"),
}


@pytest.mark.parametrize("case", ENDINGS)
def test_lines_that_end_in_carriage_returns_alone_are_refused(tmp_path, case):
    load, text = ENDINGS[case]
    path = tmp_path / "mine.txt"
    path.write_bytes(text.replace("\n", "\r").encode())
    expected = "line 1: expected lines that end in line feeds, found carriage returns alone: conver"
    with pytest.raises(DataFileError, match=expected):
        load(path)
    for ending in ("\n", "\r\n"):
        path.write_bytes(text.replace("\n", ending).encode())
        load(path)


def test_a_carriage_return_within_a_line_stays(tmp_path):
    (tmp_path / "A").write_bytes(b"One\rmore.\nTwo.\n")
    X = load_translations([tmp_path / "A"], min_systems=1)
    assert X["hypothesis"].tolist() == ["One\rmore.", "Two."]


LONG = "x" * 131_073
CELLS = {
    "a table": (lambda path: load_rankings(path, better="lower"),
                f"segment,system,rank,source\n1,A,1,{LONG}\n", 2),
    "a quote that opens": (lambda path: load_rankings(path, better="lower"),
                           'segment,system,rank,source\n1,A,1,"x\n' + "1,A,1,y\n" * 20_000, 16386),
    "scores": (lambda path: load_scores(path, ["A"], 1),
               f'system,segment,m,"text"\nA,1,1,{LONG}\n', 2),
    "an export": (load_esa, f"j,A,1,TGT,a,b,5,{LONG},False,[],1,2\n", 1),
}  # fmt: skip


@pytest.mark.parametrize("case", CELLS)
def test_cells_that_are_too_long(tmp_path, case):
    load, text, line = CELLS[case]
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(DataFileError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{path}, line {line}: expected cells of at most 131072 characters, found a longer one. Is "
        "a quote not closed before it? Close it, or shorten the text."
    )


@pytest.mark.parametrize("name", ["x/" * 3000, "y" * 300])
def test_a_folder_of_too_long_a_name(name):
    with pytest.raises(DataFileError) as caught:
        load_mtme(name, "de-en")
    assert "Errno" not in str(caught.value)


def test_names_with_control_characters(tmp_path):
    """No terminal must obey what a file says; a path that has such characters is quoted."""
    path = tmp_path / "mine.tsv"
    path.write_text(f"{MQM}\nA\x1b[2J\td\t1\t1\tr\ts\tt\tOther\tMinor\n")
    with pytest.raises(DataFileError, match=r"system must be a name .*, found 'A.x1b"):
        load_mqm(path)
    path.write_text("j\x1b[2J,A,1,TGT,a,b,5,d,False,[],1,2\n")
    with pytest.raises(DataFileError, match=r"judge must be a name .*, found 'j.x1b"):
        load_esa(path)
    path.write_text("system,segment,m\x1b[2J\nA,1,1\n")
    with pytest.raises(DataFileError, match=r"each with a name of its own, found 'm.x1b"):
        load_scores(path, ["A"], 1)
    path.write_text("A 1\n")
    odd = path.rename(tmp_path / "m\x1b[2J\n.txt")
    with pytest.raises(DataFileError, match="rename the file") as caught:
        load_scores(odd, ["A"], 1)
    assert str(caught.value).isprintable()
