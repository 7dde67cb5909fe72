"""The command challenge: what it prints is what the function finds."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from sklearn_mteval import save_model
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_translations
from sklearn_mteval.evaluation import challenge
from sklearn_mteval.models import bleu_pipeline
from sklearn_mteval.report import report_text


@pytest.fixture(scope="module")
def fitted(sample):
    X, y = sample
    return bleu_pipeline().fit(X[:300], y[:300])


@pytest.fixture
def folder(tmp_path, fitted, sample, monkeypatch):
    X, _ = sample
    save_model(fitted, tmp_path / "mine")
    one = X.xs("rule", level="system")[:40]
    texts = {"src": one["source"], "ref": one["reference"], "A": one["hypothesis"]}
    texts["B"] = X.xs("neural", level="system")["hypothesis"][:40]
    for name, column in texts.items():
        (tmp_path / name).write_text("".join(f"{text}\n" for text in column), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def output(capsys, *arguments):
    assert main(["challenge", *map(str, arguments)]) == 0
    return capsys.readouterr()


def problem(capsys, *arguments):
    assert main(["challenge", *map(str, arguments)]) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    return said.err.removeprefix("sklearn-mteval challenge: error: ").strip()


def test_on_the_sample(folder, fitted, sample, capsys):
    said = output(capsys, "mine", "--segments", 9, "--seed", 3)
    expected = challenge(fitted, *sample, name="mine", n_segments=9, random_state=3)
    assert said.out == report_text(expected)
    assert said.err.startswith("no -t: the sample of 128")


def test_on_files(folder, fitted, capsys):
    given = ["mine", "-s", "src", "-r", "ref", "-t", "A", "B", "--kinds", "empty", "number"]
    said = output(capsys, *given, "--metrics", "ter", "-f", "json", "-o", "out.json")
    X = load_translations(["A", "B"], "src", ["ref"])
    expected = challenge(fitted, X, kinds=["empty", "number"], metrics=["ter"], name="mine")
    assert said == ("", "")
    text = (folder / "out.json").read_text()
    assert json.loads(text) == json.loads(report_text(expected, "json"))


def test_documents(folder, fitted, capsys):
    """Segments of a document vary together; a file with too few lines is refused."""
    given = ["mine", "-r", "ref", "-s", "src", "-t", "A", "B", "--kinds", "empty", "doubled"]
    (folder / "docs").write_text("".join(f"d{k // 8}\n" for k in range(40)))
    said = output(capsys, *given, "--documents", "docs")
    X = load_translations(["A", "B"], "src", ["ref"])
    labels = pd.Series([f"d{(k - 1) // 8}" for k in range(1, 41)], range(1, 41))
    kinds = ["empty", "doubled"]
    expected = challenge(fitted, X, kinds=kinds, name="mine", documents=labels)
    assert said.out == report_text(expected)
    assert "clusters:documents" in said.out and "those of a document" in said.out
    (folder / "docs").write_text("a\n")
    assert "docs: expected a line for each segment, 40, found 1" in problem(
        capsys, *given, "--documents", "docs"
    )


def test_one_system_without_source(folder, capsys):
    said = output(capsys, "mine", "-r", "ref", "-t", "A", "--kinds", "empty", "doubled")
    assert said.err.startswith("no -s") and "doubled" in said.out


def test_translations_into_another_language(folder, capsys):
    """German ones here: the kinds for English are left out, unless asked for."""
    lines = (folder / "src").read_text(encoding="utf-8").splitlines()
    (folder / "de").write_text("".join(f"Ja , {line}\n" for line in lines), encoding="utf-8")
    said = output(capsys, "mine", "-s", "ref", "-r", "src", "-t", "de", "--segments", "5")
    assert "not English" in said.err and "reference_number" in said.out
    assert not re.search("^(name|negation|reference_name) ", said.out, re.MULTILINE)
    said = output(capsys, "mine", "-r", "src", "-t", "de", "--kinds", "name", "empty")
    assert "not English" not in said.err and re.search("^name ", said.out, re.MULTILINE)


def test_plots(folder, capsys):
    output(capsys, "mine", "--kinds", "empty", "--plots", "pictures", "--segments", "5")
    assert (folder / "pictures" / "challenge.png").read_bytes()[1:4] == b"PNG"


@pytest.mark.filterwarnings("ignore:Empty lines")
def test_what_is_wrong_is_said(folder, capsys):
    assert "-s, -r or --documents without -t" in problem(capsys, "mine", "-r", "ref")
    assert "give -r" in problem(capsys, "mine", "-t", "A", "B")
    assert "found 'typo'" in problem(capsys, "mine", "--kinds", "typo")
    assert "--segments must be an integer" in problem(capsys, "mine", "--segments", "0")
    assert "metrics" in problem(capsys, "mine", "--metrics", "typo")
    assert "typo" in problem(capsys, "typo")
    assert "an input" in problem(capsys, "mine", "-r", "ref", "-t", "A", "-o", "A")
    assert (folder / "A").read_text() != ""
    (folder / "E").write_text("\n" * 40)
    assert "applies to any" in problem(capsys, "mine", "-r", "ref", "-t", "E")


@pytest.mark.slow
def test_the_guide_shows_what_is_printed(capsys):
    """After training static-en anew, docs/make_challenge_picture.py puts the table there."""
    page = (Path(__file__).parents[2] / "docs" / "challenges.md").read_text(encoding="utf-8")
    table = re.search(r"```text\n(.*?)```", page, re.DOTALL)[1]
    printed = output(capsys, "static-en").out
    assert table.strip() == printed.partition("\n\nColumns say")[0].strip()
