from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.candidates import (
    check_candidates,
    check_ranks,
    check_texts,
    comparable_groups,
    content_keys,
    group_codes,
    segment_labels,
)
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import system_agreement


def table(tuples, names=("segment", "system"), **columns):
    index = pd.MultiIndex.from_tuples(tuples, names=names)
    return pd.DataFrame({"hypothesis": [f"text {k}" for k in range(len(index))], **columns}, index)


@pytest.fixture
def X():
    return table([(1, "a"), (1, "b"), (2, "a"), (2, "b")])


def test_a_good_table_passes(X):
    check_candidates(X, columns=["hypothesis"])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda X: X.to_numpy(), "found ndarray of shape.*set_output"),
        (lambda X: X.reset_index(drop=True), "found RangeIndex.*set_output"),
        (lambda X: X.reset_index("system"), "MultiIndex"),
        (lambda X: X.rename_axis(["segment", "engine"]), "index level 'system' is missing"),
        (lambda X: X.rename_axis([None, None]), "index level 'segment' is missing"),
        (lambda X: X.iloc[[0, 1, 1]], r"Row 2 of X repeats the index \(1, 'b'\)"),
        (lambda X: X[[]], "one column 'hypothesis', found 0"),
        (lambda X: pd.concat([X, X], axis=1), "one column 'hypothesis', found 2"),
        (
            lambda X: X.set_index(
                pd.MultiIndex.from_arrays(
                    [[1, 1, 2, None], list("abab")], names=["segment", "system"]
                )
            ),
            "Row 3.*'segment'",
        ),
    ],
)
def test_a_broken_table_is_refused(X, spoil, message):
    with pytest.raises(CandidateError, match=message):
        check_candidates(spoil(X), columns=["hypothesis"])


@pytest.mark.parametrize("cell", [None, np.nan, pd.NA, 3, b"bytes"])
def test_a_cell_that_is_no_text_is_named(X, cell):
    X = X.astype(object)
    X.iloc[2, 0] = cell
    with pytest.raises(CandidateError, match=r"'hypothesis', row 2 \(index \(2, 'a'\)\)"):
        check_texts(X, "hypothesis")


def test_references_passed_as_hypotheses_are_recognised(X):
    X["hypothesis"] = [["r1", "r2"]] * 4
    hint = "Only references may be lists: were they passed as hypotheses"
    with pytest.raises(CandidateError, match=hint):
        check_texts(X, "hypothesis")


def test_several_references(X):
    X["reference"] = ["one", ["one", "two"], ("one",), ""]
    expected = [("one",), ("one", "two"), ("one",), ("",)]
    assert check_texts(X, "reference", several=True) == expected


@pytest.mark.parametrize("cell", [[], ["one", None], None, 7, {"one": 1}, np.array("one")])
def test_bad_references_are_named(X, cell):
    X["reference"] = ["one", "one", "one", cell]
    expected = "'reference', row 3 .*: expected a string or a non-empty list of strings, found"
    with pytest.raises(CandidateError, match=expected):
        check_texts(X, "reference", several=True)


@pytest.mark.parametrize("table", [["a text"], np.array([["a text"]]), None])
def test_texts_of_what_is_no_table(table):
    message = r"Expected a pandas DataFrame with the columns \['hypothesis'\], found"
    with pytest.raises(CandidateError, match=message):
        check_texts(table, "hypothesis")


def test_the_empty_text_is_legal(X):
    assert check_texts(X.assign(hypothesis=""), "hypothesis") == [""] * 4


@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_kinds_of_text_columns(X, dtype):
    assert check_texts(X.astype(dtype), "hypothesis") == ["text 0", "text 1", "text 2", "text 3"]


def test_ranks_are_returned_as_floats(X):
    for y in ([1, 2, 1, 2], np.array([1, 2, 1, 2]), pd.Series([1, 2, 1, 2], X.index)):
        np.testing.assert_array_equal(check_ranks(y, X), [1.0, 2.0, 1.0, 2.0])
    np.testing.assert_array_equal(
        check_ranks(pd.DataFrame({"rank": [1, 2, 1, 2]}, X.index), X)[:2], [1, 2]
    )


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y"),
        ([1, 2, 3], "y has 3 entries for 4 rows"),
        ([1, 2, np.nan, 1], "NaN or infinity in 1 row.*row 2"),
        ([1, 2, np.inf, 1], "row 2"),
        (["a", "b", "c", "d"], "numeric"),
    ],
)
def test_bad_ranks(X, y, message):
    with pytest.raises(CandidateError, match=message):
        check_ranks(y, X)


def test_misaligned_ranks_are_refused_and_the_row_is_named(X):
    y = pd.Series([1, 2, 1, 2], X.index)
    with pytest.raises(CandidateError, match=r"row 0 of X is \(1, 'a'\), of y \(2, 'b'\)"):
        check_ranks(y.iloc[::-1], X)


def test_ranks_of_other_levels_are_refused():
    rows = [(1, (0, "a")), (1, (0, "b"))]  # numpy compares a tuple with a number cell by cell
    X = pd.DataFrame({"a": [1.0, 2]}, pd.MultiIndex.from_tuples(rows, names=["segment", "system"]))
    names = ["segment", "ranking", "system"]
    y = pd.Series([1, 2], pd.MultiIndex.from_tuples([(s, 0.5, t) for s, t in rows], names=names))
    with pytest.raises(CandidateError, match=r"row 0 of X is \(1, \(0, 'a'\)\), of y \(1, 0.5"):
        check_ranks(y, X)


def test_swapped_arguments_are_recognised(X):
    y = pd.Series([1, 2, 1, 2], X.index)
    with pytest.raises(CandidateError, match="swapped"):
        check_ranks(X, y)


def test_rows_are_comparable_iff_they_agree_on_all_but_the_system():
    X = table(
        [(1, "r1", "a"), (1, "r1", "b"), (1, "r2", "a"), (2, "r1", "a"), (1, "r2", "b")],
        ["segment", "ranking", "system"],
    )
    assert comparable_groups(X).tolist() == [0, 0, 1, 2, 1]
    assert comparable_groups(X, item_level="ranking").tolist() == [0, 1, 0, 2, 1]
    assert comparable_groups(X, item_level=None).tolist() == [0] * 5


def test_the_order_of_levels_does_not_matter():
    X = table([(1, "a"), (1, "b"), (2, "a")])
    assert comparable_groups(X.swaplevel()).tolist() == comparable_groups(X).tolist()


def test_group_codes_of_many_levels_do_not_overflow():
    labels = [(k % 97,) * 12 + (k // 97,) for k in range(5000)]
    codes = group_codes(pd.MultiIndex.from_tuples(labels), 5000)
    assert len(set(codes.tolist())) == len(set(labels)) == 5000


def test_renamed_labels_make_the_same_groups(numbers):
    X, _ = numbers
    renamed = X.rename(index=lambda label: f"<{label}>")
    np.testing.assert_array_equal(comparable_groups(X), comparable_groups(renamed))


def test_segment_labels(X):
    assert segment_labels(X).tolist() == [1, 1, 2, 2]
    with pytest.raises(CandidateError, match="would stand in training and test"):
        segment_labels(X.reset_index(drop=True))
    with pytest.raises(CandidateError, match="found ndarray"):
        segment_labels(X.to_numpy())


@pytest.mark.parametrize("labels", [["a", np.nan, "a"], ("a", None, "a"), [1, np.nan, 1]])
def test_a_label_that_is_missing_in_a_list_is_no_group(labels):
    with pytest.raises(CandidateError, match="groups has no label in row 1"):
        group_codes(labels, 3)


def test_labels_in_lists():
    assert group_codes([("a", 1), ("a", 2), ("a", 1)], 3).tolist() == [0, 1, 0]
    assert group_codes([1, "1", 1], 3).tolist() == [0, 1, 0]
    with pytest.raises(CandidateError, match="must be 1-D"):
        group_codes([["a", "b"], ["a", "c"]], 2)


class Tree(list):
    """Looks like a list of texts, but its label is content, too; prints its address."""

    def __init__(self, label, children):
        super().__init__(children)
        self.label = label

    __repr__ = object.__repr__


EQUAL_CELLS = [
    ["a", np.str_("a")],
    [1, 1.0, np.int8(1), np.float32(1), True, np.True_],
    [0, 0.0, -0.0],
    [0.5, np.float32(0.5)],
    [None, np.nan, pd.NA, pd.NaT, np.float64("nan")],
    [["a", "b"], ("a", "b"), np.array(["a", "b"]), np.array(["a", "b"], dtype=object)],
    [["a, b"], ("a, b",)],
    ["1"],
    ["nan"],
    ["['a', 'b']"],
    [2**70],
    [2**70 + 1],
    [np.inf],
    [[]],
    [""],
]


def test_cells_have_one_key_iff_their_content_is_equal():
    cells = [(k, cell) for k, equal in enumerate(EQUAL_CELLS) for cell in equal]
    objects = np.empty(len(cells), dtype=object)
    objects[:] = [cell for _, cell in cells]
    found = content_keys(objects, "column")
    for (k, one), key in zip(cells, found, strict=True):
        for (m, other), another in zip(cells, found, strict=True):
            assert (key == another) == (k == m), (one, other)


@pytest.mark.parametrize(
    "cell",
    [
        Tree("NP", ["a", "cat"]),
        object(),
        {"a": 1},
        {"a"},
        [1, 2],
        ["a", None],
        [["a"], "b"],
        np.array([["a"]]),
        np.array("a"),
        np.array([1.0]),
        pd.Timestamp("2024-01-01"),
        b"a",
        1j,
    ],
)
def test_cells_whose_content_cannot_be_told_are_refused(cell):
    cells = np.empty(2, dtype=object)
    cells[:] = ["(NP a cat)", cell]
    words = f"'parse', row 1: .*found {type(cell).__name__}, .*line of brackets"
    with pytest.raises(CandidateError, match=words):
        content_keys(cells, "parse")


@pytest.mark.parametrize(
    "y",
    [
        [10**400, 1],
        [Decimal("sNaN"), 1],
        ["1_0", "2"],
        [b"1", b"2"],
        pd.Series(["1", "2"], dtype="string"),
        pd.Series(["1", "2"], dtype=object),
        np.array([(2.0,), (1.0,)], dtype=[("a", "f8")]),
    ],
    ids=repr,
)
def test_ranks_that_are_no_numbers(y):
    with pytest.raises(CandidateError, match="numeric ranks, lower is better"):
        check_ranks(y, np.zeros((2, 1)))


def test_a_lost_index_is_named():
    index = pd.MultiIndex.from_product([[1], list("ab")], names=["segment", "system"])
    X, y = pd.DataFrame({"a": [1.0, 2.0]}), pd.Series([1, 2], index=index)
    with pytest.raises(CandidateError, match=r"X has lost them.*RangeIndex.*make_ranking_pipeline"):
        check_ranks(y, X)


def test_equal_labels_with_lone_surrogates_are_aligned():
    labels = ["\ud800", "b", "d"], ["a", "c", "\ud800"]
    levels = [pd.Index(level, dtype=object) for level in labels]
    index = pd.MultiIndex.from_arrays(levels, names=["segment", "system"])
    X, y = pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index), pd.Series([1, 2, 3], index)
    assert check_ranks(y.iloc[[2, 0, 1]], X.iloc[[2, 0, 1]]).tolist() == [3, 1, 2]


def test_lists_of_labels_with_lone_surrogates():
    assert group_codes(["\ud800", "a", "\ud800"], 3).tolist() == [0, 1, 0]
    scores = {"\ud800": 1.0, "a": 2.0, "b": 3.0}
    assert system_agreement(scores, {"b": 5, "\ud800": 4, "a": 3}, statistic="accuracy") == 2 / 3
