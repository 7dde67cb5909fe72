"""rank and score: which system is better, by document, without what is blank everywhere."""

import json

import pandas as pd
import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_sample, load_scores

SYSTEMS = ["online", "rule"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Forty lines, four of which are blank in all files; documents of four lines."""
    monkeypatch.chdir(tmp_path)
    X, _ = load_sample(return_X_y=True)
    parts = {name: X.xs(name, level="system")[:36] for name in SYSTEMS}
    columns = {"src": parts["rule"]["source"], "ref": parts["rule"]["reference"]}
    columns |= {name: part["hypothesis"] for name, part in parts.items()}
    lines = {name: [*column[:8], *[" "] * 4, *column[8:]] for name, column in columns.items()}
    for name, texts in lines.items():
        (tmp_path / name).write_text("\n".join([*texts, ""]))
    documents = [f"d{k // 4}" for k in range(40)]
    (tmp_path / "docs").write_text("\n".join([*documents, ""]))
    rows = [
        {"segment": k + 1, "system": system, "hypothesis": lines[system][k], "document": name}
        | {"source": lines["src"][k], "reference": lines["ref"][k]}
        for k, name in enumerate(documents)
        for system in SYSTEMS
    ]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    renamed = [{("doc" if k == "document" else k): v for k, v in row.items()} for row in rows]
    (tmp_path / "renamed.jsonl").write_text("\n".join(map(json.dumps, renamed)))
    return tmp_path


GIVEN = ["static-en", "-s", "src", "-r", "ref", "-t", *SYSTEMS]


def test_what_is_blank_everywhere_keeps_its_line(folder, capsys):
    assert main(["score", *GIVEN, "-o", "scores"]) == 0
    err = capsys.readouterr().err
    assert err.startswith("online is better than rule by 0.")
    assert err.count("4 of 40 segments are blank in all texts, and left out.") == 1
    found = load_scores(folder / "scores", SYSTEMS, 40).iloc[:, 0]
    missing = found.isna().groupby(level="segment").all()
    assert missing.tolist() == [8 <= k < 12 for k in range(40)]
    assert main(["rank", *GIVEN, "--pairs", "pairs", "--systems", "systems"]) == 0
    out, err = capsys.readouterr()
    assert err.startswith("online is better than rule by 0.") and err.count("\n") == 1
    assert out.splitlines()[17] == "9\tonline\t1\t\t"
    (pair,) = pd.read_csv("pairs", sep="\t").to_dict("records")
    assert (pair["system"], pair["other"]) == ("online", "rule") and pair["p_value"] < 0.05
    table = pd.read_csv("systems", sep="\t")
    assert table["letters"].tolist() == ["a", "b"] and table["segments"].tolist() == [36, 36]


@pytest.mark.parametrize(
    "more",
    [
        [*GIVEN, "--documents", "docs"],
        ["static-en", "--candidates", "c.jsonl"],
        ["static-en", "--candidates", "renamed.jsonl", "--columns", "document=doc"],
        ["static-en", "--candidates", "renamed.jsonl", "--documents", "docs"],
    ],
)
def test_documents(folder, capsys, more):
    assert main(["rank", *more]) == 0
    _, err = capsys.readouterr()
    assert "Intervals and tests are by document (only 9), with Student's t." in err
    main(["rank", *more[:3], *more[3:], "--html", "page.html"])
    page = (folder / "page.html").read_text()
    assert "online is better than rule by 0." in page and "Each two systems" in page
    assert "blank in all texts, and left out" in page


def test_one_document_of_all_lines_says_nothing(folder, capsys):
    (folder / "one").write_text("test set\n" * 40)
    said = []
    for more in ([], ["--documents", "one"]):
        assert main(["score", *GIVEN, *more]) == 0
        said.append(capsys.readouterr())
    assert said[0] == said[1]
    assert "Intervals are by segment: if several are of one document" in said[0].err


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ([*GIVEN, "--documents", "short"], "short: expected a line for each segment"),
        ([*GIVEN, "--documents", "long"], "long: expected a line for each segment, 40, found 41"),
        ([*GIVEN, "--documents", "docs", "--partitions", "x"], "--documents does not go with"),
        (["static-en", "--candidates", "c.jsonl", "--columns", "document=x"], "no column 'x'"),
    ],
)
def test_wrong_documents(folder, capsys, more, problem):
    for name, n in (("short", 39), ("long", 41)):
        (folder / name).write_text("d\n" * n)
    assert main(["score", *more]) == 1
    out, err = capsys.readouterr()
    assert not out and problem in err
