"""Statistics of agreement at segment level, against loops, exact fractions and properties."""

import math
from fractions import Fraction
from itertools import combinations, pairwise, permutations

import numpy as np

from fuzz import call, check, target
from sklearn_mteval import metrics
from sklearn_mteval.metrics.core.statistics import STATISTICS, tau_names

TAUS = tau_names()


def judged_rows(draw, kinds=("ties", "ranks", "normal", "extreme"), most=9, infinite=True):
    """Draw ranks, scores (some NaN or infinite), group codes, and what a function is given."""
    n = draw.size(most)
    human, metric = draw.numbers(n, kinds), draw.numbers(n)
    if infinite:
        metric = draw.sprinkled(metric, [math.nan, math.inf, -math.inf])
    codes = draw.codes(n)
    given = draw.vector(human), draw.vector(metric), draw.labels(codes)
    indexed = [part for part in given if hasattr(part, "index") and hasattr(part, "iloc")]
    for part in indexed[1:]:
        part.index = indexed[0].index
    return human, metric, codes, given


def kept(human, metric, codes):
    """Return the groups' rows without NaN, by group."""
    groups = {}
    for h, m, c in zip(human, metric, codes, strict=True):
        groups.setdefault(c, [])
        if m == m:
            groups[c].append((h, m))
    return list(groups.values())


def sign(difference, tolerance=0.0):
    """Tell the direction; NaN, of two infinities, has none."""
    return int(difference > tolerance) - int(difference < -tolerance)


def count(rows, threshold=0.0, epsilon=0.0):
    """Count the five kinds of pairs in a double loop."""
    counts = [0] * 5
    for (h1, m1), (h2, m2) in combinations(rows, 2):
        h = sign(h1 - h2) if abs(h1 - h2) >= threshold else 0
        with np.errstate(all="ignore"):
            m = sign(m2 - m1, epsilon)
        kind = (0 if h == m else 1) if h and m else 2 if h else 3 if m else 4
        counts[kind] += 1
    return counts


def tau(name, counts, rows):
    """Compute a variant of tau from counts, by the table of docs/glossary.md."""
    c, d, tm, th, tb = counts
    bottom = {"wmt12": c + d + tm, "wmt13": c + d, "wmt14": c + d + tm, "darr": c + d + tm,
              "eq": sum(counts), "tau-a": sum(counts), "somers-d": c + d + th,
              "acc_eq": sum(counts),
              "tau-b": math.sqrt((c + d + tm) * (c + d + th))}  # fmt: skip
    top = {"wmt12": c - d - tm, "darr": c - d - tm, "eq": c + tb - d - tm - th, "acc_eq": c + tb}
    if name == "tau-c":
        m = min(len({h for h, _ in rows}), len({s for _, s in rows}))
        scale = len(rows) ** 2 * (m - 1) / m / 2 if m > 1 else 0
        return (c - d) / scale if scale else math.nan
    return top.get(name, c - d) / bottom[name] if bottom[name] else math.nan


def mean(values):
    """Average what is defined."""
    values = [value for value in values if value == value]
    return math.fsum(values) / len(values) if values else math.nan


def same(found, expected, tolerance=1e-12):
    """Compare numbers; NaN equals NaN."""
    if expected != expected:
        return bool(found != found)
    return bool(abs(found - expected) <= tolerance)


@target(weight=9)
def kendall(draw):
    human, metric, codes, given = judged_rows(draw)
    name, average = draw.one(TAUS), draw.one(["pairs", "groups"])
    missing = draw.one(["error", "skip", "skip"])
    threshold = draw.one([25.0, 1, 2.0, 0, 1e308])
    groups = kept(human, metric, codes)
    legal = missing == "skip" or not any(m != m for m in metric)
    legal &= name != "tau-c" or average == "groups" or sum(map(bool, groups)) < 2
    limit = threshold if name == "darr" else 0
    y, s, g = given
    options = {"groups": g, "statistic": name, "threshold": threshold, "missing": missing}
    found = call(metrics.kendall_tau, y, s, average=average, legal=legal, **options)
    check(legal or name == "tau-c", "a missing score was not refused", given)
    counts = [count(rows, limit) for rows in groups]
    pooled = [sum(column) for column in zip(*counts, strict=True)] or [0] * 5
    if average == "groups" or name == "tau-c":
        expected = mean(tau(name, c, rows) for c, rows in zip(counts, groups, strict=True))
    else:
        expected = tau(name, pooled, [])
    check(same(found, expected), found, expected, options, average, human, metric, codes)
    found = call(metrics.kendall_tau_counts, y, s, **options, legal=True)
    check(list(found) == pooled, found, pooled, options, human, metric, codes)


@target(weight=9)
def accuracy_with_ties(draw):
    human, metric, codes, (y, s, g) = judged_rows(draw)
    epsilon, average = (
        draw.one([0.0, 1, 0.5, 1e308, 5e-324, math.inf]),
        draw.one(["pairs", "groups"]),
    )
    options = {"groups": g, "average": average, "missing": "skip"}
    groups = kept(human, metric, codes)

    def accuracy(threshold):
        counts = [count(rows, epsilon=threshold) for rows in groups]
        if average == "pairs":
            counts = [[sum(column) for column in zip(*counts, strict=True)] or [0] * 5]
        return mean(tau("acc_eq", c, []) for c in counts)

    found = call(metrics.pairwise_accuracy, y, s, epsilon=epsilon, **options, legal=True)
    check(same(found, accuracy(epsilon)), found, accuracy(epsilon), human, metric, codes, epsilon)
    if len(human) > 12:
        return
    best = call(metrics.calibrate_ties, y, s, **options, legal=True)
    differences = {abs(a[1] - b[1]) for rows in groups for a, b in combinations(rows, 2)}
    candidates = sorted(d for d in {0.0, *differences} if d < math.inf)
    accuracies = [accuracy(d) for d in candidates]
    if accuracies[0] != accuracies[0]:
        check(best.epsilon != best.epsilon and not len(best.epsilons), best)
        return
    first = next(
        d for d, a in zip(candidates, accuracies, strict=True) if a >= max(accuracies) - 1e-12
    )
    check(best.epsilon == first, best, first, human, metric, codes)
    check(same(best.accuracy, max(accuracies)), best, accuracies)
    check(
        all(same(a, accuracy(e)) for e, a in zip(best.epsilons, best.accuracies, strict=True)), best
    )


def exact_correlation(x, y):
    """Correlate by exact fractions; NaN where either is constant."""
    x, y = [[Fraction(v) for v in values] for values in (x, y)]
    mx, my = (sum(v) / max(len(v), 1) for v in (x, y))
    xx, yy = sum((v - mx) ** 2 for v in x), sum((v - my) ** 2 for v in y)
    if not xx or not yy:
        return math.nan
    xy = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return math.sqrt(xy**2 / (xx * yy)) * (1 if xy > 0 else -1)


def midranks(values):
    """Rank by counting."""
    return [sum(w < v for w in values) + (sum(w == v for w in values) + 1) / 2 for v in values]


@target(weight=10)
def correlation(draw):
    human, metric, codes, (y, s, g) = judged_rows(draw)
    whole = draw.chance(0.3)
    groups = kept(human, metric, [0] * len(human) if whole else codes)
    g = None if whole else g
    ranked = [([-h for h, _ in rows], [m for _, m in rows]) for rows in groups]
    expected = mean(exact_correlation(midranks(h), midranks(m)) for h, m in ranked)
    found = call(metrics.spearman, y, s, groups=g, missing="skip", legal=True)
    check(same(found, expected, 1e-9), found, expected, human, metric, codes)
    finite = not any(math.isinf(m) for m in metric)
    found = call(metrics.pearson, y, s, groups=g, missing="skip", legal=finite)
    expected = mean(exact_correlation(h, m) for h, m in ranked)
    check(same(found, expected, 1e-6), found, expected, human, metric, codes)
    pairs = [pair for rows in groups for pair in permutations(rows, 2)]
    options = {"groups": g, "average": "pairs", "missing": "skip"}
    found = call(metrics.pearson, y, s, **options, legal=finite)
    expected = exact_correlation(
        [Fraction(b[0]) - Fraction(a[0]) for a, b in pairs],
        [Fraction(a[1]) - Fraction(b[1]) for a, b in pairs],
    )
    check(same(found, expected, 1e-6), found, expected, human, metric, codes)


def quality(name, order):
    """Compute a quality of one order of human ranks, best score first; NaN if all are equal."""
    best, worst = min(order), max(order)
    if name == "mrr":
        return 1 / (1 + order.index(best))
    if name == "best_system_rate":
        return float(order[0] == best)
    if name == "ndcg":
        gain = lambda ranks: sum(Fraction(worst) - Fraction(h) if k == 0 else  # noqa: E731
                                 (Fraction(worst) - Fraction(h)) / Fraction(math.log2(k + 2))
                                 for k, h in enumerate(ranks))  # fmt: skip
        return float(gain(order) / gain(sorted(order)))
    value, reads_on = 0.0, 1.0
    for place, h in enumerate(order, start=1):
        stops = 2.0 ** (best - h) - 2.0 ** (best - worst)
        value += reads_on * stops / place
        reads_on *= 1 - stops
    return value


@target(weight=10)
def ranking_quality(draw):
    human, metric, codes, (y, s, g) = judged_rows(draw, most=5)
    name = draw.one(["ndcg", "mrr", "err", "best_system_rate"])
    found = call(getattr(metrics, name), y, s, groups=g, missing="skip", legal=True)
    groups = [rows for rows in kept(human, metric, codes) if len({h for h, _ in rows}) > 1]
    if max(map(len, groups), default=0) > 6:
        check(0 <= found <= 1 + 1e-12, found, human, metric, codes)
        return
    values = []
    for rows in groups:  # every order that breaks the metric's ties is as likely
        orders = [o for o in permutations(rows) if all(a[1] >= b[1] for a, b in pairwise(o))]
        values.append(mean(quality(name, [h for h, _ in order]) for order in orders))
    check(same(found, mean(values), 1e-9), name, found, mean(values), human, metric, codes)


@target(weight=6)
def intervals(draw):
    human, metric, codes, (y, s, _) = judged_rows(draw, infinite=False)
    n = len(human)
    segments = [10 * c + draw.integer(0, 1) for c in codes] if draw.chance() else None
    crossing = draw.chance(0.3)
    groups = [0] * n if crossing else codes
    resampled = segments if segments is not None else codes
    name = draw.one(list(STATISTICS))
    average = "groups" if name == "tau-c" else draw.one(["pairs", "groups"])
    options = {"statistic": name, "average": average, "n_resamples": draw.integer(1, 20)}
    options |= {
        "confidence": draw.one([0.95, 0.5, 1e-9, 1 - 1e-12]),
        "random_state": draw.integer(0, 9),
    }
    found = call(
        metrics.agreement_interval, y, s, groups=groups, documents=resampled, **options, legal=True
    )
    low, high = found
    bounds = STATISTICS[name].bounds
    check(low != low or bounds[0] <= low <= high <= bounds[1], found, options)
    check(len(set(resampled)) > 1 or low != low, "one segment does not vary", found)
    order = draw.rng.permutation(n)
    renamed = [f"segment {-resampled[k]}" for k in order]
    other = [np.array(human)[order], np.array(metric)[order]]
    again = call(metrics.agreement_interval, *other, groups=[("g", groups[k]) for k in order],
                 documents=renamed, **options, legal=True)  # fmt: skip
    check(repr(again) == repr(found), found, again, options, human, metric, groups, resampled)


@target(weight=6)
def spoiled_rows(draw):
    """What is no vector of numbers must be refused, whoever is asked."""
    n = draw.integer(2, 6)
    y, s = draw.numbers(n, ["ranks"]), draw.numbers(n, ["normal"])
    g = draw.codes(n)
    place = draw.integer(0, 2)
    bad = draw.spoiled(y) if place < 2 else draw.one(
        [3.0, "abc", [*g, 1], g[1:], [None] * n, [[k] for k in g], {}, {"a": 1}, object(),
        [math.nan] * n,
         np.zeros((n, 2)), iter(g), {1, 2}, 5, b"ab"])  # fmt: skip
    given = [bad if k == place else part for k, part in enumerate((y, s, g))]
    function = draw.one([metrics.kendall_tau, metrics.kendall_tau_counts, metrics.pairwise_accuracy,
                         metrics.calibrate_ties, metrics.pearson, metrics.ndcg,
                         metrics.agreement_interval])  # fmt: skip
    options = {}
    if place == 0 and draw.chance(0.2):
        options = {"missing": draw.option(["error", "skip"])[0]}
    found = call(function, *given[:2], groups=given[2], **options)
    numeric = isinstance(bad, np.ndarray | list) and np.shape(bad) == (n, 1)
    check(numeric or (hasattr(bad, "shape") and bad.shape == (n, 1)), function.__name__, bad, found)
