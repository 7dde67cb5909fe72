"""Statistics of system level, and human scores of systems, against loops and enumeration."""

import math
from itertools import combinations, product

import numpy as np
import pandas as pd
from pairwise_p import pairwise_p_values

from fuzz import call, check, target
from fuzz.targets.agreement import exact_correlation, mean, midranks, same, sign
from sklearn_mteval import metrics
from sklearn_mteval.metrics.system.permutation import system_permutation_test
from sklearn_mteval.metrics.system.tables import score_table
from sklearn_mteval.metrics.system.wins import win_counts


@target(weight=6)
def agreement_of_systems(draw):
    n = draw.size()
    human, metric = (draw.numbers(n, ["ties", "normal", "constant"]) for _ in range(2))
    labels = list(dict.fromkeys(draw.labels(list(range(min(n, 14))))))
    human, metric = human[: len(labels)], metric[: len(labels)]
    order = draw.rng.permutation(len(labels))
    sides = [pd.Series(human, index=_index(labels), dtype=float),
             pd.Series(np.array(metric)[order], index=_index([labels[k] for k in order]),
             dtype=float)]  # fmt: skip
    if draw.chance(0.3):
        sides = [dict(zip(labels, human, strict=True)), dict(zip(labels, metric, strict=True))]
    name = draw.one(["accuracy", "pearson", "spearman", "kendall"])
    found = call(metrics.system_agreement, *sides, statistic=name, legal=True)
    pairs = [
        (sign(a - b), sign(c - d))
        for (a, c), (b, d) in combinations(zip(human, metric, strict=True), 2)
    ]
    if name == "accuracy":
        decided = [(h, m) for h, m in pairs if h]
        expected = sum(h == m for h, m in decided) / len(decided) if decided else math.nan
    elif name == "kendall":
        below = math.sqrt(sum(h != 0 for h, _ in pairs) * sum(m != 0 for _, m in pairs))
        expected = sum(h * m for h, m in pairs) / below if below else math.nan
    else:
        ranked = name == "spearman"
        expected = exact_correlation(*(midranks(v) if ranked else v for v in (human, metric)))
    check(same(found, expected, 1e-7), name, found, expected, sides)


def _index(labels):
    """Make an Index of labels that may be tuples."""
    return pd.Index(pd.Series(labels, dtype=object).to_numpy(), dtype=object, tupleize_cols=False)


def score_tables(draw, kinds=("ties", "ties", "normal", "large")):
    """Draw two tables (n_segments, n_systems), some cells missing, as arrays."""
    shape = draw.integer(1, 5), draw.integer(1, 4)
    tables = [np.array(draw.numbers(shape[0] * shape[1], kinds)).reshape(shape) for _ in range(2)]
    if draw.chance(0.3):
        for table in tables:
            table[draw.rng.random(shape) < 0.2] = math.nan
    return tables


def flips(first, second):
    """Return p of "the first is better" by all flips of signs; scores equal up to 1e-12 are."""
    difference = first - second
    near = np.abs(difference) <= 1e-12 * np.maximum(np.abs(first), np.abs(second))
    difference = np.where(near, 0, difference)[~np.isnan(difference)]
    sums = [sum(s * d for s, d in zip(signs, difference, strict=True))
            for signs in product([1, -1], repeat=len(difference))]  # fmt: skip
    tolerance = 1e-10 * np.abs(difference).sum()
    return (
        mean(float(total >= sum(difference) - tolerance) for total in sums)
        if len(difference)
        else math.nan
    )


@target(weight=5)
def soft_accuracy(draw):
    human, metric = score_tables(draw, ["ties", "ties", "large"])
    names = [f"s{k}" for k in range(human.shape[1])]
    order = draw.rng.permutation(len(names))
    frames = [
        pd.DataFrame(human, columns=names),
        pd.DataFrame(metric, columns=names).iloc[::-1, order],
    ]
    options = {"n_permutations": draw.one([64, 64, 7]), "random_state": 1}
    p = call(pairwise_p_values, frames[0], **options, legal=True)
    check(list(p) == names and list(p.index) == names, p)
    if options["n_permutations"] == 64:
        for i, j in product(range(len(names)), repeat=2):
            expected = flips(human[:, i], human[:, j]) if i != j else math.nan
            check(same(p.iloc[i, j], expected, 1e-12), p, expected, human, i, j)
    found = call(metrics.soft_pairwise_accuracy, *frames, **options, legal=True)
    check(found != found or -1e-12 <= found <= 1 + 1e-12, found, human, metric)
    plain = call(metrics.soft_pairwise_accuracy, human, metric, **options, legal=True)
    renamed = [frame.rename(columns=lambda name: f"{9 - int(name[1:])}") for frame in frames]
    again = call(metrics.soft_pairwise_accuracy, *renamed, **options, legal=True)
    check(repr(plain) == repr(found) == repr(again), plain, found, again, human, metric)
    itself = call(metrics.soft_pairwise_accuracy, human, human, **options, legal=True)
    check(itself != itself or itself == 1, itself, human)


@target(weight=4)
def tables_of_scores(draw):
    n = draw.size()
    scores = draw.sprinkled(
        draw.numbers(n, ["ties", "normal", "large", "extreme"]), [math.nan, math.inf, None]
    )
    segments, systems = draw.codes(n, 5), draw.codes(n, 4)
    missing = draw.one(["error", "skip"])
    values = [math.nan if v is None else v for v in scores]
    legal = not any(map(math.isinf, values)) and (
        missing == "skip" or not any(v != v for v in values)
    )
    found = call(score_table, draw.vector(scores), segments, systems, missing=missing, legal=legal)
    check(legal, scores, found)
    cells = {}
    for v, segment, system in zip(values, segments, systems, strict=True):
        cells.setdefault((segment, system), []).extend([v] if v == v else [])
    means = {key: sum(v / len(v_) for v in v_) if (v_ := cells[key]) else math.nan for key in cells}
    finite = [v for v in values if v == v]
    near = lambda a, b: same(a, b, 1e-12 * max([1.0, *map(abs, finite)]))  # noqa: E731
    check(found.shape == (len(set(segments)), len(set(systems))), found)
    for (segment, system), expected in means.items():
        check(
            near(found.loc[segment, system], expected), found, expected, scores, segments, systems
        )
    by_system = call(
        metrics.system_scores, scores, systems, segments=segments, missing=missing, legal=True
    )
    for system in set(systems):
        own = [m for (_, s), m in means.items() if s == system and m == m]
        expected = sum(m / len(own) for m in own) if own else math.nan
        check(near(by_system[system], expected), by_system, expected, scores, segments, systems)


def ranked_rows(draw, tasks=True):
    """Draw rankings: rows of codes, ranks, and a table and a Series of them."""
    rows, index = draw.rankings(tasks=tasks)
    ranks = draw.numbers(len(rows), ["ranks", "ties", "normal", "extreme", "constant"])
    X = pd.DataFrame({"hypothesis": [f"t{row[0]}{row[2]}" for row in rows]}, index=index)
    return rows, ranks, X, pd.Series(ranks, index=index)


def judged_pairs(rows, ranks):
    """List ((segment, first system, second system), sign) of each pair of a task, both ways."""
    return [((a[0], a[2], b[2]), sign(y - x)) for (a, x), (b, y) in product(zip(rows, ranks,
    strict=True), repeat=2)
            if a[:2] == b[:2] and a[2] != b[2]]  # fmt: skip


@target(weight=5)
def wins_of_systems(draw):
    rows, ranks, X, y = ranked_rows(draw)
    given = draw.vector(ranks)
    found = call(win_counts, X, list(given) if hasattr(given, "index") else given, legal=True)
    pairs = judged_pairs(rows, ranks)
    check(
        found.wins.sum() == sum(s > 0 for _, s in pairs)
        and found.ties.sum() == sum(s == 0 for _, s in pairs),
        found,
    )
    scores = call(metrics.human_system_scores, X, y, legal=True)
    label = dict(zip((row[2] for row in rows), X.index.get_level_values("system"), strict=True))
    for system in label:
        against = {}
        for (_, a, b), s in pairs:
            if a == system and s:
                against.setdefault(b, []).append(s > 0)
        expected = mean(mean(map(float, wins)) for wins in against.values())
        value = scores.iloc[list(scores.index).index(label[system])]
        check(same(value, expected, 1e-9), scores, expected, rows, ranks)
    strengths = call(metrics.human_system_scores, X, y, method="bradley-terry", legal=True)
    wins = found.wins.sum(axis=0, dtype=float) + found.ties.sum(axis=0, dtype=float) / 2
    s = strengths.loc[found.systems].to_numpy() if len(strengths) else np.zeros(0)
    expected = ((wins + wins.T) / (1 + np.exp(s[None, :] - s[:, None]))).sum(axis=1)
    check(np.allclose(wins.sum(axis=1) - 1e-4 * s, expected, atol=1e-3), strengths, wins)


@target(weight=3)
def clusters_of_systems(draw):
    """Whatever the systems and segments are called, and in whatever order the rows come."""
    rows, ranks, X, y = ranked_rows(draw)
    method = draw.one(["expected-wins", "bradley-terry", "trueskill"])
    found = call(metrics.system_clusters, X, y, method=method, n_resamples=9)
    check(
        (np.diff(found["score"]) <= 0).all() and (found["rank_low"] <= found["rank_high"]).all(),
        found,
    )
    check(found["cluster"].iloc[0] == 1 and set(np.diff(found["cluster"])) <= {0, 1}, found)
    order = draw.rng.permutation(len(rows))
    renamed = pd.MultiIndex.from_tuples([(-rows[k][0], rows[k][1],
    f"z{9 - rows[k][2]}") for k in order],
                                        names=["segment", "ranking", "system"])  # fmt: skip
    again = call(metrics.system_clusters, X.iloc[order].set_axis(renamed), np.array(ranks)[order],
                 method=method, n_resamples=9, legal=True)  # fmt: skip
    check(
        sorted(found.to_numpy().tolist()) == sorted(again.to_numpy().tolist()),
        found,
        again,
        rows,
        ranks,
    )


@target(weight=3)
def tests_of_systems(draw):
    human, metric = score_tables(draw, ["ties", "normal"])
    gold = draw.numbers(human.shape[1], ["ties", "normal"])
    options = {"statistic": draw.one(["pearson", "spearman", "kendall", "accuracy"])}
    options |= {"n_permutations": draw.one([5, 300]), "random_state": 2}
    found = call(system_permutation_test, gold, {"A": human, "B": metric}, **options)
    p = found.p_values
    check(((p > 0) & (p <= 1) | np.isnan(p)).all(), found)
    order = draw.rng.permutation(len(gold))
    again = call(system_permutation_test, np.array(gold)[order],
                 {"x": human[::-1][:, order], "y": metric[::-1][:, order]}, **options,
                 legal=True)  # fmt: skip
    check(repr(again[1:]) == repr(found[1:]), found, again, gold, human, metric)
    interval = {"statistic": draw.one(["accuracy", "pearson", "spa", "kendall"]), "n_resamples": 5}
    low, high = call(metrics.system_agreement_interval, human, metric, **interval, legal=True)
    check(low != low or -1 <= low <= high <= 1, low, high)
    other = call(
        metrics.system_agreement_interval, human[:, order], metric[:, order], **interval, legal=True
    )
    check(repr((low, high)) == repr(other), low, high, other, human, metric)
