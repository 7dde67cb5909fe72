from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models.training_result import NEW
from sklearn_mteval.plots import LearningCurveDisplay


def test_curve_intervals_and_references(ax, whiskers):
    display = LearningCurveDisplay(
        [10, 20, 40],
        [0.1, 0.2, 0.25],
        [(0, 0.2), (np.nan, np.nan), (0.2, 0.3)],
        references={"BLEU": 0.15, "undefined": np.nan},
    ).plot(ax, color="red")
    assert np.allclose(display.line_.get_xydata(), [(10, 10), (20, 20), (40, 25)])
    assert np.allclose(whiskers(display.whiskers_, 1), [(10, 0, 20), (40, 20, 30)])
    assert [line.get_ydata()[0] for line in display.references_] == [15]
    assert [text.get_text() for text in ax.texts] == ["BLEU"]
    assert ax.get_xticks().tolist() == [10, 20, 40]
    assert ax.get_xlim()[0] == 0 and display.line_.get_color() == "red"
    assert ax.get_ylabel() == "Kendall's tau (wmt12) × 100"


def test_of_a_training_the_best_that_has_not_seen_the_judgements_is_the_reference(ax):
    curve = pd.DataFrame(
        {"tau": [0.1, 0.2], "low": [0.0, 0.1], "high": [0.2, 0.3]}, index=[50, 100]
    )
    comparison = pd.DataFrame(
        {"tau": [0.2, 0.5, 0.3, 0.1], "seen": [False, True, False, False]},
        index=[NEW, "seen-en", "chrF", "BLEU"],
    )
    result = SimpleNamespace(learning_curve=curve, comparison=comparison)
    display = LearningCurveDisplay.of(result)
    assert display.references == {"chrF": 0.3}
    assert display.sizes.tolist() == [50, 100]
    assert display.intervals.tolist() == [[0.0, 0.2], [0.1, 0.3]]
    assert (
        LearningCurveDisplay.of(
            SimpleNamespace(learning_curve=curve, comparison=comparison.iloc[:2])
        ).references
        == {}
    )


BAD = [
    (([], []), {}, "sizes is empty"),
    (([2, 1], [0, 0]), {}, "must increase"),
    (([-1], [0]), {}, "found -1.0"),
    (([1, 2], [0]), {}, r"values must have shape \(2,\)"),
    (([1], [0], [(2, 1)]), {}, "intervals must be"),
    (([1], [0]), {"references": {"a": "x"}}, "references must be numbers"),
]


@pytest.mark.parametrize(("given", "options", "message"), BAD)
def test_bad_input(given, options, message):
    with pytest.raises(CandidateError, match=message):
        LearningCurveDisplay(*given, **options)
