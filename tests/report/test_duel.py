"""What is said of a duel, in all formats; names may be hostile."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.models import duel
from sklearn_mteval.report.duel import (
    answer_of_duel,
    histogram,
    picture_of_duel,
    report_of_duel,
    summary_of_duel,
    warnings_of_duel,
)
from sklearn_mteval.report.formats import formats_of, write
from sklearn_mteval.report.html.pages import html_report


def found_of(differences, names=("A", "B"), **columns):
    """A duel in which the first is better by these, and its candidate table."""
    rows = pd.MultiIndex.from_product(
        [range(1, len(differences) + 1), names], names=["segment", "system"]
    )
    scores = np.column_stack([differences, np.zeros(len(differences))]).ravel()
    texts = [f"text {k}" for k in range(len(rows))]
    X = pd.DataFrame({"hypothesis": texts}, rows).assign(**columns)
    return duel(pd.Series(scores.astype(float), rows), X, *names), X


def test_the_answer_names_the_better_one_whichever_comes_first():
    differences = np.array([0.2, 0.4, 0.3, 0, -0.1] * 8)
    said = answer_of_duel(found_of(differences)[0])
    # The mean is .16, its standard error .18784 / 40 ** .5, Student's t of 39 degrees 2.0227.
    assert said == (
        "A is better than B by 0.1600 [0.0999, 0.2201] (p < .001) on 40 segments; A is better in "
        "24 of them, B in 8, and in 8 they are equal."
    )
    mirrored = answer_of_duel(found_of(-differences, ("B", "A"))[0])
    assert mirrored == said


@pytest.mark.parametrize(
    ("differences", "said"),
    [
        ([0, 0, 0], "A cannot be told apart from B: the difference is 0.0000 [0.0000, 0.0000] "
                    "(p = 1) on 3 segments; A is better in 0 of them, B in 0, and in 3 they are "
                    "equal."),
        ([0.3], "Which of A and B is better cannot be tested: one segment or one document is too "
                "little. The difference is 0.3000 on 1 segment; A is better in 1 of them, B in 0, "
                "and in 0 they are equal."),
    ],
)  # fmt: skip
def test_what_cannot_be_told(differences, said):
    found, _ = found_of(differences)
    assert answer_of_duel(found) == summary_of_duel(found)[0] == said
    assert warnings_of_duel(found)[0].startswith(f"Both are compared on {len(differences)} segment")


def test_kinds_are_named_where_they_are_sure():
    references = [f"word {'7' * (k % 2)}" for k in range(60)]
    differences = [0.5 * (k % 2) + 0.01 * (k % 5 - 2) for k in range(60)]
    found, _ = found_of(differences, reference=np.repeat(references, 2))
    assert any("A is better in segments of 2 words and with numbers" in s
               for s in summary_of_duel(found))  # fmt: skip


def test_bins_are_those_of_loops():
    differences = np.random.default_rng(0).normal(0, 0.2, 500)
    differences[:20] = 0
    width, counts = histogram(differences)
    assert len(counts) == 20 and sum(counts) == 480
    for k in range(1, 9):
        above = sum(k * width <= d < (k + 1) * width for d in differences)
        below = sum(k * width <= -d < (k + 1) * width for d in differences)
        assert (counts[10 + k], counts[9 - k]) == (above, below)
    assert counts[19] == sum(d >= 9 * width for d in differences)
    assert histogram(-differences) == (width, counts[::-1])
    assert histogram(np.zeros(3)) == (1.0, [0] * 20)


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "=1+1", "\x1b[2J\u202e", "a\tb"])
def test_hostile_names(name):
    found, X = found_of([0.1, 0.3, -0.2] * 3, (name, "B"))
    for format in set(formats_of("report")) - {"json"}:
        text = write(report_of_duel(found), format)
        assert "\x1b" not in text and "\u202e" not in text
    page = html_report(found, X)
    for text in (page, picture_of_duel(found).svg):
        assert "<script>alert" not in text and "\u202e" not in text


def test_json_has_all_digits():
    found, _ = found_of([0.1, 0.2, -0.4])
    record = json.loads(write(report_of_duel(found), "json"))
    assert record["difference"] == found.difference and record["p_value"] == found.p_value
    assert [row["segment"] for row in record["segments"]] == ["2", "1", "3"]


def test_the_picture_tells_its_numbers():
    picture = picture_of_duel(found_of([0.1, 0.2, -0.4, 0])[0])
    assert "A is better in 2 segments, B in 1." in picture.description
    assert "Not drawn: 1 segment in which" in picture.caption
