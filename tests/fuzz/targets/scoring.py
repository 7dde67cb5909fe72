"""Ranks and scores of hostile texts: copies change nothing, scores need no competitors."""

import pickle
from functools import cache

import numpy as np
import pandas as pd
from sklearn.svm import LinearSVC

from fuzz import call, check, target
from fuzz.draw import is_utf8
from sklearn_mteval import PairDifference
from sklearn_mteval.datasets import load_sample, load_scores, suspicious_texts
from sklearn_mteval.models import (
    bleu_pipeline,
    rank_candidates,
    rank_systems,
    score_candidates,
    score_systems,
)
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS
from sklearn_mteval.report.formats import write
from sklearn_mteval.report.scores import as_scores
from sklearn_mteval.segments import blank_everywhere


@cache
def trained(recomposition):
    """Train a model once a process; None: one without probabilities."""
    X, y = load_sample(return_X_y=True)
    model = bleu_pipeline(recomposition or "hard")
    if recomposition is None:
        steps = model.named_steps["rank"].estimator.steps
        steps[:] = [("difference", PairDifference()), ("svc", LinearSVC())]
    return pickle.loads(pickle.dumps(model.fit(X.iloc[:100], y.iloc[:100])))


@target(weight=2)
def copies_and_competitors(draw):
    X = draw.texts()
    if not is_utf8([label for row in X.index for label in row]):
        return  # pandas itself refuses such an index, where it uses pyarrow
    recomposition = draw.one([*RECOMPOSITIONS, None])
    model = trained(recomposition)
    ranked = call(rank_candidates, model, X, legal=True)
    levels = X.index.names
    alone = X.reset_index().groupby([n for n in levels if n != "system"])["hypothesis"].nunique()
    scores = call(score_candidates, model, X, legal=recomposition is not None or (alone > 1).any())
    blank = blank_everywhere(X)
    check(scores.equals(ranked["score"]) and scores[~blank].between(-1, 1).all(), ranked, scores)
    if blank.all():
        return
    copied = draw.one(X.index.get_level_values("system"))
    name = draw.one([n for n in ("twin", 99, -0.5) if n not in X.index.unique("system")])
    twin = X.xs(copied, level="system", drop_level=False).reset_index()
    twin["system"] = pd.Series([name] * len(twin), dtype=object)
    both = pd.concat([X.reset_index().astype({"system": object}), twin]).set_index(levels)
    again = call(rank_candidates, model, both, legal=True)
    equal = np.array_equal(again.iloc[: len(X)].to_numpy(), ranked.to_numpy(), equal_nan=True)
    check(equal, X, copied, again, ranked)
    systems = call(rank_systems, ranked, legal=True), call(rank_systems, again, legal=True)
    check(len(systems[1]) == len(systems[0]) + 1, systems)
    if recomposition is not None:
        row = draw.integer(0, len(X) - 1)
        one = call(score_candidates, model, X.iloc[[row]], legal=True)
        if one.isna().all():  # of a text that is blank as all it is compared with
            return
        check(np.isclose(one.iloc[0], scores.iloc[row], rtol=1e-9, atol=1e-9), one, scores)


@target(weight=1)
def suspicions(draw):
    """What is said of texts does not depend on the order of rows, and can be printed."""
    X = draw.texts()
    if not is_utf8([label for row in X.index for label in row]):
        return
    found = call(suspicious_texts, X, legal=True)
    check(all(isinstance(text, str) and text.isprintable() for text in found), found)
    order = draw.rng.permutation(len(X))
    check(call(suspicious_texts, X.iloc[order], legal=True) == found, X, order, found)


@target(weight=2)
def scores_of_systems(draw):
    """A mean by hand, and lines that are read back."""
    n, names = draw.integer(1, 5), [f"s{k}" for k in range(draw.integer(1, 3))]
    index = pd.MultiIndex.from_product([range(1, n + 1), names], names=["segment", "system"])
    scores = pd.Series(draw.numbers(len(index)), index=index)
    options = {"n_resamples": draw.integer(1, 20), "random_state": draw.integer(0, 9)}
    found = call(score_systems, scores, legal=True, **options)
    for name in names:
        column = scores.xs(name, level="system").to_numpy()
        scale = np.abs(column).max() * 1e-12 + 1e-320
        check(
            np.isclose(found.loc[name, "score"], (column / n).sum(), rtol=1e-12, atol=scale), found
        )
        low, high = found.loc[name, ["low", "high"]]
        check(np.isnan(low) if n == 1 else column.min() - scale <= low <= high, found, scores)
    absent = scores.mask([draw.chance(0.2) for _ in index])
    path = draw.folder / "m.seg.score"
    form = draw.one(["seg", "tsv"])
    path.write_text(call(write, as_scores(absent), form, "scores", legal=True))
    again = call(load_scores, path, names, n, legal=True).iloc[:, 0].reindex(index)
    check(again.equals(absent + 0.0), absent, again)
