import numpy as np
import pytest

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.evaluation import decision_table
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import MetricScores
from sklearn_mteval.plots import DecisionTableDisplay

NAN, INF = np.nan, np.inf


def test_curve_band_dots_and_dashed_lines(ax, whiskers):
    display = DecisionTableDisplay(
        [0, 1, 2],
        [0.5, 0.7, 0.9],
        [(0.5, 0.5), (0.6, 0.8), (0.7, 1)],
        observed=[(0.5, 0.4, 0.3, 0.6), (1.5, 1.0, NAN, NAN)],
        needed=[(0.8, 1.5), (0.95, INF)],
        metric="chr$F$",
        level="segment",
    ).plot(ax)
    assert display.line_.get_ydata().tolist() == [50, 70, 90]
    assert display.points_.get_xdata().tolist() == [0.5, 1.5]
    assert display.points_.get_ydata().tolist() == [40, 100]
    assert whiskers(display.whiskers_, 1).tolist() == [[0.5, 30, 60]]
    (dashed,) = display.needed_
    assert dashed.get_xdata().tolist() == [0, 1.5, 1.5]
    assert dashed.get_ydata().tolist() == pytest.approx([80, 80, 0])
    assert (
        ax.get_xlabel().replace("\n", " ")
        == "difference of chr$F$ between translations of a segment"
    )
    assert ax.get_ylim()[0] < 40 and ax.get_xlim()[0] == 0
    assert display.band_ is not None


def test_a_curve_alone(ax):
    display = DecisionTableDisplay([1, 2], [0.6, 0.7], [(NAN, NAN)] * 2).plot(ax, color="red")
    assert display.band_ is display.points_ is display.whiskers_ is None
    assert display.needed_ == [] and display.line_.get_color() == "red"


def test_of_a_decision_table(ax):
    X, y = load_sample(return_X_y=True)
    chrf = MetricScores(["chrf"]).set_output(transform="pandas").fit_transform(X)["chrf_score"]
    found = decision_table(chrf, y, level="segment")
    display = DecisionTableDisplay.of(found).plot(ax)
    assert np.allclose(display.line_.get_ydata(), 100 * found.band["agreement"])
    assert np.allclose(display.points_.get_xdata(), found.bins["difference"])
    assert display.ax_ is ax and "chrf_score" in ax.get_xlabel()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"agreement": [0.5, 2]}, "agreement must be finite numbers between 0 and 1"),
        ({"differences": [-1, 2]}, "differences must be"),
        ({"band": [(0.6, 0.5)] * 2}, "band must be lower and upper bounds"),
        ({"observed": [(1, 2)]}, "observed must have shape"),
        ({"needed": [(NAN, 1)]}, "needed must be"),
        ({"level": "word"}, r"level .*found "),
    ],
)
def test_bad_input(given, message):
    options = {"differences": [1, 2], "agreement": [0.5, 0.6]} | given
    with pytest.raises((CandidateError, ValueError), match=message):
        DecisionTableDisplay(options.pop("differences"), options.pop("agreement"), **options)
