"""Classifiers of pairs: antisymmetric, indifferent to the order of rows and columns."""

import numpy as np
from sklearn.exceptions import NotFittedError

from fuzz import call, check, target
from sklearn_mteval.classifiers import KNN, LogReg, NaiveBayes, PairEnsemble
from sklearn_mteval.neural import PairwiseNN


def pair_table(draw, kinds=("ties", "normal", "extreme", "close", "constant", "large")):
    """Draw pairs in both directions and their labels."""
    n, d = draw.integer(1, 8), draw.integer(1, 3)
    first, second = (np.array([draw.numbers(d, kinds) for _ in range(n)]) for _ in range(2))
    X = np.vstack([np.hstack([first, second]), np.hstack([second, first])])
    y = draw.rng.integers(0, 2, size=n)
    return X, np.concatenate([y, 1 - y])


@target(weight=6)
def classifiers(draw):
    X, y = pair_table(draw)
    chosen = draw.one(
        [
            LogReg(),
            LogReg(stepwise=True),
            KNN(n_neighbors=draw.integer(1, 3)),
            KNN(),
            NaiveBayes(span=draw.one([0.2, 0.5, 1.0])),
        ]
    )
    call(chosen.fit, X, y)
    found = call(chosen.predict_proba, X, legal=True)
    check(found.shape == (len(X), 2) and ((found >= 0) & (found <= 1)).all(), chosen, found, X, y)
    check(np.allclose(found.sum(axis=1), 1), found)
    said = call(chosen.predict, X, legal=True)
    check(
        (said == chosen.classes_[found.argmax(axis=1)])[np.abs(found[:, 0] - 0.5) > 1e-9].all(),
        said,
        found,
    )
    order = draw.rng.permutation(len(X))
    again = call(chosen.predict_proba, X[order], legal=True)
    check(np.allclose(again, found[order], atol=1e-9), chosen, again, found[order], X)
    flipped = call(chosen.fit, X, 1 - y, legal=True).predict_proba(X)
    check(
        not np.abs(X).max() < 100
        or isinstance(chosen, KNN | NaiveBayes)
        or np.allclose(flipped[:, ::-1], found, atol=1e-4),
        chosen,
        flipped,
        found,
        X,
        y,
    )


@target(weight=4)
def spoiled_classifiers(draw):
    X, y = pair_table(draw, ["ties", "normal"])
    chosen = draw.one(
        [
            LogReg(),
            KNN(n_neighbors=1),
            NaiveBayes(),
            PairwiseNN(max_epochs=2, hidden_units=2),
            PairEnsemble([("knn", KNN(n_neighbors=1))]),
        ]
    )
    name = draw.one(list(chosen.get_params(deep=False)))
    if draw.chance(0.4):
        chosen.set_params(**{name: draw.option([None])[0]})
    bad_X = draw.one([X * np.nan, X * np.inf, X.astype(str), X[:0], X[:, :0], X[0], X[None],
    X + 1j, None, "x", X.astype(object), X.tolist(), X * 1e308, X[:, :-1],
                      np.full(X.shape, "x"), np.full(X.shape, None), X[:1], X.astype(np.int8),
                      [[10**400] * X.shape[1]] * len(X)])  # fmt: skip
    bad_y = draw.one([y * 0, y.astype(str), y + 0.5, y[:-1], y[None], None, "x", y * np.nan, ["a",
    "b"] * (len(y) // 2), [None] * len(y), y.astype(bool), y - 5,
                      np.arange(len(y)), {0, 1}, y.astype(object), [[1]] * len(y),
                      np.zeros((len(y), 2))])  # fmt: skip
    what = draw.integer(0, 3)
    call(
        chosen.fit, bad_X if what == 0 else X, bad_y if what == 1 else y, also=(FloatingPointError,)
    )
    found = call(chosen.predict_proba, bad_X if what == 2 else X)
    check(np.isfinite(found).all() and found.ndim == 2, chosen, found)
    try:
        type(chosen)().predict(X)
    except NotFittedError:
        return
    check(False, "not fitted", chosen)


@target(weight=2)
def ensembles(draw):
    X, y = pair_table(draw)
    boosting = {"max_iter": 3, "min_samples_leaf": 1, "max_leaf_nodes": draw.integer(2, 5)}
    chosen = PairEnsemble(calibrate=draw.chance(), cv=draw.integer(2, 4)).set_params(
        **{f"boosting__{name}": value for name, value in boosting.items()}
    )
    if draw.chance(0.3):
        chosen.set_params(**{draw.one(["logreg", "boosting"]): draw.one(["drop", KNN()])})
    if draw.chance(0.2):
        chosen.set_params(**{draw.one(["weights", "cv", "estimators"]): draw.option([None])[0]})
    call(chosen.fit, X, y)
    found = call(chosen.predict_proba, X, legal=True)
    n = len(X) // 2
    check(((found >= 0) & (found <= 1)).all() and np.isfinite(found).all(), chosen, found)
    check((found[:n, 1] == found[n:, 0]).all(), "both directions", chosen, found)
    order = draw.rng.permutation(len(X))
    again = call(chosen.predict_proba, X[order], legal=True)
    check(again.tobytes() == found[order].tobytes(), "the same bits", again, found[order])
    turned = call(type(chosen)(**chosen.get_params(deep=False)).fit, X[order], y[order], legal=True)
    check(np.allclose(turned.predict_proba(X), found, atol=1e-9), "another order", X, y)


@target(weight=2)
def networks(draw):
    X, y = pair_table(draw, ["ties", "normal", "extreme", "large"])
    chosen = PairwiseNN(max_epochs=2, hidden_units=draw.integer(1, 3), symmetric=draw.chance(),
    random_state=draw.integer(0, 3),
                        loss=draw.one(["logistic", "ndcg",
                        "tau"]) if draw.chance(0.2) else "logistic", solver=draw.one(["auto",
                        "auto", "torch"]))  # fmt: skip
    call(chosen.fit, X, y, also=(FloatingPointError,))
    found = call(chosen.predict_proba, X, legal=True)
    check(np.isfinite(found).all() and ((found >= 0) & (found <= 1)).all(), chosen, found, X, y)
    again = call(type(chosen)(**chosen.get_params()).fit, X, y, legal=True).predict_proba(X)
    check(again.tobytes() == found.tobytes(), "the same seed", again, found)
    if chosen.symmetric:
        n = len(X) // 2
        check(np.allclose(found[:n, 1], found[n:, 0], atol=1e-6), found)
