import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.evaluation import audit_judges
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.plots import JudgesDisplay

AUDIT = pd.DataFrame(
    {
        "pairs_with_others": [20, 3000, 0],
        "repeated_pairs": [0] * 3,
        "damaged": [8, 0, 4],
        "agreement_with_others": [0.5, 0.75, np.nan],
        "self_agreement": [np.nan] * 3,
        "noticed": [0.25, np.nan, 1.0],
        "discrimination": [1.0, 2.0, 3.0],
    },
    index=["ann", "bob", "cy"],
)


def test_who_agrees_most_is_on_top_and_columns_without_numbers_are_left_out(ax):
    display = JudgesDisplay(AUDIT).plot(ax, markersize=9)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["bob", "ann", "cy"]
    assert [text.get_text() for text in display.texts_] == [
        "of 3,000 + 0",
        "of 20 + 8",
        "of 0 + 4",
    ]
    agrees, notices = (points.get_xdata() for points in display.points_)
    assert np.allclose(agrees, [75, 50, np.nan], equal_nan=True)
    assert np.allclose(notices, [np.nan, 25, 100], equal_nan=True)
    low, high = (binomtest(10, 20).proportion_ci(method="wilson")[k] for k in (0, 1))
    whisker = display.whiskers_[0].get_segments()[1]
    assert whisker[:, 0].tolist() == pytest.approx([100 * low, 100 * high])
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["agrees with others", "notices damage"]
    assert display.points_[0].get_markersize() == 9


def test_nothing_to_agree_with(ax):
    JudgesDisplay(AUDIT.assign(agreement_with_others=np.nan, noticed=np.nan)).plot(ax)
    ax.figure.canvas.draw()


def test_of_an_audit(ax):
    X, y = load_sample(return_X_y=True)
    judges = ["ab"[segment % 2] for segment in X.index.get_level_values("segment")]
    twice = pd.concat([y, y], keys=["one", "two"], names=["ranking"])
    twice = twice.reorder_levels(["segment", "ranking", "system"])
    judges = judges + [judge.upper() for judge in judges]
    audit = audit_judges(twice, judges, scores=False)
    display = JudgesDisplay(audit).plot(ax)
    # Each judge says what another one says.
    assert display.points_[0].get_xdata().tolist() == [100.0] * 4
    assert {label.get_text() for label in ax.get_yticklabels()} == {"a", "b", "A", "B"}


BAD = [
    ([1, 2], "found list"),
    (pd.DataFrame({"judgements": [1]}), r"found \['judgements'\]"),
    (AUDIT.drop(columns="damaged"), "not of how many: 'damaged'"),
    (AUDIT.set_axis(["a", "a", "b"]), "twice"),
    (AUDIT.assign(noticed=2.0), "found 2.0"),
    (AUDIT.iloc[:0], "empty"),
]


@pytest.mark.parametrize(("audit", "message"), BAD)
def test_bad_audits(audit, message):
    with pytest.raises(CandidateError, match=message):
        JudgesDisplay(audit)
