from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.plots import SignificanceDisplay

NAMES = ["BLEU", "chrF", "TER"]
VALUES = [0.2, 0.3, 0.1]
#          BLEU    chrF    TER
P = [
    [0.0, 0.97, 0.0004],
    [0.03, 0.0, 0.005],
    [0.9996, np.nan, 0.0],
]


def letters(display):
    return [[t and t.get_text() for t in row] for row in display.texts_]


def test_sorted_by_value_row_better_than_column(ax):
    display = SignificanceDisplay(NAMES, P, values=VALUES).plot(ax)
    for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
        assert [t.get_text() for t in labels] == ["chrF", "BLEU", "TER"]
    assert letters(display) == [
        [None, ".030", ".005"],
        [".97", None, "<.001"],
        [None, "1.00", None],
    ]
    assert display.texts_[0, 1].get_position() == (1, 0)
    bold = np.array(
        [[t is not None and t.get_weight() == "bold" for t in r] for r in display.texts_]
    )
    assert bold.tolist() == [[False, True, True], [False, False, True], [False, False, False]]
    mask = np.ma.getmaskarray(display.image_.get_array())
    assert mask.tolist() == [[True, False, False], [False, True, False], [True, False, True]]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # row 0 on top


def classes(p, ax, alpha):
    """Colours of the cells [0, k] of one row of p-values."""
    n = len(p) + 1
    matrix = np.full((n, n), np.nan)
    matrix[0, 1:] = p
    display = SignificanceDisplay([str(k) for k in range(n)], matrix).plot(ax, alpha=alpha)
    colours = display.image_.to_rgba(display.image_.get_array())[0, 1:]
    weights = [t.get_weight() for t in display.texts_[0, 1:]]
    return [tuple(colour) for colour in colours], weights


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.1, 0.02])
def test_colour_and_weight_change_at_alpha_which_itself_is_significant(alpha, ax):
    p = [0, 0.0005, alpha / 2, alpha, np.nextafter(alpha, 1), 0.5, 1]
    colours, weights = classes(p, ax, alpha)
    assert weights == ["bold"] * 4 + ["normal"] * 3
    assert len(set(colours[4:])) == 1
    assert colours[4] not in colours[:4]
    assert colours[0] == colours[1] != colours[3]


def test_darker_is_surer(ax):
    colours, _ = classes([0.0005, 0.001, 0.005, 0.01, 0.03, 0.05, 0.06], ax, 0.05)
    light = [sum(colour[:3]) for colour in colours]
    assert light[0] == light[1] < light[2] == light[3] < light[4] == light[5] < light[6]


def test_lines_between_clusters(ax):
    clusters = [["chrF"], ["BLEU", "TER"]]
    display = SignificanceDisplay(NAMES, P, values=VALUES, clusters=clusters).plot(ax)
    horizontal, vertical = display.lines_
    assert horizontal.get_ydata() == [0.5, 0.5]
    assert vertical.get_xdata() == [0.5, 0.5]


def test_it_says_by_which_rule_clusters_were_made(ax):
    options = {"values": VALUES, "clusters": [["chrF"], ["BLEU", "TER"]]}
    SignificanceDisplay(NAMES, P, **options, ranks="metrics-task").plot(ax)
    assert ax.get_xlabel().split() == ["lines:", "significance", "clusters", "(metrics-task)"]
    ax.clear()
    SignificanceDisplay(NAMES, P, **options).plot(ax)
    assert ax.get_xlabel() == ""


def test_a_metric_without_value_is_last_and_in_no_cluster(ax):
    display = SignificanceDisplay(
        NAMES, P, values=[np.nan, 0.1, 0.2], clusters=[["TER", "chrF"]]
    ).plot(ax)
    assert display.order_.tolist() == [2, 1, 0]
    assert display.lines_[0].get_ydata() == [1.5, 1.5]


def test_from_comparison(ax):
    differences = np.subtract.outer(VALUES, VALUES)
    comparison = SimpleNamespace(
        names=tuple(NAMES), values=np.array(VALUES), p_values=np.array(P), differences=differences
    )
    display = SignificanceDisplay.from_comparison(
        comparison, clusters=[["chrF", "BLEU"], ["TER"]], ax=ax, alpha=0.01
    )
    assert display.ax_ is ax
    assert letters(display)[0] == [None, ".030", ".005"]
    assert display.texts_[0, 1].get_weight() == "normal"
    assert set(letters(display)[2]) == {None}  # p stands in the row of the better one
    assert display.lines_[0].get_ydata() == [1.5, 1.5]
    corrected = np.full((3, 3), 0.25)
    display = SignificanceDisplay.from_comparison(
        comparison, p_values=corrected, p_name="Holm's p", ax=ax
    )
    assert letters(display)[0] == [None, ".25", ".25"]
    assert ax.figure.axes[-1].get_ylabel() == "Holm's p (row better than column)"


def test_the_comparison_is_not_changed(ax):
    p = np.array(P)
    SignificanceDisplay(NAMES, p, values=VALUES).plot(ax)
    assert np.array_equal(p, P, equal_nan=True)


def test_colours_and_numbers_can_be_left_alone(ax):
    before = len(ax.figure.axes)
    display = SignificanceDisplay(NAMES, P).plot(ax, colorbar=False, fontsize=5)
    assert len(ax.figure.axes) == before
    assert display.order_.tolist() == [0, 1, 2]
    assert display.texts_[0, 1].get_fontsize() == 5


BAD = [
    ({"p_values": [[0, 1], [1, 0]]}, r"shape \(3, 3\), found \(2, 2\)"),
    (
        {"p_values": [[0, 1, 1], [1, 0, 1], [1, 1.5, 0]]},
        "between 0 and 1 or NaN, found 1.5 at pos.* 2, 1",
    ),
    ({"p_values": [[0, 1], [1, 0, 1], [1]]}, "p_values must be numbers"),
    ({"values": [1, 2]}, "values must have shape"),
    ({"clusters": [["BLEU"], ["bleu"]]}, "'bleu' of clusters.1. is unknown"),
    ({"clusters": [["BLEU"], ["BLEU"]]}, "'BLEU' of clusters.1. is in two clusters"),
    ({"clusters": [["chrF", "TER"], ["BLEU"]], "values": VALUES}, "must stand together"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_input(change, message):
    with pytest.raises(CandidateError, match=message):
        SignificanceDisplay(**({"names": NAMES, "p_values": P} | change))


def test_bad_alpha():
    with pytest.raises(ValueError, match="alpha must be a number > 0"):
        SignificanceDisplay(NAMES, P).plot(alpha=0)


def test_of_many_metrics_a_strip_shows_which_are_told_apart():
    """By hand: of 13 metrics neighbours are not told apart; the last was not tested."""
    n = 13
    values = np.linspace(0.6, 0, n)
    p = np.full((n, n), np.nan)
    for i in range(n - 1):
        for j in range(i + 1, n - 1):
            p[i, j] = 0.5 if j == i + 1 else 0.01
    names = [str(k) for k in range(n)]
    order = np.random.default_rng(0).permutation(n)
    shuffled = [names[k] for k in order], p[np.ix_(order, order)]
    clusters = [names[:4], names[4:]]
    display = SignificanceDisplay(*shuffled, values=values[order], clusters=clusters).plot()
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == names
    assert np.allclose(display.points_.get_xdata(), 100 * values)
    spans = {line[0, 1]: sorted(line[:, 0]) for line in display.spans_.get_segments()}
    for k in range(n):
        alike = [k] if k == n - 1 else [m for m in (k - 1, k, k + 1) if 0 <= m < n - 1]
        assert np.allclose(spans[k], [100 * values[alike[-1]], 100 * values[alike[0]]])
        at = [s[0, 0] for s in display.ticks_.get_segments() if abs(s[:, 1].mean() - k) < 0.1]
        assert np.allclose(sorted(at), sorted(100 * values[alike]))
    assert [line.get_ydata()[0] for line in display.lines_] == [3.5]


def test_a_strip_or_a_heat_map_when_it_is_asked_for():
    few = SignificanceDisplay(NAMES, P, values=VALUES).plot(strip=True)
    assert not hasattr(few, "image_") and few.points_ is not None
    many = [str(k) for k in range(13)]
    p = np.full((13, 13), 0.5)
    for display in (SignificanceDisplay(many, p, values=range(13)).plot(strip=False),
                    SignificanceDisplay(many, p).plot()):  # fmt: skip
        assert display.image_ is not None
    with pytest.raises(CandidateError, match="give values="):
        SignificanceDisplay(NAMES, P).plot(strip=True)


@pytest.mark.parametrize("n", [2, 16])
def test_numbers_fit_into_their_cells(n):
    p = np.full((n, n), 0.0004)
    figure = SignificanceDisplay([f"metric-{k}[src]" for k in range(n)], p).plot()
    figure.figure_.canvas.draw()
    cell = np.diff(figure.ax_.transData.transform([(0, 0), (1, 0)])[:, 0])[0]
    assert max(t.get_window_extent().width for t in figure.texts_.ravel() if t) < cell


@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_the_scale_has_room_for_its_label(n):
    names = [f"m{k}" for k in range(n)]
    display = SignificanceDisplay(names, np.full((n, n), 0.5), p_name="Holm's p").plot()
    figure = display.figure_
    figure.canvas.draw()
    label = figure.axes[-1].yaxis.label.get_window_extent()
    assert label.y0 >= 0 and label.y1 <= figure.bbox.height
