"""--html of the commands: one page each, whole or not at all."""

import base64
import gzip
import json
import re
import sys
from pathlib import Path

import pandas as pd
import pytest
from consensus_model import saved_consensus_model

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.models import bleu_pipeline
from sklearn_mteval.persistence import save_model
from sklearn_mteval.report.html import segments


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model, texts of three systems and judgements."""
    folder = tmp_path_factory.mktemp("files")
    X, y = load_sample(return_X_y=True)
    X, y = (part[X.index.get_level_values("segment").isin(range(1, 31))] for part in (X, y))
    save_model(bleu_pipeline().fit(X, y), folder / "model")
    table = X.assign(rank=y).reset_index()[
        ["segment", "system", "source", "reference", "hypothesis", "rank"]
    ]
    table.to_csv(folder / "judged.csv", index=False)
    texts = X["hypothesis"].groupby(level=["segment", "system"]).first().reset_index()
    texts = texts.pivot_table("hypothesis", "segment", "system", aggfunc="first")
    for name in list(texts)[:3]:
        (folder / name).write_text("\n".join(texts[name]) + "\n")
    for name in ("source", "reference"):
        column = X[name].groupby(level="segment").first()
        (folder / name).write_text("\n".join(column) + "\n")
    (folder / "names").write_text(" ".join(list(texts)[:3]))
    return folder


def commands(folder):
    texts = ["-s", "source", "-r", "reference", "-t", *(folder / "names").read_text().split()]
    few = ["--resamples", "20"]
    own = [
        "judged.csv",
        "--better",
        "lower",
        "--metrics",
        "bleu",
        "chrf",
        "--permutations",
        "20",
        *few,
    ]
    return {
        "rank": ["rank", "model", *texts, *few],
        "score": ["score", "model", *texts, *few],
        "evaluate": ["evaluate", *own, "--model", "model"],
        "compare": ["compare", *own],
        "leaderboard": ["leaderboard", "judged.csv", "--better", "lower", *few],
        "challenge": ["challenge", "model", "--segments", "4", "--kinds", "empty", "number"],
        "train": ["train", "judged.csv", "--better", "lower", "--features", "bleu",
                  "--classifier", "logreg", "--from", "nothing", "--even-if-worse"],
    }  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        *["rank", "score", "evaluate", "compare", "leaderboard", "challenge"],
        pytest.param("train", marks=pytest.mark.slow),
    ],
)
def test_each_command_writes_a_page(folder, tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(folder)
    words = commands(folder)[name]
    output = ["-o", str(tmp_path / "out")]
    assert main([*words, "--html", str(tmp_path / "report.html"), *output, "--no-progress"]) == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    summary = re.search(r'<section id="summary".*?</section>', text, re.DOTALL)[0]
    assert summary.count("<p") >= 2
    judged_by_a_model = name in ("rank", "score", "challenge")
    assert ('<p dir="auto">How far ' in summary) == judged_by_a_model
    assert summary.index('class="answer"') < summary.index("<svg")  # no page without a picture
    assert 'id="data"' in text and "<caption>" in text
    assert ("data:image/svg+xml" in text) == (name not in {"leaderboard", "challenge"})
    assert f"sklearn-mteval {words[0]}" in text
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "out"}
    assert f"page: {tmp_path / 'report.html'}\n" in capsys.readouterr().err
    if name != "train":  # what else is written does not depend on it
        before = (tmp_path / "out").read_bytes()
        assert main([*words, *output, "--no-progress"]) == 0
        assert (tmp_path / "out").read_bytes() == before
    capsys.readouterr()


def printing(tmp_path, monkeypatch, script):
    """Make a script of Python the browser."""
    path = tmp_path / "browser"
    path.write_text(f"#!{sys.executable}\nimport sys\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("SKLEARN_MTEVAL_BROWSER", str(path))


COPIES = """
pdf = next(a for a in sys.argv if a.startswith("--print-to-pdf=")).split("=", 1)[1]
page = open(sys.argv[-1].removeprefix("file://"), "rb").read()
open(pdf, "wb").write(b"%PDF-" + page)
"""


@pytest.mark.parametrize("with_page", [True, False])
@pytest.mark.parametrize("name", ["rank", "leaderboard"])
def test_the_page_is_printed(folder, tmp_path, monkeypatch, capsys, name, with_page):
    """The same page, whose segments are there at once."""
    monkeypatch.chdir(folder)
    printing(tmp_path, monkeypatch, COPIES)
    page, pdf = tmp_path / "page.html", tmp_path / "page.pdf"
    html = ["--html", str(page)] if with_page else []
    assert main([*commands(folder)[name], *html, "--pdf", str(pdf), "-o", str(tmp_path / "o")]) == 0
    there = {path.name for path in tmp_path.iterdir()}
    assert there == {"browser", "o", "page.pdf"} | ({"page.html"} if with_page else set())
    assert f"printed page: {pdf}\n" in capsys.readouterr().err
    printed = pdf.read_text(encoding="utf-8").removeprefix("%PDF-")
    data = re.search('"application/json" id="data">([^<]*)<', printed)[1]
    assert len(json.loads(data)["segments"]) == 30
    if with_page:
        shown = page.read_text(encoding="utf-8")
        packed = re.search('"application/octet-stream" id="data">([^<]*)<', shown)[1]
        assert gzip.decompress(base64.b64decode(packed)).decode() == data
        printed = printed.replace(data, packed).replace(
            "application/json", "application/octet-stream", 1
        )
        assert printed == shown


def test_a_browser_that_fails_leaves_what_was_there(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    printing(tmp_path, monkeypatch, "sys.exit('no display')")
    pdf = tmp_path / "page.pdf"
    pdf.write_text("old")
    assert main([*commands(folder)["leaderboard"], "--pdf", str(pdf)]) == 1
    assert "failed with status 1. Its last words: no display" in capsys.readouterr().err
    assert pdf.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"browser", "page.pdf"}


def test_too_many_segments_stand_beside(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(segments.SegmentSample.__init__, "__defaults__", (20, None))
    page = tmp_path / "report.html"
    assert main([*commands(folder)["rank"], "--html", str(page), "-o", str(tmp_path / "o")]) == 0
    with gzip.open(tmp_path / "report.segments.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    assert [one["id"] for one in found] == [str(k) for k in range(1, 31)]
    assert "6 of 30 segments" in page.read_text() and "report.segments.jsonl.gz" in page.read_text()
    capsys.readouterr()


def test_without_matplotlib_there_is_a_page(folder, tmp_path, monkeypatch, capsys):
    from sklearn_mteval.report import plots_of_results

    monkeypatch.setattr(plots_of_results, "find_spec", lambda name: None)
    monkeypatch.chdir(folder)
    page = tmp_path / "report.html"
    assert main([*commands(folder)["evaluate"], "--html", str(page)]) == 0
    assert "<figure>" not in page.read_text() and "sklearn-mteval[plots]" in page.read_text()
    capsys.readouterr()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--html", "-"], "--html -: a page to look at is a file"),
        (["--html", ""], "--html ''"),
        (["--html", "no/such/page.html"], "No such folder"),
        (["--html", "source"], "source: an input of this command"),
        (["--html", "same", "-o", "same"], "are one file"),
        (["--html", "page.html", "--partitions", "work"], "--html and --pdf show texts"),
        (["--pdf", "-"], "--pdf -: a PDF is a file"),
        (["--pdf", "no/such/page.pdf"], "No such folder"),
        (["--pdf", "same", "--html", "same"], "are one file"),
    ],
)
def test_what_cannot_be_written_is_told_before_any_work(
    folder, tmp_path, monkeypatch, capsys, options, problem
):
    monkeypatch.chdir(folder)
    printing(tmp_path, monkeypatch, "sys.exit('is not called')")
    before = {path.name for path in folder.iterdir()}
    assert main([*commands(folder)["rank"], *options]) == 1
    assert problem in capsys.readouterr().err
    assert {path.name for path in folder.iterdir()} == before


def test_without_a_browser_nothing_is_worked_on(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SKLEARN_MTEVAL_BROWSER", "nowhere")
    output = ["--pdf", str(tmp_path / "page.pdf"), "-o", str(tmp_path / "out")]
    assert main([*commands(folder)["rank"], *output]) == 1
    assert "names 'nowhere', which is no program" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_each_language_pair_has_a_page(tmp_path, monkeypatch):
    from sklearn_mteval.cli._html import of_pair

    assert of_pair("a/report.html", "de-en") == str(Path("a/report.de-en.html"))
    assert of_pair(None, "de-en") is None


def test_judgements_without_texts_have_tables(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [(k, s, r) for k in range(5) for s, r in (("A", 1), ("B", 2))]
    pd.DataFrame(rows, columns=["segment", "system", "rank"]).to_csv("j.csv", index=False)
    assert (
        main(["leaderboard", "j.csv", "--better", "lower", "--html", "p.html", "--resamples", "20"])
        == 0
    )
    text = Path("p.html").read_text()
    assert "<caption>" in text and 'id="segments"' not in text
    capsys.readouterr()


@pytest.fixture
def esa(tmp_path):
    """An export of Appraise of three systems, and its texts, in mt-metrics-eval's layout."""
    for folder in ("sources", "references", "system-outputs/en-cs"):
        (tmp_path / folder).mkdir(parents=True)
    rows = []
    for name in ("A", "B", "C"):
        path = tmp_path / "system-outputs" / "en-cs" / f"{name}.txt"
        path.write_text("".join(f"kocka {name} {k}\n" for k in range(3)))
        error = '"[{""start_i"": 0, ""end_i"": 4, ""severity"": ""major""}]"'
        rows += [
            f"j,{name},{k},TGT,eng,ces,{ord(name)},d,False,{error},1.0,2.0\n" for k in range(3)
        ]
    (tmp_path / "sources" / "en-cs.txt").write_text("a cat\n" * 3)
    (tmp_path / "references" / "en-cs.refA.txt").write_text("kocka\n" * 3)
    (tmp_path / "esa.csv").write_text("".join(rows))
    return tmp_path


def segments_of(page):
    data = re.search('id="data">([^<]*)<', page.read_text())[1]
    return json.loads(gzip.decompress(base64.b64decode(data)))["segments"]


def texts_of(esa, kind):
    """Name the folder of texts, or each file."""
    if kind == "folder":
        return ["--texts", str(esa)]
    files = sorted(map(str, (esa / "system-outputs" / "en-cs").iterdir()))
    reference = str(esa / "references" / "en-cs.refA.txt")
    return ["-s", str(esa / "sources" / "en-cs.txt"), "-r", reference, "-t", *files]


@pytest.mark.parametrize("texts", ["folder", "files"])
def test_a_leaderboard_shows_errors_that_annotators_marked(esa, texts, capsys):
    """As Appraise exports them, the end included, of the systems that are compared."""
    command = ["leaderboard", str(esa / "esa.csv"), "--format", "esa", *texts_of(esa, texts)]
    command += ["--without", "B", "--resamples", "20", "--html", str(esa / "page.html")]
    assert main(command) == 0
    segments = segments_of(esa / "page.html")
    assert len(segments) == 3
    for segment in segments:
        assert (segment["source"], segment["references"]) == ("a cat", ["kocka"])
        assert sorted(one["system"] for one in segment["translations"]) == ["A", "C"]
        for one in segment["translations"]:
            (span,) = one["spans"]
            assert (span["start"], span["end"], span["severity"]) == (0, 5, "major")
            assert (span["judge"], one["judges"]) == ("j", ["j"])
    capsys.readouterr()


@pytest.mark.filterwarnings("ignore::UserWarning")  # there are few of everything
@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "--resamples", "20", "--permutations", "20"],
        ["errors", "--resamples", "20"],
        ["decision-table", "--level", "segment"],
    ],
)
def test_pages_show_texts_given_beside_judgements(esa, command, capsys):
    name, *options = command
    rows = [row.split(",", 7) for row in (esa / "esa.csv").read_text().splitlines()]
    for row in rows:  # each line a document; C is without error
        row[7] = f"d{row[2]}" + row[7].removeprefix("d")
        if row[1] == "C":
            row[6:] = ["90", f"d{row[2]},False,[],1.0,2.0"]
    (esa / "esa.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    (esa / "references" / "en-cs.refA.txt").write_text("kocka A\n" * 3)
    page = ["--html", str(esa / "page.html")]
    given = [str(esa / "esa.csv"), *texts_of(esa, "files"), "--metrics", "chrf"]
    assert main([name, *given, *options, *page]) == 0
    texts = {one["text"] for s in segments_of(esa / "page.html") for one in s["translations"]}
    assert texts == {f"kocka {system} {k}" for system in "ABC" for k in range(3)}
    capsys.readouterr()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["-s", "x"], "give -t"),
        (["-t", "x", "--texts", "y"], "leave out -s, -r and -t"),
        (["-t", "{A}", "{B}"], "the system 'C' has no output among the texts; there are 'A', 'B'"),
    ],
)
def test_texts_that_do_not_go_with_an_export(esa, given, message, capsys):
    names = {name: esa / "system-outputs" / "en-cs" / f"{name}.txt" for name in "AB"}
    (esa / "y").mkdir()
    (esa / "x").write_text("x\n")
    given = [text.format(**names) for text in given]
    given = [str(esa / text) if text in ("x", "y") else text for text in given]
    command = ["leaderboard", str(esa / "esa.csv"), *given, "--html", str(esa / "page.html")]
    assert main(command) == 1
    assert message in capsys.readouterr().err
    assert not (esa / "page.html").exists()


@pytest.mark.filterwarnings("ignore:The model tells how far systems agree")
def test_what_nobody_has_given_is_neither_shown_nor_warned_of(
    folder, tmp_path, monkeypatch, capsys
):
    """A model that can do without sources reads empty ones."""
    monkeypatch.chdir(folder)
    texts = ["-t", *(folder / "names").read_text().split()]
    page = tmp_path / "page.html"
    saved_consensus_model("agreeing")
    assert main(["rank", "agreeing", *texts, "--resamples", "20", "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    data = re.search('id="data">([^<]*)<', text)[1]
    segments = json.loads(gzip.decompress(base64.b64decode(data)))["segments"]
    assert len(segments) == 30 and not any("source" in one for one in segments)
    assert any("why" in one for one in segments) and "of the sources" not in text
    capsys.readouterr()
