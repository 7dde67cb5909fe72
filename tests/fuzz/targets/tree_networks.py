"""ReVal, cross-fitted scores and syntactic vectors, with hostile texts, trees, scores, options."""

import warnings

import numpy as np
import pandas as pd
from sklearn.dummy import DummyRegressor

from fuzz import call, check, target
from fuzz.draw import WORDS
from fuzz.targets.trees import grown
from sklearn_mteval.datasets import similarity_from_rankings
from sklearn_mteval.features import CrossFitScore, SyntacticVectors
from sklearn_mteval.neural import ReValRegressor

VECTORS = {
    word.lower(): np.random.default_rng(k).normal(size=4) for k, word in enumerate(WORDS[::2])
}


def pairs_of_texts(draw):
    """Draw a table of texts, now and then with trees of its own, and scores."""
    X = draw.texts().reset_index(drop=True)
    if draw.chance():
        trees = [str(grown(draw)) for _ in range(3)] + ["()"]
        strange = ["", "(", "(A b) (C d)", "x", *WORDS]
        for column in ("hypothesis_tree", "reference_tree"):
            cells = draw.sprinkled([draw.one(trees) for _ in range(len(X))], strange, 0.1)
            X[column] = pd.Series(cells, dtype=object)
    return X, draw.sprinkled(
        [draw.one([1, 2.7, 5, 3]) for _ in range(len(X))], [np.nan, 0, 6, np.inf], 0.3
    )


@target(weight=2)
def tree_networks(draw):
    X, y = pairs_of_texts(draw)
    network = call(
        ReValRegressor,
        encoder=draw.one(["lstm", "tree-lstm"]),
        vectors=VECTORS,
        n_units=draw.one([1, 4]),
        hidden_units=draw.one([1, 3]) if draw.chance(0.9) else draw.one([0, -1, 1.5, "x"]),
        output_gate=draw.chance(),
        max_epochs=draw.one([1, 2]),
        batch_size=draw.one([1, 3, 100]),
        validation_fraction=draw.one([None, 0.3]),
        random_state=0,
    )
    call(network.fit, X, y)
    predicted = call(network.predict, X)
    check(((predicted >= 1) & (predicted <= 5)).all(), "between 1 and n_classes")
    order = draw.rng.permutation(len(X))
    shuffled = call(network.predict, X.iloc[order])
    check((shuffled == predicted[order]).all(), "a prediction is of its row alone")


@target(weight=2)
def similarities(draw):
    rows, index = draw.rankings()
    X = pd.DataFrame({"hypothesis": [f"{row[0]} {row[2]}" for row in rows]}, index=index)
    X["reference"] = "a b"
    ranks = np.array([draw.integer(1, 5) for _ in rows])
    thresholds = draw.one(["computed", "printed", None])
    found = call(similarity_from_rankings, X, ranks, min_judgements=1, thresholds=thresholds)
    mean = pd.Series(6.0 - ranks).groupby(X["hypothesis"].to_numpy()).mean()
    kept = found.X["hypothesis"]
    check(kept.is_unique, "a translation is one row")
    check(np.allclose(found.y, mean[kept].to_numpy()), "6 less the mean rank")
    if thresholds is None:
        check(len(kept) == len(mean), "without thresholds all are kept")


@target(weight=2)
def cross_fitted(draw):
    X = draw.texts(12)
    y = np.arange(len(X), dtype=float)
    scores = call(CrossFitScore, DummyRegressor(), cv=draw.one([None, 2, 3]))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All rows are of one segment")
        made = call(scores.fit_transform, X, y)
    check(made.shape == (len(X), 1) and np.isfinite(made).all(), "a number for each row")
    check(np.allclose(call(scores.transform, X), y.mean()), "the model of all rows")


@target(weight=1)
def syntactic_vectors(draw):
    X, _ = pairs_of_texts(draw)
    encoder = SyntacticVectors(draw.one(["english", "random"]))
    found = call(call(encoder.fit, X).transform, X)
    check(found.shape == (len(X), 50) and np.isfinite(found).all(), "25 numbers for each text")
    order = draw.rng.permutation(len(X))
    check((call(encoder.transform, X.iloc[order]) == found[order]).all(), "rows by themselves")
    if len(X) and draw.chance(0.3):
        trees = [grown(draw) for _ in range(draw.integer(1, 5))]
        own = call(SyntacticVectors, treebank=trees, n_alternatives=0, max_epochs=1)
        made = call(call(own.fit, X).transform, X)
        check(np.isfinite(made).all(), "trained on any trees")
