"""Intervals and tests of differences between metrics, against enumeration and properties."""

import math
from itertools import product

import numpy as np
from scipy import stats

from fuzz import call, check, target
from fuzz.targets.agreement import TAUS, count, mean, same, tau
from sklearn_mteval import metrics
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.significance.williams import williams_comparison


def compared_metrics(draw, n, kinds=("ties", "normal", "constant")):
    """Draw scores of two or three metrics, in a container; and as lists."""
    names = draw.one([["A", "B"], ["A", "B", "C"], ["", "é\ud800"], [0, 1]])
    scores = {name: draw.numbers(n, kinds) for name in names}
    if draw.chance(0.2):
        return np.array(list(scores.values())).T.reshape(n, len(names)), list(scores.values())
    return {name: draw.vector(values) for name, values in scores.items()}, list(scores.values())


def value_of(name, average, human, metric, codes):
    """Compute a counted statistic by loops."""
    groups = [[(h, m) for h, m, c in zip(human, metric, codes, strict=True) if c == code]
              for code in sorted(set(codes))]  # fmt: skip
    counts = [count(rows) for rows in groups]
    if average == "groups" or name == "tau-c":
        return mean(tau(name, c, rows) for c, rows in zip(counts, groups, strict=True))
    return tau(name, [sum(column) for column in zip(*counts, strict=True)], [])


@target(weight=5)
def permutation_exact(draw):
    """Few rows: each swap of standardised scores is tried."""
    n = draw.integer(2, 6)
    human, codes = draw.numbers(n, ["ranks", "ties"]), draw.codes(n, 2)
    scores, lists = compared_metrics(draw, n, ["ties"])
    lists = lists[:2]
    name = draw.one([name for name in (*TAUS, "acc_eq") if name != "darr"])
    average = "groups" if name == "tau-c" else draw.one(["pairs", "groups"])
    options = {"groups": draw.labels(codes), "statistic": name, "average": average}
    options["documents"] = list(range(n))
    found = call(metrics.permutation_test, human, scores, **options, n_permutations=64, legal=True)
    values = [value_of(name, average, human, s, codes) for s in lists]
    check(all(map(same, found.values, values)), found, values, human, lists, codes, options)
    if values[0] != values[0] or values[1] != values[1] or any(len(set(s)) < 2 for s in lists):
        check(np.isnan(found.p_values[0, 1]), found, human, lists)
        return
    standard = [np.round((np.array(s) - np.mean(s)) / np.std(s), 10) for s in lists]
    extreme = 0
    for swap in product([False, True], repeat=n):
        one, other = (np.where(swap, standard[1 - k], standard[k]) for k in range(2))
        difference = (value_of(name, average, human, one, codes)
                      - value_of(name, average, human, other, codes))  # fmt: skip
        extreme += not abs(difference) < abs(values[0] - values[1]) - 1e-10
    if all(swap_is_plain(name, human, s, codes) for s in lists):
        check(
            same(found.p_values[0, 1], extreme / 2**n),
            found,
            extreme / 2**n,
            human,
            lists,
            codes,
            options,
        )


def swap_is_plain(name, human, scores, codes):
    """Tell whether standardised scores tie as the scores do, whatever the statistic."""
    return len(set(np.round(scores, 9))) == len(set(scores))


@target(weight=4)
def comparisons(draw):
    """Order and names of rows and segments change nothing; both directions belong together."""
    n = draw.integer(2, 12)
    human, codes = draw.numbers(n, ["ranks", "normal", "extreme"]), draw.codes(n, 4)
    scores, lists = compared_metrics(draw, n, ["ties", "normal", "constant", "extreme", "close"])
    boot = draw.chance()
    name = draw.one([name for name in STATISTICS if name != "tau-c"])
    options = {
        "statistic": name,
        "average": draw.one(["pairs", "groups"]),
        "random_state": draw.integer(0, 3),
    }
    options |= {"n_resamples": 7} if boot else {"n_permutations": draw.one([1, 7, 5000])}
    function = metrics.paired_bootstrap if boot else metrics.permutation_test
    found = call(function, human, scores, groups=draw.labels(codes), **options, legal=True)
    p = found.p_values
    check(np.isnan(np.diag(p)).all() and ((p >= 0) & (p <= 1) | np.isnan(p)).all(), found)
    check(np.array_equal(p, p.T, equal_nan=True), found)
    check(boot or not (p == 0).any(), "a permutation test has no p of 0", found)
    order = draw.rng.permutation(n)
    again = call(function, [human[k] for k in order], {k: np.array(s)[order] for k,
    s in enumerate(lists)},
                 groups=[("x", codes[k]) for k in order], **options, legal=True)  # fmt: skip
    check(repr(again[1:]) == repr(found[1:]), found, again, human, lists, codes, options)


@target(weight=3)
def corrections(draw):
    p_values = draw.sprinkled(
        draw.numbers(draw.size(), ["probability"]), [math.nan, 1.5, -0.1, math.inf]
    )
    tested = [p for p in p_values if p == p]
    legal = all(0 <= p <= 1 for p in tested)
    found = call(metrics.holm, draw.vector(p_values), legal=legal)
    check(legal, p_values, found)
    ordered = sorted(tested)  # Holm 1979: the k-th of m smallest times m - k + 1, never falling
    steps = [min(p * (len(ordered) - k), 1) for k, p in enumerate(ordered)]
    expected = [max(steps[: ordered.index(p) + 1]) for p in tested]
    check(np.allclose(found[~np.isnan(p_values)], expected, rtol=1e-12), found, p_values)
    check(np.isnan(found[np.isnan(p_values)]).all(), found, p_values)


@target(weight=3)
def williams(draw):
    kinds = [math.nan, math.inf, 2.0, "x", None, 1 + 1e-9]
    r = draw.sprinkled(
        [draw.one([-1.0, 0.0, 1.0, 0.5, draw.rng.uniform(-1, 1), 1 - 1e-15]) for _ in range(3)],
        kinds,
    )
    n, legal = draw.option([4, 5, 26, 10**6])
    found = call(metrics.williams_test, *r, n)
    check(legal or n == 10**30, n)
    check(0 <= found <= 1, r, n, found)
    a, b, c = r
    determinant = 1 - a * a - b * b - c * c + 2 * a * b * c
    if determinant > 1e-6 and abs(a - b) > 1e-9:
        below = 2 * determinant * (n - 1) / (n - 3) + ((a + b) / 2) ** 2 * (1 - c) ** 3
        t = (a - b) * math.sqrt((n - 1) * (1 + c) / below)
        check(same(found, 2 * stats.t.sf(abs(t), float(n) - 3), 1e-9), r, n, found)


@target(weight=2)
def spoiled_comparisons(draw):
    n = draw.integer(2, 6)
    human, codes = draw.numbers(n, ["ranks"]), draw.codes(n, 2)
    scores = {"A": draw.numbers(n, ["normal"]), "B": draw.numbers(n, ["normal"])}
    function = draw.one([metrics.permutation_test, metrics.paired_bootstrap, williams_comparison])
    options = {} if function is williams_comparison else {"groups": codes}
    if draw.chance(0.4) and options:
        name, legal = draw.one([("statistic", ["wmt12"]), ("average", ["pairs"]), ("threshold",
        [25.0]),
            ("epsilon", [0.0]), ("missing", ["skip"]), ("random_state", [0]), ("documents",
            [codes])])  # fmt: skip
        options[name], _ = draw.option(legal)
        call(function, human, scores, **options)
        return
    bad = draw.one([draw.spoiled(human), {"A": human}, {"A": human, "B": draw.spoiled(human)}, {},
    [human],
                    {"A": [math.inf] * n, "B": human}, {"A": [math.nan] * n, "B": human},
                    np.zeros((n, 0)),
                    np.zeros(n), "AB", 3, None, {"1": human, 1: human}])  # fmt: skip
    call(function, *((human, bad) if draw.chance(0.7) else (bad, scores)), **options)
