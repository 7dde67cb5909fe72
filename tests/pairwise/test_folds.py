import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import check_cv

from sklearn_mteval import SegmentKFold, segment_train_test_split
from sklearn_mteval.exceptions import CandidateError


def frame(segments):
    index = pd.MultiIndex.from_arrays([segments, range(len(segments))], names=["segment", "system"])
    return pd.DataFrame({"x": 0.0}, index=index)


def folds(X, **options):
    return [frozenset(X.index[test]) for _, test in SegmentKFold(3, **options).split(X)]


def test_folds_worked_by_hand():
    X = frame([2, 1, 1, 3, 2, 4])
    found = [(train.tolist(), test.tolist()) for train, test in SegmentKFold(2).split(X)]
    assert found == [([3, 5], [0, 1, 2, 4]), ([0, 1, 2, 4], [3, 5])]


def test_every_segment_is_tested_once_and_never_split(numbers):
    X, _ = numbers
    segment = X.index.get_level_values("segment")
    tested = []
    for train, test in SegmentKFold(5, shuffle=True, random_state=0).split(X):
        assert not set(segment[train]) & set(segment[test])
        assert sorted([*train, *test]) == list(range(len(X)))
        tested += sorted(set(segment[test]))
    assert sorted(tested) == sorted(set(segment))


def test_folds_have_equally_many_segments_whatever_their_size():
    X = frame([1] * 50 + [2, 3, 4, 5, 6, 7])
    counts = [len({s for s, _ in fold}) for fold in folds(X)]
    assert counts == [3, 2, 2]


@pytest.mark.parametrize("options", [{}, {"shuffle": True, "random_state": 4}])
def test_row_order_does_not_matter(numbers, options):
    X, _ = numbers
    shuffled = X.iloc[np.random.default_rng(0).permutation(len(X))]
    assert folds(X, **options) == folds(shuffled, **options)


def test_runs_of_segments_stay_together_unless_shuffled():
    X = frame(range(30))
    assert [max(fold)[0] - min(fold)[0] for fold in folds(X)] == [9, 9, 9]
    assert folds(X) != folds(X, shuffle=True, random_state=0)


def test_seeds():
    X = frame(range(30))
    same = {"shuffle": True, "random_state": 1}
    assert folds(X, **same) == folds(X, **same) != folds(X, shuffle=True, random_state=2)


@pytest.mark.parametrize("segments", [["b", "a", "c"], ["b", 1, 2.5], [(1, 2), (0, 1), (3, 3)]])
def test_kinds_of_labels(segments):
    assert sorted(len(fold) for fold in folds(frame(segments))) == [1, 1, 1]


def test_scikit_learn_takes_it():
    splitter = SegmentKFold(7)
    assert check_cv(splitter) is splitter
    assert splitter.get_n_splits() == 7
    assert repr(splitter) == "SegmentKFold(n_splits=7, random_state=0, shuffle=False)"


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros((9, 2)), "found ndarray"),
        (frame(range(9)).reset_index(drop=True), "index level 'segment'"),
        (frame([1.0, None, 2.0, 3.0]), "Row 1 of X has no label"),
        (frame([1, 1, 2]), "3 folds need as many segments, found 2"),
    ],
)
def test_bad_tables(X, message):
    with pytest.raises(ValueError, match=message):
        folds(X)


def test_documents_as_groups_worked_by_hand():
    """Documents a (segments 1, 3), b (2), c (4, 5), by their first segments; "" is one's own."""
    X = frame([3, 1, 2, 5, 4, 1])
    found = [test.tolist() for _, test in SegmentKFold(3).split(X, groups=[*"aabcca"])]
    assert found == [[0, 1, 5], [2], [3, 4]]
    by_segment = pd.Series([*"cabac"], [5, 1, 2, 3, 4])
    again = [test.tolist() for _, test in SegmentKFold(3).split(X, groups=by_segment)]
    assert again == found
    own = [test.tolist() for _, test in SegmentKFold(5).split(X, groups=[""] * 6)]
    assert own == [test.tolist() for _, test in SegmentKFold(5).split(X)]


@pytest.mark.parametrize("options", [{}, {"shuffle": True, "random_state": 4}])
def test_row_order_does_not_matter_to_documents(options):
    X = frame(range(30))
    documents = np.array([f"d{k % 7}" for k in range(30)])
    order = np.random.default_rng(0).permutation(30)
    found = [
        [
            frozenset(table.index[test])
            for _, test in SegmentKFold(3, **options).split(table, None, of)
        ]
        for table, of in ((X, documents), (X.iloc[order], documents[order]))
    ]
    assert found[0] == found[1]


def test_documents_that_are_wrong():
    X = frame([1, 1, 2])
    with pytest.raises(CandidateError, match="Segment 1 is of two documents"):
        next(SegmentKFold(2).split(X, groups=[*"aba"]))
    with pytest.raises(CandidateError, match="a label for each of the 3 rows"):
        next(SegmentKFold(2).split(X, groups=[*"ab"]))
    with pytest.raises(CandidateError, match="2 folds need as many documents, found 1"):
        next(SegmentKFold(2).split(X, groups=[*"aaa"]))


def test_ranks_are_checked():
    """cross_val_predict would take NaN for the worst rank, and ranks of other rows for theirs."""
    X = frame([1, 2, 3])
    with pytest.raises(CandidateError, match="y has NaN"):
        next(SegmentKFold(3).split(X, [1, float("nan"), 2]))
    with pytest.raises(CandidateError, match="not aligned"):
        next(SegmentKFold(3).split(X, pd.Series([1, 2, 3], X.index[::-1])))


@pytest.mark.parametrize("n_splits", [1, 0, 2.5, None])
def test_bad_number_of_folds(n_splits):
    with pytest.raises(ValueError, match="n_splits must be"):
        SegmentKFold(n_splits).get_n_splits()


def test_a_lost_level_is_the_contracts_error():
    with pytest.raises(CandidateError):
        folds(frame(range(9)).rename_axis(["line", "system"]))


def segments_of(X):
    return set(X.index.get_level_values("segment"))


@pytest.mark.parametrize(("test_size", "n_test"), [(0.2, 6), (0.5, 15), (0.01, 1)])
def test_a_split_cuts_no_segment(rankings, test_size, n_test):
    X, y = rankings
    X_train, X_test, y_train, y_test = segment_train_test_split(X, y, test_size=test_size)
    assert not segments_of(X_train) & segments_of(X_test)
    assert len(segments_of(X_test)) == n_test
    for X_part, y_part in [(X_train, y_train), (X_test, y_test)]:
        pd.testing.assert_frame_equal(X_part, X[X.index.isin(X_part.index)])
        pd.testing.assert_series_equal(y_part, y[X.index.isin(X_part.index)])
    assert len(X_train) + len(X_test) == len(X)
    alone = segment_train_test_split(X, test_size=test_size)
    assert [part.index.tolist() for part in alone] == [
        X_train.index.tolist(),
        X_test.index.tolist(),
    ]
    of_list = segment_train_test_split(X, y.tolist(), test_size=test_size)
    assert of_list[3].tolist() == y_test.tolist()


@pytest.mark.parametrize("label", [int, "seg {}".format, lambda k: k if k % 2 else str(k)])
def test_a_split_does_not_depend_on_the_order_of_rows(rankings, label):
    X = rankings[0].rename(index=label, level="segment")
    shuffled = X.sample(frac=1, random_state=5)
    for seed in range(3):
        options = {"test_size": 0.3, "random_state": seed}
        test, again = (segment_train_test_split(table, **options)[1] for table in (X, shuffled))
        assert segments_of(test) == segments_of(again)


def test_another_seed_splits_otherwise(rankings):
    X, _ = rankings
    parts = {frozenset(segment_train_test_split(X, random_state=k)[1].index) for k in range(5)}
    assert len(parts) == 5


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda X, y: (X.reset_index(drop=True), y), {}, "index level 'segment'"),
        (lambda X, y: (X.to_numpy(), y), {}, "index level 'segment'"),
        (lambda X, y: (X, y.sample(frac=1, random_state=0)), {}, "not aligned"),
        (lambda X, y: (X, y[1:]), {}, "29|entries"),
        (lambda X, y: (X.loc[[1]], y.loc[[1]]), {}, "two segments at least, found 1"),
        (lambda X, y: (X, y), {"test_size": 1.0}, "test_size must lie between 0 and 1"),
        (lambda X, y: (X, y), {"test_size": 5}, "test_size must lie between 0 and 1"),
        (lambda X, y: (X, y), {"test_size": "half"}, "test_size must lie between 0 and 1"),
    ],
)
def test_what_cannot_be_split(rankings, change, options, message):
    with pytest.raises(ValueError, match=message):
        segment_train_test_split(*change(*rankings), **options)
