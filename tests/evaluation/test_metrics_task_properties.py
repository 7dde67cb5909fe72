"""What must not change the table of a metrics task, and what must not be told apart."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval.evaluation import metrics_task

OPTIONS = {"n_permutations": 100}


@st.composite
def campaigns(draw):
    """Two campaigns with three metrics, scores on a grid, so that there are ties."""
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    found = {}
    for name in ("x-y", "y-x"):
        n_segments, n_systems = draw(st.integers(4, 12)), draw(st.integers(3, 5))
        rows = pd.MultiIndex.from_product(
            [range(n_segments), [f"s{k}" for k in range(n_systems)]], names=["segment", "system"]
        )
        y = pd.Series(rng.integers(0, 5, len(rows)).astype(float), rows)
        noise = rng.integers(-9, 10, (len(rows), 3)) * [0.125, 0.25, 0.5]
        found[name] = y, pd.DataFrame(noise - y.to_numpy()[:, None], rows, list("abc"))
    return found


def same(found, other):
    pd.testing.assert_frame_equal(found.table, other.table, check_exact=True)
    pd.testing.assert_frame_equal(found.p_values, other.p_values, check_exact=True)


@settings(max_examples=8, deadline=None)
@given(campaigns=campaigns(), seed=st.integers(0, 99))
def test_order_and_names_of_rows_change_no_bit(campaigns, seed):
    found = metrics_task(campaigns, **OPTIONS)
    rng = np.random.default_rng(seed)
    other = {}
    for name, (y, scores) in campaigns.items():
        rows, columns = rng.permutation(len(y)), rng.permutation(3)
        levels = [y.index.unique(level) for level in ("segment", "system")]
        numbers = [dict(zip(level, rng.permutation(len(level)), strict=True)) for level in levels]
        renamed = y.index.map(lambda row, new=numbers: (f"t{new[0][row[0]]}", new[1][row[1]]))
        renamed = renamed.set_names(["segment", "system"])
        other[name] = (
            y.set_axis(renamed).iloc[rows], scores.set_axis(renamed).iloc[rows, columns]
        )  # fmt: skip
    same(found, metrics_task(other, **OPTIONS))


@settings(max_examples=8, deadline=None)
@given(campaigns=campaigns(), scale=st.sampled_from([0.25, 8.0]), shift=st.integers(-64, 64))
def test_scale_and_zero_of_a_metric_change_nothing(campaigns, scale, shift):
    # Multiples of 1/8, times powers of two: no score is rounded, so that all ties stay.
    other = {name: (y, scores * [scale, 1, 1] + shift) for name, (y, scores) in campaigns.items()}
    found, again = metrics_task(campaigns, **OPTIONS), metrics_task(other, **OPTIONS)
    pd.testing.assert_frame_equal(found.table, again.table, rtol=1e-12)
    pd.testing.assert_frame_equal(found.p_values, again.p_values)


@settings(max_examples=8, deadline=None)
@given(campaigns=campaigns())
def test_a_metric_and_its_copy_are_not_told_apart(campaigns):
    twice = {name: (y, scores.assign(d=scores["a"])) for name, (y, scores) in campaigns.items()}
    found = metrics_task(twice, **OPTIONS)
    original, copy = found.table.loc["a"], found.table.loc["d"]
    values = [name for name in found.table if not name.endswith("cluster")]
    assert original[values].drop("average_rank").equals(copy[values].drop("average_rank"))
    place = {name: k for k, name in enumerate(found.comparison.names)}
    assert found.comparison.differences[place["a"], place["d"]] == 0
    assert found.comparison.p_values[place["a"], place["d"]] == 1
    # The others' statistics do not hang on how many metrics there are.
    alone = metrics_task(campaigns, **OPTIONS)
    pd.testing.assert_series_equal(alone.table["average"].loc[list("abc")],
                                   found.table["average"].loc[list("abc")])  # fmt: skip


@settings(max_examples=8, deadline=None)
@given(campaigns=campaigns())
def test_the_average_is_over_tasks_not_over_their_sizes(campaigns):
    found = metrics_task(campaigns, **OPTIONS)
    tasks = ["_".join(task) for task in found.tasks]
    expected = [np.mean(row) for row in found.table[tasks].to_numpy()]
    assert found.table["average"].to_list() == pytest.approx(expected)
    (name, one), _ = campaigns.items()
    doubled = metrics_task({"one": one, "two": one}, **OPTIONS)
    alone = metrics_task({name: one}, **OPTIONS)
    both = doubled.table["average"].loc[alone.table.index]
    assert both.to_list() == pytest.approx(alone.table["average"].to_list())
