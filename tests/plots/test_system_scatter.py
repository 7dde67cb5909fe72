import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.plots import SystemScatterDisplay
from sklearn_mteval.plots._point_labels import _crossed

NAMES = ["A", "B", "C", "D"]
HUMAN = np.array([0.6, 0.5, 0.2, 0.4])
METRIC = np.array([30.0, 28.0, 20.0, 29.0])


def test_points_names_and_correlations(ax):
    display = SystemScatterDisplay(NAMES, HUMAN, METRIC, metric_name="chrF").plot(ax, color="k")
    assert np.array_equal(display.points_.get_xydata(), np.column_stack([HUMAN, METRIC]))
    assert [(t.get_text(), *t.xy) for t in display.texts_] == list(
        zip(NAMES, HUMAN, METRIC, strict=True)
    )
    r, tau = stats.pearsonr(HUMAN, METRIC).statistic, stats.kendalltau(HUMAN, METRIC).statistic
    assert ax.get_title() == f"Pearson {r:.2f}, tau-b {tau:.2f} (4 systems)"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Human score", "chrF")
    assert display.points_.get_color() == "k"
    assert display.whiskers_ == display.lines_ == []


def test_intervals(ax, whiskers):
    human = np.column_stack([HUMAN - 0.1, HUMAN + 0.2])
    metric = np.column_stack([METRIC - 1, METRIC + 3])
    metric[2] = np.nan
    display = SystemScatterDisplay(
        NAMES, HUMAN, METRIC, human_intervals=human, metric_intervals=metric
    ).plot(ax)
    across, up = display.whiskers_
    assert np.allclose(whiskers(across, 0), np.column_stack([METRIC, human]))
    assert np.allclose(whiskers(up, 1), np.column_stack([HUMAN, metric])[[0, 1, 3]])


def test_lines_between_clusters_of_the_human_judgement(ax):
    display = SystemScatterDisplay(NAMES, HUMAN, METRIC, clusters=[1, 1, 3, 2]).plot(ax)
    assert [line.get_xdata()[0] for line in display.lines_] == pytest.approx([0.3, 0.45])


def test_from_predictions_joins_by_name(ax):
    human = pd.Series(HUMAN, index=NAMES)
    shuffled = ["D", "A", "C", "B"]
    bounds = pd.DataFrame({"low": METRIC - 1, "high": METRIC + 1}, index=NAMES)
    display = SystemScatterDisplay.from_predictions(
        human,
        dict(zip(NAMES, METRIC, strict=True)),
        metric_intervals=bounds.loc[shuffled],
        clusters=pd.Series([1, 1, 3, 2], index=NAMES).loc[shuffled],
        metric_name="BLEU",
        ax=ax,
        marker="s",
    )
    assert display.names == NAMES
    assert display.metric.tolist() == METRIC.tolist()
    assert display.metric_intervals.tolist() == bounds.to_numpy().tolist()
    assert display.clusters == [1, 1, 3, 2]
    assert display.points_.get_marker() == "s"
    assert ax.get_ylabel() == "BLEU"


def overlap(first, second):
    width = min(first.x1, second.x1) - max(first.x0, second.x0)
    height = min(first.y1, second.y1) - max(first.y0, second.y0)
    return max(width, 0) * max(height, 0)


@pytest.mark.parametrize("n", [5, 16])
def test_names_overlap_neither_each_other_nor_points(n):
    rng = np.random.default_rng(2)
    x = rng.normal(size=n)
    x[1] = x[0] + 0.01  # two that nearly coincide
    y = x + rng.normal(size=n) / 2
    y[1] = y[0]
    display = SystemScatterDisplay([f"long-system-{k}" for k in range(n)], x, y).plot()
    display.figure_.canvas.draw()
    boxes = [t.get_window_extent() for t in display.texts_]
    # Of text only: the line that leads to a label may cross another.
    boxes = [super(type(t), t).get_window_extent() for t in display.texts_]
    frame = display.ax_.get_window_extent()
    points = display.ax_.transData.transform(np.column_stack([x, y]))
    for k, box in enumerate(boxes):
        assert overlap(box, frame) > 0.8 * box.width * box.height
        assert sum(overlap(box, other) for other in boxes[:k]) == 0
        assert not any(box.contains(*point) for point in points)


def test_lines_that_cross_another_point_are_counted():
    points = np.array([[0, 0], [10, 0], [0, -5], [30, 1]])  # the first is the label's own
    ends = np.array([[20, 0], [0, 20], [-20, 0], [0, -20], [40, 0], [20, -20]])
    assert _crossed(points, ends, 2).tolist() == [1, 0, 0, 1, 2, 0]
    assert _crossed(points[:1], ends, 2).tolist() == [0] * 6


def test_names_stand_where_they_do_whatever_the_order():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 12))
    names = np.array([f"system-{k}" for k in range(12)])
    places = []
    for order in (np.arange(12), rng.permutation(12)):
        display = SystemScatterDisplay(names[order], x[order], y[order]).plot()
        places.append({t.get_text(): t.get_position() for t in display.texts_})
    assert places[0] == places[1]


@pytest.mark.parametrize(
    ("names", "human", "metric", "title"),
    [
        (["A"], [1], [2], "Pearson undefined, tau-b undefined (1 system)"),
        (["A", "B"], [1, 1], [2, 3], "Pearson undefined, tau-b undefined (2 systems)"),
    ],
)
def test_too_few_systems_have_no_correlation(names, human, metric, title, ax):
    with pytest.warns(UndefinedMetricWarning):
        SystemScatterDisplay(names, human, metric).plot(ax)
    assert ax.get_title() == title


BAD = [
    ({"human": [1, 2]}, "human must have shape"),
    ({"metric": [1, 2, np.nan, 3]}, "metric must be finite numbers, found nan at position 2"),
    ({"human_intervals": [(0, 1)] * 3}, "human_intervals must have shape"),
    ({"clusters": [1]}, "clusters must have 4 labels"),
    ({"clusters": [1, 2, 1, 2]}, "must stand together"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_input(change, message):
    with pytest.raises(CandidateError, match=message):
        SystemScatterDisplay(**({"names": NAMES, "human": HUMAN, "metric": METRIC} | change))


def test_the_systems_must_be_the_same():
    human = pd.Series(HUMAN, index=NAMES)
    more = pd.Series(1.0, index=[*NAMES, "E"])
    with pytest.raises(CandidateError, match="'E' is missing from human"):
        SystemScatterDisplay.from_predictions(human, more)
    with pytest.raises(CandidateError, match="'B' is missing from metric"):
        SystemScatterDisplay.from_predictions(human, human.drop("B"))
    with pytest.raises(CandidateError, match="clusters's systems has 'A' twice"):
        SystemScatterDisplay.from_predictions(
            human, human, clusters=pd.Series(1, index=["A", *NAMES])
        )
