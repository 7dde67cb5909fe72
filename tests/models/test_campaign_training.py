"""train_on_campaign: what is held out, what is tuned, what the result is compared with."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from sklearn_mteval import (
    PairDifference,
    SegmentKFold,
    kendall_tau_scorer,
    load_model,
    load_pretrained,
    save_model,
)
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.evaluation import challenge
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import MetricScores, NormalizeText, sentence_bleu
from sklearn_mteval.models import bleu_pipeline, train_on_campaign
from sklearn_mteval.models import campaign_training as training
from sklearn_mteval.models.agreement import measure_agreement
from sklearn_mteval.models.opening import with_source
from sklearn_mteval.pairwise.folds import hold_out_segments

pytestmark = pytest.mark.usefixtures("one_blas_thread", "no_encoders")


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
    result = train_on_campaign(X, y, recomposition=recomposition, held_out=0.3, random_state=4)
    model, table, train, scores = result.model, result.comparison, result.train, result.scores
    expected, test = hold_out_segments(X, 0.3, random_state=4)
    X_test, y_test = X.iloc[test], y.iloc[test]
    assert train.tolist() == expected.tolist()
    assert table["kind"].tolist() == ["new", "ready-made", "feature", "metric", "metric"]
    assert table.index[0] == "new model" and table.index[3:].tolist() == ["chrF", "BLEU"]
    ours, ready, best, chrf, bleu = (row for _, row in table.iterrows())
    assert model[-1].recomposition == recomposition
    chrf_scores = MetricScores(["chrf"]).fit_transform(X_test)[:, 0]
    for row, values in (
        (ours, model.decision_function(X_test)),
        (
            ready,
            load_pretrained(table.index[1]).decision_function(with_source(X_test, table.index[1])),
        ),
        (chrf, chrf_scores),
        (bleu, sentence_bleu(X_test)),
    ):
        assert row["tau"] == pytest.approx(tau_by_hand(X_test, y_test, values))
        one = measure_agreement("", X_test, y_test, values)
        assert (row["low"], row["high"]) == (one.low, one.high)
    assert set(table["pairs"]) == {ours.pairs}
    assert scores == {
        "tau": ours.tau, "tau_low": ours.low, "tau_high": ours.high, "tau_variant": "wmt12",
        "pair_accuracy": ours.accuracy, "bleu_tau": bleu.tau, "chrf_tau": chrf.tau,
        f"{ready.name}_tau": ready.tau, "held_out_pairs": ours.pairs, "best_feature_tau": best.tau,
        "best_feature": best.name.removeprefix("best feature: "),
    }  # fmt: skip
    out, err = capsys.readouterr()
    assert out == "" and "16 of 16 fits" in err and "GiB at most" in err


def test_tuning_is_that_of_a_grid_search(rankings):
    X, y = rankings
    grid = {"rank__estimator__logisticregression__C": [0.1, 1, 10]}
    result = train_on_campaign(X, y, progress=False)
    model, train = result.model, result.train
    X_train, y_train = X.iloc[train], y.iloc[train]
    search = GridSearchCV(bleu_pipeline(), grid, scoring=kendall_tau_scorer, cv=SegmentKFold(5))
    search.fit(X_train, y_train)
    assert {name: model.get_params()[name] for name in grid} == search.best_params_
    test = X.drop(X_train.index)
    assert model.decision_function(test).tolist() == search.decision_function(test).tolist()


def test_the_best_feature_is_chosen_on_the_training_part(rankings):
    X, y = rankings
    features = ["bleu", "chrf", {"name": "surface", "features": ["hypothesis_tokens"]}]
    result = train_on_campaign(
        X, y, features=features, classifier={"name": "logreg", "C": 1}, progress=False
    )
    model, table, train, scores = result.model, result.comparison, result.train, result.scores
    X_train, y_train = X.iloc[train], y.iloc[train]
    taus = {}
    for name, column in model[:-1].transform(X_train).items():
        taus[name] = tau_by_hand(X_train, y_train, column)
        taus[f"-{name}"] = tau_by_hand(X_train, y_train, -column)
    best = max(taus, key=taus.get)
    assert scores["best_feature"] == best and table.index[2] == f"best feature: {best}"
    test = X.drop(X_train.index)
    column = model[:-1].transform(test)[best.removeprefix("-")]
    column = -column if best[0] == "-" else column
    assert table["tau"].iloc[2] == pytest.approx(tau_by_hand(test, y[test.index], column))


def test_a_feature_may_be_the_lower_the_better(rankings):
    X, y = rankings
    scores = train_on_campaign(
        X, y, features={"name": "TERComp"}, classifier={"name": "logreg", "C": 1}, progress=False
    ).scores
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
    result = train_on_campaign(
        X, y, features=["bleu", "chrf"], classifier=classifier, normalize=True, progress=False
    )
    model, train, scores = result.model, result.train, result.scores
    assert isinstance(model[0], NormalizeText)
    ours = result.comparison.iloc[0]
    assert ours.tau > 0 and 0.5 < ours.accuracy <= 1
    save_model(model, tmp_path / "model", X=X.iloc[train], y=y.iloc[train], scores=scores)
    test = X.drop(X.index[train])
    found = load_model(tmp_path / "model").decision_function(test)
    assert found.tolist() == model.decision_function(test).tolist()


def test_a_classifier_without_probabilities(rankings):
    X, y = rankings
    classifier = make_pipeline(PairDifference(), RidgeClassifier())
    result = train_on_campaign(X, y, classifier=classifier, recomposition="hard", progress=False)
    assert 0.5 < result.comparison.accuracy.iloc[0] <= 1


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
    result = train_on_campaign(X_both, y_both, segments=lines, **options)
    bleu, train = result.comparison.loc["BLEU"], result.train
    seen = {X_both.index[row][0] for row in train}
    assert seen == {f"{pair}:{label[3:]}" for label in seen for pair in ("de", "cs")}
    test = X_both.index.get_level_values(0).isin(seen)
    X_test, y_test = X_both[~test], y_both[~test]
    one = X_test.index.get_level_values(0).str.startswith("de")
    once = measure_agreement("", X_test[one], y_test[one], sentence_bleu(X_test[one]))
    apart = measure_agreement("", X_test, y_test, sentence_bleu(X_test))
    width = bleu.high - bleu.low
    assert width == pytest.approx(once.high - once.low, rel=0.1)
    assert width > 1.2 * (apart.high - apart.low)
    with pytest.raises(CandidateError, match="segments has 3 entries"):
        train_on_campaign(X_both, y_both, segments=lines[:3], **options)


def test_without_references_there_is_no_bleu(few):
    X, y = few
    result = train_on_campaign(
        X.drop(columns="reference"), y, features="contrastive", held_out=0.5, progress=False
    )
    assert result.comparison["kind"].tolist() == ["new", "feature"]
    assert "bleu_tau" not in result.scores
    assert result.recommendation.sentence.startswith("No ready-made model can be compared with")


@pytest.mark.filterwarnings("ignore::sklearn_mteval.exceptions.SegmentLeakWarning")
def test_training_does_not_depend_on_jobs_and_shows_no_bar_unasked(few, capsys):
    X, y = few
    once, again = (train_on_campaign(X, y, n_jobs=n, progress=False) for n in (1, 2))
    assert once.comparison.equals(again.comparison) and once.scores == again.scores
    assert once.learning_curve.equals(again.learning_curve)
    assert once.model.decision_function(X).tolist() == again.model.decision_function(X).tolist()
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
        ({"recomposition": "firm"}, r"recomposition .*found "),
    ],
)
def test_options_that_are_refused(rankings, options, problem):
    with pytest.raises(ValueError, match=problem):
        train_on_campaign(*rankings, progress=False, **options)


@pytest.mark.slow
def test_robust_training_makes_corruptions_lose_and_holds_out_as_before():
    X, y = load_sample(return_X_y=True)
    options = {"features": ["SurfaceCounts", "chrf"], "progress": False}
    usual = train_on_campaign(X, y, **options)
    robust = train_on_campaign(X, y, robust=True, **options)
    train = usual.train
    assert robust.train.tolist() == train.tolist()
    # Of the judgements alone, and chosen on them.
    for name in ("held_out_pairs", "best_feature", "bleu_tau", "chrf_tau"):
        assert robust.scores[name] == usual.scores[name]
    unseen = np.setdiff1d(np.arange(len(X)), train)
    won = {}
    for name, model in {"usual": usual.model, "robust": robust.model}.items():
        found = challenge(model, X.iloc[unseen], kinds=["doubled", "empty"], metrics=[])
        won[name] = (found.pairs["model_two"] > 0).groupby(level="kind").mean()
    assert (won["usual"] < 0.2).all() and (won["robust"] > 0.7).all()
    with pytest.raises(ValueError, match="robust"):
        train_on_campaign(X, y, robust="yes", **options)


@pytest.mark.slow
def test_joined_segments_are_trained_on_and_nothing_else_changes(monkeypatch):
    X, y = load_sample(return_X_y=True)
    options = {"features": "chrf", "progress": False}
    fitted, tuned, drawn = [], [], []

    def tune(pipeline, grid, X, y, splits, *rest, tuned_by=training._tuned):
        tuned.append(X)
        return tuned_by(pipeline, grid, X, y, splits, *rest)

    def curve(ranker, seen, y, units, *rest, drawn_by=training.agreement.learning_curve):
        fitted.append(seen)
        drawn.append(units)
        return drawn_by(ranker, seen, y, units, *rest)

    monkeypatch.setattr(training, "_tuned", tune)
    monkeypatch.setattr(training.agreement, "learning_curve", curve)
    usual = train_on_campaign(X, y, **options)
    for robust in (False, True):
        joined = train_on_campaign(X, y, joined=True, robust=robust, **options)
        assert joined.train.tolist() == usual.train.tolist()
        for name in ("held_out_pairs", "best_feature", "bleu_tau", "chrf_tau"):
            assert joined.scores[name] == usual.scores[name]
        assert joined.learning_curve.index.equals(usual.learning_curve.index)
        # What several segments are joined of stands in no fold, and is of all their lines.
        is_joined = fitted[-1].index.get_level_values("segment").str.contains("#joined#", na=False)
        assert 0 < is_joined.sum() < 0.5 * len(usual.train)
        assert len(tuned[-1]) == (~is_joined).sum()
        units, labels = drawn[-1], np.unique(X.index.get_level_values("segment")[joined.train])
        for (segment, *_), lines in zip(fitted[-1].index[is_joined], units[is_joined], strict=True):
            first, n = int(segment.partition("#")[0]), len(set(lines))
            at = np.searchsorted(labels, first)
            assert 2 <= n <= 8 and sorted(set(lines)) == list(range(at, at + n))
        assert (units[~is_joined] == units[~is_joined][:, :1]).all()
    with pytest.raises(ValueError, match="joined"):
        train_on_campaign(X, y, joined="yes", **options)


def test_segments_of_one_held_out_unit_are_joined_within_folds():
    X, y = load_sample(return_X_y=True)
    documents = X.index.get_level_values("segment").to_numpy() // 20
    result = train_on_campaign(
        X, y, features="chrf", joined=True, segments=documents, progress=False
    )
    assert result.n_train + result.n_held_out == len(np.unique(documents))
