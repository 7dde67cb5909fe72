"""Marked errors and error-free translations, against a search of all matchings and plain loops."""

import itertools
import math

import numpy as np

from fuzz import call, check, target
from sklearn_mteval import metrics

STRANGE = [
    None,
    True,
    1.5,
    "3",
    -1,
    10**30,
    math.nan,
    [],
    (1,),
    {"start": 0},
    "",
    (0, 1, 2, 3, 4, 5),
]
LABELS = ["minor", "major", ""]


def spans(draw, most=4):
    """Draw the errors of a translation, seldom one that is none."""
    found = []
    for _ in range(draw.integer(0, most)):
        start = draw.integer(0, 6)
        end = start + draw.one([1, 2, 3, 5, 0])
        found.append((start, end, draw.one(LABELS[: 2 if draw.chance(0.7) else 3])))
    if found and draw.chance(0.03):
        found[0] = draw.one([*STRANGE, (0, draw.one(STRANGE), "minor"), (3, 1, "major")])
    return found


def is_legal(cell, credit):
    return all(
        isinstance(s, tuple) and len(s) == 3 and all(type(x) is int for x in s[:2])
        and 0 <= s[0] <= s[1] and isinstance(s[2], str) and (s[2] or credit == 1)
        for s in cell
    )  # fmt: skip


def shared(one, other, credit):
    """Characters that two errors share, times what their severities leave; omissions have one."""
    a, b = ({-1} if s[0] == s[1] else set(range(s[0], s[1])) for s in (one, other))
    return len(a & b) * (1 if one[2] == other[2] else credit), len(a), len(b)


def f_score(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def best_f(true, predicted, credit):
    """The highest F of all one-to-one matchings."""
    if not true or not predicted:
        return float(not true and not predicted)
    short, long = sorted((true, predicted), key=len)
    best = 0.0
    for chosen in itertools.permutations(long, len(short)):
        sums = [0.0, 0.0]
        for one, other in zip(short, chosen, strict=True):
            common, n_one, n_other = shared(one, other, credit)
            sums[0] += common / n_one
            sums[1] += common / n_other
        best = max(best, f_score(sums[0] / len(short), sums[1] / len(long)))
    return best


@target(weight=3)
def span_agreement(draw):
    n = draw.integer(0, 4)
    true, predicted = ([spans(draw) for _ in range(n)] for _ in range(2))
    if draw.chance(0.03):
        true = draw.one([*STRANGE, [*true, []]])
    credit = draw.one([1.0, 1.0, 0.5, 0])
    options = {"measure": draw.one(["mpp", "mpp", "characters"])}
    options |= {"average": draw.one(["micro", "macro"]), "severity_credit": credit}
    legal = isinstance(true, list) and len(true) == n and n > 0
    legal = legal and all(is_legal(cell, credit) for cell in true + predicted)
    found = call(metrics.span_agreement, true, predicted, **options, legal=legal)
    values = found["value"]
    check(values.between(0, 1).all() or (n == 0 and options["average"] == "macro"), found)
    if not legal:
        return
    turned = call(metrics.span_agreement, predicted, true, **options, legal=True)["value"]
    check(math.isclose(values["f_score"], turned["f_score"], abs_tol=1e-12), values, turned)
    order = draw.rng.permutation(n)
    again = [[cells[k][::-1] for k in order] for cells in (true, predicted)]
    again = call(metrics.span_agreement, *again, **options, legal=True)
    check(found.equals(again), found, again, true, predicted)
    if options["measure"] == "mpp" and options["average"] == "macro":
        each = [best_f(t, p, credit) for t, p in zip(true, predicted, strict=True)]
        check(math.isclose(values["f_score"], np.mean(each), abs_tol=1e-9), values, each, true)


@target(weight=2)
def error_free(draw):
    n = draw.integer(0, 30)
    labels = np.array([draw.chance() for _ in range(n)], dtype=bool)
    scores = draw.numbers(n, ["ties", "normal", "extreme"])
    if n and draw.chance(0.05):
        scores = draw.sprinkled(scores, [math.nan, math.inf], 0.5)
    groups = draw.codes(n)
    n_folds = draw.one([2, 2, 3, 5, 1, None])
    options = {"n_folds": n_folds, "calibration": draw.one(["isotonic", "logistic"])}
    options |= {"precision": draw.one([0.5, 0.9, 0.01]), "n_resamples": 3}
    legal = all(map(math.isfinite, scores)) and 0 < labels.sum() < n
    legal = bool(legal and n_folds in (2, 3, 5) and len(set(groups)) >= n_folds)
    found = call(
        metrics.error_free_detection, labels, scores, groups=groups, **options, legal=legal
    )
    check(legal, labels, scores, groups, options)
    value = found.table["value"]
    check(value.drop("precision").between(0, 1).all(), found.table)
    check(((found.probabilities >= 0) & (found.probabilities <= 1)).all(), found.probabilities)
    brier = np.mean((found.probabilities - labels) ** 2)
    check(math.isclose(value["brier"], brier, abs_tol=1e-9), value, brier)
    right = (labels & found.accepted).sum()
    check(math.isclose(value["recall"], right / labels.sum()), value, found.accepted)
    accepted = [s >= found.threshold for s in scores]
    if any(accepted):
        kept = labels[np.array(accepted)]
        check(len(kept) >= 20 and kept.mean() >= options["precision"], found.threshold, kept)
    order = draw.rng.permutation(n)
    again = call(
        metrics.error_free_detection, labels[order], np.array(scores)[order],
        groups=[f"g{-groups[k]}" for k in order], **options, legal=True,
    )  # fmt: skip
    check(found.table.equals(again.table), found.table, again.table)
    # Of groups with equal rows either may be held out first.
    rows = np.array(scores)
    parts = [
        sorted(zip(rows[of], labels[of], one.probabilities, strict=True))
        for one, of in ((found, np.arange(n)), (again, order))
    ]
    check(parts[0] == parts[1], found, again)
