import numpy as np
import pytest

from sklearn_mteval.evaluation import challenge
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models import bleu_pipeline
from sklearn_mteval.plots import ChallengeDisplay

NAN = np.nan


def test_dots_and_whiskers_of_each_series(ax, whiskers):
    display = ChallengeDisplay(
        ["empty", "$a_b$"],
        ["alone", "two"],
        [[1, 0.5], [0.25, NAN]],
        [[(0.9, 1), (0.4, 0.6)], [(0.1, 0.3), (NAN, NAN)]],
        title="$m_1$",
    ).plot(ax)
    alone, two = display.points_
    assert alone.get_xdata().tolist() == [100, 25] and two.get_xdata()[0] == 50
    assert np.isnan(two.get_xdata()[1])
    # The first on top, series side by side around their row.
    assert (alone.get_ydata() < [0, 1]).all() and (two.get_ydata() > [0, 1]).all()
    assert ax.get_ylim()[0] > 1 and ax.get_ylim()[1] < 0
    assert alone.get_color() != two.get_color() and alone.get_marker() != two.get_marker()
    assert np.allclose(whiskers(display.whiskers_[0], 0)[:, 1:], [(90, 100), (10, 30)])
    assert np.allclose(whiskers(display.whiskers_[1], 0)[:, 1:], [(40, 60)])
    assert display.chance_.get_xdata()[0] == 50
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["alone", "two"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["empty", "$a_b$"]
    assert ax.get_title(loc="left") == "$m_1$" and ax.get_xlim() == (-2, 102)
    ax.figure.canvas.draw()


def test_without_intervals(ax):
    display = ChallengeDisplay(["empty"], ["alone"], [[1]]).plot(ax, color="red")
    assert display.whiskers_ == [] and display.points_[0].get_color() == "red"


def test_of_what_challenge_found(ax, sample):
    X, y = sample
    model = bleu_pipeline().fit(X[:200], y[:200])
    found = challenge(model, X[200:], y[200:], n_segments=8, name="mine", metrics=["ter"])
    display = ChallengeDisplay.of(found).plot(ax)
    assert display.series == ["alone", "two", "many", "ter"] and display.title == "mine"
    assert display.kinds == list(found.table.index.unique("kind"))
    for line, key in zip(
        display.points_,
        [("alone", "mine"), ("two", "mine"), ("many", "mine"), ("alone", "ter")],
        strict=True,
    ):
        expected = found.table.xs(key, level=("setting", "judge")).loc[display.kinds, "proportion"]
        assert line.get_xdata().tolist() == (100 * expected).tolist()


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ((["a", "a"], ["b"], [[1], [1]]), "kinds has 'a' twice"),
        ((["a"], [], [[]]), "series is empty"),
        ((["a"], ["b"], [[1.5]]), "proportions must be finite numbers between 0 and 1"),
        ((["a"], ["b"], [1]), "shape"),
        ((["a"], ["b"], [[1]], [[(0, 2)]]), "intervals"),
    ],
)
def test_wrong_numbers(given, match):
    with pytest.raises(CandidateError, match=match):
        ChallengeDisplay(*given)
