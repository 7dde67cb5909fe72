"""Tables of scores and system means against pandas, by hand, and as weights of segments."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval._helpers.order import table_order
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import (
    pearson,
    permutation_test,
    soft_pairwise_accuracy,
    system_agreement,
    system_scores,
)
from sklearn_mteval.metrics.system.statistics import means_of_weights
from sklearn_mteval.metrics.system.tables import aligned_tables, checked_table, score_table


@pytest.fixture
def rows():
    """Scores of 200 rows, several of some translations, none of others."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "segment": rng.integers(0, 12, 200),
            "system": rng.choice(list("badce"), 200),
            "score": rng.normal(size=200),
        }
    ).query("segment != 3 or system != 'a'")


def test_table_is_pandas_pivot(rows):
    found = score_table(rows["score"], rows["segment"], rows["system"])
    expected = rows.pivot_table(index="segment", columns="system", values="score")
    pd.testing.assert_frame_equal(found, expected, check_names=False)
    assert np.isnan(found.loc[3, "a"])


def test_systems_are_means_of_rows_or_of_segments(rows):
    by_row = system_scores(rows["score"], rows["system"])
    expected = rows.groupby("system")["score"].mean()
    pd.testing.assert_series_equal(by_row, expected, check_names=False)
    by_segment = system_scores(rows["score"], rows["system"], segments=rows["segment"])
    expected = rows.groupby(["system", "segment"])["score"].mean().groupby("system").mean()
    pd.testing.assert_series_equal(by_segment, expected, check_names=False)
    assert not np.allclose(by_row, by_segment)


def test_means_do_not_depend_on_the_order_of_rows(rows):
    shuffled = rows.sample(frac=1, random_state=1)
    for table in (rows, shuffled):
        table["score"] *= 1e5
    for a, b in zip(
        (system_scores(rows["score"], rows["system"]), score_table(*columns(rows))),
        (system_scores(shuffled["score"], shuffled["system"]), score_table(*columns(shuffled))),
        strict=True,
    ):
        assert a.equals(b)


def columns(rows):
    return rows["score"], rows["segment"], rows["system"]


def test_copies_of_a_score_leave_it_as_it_is():
    assert score_table([0.1] * 7, [1] * 7, ["a"] * 7).loc[1, "a"] == 0.1


def test_missing_scores():
    scores, segments, systems = [1, np.nan, 3, np.nan], [1, 1, 2, 2], ["a", "b", "a", "b"]
    with pytest.raises(CandidateError, match=r"2 of 4 rows, the first is row 1.*missing='skip'"):
        system_scores(scores, systems)
    assert system_scores(scores, systems, missing="skip")["a"] == 2
    assert np.isnan(system_scores(scores, systems, missing="skip")["b"])
    table = score_table(scores, segments, systems, missing="skip")
    assert list(table) == ["a", "b"]
    assert table["b"].isna().all()


@pytest.mark.parametrize(
    ("scores", "systems", "message"),
    [
        ([1, np.inf], ["a", "b"], "infinite in row 1"),
        ([1, 2], ["a", None], "Row 1 has no label in systems"),
        ([1, 2], ["a"], "equally long"),
        ([[1, 2]], ["a"], "1-D"),
        (["x", "y"], ["a", "b"], "must be numbers"),
        (pd.Series([1, 2]), pd.Series(["a", "b"], index=[1, 0]), "different indices"),
    ],
)
def test_bad_rows(scores, systems, message):
    with pytest.raises(CandidateError, match=message):
        system_scores(scores, systems)


def test_weights_count_copies_of_segments():
    rng = np.random.default_rng(4)
    table = rng.normal(size=(6, 3))
    table[rng.random(table.shape) < 0.3] = np.nan
    table[:, 2] = [np.nan, np.nan, 1, np.nan, np.nan, np.nan]
    weights = rng.multinomial(6, np.full(6, 1 / 6), size=20)
    weights[0, 2] = 0
    found = means_of_weights(table)(weights)
    assert np.isnan(found[0, 2])
    for drawn, means in zip(weights, found, strict=True):
        copies = pd.DataFrame(np.repeat(table, drawn, axis=0))
        np.testing.assert_allclose(means, copies.mean())


def test_tables_are_matched_by_label_and_ordered_by_content():
    rng = np.random.default_rng(0)
    human = pd.DataFrame(rng.integers(0, 2, (30, 3)), columns=list("abc"))
    metric = pd.DataFrame(rng.normal(size=(30, 3)), columns=list("abc"))
    metric = metric.mask(human == 1)
    h, m, columns, _ = aligned_tables(human, metric)
    systems = human.columns[columns]
    again = aligned_tables(human.sample(frac=1, random_state=1), metric.loc[::-1, list("cab")])
    np.testing.assert_array_equal(h, again[0])
    np.testing.assert_array_equal(m, again[1])
    assert list(systems) == list(human.columns[again[2]])
    rows = {tuple(r) for r in np.nan_to_num(np.hstack([human[systems], metric[systems]])).tolist()}
    assert {tuple(r) for r in np.nan_to_num(np.hstack([h, m])).tolist()} == rows
    # Another metric does not change what the human table looks like.
    np.testing.assert_array_equal(aligned_tables(human, -metric)[0], h)


@pytest.mark.parametrize("seed", range(20))
def test_order_tells_segments_and_systems_apart(seed):
    # Columns of equal sums, and many equal rows.
    rng = np.random.default_rng(seed)
    table = rng.permuted(np.tile([[0.0], [1.0]], (4, 5)), axis=0)
    other = table[rng.permutation(8)][:, rng.permutation(5)]
    (rows, columns), (others, other_columns) = table_order(table), table_order(other)
    np.testing.assert_array_equal(table[rows][:, columns], other[others][:, other_columns])


@pytest.mark.parametrize(
    ("human", "metric", "message"),
    [
        (pd.DataFrame([[1, 2]]), [[1, 2]], "both be DataFrames"),
        (pd.DataFrame([[1, 2]]), pd.DataFrame([[1, 2, 3]]), "same systems; only one has 2"),
        (pd.DataFrame([[1, 2]]), pd.DataFrame([[1, 2]], index=[7]), "same segments.*reindex"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), pd.DataFrame([[1, 2]]), "'a' more than once"),
        ([[1, 2]], [["x", 2]], "numbers"),
        ([[1, 2]], [[np.inf, 2]], "infinity"),
        (np.empty((0, 2)), np.empty((0, 2)), "a segment and a system"),
    ],
)
def test_bad_tables(human, metric, message):
    with pytest.raises(CandidateError, match=message):
        aligned_tables(human, metric)


MISSING = [
    [1.0, None, 4.0],
    [1.0, pd.NA, 4.0],
    np.array([1.0, None, 4.0], dtype=object),
    pd.array([1.0, None, 4.0], dtype="Float64"),
    pd.array([1, None, 4], dtype="Int64"),
    np.ma.masked_array([1.0, 999.0, 4.0], mask=[False, True, False]),
    np.ma.masked_array([1, 999, 4], mask=[False, True, False]),
]


@pytest.mark.parametrize("scores", MISSING)
def test_all_that_says_missing_is_missing(scores):
    assert score_table(scores, [1, 2, 1], list("aab"), missing="skip").loc[2].isna().all()
    with pytest.raises(CandidateError, match=r"missing \(NaN\) in 1 of 3 rows"):
        score_table(scores, [1, 2, 1], list("aab"))
    assert pearson([2, 7, 1], scores, missing="skip") == pytest.approx(1)
    with pytest.raises(CandidateError, match=r"missing \(NaN\) in 1 of 3 rows"):
        pearson([2, 7, 1], scores)
    with pytest.raises(CandidateError, match=r"no score \(NaN\) in row 1"):
        permutation_test([2, 7, 1], {"a": scores, "b": [1, 2, 3]}, groups=None)
    with pytest.raises(CandidateError, match="no finite score for system 'b'"):
        system_agreement(pd.Series(scores, list("abc")), {"a": 1, "b": 2, "c": 3})
    with pytest.raises(CandidateError, match=r"NaN or infinity in 1 row|numeric"):
        pearson(scores, [1, 2, 3])
    found = checked_table("human", pd.DataFrame({"a": scores, "b": 1.0}))
    assert found["a"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize("scores", [[1 + 2j, 0, 1], pd.date_range("2020-01-01", periods=3)])
def test_scores_are_no_dates_and_not_complex(scores):
    for use in (
        lambda: score_table(scores, [1, 2, 1], list("aab")),
        lambda: pearson([2, 7, 1], scores),
        lambda: permutation_test([2, 7, 1], {"a": scores, "b": [1, 2, 3]}, groups=None),
        lambda: system_agreement(pd.Series(scores), [1, 2, 3]),
        lambda: checked_table("human", pd.DataFrame({"a": scores})),
    ):
        with pytest.raises(CandidateError, match="numbers"):
            use()


def test_labels_that_are_tuples():
    segments = [("d1", 1), ("d1", 2), ("d1", 1)]
    table = score_table([1, 2, 3], segments, list("aab"))
    assert table.loc[("d1", 1)].tolist() == [1, 3]
    named = pd.MultiIndex.from_tuples(segments, names=["document", "line"])
    pd.testing.assert_frame_equal(score_table([1, 2, 3], named, list("aab")), table)
    assert system_scores([1, 2, 3], list("aab"), segments=segments).to_dict() == {"a": 1.5, "b": 3}
    assert soft_pairwise_accuracy(table.fillna(0), table.fillna(0)) == 1


def test_masked_tables():
    human = np.array([[1.0, 2], [2, 3], [3, 4]])
    metric = np.array([[2.0, 1], [2, 9], [4, 5]])
    masked = np.ma.masked_array(metric, mask=[[0, 0], [0, 1], [0, 0]])
    metric[1, 1] = np.nan
    assert soft_pairwise_accuracy(human, masked) == soft_pairwise_accuracy(human, metric)


@pytest.mark.parametrize("y_true", [None, 3])
def test_judgements_are_a_vector(y_true):
    with pytest.raises(CandidateError, match="y_true must be a vector"):
        permutation_test(y_true, {"a": [1, 2], "b": [2, 1]}, groups=None)


def test_lengths_are_named_as_the_caller_does():
    with pytest.raises(CandidateError, match="y_true has 3 entries for 2 rows of y_score"):
        pearson([1, 2, 3], [1, 2])


def test_means_of_the_largest_numbers_are_finite():
    large = np.finfo(float).max
    table = score_table(
        [large, -large, large, large, 5e-324, 1.5], [1, 1, 1, 2, 2, 2], list("aaaabb")
    )
    assert table.loc[1, "a"] == pytest.approx(large / 3)
    assert table.loc[2].tolist() == [large, 0.75]
    scores = system_scores([large, large / 2], ["a", "a"])
    assert scores["a"] == pytest.approx(0.75 * large)


@pytest.mark.parametrize("labels", [None, 5, "abc", {1, 2}, iter([1, 2])])
def test_labels_are_a_vector(labels):
    with pytest.raises(CandidateError, match="systems must be 1-D"):
        system_scores([1.0, 2.0], labels)
