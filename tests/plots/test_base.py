import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from displays import DRAWN
from matplotlib import pyplot as plt
from matplotlib.text import Text

import sklearn_mteval.plots as plots
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS
from sklearn_mteval.plots._base import axis_label

# Trees are as wide as their texts.
NOT_OF_A_COLUMN = {"FragmentDisplay", "TreeDisplay"}


def test_every_display_is_here():
    assert set(DRAWN) == set(plots.__all__)


@pytest.mark.slow
def test_matplotlib_is_loaded_on_use_only_and_without_it_the_error_names_the_cure():
    code = (
        "import sys; from sklearn_mteval.plots import *; print('matplotlib' in sys.modules); "
        "sys.modules['matplotlib'] = None; AgreementDisplay(['a'], [1]).plot()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "False\n"
    last = run.stderr.strip().splitlines()[-1]
    assert "ExtraError: AgreementDisplay.plot needs matplotlib" in last
    assert 'pip install "sklearn-mteval[plots]"' in last


@pytest.mark.parametrize("name", DRAWN)
def test_new_axes_or_the_callers(name, ax):
    display = DRAWN[name]()
    assert display.plot() is display
    assert display.figure_ is not ax.figure and display.ax_ in display.figure_.axes
    assert display.plot(ax) is display
    assert display.ax_ is ax and display.figure_ is ax.figure
    ax.figure.canvas.draw()


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_that_is_drawn_leaves_a_figure_of_its_own(name):
    figure = DRAWN[name]().plot().figure_
    figure.canvas.draw()
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert box.x0 >= -0.02 and box.x1 <= width + 0.02
    assert box.y0 >= -0.02 and box.y1 <= height + 0.02


COLUMN = 3.3  # inches, of a paper's two columns


@pytest.mark.parametrize("name", [name for name in DRAWN if name not in NOT_OF_A_COLUMN])
def test_letters_can_be_read_at_the_width_of_a_column(name):
    """Where a figure is as wide as a column, no letters have less than 7 points."""
    figure = DRAWN[name]().plot().figure_
    figure.canvas.draw()
    scale = min(1, COLUMN / figure.get_size_inches()[0])
    texts = [text for text in figure.findobj(Text) if text.get_text().strip()]
    assert texts and min(text.get_fontsize() for text in texts) * scale >= 7


LONG = [f"a long name of a metric, number {k}, of the kind that files have" for k in range(43)]
MANY = np.linspace(0.1, 0.6, 43)
WITH_MANY = {
    "agreement": lambda: plots.AgreementDisplay(LONG, MANY, np.c_[MANY - 0.1, MANY + 0.1]),
    "leaderboard": lambda: plots.LeaderboardDisplay(LONG, MANY, letters=["abcdefg"] * 43),
    "significance": lambda: plots.SignificanceDisplay(LONG, np.full((43, 43), 0.5), values=MANY),
    "challenge": lambda: plots.ChallengeDisplay(LONG, LONG[:4], np.full((43, 4), 0.5)),
}


@pytest.mark.parametrize("name", WITH_MANY)
@pytest.mark.parametrize("width", [COLUMN, None])
def test_many_long_names_leave_room_and_do_not_overlap(name, width):
    ax = None
    if width is not None:
        ax = plt.subplots(figsize=(width, 10), layout="constrained")[1]
    display = WITH_MANY[name]().plot(ax)
    figure = display.figure_
    figure.canvas.draw()
    inside, whole = display.ax_.get_window_extent(), figure.bbox
    assert inside.width > 0.15 * whole.width
    box = figure.get_tightbbox()
    assert box.x0 >= -0.02 and box.x1 <= figure.get_size_inches()[0] + 0.02
    labels = [label.get_window_extent() for label in display.ax_.get_yticklabels()]
    assert len(labels) == 43
    labels.sort(key=lambda box: box.y0)
    assert all(a.y1 <= b.y0 + 1 for a, b in pairwise(labels))


def test_curves_differ_in_more_than_colour(ax):
    """In grey, by line and marker."""
    for k in range(7):
        plots.PairCalibrationDisplay.from_predictions([1, 0], [0.9, 0.1], name=str(k), ax=ax)
    lines = [line for line in ax.lines if line.get_gid() == "pairs"]
    assert len({(line.get_linestyle(), line.get_marker()) for line in lines}) == 7


def test_names_are_not_read_as_formulas():
    names = ["$\\frac$", "a_b^$", "<&>", "100 %"]
    for display in (
        plots.AgreementDisplay(names, np.zeros(4)).plot(references={"$\\x$": 0}),
        plots.SignificanceDisplay(names, np.ones((4, 4))).plot(),
        plots.SystemScatterDisplay(names, np.arange(4), np.arange(4)).plot(),
        plots.LeaderboardDisplay(names, np.arange(4)).plot(),
        plots.TieCalibrationDisplay([0], [1], name=names[0]).plot(),
        plots.PairCalibrationDisplay.from_predictions([1], [1], name=names[0]),
        plots.TreeDisplay("(S (NN $x))", "(S (NN \\frac$))", names=names[:2]).plot(),
    ):
        display.figure_.canvas.draw()


@pytest.mark.parametrize("statistic", STATISTICS)
def test_axes_say_which_statistic_it_is(statistic):
    label = axis_label(statistic)
    assert label.endswith("× 100")
    assert sum(axis_label(other) == label for other in STATISTICS) == 1


@pytest.mark.parametrize("name", SYSTEM_STATISTICS)
def test_statistics_of_both_levels_with_one_name_have_one_label(name):
    assert axis_label(name) == f"{SYSTEM_STATISTICS[name].label} × 100"


def test_an_unknown_statistic_keeps_its_name():
    assert axis_label("SPA, systems") == "SPA, systems × 100"


BAD_NAMES = [("ab", "found the string"), ([], "empty"), (["a", "b", "a"], "'a' twice")]


@pytest.mark.parametrize(("names", "message"), BAD_NAMES)
def test_bad_names(names, message):
    n = len(names)
    for call in (
        lambda: plots.AgreementDisplay(names, np.zeros(n)),
        lambda: plots.SignificanceDisplay(names, np.zeros((n, n))),
        lambda: plots.SystemScatterDisplay(names, np.zeros(n), np.zeros(n)),
        lambda: plots.LeaderboardDisplay(names, np.zeros(n)),
    ):
        with pytest.raises(CandidateError, match=message):
            call()
    assert not plt.get_fignums()
