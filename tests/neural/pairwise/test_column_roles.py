"""Which columns are embeddings, references and similarity features."""

import numpy as np
import pandas as pd
import pytest
from network_by_hand import make_pairs

from sklearn_mteval import PairwiseNN

FAST = {"solver": "numba", "max_epochs": 2, "validation_fraction": None, "random_state": 0}
NAMES = ["bleu", "hyp_0", "hyp_1", "ref_0", "ref_1", "other"]


def frame(names, n=12, shared=("ref", "reference_emb"), seed=0):
    """A pair table with these features; those of the reference are the same for t1 and t2."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(-1, 1, (n, 2 * len(names)))
    for at, name in enumerate(names):
        if any(part in name for part in shared):
            values[:, len(names) + at] = values[:, at]
    columns = [f"{half}__{name}" for half in ("t1", "t2") for name in names]
    return pd.DataFrame(values, columns=columns), np.arange(n) % 2


def roles(net):
    keys = ("hypothesis", "reference", "similarity")
    return tuple(net.column_roles_[key].tolist() for key in keys)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["hypothesis_emb0", "reference_emb0", "bleu"], ([0], [1], [2])),
        (
            [
                "featureunion__embeddingaverager__reference_emb0",
                "bleucomp__precision1",
                "featureunion__embeddingaverager__hypothesis_emb0",
                "featureunion__embeddingaverager__reference_emb1",
                "featureunion__embeddingaverager__hypothesis_emb1",
            ],
            ([2, 4], [0, 3], [1]),
        ),
        (["hypothesis_emb0", "hypothesis_emb10"], ([0, 1], [], [])),
        # These only look like embeddings.
        (
            [
                "hypothesis_emb",
                "my_hypothesis_emb0",
                "reference_embx",
                "hypothesis_emb0_norm",
                "hypothesis_emb1",
            ],
            ([4], [], [0, 1, 2, 3]),
        ),
    ],
)
def test_roles_are_read_from_names(names, expected):
    X, y = frame(names)
    assert roles(PairwiseNN(**FAST).fit(X, y)) == expected


GIVEN = {
    "pattern": {"hypothesis": r"^hyp_\d$", "reference": "^ref"},
    "names": {"hypothesis": ["hyp_0", "hyp_1"], "reference": ["ref_0", "ref_1"]},
    "positions": {"hypothesis": [1, 2], "reference": np.array([3, 4])},
    "slices": {"hypothesis": slice(1, 3), "reference": slice(3, 5)},
    "masks": {
        "hypothesis": [False, True, True, False, False, False],
        "reference": np.array([0, 0, 0, 1, 1, 0], dtype=bool),
    },
    "with similarity": {
        "hypothesis": (1, 2),
        "reference": range(3, 5),
        "similarity": ["bleu", "other"],
    },
}


@pytest.mark.parametrize("how", GIVEN)
def test_roles_set_by_hand(how):
    X, y = frame(NAMES)
    net = PairwiseNN(column_roles=GIVEN[how], **FAST).fit(X, y)
    assert roles(net) == ([1, 2], [3, 4], [0, 5])
    same = PairwiseNN(column_roles=GIVEN["positions"], **FAST).fit(X.to_numpy(), y)
    np.testing.assert_array_equal(net.predict_proba(X), same.predict_proba(X.to_numpy()))


def test_columns_without_a_role_are_not_used():
    X, y = frame(NAMES)
    net = PairwiseNN(column_roles=GIVEN["pattern"] | {"similarity": ["bleu"]}, **FAST).fit(X, y)
    assert roles(net)[2] == [0]
    changed = X.assign(t1__other=99.0)
    np.testing.assert_array_equal(net.predict_proba(changed), net.predict_proba(X))


def test_an_empty_role_by_hand():
    X, y = frame(["hypothesis_emb0", "reference_emb0", "bleu"])
    net = PairwiseNN(column_roles={"reference": []}, **FAST).fit(X, y)
    assert roles(net) == ([0], [], [1, 2])


def test_a_plain_array_is_all_embedding():
    X = np.random.default_rng(0).normal(size=(10, 6))
    assert roles(PairwiseNN(**FAST).fit(X, np.arange(10) % 2)) == ([0, 1, 2], [], [])


@pytest.mark.parametrize("architecture", ["pairwise", "fully-connected"])
def test_without_embeddings_there_is_no_hidden_layer(architecture):
    X, y = make_pairs(4, d=0, k=3)
    with pytest.warns(UserWarning, match="no embedding columns") as caught:
        net = PairwiseNN(architecture=architecture, **FAST).fit(X, y)
    assert caught[0].filename == __file__
    assert net.n_parameters_ == 2 * 3 + 1
    flat = PairwiseNN(architecture="single-layer", **FAST).fit(X, y)  # does not warn
    np.testing.assert_array_equal(net.predict_proba(X), flat.predict_proba(X))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"hypothesis": [0, 1], "similarity": [1, 2]}, r"give 'hyp_0' two roles"),
        ({"hypothesis": [1, 1]}, r"give 'hyp_0' two roles"),
        ({"hypothesis": ["hyp_0", "hyp_7"]}, "'hyp_7', which is no feature"),
        ({"hypothesis": "^nothing"}, r"no name of a feature matches '\^nothing'"),
        ({"hypothesis": [1, 6]}, "positions from 0 to 5"),
        ({"hypothesis": [-1]}, "positions from 0 to 5"),
        ({"hypothesis": [0.5]}, "positions from 0 to 5"),
        ({"hypothesis": [True, False]}, "positions from 0 to 5"),
        ({"translation": [1]}, "dict with keys from"),
        (["hyp_0"], "dict with keys from"),
        (
            {"hypothesis": [1, 2], "reference": [3]},
            "embedding of a hypothesis has 2 columns, that of the reference 1",
        ),
    ],
)
def test_roles_that_do_not_fit(given, message):
    X, y = frame(NAMES)
    with pytest.raises(ValueError, match=message):
        PairwiseNN(column_roles=given, **FAST).fit(X, y)


def test_a_pattern_needs_names():
    X, y = frame(NAMES)
    with pytest.raises(ValueError, match="the columns have no names: give positions"):
        PairwiseNN(column_roles={"hypothesis": "hyp"}, **FAST).fit(X.to_numpy(), y)


@pytest.mark.parametrize("size", [3, 5])
def test_an_odd_number_of_columns_is_no_pair_table(size):
    with pytest.raises(ValueError, match=f"even number of columns.*n_features = {size}"):
        PairwiseNN(**FAST).fit(np.ones((4, size)), [0, 1, 0, 1])


def test_halves_that_do_not_mirror():
    X, y = frame(NAMES)
    with pytest.raises(ValueError, match="'t1__bleu' of t1 faces 't2__hyp_0' of t2"):
        PairwiseNN(**FAST).fit(X[[*X.columns[:6], *X.columns[7:], X.columns[6]]], y)


@pytest.mark.parametrize("row", [0, 7])
def test_pairs_of_different_references(row):
    X, y = make_pairs(4)
    net = PairwiseNN(**FAST).fit(X, y)
    other = X.copy()
    other.iloc[row, -1] += 0.01
    message = f"Row {row} of the pair table has different references for t1 and t2"
    with pytest.raises(ValueError, match=message):
        PairwiseNN(**FAST).fit(other, y)
    with pytest.raises(ValueError, match=message):
        PairwiseNN(**FAST).fit(X, y, validation=(other, y))
    for method in (net.predict, net.predict_proba, net.decision_function):
        with pytest.warns(UserWarning, match=message):
            method(other)


def test_references_may_differ_by_rounding():
    X, y = make_pairs(4)
    other = X.copy()
    other.iloc[:, -2:] *= 1 + 1e-7
    net = PairwiseNN(**FAST).fit(other, y)
    np.testing.assert_allclose(net.predict_proba(X), net.predict_proba(other), rtol=1e-6)


def test_references_whose_differences_add_up_to_nothing():
    X, y = make_pairs(4)
    net = PairwiseNN(**FAST).fit(X, y)
    X.iloc[2, -2:] += [0.01, -0.01]
    with pytest.warns(UserWarning, match="Row 2 of the pair table has different references"):
        net.predict(X)


def test_texts_need_an_encoder():
    X, y = frame(NAMES)
    X["t1__other"] = X["t2__other"] = "a text"
    with pytest.raises(ValueError, match=r"'other' holds texts, not numbers, which needs encoder="):
        PairwiseNN(**FAST).fit(X, y)


def test_an_encoder_needs_texts():
    X, y = frame(NAMES)
    with pytest.raises(ValueError, match="encoder needs a column of texts named 'hypothesis'"):
        PairwiseNN(encoder="average", **{**FAST, "solver": "torch"}).fit(X, y)
