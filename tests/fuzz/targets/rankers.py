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
from sklearn_mteval.pairwise import GroupRanker, RankRecomposer, kendall_tau_scorer
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS


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
                "log-odds": lambda i, j: 0,
            }[name](i, j) for j in others)  # fmt: skip
        if name == "log-odds":
            for i in group:
                won = [min(max(wins(i, j), 1e-6), 1 - 1e-6) for j in group if j != i]
                strengths[i] = sum(math.log(one / (1 - one)) for one in won) / n
            continue
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
    # Without ties all are one model. At the maximum, as many wins are expected as there are.
    if name in ("bradley-terry", "davidson", "rao-kupper"):
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


class Outcomes(Sane):
    """P(worse), P(tie), P(better) by a rule."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1, 2])
        return self

    def predict_proba(self, X):
        p = super().predict_proba(X)
        tie = np.round((1 + np.sin(5 * np.asarray(X, dtype=float).sum(axis=1))) / 3, 2)
        return np.column_stack([p[:, 0] * (1 - tie), tie, p[:, 1] * (1 - tie)])


@target(weight=3)
def rankers_that_tie(draw):
    """Strengths by loops; no other tiers in the order of strengths have more pairs right."""
    rows, _, table, y = ranked_rows(draw)
    X = features_of(draw, rows, table.index)
    name = draw.one(["hard", "soft", "expected"])
    ranker = RankRecomposer(Outcomes(), recomposition=name, ties="model")
    call(ranker.fit, X, y)  # there may be no tie to learn from
    found, tiers = (
        call(method, X, legal=True) for method in (ranker.decision_function, ranker.predict)
    )
    numbers = X.to_numpy(dtype=float)
    groups = {}
    for k, row in enumerate(rows):
        groups.setdefault(row[:2], []).append(k)
    for group in groups.values():
        p = {
            (i, j): ranker.estimator_.predict_proba([[*numbers[i], *numbers[j]]])[0]
            for i in group for j in group
        }  # fmt: skip

        def right(placed, group=group, p=p):
            sides = ((i, j, 1 + sign(placed[j] - placed[i], 0)) for i in group for j in group)
            return sum(p[i, j][said] for i, j, said in sides if i != j)

        for i in group:
            given = 0.0
            for worse, tie, better in (p[i, j] for j in group if j != i):
                half = better + tie / 2
                won, lost = better > max(tie, worse), worse > max(tie, better)
                given += {
                    "hard": int(won) - int(lost), "expected": half,
                    "soft": half if won else half - 1 if lost else 0,
                }[name]  # fmt: skip
            check(abs(given - found[i]) < 1e-8, name, given, found[i], X)
        own = {k: tiers[k] for k in group}
        check(all(own[i] == 1 + sum(own[j] < own[i] for j in group) for i in group), own)
        order = sorted(group, key=lambda k: -found[k])
        for _ in range(5):
            cut, other, tier = draw.rng.random(len(group)) < draw.rng.random(), {}, 0
            for place, k in enumerate(order):
                apart = place and found[k] != found[order[place - 1]]
                tier = place if apart and cut[place] else tier
                other[k] = tier
            check(right(own) > right(other) - 1e-6, own, other, found)


class Linear(BaseEstimator):
    """A ranker that is given groups."""

    def fit(self, X, y, *, qid, eval_set=None, eval_qid=None):
        parts = [(X, y, qid)]
        if eval_set is not None:
            parts.append((*eval_set[0], eval_qid[0]))
        for table, relevance, groups in parts:
            check(len(table) == len(relevance) == len(groups) > 0, table, relevance, groups)
            check((np.diff(groups) >= 0).all() and relevance.min() == 0, groups, relevance)
        self.weights_ = np.linspace(1, 2, np.shape(X)[1])
        return self

    def predict(self, X):
        return np.nan_to_num(np.asarray(X, dtype=float)) @ self.weights_


@target(weight=3)
def group_rankers(draw):
    rows, ranks, table, y = ranked_rows(draw)
    X = features_of(draw, rows, table.index)
    options = {"n_grades": draw.one([31, 2, 3]), "validation_fraction": draw.one([None, 0.3])}
    X_bad, estimator = X, Linear()
    if draw.chance(0.4):
        name = draw.one(["item_level", "n_grades", "validation_fraction"])
        options[name] = draw.one([None, "ranking", "segment", "x", 0, 0.99, 1.5, 2, [], True])
    elif draw.chance(0.4):
        X_bad = draw.one([X.iloc[::-1], X.to_numpy(), X.droplevel("system"), X * np.inf,
                          X.astype(complex), X.iloc[:0], X.iloc[:, :0],
                          X.assign(a="text")])  # fmt: skip
    elif draw.chance(0.1):
        estimator = draw.one([None, LogisticRegression(), Linear])
    ranker = GroupRanker(estimator, **options)
    call(ranker.fit, X_bad, draw.spoiled(ranks) if draw.chance(0.2) else y)
    found = call(ranker.decision_function, X)
    check(len(found) == len(X) and np.isfinite(found).all(), options, found)
    expected = np.asarray(X, dtype=float) @ ranker.estimator_.weights_
    check(np.allclose(found, expected, atol=1e-6 * max(1, len(X))), found, expected)


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
        lambda: X.T, lambda: "X", lambda: X.iloc[::-1], lambda: X.astype(object).astype("category"),
        lambda: X.rename(columns={X.columns[0]: ("a", 1)}),
        lambda: X.set_axis(pd.MultiIndex.from_arrays([[None,
        *X.index.get_level_values(k)[1:]] for k in range(X.index.nlevels)], names=X.index.names)),
        lambda: X.assign(**{str(X.columns[0]) + "x": [10**400] * len(X)}),
    ])  # fmt: skip
    options = {
        "recomposition": draw.one([*RECOMPOSITIONS]),
        "item_level": draw.one(["system", "system", None, "ranking", "x", 0, "segment"]),
        "ties": draw.one(["drop", "drop", "model"]),
    }
    if draw.chance(0.3):
        name = draw.one(["recomposition", "empty", "item_level", "n_jobs", "estimator", "ties"])
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


def in_blocks(draw, X, y, n_blocks):
    """Deal whole segments to blocks at random."""
    labels = X.index.get_level_values("segment")
    dealt = {label: draw.integer(0, n_blocks - 1) for label in labels.unique()}
    of_row = np.array([dealt[label] for label in labels])
    return [(X[of_row == k], y[of_row == k]) for k in range(n_blocks) if (of_row == k).any()]


@target(weight=3)
def blocks_of_rankers(draw):
    """Any blocks of whole segments give the model of one; what is no such block is refused."""
    rows, _, table, y = ranked_rows(draw)
    X = features_of(draw, rows, table.index)
    if any(dtype.kind not in "fiub" for dtype in X.dtypes):
        X = X.astype(float)
    kind = draw.one(["whole", "whole", "spoiled"])
    options = {"empty": draw.one(["mean", "fifths", "zero"])}
    estimator = draw.one([None, LogisticRegression(C=draw.one([1e-3, 1.0, 1e6]))])
    ranker = RankRecomposer(estimator, **options)
    blocks = in_blocks(draw, X, y, draw.integer(1, 4))
    if kind == "spoiled":
        place = draw.integer(0, len(blocks) - 1)
        one, labels = blocks[place]
        blocks[place] = draw.one([
            lambda: None, lambda: one, lambda: (one,), lambda: (one, labels, labels),
            lambda: (labels, one), lambda: (one.to_numpy(), labels), lambda: (one.iloc[:0], labels),
            lambda: (one.iloc[:0], labels.iloc[:0]), lambda: (one * np.nan, labels),
            lambda: (one * np.inf, labels), lambda: (one.assign(a="text"), labels),
            lambda: (one.astype(object), labels), lambda: (one, labels.iloc[::-1]),
            lambda: (one, draw.spoiled(list(labels))), lambda: (one.droplevel("system"), labels),
            lambda: (one.astype(complex), labels), lambda: (one * 1e150, labels),
            lambda: (one.T, labels), lambda: ("X", "y"), lambda: (one.iloc[:, :0], labels),
        ])()  # fmt: skip
        if draw.chance(0.2):
            blocks = draw.one([None, iter(blocks), 7, "blocks", X, {}, (X, y)])
    elif draw.chance(0.3):
        blocks = blocks + blocks[-1:]  # a segment stands in two blocks
        call(ranker.fit_blocks, blocks)
        check(False, "a segment in two blocks", blocks)
    found = call(ranker.fit_blocks, blocks)  # there may be no pair to learn from
    if kind == "spoiled":
        strengths = call(found.decision_function, X)
        check(len(strengths) == len(X) and np.isfinite(strengths).all(), blocks, strengths)
        return
    again = call(RankRecomposer(estimator, **options).fit_blocks, [(X, y)], legal=True)
    for name in ("empty_", "shared_features_"):
        same = getattr(again, name).tobytes() == getattr(found, name).tobytes()
        check(same, name, getattr(again, name), getattr(found, name), blocks)
    strengths = [call(r.decision_function, X, legal=True) for r in (found, again)]
    check(strengths[0].tobytes() == strengths[1].tobytes(), strengths, blocks)
