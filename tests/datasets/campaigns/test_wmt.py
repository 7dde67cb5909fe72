import csv
import shutil
from collections import Counter, defaultdict
from itertools import combinations

import pandas as pd
import pytest

from sklearn_mteval._helpers import files
from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.datasets import load_judgements, load_wmt
from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations, wmt_system_names
from sklearn_mteval.exceptions import DataFileError

SYSTEMS = "ABCD"
TEXTS = {"src": ["eins", "zwei", "drei"], "ref": ["one", "two", "three"]} | {
    name: [f"{name} 1", f"{name} 2", f"{name} 3"] for name in SYSTEMS
}
LAYOUTS = {  # text files, folder of outputs, output file, systemNId
    "wmt12": ("newstest2012-{}", "newstest2012", "newstest2012.de-en.{}", "{}"),
    "wmt13": ("newstest2013-{}", "newstest2013", "newstest2013.de-en.{}", "newstest2013.de-en.{}"),
    "wmt15": (
        "newsdiscusstest2015-deen-{}",
        "newstest2015",
        "newsdiscusstest2015.{}.0.de-en.txt",
        "newsdiscusstest2015.{}.0.de-en.txt",
    ),
}
TASK_HEADER = "srclang,trglang,srcIndex,documentId,segmentId,judgeId," + ",".join(
    [f"system{k}Number,system{k}Id" for k in range(1, 6)] + [f"system{k}rank" for k in range(1, 6)]
)
PAIR_HEADER = (
    "srclang,trglang,srcIndex,segmentId,judgeID,"
    "system1Id,system1rank,system2Id,system2rank,rankingID"
)
# The judgements of both formats: task → segment, judge and ranks. What counts:
EXPECTED = [
    (3, "t1", "A", 2, "j1"),
    (3, "t1", "B", 1, "j1"),
    (3, "t1", "C", 2, "j1"),
    (1, "t2", "D", 5, "j2"),
    (1, "t2", "A", 1, "j2"),
    (3, "t3", "B", 3, "j2"),  # the same segment again, judged otherwise
    (3, "t3", "A", 1, "j2"),
]


def task_row(segment, judge, *ranked):
    cells = ["de", "en", segment, "doc", segment, judge]
    cells += [cell for number, (system, _) in enumerate(ranked) for cell in (number, system)]
    return ",".join(map(str, cells + [rank for _, rank in ranked]))


def pair_row(segment, judge, first, second, task):
    return ",".join(map(str, ["deu", "eng", segment, segment, judge, *first, *second, task]))


def rankings_of(layout):
    *_, name = LAYOUTS[layout]
    A, B, C, D = (name.format(system) for system in SYSTEMS)
    if layout != "wmt15":
        return [
            TASK_HEADER,
            task_row(3, "j1", (A, 2), (B, 1), ("_ref", 1), (C, 2), (D, -1)),
            task_row(1, "j2", (D, 5), (C, -1), (A, 1), ("_ref", 3), (B, -1)),
            task_row(3, "j2", (B, 3), (A, 1), (C, -1), (D, -1), ("_ref", -1)),
        ]
    return [
        PAIR_HEADER,
        pair_row(3, "j1", (A, 2), (B, 1), "7"),
        pair_row(3, "j1", (B, 1), (C, 2), "7"),
        pair_row(3, "j1", (B, 1), (A, 2), "7"),  # the same pair, the other way round
        pair_row(3, "j1", (B, 1), (A, 2), "7"),  # and once more
        pair_row(1, "j2", (D, 5), (A, 1), "8"),
        pair_row(3, "j2", (B, 3), (A, 1), "9"),
        pair_row(3, "j2", (C, -1), ("_ref", 1), "9"),
    ]


def write(path, lines, *, end="\n", bom=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((b"\xef\xbb\xbf" if bom else b"") + end.join([*lines, ""]).encode())


def make_campaign(root, layout="wmt12", rankings=None, texts=TEXTS, **how):
    text, folder, output, _ = LAYOUTS[layout]
    write(root / "sources" / f"{text.format('src')}.de", texts["src"], **how)
    write(root / "references" / f"{text.format('ref')}.en", texts["ref"], **how)
    for name in SYSTEMS:
        file = root / "system-outputs" / folder / "de-en" / output.format(name)
        write(file, texts[name], **how)
    write(root / "rankings" / f"{layout}.de-en.csv", rankings or rankings_of(layout), **how)
    return root


@pytest.mark.parametrize("how", [{}, {"bom": True}, {"end": "\r\n"}], ids=["plain", "BOM", "CRLF"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_tables_are_as_written_by_hand(tmp_path, layout, how):
    campaign = load_wmt(make_campaign(tmp_path, layout, **how), "de-en")
    X, y = load_wmt(tmp_path, "de-en", return_X_y=True)
    assert X.equals(campaign.X) and y.equals(campaign.y)
    check_candidates(X, columns=["source", "reference", "hypothesis"])
    assert list(X.index.names) == ["segment", "ranking", "system"]
    assert y.index.equals(X.index) and campaign.judges.index.equals(X.index)
    name = LAYOUTS[layout][-1]
    wanted = {}
    for segment, task, system, rank, judge in EXPECTED:
        texts = tuple(TEXTS[kind][segment - 1] for kind in ("src", "ref", system))
        row = (segment, name.format(system), rank, judge, *texts)
        wanted.setdefault(task, set()).add(row)
    found = defaultdict(set)
    cells = zip(X.index, y, campaign.judges, X.itertuples(index=False), strict=True)
    for (segment, ranking, system), rank, judge, texts in cells:
        found[ranking].add((segment, system, rank, judge, *texts))
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, wanted.values()))
    assert len(X) == len(EXPECTED)
    assert "de-en" in campaign.DESCR


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\f", "\x0b", "\x85", "\x1c"])
def test_only_line_feeds_end_a_line(tmp_path, character):
    texts = TEXTS | {"src": [f"e{character}s", "zwei", "drei"], "A": ["", f"x{character}", "A 3"]}
    X, _ = load_wmt(make_campaign(tmp_path, texts=texts), "de-en", return_X_y=True)
    assert set(X.xs(1, level="segment")["source"]) == {f"e{character}s"}
    assert set(X.xs(3, level="segment").xs("A", level="system")["hypothesis"]) == {"A 3"}
    assert set(X.xs(1, level="segment").xs("A", level="system")["hypothesis"]) == {""}


def test_equal_texts_are_one_object(tmp_path):
    same = " ".join(["the", "same"])
    texts = TEXTS | {"ref": [same] * 3, "A": [same] * 3, "B": [same] * 3}
    X, _ = load_wmt(make_campaign(tmp_path, texts=texts), "de-en", return_X_y=True)
    everything = [cell for column in X for cell in X[column].tolist()]
    assert len({id(cell) for cell in everything}) == len(set(everything)) < len(everything)


def test_language_pairs_concatenate_without_clashes(tmp_path):
    make_campaign(tmp_path)
    for folder, old, new in [
        ("sources", "newstest2012-src.de", "newstest2012-src.cs"),
        ("rankings", "wmt12.de-en.csv", "wmt12.cs-en.csv"),
    ]:
        (tmp_path / folder / new).write_bytes((tmp_path / folder / old).read_bytes())
    for name in SYSTEMS:
        folder = tmp_path / "system-outputs" / "newstest2012" / "cs-en"
        write(folder / f"newstest2012.cs-en.{name}", TEXTS[name])
    tables = [load_wmt(tmp_path, pair, return_X_y=True)[0] for pair in ("de-en", "cs-en")]
    X = pd.concat(tables)
    check_candidates(X)
    assert X.index.unique("ranking").size == 6
    assert [len(t.index.unique("ranking")) for t in tables] == [3, 3]


OUTPUT_B = "system-outputs/newstest2012/de-en/newstest2012.de-en.B"
RANKINGS = "rankings/wmt12.de-en.csv"
SOURCE, REFERENCE = "sources/newstest2012-src.de", "references/newstest2012-ref.en"


def with_line(number, line):
    lines = rankings_of("wmt12")
    lines[number - 1 :] = [line]
    return "\n".join(lines).encode()


def ranked(rank, segment=1):
    return task_row(segment, "j", ("A", 1), ("B", rank), ("C", -1), ("D", -1), ("_ref", -1))


UNJUDGED = task_row(1, "j", ("A", -1), ("B", -1), ("C", -1), ("D", -1), ("_ref", 1))
BAD_FILES = {  # the file, its new content (None: deleted), file and line blamed, words
    "no output": (OUTPUT_B, None, (RANKINGS, 2), "expected one output of the system 'B'.*found 0"),
    "short output": (OUTPUT_B, b"1\n2\n", (OUTPUT_B, 3), "has 2 lines, but .*-src.de has 3"),
    "long output": (OUTPUT_B, b"1\n2\n3\n4\n", (OUTPUT_B, 4), "has 4 lines"),
    "short reference": (REFERENCE, b"1\n2", (REFERENCE, 3), "has 2 lines"),
    "no source": (SOURCE, None, ("sources", None), "no file .*src.de"),
    "no reference": (REFERENCE, None, ("references", None), "no file .*ref.en"),
    "word as rank": (RANKINGS, with_line(3, ranked("x")), (RANKINGS, 3), "system2rank.*'x'"),
    "no rank": (RANKINGS, with_line(3, ranked("")), (RANKINGS, 3), "whole number, found ''"),
    "half rank": (RANKINGS, with_line(3, ranked(1.5)), (RANKINGS, 3), "found '1.5'"),
    "rank of 1_0": (RANKINGS, with_line(3, ranked("1_0")), (RANKINGS, 3), "found '1_0'"),
    "rank 0": (RANKINGS, with_line(4, ranked(0)), (RANKINGS, 4), "system2rank.*found 0"),
    "rank -2": (RANKINGS, with_line(2, ranked(-2)), (RANKINGS, 2), "found -2"),
    "word as segment": (RANKINGS, with_line(2, ranked(1, "x")), (RANKINGS, 2), "srcIndex.*'x'"),
    "segment 4": (RANKINGS, with_line(3, ranked(1, 4)), (RANKINGS, 3), "4 does not .* 3 lines"),
    "segment 0": (RANKINGS, with_line(3, ranked(1, 0)), (RANKINGS, 3), "0 does not exist"),
    "wide row": (RANKINGS, with_line(3, ranked(1) + ",1"), (RANKINGS, 3), "21 cells.*found 22"),
    "narrow row": (RANKINGS, with_line(2, "de,en,1"), (RANKINGS, 2), "21 cells.*found 3"),
    "open quote": (RANKINGS, with_line(3, '"de,en'), (RANKINGS, 3), "well-formed"),
    "no srcIndex": (RANKINGS, b"system1Id,system1rank\nA,1", (RANKINGS, 1), "'srcIndex'"),
    "no system": (RANKINGS, b"srcIndex\n1", (RANKINGS, 1), "system1Id"),
    "no rank column": (RANKINGS, b"srcIndex,system1Id\n1,A", (RANKINGS, 1), "system1rank"),
    "empty rankings": (RANKINGS, b"", (RANKINGS, 1), "'srcIndex'"),
    "unjudged": (RANKINGS, with_line(2, UNJUDGED), (RANKINGS, None), "no judgement"),
    "Latin-1 output": (OUTPUT_B, b"1\xe2\x80\xa8\n2 \xe9\n3\n", (OUTPUT_B, 2), "UTF-8.*0xe9"),
    "Latin-1 source": (SOURCE, b"\xe9\n\n\n", (SOURCE, 1), "0xe9.*iconv"),
    "cut character": (REFERENCE, b"1\n2\n\xe2\x80", (REFERENCE, 3), "UTF-8.*0xe2"),
    "no judge": (
        RANKINGS,
        with_line(3, ranked(1).replace("j", "")),
        (RANKINGS, 3),
        "'judgeId': expected",
    ),
    "system with space": (
        RANKINGS,
        with_line(2, ranked(1).replace(",A,", ",A ,")),
        (RANKINGS, 2),
        "system1Id must be a name without white space around it, found 'A '",
    ),
    "another language": (
        RANKINGS,
        with_line(3, ranked(1).replace("de,", "cs,")),
        (RANKINGS, 3),
        "one language pair, found the srclang 'cs' here and 'de' in line 2",
    ),
    "Latin-1 rankings": (RANKINGS, with_line(3, "") + b"\xfc", (RANKINGS, 3), "UTF-8.*0xfc"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_named_with_its_line(tmp_path, case):
    changed, content, (blamed, line), words = BAD_FILES[case]
    make_campaign(tmp_path)
    if content is None:
        (tmp_path / changed).unlink()
    else:
        (tmp_path / changed).write_bytes(content)
    with pytest.raises(DataFileError, match=words) as caught:
        load_wmt(tmp_path, "de-en")
    where = f"{tmp_path / blamed}" + ("" if line is None else f", line {line}") + ":"
    assert str(caught.value).startswith(where)
    assert "\n" not in str(caught.value)


TWICE = task_row(1, "j", ("A", 1), ("A", 2), ("B", 1), ("C", 1), ("D", 1))
TWICE_ALIKE = task_row(1, "j", ("A", 1), ("A", 1), ("B", 1), ("C", 1), ("D", 1))
TWICE_UNJUDGED = task_row(1, "j", ("A", 1), ("A", -1), ("B", 1), ("C", 1), ("D", 1))
WITH_ITSELF = pair_row(3, "j1", ("A", 2), ("A", 2), "7")
FIRST = pair_row(3, "j1", ("A", 2), ("B", 1), "7")
OTHER_RANK = pair_row(3, "j1", ("B", 1), ("A", 1), "7")
OTHER_SEGMENT = pair_row(1, "j1", ("B", 1), ("A", 2), "7")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([TASK_HEADER, "", TWICE], "line 3: the system 'A' is twice in one row"),
        ([TASK_HEADER, TWICE_ALIKE], "line 2: the system 'A' is twice in one row"),
        ([TASK_HEADER, TWICE_UNJUDGED], "line 2: the system 'A' is twice in one row"),
        ([PAIR_HEADER, FIRST, WITH_ITSELF], "line 3: the system 'A' is twice in one row"),
        ([PAIR_HEADER, FIRST, OTHER_RANK], "line 3: .* rank 1 here and 2 in line 2.*same ranking"),
        ([PAIR_HEADER, FIRST, OTHER_SEGMENT], "line 3: .*task 7 is of segment 3, here 1"),
    ],
    ids=["twice", "alike", "unjudged", "with itself", "another rank", "another segment"],
)
def test_a_task_that_disagrees_with_itself(tmp_path, rows, words):
    with pytest.raises(DataFileError, match=f"wmt12.de-en.csv, {words}"):
        load_wmt(make_campaign(tmp_path, rankings=rows), "de-en")


@pytest.mark.parametrize("extra", [SOURCE, RANKINGS, OUTPUT_B])
def test_ambiguous_files_are_refused(tmp_path, extra):
    make_campaign(tmp_path)
    old = tmp_path / extra
    other = old.parent / f"other{old.name.removeprefix('newstest2012')}"
    if extra == OUTPUT_B:
        other = tmp_path / OUTPUT_B.replace("2012", "2011")
    write(other, ["one", "two", "three"])
    with pytest.raises(DataFileError, match="expected one"):
        load_wmt(tmp_path, "de-en")


def test_outputs_of_several_test_sets(tmp_path):
    expected = load_wmt(make_campaign(tmp_path), "de-en").X
    other = tmp_path / OUTPUT_B.replace("2012", "2011")
    other.parent.mkdir(parents=True)
    (tmp_path / OUTPUT_B).rename(other)
    pd.testing.assert_frame_equal(load_wmt(tmp_path, "de-en").X, expected)


@pytest.mark.parametrize("pair", ["de", "de_en", "de-en-fr", "../x-en", "DE-EN", None])
def test_malformed_language_pair(tmp_path, pair):
    with pytest.raises(ValueError, match="must be like 'de-en'"):
        load_wmt(make_campaign(tmp_path), pair)


def test_unknown_language_pair_lists_those_there(tmp_path):
    with pytest.raises(DataFileError, match=r"rankings: .*fr-en.csv, found 0 .*wmt12.de-en.csv"):
        load_wmt(make_campaign(tmp_path), "fr-en")


@pytest.mark.parametrize("name", ["", "nothing"])
def test_not_a_campaign_folder(tmp_path, name):
    with pytest.raises(DataFileError, match="no such folder: expected the folder of one camp"):
        load_wmt(tmp_path / name, "de-en")


def recount(path):
    """Count judged translations and untied pairs, straight from the file."""
    tasks = defaultdict(dict)
    with open(path, encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file)):
            for k in (
                column[6:-2] for column in row if column.endswith("Id") and "system" in column
            ):
                if int(row[f"system{k}rank"]) > 0:
                    task = tasks[row.get("rankingID", number)]
                    task[row["srcIndex"], row[f"system{k}Id"]] = int(row[f"system{k}rank"])
    return sum(map(len, tasks.values())), untied(tasks)


def untied(tasks):
    return sum(a != b for task in tasks.values() for a, b in combinations(task.values(), 2))


@pytest.mark.parametrize(
    "campaign",
    ["wmt12/cs-en", "wmt12/de-en", "wmt12/en-de", "wmt13/fr-en"]
    + [f"wmt15/{language}-en" for language in ("cs", "de", "fi", "fr", "ru")],
)
def test_real_campaigns_are_read_whole(data_dir, campaign):
    year, pair = campaign.split("/")
    n_judged, n_untied = recount(data_dir / year / "rankings" / f"{year}.{pair}.csv")
    X, y = load_wmt(data_dir / year, pair, return_X_y=True)
    assert len(X) == n_judged
    tasks = defaultdict(dict)
    for (_, ranking, system), rank in zip(X.index, y, strict=True):
        tasks[ranking][system] = rank
    assert untied(tasks) == n_untied
    check_candidates(X)
    assert X["source"].ne("").all() and X["reference"].ne("").all()


def test_translations_that_nobody_judged_may_not_be_at_hand(tmp_path):
    # WMT15 is handed on with lines that no judge saw left blank: no system is to be scored on them.
    texts = {name: list(lines) for name, lines in TEXTS.items()}
    texts["A"][1] = texts["B"][0] = " "  # segments 2 and 1: not judged
    texts["A"][2] = ""  # segment 3: judged, an empty translation
    make_campaign(tmp_path, texts=texts)
    X = load_wmt_translations(tmp_path, "de-en")
    everything = {(segment, system) for segment in (1, 2, 3) for system in SYSTEMS}
    assert set(X.index) == everything - {(2, "A"), (1, "B")}
    assert X.loc[(3, "A"), "hypothesis"] == ""
    assert load_wmt(tmp_path, "de-en").n_segments == 3


def test_all_translations(data_dir):
    X = load_wmt_translations(data_dir / "wmt12", "cs-en")
    judged, _ = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    systems = set(judged.index.unique("system"))
    assert len(X) == 3003 * 6
    assert set(X.index) == {(k, system) for k in range(1, 3004) for system in systems}
    keys = judged.index.droplevel("ranking")
    assert X.loc[keys].to_numpy().tolist() == judged.to_numpy().tolist()
    assert systems < wmt_system_names(data_dir / "wmt12", "cs-en")
    unjudged = wmt_system_names(data_dir / "wmt13", "fr-en")
    assert {"ref", "refA"} <= unjudged
    assert {"newstest2013.fr-en.JHU.2684", "JHU.2684"} < unjudged


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("system2Id", "system1Id", "columns 8 and 10 of .* one name: 'system1Id' and 'system1Id'"),
        ("system2Id", "System1Id ", "one name: 'system1Id' and 'System1Id '"),
        ("documentId", "srcIndex", "columns 3 and 4 of .* one name: 'srcIndex' and 'srcIndex'"),
        ("documentId", " SRCINDEX", "one name: 'srcIndex' and ' SRCINDEX'"),
        ("documentId", "judgeID", "one name: 'judgeID' and 'judgeId'"),
        ("documentId", "RankingId", "column 'RankingId' of the header must be 'rankingID'"),
        ("judgeId", "judgeid", "column 'judgeid' of the header must be 'judgeI[dD]'"),
        ("system5Id", "system5id", "column 'system5id' of the header must be 'system5Id'"),
        ("system5Id", "x", "no column system5Id"),
        ("system5rank", "x", "no column system5rank"),
    ],
)
def test_columns_that_are_easily_confused(tmp_path, old, new, words):
    rows = rankings_of("wmt12")
    rows[0] = ",".join(new if name == old else name for name in rows[0].split(","))
    with pytest.raises(DataFileError, match=f"wmt12.de-en.csv, line 1: .*{words}"):
        load_wmt(make_campaign(tmp_path, rankings=rows), "de-en")


def test_a_file_where_a_folder_should_be(tmp_path):
    make_campaign(tmp_path)
    folder = tmp_path / "system-outputs" / "newstest2012" / "de-en"
    shutil.rmtree(folder)
    folder.write_text("x")
    for load in (load_wmt, load_wmt_translations, wmt_system_names):
        with pytest.raises(DataFileError, match=r"de-en: cannot be read as a folder \(Not a dir"):
            load(tmp_path, "de-en")


def test_a_campaign_behind_a_loop_of_links(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for root in (tmp_path / "loop", "a" * 5000):
        with pytest.raises(DataFileError, match="no such folder"):
            load_wmt(root, "de-en")


def test_judgements_read_each_file_once(tmp_path, monkeypatch):
    """Rankings and all translations come from the same files."""
    opened = Counter()

    def counted(path, **options):
        opened[str(path)] += 1
        return open_file(path, **options)

    make_campaign(tmp_path)
    open_file = files.open_file
    monkeypatch.setattr(files, "open_file", counted)
    found = load_judgements(tmp_path, "wmt", lang_pair="de-en")
    assert set(opened.values()) == {1} and len(opened) > 3
    assert found.X.equals(load_wmt(tmp_path, "de-en").X)
    assert found.translations.equals(load_wmt_translations(tmp_path, "de-en"))
