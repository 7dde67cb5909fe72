"""What is recommended, by tables made by hand."""

import pandas as pd
import pytest

from sklearn_mteval.models.training_result import NEW, recommended_of
from sklearn_mteval.report.training import learning_report, training_report


def table(*rows):
    """A comparison of rows (name, kind, tau, difference, low, high), maybe with whether seen."""
    columns = ["name", "kind", "tau", "difference", "difference_low", "difference_high", "seen"]
    rows = [(*row, False)[:7] for row in rows]
    found = pd.DataFrame([(NEW, "new", 0.3, *[float("nan")] * 3, False), *rows], columns=columns)
    return found.set_index("name").assign(low=0.1, high=0.5)


CHRF = ("chrF", "metric", 0.2, 0.1, 0.05, 0.15)


@pytest.mark.parametrize(
    ("ready", "use", "worse", "words"),
    [
        ((0.279, 0.021, 0.003, 0.04), NEW, False, "better than static-en by 2.1 tau [0.3, 4.0] on"),
        ((0.34, -0.04, -0.07, -0.01), "static-en", True, "worse than static-en by 4.0 tau [1.0, 7"),
        ((0.29, 0.01, -0.02, 0.04), "static-en", False, "apart from static-en on 24 segments held"),
        ((0.31, -0.01, -0.04, 0.02), "static-en", False, "[-4.0, 2.0]), and its tau is no higher"),
    ],
)
def test_a_ready_made_model_beside_the_new_one(ready, use, worse, words):
    found = recommended_of(table(("static-en", "ready-made", *ready), CHRF), 200, 24)
    assert (found.use, found.worse) == (use, worse)
    assert words in found.sentence
    assert found.sentence.endswith(": use it." if use == NEW else ": use static-en.")


def test_what_started_from_a_model_is_taken_where_it_is_better_if_anything():
    ready = ("static-en", "ready-made", 0.29, 0.01, -0.02, 0.04)
    found = recommended_of(table(ready, CHRF), 200, 24, start="static-en")
    assert found.use == NEW and "starts from static-en and" in found.sentence


def test_the_best_of_two_ready_made_models_counts():
    better = ("encoder-en", "ready-made", 0.4, -0.1, -0.15, -0.05)
    found = recommended_of(
        table(("static-en", "ready-made", 0.2, 0.1, 0.05, 0.15), better, CHRF), 200, 24
    )
    assert found.use == "encoder-en" and found.worse


def test_a_model_that_has_seen_the_judgements_is_no_judge():
    seen = ("static-en", "ready-made", 0.5, -0.2, -0.3, -0.1, True)
    found = recommended_of(table(seen, CHRF), 200, 24)
    assert (found.use, found.worse) == (NEW, False)
    assert found.sentence.startswith("static-en was trained on these judgements")
    assert "better than chrF" in found.sentence


def test_a_metric_that_is_as_good_is_named():
    ready = ("static-en", "ready-made", 0.2, 0.1, 0.05, 0.15)
    as_good = ("chrF", "metric", 0.28, 0.02, -0.01, 0.05)
    found = recommended_of(table(ready, as_good), 200, 24)
    assert found.use == NEW and found.sentence.endswith("to be better than chrF, however.")


def test_few_segments_are_told():
    ready = table(("static-en", "ready-made", 0.31, -0.01, -0.04, 0.02), CHRF)
    few = recommended_of(ready, 24, 6).sentence
    assert "24 segments to train on are few; training that starts from static-en needs" in few
    assert few.endswith("Intervals of 6 segments are rough: judge more, or hold more out.")
    assert "few" not in recommended_of(ready, 24, 30, start="static-en").sentence


def curve(low, high):
    rows = {
        "tau": [0.2, 0.3, 0.32], "low": 0.1, "high": 0.4,
        "difference": [0.12, (low + high) / 2, float("nan")],
        "difference_low": [0.05, low, float("nan")], "difference_high": [0.2, high, float("nan")],
    }  # fmt: skip
    return pd.DataFrame(rows, index=pd.Index([25, 50, 100], name="segments"))


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.01, 0.03, "From 50 to 100 segments: +2.0 tau [1.0, 3.0]; more judgements are worth it"),
        (-0.005, 0.005, "+0.0 tau [-0.5, 0.5]; more judgements would hardly help"),
        (-0.02, 0.06, "whether more would help cannot be told from so few"),
    ],
)
def test_whether_more_judgements_would_help(low, high, words):
    assert words in learning_report(curve(low, high))


def test_the_report_marks_what_was_trained_on_these():
    class Result:
        comparison = table(("static-en", "ready-made", 0.5, -0.2, -0.3, -0.1, True), CHRF)
        recommendation = recommended_of(comparison, 200, 24)

    lines = training_report(Result).splitlines()
    assert lines[2].split() == ["new", "model", "30.0", "[10.0,", "50.0]"]
    assert lines[3].startswith("static-en (ready-made), trained on these  50.0 ")
    assert lines[3].endswith("-20.0  [-30.0, -10.0]")
    assert lines[4].split()[:2] == ["chrF", "20.0"]
