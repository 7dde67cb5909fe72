"""What an F of marked errors is worth: baselines worked by hand, annotators by brute force."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.datasets import load_judgements, load_mqm
from sklearn_mteval.datasets.judgements import Judgements
from sklearn_mteval.evaluation.marked_errors import evaluate_marked_errors
from sklearn_mteval.evaluation.span_baselines import ANNOTATORS
from sklearn_mteval.metrics import span_agreement
from sklearn_mteval.report.formats import write
from sklearn_mteval.report.marked_errors import report_of_marked_errors

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
ROWS = [  # of "one two three" and "four", by raters with marks of one word each
    ("A", 1, "r1", "<v>one</v> two three", "Minor"),
    ("A", 1, "r2", "<v>one</v> two <v>three</v>", "Major"),
    ("A", 1, "r3", "one two three", "no-error"),
    ("B", 1, "r1", "<v>four</v>", "Minor"),
    ("B", 1, "r2", "four", "Minor"),
]


@pytest.fixture
def path(tmp_path):
    lines = []
    for system, segment, rater, text, severity in ROWS[:-1]:
        category = "no-error" if severity == "no-error" else "Accuracy/Mistranslation"
        parts = text.split("<v>")
        plain = "".join(parts).replace("</v>", "")
        marks = [part.split("</v>")[0] for part in parts[1:]] or [None]
        for mark in marks:
            target = plain if mark is None else plain.replace(mark, f"<v>{mark}</v>")
            lines.append(
                f"{system}\td\t1\t{segment}\t{rater}\tsrc\t{target}\t{category}\t{severity}"
            )
    lines.append("B\td\t1\t1\tr2\tsrc\tfour\tno-error\tno-error")
    path = tmp_path / "mqm.tsv"
    path.write_text("\n".join([HEADER, *lines, ""]), encoding="utf-8")
    return path


def test_raters_keep_their_errors(path):
    found = load_mqm(path)
    by_rater = found.marks.xs((1, "A"), level=("segment", "system"))
    places = {rater: [span[:3] for span in spans] for rater, spans in by_rater.items()}
    assert places == {
        "r1": [(0, 3, "minor")], "r2": [(0, 3, "major"), (8, 13, "major")], "r3": []
    }  # fmt: skip
    for label, spans in found.spans.items():
        by_rater = found.marks.xs(label, level=("segment", "system"))
        assert spans == sorted(span for each in by_rater for span in each)


@pytest.mark.parametrize("measure", ["mpp", "characters"])
def test_baselines_by_hand(path, measure):
    judged = load_judgements(path)
    marked = pd.Series([[(0, 3, "minor")], []], judged.X.index, dtype=object)
    table = evaluate_marked_errors(judged, {}, {"mine": marked}, measure=measure).spans
    assert list(table.index) == ["mine", "nothing marked", "everything marked", ANNOTATORS]
    assert table.loc["nothing marked", ["precision", "recall", "f_score"]].tolist() == [1, 0, 0]
    # Pooled: (0, 3) twice and (8, 13) of 13 characters; (0, 4) of 4.
    all_of_it = {
        "mpp": ((5 / 13 + 1) / 2, (1 + 1) / 4), "characters": (12 / 17, 12 / 15)
    }[measure]  # fmt: skip
    found = table.loc["everything marked", ["precision", "recall"]].tolist()
    assert found == pytest.approx(all_of_it)
    # Six ordered pairs of A's raters, two of B's; each has both orders.
    credit = {"mpp": 2.0, "characters": 6.0}[measure]  # of r1 and r2, both ways, in (0, 3)
    marks = {"mpp": 2 * (1 + 2 + 0) + 1, "characters": 2 * (3 + 8 + 0) + 4}[measure]
    assert table.loc[ANNOTATORS, "f_score"] == pytest.approx(credit / marks)
    assert table.loc[ANNOTATORS, "precision"] == pytest.approx(table.loc[ANNOTATORS, "recall"])


def test_annotators_of_rows_of_their_own_by_brute_force():
    rng = np.random.default_rng(0)
    labels, spans, judges = [], [], []
    for segment in range(20):
        for judge in ("x", "y", "z")[: rng.integers(1, 4)]:
            labels.append((segment, f"{judge}:{segment}", "A"))
            starts = rng.integers(0, 5, rng.integers(0, 3))
            spans.append([(int(a), int(a) + 3, "major") for a in set(starts.tolist())])
            judges.append(judge)
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "ranking", "system"])
    series = [pd.Series(values, index, dtype=object) for values in (spans, judges)]
    X = pd.DataFrame({"hypothesis": "abcdefgh"}, index)
    y = pd.Series(-1.0 * np.arange(len(index)), index)
    spans = pd.Series([[_span(*s) for s in cell] for cell in spans], index, dtype=object)
    judged = Judgements(X, y, X, spans=spans, judges=series[1])
    found = evaluate_marked_errors(judged, {}, {"m": spans}).spans.loc[ANNOTATORS]
    one, other = [], []
    for k, (a, cell) in enumerate(zip(labels, spans, strict=True)):
        for m, (b, others) in enumerate(zip(labels, spans, strict=True)):
            if a[0] == b[0] and k != m:
                one.append(cell)
                other.append(others)
    expected = span_agreement(one, other)["value"]
    assert found[["precision", "recall", "f_score"]].tolist() == pytest.approx(expected.tolist())
    alone = judged._replace(judges=None)
    assert ANNOTATORS not in evaluate_marked_errors(alone, {}, {"m": spans}).spans.index


def _span(start, end, severity):
    from sklearn_mteval._helpers.error_spans import ErrorSpan

    return ErrorSpan(start, end, severity)


def test_translations_whose_errors_have_no_place_are_left_out_and_counted(path):
    text = path.read_text(encoding="utf-8").replace("<v>four</v>", "four")
    path.write_text(text, encoding="utf-8")
    judged = load_judgements(path)
    marked = pd.Series([[(0, 3, "minor")], [(0, 1, "minor")]], judged.X.index, dtype=object)
    found = evaluate_marked_errors(judged, {}, {"mine": marked})
    assert found.counts["without_place"] == found.counts["translations"] == 1
    expected = span_agreement(judged.spans.iloc[:1], marked.iloc[:1])["value"]
    assert found.spans.loc["mine", "f_score"] == pytest.approx(expected["f_score"])
    report = report_of_marked_errors(found)
    assert (
        "1 translation is left out, because an annotator did not say where an error is."
        in " ".join(write(report, "text").split())
    )
    [table] = report.tables
    assert {row for row, _ in table.best} == {0}  # no baseline is a best metric


def test_without_texts_or_errors(path):
    judged = load_judgements(path)
    none = pd.Series([[], []], judged.X.index, dtype=object)
    bare = judged._replace(X=judged.X[[]], spans=none, marks=None)
    table = evaluate_marked_errors(bare, {}, {"mine": none}, severity_credit=0.5).spans
    assert list(table.index) == ["mine", "nothing marked"]
    assert table["f_score"].tolist() == [1, 1]
    texts = judged._replace(spans=none, marks=None)
    table = evaluate_marked_errors(texts, {}, {"mine": none}, severity_credit=0.5).spans
    assert table.loc["everything marked", "f_score"] == 0
