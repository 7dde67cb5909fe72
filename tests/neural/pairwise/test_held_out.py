"""Held-out segments: which, how many, and the tau that is computed on them."""

import numpy as np
import pandas as pd
import pytest
from network_by_hand import make_pairs

from sklearn_mteval import PairwiseNN, RankRecomposer
from sklearn_mteval.neural.pairwise import training_data
from sklearn_mteval.neural.pairwise.held_out import choose_pairs

FAST = {"solver": "numba", "max_epochs": 5, "random_state": 0}


def held_out_rows(X, *, segments=None, fraction=0.2, wanted=None, seed=0):
    references = np.full(len(X), -1)
    rng = np.random.RandomState(seed)
    return choose_pairs(X, len(X), segments, references, fraction, wanted, (), rng)[0]


@pytest.mark.parametrize(
    ("n_segments", "fraction", "expected"),
    [(10, 0.2, 2), (10, 0.01, 1), (10, 0.99, 9), (2, 0.5, 1), (3, 0.9, 2), (9, 0.3, 3)],
)
def test_a_proportion_of_whole_segments(n_segments, fraction, expected):
    X, _ = make_pairs(n_segments)
    X = X.sample(frac=1, random_state=0)  # segments are no neighbours
    held_out = held_out_rows(X, fraction=fraction)
    segments = X.index.get_level_values("segment")
    assert not set(segments[held_out]) & set(segments[~held_out])
    assert len(set(segments[held_out])) == expected
    assert held_out.sum() == 6 * expected


def test_every_segment_may_be_held_out():
    X, _ = make_pairs(5)
    found = [held_out_rows(X, seed=seed) for seed in range(60)]
    assert np.any(found, axis=0).all()
    np.testing.assert_array_equal(found[3], held_out_rows(X, seed=3))


@pytest.mark.parametrize("fraction", [None, 0, 0.0])
def test_nothing_is_held_out_on_demand(fraction):
    assert not held_out_rows(make_pairs(3)[0], fraction=fraction).any()


def test_rankings_of_one_segment_stay_together():
    X, _ = make_pairs(6)
    double = pd.concat({"A": X, "B": X}, names=["ranking"]).reorder_levels([1, 0, 2, 3])
    held_out = held_out_rows(double, fraction=0.3)
    np.testing.assert_array_equal(held_out[: len(X)], held_out[len(X) :])
    assert held_out.sum() == 2 * 2 * 6


@pytest.mark.parametrize("texts", [False, True])
def test_segments_that_share_a_reference_stay_together(texts):
    X, y = make_pairs(12)
    pair = X.index.get_level_values("segment").to_numpy() // 2
    options = {**FAST, "max_epochs": 1, "validation_fraction": 0.34}
    if texts:
        options |= {"solver": "torch", "encoder": "average"}
        for k in (1, 2):
            X[f"t{k}__hypothesis"], X[f"t{k}__reference"] = "a b", [f"r{p}" for p in pair]
        X = X.sort_index(axis=1)
    else:
        of_pair = np.random.default_rng(0).normal(size=(6, 2))[pair]
        X.loc[:, X.columns.str.contains("reference")] = np.hstack([of_pair, of_pair])
    net = PairwiseNN(**options).fit(X, y)
    held_out = set(net.validation_segments_)
    assert len(held_out) == 4 and held_out == {segment ^ 1 for segment in held_out}


@pytest.mark.parametrize("wanted", [[2, 5], {2, 5}, np.array([5, 2]), pd.Index([2, 5])])
def test_segments_of_the_callers_choice(wanted):
    X, y = make_pairs(8)
    wanted = sorted(wanted) if isinstance(wanted, set) else wanted
    net = PairwiseNN(validation_segments=wanted, **FAST).fit(X, y)
    assert net.n_validation_pairs_ == 12
    segments = X.index.get_level_values("segment")
    np.testing.assert_array_equal(held_out_rows(X, wanted=wanted), np.isin(segments, [2, 5]))


def test_named_segments_of_the_callers_choice():
    X, y = make_pairs(4)
    X = X.rename(index={0: "a", 1: "b", 2: "c", 3: "d"}, level="segment")
    net = PairwiseNN(validation_segments=["d"], **FAST).fit(X, y)
    assert net.n_validation_pairs_ == 6


@pytest.mark.parametrize(
    ("wanted", "message"),
    [([], "zero segments"), ([77], "names no segment"), (range(4), "nothing is left to train on")],
)
def test_segments_that_cannot_be_held_out(wanted, message):
    X, y = make_pairs(4)
    with pytest.raises(ValueError, match=message):
        PairwiseNN(validation_segments=list(wanted), **FAST).fit(X, y)


def test_the_callers_choice_needs_an_index():
    X, y = make_pairs(4)
    with pytest.raises(ValueError, match="segment"):
        PairwiseNN(validation_segments=[1], **FAST).fit(X.reset_index(drop=True), y)


def test_one_segment_cannot_be_held_out():
    X, y = make_pairs(1, 5)
    with pytest.warns(UserWarning, match="All pairs are of one segment"):
        net = PairwiseNN(**FAST).fit(X, y)
    assert net.n_validation_pairs_ == 0
    assert [epoch["tau"] for epoch in net.history_] == [None] * 5
    assert net.best_epoch_ == 5


@pytest.mark.parametrize("form", ["array", "frame"])
def test_without_segments_nothing_is_held_out(form):
    X, y = make_pairs(4)
    X = X.to_numpy() if form == "array" else X.reset_index(drop=True)
    with pytest.warns(UserWarning, match="no index level 'segment'"):
        net = PairwiseNN(column_roles={"hypothesis": [1, 2]}, **FAST).fit(X, y)
    assert net.n_validation_pairs_ == 0


def test_warnings_point_to_the_caller():
    X, y = make_pairs(4)
    with pytest.warns(UserWarning, match="no index level") as caught:
        PairwiseNN(**FAST).fit(X.reset_index(drop=True), y)
    assert caught[0].filename == __file__


def test_segments_for_an_array():
    X, y = make_pairs(8)
    segments = X.index.get_level_values("segment")
    roles = {"similarity": [0], "hypothesis": [1, 2], "reference": [3, 4]}
    of_index = PairwiseNN(**FAST).fit(X, y)
    of_array = PairwiseNN(column_roles=roles, **FAST).fit(X.to_numpy(), y, segments=segments)
    assert of_array.n_validation_pairs_ == 6
    np.testing.assert_array_equal(of_array.predict_proba(X.to_numpy()), of_index.predict_proba(X))
    with pytest.raises(ValueError, match=r"segment|length|rows"):
        PairwiseNN(column_roles=roles, **FAST).fit(X.to_numpy(), y, segments=segments[1:])


def test_a_validation_set_of_the_callers_choice():
    X, y = make_pairs(10)
    more, ranks = make_pairs(3, seed=5)
    net = PairwiseNN(**FAST).fit(X, y, validation=(more, ranks))
    assert net.n_validation_pairs_ == 18
    assert_tau_is_brute_force(net, more, ranks)
    # The same as holding these segments out of both.
    more.index = more.index.map(lambda label: (label[0] + 100, *label[1:]))
    more.index.names = X.index.names
    both = PairwiseNN(validation_segments=[100, 101, 102], **FAST)
    both.fit(pd.concat([X, more]), np.append(y, ranks))
    assert [e["tau"] for e in both.history_] == [e["tau"] for e in net.history_]
    np.testing.assert_array_equal(both.predict_proba(X), net.predict_proba(X))


@pytest.mark.parametrize(
    ("validation", "message"),
    [
        (lambda X, y: (X[:0], y[:0]), "validation set is empty: zero segments"),
        (lambda X, y: X, r"must be a tuple \(X, y\)"),
        (lambda X, y: (X, y + 1), "label 2"),
        (lambda X, y: (X.iloc[:, 1:], y), "feature"),
        (lambda X, y: (X * np.nan, y), "NaN"),
        (lambda X, y: (X, y[1:]), "inconsistent"),
    ],
)
def test_validation_sets_that_are_none(validation, message):
    X, y = make_pairs(4)
    with pytest.raises(ValueError, match=message):
        PairwiseNN(**FAST).fit(X, y, validation=validation(X, y))


def assert_tau_is_brute_force(net, X, y):
    """Concordant less discordant and tied, over all (2015 paper, eq. 5)."""
    half = X.shape[1] // 2
    back = pd.DataFrame(
        np.hstack([X.iloc[:, half:], X.iloc[:, :half]]), columns=X.columns, index=X.index
    )
    forth, back = net.predict_proba(X)[:, 1], net.predict_proba(back)[:, 1]
    total = 0
    for p, q, label in zip(forth, back, y, strict=True):
        agrees = p > q if label == 1 else p < q
        total += 1 if agrees else -1
    assert net.history_[net.best_epoch_ - 1]["tau"] == pytest.approx(total / len(y), abs=1e-12)


@pytest.mark.parametrize("solver", ["numba", "torch"])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "kendall", "logistic+kendall"])
def test_tau_of_the_best_epoch(solver, symmetric, loss):
    X, y = make_pairs(12)
    options = {**FAST, "solver": solver, "patience": 2}
    net = PairwiseNN(loss=loss, symmetric=symmetric, validation_segments=[3, 4, 9], **options)
    net.fit(X, y)
    held_out = np.isin(X.index.get_level_values("segment"), [3, 4, 9])
    assert_tau_is_brute_force(net, X[held_out], y[held_out])
    taus = [epoch["tau"] for epoch in net.history_]
    assert max(taus) == taus[net.best_epoch_ - 1]
    assert max(taus) not in taus[net.best_epoch_ :]


def test_constant_outputs_have_a_tau_of_minus_one():
    X, y = make_pairs(6)
    X.iloc[:] = 0.0  # f(t1, t2) = f(t2, t1): ties only
    net = PairwiseNN(validation_segments=[1], **FAST).fit(X, y)
    assert [epoch["tau"] for epoch in net.history_] == [-1.0] * 5
    assert net.best_epoch_ == 5


def test_held_out_segments_are_not_trained_on():
    X, y = make_pairs(6)
    held_out = X.index.get_level_values("segment") == 2
    net = PairwiseNN(validation_segments=[2], patience=None, **FAST).fit(X, y)
    alone = PairwiseNN(validation_fraction=None, **{**FAST, "max_epochs": net.best_epoch_})
    alone.fit(X[~held_out], y[~held_out])
    np.testing.assert_array_equal(net.predict_proba(X), alone.predict_proba(X))


def test_one_class_may_go_with_the_held_out_segments():
    X, y = make_pairs(2, 2)
    y[:] = [1, 1, 0, 0]
    with pytest.raises(ValueError, match="Only one class is left"):
        PairwiseNN(validation_segments=[1], **FAST).fit(X, y)


@pytest.fixture
def seen(monkeypatch):
    """What choose_pairs was given and gave."""
    calls = []

    def spy(X, *arguments):
        mask, labels = choose_pairs(X, *arguments)
        calls.append(X[mask].to_numpy())
        return mask, labels

    monkeypatch.setattr(training_data, "choose_pairs", spy)
    return calls


def test_neither_order_nor_names_of_rows_matter_within_the_ranker(numbers, seen):
    X, y = numbers
    ranker = RankRecomposer(PairwiseNN(column_roles={"hypothesis": ["a", "b"]}, **FAST))
    expected = ranker.fit(X, y).decision_function(X)
    order = np.random.default_rng(0).permutation(len(X))
    renamed = X.rename(index={s: f"line {97 * s % 13}" for s in range(12)}, level="segment")
    renamed = renamed.rename(index=lambda name: f"x{name}", level="system")
    for other in (X, renamed):
        again = ranker.fit(other.iloc[order], y.to_numpy()[order])
        np.testing.assert_array_equal(again.decision_function(other), expected)
    for values in seen[1:]:
        np.testing.assert_array_equal(values, seen[0])
    assert len(seen[0])
