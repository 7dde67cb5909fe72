import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_mteval import PairDifference
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.pairwise import decompose
from sklearn_mteval.pairwise.pairs import group_order, pair_table

# scikit-learn's checks that feed three or five columns: an odd number is no pair table.
ODD_CHECKS = [
    "check_fit_score_takes_y",
    "check_dont_overwrite_parameters",
    "check_estimators_dtypes",
    "check_pipeline_consistency",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
    "check_transformer_preserve_dtypes",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_dict_unchanged",
    "check_fit2d_predict1d",
]


class DoubledDifference(PairDifference):
    """Takes any table and pairs it with its own square, so that those checks can run, too."""

    def fit(self, X, y=None):
        X = validate_data(self, X, ensure_all_finite="allow-nan", dtype=[np.float64, np.float32])
        self.inner_ = PairDifference().fit(np.hstack([X, X**2]))
        return self

    def transform(self, X):
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, ensure_all_finite="allow-nan", dtype=[np.float64, np.float32]
        )
        return self.inner_.transform(np.hstack([X, X**2]))

    def get_feature_names_out(self, input_features=None):
        return self.inner_.get_feature_names_out()


@parametrize_with_checks(
    [PairDifference(), DoubledDifference()],
    expected_failed_checks=lambda estimator: (
        dict.fromkeys(ODD_CHECKS, "odd number of columns")
        if type(estimator) is PairDifference
        else {}
    ),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_papers_count_of_pairs():
    # 2012 paper, section 3.2: n * (n - 1) pairs for n translations.
    pairs = [decompose(np.eye(n), range(n), item_level=None)[0] for n in (2, 5)]
    assert [len(table) for table in pairs] == [2, 20]


def test_pair_table_of_a_frame():
    index = pd.MultiIndex.from_tuples(
        [(1, "r", "a"), (1, "r", "b")], names=["segment", "ranking", "system"]
    )
    X = pd.DataFrame({"u": [1.0, 2.0], "v": [3.0, 4.0]}, index=index)
    found = pair_table(X, np.array([0, 1]), np.array([1, 0]), item_level="system")
    expected = pd.DataFrame(
        {"t1__u": [1.0, 2.0], "t1__v": [3.0, 4.0], "t2__u": [2.0, 1.0], "t2__v": [4.0, 3.0]},
        index=pd.MultiIndex.from_tuples(
            [(1, "r", "a", "b"), (1, "r", "b", "a")],
            names=["segment", "ranking", "system_1", "system_2"],
        ),
    )
    pd.testing.assert_frame_equal(found, expected)


def test_pair_table_keeps_texts_and_types():
    index = pd.MultiIndex.from_tuples([(1, "a"), (1, "b")], names=["segment", "system"])
    X = pd.DataFrame({"text": ["x", "y"], "n": np.array([1, 2], np.int32)}, index=index)
    found = pair_table(X, np.array([0]), np.array([1]), item_level="system")
    assert found.iloc[0].tolist() == ["x", 1, "y", 2]
    assert found["t2__n"].dtype == np.int32
    assert found.index.tolist() == [(1, "a", "b")]


def test_pair_table_of_an_array_keeps_its_type():
    X = np.array([[1, 2], [3, 4]], dtype=np.float32)
    found = pair_table(X, np.array([1]), np.array([0]))
    np.testing.assert_array_equal(found, [[3, 4, 1, 2]])
    assert found.dtype == np.float32


def content(X, y, order):
    bounds = zip(order.starts, order.starts + order.sizes, strict=True)
    return [
        np.column_stack([X.to_numpy()[order.rows[a:b]], y[order.rows[a:b]]]).tolist()
        for a, b in bounds
    ]


def test_group_order_depends_on_content_only(numbers):
    X, y = numbers
    y = y.to_numpy()
    groups = X.index.codes[0].astype(np.int64)
    order = group_order(groups, X, y)
    assert sorted(order.rows.tolist()) == list(range(len(X)))
    for rows in order.rows[order.starts[:, np.newaxis]]:
        assert len(set(groups[rows])) == 1
    shuffled = np.random.default_rng(5).permutation(len(X))
    renamed = (groups.max() - groups)[shuffled]
    again = group_order(renamed, X.iloc[shuffled].reset_index(drop=True), y[shuffled])
    assert content(X, y, order) == content(X.iloc[shuffled], y[shuffled], again)


def test_equal_cells_of_other_types_are_ordered_alike():
    """Once cells were compared as they print: equal tables got different orders."""
    words = ["x", "y", "z", "v", "w"]
    groups = np.zeros(5, dtype=np.int64)
    lists = pd.DataFrame({"reference": [[word, "other"] for word in words], "n": range(5)})
    tuples = lists.assign(reference=list(map(tuple, lists["reference"])))
    objects = tuples.assign(n=np.array([np.float64(n) for n in range(5)], dtype=object))
    integers = lists.assign(n=np.array(range(5), dtype=object))
    zeros = lists.assign(n=[0.0, 1, 2, 3, 4]), lists.assign(n=[-0.0, 1, 2, 3, 4])
    for one, other in [(lists, tuples), (integers, objects), zeros]:
        found = [group_order(groups, table).rows.tolist() for table in (one, other)]
        assert found[0] == found[1]


def test_cells_without_a_content_of_their_own_are_refused():
    X = pd.DataFrame({"n": [1.0, 2.0], "parse": [object(), object()]})
    with pytest.raises(CandidateError, match=r"'parse', row 0: .*found object"):
        group_order(np.zeros(2, dtype=np.int64), X)


def test_group_order_keeps_equal_groups_apart():
    X = np.array([[1.0], [2.0], [1.0], [2.0]])
    order = group_order(np.array([0, 1, 1, 0]), X)
    assert order.sizes.tolist() == [2, 2]
    assert sorted(order.rows[:2].tolist()) in ([0, 3], [1, 2])


def test_differences_worked_by_hand():
    X = pd.DataFrame([[5, 1, 2, 7]], columns=["t1__a", "t1__b", "t2__a", "t2__b"])
    found = PairDifference().set_output(transform="pandas").fit_transform(X)
    assert found.columns.tolist() == ["a", "b"]
    assert found.iloc[0].tolist() == [3, -6]


def test_swapping_the_pair_negates_the_difference():
    X = np.random.default_rng(0).normal(size=(5, 6))
    swapped = np.hstack([X[:, 3:], X[:, :3]])
    transformer = PairDifference().fit(X)
    np.testing.assert_array_equal(transformer.transform(X), -transformer.transform(swapped))


def test_single_precision_stays_single():
    assert PairDifference().fit_transform(np.ones((2, 4), np.float32)).dtype == np.float32


def test_nan_passes_through():
    assert np.isnan(PairDifference().fit_transform([[np.nan, 1.0]])).all()


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((2, 3)), "even number of columns"),
        (pd.DataFrame(np.ones((1, 4)), columns=["t1__a", "t1__b", "t2__b", "t2__a"]), "t2__a"),
        (pd.DataFrame(np.ones((1, 2)), columns=["t1__a", "b"]), "'t1__a' of t1 faces 'b'"),
    ],
)
def test_what_is_no_pair_table_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        PairDifference().fit(X)


def test_names():
    transformer = PairDifference().fit(np.ones((1, 4)))
    assert transformer.get_feature_names_out().tolist() == ["x0", "x1"]
    assert transformer.get_feature_names_out(["t1__u", "v", "t2__u", "w"]).tolist() == ["u", "v"]
    with pytest.raises(ValueError, match="number of features"):
        transformer.get_feature_names_out(["a"])
