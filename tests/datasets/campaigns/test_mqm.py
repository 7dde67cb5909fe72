from io import StringIO

import pandas as pd
import pytest

from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_judgements, load_mqm
from sklearn_mteval.datasets.campaigns._mqm_rows import ranges
from sklearn_mteval.exceptions import DataFileError

HEADER = ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]
SOURCES = {"1": 'Er sagt: "Ja', "2": "Nein"}
TARGETS = {
    ("sys", "1"): 'He says: "Yes',
    ("sys", "2"): "Number",
    ("ref", "1"): "He says yes",
    ("ref", "2"): "No",
    ("refB", "1"): "Yes, says he",
    ("refB", "2"): "Nope",
}


def error(system, segment, rater="r1", category="No-error", severity="No-error", **changed):
    cells = dict(zip(HEADER, [system, "d", "1", segment, rater], strict=False))
    cells |= {"source": SOURCES[segment], "target": TARGETS[system, segment]}
    cells |= {"category": category, "severity": severity} | changed
    return "\t".join(cells.values())


ROWS = [
    error("sys", "1", "r1", "Accuracy/Mistranslation", "Major", target='He <v>says</v>: "Yes'),
    error("sys", "1", "r1", "Fluency/Punctuation", "Minor", source='Er sagt<v>:</v> "Ja'),
    error("ref", "1", "r2"),
    error("sys", "1", "r2", "Style/Awkward", "Minor"),
    error("sys", "1", "r3"),
    error("ref", "1", "r1", "Fluency/Grammar", "Minor"),
    error("sys", "2", "r1", "Non-translation!", "Major"),
    error("ref", "2", "r1"),
]
SECOND = [error("refB", "1"), error("refB", "2")]


@pytest.fixture
def save(tmp_path):
    def write(rows, header=HEADER, encoding="utf-8"):
        file = tmp_path / "mqm.tsv"
        file.write_bytes("\n".join(["\t".join(header), *rows, ""]).encode(encoding))
        return file

    return write


def table(X):
    return {key: tuple(row) for key, *row in X.itertuples(name=None)}


def test_penalties_are_summed_per_rater_and_averaged(save):
    campaign = load_mqm(save(ROWS))
    check_candidates(campaign.X, columns=["source", "hypothesis"])
    assert list(campaign.X.columns) == ["source", "hypothesis"]
    assert campaign.y.index.equals(campaign.X.index)
    assert campaign.y.to_dict() == pytest.approx(
        {
            (1, "sys"): (5.1 + 1 + 0) / 3,
            (1, "ref"): (0 + 1) / 2,
            (2, "sys"): 25,
            (2, "ref"): 0,
        }
    )
    raters = {(1, "sys"): 3, (1, "ref"): 2, (2, "sys"): 1, (2, "ref"): 1}
    assert campaign.n_raters.to_dict() == raters
    assert "mqm.tsv" in campaign.DESCR


@pytest.mark.parametrize(
    ("category", "severity", "points"),
    [
        ("Accuracy/Omission", "Major", 5),
        ("Fluency/Punctuation", "Major", 5),
        ("Non-translation!", "Major", 25),
        ("Non-translation!", "Minor", 1),
        ("Accuracy/Omission", "Minor", 1),
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Source error", "Minor", 1),
        ("Accuracy/Omission", "Neutral", 0),
        ("No-error", "No-error", 0),
        ("accuracy/omission", "major", 5),
    ],
)
def test_weights(save, category, severity, points):
    _, y = load_mqm(save([error("sys", "1", "r", category, severity)]), return_X_y=True)
    assert y.tolist() == [points]


def test_marks_of_each_rater_by_themselves(save):
    campaign = load_mqm(save(ROWS), reference_system="ref")
    found = {
        label: [(e.start, e.end, e.severity, e.place) for e in errors]
        for label, errors in campaign.marks.items()
    }
    assert campaign.marks.index.names == ["segment", "rater", "system"]
    assert set(found) == {(1, "r1", "sys"), (1, "r2", "sys"), (1, "r3", "sys"), (2, "r1", "sys")}
    assert (3, 7, "major", "translation") in found[1, "r1", "sys"]
    assert len(found[1, "r1", "sys"]) == 2
    assert found[1, "r3", "sys"] == []
    assert campaign.ratings.index.equals(campaign.marks.index)
    means = campaign.ratings.groupby(level=["segment", "system"]).mean()
    assert means.to_dict() == pytest.approx(campaign.y.to_dict())
    together = campaign.marks.groupby(level=["segment", "system"]).sum()
    assert together.map(len).to_dict() == campaign.spans.map(len).to_dict()


def test_no_reference_system_keeps_everyone_as_a_candidate(save):
    X, _ = load_mqm(save(ROWS), return_X_y=True)
    expected = {
        (int(segment), system): (SOURCES[segment], text)
        for (system, segment), text in TARGETS.items()
        if system != "refB"
    }
    assert table(X) == expected


@pytest.mark.parametrize("names", ["ref", ["ref"]])
def test_one_reference_system_becomes_a_column_of_texts(save, names):
    X, y = load_mqm(save(ROWS), reference_system=names, return_X_y=True)
    assert list(X.columns) == ["source", "reference", "hypothesis"]
    assert table(X) == {
        (1, "sys"): ('Er sagt: "Ja', "He says yes", 'He says: "Yes'),
        (2, "sys"): ("Nein", "No", "Number"),
    }
    assert y.index.equals(X.index)


def test_two_reference_systems_become_lists_in_the_order_named(save):
    X, _ = load_mqm(save(ROWS + SECOND), reference_system=["refB", "ref"], return_X_y=True)
    assert X["reference"].to_dict() == {
        (1, "sys"): ["Yes, says he", "He says yes"],
        (2, "sys"): ["Nope", "No"],
    }


def test_segments_numbered_within_documents(save):
    rows = [error("sys", "1", doc="a"), error("sys", "1", doc="b", source="Ach")]
    X, _ = load_mqm(save(rows), return_X_y=True)
    assert table(X) == {
        ("a:1", "sys"): (SOURCES["1"], TARGETS["sys", "1"]),
        ("b:1", "sys"): ("Ach", TARGETS["sys", "1"]),
    }


def test_segments_that_are_no_numbers_stay_texts(save):
    X, _ = load_mqm(save([error("sys", "1", seg_id="s-1")]), return_X_y=True)
    assert X.index.tolist() == [("s-1", "sys")]


@pytest.mark.parametrize("character", ["\u2028", "\f", "\x85"])
def test_only_line_feeds_end_a_row(save, character):
    X, _ = load_mqm(save([error("sys", "1", target=f"a{character}b")]), return_X_y=True)
    assert X["hypothesis"].tolist() == [f"a{character}b"]


WIDE = "\t".join(["x"] * 10)


@pytest.mark.parametrize(
    ("rows", "line", "words"),
    [
        ([*ROWS, error("sys", "2", severity="Severe")], 10, "severity.*found 'Severe'"),
        ([*ROWS, error("sys", "2", severity="")], 10, "severity.*found ''"),
        ([ROWS[0], WIDE], 3, "expected 9 cells as in the header, found 10"),
        ([ROWS[0], "x"], 3, "expected 9 cells as in the header, found 1"),
    ],
)
def test_a_bad_row_is_named_with_its_line(save, rows, line, words):
    with pytest.raises(DataFileError, match=rf"mqm.tsv, line {line}: .*{words}"):
        load_mqm(save(rows))


@pytest.mark.parametrize("column", [c for c in HEADER if c not in ("doc", "doc_id")])
def test_missing_column(save, column):
    header = ["x" if name == column else name for name in HEADER]
    with pytest.raises(DataFileError, match=f"mqm.tsv, line 1: expected one column '{column}'"):
        load_mqm(save(ROWS, header))


def test_bytes_that_are_not_utf_8(save):
    rows = [ROWS[0], error("sys", "2", target="Zürich")]
    with pytest.raises(DataFileError, match=r"mqm.tsv, line 3: expected UTF-8.*0xfc"):
        load_mqm(save(rows, encoding="latin-1"))


def test_file_without_annotations(save):
    with pytest.raises(DataFileError, match=r"mqm.tsv: no annotation"):
        load_mqm(save([]))


def test_missing_file(tmp_path):
    with pytest.raises(DataFileError, match=r"nothing.tsv: cannot be read"):
        load_mqm(tmp_path / "nothing.tsv")


@pytest.mark.parametrize(
    ("rows", "names", "words"),
    [
        (ROWS, "refC", "'refC' is not in the file"),
        (ROWS, ["ref", "refB"], "'refB' is not in the file"),
        (ROWS[:-1], "ref", "segment 2 has no translation of 'ref'"),
    ],
)
def test_reference_that_is_missing(save, rows, names, words):
    with pytest.raises(DataFileError, match=rf"mqm.tsv: .*{words}"):
        load_mqm(save(rows), reference_system=names)


def test_segments_without_documents_need_one_source_each(save):
    header = ["x" if name == "doc" else name for name in HEADER]
    rows = [error("sys", "1"), error("sys", "1", source="Ach")]
    with pytest.raises(DataFileError, match="several sources, and no column doc"):
        load_mqm(save(rows, header))


PUBLISHED = {  # data/README.md
    "DIDI-NLP": 1.65,
    "metricsystem2": 1.76,
    "MiSS": 1.97,
    "Borderline": 2.40,
    "Online-W": 2.93,
    "ref": 5.52,
    "refB": 0.42,
}


def test_system_means_are_those_that_the_campaign_published(data_dir):
    campaign = load_mqm(data_dir / "mqm" / "mqm_ted_zhen.tsv")
    means = campaign.y.groupby(level="system").mean()
    assert means[list(PUBLISHED)].to_dict() == pytest.approx(PUBLISHED, abs=0.01)
    assert campaign.X.index.unique("segment").size == 529
    assert campaign.X.index.unique("system").size == 15
    assert set(campaign.n_raters) == {1}


def test_the_campaign_with_its_human_references(data_dir):
    file = data_dir / "mqm" / "mqm_ted_zhen.tsv"
    X, _ = load_mqm(file, reference_system=["ref", "refB"], return_X_y=True)
    assert len(X) == 13 * 529
    assert X["reference"].map(len).eq(2).all()


LABELS = [  # spelled as in the files of WMT20 to 24
    ("Fluency/Punctuation ", "minor", 0.1),
    (" fluency/punctuation", " Minor", 0.1),
    (" Style/Awkward", "Major", 5),
    ("accuracy/creative reinterpretation", "minor", 1),
    ("Accuracy/Source language fragment", "Major", 5),
    ("Terminology/Inconsistent use of terminology", "Minor", 1),
    ("Terminology/Inconsistent", "Minor", 1),
    ("Style/Unnatural or awkward", "Minor", 1),
    ("Locale convention/Name format", "Major", 5),
    ("Other", "Major", 5),
    ("Source issue", "minor", 1),
    ("NON-TRANSLATION!", "major", 25),
    ("no-error", "no-error", 0),
    ("Other", "Neutral", 0),
]


@pytest.mark.parametrize(("category", "severity", "points"), LABELS)
def test_labels_as_published(save, category, severity, points):
    _, y = load_mqm(save([error("sys", "1", "r", category, severity)]), return_X_y=True)
    assert y.tolist() == [points]


def test_categories_beyond_the_typology(save):
    """They cost what their severity says, and are named once, with how many there are."""
    rows = [
        *ROWS,
        error("sys", "2", "r9", "Fluency/Punctuation marks", "Minor"),
        error("sys", "2", "r9", "Vibe", "Major"),
        error("sys", "2", "r9", "Vibe", "Critical"),
    ]
    found = load_mqm(save(rows))
    assert found.y[2, "sys"] == (25 + 16) / 2
    assert found.warning.endswith("says: Vibe (2), Fluency/Punctuation marks (1).")
    assert found.warning.partition(": ")[2] in found.DESCR
    assert load_judgements(save(rows)).warning == found.warning
    assert load_mqm(save(ROWS)).warning == ""


SPELLED = [
    ("Fluency-punctuation", "MINOR", 1),
    ("fluency/PUNCTUATION", "mi-nor", None),
    ("Non_translation", "Major", 25),
    ("Non translation!", "Critical", 25),
    ("Locale_convention/Currency", "Major", 5),
    ("no_error", "NO_ERROR", 0),
    ("Other/-", "Critical", 10),
]


@pytest.mark.parametrize(("category", "severity", "points"), SPELLED)
def test_spelling_of_labels_does_not_matter(save, category, severity, points):
    file = save([error("sys", "1", "r", category, severity)])
    if points is None:
        with pytest.raises(DataFileError, match=f"line 2: severity must be .*{severity}"):
            load_mqm(file)
    else:
        assert load_mqm(file).y.tolist() == [points]


def test_what_errors_cost_is_up_to_the_user(save, capsys):
    rows = [*ROWS, error("sys", "2", "r1", "Other", "Critical")]
    found = load_mqm(save(rows), points={"major": 2, "minor punctuation": 1, "critical": 25})
    assert found.y[1, "sys"] == (2 + 1 + 1 + 0) / 3
    assert found.y[2, "sys"] == 50
    assert "critical 25, major 2, minor 1, minor punctuation 1." in found.DESCR
    given = ["--points", "major=2", "minor punctuation=1", "critical=25", "--by", "mean"]
    rows = [row.replace("\td\t1\t2\t", "\te\t1\t2\t") for row in rows]
    assert main(["leaderboard", str(save(rows)), *given, "-f", "tsv"]) == 0
    means = pd.read_csv(StringIO(capsys.readouterr().out), sep="\t", comment="#", index_col=0)
    assert means["score"].to_dict() == {"sys": -(4 / 3 + 50) / 2, "ref": -0.25}
    assert main(["leaderboard", str(save(rows)), "--points", "major", "--by", "mean"]) == 1
    assert "--points must be KIND=P, as in major=5, found 'major'" in capsys.readouterr().err


@pytest.mark.parametrize("points", [{"severe": 1}, {"major": -1}, {"major": "x"}, [5, 1], 3])
def test_points_that_are_none(save, points):
    with pytest.raises((ValueError, TypeError), match="points"):
        load_mqm(save(ROWS), points=points)


def test_texts_of_most_raters_are_taken(save):
    """One mends the text, one has it twice; marks move to the same words, where these are once."""
    text = "a big, big cat"
    changed = [
        ("r1", "a <v>big</v>, big cat"),
        ("r2", "a big big <v>cat</v>"),
        ("r3", "a big, big cata big, big <v>cat</v>"),
        ("r3", "a <v>big</v>, big cata big, big cat"),
        ("r3", "a big, big <v>cata</v> big, big cat"),
    ]
    rows = [error("sys", "1", rater, "Other", "Minor", target=t) for rater, t in changed]
    rows += [error("sys", "1", "r4", target=text), error("ref", "1")]
    for given in (rows, rows[::-1]):
        found = load_mqm(save(given))
        assert found.X["hypothesis"][1, "sys"] == text
        assert [span[:2] for span in found.spans[1, "sys"]] == [
            (0, 0), (2, 5), (2, 5), (11, 14), (11, 14)
        ]  # fmt: skip
        assert {span.place for span in found.spans[1, "sys"][1:]} == {"translation"}
        assert "4 rows have another text" in found.warning
        assert "3 marks were moved to it, 1 fit nowhere" in found.DESCR


@pytest.mark.parametrize("pair", ["ende", "zhen"])
def test_published_files_are_read_as_they_are(data_dir, pair):
    """Oracle: the same campaign, of which somebody else has brought the texts together."""
    published = load_mqm(data_dir / "mqm" / "raw" / f"mqm_newstest2020_{pair}.excerpt.tsv.gz")
    others = load_mqm(data_dir / "mqm" / f"mqm_newstest2020_{pair}.tsv.gz")
    rows = published.X.index
    assert len(rows) == {"ende": 340, "zhen": 270}[pair]
    assert published.X.equals(others.X.loc[rows])
    assert published.y.equals(others.y[rows])
    for row in rows:
        known = [span for span in others.spans[row] if span.place == "translation"]
        assert not set(known) - set(published.spans[row])


SPANS = ["mt_system", "doc_id", "seg_id", "annotator_id", "source", "target", "start_ids",
         "end_ids", "errors"]  # fmt: skip


def test_files_of_the_quality_estimation_task(save):
    """Places count the characters of the text without the quotes that CSV had put around it."""
    rows = [
        "A\td1\t0\tr1\tEins\tA big cat\t2 6\t5 9\tminor major",
        "A\td1\t0\tr2\tEins\tA big cat\t-1\t-1\tno-error\t",  # one more tab, as published
        'A\td2\t1\tr1\tZwei\t"Say ""yes"" now."\t4 0 12\t9 0 99\tCritical major minor',
        'B\td2\t1\tr1\tZwei\t"Yes\t-1\t-1\tno-error',
    ]
    found = load_mqm(save(rows, SPANS))
    assert found.y.to_dict() == {(0, "A"): 3, (1, "A"): 16, (1, "B"): 0}
    assert found.X["hypothesis"].tolist() == ["A big cat", 'Say "yes" now.', '"Yes']
    assert found.documents.tolist() == ["d1", "d2", "d2"]
    assert found.spans[0, "A"] == [
        (2, 5, "minor", "", "translation"), (6, 9, "major", "", "translation")
    ]  # fmt: skip
    assert found.spans[1, "A"] == [
        (0, 0, "major", "", "unknown"), (4, 9, "critical", "", "translation"),
        (12, 14, "minor", "", "translation"),
    ]  # fmt: skip
    assert load_judgements(save(rows, SPANS)).format == "mqm"


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ("2 6\t5\tminor major", "as many start_ids as end_ids and errors, found 2, 1 and 2"),
        ("x\t5\tminor", "start_ids and end_ids must be numbers, or -1, found 'x'"),
        ("-2\t5\tminor", "found '-2'"),
        ("2\t5\tbad", "severity must be .*found 'bad'"),
    ],
)
def test_places_that_are_none(save, cells, words):
    with pytest.raises(DataFileError, match=f"line 2: .*{words}"):
        load_mqm(save([f"A\td1\t0\tr1\tEins\tA big cat\t{cells}"], SPANS))


def test_checks_of_the_rater_do_not_count(save):
    rows = [*ROWS, error("sys", "2", "r1", "Found", "HOTW-test")]
    _, y = load_mqm(save(rows), return_X_y=True)
    _, expected = load_mqm(save(ROWS), return_X_y=True)
    assert y.equals(expected)


@pytest.mark.parametrize("column", ["system", "seg_id", "rater"])
@pytest.mark.parametrize("cell", ["", " ", "x ", "\xa0x"])
def test_names_that_are_missing_or_not_quite_there(save, column, cell):
    words = f"line 10: {column} must be a name without white space around it"
    cells = dict(zip(HEADER, error("sys", "1").split("\t"), strict=True)) | {column: cell}
    with pytest.raises(DataFileError, match=words):
        load_mqm(save([*ROWS, "\t".join(cells.values())]))


def test_a_segment_of_5000_digits_is_a_text(save):
    X, _ = load_mqm(save([error("sys", "1", seg_id="9" * 5000)]), return_X_y=True)
    assert X.index.tolist() == [("9" * 5000, "sys")]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("system", "columns 1 and 2 of the header have one name: 'system' and 'system'"),
        ("System ", "columns 1 and 2 of the header have one name: 'system' and 'System '"),
        ("Doc_ID", "columns 2 and 3 of the header have one name: 'Doc_ID' and 'doc_id'"),
        ("DOC", "column 'DOC' of the header must be 'doc'"),
    ],
)
def test_columns_that_are_easily_confused(save, name, words):
    header = [name if column == "doc" else column for column in HEADER]
    with pytest.raises(DataFileError, match=f"mqm.tsv, line 1: {words}"):
        load_mqm(save(ROWS, header))


def test_a_column_without_a_name_is_passed_over(save):
    rows = [f"{row}\t\t" for row in ROWS]
    expected = load_mqm(save(ROWS)).y
    assert load_mqm(save(rows, [*HEADER, "", ""])).y.equals(expected)


@pytest.mark.parametrize("reference_system", [5, [3], {"a": 1}, b"a"])
def test_reference_systems_are_names(tmp_path, reference_system):
    with pytest.raises(ValueError, match="reference_system must be a name or a list of names"):
        load_mqm(tmp_path / "any.tsv", reference_system=reference_system)


def test_errors_stand_where_raters_marked_them(tmp_path):
    """Characters are those of the text without the marks; of a row without marks nobody knows."""
    cat = "a cat \U0001f408 sat"
    rows = [
        ("A", "r1", "ein Hund", cat.replace("cat", "<v>cat</v>"), "Style/Awkward", "Major"),
        ("A", "r2", "ein <v>Hund</v>", cat, "Accuracy/Omission", "Minor"),
        ("A", "r2", "ein Hund", cat.replace("sat", "<v>sat</v>"), "Fluency/Grammar", "Minor"),
        ("A", "r3", "ein Hund", cat, "Other", "Minor"),
        ("B", "r1", "ein Hund", "a dog", "No-error", "No-error"),
    ]
    rows = [(system, "d1", "1", "7", *cells) for system, *cells in rows]
    lines = ["\t".join(cells) for cells in [HEADER, *rows]]
    for order in (lines, [lines[0], *lines[:0:-1]]):
        (tmp_path / "mqm.tsv").write_text("\n".join(order) + "\n", encoding="utf-8")
        found = load_mqm(tmp_path / "mqm.tsv")
        assert found.spans[7, "A"] == [
            (0, 0, "minor", "Other", "unknown"),
            (2, 5, "major", "Style/Awkward", "translation"),
            (4, 8, "minor", "Accuracy/Omission", "source"),
            (8, 11, "minor", "Fluency/Grammar", "translation"),
        ]
        assert found.spans[7, "B"] == []
        assert found.documents.tolist() == ["d1", "d1"]
        judged = load_judgements(tmp_path / "mqm.tsv", "mqm")
        assert judged.spans[7, "A"] == found.spans[7, "A"]
        assert judged.documents.tolist() == ["d1", "d1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<v>a</v>b<v>c</v>", [(0, 1), (2, 3)]),
        ("</v>a<v>b", []),
        ("a<v></v>", []),
        ("<v>a<v>b</v>", [(1, 2)]),
        ("", []),
    ],
)
def test_marks_that_are_odd(text, expected):
    assert ranges(text) == expected
