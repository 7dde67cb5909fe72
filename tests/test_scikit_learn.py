"""scikit-learn's own tools with rankers: each line of the page docs/scikit_learn.md."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    train_test_split,
    validation_curve,
)
from sklearn.pipeline import make_union
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import estimator_html_repr

from sklearn_mteval import (
    BLEUComp,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    make_ranking_pipeline,
)
from sklearn_mteval.datasets import candidates_from_frame, load_judgements
from sklearn_mteval.exceptions import CandidateError, SegmentLeakWarning
from sklearn_mteval.features import ChrFComp

CV = {"cv": SegmentKFold(3), "scoring": kendall_tau_scorer}
OLD = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9)
GRID = {"rankrecomposer__recomposition": ["hard", "soft"]}


@pytest.fixture(scope="module")
def judged(rankings):
    X, y = rankings
    return X[:60], y[:60]


@pytest.fixture
def pipeline():
    return make_ranking_pipeline(BLEUComp(), MinMaxScaler(), RankRecomposer())


def by_hand(pipeline, X, y, method):
    """Train and predict fold by fold."""
    found = pd.Series(np.nan, X.index)
    for train, test in SegmentKFold(3).split(X):
        model = clone(pipeline).fit(X.iloc[train], y.iloc[train])
        found.iloc[test] = getattr(model, method)(X.iloc[test])
    return found


@pytest.mark.parametrize("method", ["predict", "decision_function"][: 1 if OLD else 2])
def test_cross_val_predict_is_in_the_order_of_the_rows(pipeline, judged, method):
    X, y = judged
    asked = {"cv": SegmentKFold(3), "method": method}
    found = cross_val_predict(pipeline, X, y, **asked)
    # scikit-learn numbers ranks anew, and a solver stops elsewhere: up to its tolerance.
    np.testing.assert_allclose(found, by_hand(pipeline, X, y, method), atol=1e-5)
    order = np.random.default_rng(0).permutation(60)
    again = cross_val_predict(pipeline, X.iloc[order], y.iloc[order], **asked)
    assert again.tolist() == found[order].tolist()


def test_cross_val_predict_of_penalties(pipeline, judged):
    """Most of them are in one fold only: scikit-learn would miss classes."""
    X, y = judged
    penalties, method = y + np.linspace(0, 0.5, 60), "decision_function"
    with pytest.raises(ValueError, match="Only 0 class") if OLD else nullcontext():
        found = cross_val_predict(pipeline, X, penalties, cv=SegmentKFold(3), method=method)
        np.testing.assert_allclose(found, by_hand(pipeline, X, penalties, method), atol=1e-5)


def test_missing_ranks_are_not_the_worst(pipeline, judged):
    X, y = judged
    y = y.astype(float).where(y.index != y.index[3])
    with pytest.raises(CandidateError, match="y has NaN"):
        cross_val_predict(pipeline, X, y, cv=SegmentKFold(3), method="decision_function")


def test_searches(pipeline, judged):
    grid, random, halving = (
        GridSearchCV(pipeline, GRID, **CV),
        RandomizedSearchCV(pipeline, GRID, n_iter=2, random_state=0, **CV),
        HalvingGridSearchCV(
            pipeline, GRID, resource="rankrecomposer__max_pairs", min_resources=60,
            max_resources=200, random_state=0, **CV,
        ),
    )  # fmt: skip
    for search in (grid, random, halving):
        found = search.fit(*judged).best_params_["rankrecomposer__recomposition"]
        assert found == search.best_estimator_[-1].recomposition
    for recomposition, tau in zip(
        GRID["rankrecomposer__recomposition"], grid.cv_results_["mean_test_score"], strict=True
    ):
        one = clone(pipeline).set_params(rankrecomposer__recomposition=recomposition)
        assert tau == cross_val_score(one, *judged, **CV).mean()


def test_a_learning_curve_trains_on_whole_segments(pipeline, judged):
    """All of the first segments but the last: what is trained on in the order of the rows."""
    X, y = judged
    sizes, _, tested = learning_curve(pipeline, X, y, train_sizes=[20, 40], **CV)
    train, test = next(SegmentKFold(3).split(X))
    model = clone(pipeline).fit(X.iloc[train[:20]], y.iloc[train[:20]])
    assert sizes.tolist() == [20, 40]
    assert tested[0, 0] == kendall_tau_scorer(model, X.iloc[test], y.iloc[test])


def test_other_tools(pipeline, judged):
    X, y = judged
    _, tested = validation_curve(
        pipeline, X, y, param_name="rankrecomposer__recomposition", param_range=["hard"], **CV
    )
    hard = clone(pipeline).set_params(rankrecomposer__recomposition="hard")
    assert tested[0].tolist() == cross_val_score(hard, X, y, **CV).tolist()
    segments = X.index.get_level_values("segment")
    tau, permuted, p = permutation_test_score(
        pipeline, X, y.to_numpy(), groups=segments, n_permutations=3, random_state=0,
        cv=GroupKFold(3), scoring=kendall_tau_scorer,
    )  # fmt: skip
    assert len(permuted) == 3 and p >= 0.25 and -1 < tau < 1
    table = BLEUComp().set_output(transform="pandas").fit_transform(X)
    found = permutation_importance(
        RankRecomposer().fit(table, y), table, y, scoring=kendall_tau_scorer, n_repeats=2,
        random_state=0,
    )  # fmt: skip
    assert found.importances_mean.shape == (table.shape[1],)


def test_pieces_of_pipelines(pipeline, judged, tmp_path):
    X, y = judged
    expected = pipeline.fit(X, y).predict(X).tolist()
    union = ColumnTransformer([("bleu", BLEUComp(), ["reference", "hypothesis"])])
    for model in (
        make_ranking_pipeline(union, MinMaxScaler(), RankRecomposer()),
        make_ranking_pipeline(*pipeline, memory=str(tmp_path)),
        FrozenEstimator(pipeline),
    ):
        assert model.fit(X, y).predict(X).tolist() == expected


def test_a_picture_of_the_pipeline(pipeline, judged):
    for model in (pipeline, pipeline.fit(*judged), RankRecomposer(), pipeline[-1]):
        assert "RankRecomposer" in estimator_html_repr(model)


@pytest.mark.parametrize("routing", [False, True])
def test_documents_as_groups(pipeline, judged, routing):
    X, y = judged
    segments = X.index.get_level_values("segment")
    documents = np.array([f"document {segment // 4}" for segment in segments])
    given = {"params": {"groups": documents}} if routing else {"groups": documents}
    with sklearn.config_context(enable_metadata_routing=routing):
        found = cross_validate(pipeline, X, y, return_indices=True, **CV, **given)
        alone = {"groups": documents}
        searched = GridSearchCV(pipeline, GRID, **CV).fit(X, y, **alone)
    for train, test in zip(*found["indices"].values(), strict=True):
        assert not {*documents[train]} & {*documents[test]}
    soft = searched.cv_results_["split0_test_score"][1]
    assert soft == found["test_score"][0]


@pytest.mark.parametrize("routing", [False, True])
def test_weights_are_refused(pipeline, judged, routing):
    given = {"rankrecomposer__sample_weight": np.ones(60)}
    if routing:
        given = {"sample_weight": np.ones(60)}
    routed = sklearn.config_context(enable_metadata_routing=routing)
    with routed, pytest.raises(TypeError, match="sample_weight"):
        pipeline.fit(*judged, **given)


def test_a_search_over_features_and_judgements_of_several_annotators_instead(judged):
    """What the page names in place of a selector of columns, and of weights."""
    X, y = judged
    union = make_union(BLEUComp(), ChrFComp())
    model = make_ranking_pipeline(union, MinMaxScaler(), RankRecomposer())
    grid = {"featureunion__chrfcomp": ["drop", ChrFComp()]}
    search = GridSearchCV(model, grid, error_score="raise", **CV).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    twice, ranks = (pd.concat({1: part, 2: part}, names=["ranking"]) for part in (X, y))
    assert model.fit(twice, ranks)[-1].n_pairs_ == 2 * model.fit(X, y)[-1].n_pairs_


class OfPolars:
    """A table of polars or Arrow, which neither is needed for."""

    def __init__(self, table):
        self.table = table

    def to_pandas(self):
        return self.table


def test_tables_of_other_libraries(pipeline, judged):
    X, y = judged
    table = X.reset_index()
    found = candidates_from_frame(OfPolars(table))
    pd.testing.assert_frame_equal(found, candidates_from_frame(table))
    table = OfPolars(table.assign(rank=y.to_numpy()))
    X_found, y_found = load_judgements(table, better="lower", return_X_y=True)
    judgements = load_judgements(table, better="lower")
    pd.testing.assert_frame_equal(X_found, judgements.X)
    pd.testing.assert_series_equal(y_found, judgements.y)
    for use in (pipeline.fit, BLEUComp().fit):
        with pytest.raises(CandidateError, match=r"X\.to_pandas\(\) or datasets\.candidates_from"):
            use(OfPolars(X), y)


def test_tables_of_arrow(judged):
    arrow = pytest.importorskip("pyarrow")
    table = judged[0].reset_index()
    found = candidates_from_frame(arrow.Table.from_pandas(table))
    pd.testing.assert_frame_equal(found, candidates_from_frame(table))


@pytest.mark.parametrize("transform", ["polars", "default"])
def test_output_without_an_index_is_refused(pipeline, transform):
    with pytest.raises(ValueError, match=f"needs transform='pandas', found '{transform}'"):
        pipeline.set_output(transform=transform)


@pytest.mark.parametrize(
    "make",
    [
        lambda: BaggingRegressor(RankRecomposer()),
        lambda: SequentialFeatureSelector(RankRecomposer(), n_features_to_select=1, cv=2),
    ],
)
def test_what_loses_the_index_is_refused(judged, make):
    table = BLEUComp().set_output(transform="pandas").fit_transform(judged[0])
    with pytest.raises(ValueError, match="the index that says which translations may be compared"):
        make().fit(table, judged[1])


def test_what_cuts_segments_is_warned_of(pipeline, judged):
    X, y = judged
    for cv, leak in ((KFold(3, shuffle=True, random_state=0), True), (SegmentKFold(3), False)):
        with pytest.warns(SegmentLeakWarning, match="SegmentKFold") if leak else nullcontext():
            cross_val_score(pipeline, X, y, cv=cv)
    X_train, X_test, y_train, _ = train_test_split(X, y, random_state=0)
    with pytest.warns(SegmentLeakWarning, match="segment_train_test_split"):
        pipeline.fit(X_train, y_train).predict(X_test)
