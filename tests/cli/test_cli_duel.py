"""The command ``duel``: the numbers of ``rank``, and clear errors."""

import json

import pandas as pd
import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_sample


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two systems of forty segments, in five documents."""
    folder = tmp_path_factory.mktemp("duel")
    X, _ = load_sample(return_X_y=True)
    X = X[~X.index.duplicated()]
    for name in ("neural", "rule"):
        texts = X.xs(name, level="system")["hypothesis"][:40]
        (folder / name).write_text("\n".join(texts) + "\n")
    for name in ("source", "reference"):
        texts = X.xs("rule", level="system")[name][:40]
        (folder / name).write_text("\n".join(texts) + "\n")
    (folder / "documents").write_text("".join(f"d{k // 8}\n" for k in range(40)))
    (folder / "domains").write_text("".join(f"{'talk' if k % 4 else 'news'}\n" for k in range(40)))
    return folder


TEXTS = ["-s", "source", "-r", "reference", "--model", "static-en", "--no-progress"]


@pytest.mark.parametrize("more", [[], ["--documents", "documents", "--confidence", "0.9"]])
def test_the_same_numbers_as_rank(folder, monkeypatch, tmp_path, capsys, more):
    monkeypatch.chdir(folder)
    pairs, ranks = (str(tmp_path / name) for name in ("pairs", "ranks"))
    assert main(["rank", "-t", "neural", "rule", *TEXTS, *more, "-o", ranks, "--pairs", pairs]) == 0
    said_by_rank = capsys.readouterr().err
    assert main(["duel", "neural", "rule", *TEXTS, *more, "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    row = pd.read_csv(pairs, sep="\t").iloc[0]
    sign = 1 if row["system"] == "neural" else -1
    expected = [sign * row["difference"], *sorted((sign * row["low"], sign * row["high"]))]
    assert [found[name] for name in ("difference", "low", "high")] == pytest.approx(expected)
    assert found["p_value"] == pytest.approx(row["p_value"])
    assert main(["duel", "-t", "neural", "rule", *TEXTS, *more]) == 0
    answer = " ".join(capsys.readouterr().out.split("\n\n")[0].split())
    number = f"{abs(found['difference']):.4f} ["
    assert number in answer and number in said_by_rank


def test_the_page_and_domains(folder, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(folder)
    page = tmp_path / "duel.html"
    words = ["duel", "neural", "rule", *TEXTS, "--domains", "domains", "--html", str(page)]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "\nnews" in out and "\ntalk" in out
    text = page.read_text(encoding="utf-8")
    answer = " ".join(out.split("\n\n")[0].split())
    assert answer in text and 'id="duel"' in text


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ("nowhere", "nowhere"),
        ("short", "short"),
        ("empty", "empty"),
    ],
)
def test_files_that_cannot_be_compared(folder, monkeypatch, tmp_path, capsys, second, said):
    monkeypatch.chdir(folder)
    (folder / "short").write_text("one line\n")
    (folder / "empty").write_text("")
    assert main(["duel", "neural", second, *TEXTS]) == 1
    assert said in capsys.readouterr().err


def test_a_file_twice(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["duel", "rule", "rule", *TEXTS]) == 1
    assert "rule" in capsys.readouterr().err


def test_wrong_documents(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["duel", "neural", "rule", *TEXTS, "--domains", "empty"]) == 1
    assert "expected a line for each segment, 40" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["neural"], [], ["neural", "-t", "rule", "rule"]])
def test_two_systems_are_asked_for(folder, monkeypatch, capsys, words):
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit, match="2"):
        main(["duel", *words, "-r", "reference"])
    assert "expected the outputs of two systems, found" in capsys.readouterr().err
