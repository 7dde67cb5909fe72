import json
from io import StringIO

import pandas as pd
import pytest

from sklearn_mteval.evaluation import challenge
from sklearn_mteval.models import bleu_pipeline
from sklearn_mteval.report import report_text


@pytest.fixture(scope="module")
def found(sample):
    X, y = sample
    model = bleu_pipeline().fit(X[:200], y[:200])
    return challenge(model, X[200:], y[200:], n_segments=15, name="mine")


def test_text(found):
    """Each cell by hand from the table."""
    title, _, header, _, *rest = report_text(found).splitlines()
    assert title == "mine: sound translations preferred to corrupted ones, % of segments"
    assert header.split() == ["kind", "n", "alone", "two", "many", "bleu", "chrf"]
    lines = [line.split() for line in rest[: rest.index("")]]
    assert [line[0] for line in lines] == list(found.table.index.unique("kind"))
    for kind, n, *cells in lines:
        assert n == str(found.table.loc[(kind, "two", "mine"), "n"])
        for place, setting in enumerate(["alone", "two", "many"]):
            row = found.table.loc[(kind, setting, "mine")]
            bounds = [f"[{100 * row['low']:.0f},", f"{100 * row['high']:.0f}]"]
            value = f"{100 * row['proportion']:.1f}"
            assert cells[3 * place : 3 * place + 3] == [value, *bounds]
        for value, metric in zip(cells[9:], ["bleu", "chrf"], strict=True):
            expected = found.table.loc[(kind, "alone", metric), "proportion"]
            assert value == f"{100 * expected:.1f}"
    assert max(map(len, rest[:-1])) <= 96
    notes = " ".join(" ".join(rest[len(lines) :]).split())
    for word in (
        "alone:",
        "two:",
        "many:",
        "95 % intervals",
        "A tie is not won",
        "with the reference in which one thing is changed",
    ):
        assert word in notes, word


def test_a_table_without_changed_references_does_not_explain_them(sample, found):
    X, _ = sample
    model = bleu_pipeline().fit(X[:50], sample[1][:50])
    text = report_text(challenge(model, X[200:], kinds="empty", n_segments=3))
    assert "reference_number" not in text


def test_tsv_and_json_hold_the_table(found):
    read = pd.read_csv(StringIO(report_text(found, "tsv")), sep="\t")
    assert set(read.pop("signature")) == {found.signature}
    keys = ["kind", "setting", "judge"]
    pd.testing.assert_frame_equal(read, found.table.reset_index())
    record = json.loads(report_text(found, "json"))
    assert record["model"] == "mine" and record["metrics"] == ["bleu", "chrf"]
    pd.testing.assert_frame_equal(
        pd.DataFrame(record["results"]).set_index(keys), found.table, check_dtype=False
    )


def test_an_unknown_format(found):
    with pytest.raises(ValueError, match=r"format .*found "):
        report_text(found, "jsonl")
