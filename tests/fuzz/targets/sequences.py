"""Estimators in drawn sequences of fits, failures, interrupts, copies and saving."""

import pickle
import sys
import warnings
from contextlib import contextmanager
from inspect import CO_GENERATOR

import numpy as np
import pandas as pd
from joblib.externals.loky import get_reusable_executor
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from fuzz import Judged, call, check, target
from fuzz.judge import GOOD
from fuzz.targets.classifiers import pair_table
from fuzz.targets.rankers import features_of
from fuzz.targets.transformers import transformer
from sklearn_mteval import BLEUComp, load_model, make_ranking_pipeline, save_model
from sklearn_mteval.classifiers import KNN, LogReg, NaiveBayes, PairEnsemble, TiedPairClassifier
from sklearn_mteval.kernels import PreferenceKernelSVC
from sklearn_mteval.neural import PairwiseNN, ReValRegressor
from sklearn_mteval.pairwise import RankRecomposer
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS

LETTERS = {letter: np.eye(6)[k] for k, letter in enumerate("abcdef")}
STEPS = [
    "refit", "refit", "failure", "failure", "interrupt", "interrupt", "clone", "pickle", "save",
    "question",
]  # fmt: skip
MOST_CALLS = 400  # of the package's functions in a fit, before which it is interrupted


def pairs(draw):
    """Draw a table of pairs and labels, always of two features."""
    X, y = pair_table(draw, ["ties", "normal"])
    X = np.tile(X, 4)[:, :4]
    return X, y if len(set(y)) == 2 else np.arange(len(y)) % 2


def ranked(draw):
    """Draw ranked rows of two features."""
    rows, index = draw.rankings(tasks=draw.chance(0.3))
    X = features_of(draw, rows, index).astype(float)
    X = pd.DataFrame(np.tile(X, 2)[:, :2], index=index, columns=["a", "b"])
    return X, pd.Series(draw.numbers(len(rows), ["ranks"]), index=index)


def texts(draw):
    """Draw texts and ranks of them."""
    X = draw.texts()
    return X, pd.Series(draw.numbers(len(X), ["ranks"]), index=X.index)


def network(draw, **options):
    """Draw a small network."""
    options |= {"solver": draw.one(["auto", "auto", "torch"])} if not options else {}
    return PairwiseNN(
        max_epochs=draw.integer(1, 2),
        hidden_units=draw.integer(1, 3),
        symmetric=draw.chance(),
        random_state=draw.integer(0, 3),
        **options,
    )


def pair_classifier(draw):
    """Draw a classifier of pairs."""
    small = {"boosting__max_iter": 2, "boosting__min_samples_leaf": 1}
    makers = [
        LogReg, lambda: LogReg(stepwise=True), lambda: KNN(n_neighbors=draw.integer(1, 3)),
        NaiveBayes, lambda: PairEnsemble(cv=2, calibrate=False).set_params(**small),
        lambda: PreferenceKernelSVC(calibration_folds=None), lambda: network(draw),
        TiedPairClassifier,
    ]  # fmt: skip
    return draw.one(makers)()


def ranker(draw):
    """Draw what ranks rows of numbers."""
    learner = pair_classifier(draw) if draw.chance(0.8) else None
    while isinstance(learner, TiedPairClassifier):
        learner = pair_classifier(draw)
    name = draw.one(list(RECOMPOSITIONS))
    chosen = RankRecomposer(learner, recomposition=name)
    return draw.one([chosen, make_ranking_pipeline(StandardScaler(), chosen)])


def of_texts(draw):
    """Draw a transformer of texts, or what learns from them."""
    makers = [
        lambda: transformer(draw), lambda: transformer(draw), lambda: transformer(draw),
        lambda: make_ranking_pipeline(BLEUComp(), RankRecomposer(KNN(n_neighbors=1))),
        lambda: ReValRegressor(encoder=draw.one(["lstm", "tree-lstm"]), vectors=LETTERS, n_units=2,
                               max_epochs=1, random_state=draw.integer(0, 3)),
    ]  # fmt: skip
    return draw.one(makers)()


KINDS = {pairs: pair_classifier, ranked: ranker, texts: of_texts}


def answers(estimator, X):
    """Ask everything that an estimator says of a table; return the bytes of it by method."""
    found = {}
    for name in ("transform", "decision_function", "predict_proba", "predict"):
        if hasattr(estimator, name):
            found[name] = np.asarray(getattr(estimator, name)(X)).tobytes()
    return found


@contextmanager
def interrupted(n_calls):
    """Raise KeyboardInterrupt, as Ctrl-C does, in a call of one of the package's functions."""
    left = n_calls

    def count(frame, event, _):
        nonlocal left
        ours = str(frame.f_globals.get("__name__")).startswith("sklearn_mteval.")
        # A generator that is thrown away is called once more, and no error reaches its caller.
        if event == "call" and ours and not frame.f_code.co_flags & CO_GENERATOR:
            left -= 1
            if left == 0:
                raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)


def went(function, *args, **options):
    """Call the package; tell whether it went well. A bare error ends the case."""
    try:
        call(function, *args, also=(FloatingPointError,), **options)
    except Judged as end:
        if end.judgement.verdict not in GOOD:
            raise
        return False
    return True


def fit(estimator, X, y, n_calls=None):
    """Fit, perhaps up to an interrupt; tell whether it went well, and whether to its end."""
    if n_calls is None:
        return went(estimator.fit, X, y), True
    try:
        with warnings.catch_warnings(record=True) as said, interrupted(n_calls):
            warnings.simplefilter("always")
            estimator.fit(X, y)
    except (KeyboardInterrupt, Exception):  # of data, before it came to that
        return False, False
    # A network whose training is interrupted after an epoch keeps the best one.
    return True, not any("interrupted" in str(warning.message) for warning in said)


def spoiled(draw, X, y):
    """Spoil data so that a fit should fail."""
    n = len(X)
    y = range(n) if y is None else y
    if isinstance(X, pd.DataFrame) and "hypothesis" in X:
        X = draw.one([draw.spoiled_texts(X), X])
    else:
        values = np.asarray(X)
        X = draw.one([
            X, values * np.nan, values[:, :-1], values[:0], None, "x", values.astype(str) + "x",
            values + 1j, values[None], np.where(np.arange(values.size).reshape(values.shape) == 1,
            np.inf, values),
        ])  # fmt: skip
    return X, draw.one([
        y, y[:-1], np.full(n, np.nan), None, "x", np.arange(n) * 1j, ["x"] * n, [[1, 2]] * n,
    ])  # fmt: skip


def has_jobs(estimator):
    """Name the parameters that say how many processes there are."""
    return [name for name in estimator.get_params() if name.split("__")[-1] == "n_jobs"]


@target(weight=2)
def sequences(draw):
    data = draw.one(list(KINDS))
    estimator = KINDS[data](draw)
    X, y = data(draw)
    call(estimator.fit, X, y, also=(FloatingPointError,))
    said = call(answers, estimator, X)
    done = []
    for _ in range(draw.integer(2, 6)):
        step = draw.one(STEPS)
        done.append(step)
        match step:
            case "refit" | "failure" | "interrupt":
                new_X, new_y = data(draw)
                if step == "failure":
                    new_X, new_y = spoiled(draw, new_X, new_y)
                n_calls = draw.integer(1, MOST_CALLS) if step == "interrupt" else None
                well, whole = fit(estimator, new_X, new_y, n_calls)
                if well:
                    fresh = clone(estimator) if whole else estimator
                    if whole and draw.chance(0.02):
                        get_reusable_executor().shutdown()  # its folder was an earlier case's
                        fresh.set_params(**dict.fromkeys(has_jobs(fresh), 2))
                        done.append("two jobs")
                    X, y = new_X, new_y
                    if whole:
                        call(fresh.fit, X, y, legal=True)
                    said = call(answers, fresh, X)
            case "clone":
                copy = clone(estimator)
                check(repr(copy) == repr(estimator), "parameters", done, copy, estimator)
                estimator = copy
                call(estimator.fit, X, y, legal=True)
            case "pickle":
                estimator = pickle.loads(call(pickle.dumps, estimator, legal=True))
            case "save":
                trusted = ["fuzz.targets.transformers.characters"]
                if went(save_model, estimator, draw.folder / "model", trusted=trusted):
                    estimator = call(load_model, draw.folder / "model", trusted=trusted, legal=True)
            case "question":
                went(answers, estimator, spoiled(draw, X, y)[0])
        now = call(answers, estimator, X, legal=True)
        for name, expected in said.items():
            check(now[name] == expected, name, done, estimator, X, y)
