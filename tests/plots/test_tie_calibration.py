from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.plots import TieCalibrationDisplay

# The oracle: metric [0, 2, 6, 8], human [1, 1, 1, 4]; worked by hand over six pairs.
EPSILONS = [0, 2, 4, 6, 8]
ACCURACIES = [3 / 6, 3 / 6, 4 / 6, 4 / 6, 3 / 6]


def test_curve_and_points(ax):
    display = TieCalibrationDisplay(EPSILONS, ACCURACIES, name="BLEU").plot(ax, color="k", lw=3)
    assert display.line_.get_xydata() == pytest.approx(np.c_[EPSILONS, 100 * np.array(ACCURACIES)])
    assert display.line_.get_drawstyle() == "steps-post"  # between two thresholds nothing changes
    assert display.best_.get_xydata() == pytest.approx(np.array([[4, 400 / 6]]))
    assert display.start_.get_xydata() == pytest.approx(np.array([[0, 50]]))
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["BLEU: 66.7 at ε = 4"]
    assert ax.get_xlim()[0] == 0
    assert display.line_.get_color() == display.best_.get_color() == "k"
    assert display.line_.get_linewidth() == 3


def test_a_point_found_elsewhere(ax):
    display = TieCalibrationDisplay(EPSILONS, ACCURACIES, epsilon=5, accuracy=0.6).plot(ax)
    assert display.best_.get_xydata() == pytest.approx(np.array([[5, 60]]))
    assert display.line_.get_label() == "60.0 at ε = 5"


def test_from_calibration(ax):
    found = SimpleNamespace(
        epsilon=4.0,
        accuracy=4 / 6,
        epsilons=np.array(EPSILONS, dtype=float),
        accuracies=np.array(ACCURACIES),
    )
    display = TieCalibrationDisplay.from_calibration(found, name="chrF", ax=ax, ls="--")
    assert display.ax_ is ax
    assert (display.epsilon, display.accuracy) == (4.0, 4 / 6)
    assert display.line_.get_linestyle() == "--"
    assert display.line_.get_label() == "chrF: 66.7 at ε = 4"


def test_several_metrics_have_colours_of_their_own(ax):
    colours = []
    for k in range(5):
        display = TieCalibrationDisplay(EPSILONS, ACCURACIES, name=str(k)).plot(ax)
        colours.append(display.line_.get_color())
        assert display.best_.get_color() == colours[-1]
    assert len(set(colours)) == 5
    assert len(ax.get_legend().get_texts()) == 5


@pytest.mark.parametrize("scales", [(1, 100), (100, 1)])
def test_metrics_of_larger_scale_are_not_cut_off(scales, ax):
    for scale in scales:
        TieCalibrationDisplay(scale * np.array(EPSILONS), ACCURACIES).plot(ax)
    left, right = ax.get_xlim()
    assert left == 0 and right >= 800


def test_zero_is_seen_on_a_logarithmic_axis(ax):
    display = TieCalibrationDisplay([0, 0.001, 1, 100], [0.2, 0.3, 0.4, 0.1])
    assert display.plot(ax, linear_until=0.001).ax_.get_xscale() == "symlog"
    to_pixels = ax.transData.transform([(x, 0) for x in (0, 0.001, 1, 100)])[:, 0]
    steps = np.diff(to_pixels)
    assert (steps > 10).all()
    ax.figure.canvas.draw()
    labels = [t.get_text() for t in ax.get_xticklabels()]
    assert {"0", "0.001", "1", "100"} <= set(labels)
    assert ax.get_xlim()[0] == 0


BAD = [
    (([], []), {}, "empty"),
    (([0, 1], [0.1]), {}, "accuracies must have shape"),
    (([0, 2, 1], [0.1, 0.2, 0.3]), {}, "must increase"),
    (([-1, 2], [0.1, 0.2]), {}, "between 0 and inf, found -1.0 at position 0"),
    (([0, 2], [0.1, 20]), {}, "between 0 and 1, found 20.0 at position 1"),
    (([0, np.nan], [0.1, 0.2]), {}, "found nan"),
    (([0, 1], [0.1, 0.2]), {"epsilon": 1}, "pass both or neither"),
    (([0, 1], [0.1, 0.2]), {"epsilon": -1, "accuracy": 0.5}, "found -1.0"),
]


@pytest.mark.parametrize(("arguments", "options", "message"), BAD)
def test_bad_input(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        TieCalibrationDisplay(*arguments, **options)


def test_bad_scale():
    with pytest.raises(ValueError, match="linear_until must be a number > 0"):
        TieCalibrationDisplay([0], [1]).plot(linear_until=0)


def test_errors_are_candidate_errors():
    with pytest.raises(CandidateError):
        TieCalibrationDisplay([0, 1], [0.1])
