"""A ranker trained on blocks is the one trained on all rows at once, whatever the blocks are."""

import pickle
import subprocess
import sys
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from blocks_of_segments import NAMES, assert_alike, cut, table
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sklearn_mteval import BLEUComp, PairDifference, RankRecomposer, load_model, save_model
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.exceptions import CandidateError, SegmentLeakWarning
from sklearn_mteval.features import ChrFComp
from sklearn_mteval.pairwise import fitting, out_of_core

EXACT = {"solver": "newton-cholesky", "tol": 1e-12, "max_iter": 1000}


def logistic(**options):
    return LogisticRegression(**{**EXACT, **options})


ESTIMATORS = {
    "the default": make_pipeline(PairDifference(), StandardScaler(), logistic()),
    "strong penalty": make_pipeline(PairDifference(), StandardScaler(), logistic(C=0.01)),
    "weak penalty": make_pipeline(PairDifference(), StandardScaler(), logistic(C=100)),
    "not centred": make_pipeline(PairDifference(), StandardScaler(with_mean=False), logistic()),
    "not scaled": make_pipeline(PairDifference(), StandardScaler(with_std=False), logistic()),
    "differences": make_pipeline(PairDifference(), logistic(C=0.5)),
    "with names": make_pipeline(PairDifference(), StandardScaler(), logistic()).set_output(
        transform="pandas"
    ),
    "pair table": logistic(),
    "no intercept": logistic(fit_intercept=False, class_weight="balanced"),
}


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_nothing_tells_it_from_a_fit_in_memory(estimator, names):
    X, y = table(NAMES[names])
    ranker = RankRecomposer(ESTIMATORS[estimator], recomposition="expected")
    expected = clone(ranker).fit(X, y)
    found = ranker.fit_blocks(cut(X, y, 5))
    if expected.standalone_ is not None:  # which blocks alone would ask to be remembered
        expected.standalone_._trained = None
    assert_alike(found, expected)
    last = found.estimator_[-1] if isinstance(found.estimator_, Pipeline) else found.estimator_
    assert last.n_iter_.dtype == np.int32 and 2 < last.n_iter_[0] < 12
    other, other_y = table(NAMES[names], seed=1)
    for method in ("decision_function", "compare"):
        np.testing.assert_allclose(
            getattr(found, method)(other), getattr(expected, method)(other), rtol=1e-8, atol=1e-12
        )
    np.testing.assert_array_equal(found.predict(other), expected.predict(other))
    assert found.score(other, other_y) == expected.score(other, other_y)


def test_the_default_classifier_is_that_of_fit():
    X, y = table()
    found, expected = RankRecomposer().fit_blocks([(X, y)]), RankRecomposer().fit(X, y)
    # scikit-learn's own solver stops earlier.
    assert_alike(found, expected, rtol=0.01)


@pytest.mark.parametrize("estimator", ["the default", "differences", "pair table"])
def test_the_penalised_likelihood_has_no_slope(estimator):
    X, y = table()
    last = RankRecomposer(ESTIMATORS[estimator]).fit_blocks(cut(X, y, 3)).estimator_
    differences, labels = [], []
    for _, rows in X.groupby(level=["segment", "ranking"]):
        for (a, first), (b, second) in combinations(rows.iterrows(), 2):
            if y[a] != y[b]:
                differences += [first - second, second - first]
                labels += [float(y[a] < y[b]), float(y[a] > y[b])]
    differences, labels = np.array(differences), np.array(labels)
    if estimator == "pair table":
        weights, penalty = last.coef_[0, :5], 2 / last.C
        np.testing.assert_array_equal(last.coef_[0, 5:], -weights)
    else:
        weights, penalty = last[-1].coef_[0], 1 / last[-1].C
    if estimator == "the default":
        deviations = differences.std(axis=0)
        np.testing.assert_allclose(last[1].var_, deviations**2, rtol=1e-12, atol=1e-15)
        differences = differences / np.where(deviations > 0, deviations, 1)
    wrong = labels - 1 / (1 + np.exp(-differences @ weights))
    slopes = wrong @ differences - penalty * weights
    assert np.abs(slopes / np.maximum(1e-12, np.abs(differences).sum(axis=0))).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("estimator", ["the default", "differences", "pair table"])
def test_neither_order_nor_cuts_change_a_bit(estimator, names, tmp_path):
    X, y = table(NAMES[names])
    ranker = RankRecomposer(ESTIMATORS[estimator])
    rng = np.random.default_rng(1)
    order = rng.permutation(len(X))
    shuffled = X.iloc[order], y.iloc[order]
    named = tuple(part.rename(index=lambda s: f"{s}", level=0) for part in (X, y))
    variants = [
        [(X, y)], cut(X, y, 7), cut(X, y, 7)[::-1], cut(X, y, 40), cut(*shuffled, 3, seed=2),
        [named],
    ]  # fmt: skip
    models = []
    for blocks in variants:
        save_model(clone(ranker).fit_blocks(blocks), tmp_path / str(len(models)))
        folder = tmp_path / str(len(models))
        models.append(sorted(path.name for path in folder.iterdir()))  # named by their hashes
        loaded = load_model(folder)
        np.testing.assert_allclose(
            loaded.decision_function(X), clone(ranker).fit(X, y).decision_function(X), rtol=1e-8
        )
    assert all(names == models[0] for names in models)


@pytest.mark.parametrize("n_rows", [2, 3, 4, 5, 6, 23])
@pytest.mark.parametrize("ties", [False, True])
def test_fifths_are_those_of_all_rows(n_rows, ties):
    rng = np.random.default_rng(n_rows)
    index = pd.MultiIndex.from_tuples(
        [(row // 2, f"s{row % 2}") for row in range(n_rows)], names=["segment", "system"]
    )
    values = rng.integers(0, 2, (n_rows, 2)) if ties else rng.normal(size=(n_rows, 2))
    X = pd.DataFrame({"x": values[:, 0], "z": values[:, 1] * 1.0}, index=index).astype(float)
    X["segments"] = [float(row // 2 % 3) for row in range(n_rows)]
    y = pd.Series(np.arange(n_rows) % 2, index=index)
    ranker = RankRecomposer(ESTIMATORS["the default"], empty="fifths")
    expected, found = clone(ranker).fit(X, y), ranker.fit_blocks(cut(X, y, 4))
    np.testing.assert_allclose(found.empty_, expected.empty_, rtol=1e-12)


def test_many_equal_scores_are_sorted_as_in_memory():
    X, y = table(n_segments=120)
    X = X.round(0) * [1, 0, 0, 0, 1]
    ranker = RankRecomposer(ESTIMATORS["the default"], empty="fifths")
    expected, found = clone(ranker).fit(X, y), ranker.fit_blocks(cut(X, y, 9))
    np.testing.assert_allclose(found.empty_, expected.empty_, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_sums_are_of_float64_whatever_the_columns_are(dtype):
    X, y = table()
    X = (X * 100).round().astype(dtype)
    found = RankRecomposer(ESTIMATORS["the default"]).fit_blocks(cut(X, y, 4))
    expected = RankRecomposer(ESTIMATORS["the default"]).fit(X.astype(float), y)
    assert_alike(found.estimator_, expected.estimator_)
    rounded = RankRecomposer(ESTIMATORS["the default"], dtype="float32").fit_blocks(cut(X, y, 4))
    assert_alike(rounded.estimator_, expected.estimator_)


def test_no_table_of_pairs_is_made(monkeypatch):
    X, y = table()
    longest, make = [], fitting.pair_differences

    def noted(X, i, j):
        longest.append(len(i))
        return make(X, i, j)

    monkeypatch.setattr(fitting, "pair_differences", noted)
    RankRecomposer().fit_blocks(cut(X, y, 2))
    assert longest == [2]


def test_columns_that_never_differ_have_no_weight():
    X, y = table()
    found = RankRecomposer().fit_blocks(cut(X[["length"]], y, 3))
    assert found.estimator_[-1].coef_.tolist() == [[0.0]]
    assert found.estimator_[1].scale_.tolist() == [1.0]
    assert found.shared_features_.tolist() == [True]


def test_ranks_of_any_size():
    X, y = table()
    far = (y.rank(method="dense") % 2).map({0: -1e308, 1: 1e308})
    assert_alike(
        RankRecomposer().fit_blocks(cut(X, far, 2)),
        RankRecomposer().fit_blocks(cut(X, far / 1e308, 2)),
    )


def test_columns_that_depend_on_each_other():
    X, y = table()
    X["again"], X["sum"] = X["a"], X["a"] + X["b"]
    ranker = RankRecomposer(make_pipeline(PairDifference(), StandardScaler(), logistic(C=1e4)))
    found, expected = clone(ranker).fit_blocks(cut(X, y, 3)), ranker.fit(X, y)
    np.testing.assert_allclose(found.decision_function(X), expected.decision_function(X), rtol=1e-7)


def test_max_iter_is_kept():
    X, y = table()
    ranker = RankRecomposer(make_pipeline(PairDifference(), LogisticRegression(max_iter=2)))
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        ranker.fit_blocks(cut(X, y, 3))
    assert ranker.estimator_[-1].n_iter_.tolist() == [2]


def test_a_step_that_goes_too_far_is_halved():
    """sqrt(1 + x²), from 3: Newton's own steps go ever farther, to −27 and 19,683."""
    newton = out_of_core._Newton(np.zeros(1), max_iter=100)
    newton.weights = newton._at = np.array([3.0])
    while not newton.done:
        x = newton.weights
        root = np.sqrt(1 + x**2)
        newton.step(root[0], x / root, np.diag(root**-3))
    assert newton.converged and abs(newton.weights[0]) < 1e-9


def test_leaks_are_told():
    X, y = table()
    ranker = RankRecomposer().fit_blocks(cut(X, y, 3))
    ranker.predict(X)  # the training table itself
    with pytest.warns(SegmentLeakWarning):
        ranker.predict(X.iloc[::2])


def test_more_rows_than_are_remembered(monkeypatch):
    monkeypatch.setattr("sklearn_mteval.pairwise.leaks._REMEMBERED", 50)
    X, y = table()
    ranker = RankRecomposer().fit_blocks(cut(X, y, 3))
    assert ranker._trained is None
    ranker.predict(X.iloc[::2])  # without a warning


class Passes:
    """Blocks of a folder, say: each pass begins anew."""

    def __init__(self, *passes):
        self.passes, self.n = passes, 0

    def __iter__(self):
        self.n += 1
        return iter(self.passes[min(self.n, len(self.passes)) - 1])


def test_each_pass_begins_anew():
    X, y = table()
    blocks = Passes(cut(X, y, 4))
    found = RankRecomposer().fit_blocks(blocks)
    assert_alike(found, RankRecomposer().fit_blocks([(X, y)]), rtol=0)
    assert blocks.n == found.estimator_[-1].n_iter_[0] + 1  # one to see that it can be read anew


def spoiled():
    X, y = table()
    (X1, y1), (X2, y2), *_ = cut(X, y, 3)
    half = X2.index.get_level_values("system") < "sys2"
    bad = X2.copy()
    bad.iloc[3, 1] = np.nan
    text = X2.assign(a="text")
    return {
        "generator": (((X, y) for _ in range(1)), TypeError, "read only once.* generator"),
        "iterator": (iter([(X, y)]), TypeError, "read only once"),
        "table": (X, TypeError, "must yield tables"),
        "None": (None, TypeError, "must yield tables"),
        "nothing": ([], CandidateError, "blocks is empty"),
        "tables alone": ([X1, X2], CandidateError, r"Block 1 .*\(X, y\), found DataFrame"),
        "three": ([(X1, y1), (X2, y2, 1)], CandidateError, "Block 2 "),
        "no y": ([(X1, y1), (X2, None)], CandidateError, "Block 2 .*y is None"),
        "y of another": ([(X1, y1), (X2, y1)], CandidateError, "Block 2 .*entries"),
        "y in another order": ([(X1, y1), (X2, y2[::-1])], CandidateError, "Block 2 .*aligned"),
        "empty": ([(X1, y1), (X2[:0], y2[:0])], CandidateError, "Block 2 .*no rows"),
        "no index": ([(X1.to_numpy(), y1)], CandidateError, "Block 1 .*index"),
        "other columns": ([(X1, y1), (X2.rename(columns={"a": "e"}), y2)],
                          CandidateError, "Block 2"),
        "columns in another order": ([(X1, y1), (X2[["b", "a", "c", "d", "length"]], y2)],
                                     CandidateError, "Block 2"),
        "fewer columns": ([(X1, y1), (X2.iloc[:, :2], y2)], CandidateError, "Block 2"),
        "NaN": ([(X1, y1), (bad, y2)], CandidateError, "Block 2 .*'b' has NaN in row 3"),
        "infinity": ([(X1, y1), (X2 * np.inf, y2)], CandidateError, "Block 2 "),
        "text": ([(X1, y1), (text, y2)], CandidateError, "Block 2 .*numbers.*'a'"),
        "NaN in y": ([(X1, y1), (X2, y2 * np.nan)], CandidateError, "Block 2 .*NaN"),
        "a segment twice": ([(X1, y1), (X2[half], y2[half]), (X2[~half], y2[~half])],
                            CandidateError, "Block 3 .*segment .* earlier block"),
        "a block twice": ([(X1, y1), (X2, y2), (X1, y1)], CandidateError, "Block 3 .*earlier"),
        "other levels": ([(X1, y1), (X2.rename_axis(["segment", "judge", "system"]),
                                     y2.rename_axis(["segment", "judge", "system"]))],
                         CandidateError, "Block 2 .*levels"),
        "ties only": ([(X1, y1 * 0), (X2, y2 * 0)], CandidateError, "No pair to learn from"),
        "changed": (Passes([(X1, y1)], [(X1, y1)], [(X2, y2)]), CandidateError, "blocks changed"),
        "changed in y": (Passes([(X1, y1)], [(X1, y1)], [(X1, -y1)]), CandidateError, "changed"),
        "ended": (Passes([(X1, y1)], [(X1, y1)], []), CandidateError, "blocks is empty"),
    }  # fmt: skip


@pytest.mark.parametrize("name", spoiled())
def test_bad_blocks_are_refused_and_change_nothing(name):
    X, y = table(seed=5)
    ranker = RankRecomposer().fit(X, y)
    before = pickle.dumps(vars(ranker))
    blocks, error, message = spoiled()[name]
    with pytest.raises(error, match=message):
        ranker.fit_blocks(blocks)
    assert pickle.dumps(vars(ranker)) == before


OPTIONS = {
    "another classifier": ({"estimator": SGDClassifier()}, TypeError, "found SGDClassifier"),
    "another step": ({"estimator": make_pipeline(MinMaxScaler(), LogisticRegression())},
                     TypeError, "found MinMaxScaler -> LogisticRegression.*partial_fit.*max_pairs"),
    "a class": ({"estimator": LogisticRegression}, TypeError, "must be a classifier"),
    "another penalty": ({"estimator": LogisticRegression(l1_ratio=0.5, solver="saga")}, ValueError,
                        "l1_ratio"),
    "no penalty": ({"estimator": LogisticRegression(C=np.inf)}, ValueError, "C below infinity"),
    "C": ({"estimator": LogisticRegression(C=-1)}, ValueError, "'C'"),
    "weights": ({"estimator": LogisticRegression(class_weight={0: 1, 1: 2})}, ValueError,
                "class_weight"),
    "ties": ({"ties": "model"}, ValueError, "ties must be 'drop'"),
    "max_pairs": ({"max_pairs": 100}, ValueError, "max_pairs must be None"),
    "plain arrays": ({"item_level": None}, CandidateError, "item_level=None"),
    "empty": ({"empty": "x"}, ValueError, r"empty .*found "),
    "standalone": ({"standalone": 1}, ValueError, "standalone"),
    "Perceptron": ({"estimator": make_pipeline(PairDifference(), Perceptron())}, TypeError,
                   "PairDifference -> Perceptron"),
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_what_cannot_be_honoured_is_refused_by_name(name):
    options, error, message = OPTIONS[name]
    ranker = RankRecomposer(**options)
    with pytest.raises(error, match=message):
        ranker.fit_blocks([table()])
    assert vars(ranker) == vars(RankRecomposer(**options))


def test_real_judgements_give_the_same_ranks(data_dir):
    """Each language pair of WMT15 is a block; its 47 columns depend on each other."""
    features = make_union(BLEUComp(), ChrFComp()).set_output(transform="pandas")
    blocks = []
    for pair in ("fi-en", "fr-en", "ru-en"):
        X, y = load_wmt(data_dir / "wmt15", pair, return_X_y=True)
        own = {"level": "segment", "index": lambda line, pair=pair: f"{pair}:{line}"}
        blocks.append((features.fit_transform(X).rename(**own), y.rename(**own)))
    X, y = (pd.concat(parts) for parts in zip(*blocks, strict=True))
    ranker = RankRecomposer(ESTIMATORS["the default"])
    expected, found = clone(ranker).fit(X, y), ranker.fit_blocks(blocks)
    assert_alike(found, expected)
    other, ranks = load_wmt(data_dir / "wmt13", "fr-en", return_X_y=True)
    other = features.transform(other)
    np.testing.assert_array_equal(found.predict(other), expected.predict(other))
    assert found.score(other, ranks) == expected.score(other, ranks) > 0.2


def test_long_rankings():
    index = pd.MultiIndex.from_product(
        [range(3), [f"sys{k}" for k in range(250)]], names=["segment", "system"]
    )
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(750, 3)).round(1), index=index, columns=list("abc"))
    y = pd.Series(rng.integers(1, 9, 750), index=index)
    ranker = RankRecomposer(ESTIMATORS["the default"])
    order = rng.permutation(750)
    found = clone(ranker).fit_blocks(cut(X, y, 3))
    assert_alike(found, clone(ranker).fit(X, y))
    again = ranker.fit_blocks([(X.iloc[order], y.iloc[order])])
    assert again.estimator_[-1].coef_.tobytes() == found.estimator_[-1].coef_.tobytes()


GROWTH = """
import numpy as np, pandas as pd
from sklearn_mteval import RankRecomposer
from sklearn_mteval._helpers.memory import peak_memory

class Blocks:
    def __init__(self, n_blocks):
        self.n_blocks = n_blocks

    def __iter__(self):
        for number in range(self.n_blocks):
            rng = np.random.default_rng(number)
            labels = [np.repeat(np.arange(2000) + 2000 * number, 5), np.tile([*"abcde"], 2000)]
            index = pd.MultiIndex.from_arrays(labels, names=["segment", "system"])
            X = pd.DataFrame(rng.normal(size=(10_000, 16)), index=index)
            yield X, pd.Series(np.ceil(X[0] + rng.normal(size=10_000)), index=index)

RankRecomposer().fit_blocks(Blocks(2))
before = peak_memory()
print(RankRecomposer().fit_blocks(Blocks(40)).n_pairs_, peak_memory() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has another unit, or is not there")
@pytest.mark.slow
def test_memory_does_not_grow_with_the_pairs():
    """400,000 rows: their features are 49 MiB, the differences of their pairs 157 MiB."""
    found = subprocess.run(
        [sys.executable, "-c", GROWTH], capture_output=True, text=True, check=True
    )
    n_pairs, growth = map(int, found.stdout.split())
    assert n_pairs == 1_287_888
    assert growth < 40 * 2**20
