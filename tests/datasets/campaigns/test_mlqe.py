"""MLQE-PE: small files read by hand, damaged ones, and the campaign's own."""

import csv
import gzip
import json
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_judgements, load_mlqe
from sklearn_mteval.evaluation import evaluate_metrics
from sklearn_mteval.exceptions import DataFileError

HEADER = [
    "source", "translation", "translation_tokenized", "post_edit_tokenized", "hter", "da_mean",
    "da_z", "da_scores",
]  # fmt: skip
CRITICAL = ["source", "translation", "votes", "critical"]
ROWS = [
    ["Eins.", "One, 'a' b.", "One , ' a ' b .", "Just one .", "0.75", "20", "-1.5", "[10,30]"],
    ["Zwei.", "Two (2).", "Two ( 2 ) .", "Two ( 2 ) .", "0.000000", "90.333333", "0.5",
     "[90,91,90]"],
    ["Eins.", "One, 'a' b.", "One , ' a ' b .", "One .", "0.25", "50", "0.5", "[50]"],
    ["Drei.", "three.", "three .", "Three .", "0", "1e2", ".25", "[100]"],
]  # fmt: skip
VOTES = [
    ["A \"b\".", "Ein \" b \" .", "[1,0,1]", "1"],
    ['"A ""b"" c."', '"Ein "" b "" c ."', "[0,3,1]", "0"],
    ["D", '" d', "[1, 1, 2]", "1"],
]  # fmt: skip


@pytest.fixture
def save(tmp_path):
    def write(rows, header=HEADER, name="de-en.train.tsv", change=lambda content: content):
        file = tmp_path / name
        lines = ["\t".join(cells) for cells in [header, *rows]]
        file.write_bytes(change("\n".join([*lines, ""]).encode()))
        return file

    return write


def with_cell(row, column, cell, rows=ROWS, header=HEADER):
    """Put a cell into one row, counted from 0."""
    changed = [list(cells) for cells in rows]
    changed[row][header.index(column)] = cell
    return changed


def texts(X):
    return dict(zip(X.index, X["hypothesis"], strict=True))


def test_post_edits_are_pairs(save):
    found = load_mlqe(save(ROWS))
    check_candidates(found.X, columns=["source", "hypothesis"])
    assert found.X.index.names == ["segment", "ranking", "system"]
    assert texts(found.X) == {
        (1, "de-en.train:1", "mt"): "One, 'a' b.",
        (1, "de-en.train:1", "post-edit"): "Just one.",
        (2, "de-en.train:2", "mt"): "Two (2).",
        (2, "de-en.train:2", "post-edit"): "Two (2).",
        (1, "de-en.train:3", "mt"): "One, 'a' b.",
        (1, "de-en.train:3", "post-edit2"): "One.",
        (4, "de-en.train:4", "mt"): "three.",
        (4, "de-en.train:4", "post-edit"): "Three.",
    }
    assert found.y.tolist() == [0.75, 0, 0, 0, 0.25, 0, 0, 0]
    assert found.X["source"].tolist() == [row[0] for row in ROWS for _ in range(2)]
    assert found.y.index.equals(found.X.index) and found.n_segments == 4
    assert found.n_judgements is None
    assert "4 post-edits, 2 without an edit" in found.DESCR


@pytest.mark.parametrize(
    ("gold", "expected", "weights"),
    [
        ("hter", [0.5, 0, 0], [2, 1, 1]),
        ("da_mean", [-30, -90.333333, -100], [3, 3, 1]),
        ("da_z", [2.5 / 3, -0.5, -0.25], [3, 3, 1]),
    ],
)
def test_scores_of_translations(save, gold, expected, weights):
    found = load_mlqe(save(ROWS), gold=gold)
    check_candidates(found.X, columns=["source", "hypothesis"])
    assert texts(found.X) == {(1, "mt"): ROWS[0][1], (2, "mt"): "Two (2).", (4, "mt"): "three."}
    assert found.X["source"].tolist() == ["Eins.", "Zwei.", "Drei."]
    assert found.y.tolist() == pytest.approx(expected) and found.y.name == gold
    assert found.n_judgements.tolist() == weights
    assert "3 translations, 1 of them repeated" in found.DESCR


def test_critical_errors(save):
    path = save(VOTES, CRITICAL)
    X, y = load_mlqe(path, return_X_y=True)
    assert X["source"].tolist() == ['A "b".', 'A "b" c.', "D"]
    assert X["hypothesis"].tolist() == ['Ein "b".', 'Ein "b" c.', '" d']
    assert y.tolist() == [1, 0, 1] and y.name == "critical"
    found = load_mlqe(path, gold="votes")
    assert found.y.tolist() == [2 / 3, 1 / 2, 1]
    assert found.n_judgements.tolist() == [3, 2, 2]


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ('He said : " It \'s 5 % , [ or ( so ) ] ! "', 'He said: "It\'s 5%, [or (so)]!"'),
        ("the ' sky ' , don 't ask ' why", "the 'sky', don't ask ' why"),
        ("l 'été - d ' Or .  $ 5 / 6", "l 'été - d ' Or. $5 / 6"),
        ('"', '"'),
        ("", ""),
    ],
)
def test_detokenised(save, tokens, text):
    header, rows = ["source", "translation", "votes"], [["s", tokens, "[0]"]]
    X, y = load_mlqe(save(rows, header), gold="votes", return_X_y=True)
    assert X["hypothesis"].tolist() == [text] and y.tolist() == [0]


def test_only_columns_that_are_needed(save):
    rows = [["0.5", "x", "b", "a"]]
    found = load_mlqe(save(rows, ["hter", "other", "translation", "source"]), gold="hter")
    assert found.X.to_numpy().tolist() == [["a", "b"]] and found.y.tolist() == [0.5]


@pytest.mark.parametrize(
    "change",
    [
        gzip.compress,
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: content.replace(b"\n", b"\r\n"),
    ],
)
@pytest.mark.parametrize("name", ["de-en.train.tsv.gz", "de-en.train.tsv"])
def test_compressed_or_with_a_byte_order_mark_or_crlf(save, change, name):
    expected = load_mlqe(save(ROWS))
    found = load_mlqe(save(ROWS, name=name, change=change))
    pd.testing.assert_frame_equal(found.X, expected.X)
    pd.testing.assert_series_equal(found.y, expected.y)


@pytest.mark.parametrize(
    ("gold", "column", "cell", "words"),
    [
        ("hter", "hter", "1.01", "hter must be a number from 0 to 1, found '1.01'"),
        ("post_edit", "hter", "-0.1", "hter must be a number from 0 to 1"),
        ("post_edit", "hter", "nan", "hter must be a number from 0 to 1, found 'nan'"),
        ("hter", "hter", "", "hter must be a number from 0 to 1, found ''"),
        ("da_mean", "da_mean", "101", "da_mean must be a number from 0 to 100"),
        ("da_z", "da_z", "inf", "da_z must be a number, found 'inf'"),
        ("da_z", "da_z", "x", "da_z must be a number, found 'x'"),
        ("da_z", "da_scores", "[]", "da_scores must be a list of numbers from 0 to 100"),
        ("da_z", "da_scores", "[NaN]", "da_scores must be a list of numbers"),
        ("da_z", "da_scores", "[1,-2]", "da_scores must be a list of numbers"),
        ("da_z", "da_scores", "3", "da_scores must be a list of numbers"),
        ("da_z", "da_scores", "[1", "expected JSON"),
        ("hter", "source", " ", "the source is empty"),
        ("post_edit", "post_edit_tokenized", "", "the post-edit is empty"),
    ],
)
def test_cells_that_are_wrong(save, gold, column, cell, words):
    file = save(with_cell(0, column, cell))
    with pytest.raises(DataFileError, match=f"de-en.train.tsv, line 2: {words}"):
        load_mlqe(file, gold=gold)


def test_a_mean_that_its_scores_do_not_have(save):
    """One of 24,000 rows of WMT23's task is like that: the scores count."""
    expected = load_mlqe(save(ROWS), gold="da_mean")
    with pytest.warns(UserWarning, match="line 2: da_mean is 21, but that of da_scores is 20"):
        found = load_mlqe(save(with_cell(0, "da_mean", "21")), gold="da_mean")
    pd.testing.assert_series_equal(found.y, expected.y)


@pytest.mark.parametrize(
    ("gold", "column", "cell", "words"),
    [
        ("critical", "critical", "0", "critical is '0', but the votes are .1,0,1."),
        ("critical", "critical", "2", "critical must be a number from 0 to 1"),
        ("critical", "votes", "[1,0,0]", "critical is '1', but the votes"),
        ("votes", "votes", "[2,3]", "expected votes of 0 or 1"),
        ("votes", "votes", "[true]", "votes must be a list of numbers"),
        ("votes", "votes", "{}", "votes must be a list of numbers"),
    ],
)
def test_votes_that_are_wrong(save, gold, column, cell, words):
    file = save(with_cell(0, column, cell, VOTES, CRITICAL), CRITICAL)
    with pytest.raises(DataFileError, match=f"line 2: {words}"):
        load_mlqe(file, gold=gold)


def test_a_source_with_two_translations(save):
    file = save(with_cell(2, "translation", "Other."))
    words = "line 4: another translation than in line 2, which has the same source"
    with pytest.raises(DataFileError, match=words):
        load_mlqe(file, gold="hter")
    assert len(load_mlqe(file).X) == 8  # the translation's tokens are the same


@pytest.mark.parametrize(
    ("rows", "header", "words"),
    [
        ([], HEADER, "expected translations, found none"),
        (ROWS, [*HEADER[:-1], "da"], "line 1: expected one column 'da_scores'"),
        (ROWS, ["Source", *HEADER[1:]], "line 1: expected one column 'source'"),
        (ROWS, [*HEADER[:-1], "DA_mean"], "columns 6 and 8 of the header have one name"),
        ([*ROWS, ROWS[0][:-1]], HEADER, "line 6: expected 8 cells as in the header, found 7"),
    ],
)
def test_tables_that_are_wrong(save, rows, header, words):
    with pytest.raises(DataFileError, match=words):
        load_mlqe(save(rows, header), gold="da_z")


@pytest.mark.parametrize(
    "change",
    [
        lambda content: b"",
        lambda content: gzip.compress(content)[:-9],
        lambda content: content + b"\xff",
        lambda content: content.decode().encode("utf-16"),
    ],
)
def test_files_that_are_damaged(save, change):
    with pytest.raises(DataFileError, match=r"de-en\.train\.tsv"):
        load_mlqe(save(ROWS, change=change))


def test_options_that_there_are_not(save):
    file = save(ROWS)
    with pytest.raises(ValueError, match=r"gold must be .*'hter'.*'da'"):
        load_mlqe(file, gold="da")
    with pytest.raises(DataFileError, match="expected one column 'votes'"):
        load_mlqe(file, gold="votes")
    with pytest.raises(ValueError, match="return_X_y"):
        load_mlqe(file, return_X_y="yes")
    with pytest.raises(DataFileError, match="more than 10 bytes"):
        load_mlqe(file, max_bytes=10)


def test_as_judgements(save):
    file = save(ROWS)
    found = load_judgements(file)
    assert found.format == "mlqe" and found.n_segments == 4
    there = [(1, "mt"), (1, "post-edit"), (1, "post-edit2"), (2, "mt"), (2, "post-edit")]
    there += [(4, "mt"), (4, "post-edit")]
    assert sorted(found.translations.index) == there
    found = load_judgements(file, gold="da_z")
    metric = pd.Series([1.0, 3.0, 2.0], found.y.index)
    options = {"statistic": "pearson", "grouping": "none", "level": "segment", "n_resamples": 20}
    with pytest.warns(UndefinedMetricWarning, match="acc_eq"):  # no segment has two translations
        table = evaluate_metrics(found.y, {"m": metric}, **options).table
    assert table.loc["m", "pearson"] == pytest.approx(
        np.corrcoef([-2.5 / 3, 0.5, 0.25], metric)[0, 1]
    )


def test_on_the_command_line(save, tmp_path, capsys):
    file = save(ROWS)
    (tmp_path / "m.txt").write_text("".join(f"mt\t{k}\n" for k in (1, 3, 9, 2)))
    command = ["evaluate", str(file), "--gold", "da_mean", "--scores", f"m={tmp_path / 'm.txt'}"]
    main([*command, "--statistic", "pearson", "--grouping", "none", "--level", "segment",
          "-f", "json", "--resamples", "20"])  # fmt: skip
    out, err = capsys.readouterr()
    expected = np.corrcoef([30, 90.333333, 100], [1, 3, 2])[0, 1]
    assert json.loads(out)["metrics"][0]["statistics"]["pearson"]["value"] == pytest.approx(
        expected
    )
    assert "taken for --format mlqe" in err


PAIRS = ["en-de", "et-en", "ne-en", "ro-en", "si-en"]


def rows_of(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize(("part", "n"), [("dev", 1000), ("train", 7000)])
@pytest.mark.parametrize("pair", PAIRS)
def test_the_campaign(data_dir, pair, part, n):
    path = data_dir / "mlqe" / f"{pair}.{part}.tsv.gz"
    rows = rows_of(path)
    X, y = load_mlqe(path, return_X_y=True)
    assert len(X) == 2 * n == 2 * len(rows)
    equal = (X["hypothesis"].iloc[::2] == X["hypothesis"].iloc[1::2].to_numpy()).to_numpy()
    assert equal.sum() == sum(r["translation_tokenized"] == r["post_edit_tokenized"] for r in rows)
    assert 0.001 < equal.mean() < 0.5
    assert (y.iloc[::2][equal] == 0).all() and (y.iloc[1::2] == 0).all()
    scores, sources = defaultdict(list), {}
    for k, row in enumerate(rows, 1):
        segment = sources.setdefault(row["source"], k)
        scores[segment, "mt"] += json.loads(row["da_scores"])
    found = load_mlqe(path, gold="da_mean")
    expected = {key: -np.mean(values) for key, values in scores.items()}
    assert found.y.to_dict() == pytest.approx(expected, abs=1e-4)
    assert set(found.X["hypothesis"]) == {row["translation"] for row in rows}
    written = {row["translation"]: row["translation_tokenized"] for row in rows}
    spaced = sum(" ".join(text.split()) in set_of for text, set_of in zip(
        written, [set(X["hypothesis"])] * len(written), strict=True))  # fmt: skip
    assert spaced > 0.95 * len(written)  # detokenised as the system wrote them


@pytest.mark.parametrize(
    ("pair", "n", "critical"), [("en-de", 7878, 0.280), ("en-cs", 7476, 0.172)]
)
def test_critical_errors_of_the_campaign(data_dir, pair, n, critical):
    for part, size in (("train", n), ("dev", 1000)):
        path = data_dir / "mlqe" / f"critical.{pair}.{part}.tsv.gz"
        X, y = load_mlqe(path, return_X_y=True)
        rows = rows_of(path)
        assert len(X) == len(rows) == size
        assert y.tolist() == [float(row["critical"]) for row in rows]
        assert not X["hypothesis"].str.contains(r"\w [.,](?:\s|$)", regex=True).any()
    _, train = load_mlqe(data_dir / "mlqe" / f"critical.{pair}.train.tsv.gz", return_X_y=True)
    assert train.mean() == pytest.approx(critical, abs=5e-4)


def test_direct_assessments_alone(save):
    """As the task of WMT23 has them, under its own names of columns, and z may be missing."""
    header = ["index", "original", "translation", "scores", "mean", "z_scores", "z_mean"]
    rows = [
        ["0", "Eins", "One", "[80, 90]", "85.0", "[0.1, 0.5]", "0.3"],
        ["1", '"Ein ""x"""', "Two", "[0]", "0", "[-1]", ""],
    ]
    file = save(rows, header, "train.engu.df.short.tsv")
    judged = load_judgements(file)
    assert judged.format == "mlqe"
    assert judged.y.to_dict() == {(1, "mt"): -85.0, (2, "mt"): 0.0}
    assert judged.X["source"].tolist() == ["Eins", 'Ein "x"']
    assert judged.n_judgements.tolist() == [2, 1]
    with pytest.raises(DataFileError, match="line 3: da_z must be a number, found ''"):
        load_mlqe(file, gold="da_z")
    renamed = ["index", "source", "translation", "da_scores", "da_mean", "z_scores", "da_z"]
    assert load_judgements(save(rows, renamed)).y.equals(judged.y)


@pytest.mark.parametrize("pair", ["hi", "ta", "gu"])
def test_direct_assessments_of_the_campaign(data_dir, pair):
    judged = load_judgements(data_dir / "da" / f"en-{pair}.dev.tsv.gz")
    assert judged.target_language == pair
    assert judged.y.between(-100, 0).all()
    assert len(judged.y) == {"hi": 984, "ta": 1000, "gu": 1000}[pair]
    assert (judged.n_judgements >= 3).all()
