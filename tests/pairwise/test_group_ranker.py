"""GroupRanker with the rankers of LightGBM, XGBoost and CatBoost, and with one that notes all."""

import os
import warnings

import lightgbm
import numpy as np
import pandas as pd
import pytest
from catboost import CatBoostRanker
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from xgboost import XGBRanker

from sklearn_mteval import (
    GroupRanker,
    SegmentKFold,
    kendall_tau,
    kendall_tau_scorer,
    load_model,
    make_ranking_pipeline,
    save_model,
    segment_train_test_split,
)
from sklearn_mteval.exceptions import CandidateError, ModelFolderError, SegmentLeakWarning


class Noting(BaseEstimator):
    """A linear ranker in the manner of one of the libraries; notes what it is given."""

    def __init__(self, slope=1.0):
        self.slope = slope

    def fit(self, X, y, group=None, eval_set=None, eval_group=None):
        self.seen_ = {"X": X, "y": y, "group": group, "eval_set": eval_set}
        self.seen_["eval_group"] = eval_group
        self.inner_ = LinearRegression().fit(X, y)
        return self

    def predict(self, X):
        return self.slope * self.inner_.predict(X)


class OfNumbers(Noting):
    def fit(self, X, y, group=None, eval_set=None, eval_group=None):
        return super().fit(X.drop(columns="reference"), y, group)


class ByQid(Noting):
    def fit(self, X, y, *, group=None, qid=None, eval_set=None, eval_qid=None):
        super().fit(X, y, group, eval_set, eval_qid)
        self.seen_["qid"] = qid
        return self


RANKERS = {
    "lightgbm": lightgbm.LGBMRanker(
        n_estimators=20, min_child_samples=2, n_jobs=1, verbosity=-1, random_state=0
    ),
    "xgboost": XGBRanker(n_estimators=20, n_jobs=1, random_state=0),
    "catboost": CatBoostRanker(
        iterations=20, verbose=0, allow_writing_files=False, thread_count=1, random_seed=0
    ),
}
# How each says at which iteration it stopped.
BEST = {"lightgbm": "best_iteration_", "xgboost": "best_iteration", "catboost": "best_iteration_"}


@pytest.fixture
def searches():
    """Forty queries with three to nine documents each, graded by two of three features."""
    rng = np.random.default_rng(0)
    tuples = [(f"q{q}", d) for q in range(40) for d in range(rng.integers(3, 10))]
    index = pd.MultiIndex.from_tuples(tuples, names=["segment", "document"])
    X = pd.DataFrame(rng.normal(size=(len(index), 3)), index=index, columns=["a", "b", "c"])
    noise = rng.normal(size=len(X)) / 4
    y = pd.Series(-np.round(X["a"] + X["b"] / 2 + noise), index, name="rank")
    return X, y


def ranker(inner, **options):
    return GroupRanker(inner, item_level="document", **options)


@pytest.mark.parametrize("name", RANKERS)
def test_real_rankers_learn_and_order_does_not_matter(searches, name):
    X, y = searches
    X_train, X_test, y_train, y_test = segment_train_test_split(X, y)
    model = ranker(RANKERS[name]).fit(X_train, y_train)
    strengths, ranks = model.decision_function(X_test), model.predict(X_test)
    groups = X_test.index.get_level_values("segment")
    tau = kendall_tau(y_test, strengths, groups=groups, statistic="wmt14")
    assert tau > 0.6
    assert model.score(X_test, y_test) == kendall_tau(y_test, strengths, groups=groups)
    for group in groups.unique():
        there = groups == group
        np.testing.assert_array_equal(ranks[there], rankdata(-strengths[there], method="min"))
    assert ranks.dtype == np.int64 and model.n_groups_ == X_train.index.unique("segment").size
    # What it is asked of in another order, alone, or trained on in another order, is the same.
    order = np.random.default_rng(1).permutation(len(X_test))
    np.testing.assert_array_equal(model.decision_function(X_test.iloc[order]), strengths[order])
    np.testing.assert_array_equal(model.predict(X_test.iloc[order]), ranks[order])
    some = X_test.loc[[groups[0]]]
    np.testing.assert_array_equal(model.decision_function(some), strengths[groups == groups[0]])
    order = np.random.default_rng(2).permutation(len(X_train))
    shuffled = X_train.iloc[order].rename(index=lambda q: f"x{hash(q)}", level="segment")
    again = clone(model).fit(shuffled, y_train.to_numpy()[order])
    np.testing.assert_array_equal(again.decision_function(X_test), strengths)


@pytest.mark.parametrize("name", RANKERS)
def test_real_rankers_are_given_what_their_own_api_wants(searches, name):
    """By hand, in the order that a user would sort them: the same model but for that order."""
    X, y = searches
    found = ranker(RANKERS[name]).fit(X, y).decision_function(X)
    first = X.groupby(level="segment", sort=False).ngroup().to_numpy()
    relevance = y.groupby(level="segment").transform(lambda r: rankdata(-r, method="dense") - 1)
    groups = {
        "lightgbm": {"group": np.bincount(first)}, "xgboost": {"qid": first},
        "catboost": {"group_id": first},
    }[name]  # fmt: skip
    own = clone(RANKERS[name]).fit(X, relevance.astype(int), **groups).predict(X)
    # Before the first tree all rows of a group are equal, and rankers go by their order.
    assert np.corrcoef(found, own)[0, 1] > 0.9
    shuffled = np.random.default_rng(0).permutation(relevance)
    other = clone(RANKERS[name]).fit(X, shuffled.astype(int), **groups).predict(X)
    assert np.corrcoef(found, other)[0, 1] < 0.7


@pytest.mark.parametrize("name", RANKERS)
def test_pipelines_searches_and_cross_validation_without_group(searches, name):
    X, y = searches
    pipeline = make_ranking_pipeline(StandardScaler(), ranker(RANKERS[name]))
    scoring = kendall_tau_scorer_of_documents
    scores = cross_validate(pipeline, X, y, cv=SegmentKFold(3), scoring=scoring)
    assert (scores["test_score"] > 0.4).all()
    depth = {"lightgbm": "max_depth", "xgboost": "max_depth", "catboost": "depth"}[name]
    grid = {f"groupranker__estimator__{depth}": [1, 3], "standardscaler": [MinMaxScaler()]}
    search = GridSearchCV(pipeline, grid, cv=SegmentKFold(3), scoring=scoring).fit(X, y)
    inner = search.best_estimator_[-1].estimator
    assert inner.get_params()[depth] == search.best_params_[f"groupranker__estimator__{depth}"]
    assert search.best_score_ > 0.4
    # The search's own scoring is the ranker's, as for other estimators.
    assert GridSearchCV(pipeline, {}, cv=SegmentKFold(3)).fit(X, y).best_score_ > 0.4


def test_what_shares_a_reference_is_held_out_together(searches):
    X, y = searches
    pair = [int(q[1:]) // 2 for q in X.index.get_level_values("segment")]
    model = ranker(OfNumbers(), validation_fraction=0.25)
    model.fit(X.assign(reference=[f"answer {k}" for k in pair]), y)
    held_out = {int(q[1:]) for q in model.validation_segments_}
    assert len(held_out) == 10 and held_out == {q ^ 1 for q in held_out}


def kendall_tau_scorer_of_documents(estimator, X, y):
    return kendall_tau_scorer(estimator, X, y, item_level="document", statistic="wmt14")


@pytest.mark.parametrize("name", RANKERS)
def test_early_stopping_on_held_out_segments(searches, name):
    X, y = searches
    trees = "iterations" if name == "catboost" else "n_estimators"
    inner = clone(RANKERS[name]).set_params(**{trees: 400, "early_stopping_rounds": 5})
    model = ranker(inner, validation_fraction=0.25).fit(X, y)
    assert 0 <= getattr(model.estimator_, BEST[name]) < 380
    assert len(model.validation_segments_) == 10 and model.n_groups_ == 30
    held_out = X.index.get_level_values("segment").isin(model.validation_segments_)
    fitted = model.decision_function(X)
    # What stands in the held-out segments decides when training stops, and nothing else.
    order = np.random.default_rng(0).permutation(len(X))
    renamed = X.iloc[order].rename(index=lambda q: f"{hash(q)}", level="segment")
    again = clone(model).fit(renamed, y.to_numpy()[order])
    assert {f"{hash(q)}" for q in model.validation_segments_} == set(again.validation_segments_)
    np.testing.assert_array_equal(again.decision_function(X), fitted)
    fewer = {trees: getattr(model.estimator_, BEST[name]) + (name != "lightgbm")}
    plain = ranker(clone(RANKERS[name]).set_params(**fewer)).fit(X[~held_out], y[~held_out])
    with warnings.catch_warnings(action="ignore", category=SegmentLeakWarning):
        np.testing.assert_allclose(plain.decision_function(X), fitted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [Noting, ByQid])
def test_what_a_ranker_is_given(searches, kind):
    X, y = searches
    model = ranker(kind(), validation_fraction=0.2, random_state=3).fit(X, y)
    seen = model.estimator_.seen_
    parts = [(seen["X"], seen["y"], seen["group"] if kind is Noting else seen["qid"])]
    (held,) = seen["eval_set"]
    parts.append((*held, seen["eval_group"][0]))
    total = 0
    for table, relevance, groups in parts:
        if kind is ByQid:
            assert (np.diff(groups) >= 0).all() and groups[0] == 0
            groups = np.bincount(groups)
        assert groups.sum() == len(table) == len(relevance)
        for rows in np.split(np.arange(len(table)), np.cumsum(groups)[:-1]):
            (segment,) = table.index[rows].unique("segment")
            assert len(rows) == len(X.loc[segment])
            own = rankdata(-y.loc[table.index[rows]], method="dense") - 1
            np.testing.assert_array_equal(relevance[rows], own)
            total += 1
    assert total == 40 and len(model.validation_segments_) == 8
    assert set(held[0].index.unique("segment")) == set(model.validation_segments_)
    others = [ranker(kind(), validation_fraction=0.2, random_state=s).fit(X, y) for s in range(4)]
    assert len({tuple(sorted(m.validation_segments_)) for m in others}) > 1
    assert ranker(kind()).fit(X, y).estimator_.seen_["eval_set"] is None


@pytest.mark.parametrize(
    ("ranks", "n_grades", "relevance"),
    [
        ([1, 2, 3], 31, [2, 1, 0]),
        ([1, 1, 3], 31, [1, 1, 0]),
        ([-0.5, 7.25, 7.25, 100], 31, [2, 1, 1, 0]),
        ([1, 2, 3, 4], 2, [1, 1, 0, 0]),
        ([1, 2, 2, 3, 4, 5], 3, [2, 1, 1, 1, 0, 0]),
        (list(range(100)), 31, [k * 31 // 100 for k in range(100)][::-1]),
    ],
)
def test_ranks_become_relevance(ranks, n_grades, relevance):
    """Alone, and next to a group that has other ranks."""
    X = pd.DataFrame({"a": np.arange(len(ranks), dtype=float)})
    X.index = pd.MultiIndex.from_product([["s"], range(len(ranks))], names=["segment", "system"])
    other = X.iloc[:2].rename(index={"s": "t"}, level="segment") - 9
    both = pd.concat([X, other])
    y = pd.Series([*ranks, 5, 4.5], both.index)
    for table in (X, both):
        seen = (
            GroupRanker(Noting(), n_grades=n_grades).fit(table, y.loc[table.index]).estimator_.seen_
        )
        found = pd.Series(seen["y"], seen["X"].index)
        assert found.dtype == np.int64
        assert found.loc[X.index].tolist() == relevance
        if len(table) > len(X):
            assert found.loc[other.index].tolist() == [0, 1]


def test_categories_missing_numbers_and_arrays(searches):
    X, y = searches
    mixed = X.assign(kind=pd.Categorical(np.where(X["c"] > 0, "new", "old")))
    mixed.iloc[3, 0] = np.nan
    model = ranker(RANKERS["lightgbm"]).fit(mixed, y)
    assert np.isfinite(model.decision_function(mixed)).all()
    numbers = X.to_numpy()
    alone = GroupRanker(Noting(), item_level=None).fit(numbers, y)
    assert alone.n_groups_ == 1 and alone.predict(numbers).min() == 1
    X.iloc[0, 0] = np.nan
    assert ranker(RANKERS["xgboost"]).fit(X, y).decision_function(X).shape == (len(X),)


@parametrize_with_checks(
    [GroupRanker(Noting(), item_level=None)],
    expected_failed_checks=lambda _: {
        "check_methods_subset_invariance": "a rank depends on the competitors that are there",
    },
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_lost_indexes_and_groups_fail_clearly(searches):
    X, y = searches
    fitted = ranker(Noting()).fit(X, y)
    for call in (
        lambda: ranker(Noting()).fit(X.to_numpy(), y),
        lambda: fitted.predict(X.to_numpy()),
    ):
        with pytest.raises(CandidateError, match=r"index that says .* is lost"):
            call()
    with pytest.raises(CandidateError, match="found RangeIndex named None"):
        ranker(Noting()).fit(X.reset_index(drop=True), y.to_numpy())
    with pytest.raises(CandidateError, match="level 'system' is missing; there are"):
        GroupRanker(Noting()).fit(X, y)
    # Every row a group of its own; no group with different ranks.
    labels = [range(len(X)), ["d"] * len(X)]
    alone = X.set_axis(pd.MultiIndex.from_arrays(labels, names=X.index.names))
    with pytest.raises(CandidateError, match=r"no group has rows of different rank \(\d+ group"):
        ranker(Noting()).fit(alone, y.to_numpy())
    with pytest.raises(CandidateError, match="no group has rows of different rank"):
        ranker(Noting()).fit(X, 0 * y)
    with pytest.raises(CandidateError, match="X and y are not aligned"):
        ranker(Noting()).fit(X, y.iloc[::-1])
    pipeline = make_pipeline(StandardScaler(), ranker(Noting()))  # loses the index
    with pytest.raises(CandidateError, match="make_ranking_pipeline"):
        pipeline.fit(X, y)


def test_what_cannot_be(searches):
    X, y = searches
    for inner in (Ridge(), Noting, None, make_pipeline(StandardScaler(), Noting())):
        with pytest.raises(TypeError, match="estimator must be a ranker whose fit takes one of"):
            ranker(inner).fit(X, y)
    for bad in (0, 1, 1.5, "half"):
        with pytest.raises(ValueError, match="validation_fraction must lie between 0 and 1"):
            ranker(Noting(), validation_fraction=bad).fit(X, y)
    with pytest.raises(ValueError, match="n_grades must be an integer >= 2"):
        ranker(Noting(), n_grades=1).fit(X, y)
    with pytest.raises(CandidateError, match="of one nothing is left to train on"):
        ranker(Noting(), validation_fraction=0.5).fit(X.loc[["q0"]], y.loc[["q0"]])
    with pytest.raises(CandidateError, match=r"columns that are not of numbers, \['text'\]"):
        ranker(RANKERS["lightgbm"]).fit(X.assign(text="words"), y)
    with pytest.raises(CandidateError, match="no column"):
        ranker(Noting()).fit(X[[]], y)
    with pytest.raises(ValueError, match="finite numbers, found in row 0 nan"):
        ranker(Noting(slope=np.nan)).fit(X, y).predict(X)
    with pytest.raises(ValueError, match="feature names should match"):
        ranker(Noting()).fit(X, y).predict(X[["a", "b"]])


def test_leaks_are_told(searches):
    X, y = searches
    model = ranker(Noting()).fit(X, y)
    model.predict(X)  # the training table itself
    with pytest.warns(SegmentLeakWarning, match="trained on translations of segments"):
        model.predict(X.iloc[:20])


@pytest.mark.parametrize("name", RANKERS)
def test_saving(searches, name, tmp_path):
    X, y = searches
    model = ranker(RANKERS[name]).fit(X, y)
    with pytest.raises(
        ModelFolderError, match="holds types that load_model does not trust"
    ) as error:
        save_model(model, tmp_path / "model")
    trusted = str(error.value).partition("trust: ")[2].partition(". If you")[0].split(", ")
    save_model(model, tmp_path / "model", trusted=trusted)
    loaded = load_model(tmp_path / "model", trusted=trusted)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_nothing_is_written(searches, tmp_path, monkeypatch, capfd):
    X, y = searches
    monkeypatch.chdir(tmp_path)
    for inner in RANKERS.values():
        ranker(inner, validation_fraction=0.2).fit(X, y)
    assert not os.listdir(tmp_path) and capfd.readouterr() == ("", "")
