"""The command ``errors``: marked errors and error-free translations."""

import json

import numpy as np
import pandas as pd
import pytest
from campaign_files import error_line, make_mtme, write

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.evaluation.marked_errors import error_free_labels
from sklearn_mteval.metrics import error_free_detection, span_agreement

PAIR = "de-en"


def ratings(seed, most=2):
    rng = np.random.default_rng(seed)
    lines = []
    for system in ("system1", "system2", "system3"):
        for _ in range(20):
            spans = [
                {"start": int(a), "end": int(a) + 4, "severity": "minor", "score": 1}
                for a in rng.integers(0, 3, rng.integers(0, most))
            ]
            lines.append(f"{system}\t" + json.dumps({"errors": spans}))
    return lines


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "wmt99"
    make_mtme(root, [PAIR])
    write(root / "human-scores" / f"{PAIR}.r.seg.rating", ratings(0))
    write(tmp_path / "mine.seg.rating", ratings(1))
    return root


def run(*words):
    return main(["errors", *map(str, words)])


def one_of(rows, name):
    [found] = [row for row in rows if row["name"] == name]
    return found


def test_both_tables(root, tmp_path, capsys):
    mine = tmp_path / "mine.seg.rating"
    options = ["--lang-pair", PAIR, "--gold", "r", "--precision", 0.5, "--resamples", 50]
    assert run(root, *options, "--spans", mine, f"again={mine}", "--severity-credit", 0.5) == 0
    out = capsys.readouterr().out
    assert "Marked errors, x 100 with 95 % intervals" in out
    assert "Error-free translations" in out
    assert "clusters:documents" in out and "n accepted" in out
    assert run(root, *options, "--spans", mine, "-f", "json") == 0
    record = json.loads(capsys.readouterr().out)
    judged = load_judgements(root, lang_pair=PAIR, gold="r")
    theirs = load_judgements(tmp_path / "wmt99", lang_pair=PAIR, gold="r").spans
    assert record["errors"] == theirs.map(len).sum()
    write(root / "human-scores" / f"{PAIR}.m.seg.rating", ratings(1))
    marked = load_judgements(root, lang_pair=PAIR, gold="m").spans
    expected = span_agreement(judged.spans, marked, segments=judged.documents)
    found = one_of(record["spans"], "mine")
    for name, row in expected.iterrows():
        assert [found[name], found[f"{name}_low"], found[f"{name}_high"]] == pytest.approx(
            list(row)
        )
    labels, rule = error_free_labels(judged)
    assert (rule, record["error_free_rule"]) == ("a penalty of 0 or less, and no error marked",) * 2
    assert record["error_free"] == labels.sum() == (judged.y == 0).sum()
    detected = {one["name"]: one["average_precision"] for one in record["error_free_detection"]}
    for name in ("good", "bad"):
        table = error_free_detection(
            labels, judged.scores.loc[judged.y.index, name], groups=judged.documents,
            precision=0.5, n_folds=4, n_resamples=5,
        ).table  # fmt: skip
        assert detected[name] == pytest.approx(table.loc["average_precision", "value"])


def test_how_errors_are_matched_and_scores_become_probabilities(root, tmp_path, capsys):
    """The options mean what those of the functions mean, and each changes its table only."""
    options = [root, "--lang-pair", PAIR, "--gold", "r", "--resamples", 5, "-f", "json"]
    options += ["--spans", tmp_path / "mine.seg.rating"]
    records = {}
    for more in ((), ("--measure", "characters"), ("--calibration", "logistic")):
        assert run(*options, *more) == 0
        records[more[1:]] = json.loads(capsys.readouterr().out)
    usual, characters, logistic = records.values()
    write(root / "human-scores" / f"{PAIR}.m.seg.rating", ratings(1))
    spans, marked = (load_judgements(root, lang_pair=PAIR, gold=g).spans for g in ("r", "m"))
    for record, measure in ((usual, "mpp"), (characters, "characters")):
        table = span_agreement(spans, marked, measure=measure)
        found = one_of(record["spans"], "mine")
        assert [found[name] for name in table.index] == pytest.approx(list(table["value"]))
    assert characters["error_free_detection"] == usual["error_free_detection"]
    assert logistic["spans"] == usual["spans"]
    judged = load_judgements(root, lang_pair=PAIR, gold="r")
    labels, _ = error_free_labels(judged)
    for record, calibration in ((usual, "isotonic"), (logistic, "logistic")):
        for found in record["error_free_detection"]:
            table = error_free_detection(
                labels, judged.scores.loc[judged.y.index, found["name"]], groups=judged.documents,
                calibration=calibration, n_folds=4, n_resamples=5,
            ).table  # fmt: skip
            assert found["brier"] == pytest.approx(table.loc["brier", "value"])
    assert logistic["error_free_detection"] != usual["error_free_detection"]


def test_tsv_has_a_line_for_each_metric(root, tmp_path, capsys):
    mine = tmp_path / "mine.seg.rating"
    options = ["--lang-pair", PAIR, "--gold", "r", "--resamples", 5]
    assert run(root, *options, "--spans", f"x={mine}", "-f", "tsv", "-o", tmp_path / "t.tsv") == 0
    table = pd.read_csv(tmp_path / "t.tsv", sep="\t", index_col="metric")
    baselines = {"words without counterpart", "nothing marked", "everything marked"}
    assert set(table.index) == {"x", "good", "bad"} | baselines
    assert set(table.index[table["span_f_score"].notna()]) == {"x"} | baselines


def test_scores_of_esa_and_what_is_error_free():
    y = pd.Series([-85.0, -84, -100, -100], index=range(4))
    spans = pd.Series([[], [], [(0, 2)], []], index=range(4))
    judged = load_judgements(
        pd.DataFrame({"segment": [1, 2], "system": "A", "score": 1}), better="higher"
    )
    labels, rule = error_free_labels(judged._replace(y=y, spans=spans))
    assert labels.tolist() == [True, False, False, True]
    assert rule == "a score of 85 or more, and no error marked"
    labels, rule = error_free_labels(judged._replace(y=y, spans=None), 84)
    assert (labels.tolist(), rule) == ([True] * 4, "a score of 84 or more")


def test_mistakes(root, tmp_path, capsys):
    options = [root, "--format", "mtme", "--lang-pair", PAIR, "--gold", "r"]
    mine = tmp_path / "mine.seg.rating"
    cases = [
        ([*options, "--spans", mine, mine], "two rows of --spans are named 'mine'"),
        ([*options, "--metrics", "ter", "--lower-is-better", "ter"], "higher is better, TER too"),
        ([*options, "--precision", "1"], "precision must lie between 0 and 1"),
        ([*options, "--spans", tmp_path / "none"], "none"),
        (
            [root, "--format", "mtme", "--lang-pair", PAIR, "--spans", mine],
            "expected judgements with marked errors",
        ),
        ([*options, "--min-score", "1"], "found none of 60 error-free"),
    ]
    for words, message in cases:
        assert run(*words) == 1
        assert message in error_line(capsys, "errors")
    for line, message in (
        (
            ratings(1)[0].replace("system1", "other"),
            "the system 'other' does not exist; there are 'refA'",
        ),
        ('system1\t{"errors": [{"start": 0, "end": 900}]}', "ends at 900, but the translation has"),
        ("system1\tNone", "segment 1 of 'system1' was judged, but has no line of errors"),
    ):
        lines = ratings(1)
        lines[0] = line
        write(mine, lines if "other" not in line else [line])
        assert run(*options, "--spans", mine) == 1
        assert message in error_line(capsys, "errors")
    assert run(*options, "--spans", mine, "--missing", "skip", "--resamples", "5") == 0
    capsys.readouterr()
    assert run(tmp_path / "mine.seg.rating", "--format", "mqm") == 1
    assert "no metric to evaluate: give --scores, --metrics, --model or --spans" in error_line(
        capsys, "errors"
    )
