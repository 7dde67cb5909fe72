"""Names that are formulas, tags or commands elsewhere: in every format, of every report, names."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.spreadsheets import name_in
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_scores
from sklearn_mteval.evaluation import challenge, compare_metrics, evaluate_metrics, leaderboard
from sklearn_mteval.models import rank_systems, score_systems
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.report import report_text
from sklearn_mteval.report.formats import formats_of, tab_separated, write
from sklearn_mteval.report.reranking import as_choices
from sklearn_mteval.report.scores import as_ranks, as_scores, system_text

NAMES = [
    "=cmd|' /C calc'!A0", "@SUM(A1:A9)", "+1+2", "-2+3", "'=quoted", "''", "<script>x</script>",
    "a|b", "`rm`", "[x](javascript:y)", "&lt;", "\\input{x}", "50 % $x$ {y}_#~^", "--", "a--b",
    "esc\x1b[2J", "two\nlines", "tab\tbed", 'say "it"', "\u202emirrored",
]  # fmt: skip


class Zero(BaseEstimator):
    """A ranker who knows nothing."""

    def decision_function(self, X):
        return np.zeros(len(X))


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([range(12), NAMES], names=["segment", "system"])
    X = pd.DataFrame({"hypothesis": "x"}, index=index)
    return X, pd.Series(rng.permuted(np.tile(np.arange(20.0), (12, 1)), axis=1).ravel(), index)


@pytest.fixture(scope="module")
def results(judged):
    X, y = judged
    metrics = {name: -y + k * np.sin(np.arange(len(y))) for k, name in enumerate(NAMES[:9])}
    evaluation = evaluate_metrics(y, metrics, n_resamples=5)
    board = leaderboard(X, y, n_resamples=5)
    compared = compare_metrics(
        y, {name: metrics[name] for name in NAMES[:4]}, n_resamples=5, n_permutations=9
    )
    return {
        "evaluation": lambda form: report_text(evaluation, form),
        "comparison": lambda form: report_text(compared, form),
        "leaderboard": lambda form: report_text(board, form),
    }


def check(text, form, names):
    """What must hold of a format, whatever the names; all names but their odd signs are there."""
    if form == "tsv":
        rows = list(csv.reader(io.StringIO(text), delimiter="\t"))
        assert len({len(row) for row in rows}) == 1
        for cell in (cell for row in rows for cell in row):
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")) or float(cell) <= 0
        assert set(names) <= {name_in(cell) for row in rows for cell in row}
    elif form.startswith("json"):
        assert all(json.loads(line) for line in (text.splitlines() if form == "jsonl" else [text]))
    elif form == "markdown":
        assert "<" not in text and not re.search(r"(?<!\\)\[x\]\(", text)
        tables = re.findall(r"(?:^\|.*\|\n)+", text, re.M)
        widths = [{len(re.findall(r"(?<!\\)\|", row)) for row in t.splitlines()} for t in tables]
        assert widths and all(len(found) == 1 for found in widths)
    elif form == "latex":
        body = re.sub(r"^%.*$", "", text, flags=re.M)
        assert "script" in text or len(names) < 9
        assert not re.search(r"(?<!\\)[#~^]|\\input|(?<!-)--(?!-)|\\\\\[", body.replace("{-}-", ""))
    else:
        assert text.replace("\n", "").isprintable()


@pytest.mark.parametrize("form", formats_of("report"))
@pytest.mark.parametrize("name", NAMES)
def test_names_of_models(sample, name, form):
    X, _ = sample
    found = challenge(Zero(), X, kinds="empty", n_segments=2, name=name, metrics=[])
    check(report_text(found, form), form, [name])


@pytest.mark.parametrize("form", formats_of("report"))
@pytest.mark.parametrize("kind", ["evaluation", "comparison", "leaderboard"])
def test_reports(results, kind, form):
    names = {"evaluation": NAMES[:9], "comparison": NAMES[:4], "leaderboard": NAMES}[kind]
    check(results[kind](form), form, names)


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_scores_and_ranks_of_translations(judged, form, tmp_path):
    _, y = judged
    scores = (-y.rename(None)).sort_index(level="segment", sort_remaining=False)
    ranked = pd.DataFrame({"rank": y.astype(int), "strength": -y, "score": -y})
    for text in (write(as_scores(scores), form, "scores"), write(as_ranks(ranked), form, "ranks")):
        check(text, form, NAMES)
    tables = [*score_systems(scores, return_pairs=True), rank_systems(ranked)]
    tables[1] = tables[1].set_index("system")
    for frame in tables:
        check(tab_separated(frame), "tsv", NAMES)
    if form == "tsv":
        lines = [name for name in NAMES if "\n" not in name and "\t" not in name]
        plain = scores[scores.index.isin(lines, level="system")]
        plain.index = plain.index.set_levels(plain.index.levels[0] + 1, level=0)
        path = tmp_path / "m.tsv"
        path.write_text(write(as_scores(plain), "tsv", "scores"), encoding="utf-8")
        found = load_scores(path, lines, 12).iloc[:, 0].reindex(plain.index)
        np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_texts_of_candidates(form):
    rows = pd.MultiIndex.from_product([[0], NAMES], names=["segment", "system"])
    ranked = pd.DataFrame({"rank": 1, "value": 0.5, "chosen": True, "suspicious": ""}, rows)
    text = write(as_choices(ranked, NAMES), form, "choices")
    check(text, form, NAMES)
    if form == "jsonl":
        assert [one["text"] for one in json.loads(text)["translations"]] == NAMES
    lines = write(as_choices(ranked, NAMES), "text", "choices").split("\n")
    assert lines == [*(name.replace("\n", " ") for name in NAMES), ""]


def test_tables_of_systems_for_the_terminal(judged):
    _, y = judged
    ranked = pd.DataFrame({"rank": y.astype(int), "strength": -y, "score": -y})
    for scores, kind in ((-y, "scores"), (ranked, "ranks")):
        lines = system_text(SystemSums.of(scores).result(), kind).splitlines()
        assert lines[0].isprintable() and not lines[1]
        check("\n".join(lines[2 : len(NAMES) + 4]), "text", NAMES)


def test_files_of_such_names_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in (("=cmd", "A cat.\n"), ("@sum", "The dog.\n"), ("ref", "A cat.\n")):
        (tmp_path / name).write_text(text)
    files = ["-r", "ref", "-t", "=cmd", "@sum", "-f", "tsv", "--systems", "systems.tsv"]
    for command in ("rank", "score"):
        assert main([command, "any", *files]) == 0
        for text in (capsys.readouterr().out, (tmp_path / "systems.tsv").read_text()):
            assert "'=cmd\t" in text and "\t=cmd" not in text and not text.startswith("=")
            check(text, "tsv", ["=cmd", "@sum"])


@pytest.mark.parametrize("names", [["\ud800", "a\udfff"], ["alone"]])
def test_leaderboards_of_names_that_are_no_text_and_of_one_system(names):
    index = [(k, name) for k in range(4) for name in names]
    index = pd.MultiIndex.from_arrays(
        [pd.Index(column, dtype=object) for column in zip(*index, strict=True)],
        names=["segment", "system"],
    )
    y = pd.Series(np.arange(float(len(index))), index)
    board = leaderboard(pd.DataFrame(index=index), y, by="mean", n_resamples=5)
    for form in ("text", "json", "tsv", "latex", "markdown"):
        assert report_text(board, form)
    assert repr(board)
