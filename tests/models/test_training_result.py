"""What is recommended, by tables made by hand."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.models.training_result import NEW, recommended_of
from sklearn_mteval.report.training import learning_report, training_report


def compared(*rows, better=()):
    """A comparison of rows (name, kind, tau, difference, low, high), maybe with whether seen.

    Who is better than whom: what the rows say of the new model, and the pairs in ``better``.
    """
    columns = ["name", "kind", "tau", "difference", "difference_low", "difference_high", "seen"]
    rows = [(*row, False)[:7] for row in rows]
    found = pd.DataFrame([(NEW, "new", 0.3, *[np.nan] * 3, False), *rows], columns=columns)
    found = found.set_index("name").assign(low=0.1, high=0.5, p=0.012)
    ahead = pd.DataFrame(False, found.index, found.index)
    ahead.loc[NEW] = found["difference_low"] > 0
    ahead[NEW] = found["difference_high"] < 0
    for first, second in better:
        ahead.loc[first, second] = True
    return found, ahead


CHRF = ("chrF", "metric", 0.2, 0.1, 0.05, 0.15)
STATIC = ("static-en", "ready-made", 0.25, 0.05, 0.01, 0.09)
FEATURE = "best feature: lexicalfeatures__weighted_f"


@pytest.mark.parametrize(
    ("ready", "use", "worse", "words"),
    [
        ((0.279, 0.021, 0.003, 0.04), NEW, False,
         "better than static-en by 2.1 tau [0.3, 4.0] (p = .012) on 24 segments held out: use the "
         "new model for texts and systems like those of wmt15 ru-en."),
        ((0.34, -0.04, -0.07, -0.01), "static-en", True,
         "worse than static-en by 4.0 tau [1.0, 7.0] (p = .012) on 24 segments held out: use "
         "static-en."),
        ((0.29, 0.01, -0.02, 0.04), "static-en", False,
         "apart from static-en on 24 segments held out (difference +1.0 tau [-2.0, 4.0], p = .012)"
         ": use static-en."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("start", [None, "static-en"])
def test_the_new_model_is_used_only_if_it_is_better_than_the_ready_made(
    ready, use, worse, words, start
):
    given = compared(("static-en", "ready-made", *ready), CHRF, better=[("static-en", "chrF")])
    found = recommended_of(*given, 24, start=start, of=["wmt15 ru-en"])
    assert (found.use, found.worse) == (use, worse)
    assert found.sentence.startswith(f"The new model {'is' if words[0] in 'bw' else 'cannot'}")
    assert words in found.sentence


def test_it_must_be_better_than_each_ready_made_model():
    """Better than the one of higher tau, and not surely than the other, of a wide interval."""
    wide = ("any", "ready-made", 0.24, 0.06, -0.01, 0.2)
    found = recommended_of(*compared(STATIC, wide, CHRF), 24, start="static-en")
    assert found.use == "any" and "cannot be told apart from any on" in found.sentence
    best = ("encoder-en", "ready-made", 0.4, -0.1, -0.15, -0.05)
    found = recommended_of(*compared(STATIC, best, CHRF), 24)
    assert found.use == "encoder-en" and found.worse


def test_where_all_ready_made_models_were_trained_on_the_judgements_nothing_can_be_told():
    """The model of WMT15 ru-en that was recommended, being better than a feature."""
    seen = [("encoder-en", "ready-made", 0.54, -0.07, -0.1, -0.03, True),
            ("static-en", "ready-made", 0.5, -0.03, -0.05, -0.01, True)]  # fmt: skip
    feature = (FEATURE, "feature", 0.2, 0.06, 0.002, 0.15)
    found = recommended_of(*compared(*seen, feature, CHRF), 24, of=["wmt15 ru-en"])
    assert (found.use, found.worse) == ("encoder-en", False)
    assert found.sentence == (
        "encoder-en and static-en were trained on these judgements of wmt15 ru-en, so that "
        "nothing held out can tell whether the new model is better: use encoder-en, which has "
        "learnt from others, too."
    )
    other = ("any", "ready-made", 0.25, 0.05, 0.01, 0.1)
    assert recommended_of(*compared(*seen, other, CHRF), 24).use == NEW  # which is unseen


def test_neither_where_a_metric_is_better():
    better = ("chrF", "metric", 0.4, -0.1, -0.2, -0.05)
    given = compared(STATIC, better, better=[("chrF", "static-en")])
    found = recommended_of(*given, 24)
    assert (found.use, found.worse) == ("chrF", False)
    assert (
        "The new model is better than static-en by 5.0 tau [1.0, 9.0] (p = .012) on 24 segments "
        "held out. The new model is worse than chrF by 10.0 tau [5.0, 20.0] (p = .012) on 24 "
        "segments held out: use neither, but chrF."
    ) in found.sentence
    # The ready-made one is better than the new one, and chrF better than both.
    ready = ("static-en", "ready-made", 0.35, -0.05, -0.09, -0.01)
    found = recommended_of(*compared(ready, better, better=[("chrF", "static-en")]), 24)
    assert (found.use, found.worse) == ("chrF", True)


@pytest.mark.parametrize(
    ("name", "words"),
    [("chrF", "chrF"), (FEATURE, "the feature lexicalfeatures__weighted_f alone")],
)
def test_what_is_as_good_is_named(name, words):
    as_good = (name, "metric", 0.28, 0.02, -0.01, 0.05)
    found = recommended_of(*compared(STATIC, as_good), 24)
    assert found.use == NEW
    assert f"The new model cannot be told to be better than {words}, however." in found.sentence
    ready = ("static-en", "ready-made", 0.31, -0.01, -0.04, 0.02)
    found = recommended_of(*compared(ready, as_good), 24)
    assert f" static-en cannot be told to be better than {words}, however." in found.sentence
    assert " it" not in found.sentence


def test_without_a_ready_made_model():
    found = recommended_of(*compared(CHRF), 24)
    assert found.use == NEW
    assert found.sentence.startswith("No ready-made model can be compared with: use the new model.")
    better = (FEATURE, "feature", 0.4, -0.1, -0.2, -0.05)
    found = recommended_of(*compared(better), 24)
    assert found.use == FEATURE and not found.worse
    assert "use neither, but the feature lexicalfeatures__weighted_f alone." in found.sentence


def test_what_is_held_out_is_no_other_campaign():
    same = "What was held out has the systems, annotators and kind of texts of the campaign trained"
    given = compared(STATIC, CHRF)
    found = recommended_of(*given, 24).sentence
    assert same in found
    assert "nothing; there a model of one campaign alone may well be worse than static-en." in found
    found = recommended_of(*given, 24, start="static-en").sentence
    assert (
        same in found
        and "expect a model that starts from static-en to be about as good as that." in found
    )


def test_few_segments_are_told():
    ready = compared(("static-en", "ready-made", 0.31, -0.01, -0.04, 0.02), CHRF)
    few = recommended_of(*ready, 6, unit="document").sentence
    assert few.endswith("Intervals of 6 documents are rough: hold more out.")
    assert "rough" not in recommended_of(*ready, 30, start="static-en").sentence


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


def test_documents_are_not_called_segments():
    report = learning_report(curve(0.01, 0.03).rename_axis("documents"))
    assert report.startswith("documents trained on") and "From 50 to 100 documents" in report


def test_the_report_marks_what_was_trained_on_these():
    class Result:
        comparison, _ = compared(("static-en", "ready-made", 0.5, -0.2, -0.3, -0.1, True), CHRF)
        recommendation = recommended_of(comparison, _, 24)

    lines = training_report(Result).splitlines()
    assert lines[2].split() == ["new", "model", "30.0", "[10.0,", "50.0]"]
    assert lines[3].startswith("static-en (ready-made), trained on these  50.0 ")
    assert lines[3].endswith("-20.0  [-30.0, -10.0]")
    assert lines[4].split()[:2] == ["chrF", "20.0"]
