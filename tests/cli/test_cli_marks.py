"""--marks of score and rank: what a user reads, and what the command errors reads back."""

import io
import json
import re
from pathlib import Path

import pandas as pd
import pytest
from campaign_files import error_line, make_mtme, write
from word_marker import WordMarker

from sklearn_mteval import save_model
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_judgements, make_rankings
from sklearn_mteval.metrics import span_agreement
from sklearn_mteval.models import bleu_pipeline, marks

pytestmark = pytest.mark.filterwarnings("ignore:Empty lines")

REFERENCE = "the dog barks\nNBSP\u00a0here <v> x\n\nשלום עולם\n"
GOOD = "the dog barks\nNBSP\u00a0hero <v> x\n\nשלום עולם\n"
BAD = "a doggy😀 barks\n\n\nשלום <b>רע</b>\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder with texts and a model; the ready-made marker is one by a rule."""
    monkeypatch.chdir(tmp_path)
    X, y = make_rankings(20, 3, random_state=0)
    save_model(bleu_pipeline().fit(X, y), "model")
    for name, text in {"ref": REFERENCE, "good": GOOD, "bad": BAD}.items():
        Path(name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(marks, "load_pretrained", {marks.MARKER: WordMarker()}.__getitem__)
    return tmp_path


SCORE = ["score", "model", "-r", "ref", "-t"]


def written(capsys, *words):
    assert main([*SCORE, *words]) == 0
    return capsys.readouterr().out


def test_a_user_sees_words_severity_and_probability(capsys):
    out = written(capsys, "good", "bad", "--marks")
    lines = re.sub(r"score \S+", "score", out).splitlines()
    assert lines == [
        "1  good  score  error-free 100 %",
        "1  bad  score  error-free 20 %",
        "  minor 50 %  a  (0-1)",
        "  major 86 %  doggy😀  (2-8)",
        "2  good  score  error-free 33 %",
        "  minor 80 %  hero  (5-9)",
        "2  bad  score  error-free 100 %",
        "3  good  score  error-free –",
        "3  bad  score  error-free –",
        "4  good  score  error-free 100 %",
        "4  bad  score  error-free 33 %",
        "  major 90 %  <b>רע</b>  (5-14)",
    ]


def test_each_format_says_the_same(capsys):
    table = pd.read_csv(
        io.StringIO(written(capsys, "good", "bad", "--marks", "-f", "tsv")), sep="\t"
    )
    ratings = {
        (k, s): json.loads(cell)["errors"]
        for k, s, cell in table[["segment", "system", "errors"]].itertuples(index=False)
    }
    assert [error["words"] for error in ratings[1, "bad"]] == ["a", "doggy😀"]
    assert ratings[1, "bad"][1] == {
        "start": 2, "end": 8, "severity": "major", "probability": 0.8571, "words": "doggy😀"
    }  # fmt: skip
    assert ratings[1, "good"] == [] == ratings[3, "bad"]
    assert table["error_free"].round(4).tolist()[:2] == [1, 0.2]
    lines = written(capsys, "good", "bad", "--marks", "-f", "jsonl").splitlines()
    found = {
        (one["segment"], t["system"]): t["errors"]
        for one in map(json.loads, lines)
        for t in one["translations"]
    }
    assert found == ratings
    pytest.importorskip("pyarrow")
    written(capsys, "good", "bad", "--marks", "-f", "parquet", "-o", "out.parquet")
    frame = pd.read_parquet("out.parquet")
    assert [json.loads(cell)["errors"] for cell in frame["errors"]] == list(ratings.values())


def test_what_goes_into_a_file_is_a_table(capsys):
    assert written(capsys, "bad", "--marks", "-o", "out.tsv") == ""
    one = Path("out.tsv").read_text(encoding="utf-8")
    assert one.startswith("segment\tsystem\tscore\terror_free\terrors\n")
    assert one == written(capsys, "bad", "--marks", "-f", "tsv")


def test_windows_line_ends_standard_input_one_line_and_ranks(capsys, monkeypatch):
    plain = written(capsys, "bad", "--marks", "-f", "tsv")
    Path("crlf").write_bytes(BAD.replace("\n", "\r\n").encode())
    assert written(capsys, "crlf", "--marks", "-f", "tsv").replace("crlf", "bad") == plain
    stream = io.TextIOWrapper(io.BytesIO(BAD.encode()))
    monkeypatch.setattr("sys.stdin", stream)
    assert written(capsys, "-", "--marks", "-f", "tsv").replace("\t-\t", "\tbad\t") == plain
    Path("one").write_text("the cat\n")
    Path("other").write_text("the cat .")
    assert main(["score", "model", "-r", "one", "-t", "other", "--marks"]) == 0
    assert capsys.readouterr().out.endswith("error-free 33 %\n  minor 50 %  .  (8-9)\n")
    assert main(["rank", "model", "-r", "ref", "-t", "good", "bad", "--marks"]) == 0
    ranked = capsys.readouterr().out.splitlines()
    assert ranked[0].startswith("1  good  rank 1  strength ")
    assert ranked[2:4] == ["  minor 50 %  a  (0-1)", "  major 86 %  doggy😀  (2-8)"]


def test_what_does_not_go_with_marks(capsys):
    for words, message in (
        (["-f", "seg"], "--marks: the format seg has no place for marks"),
        (["--partitions", "parts"], "--marks does not go with --partitions"),
    ):
        assert main([*SCORE, "bad", *words, "--marks"]) == 1
        assert message in error_line(capsys, "score")
    assert main([*SCORE, "bad", "--marks", "model"]) == 1
    assert "model marks no errors: expected an ErrorMarker, found a Windowed" in error_line(
        capsys, "score"
    ).replace("RankingPipeline", "Windowed")


PAIR = "de-en"


def judged_campaign(folder):
    """A campaign whose annotator marked errors, and its systems' outputs."""
    make_mtme(folder, [PAIR])
    lines = []
    for system in ("system1", "system2", "system3"):
        for k in range(20):
            spans = [{"start": k % 3, "end": 4 + k % 3, "severity": "minor", "score": 1}] * (k % 2)
            lines.append(f"{system}\t" + json.dumps({"errors": spans}))
    write(folder / "human-scores" / f"{PAIR}.r.seg.rating", lines)
    return load_judgements(folder, lang_pair=PAIR, gold="r")


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_errors_measures_what_score_marks(folder, capsys, form):
    """Scored from the campaign's own files, read back, and as the function has it."""
    root = folder / "wmt99"
    judged = judged_campaign(root)
    texts = {
        name: root / folder_ for name, folder_ in (("r", "references"), ("t", "system-outputs"))
    }
    [reference] = sorted(texts["r"].glob(f"{PAIR}.refA*"))
    systems = sorted((texts["t"] / PAIR).glob("system*"))
    command = ["score", "model", "-r", reference, "-t", *systems, "--marks", "-f", form]
    assert main([*map(str, command), "-o", f"marks.{form}"]) == 0
    options = [root, "--lang-pair", PAIR, "--gold", "r", "--resamples", 5, "-f", "json"]
    options += ["--spans", f"marks.{form}"]
    if form == "tsv":
        options += ["--scores", "error_free=marks.tsv"]
    assert main(["errors", *map(str, options)]) == 0
    record = json.loads(capsys.readouterr().out)
    found = {row["name"]: row for row in record["spans"]}
    X = judged.X[["hypothesis"]].assign(reference=_references(judged, reference))
    X = X.droplevel([name for name in X.index.names if name not in ("segment", "system")])
    expected = span_agreement(
        judged.spans, marks.marks_of(WordMarker(), X).table, segments=judged.documents
    )
    assert found["marks"]["f_score"] == pytest.approx(expected.loc["f_score", "value"])
    assert found["marks"]["precision"] == pytest.approx(expected.loc["precision", "value"])
    assert 0 < expected.loc["f_score", "value"] < 1
    assert {"nothing marked", "everything marked"} <= set(found)
    if form == "tsv":
        assert "error_free" in {row["name"] for row in record["error_free_detection"]}


def _references(judged, path):
    lines = path.read_text(encoding="utf-8").split("\n")
    return [lines[k - 1] for k in judged.X.index.get_level_values("segment")]


def test_files_of_marks_that_are_wrong(folder, capsys):
    root = folder / "wmt99"
    judged_campaign(root)
    good = [f'{k}\tsystem{s}\t{{"errors": []}}' for s in (1, 2, 3) for k in range(1, 21)]
    header = "segment\tsystem\terrors"
    options = ["errors", str(root), "--format", "mtme", "--lang-pair", PAIR, "--gold", "r"]
    options += ["--resamples", "5"]
    for lines, message in (
        ([header, *good[1:]], "segment 1 of 'system1' was judged, but has no line of errors"),
        ([header, *good, good[0]], "line 62: a second list of errors of 'system1' in 1"),
        ([header, *good[1:], "1\tsystem1\t[]"], "line 61: expected an object with a list 'errors'"),
        ([header, *good[1:], "1\tsystem1\tx"], "line 61: expected JSON"),
        ([header, *good, "1\tother\t{}"], "expected an object with a list 'errors'"),
        ([header, *good, '1\tother\t{"errors": []}'], "the system 'other' does not exist"),
        (['{"segment": 1}'], "line 1: expected an object with 'segment' and a list 'translations'"),
        (['{"segment": 1, "translations": [{"errors": []}]}'], "expected the name of a system"),
        ([], "was judged, but has no line of errors"),
    ):
        write(folder / "marks.tsv", lines)
        assert main([*options, "--spans", "marks.tsv"]) == 1
        assert message in error_line(capsys, "errors"), message
    write(folder / "marks.tsv", [header, *good[1:]])
    assert main([*options, "--spans", "marks.tsv", "--missing", "skip"]) == 0
    assert "59 translations" in " ".join(capsys.readouterr().out.split())
