import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.evaluation import select_segments
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.plots import SelectionDisplay


def scores_of(n_segments=40, n_systems=3, n_metrics=2, seed=0):
    rng = np.random.default_rng(seed)
    systems = [f"s{k}" for k in range(n_systems)]
    index = pd.MultiIndex.from_product([range(n_segments), systems], names=["segment", "system"])
    values = rng.normal(size=(len(index), n_metrics)) * [1, 50][:n_metrics]
    return pd.DataFrame(values, index, [f"m{k}" for k in range(n_metrics)])


def test_curves(ax):
    display = SelectionDisplay(
        [0.1, 0.5], {"random": [3, 1], "spread": [2, np.nan]}, unit="points", marked=0.25
    ).plot(ax)
    assert display.lines_[0].get_xydata().tolist() == [[10, 3], [50, 1]]
    assert display.lines_[0].get_color() != display.lines_[1].get_color()
    assert display.lines_[0].get_linestyle() != display.lines_[1].get_linestyle()
    assert ax.lines[-1].get_xdata() == [25, 25]
    assert ax.get_ylabel().endswith("(points)") and ax.get_ylim()[0] == 0
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["random", "spread"]


def by_loops(scores, size, method, seeds):
    """Errors of systems' means, by plain loops over metrics, systems and segments."""
    squares = []
    for seed in seeds:
        chosen = select_segments(scores, size, method=method, random_state=seed)
        for _, column in scores.items():
            deviation = column.std(ddof=0)
            for system in column.index.unique("system"):
                of_system = column.xs(system, level="system").dropna()
                total = weights = 0.0
                for segment, value in of_system.items():
                    row = chosen.loc[segment]
                    if row["chosen"]:
                        probability = row["probability"]
                        weight = 1.0 if np.isnan(probability) else 1 / probability
                        total, weights = total + weight * value, weights + weight
                squares.append(((total / weights - of_system.mean()) / deviation) ** 2)
    return np.sqrt(np.mean(squares))


@pytest.mark.parametrize("method", ["spread", "random", "variance"])
@pytest.mark.parametrize("missing", [False, True])
def test_errors_are_those_of_loops(method, missing, ax):
    scores = scores_of()
    if missing:
        scores.iloc[::7, 0] = np.nan
    display = SelectionDisplay.from_scores(
        scores, methods=[method], sizes=[0.3, 0.6], n_samples=2, random_state=5, ax=ax
    )
    rng, n = np.random.RandomState(5), 1 if method == "variance" else 2
    for size, error in zip([0.3, 0.6], display.errors[method], strict=True):
        seeds = [rng.randint(2**31) for _ in range(n)]
        assert error == pytest.approx(by_loops(scores, size, method, seeds))


def test_all_segments_leave_no_error_and_scales_of_metrics_do_not_matter(ax):
    scores = scores_of()
    given = {"methods": ["random"], "sizes": [0.2, 0.999], "n_samples": 3, "ax": ax}
    errors = SelectionDisplay.from_scores(scores, **given).errors["random"]
    assert errors[0] > 0.05 and errors[1] == pytest.approx(0, abs=1e-12)
    scaled = SelectionDisplay.from_scores(scores * [1e6, 1e-6] + 3, **given).errors["random"]
    assert scaled == pytest.approx(errors)


def test_sizes_of_too_few_segments_are_left_out(ax):
    display = SelectionDisplay.from_scores(scores_of(6), n_samples=2, ax=ax)
    assert display.sizes.min() * 6 >= 1.5
    with pytest.raises(CandidateError, match="sizes is empty"):
        SelectionDisplay.from_scores(scores_of(2), sizes=[0.5], ax=ax)


def test_options_of_the_choice(ax):
    scores = scores_of(40)
    documents = pd.Series(np.arange(40) // 10, range(40))
    given = {"n_samples": 2, "sizes": [0.5], "ax": ax}
    with_documents = SelectionDisplay.from_scores(scores, documents=documents, **given)
    assert (
        with_documents.errors["random"]
        != SelectionDisplay.from_scores(scores, **given).errors["random"]
    )
    with pytest.raises(ValueError, match="method"):
        SelectionDisplay.from_scores(scores, methods=["best"], **given)


BAD = [
    (([], {"a": []}), "sizes is empty"),
    (([0.5, 0.1], {"a": [1, 1]}), "must increase"),
    (([1.5], {"a": [1]}), "found 1.5"),
    (([0.5], {}), "errors is empty"),
    (([0.5], {"a": [1, 2]}), "errors of 'a' must have shape"),
    (([0.5], {"a": [-1]}), "found -1.0"),
]


@pytest.mark.parametrize(("given", "message"), BAD)
def test_bad_input(given, message):
    with pytest.raises(CandidateError, match=message):
        SelectionDisplay(*given)
