"""FILE of train, evaluate and compare: each format, what it is taken for, and mistakes."""

import json
import re
import shlex
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import openpyxl
import pytest
from campaign_files import error_line, make_campaign
from threadpoolctl import threadpool_limits

from sklearn_mteval import load_model
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_wmt, to_long

FEW = ["--metrics", "chrf", "--resamples", "9", "--permutations", "9", "--jobs", "1"]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A campaign, and its rankings in tables of each layout."""
    folder = tmp_path_factory.mktemp("own")
    make_campaign(folder / "wmt12", ["de-en"])
    wmt = load_wmt(folder / "wmt12", "de-en")
    long = to_long(wmt.X, wmt.y, judges=wmt.judges)
    long.to_csv(folder / "long.csv", index=False)
    long[["segment", "ranking", "system", "rank"]].to_csv(
        folder / "bare.tsv", sep="\t", index=False
    )
    pairs = long.merge(long, on=["segment", "source", "reference", "judge"], suffixes=("_a", "_b"))
    pairs = pairs[pairs["system_a"] < pairs["system_b"]]
    signs = (pairs["rank_a"] > pairs["rank_b"]) * 2 - (pairs["rank_a"] != pairs["rank_b"])
    pairs["winner"] = signs.map({-1: "model_a", 1: "model_b", 0: "tie"})
    pairs = pairs.drop(columns=["ranking_a", "ranking_b"])
    pairs.rename(columns={"segment": "id"}).to_json(
        folder / "pairs.jsonl", orient="records", lines=True
    )
    wide = long.pivot_table(["rank", "hypothesis"], ["segment", "source", "reference"], "system",
                            aggfunc="first")  # fmt: skip
    wide.columns = ["_".join(names) for names in wide.columns]
    wide.to_csv(folder / "wide.csv")
    return folder


@pytest.fixture
def run(tables, monkeypatch, capsys):
    """Run a command in the folder of tables; return what it wrote to either stream."""
    monkeypatch.chdir(tables)

    def run(*arguments):
        with threadpool_limits(1):
            status = main([*map(str, arguments)])
        out, err = capsys.readouterr()
        assert status == 0, err
        return out, err

    return run


def statistics(out):
    """Read the statistics of a report in JSON."""
    (entry,) = json.loads(out)["metrics"]
    return {name: values["value"] for name, values in entry["statistics"].items()}


TEXTS = ["-s", "wmt12/sources/newstest2012-src.de", "-r", "wmt12/references/newstest2012-ref.en",
         "-t", *(f"wmt12/system-outputs/newstest2012/de-en/newstest2012.de-en.{system}"
                 for system in ("system1", "system2", "system3"))]  # fmt: skip
GIVEN = {
    "long": ["long.csv", "--better", "lower"],
    "pairwise": ["pairs.jsonl", "--columns", "segment=id"],
    "wide": ["wide.csv", "--better", "lower"],
    "wmt": ["wmt12", "--lang-pair", "de-en"],
}


@pytest.mark.parametrize("format", GIVEN)
def test_each_format_says_the_same(format, run):
    expected, err = run(
        "evaluate", "wmt12", "--format", "wmt", "--lang-pair", "de-en", *FEW, "-f", "json"
    )
    assert err == ""
    expected = statistics(expected)
    out, err = run("evaluate", *GIVEN[format], *FEW, "-f", "json")
    assert err.startswith(f"{GIVEN[format][0]}: taken for --format {format}")
    found = statistics(out)
    same = {"wmt12": expected["wmt12"]} if format == "pairwise" else expected
    assert {name: found[name] for name in same} == pytest.approx(same)
    named, err = run("evaluate", *GIVEN[format], *FEW, "--format", format, "-f", "json")
    assert (named, err) == (out, "")


def test_texts_in_files(run):
    expected, _ = run("evaluate", *GIVEN["long"], *FEW, "-f", "tsv")
    out, _ = run("evaluate", "bare.tsv", "--better", "lower", *FEW, "-f", "tsv", *TEXTS)
    assert out.split("\t")[:30] == expected.split("\t")[:30]
    two = ["--metrics", "bleu", "ter"]
    out, _ = run("compare", "bare.tsv", "--better", "lower", *FEW, *two, *TEXTS)
    assert "p-values" in out


def test_standard_input(run, monkeypatch, tables):
    expected, _ = run("evaluate", *GIVEN["long"], *FEW, "-f", "tsv")
    stream = TextIOWrapper(BytesIO((tables / "long.csv").read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    out, err = run("evaluate", "-", "--better", "lower", *FEW, "-f", "tsv")
    assert out.rpartition("data:")[0] == expected.rpartition("data:")[0]
    assert err.startswith("-: taken for --format long")


def test_contradictions_are_reported(run, tables):
    (tables / "twice.csv").write_text(
        "segment,system_a,system_b,winner,hypothesis_a,hypothesis_b,reference\n"
        + "".join(f"{k},A,B,{w},x y,x z,x z\n" for k in range(1, 5) for w in ("model_a", "model_b"))
    )
    _, err = run("evaluate", "twice.csv", "--format", "pairwise", *FEW)
    assert "4 contradiction(s)" in err


@pytest.mark.slow
def test_train(run, tmp_path):
    model = tmp_path / "model"
    few = ["--features", "chrf", "--classifier", "logreg", "--no-progress", "-o", model]
    out, err = run("train", "pairs.jsonl", "--columns", "segment=id", *few)
    assert err.startswith("pairs.jsonl: taken for --format pairwise")
    assert "Trained on" in out and load_model(model)
    out, _ = run("train", "long.csv", "wide.csv", "--better", "lower", *few)
    assert re.search(r"Trained on [0-9]+ of 120 translations", out)
    of_format, _ = run("train", "wmt12", "--format", "wmt", "--lang-pair", "de-en", *few)
    of_file, err = run("train", "wmt12:de-en", *few)
    assert of_file == of_format and err == "wmt12: taken for --format wmt\n"
    config = tmp_path / "train.toml"
    config.write_text(
        'files = "bare.tsv"\nformat = "long"\nbetter = "lower"\nfeatures = "chrf"\n'
        f'classifier = "logreg"\nno-progress = true\noutput = "{model}"\n'
        f'source = "{TEXTS[1]}"\nreference = "{TEXTS[3]}"\ntranslations = {TEXTS[5:]}\n'
    )
    assert "Trained on" in run("train", "--config", config)[0]


ERRORS = {
    "no direction": (["evaluate", "long.csv", *FEW], "--better is missing"),
    "no texts": (["evaluate", "bare.tsv", "--better", "lower", *FEW], "no translations, which"),
    "an option of tables": (["leaderboard", "wmt12", "--lang-pair", "de-en", "--better", "lower"],
                            "--better belongs to a table of your own"),
    "an option of campaigns": (["evaluate", "long.csv", *FEW, "--gold", "esa"],
                               "--gold belongs to --format mlqe and mtme"),
    "no such column": (["evaluate", "long.csv", *FEW, "--columns", "points=rank"],
                       "--columns points=rank: expected NAME=COLUMN, NAME being one of segment"),
    "a column twice": (["evaluate", "long.csv", *FEW, "--columns", "judge=", "judge=x"],
                       "--columns names judge twice."),
    "no such verdict": (["evaluate", "pairs.jsonl", *FEW, "--columns", "segment=id", "--verdicts",
                         "x=won"], "--verdicts x=won: expected each word once, as WORD=a|b|tie"),
    "an input as output": (["evaluate", *GIVEN["long"], *FEW, "-o", "long.csv"],
                           "-o long.csv: an input of this command"),
    "other kinds": (["train", "long.csv", "wmt12", "--better", "lower", "-o", "m"],
                    "folders of WMT's rankings and other files cannot be mixed"),
    "no language pair": (["train", "wmt12", "-o", "m"], "the language pairs of wmt12 are missing"),
    "no translations": (["train", "bare.tsv", "--better", "lower", "-o", "m"],
                        "the translations are missing: give -t"),
    "one file twice": (["train", "long.csv", "./long.csv", "--better", "lower", "-o", "m"],
                       "Two of the tables are named 'long.csv'"),
    "other columns": (["train", "long.csv", "noref.csv", "--better", "lower", "-o", "m"],
                      "noref.csv has the columns ['hypothesis'], but long.csv has ['source'"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_mistakes(case, tables, monkeypatch, capsys):
    monkeypatch.chdir(tables)
    Path("noref.csv").write_text("segment,system,rank,hypothesis\n1,A,1,x\n1,B,2,y\n")
    arguments, message = ERRORS[case]
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    *said, last = err.splitlines()
    assert out == "" and all("taken for --format" in line for line in said)
    assert last.startswith(f"sklearn-mteval {arguments[0]}: error: ") and message in last


def test_a_verdict_for_each_word(run, tables):
    (tables / "words.csv").write_text(
        "left,right,who,reference,mt_l,mt_r\nA,B,left,x y,x y,z\nA,B,none,x y,x y,z\n"
    )
    columns = ["system=left,right", "judgement=who", "segment=", "hypothesis=mt_l,mt_r"]
    verdicts = ["left=a", "right=b", "none=both_bad"]
    out, _ = run("evaluate", "words.csv", "--format", "pairwise", "--columns", *columns,
                 "--verdicts", *verdicts, *FEW, "-f", "json", "--level", "segment")  # fmt: skip
    assert json.loads(out)["segments"] == 2 and statistics(out)["wmt12"] == 1


def test_errors_are_one_line(tables, monkeypatch, capsys):
    monkeypatch.chdir(tables)
    assert main(["evaluate", "none.csv", *FEW]) == 1
    assert "none.csv: cannot be read (No such file or directory)." in error_line(capsys, "evaluate")


PAGE = (Path(__file__).parents[2] / "docs" / "own_judgements.md").read_text(encoding="utf-8")
SHAPES = re.findall(r"^\| `([^`]+)` <br> `([^`]+)` \| `sklearn-mteval ([^`]+)` \|$", PAGE, re.M)
# By header what follows the first row, and how many translations are judged.
MORE = {
    "segment,system,score": ("1,old,35", 2),
    "segment,system,rank,annotator": ("1,old,2,Anna\n2,old,1,Ben\n2,ours,2,Ben", 4),
    "segment,system,Anna,Ben": ("1,old,35,71\n2,ours,9,8\n2,old,7,9", 8),
    "segment,ours,ours score,old,old score": ("2,Thanks.,70,Thank you.,71", 4),
    "segment,ours,old": ("2,70,71", 4),
    "segment,system_a,system_b,winner": ("2,old,ours,tie", 4),
    "Satz-Nr.,System A,System B,Bewertung": ("2,old,ours,etwas schlechter", 4),
    "segment,system_a,system_b,preference": ("2,old,ours,1\n3,old,ours,0", 6),
    "segment,left,right,choice": ("2,old,ours,R\n3,old,ours,none", 6),
    "segment,translation A,translation B,better": ("2,Thanks.,Ta.,B", 4),
    "segment,source,ours,old,online,best": ("2,Danke.,Thanks.,Ta.,Thank you.,ours", 6),
    "segment,ours,old,online": ("2,x,,", 6),
    "src,mt,ref,score": ("Guten Tag.,Hi.,Hello.,0.2\nDanke.,Thanks.,Thanks.,0.8\n"
                         "Danke.,No.,Thanks.,0.1", 4),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape[0])
def test_the_sheets_of_the_guide(shape, tmp_path, monkeypatch, capsys):
    header, first, command = shape
    more, n_judged = MORE[header]
    monkeypatch.chdir(tmp_path)
    Path("sheet.csv").write_text("\n".join([header, first, more, ""]), encoding="utf-8")
    assert main([*shlex.split(command), "--dry-run"]) == 0
    assert f"judged translations: {n_judged}\n" in capsys.readouterr().out
    few = ["--resamples", "9"] + ["--permutations", "9"] * ("compare" in command)
    with threadpool_limits(1):
        assert main([*shlex.split(command), *few]) == 0, capsys.readouterr().err


def test_the_second_sheet_of_the_guide(tmp_path, monkeypatch, capsys):
    [command] = re.findall(r"`sklearn-mteval ([^`]+ --sheet Ratings)`", PAGE)
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    for row in (["segment", "system", "score"], [1, "ours", 80], [1, "old", 35]):
        book.create_sheet("Ratings") if "Ratings" not in book.sheetnames else None
        book["Ratings"].append(row)
    book.save("sheet.xlsx")
    assert main([*shlex.split(command), "--dry-run"]) == 0
    assert "judged translations: 2\n" in capsys.readouterr().out
    assert len(SHAPES) == len(MORE) and PAGE.index("| your sheet |") < 600


@pytest.mark.slow
def test_the_commands_of_the_guide(tmp_path, monkeypatch, capsys):
    """They run as they stand, on the files that the page writes."""
    monkeypatch.chdir(tmp_path)
    exec("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), {})
    commands = re.findall(r"^sklearn-mteval (.*)$", PAGE, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        with threadpool_limits(1):
            assert main(shlex.split(command)) == 0, capsys.readouterr().err
    assert load_model("my-model")
