"""RankRecomposer and the functions around it, with sane and insane classifiers, against loops."""

import math

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from fuzz import call, check, target
from fuzz.targets.agreement import count, sign, tau
from fuzz.targets.systems import ranked_rows
from sklearn_mteval.pairwise import (
    RECOMPOSITIONS,
    RankRecomposer,
    kendall_tau_scorer,
)


class Sane(ClassifierMixin, BaseEstimator):
    """P(t1 better) by a rule that is neither antisymmetric nor transitive, on a coarse scale."""

    def __init__(self, steps=8):
        self.steps = steps

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):
        X = np.asarray(X, dtype=float)
        first, second = np.split(X, 2, axis=1)
        p = 1 / (1 + np.exp(np.clip((second - first).sum(axis=1) + np.sin(7 * first[:, 0]), -9, 9)))
        p = np.round(p * self.steps) / self.steps
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return (self.predict_proba(X)[:, 1] > 0.5).astype(int)


INSANE = {  # what becomes of right probabilities (n, 2)
    "NaN": lambda p: p * np.nan,
    "one NaN": lambda p: np.where(np.arange(p.size).reshape(p.shape) == 1, np.nan, p),
    "7": lambda p: p + 6.5, "-3": lambda p: p - 3, "inf": lambda p: p + np.inf,
    "three columns": lambda p: p[:, [0, 1, 1]],
    "one column": lambda p: p[:, 1:], "flat": lambda p: p[:, 1], "short": lambda p: p[:-1],
    "long": lambda p: np.vstack([p, p]),
    "strings": lambda p: np.full(p.shape, "x"), "numbers as strings": lambda p: p.astype(str),
    "None": lambda p: None,
    "objects": lambda p: np.full(p.shape, None), "3-D": lambda p: p[None],
    "sparse": lambda p: sparse.csr_matrix(p),
    "list of None": lambda p: [None] * len(p), "scalar": lambda p: 0.5,
    "complex": lambda p: p + 1j, "sums to 2": lambda p: p * 2,
    "dict": lambda p: {}, "generator": lambda p: (row for row in p), "empty": lambda p: p[:0],
    "text": lambda p: "probabilities",
    "transposed": lambda p: p.T, "dates": lambda p: np.zeros(p.shape, dtype="M8[s]"),
}  # fmt: skip
HARMLESS = {
    "float32": lambda p: p.astype(np.float32), "lists": lambda p: p.tolist(),
    "frame": lambda p: pd.DataFrame(p),
    "objects": lambda p: p.astype(object), "as it is": lambda p: p,
    "rounding": lambda p: p + 1e-17, "Fortran": np.asfortranarray,
}  # fmt: skip


class Odd(Sane):
    """Answers that are made odd by a name in the tables above."""

    def __init__(self, odd="as it is", of="predict_proba"):
        self.odd = odd
        self.of = of
        self.steps = 8

    def predict_proba(self, X):
        p = super().predict_proba(X)
        return (
            {**INSANE, **{f"{k}!": v for k, v in HARMLESS.items()}}[self.odd](p)
            if self.of == "predict_proba"
            else p
        )

    def predict(self, X):
        said = (Sane.predict_proba(self, X)[:, 1] > 0.5).astype(int)
        if self.of == "predict_proba":
            return said
        return {"NaN": said * np.nan, "short": said[:-1], "2": said + 2,
        "strings": said.astype(str), "None": None, "2-D": said[:, None] * [1, 1],
                "objects": np.full(len(said), None), "half": said / 2 + 0.25, "scalar": 1,
                "long": np.tile(said, 2), "generator": iter(said)}[self.odd]  # fmt: skip


def features_of(draw, rows, index):
    """Draw a table of numbers for judged rows, the same for one segment and system."""
    d = draw.integer(1, 3)
    values = {}
    for row in rows:
        values.setdefault((row[0], row[2]), draw.numbers(d, ["ties", "normal", "ties"]))
    X = pd.DataFrame(
        [values[row[0], row[2]] for row in rows],
        index=index,
        columns=draw.one([list("abc"), [0, 1, 2]])[:d],
    )
    return X.astype(draw.one([float, np.float32, object])) if draw.chance(0.3) else X


def strengths_by_loops(name, groups, p, decided):
    """Compute strengths from P(row i better than row j) by the definitions."""
    strengths = {}
    for group in groups:
        n = len(group)
        wins = lambda i, j: (p[i, j] + 1 - p[j, i]) / 2  # noqa: E731
        for i in group:
            others = [j for j in group if j != i]
            strengths[i] = math.fsum({
                "hard": lambda i, j: decided[i, j], "expected": lambda i, j: p[i, j],
                "soft": lambda i, j: p[i, j] if decided[i, j] > 0 else p[i, j] - 1,
                "copeland": lambda i, j: sign(p[i, j] - p[j, i], 1e-9), "pagerank": lambda i, j: 0,
            }[name](i, j) for j in others)  # fmt: skip
        if name == "pagerank" and n > 1:
            walk = dict.fromkeys(group, 1 / n)
            for _ in range(400):
                walk = {i: 0.15 / n + 0.85 * (sum(walk[j] * wins(i, j) for j in group if j != i)
                                              + walk[i] * sum(1 - wins(j,
                                              i) for j in group if j != i)) / (n - 1)
                        for i in group}  # fmt: skip
            strengths.update(walk)
    return [strengths[k] for k in range(len(strengths))]


@target(weight=6)
def recompositions(draw):
    rows, ranks, table, y = ranked_rows(draw)
    X = features_of(draw, rows, table.index)
    name = draw.one([name for name in RECOMPOSITIONS if name != "absolute"])
    ranker = RankRecomposer(Sane(draw.one([2, 4, 8, 1000])), recomposition=name)
    call(ranker.fit, X, y)  # there may be no pair to learn from
    found = call(ranker.decision_function, X, legal=True)
    numbers = X.to_numpy(dtype=float)
    groups = {}
    for k, row in enumerate(rows):
        groups.setdefault(row[:2], []).append(k)
    p, decided = {}, {}
    for group in groups.values():
        for i in group:
            for j in group:
                p[i, j] = float(ranker.estimator_.predict_proba([[*numbers[i], *numbers[j]]])[0, 1])
                decided[i, j] = 1 if p[i, j] > 0.5 else -1
    if name == "bradley-terry":  # at the maximum, as many wins are expected as there are
        clipped = {key: min(max(probability, 1e-6), 1 - 1e-6) for key, probability in p.items()}
        for members in groups.values():
            check(abs(sum(found[members])) < 1e-6, found, members)
            for i in members:
                others = [j for j in members if j != i]
                won = sum(clipped[i, j] + 1 - clipped[j, i] for j in others) / 2
                expected = sum(1 / (1 + math.exp(found[j] - found[i])) for j in others)
                check(abs(won - expected) < 1e-8, found, p)
    else:
        expected = strengths_by_loops(name, groups.values(), p, decided)
        check(np.allclose(found, expected, atol=1e-9), name, found, expected, X)
    predicted = call(ranker.predict, X, legal=True)
    stronger = [1 + sum(found[j] > found[k] for j in groups[row[:2]]) for k, row in enumerate(rows)]
    check(predicted.tolist() == stronger, predicted, stronger, found)
    order = draw.rng.permutation(len(rows))
    again = call(
        ranker.fit(X.iloc[order], y.iloc[order]).decision_function, X.iloc[order], legal=True
    )
    check(again.tobytes() == found[order].tobytes(), "order", again, found[order], X)
    compared = call(ranker.compare, X, legal=True)
    check(sorted(compared["probability"]) == sorted(p[i, j] for i, j in p if i != j), compared, p)
    score = call(ranker.score, X, y, legal=True)
    counts = [
        sum(c)
        for c in zip(
            *(count([(ranks[k], found[k]) for k in g]) for g in groups.values()), strict=True
        )
    ]
    check(abs(score - tau("wmt12", counts, [])) < 1e-12, score, counts)
    check(call(kendall_tau_scorer, ranker, X, y, legal=True) == score, score)


@target(weight=6)
def insane_classifiers(draw):
    """Answers that are no probabilities, or no classes, must be refused, not ranked."""
    rows, _, table, _ = ranked_rows(draw)
    X = features_of(draw, rows, table.index)
    y = np.arange(len(X)) + 1.0
    n_pairs = 2 * sum(a[:2] == b[:2] for k, a in enumerate(rows) for b in rows[:k])
    if not n_pairs:
        return
    name = draw.one(list(RECOMPOSITIONS))
    if draw.chance(0.6):
        odd, of = draw.one([*INSANE, *(f"{k}!" for k in HARMLESS)]), "predict_proba"
    else:
        odd, of = (
            draw.one(
                [
                    "NaN",
                    "short",
                    "2",
                    "strings",
                    "None",
                    "2-D",
                    "objects",
                    "half",
                    "scalar",
                    "long",
                    "generator",
                ]
            ),
            "predict",
        )
    ranker = RankRecomposer(Odd(odd, of), recomposition=name)
    if odd == "transposed" and n_pairs == 2:
        return  # nobody can tell
    call(ranker.fit, X, y)
    asked = "predict_proba" if name not in ("hard",) else "predict"
    matters = of == asked or (name == "soft" and of == "predict")
    found = call(draw.one([ranker.decision_function, ranker.predict]), X)
    check(not matters or odd.endswith("!"), name, odd, of, found)


@target(weight=6)
def spoiled_rankers(draw):
    rows, ranks, table, y = ranked_rows(draw)
    X = features_of(draw, rows, table.index)
    X_bad = draw.one([
        lambda: X.to_numpy(), lambda: X.reset_index(drop=True), lambda: X.iloc[:0],
        lambda: X.iloc[[0] * len(X)], lambda: X * np.inf,
        lambda: X.astype(float) * np.nan, lambda: sparse.csr_matrix(X.to_numpy(dtype=float)),
        lambda: X.assign(a="text"), lambda: X.iloc[:, :0],
        lambda: X.astype(object).assign(a=[object()] * len(X)), lambda: pd.concat([X, X], axis=1),
        lambda: X.astype(complex), lambda: None,
        lambda: X.to_numpy().tolist(), lambda: X.set_axis(X.index.rename("x", level=0)),
        lambda: X.droplevel("system"), lambda: X.iloc[:, 0],
        lambda: X.assign(a=pd.Timestamp("2020")), lambda: X.assign(a=[[1]] * len(X)),
        lambda: X.assign(a=1e308), lambda: X.astype("Float64").mask(X > 0),
        lambda: X.T, lambda: "X", lambda: X.iloc[::-1], lambda: X.astype("category"),
        lambda: X.rename(columns={X.columns[0]: ("a", 1)}),
        lambda: X.set_axis(pd.MultiIndex.from_arrays([[None,
        *X.index.get_level_values(k)[1:]] for k in range(X.index.nlevels)], names=X.index.names)),
        lambda: X.assign(**{str(X.columns[0]) + "x": [10**400] * len(X)}),
    ])  # fmt: skip
    options = {
        "recomposition": draw.one([*RECOMPOSITIONS]),
        "item_level": draw.one(["system", "system", None, "ranking", "x", 0, "segment"]),
    }
    if draw.chance(0.3):
        name = draw.one(["recomposition", "empty", "item_level", "n_jobs", "estimator"])
        options[name] = draw.one([None, "x", 1.5, [], {}, object(), int, lambda p: "x",
        lambda p: p, lambda p: [["a"] * len(p)], lambda p: p[0] * np.nan,
                                  lambda p: ["1"] * len(p), np.nan, True, -1, 10**9,
                                  LogisticRegression, DecisionTreeClassifier()])  # fmt: skip
    options = {
        "estimator": draw.one([None, Sane(), DecisionTreeClassifier(random_state=0)]),
        **options,
    }
    ranker = RankRecomposer(**options)
    y_bad = draw.spoiled(ranks) if draw.chance(0.3) else y
    X_fit, X_new = (
        draw.one([(X, X_bad), (X_bad, X), (lambda: X, lambda: X)])
        if draw.chance()
        else (lambda: X, lambda: X)
    )
    X_fit, X_new = (x() if callable(x) else x for x in (X_fit, X_new))
    call(ranker.fit, X_fit, y_bad)
    found = call(ranker.decision_function, X_new)
    check(len(found) == len(X_new) and np.isfinite(found).all(), options, X_new, found)
