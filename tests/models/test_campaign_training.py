"""train_on_campaign: what is held out, what is tuned, what the result is compared with."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from sklearn_mteval import PairDifference, SegmentKFold, kendall_tau_scorer, load_model, save_model
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.evaluation import challenge
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import MetricScores, NormalizeText, sentence_bleu
from sklearn_mteval.models import bleu_pipeline, train_on_campaign
from sklearn_mteval.models.agreement import measure_agreement
from sklearn_mteval.pairwise.folds import hold_out_segments

pytestmark = pytest.mark.usefixtures("one_blas_thread")


@pytest.fixture(scope="module")
def one_blas_thread():
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def few(rankings):
    """Twelve segments, for what fits many models."""
    return tuple(t[t.index.get_level_values("segment") <= 12] for t in rankings)


def both_annotators(X, y):
    """The same candidates in two ranking tasks, judged alike."""
    X = pd.concat({"task 1": X, "task 2": X}, names=["ranking"])
    y = pd.concat({"task 1": y, "task 2": y}, names=["ranking"])
    order = ["segment", "ranking", "system"]
    return X.reorder_levels(order), y.reorder_levels(order)


def tau_by_hand(X, y, strengths):
    """Strict tau, one pair at a time."""
    table = pd.DataFrame({"rank": y, "strength": strengths, "group": comparable_groups(X)})
    signs = [
        1 if a.strength > b.strength else -1
        for _, group in table.groupby("group")
        for a, b in permutations(group.itertuples(), 2)
        if a.rank < b.rank
    ]
    return float(np.mean(signs))


@pytest.mark.parametrize("recomposition", ["hard", "absolute"])
def test_segments_are_held_out(rankings, recomposition, capsys):
    X, y = both_annotators(*rankings)
    model, table, train, scores = train_on_campaign(
        X, y, recomposition=recomposition, held_out=0.3, random_state=4
    )
    expected, test = hold_out_segments(X, 0.3, random_state=4)
    X_test, y_test = X.iloc[test], y.iloc[test]
    assert train.tolist() == expected.tolist()
    bleu, chrf, best, ours = table
    assert ours.name == f"model, {recomposition}"
    assert model[-1].recomposition == recomposition
    assert bleu == measure_agreement("BLEU", X_test, y_test, sentence_bleu(X_test))
    scored = MetricScores(["chrf"]).fit_transform(X_test)[:, 0]
    assert chrf == measure_agreement("chrF", X_test, y_test, scored)
    assert ours.tau == pytest.approx(tau_by_hand(X_test, y_test, model.decision_function(X_test)))
    assert {row.pairs for row in table} == {ours.pairs}
    assert scores == {
        "tau": ours.tau, "tau_low": ours.low, "tau_high": ours.high, "tau_variant": "wmt12",
        "pair_accuracy": ours.accuracy, "bleu_tau": bleu.tau, "chrf_tau": chrf.tau,
        "best_feature": best.name.removeprefix("best feature: "), "best_feature_tau": best.tau,
        "held_out_pairs": ours.pairs,
    }  # fmt: skip
    out, err = capsys.readouterr()
    assert out == "" and "16/16" in err and "GiB at most" in err


def test_tuning_is_that_of_a_grid_search(rankings):
    X, y = rankings
    grid = {"rank__estimator__logisticregression__C": [0.1, 1, 10]}
    model, _, train, _ = train_on_campaign(X, y, progress=False)
    X_train, y_train = X.iloc[train], y.iloc[train]
    search = GridSearchCV(bleu_pipeline(), grid, scoring=kendall_tau_scorer, cv=SegmentKFold(5))
    search.fit(X_train, y_train)
    assert {name: model.get_params()[name] for name in grid} == search.best_params_
    test = X.drop(X_train.index)
    assert model.decision_function(test).tolist() == search.decision_function(test).tolist()


def test_the_best_feature_is_chosen_on_the_training_part(rankings):
    X, y = rankings
    features = ["bleu", "chrf", {"name": "surface", "features": ["hypothesis_tokens"]}]
    model, table, train, scores = train_on_campaign(
        X, y, features=features, classifier={"name": "logreg", "C": 1}, progress=False
    )
    X_train, y_train = X.iloc[train], y.iloc[train]
    taus = {}
    for name, column in model[:-1].transform(X_train).items():
        taus[name] = tau_by_hand(X_train, y_train, column)
        taus[f"-{name}"] = tau_by_hand(X_train, y_train, -column)
    best = max(taus, key=taus.get)
    assert scores["best_feature"] == best and table[2].name == f"best feature: {best}"
    test = X.drop(X_train.index)
    column = model[:-1].transform(test)[best.removeprefix("-")]
    column = -column if best[0] == "-" else column
    assert table[2].tau == pytest.approx(tau_by_hand(test, y[test.index], column))


def test_a_feature_may_be_the_lower_the_better(rankings):
    X, y = rankings
    *_, scores = train_on_campaign(
        X, y, features={"name": "TERComp"}, classifier={"name": "logreg", "C": 1}, progress=False
    )
    assert scores["best_feature"].startswith("-") and scores["best_feature_tau"] > 0


CLASSIFIERS = [
    {"name": "ensemble", "boosting__max_iter": 5, "boosting__min_samples_leaf": 5},
    "knn",
    "naive-bayes",
    {"name": "nn", "max_epochs": 2, "column_roles": {"hypothesis": ".*"}},
]


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda given: str(given)[:20])
def test_classifiers(rankings, classifier, tmp_path):
    X, y = rankings
    model, table, train, scores = train_on_campaign(
        X, y, features=["bleu", "chrf"], classifier=classifier, normalize=True, progress=False
    )
    assert isinstance(model[0], NormalizeText)
    assert table[-1].tau > 0 and 0.5 < table[-1].accuracy <= 1
    save_model(model, tmp_path / "model", X=X.iloc[train], y=y.iloc[train], scores=scores)
    test = X.drop(X.index[train])
    found = load_model(tmp_path / "model").decision_function(test)
    assert found.tolist() == model.decision_function(test).tolist()


def test_a_classifier_without_probabilities(rankings):
    X, y = rankings
    classifier = make_pipeline(PairDifference(), RidgeClassifier())
    _, table, _, _ = train_on_campaign(
        X, y, classifier=classifier, recomposition="hard", progress=False
    )
    assert table[-1].name == "model, hard" and 0.5 < table[-1].accuracy <= 1


def test_lines_are_held_out_and_resampled_together(rankings):
    """Two language pairs of the same texts: intervals are as wide as of one."""
    X, y = rankings
    parts = []
    for pair in ("de", "cs"):
        names = [(f"{pair}:{segment}", system) for segment, system in X.index]
        parts.append(X.set_axis(pd.MultiIndex.from_tuples(names, names=X.index.names)))
    X_both = pd.concat(parts)
    y_both = pd.Series(np.tile(y, 2), index=X_both.index)
    lines = [int(label[3:]) for label, _ in X_both.index]
    options = {"classifier": {"name": "logreg", "C": 1}, "held_out": 0.5, "progress": False}
    _, table, train, _ = train_on_campaign(X_both, y_both, segments=lines, **options)
    seen = {X_both.index[row][0] for row in train}
    assert seen == {f"{pair}:{label[3:]}" for label in seen for pair in ("de", "cs")}
    test = X_both.index.get_level_values(0).isin(seen)
    X_test, y_test = X_both[~test], y_both[~test]
    one = X_test.index.get_level_values(0).str.startswith("de")
    once = measure_agreement("", X_test[one], y_test[one], sentence_bleu(X_test[one]))
    apart = measure_agreement("", X_test, y_test, sentence_bleu(X_test))
    width = table[0].high - table[0].low
    assert width == pytest.approx(once.high - once.low, rel=0.1)
    assert width > 1.2 * (apart.high - apart.low)
    with pytest.raises(CandidateError, match="segments has 3 entries"):
        train_on_campaign(X_both, y_both, segments=lines[:3], **options)


def test_without_references_there_is_no_bleu(few):
    X, y = few
    _, table, _, scores = train_on_campaign(
        X.drop(columns="reference"), y, features="contrastive", held_out=0.5, progress=False
    )
    assert [row.name[:5] for row in table] == ["best ", "model"]
    assert "bleu_tau" not in scores


@pytest.mark.filterwarnings("ignore::sklearn_mteval.exceptions.SegmentLeakWarning")
def test_training_does_not_depend_on_jobs_and_shows_no_bar_unasked(few, capsys):
    X, y = few
    once, again = (train_on_campaign(X, y, n_jobs=n, progress=False) for n in (1, 2))
    assert once[1] == again[1] and once[3] == again[3]
    assert once[0].decision_function(X).tolist() == again[0].decision_function(X).tolist()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("given", [0, 1, -0.1, 1.5, float("nan")])
def test_proportion_that_is_none(rankings, given):
    with pytest.raises(ValueError, match=f"between 0 and 1, found {given}"):
        train_on_campaign(*rankings, held_out=given)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"features": "blue"}, "features: expected one of"),
        ({"classifier": "forest"}, "classifier: expected one of"),
        ({"recomposition": "firm"}, "recomposition must be one of"),
    ],
)
def test_options_that_are_refused(rankings, options, problem):
    with pytest.raises(ValueError, match=problem):
        train_on_campaign(*rankings, progress=False, **options)


def test_robust_training_makes_corruptions_lose_and_holds_out_as_before():
    X, y = load_sample(return_X_y=True)
    options = {"features": ["SurfaceCounts", "chrf"], "progress": False}
    usual, *_, train, scores = train_on_campaign(X, y, **options)
    robust, table, same, of_robust = train_on_campaign(X, y, robust=True, **options)
    assert same.tolist() == train.tolist()
    assert of_robust["held_out_pairs"] == scores["held_out_pairs"]
    assert of_robust["best_feature"] == scores["best_feature"]  # chosen on judgements alone
    assert [table[0].tau, table[1].tau] == [scores["bleu_tau"], scores["chrf_tau"]]
    unseen = np.setdiff1d(np.arange(len(X)), train)
    won = {}
    for name, model in {"usual": usual, "robust": robust}.items():
        found = challenge(model, X.iloc[unseen], kinds=["doubled", "empty"], metrics=[])
        won[name] = (found.pairs["model_two"] > 0).groupby(level="kind").mean()
    assert (won["usual"] < 0.2).all() and (won["robust"] > 0.7).all()
    with pytest.raises(ValueError, match="robust"):
        train_on_campaign(X, y, robust="yes", **options)
