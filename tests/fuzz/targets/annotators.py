"""Agreement of annotators, against loops; what is no ranking and no table must be refused."""

import math
from itertools import combinations

import numpy as np
from pairwise_p import pairwise_p_values

from fuzz import call, check, target
from fuzz.targets.agreement import mean, same, sign
from fuzz.targets.systems import ranked_rows, score_tables
from sklearn_mteval import metrics
from sklearn_mteval.metrics.system.permutation import system_permutation_test
from sklearn_mteval.metrics.system.tables import score_table
from sklearn_mteval.metrics.system.wins import win_counts


@target(weight=4)
def annotators(draw):
    rows, ranks, _, y = ranked_rows(draw)
    who = {row[1]: draw.one("abc") for row in rows}
    kind = draw.one(["inter", "intra"])
    options = {"n_resamples": 5}
    found = call(
        metrics.annotator_agreement,
        y,
        [who[row[1]] for row in rows],
        kind=kind,
        **options,
        legal=True,
    )
    said = [(a[0], a[1], a[2], b[2], sign(y_ - x)) for (a, x), (b, y_) in combinations(sorted(
        zip(rows, ranks, strict=True), key=lambda row: (row[0][1], row[0][2])),
        2) if a[:2] == b[:2]]  # fmt: skip
    both = [
        (a, b)
        for a, b in combinations(said, 2)
        if (a[0], a[2:4]) == (b[0], b[2:4]) and a[1] != b[1]
    ]
    compared = [(a, b) for a, b in both if (who[a[1]] == who[b[1]]) == (kind == "intra")]
    agreed = mean(float(a[4] == b[4]) for a, b in compared)
    ties = mean(float(s[4] == 0) for s in said)
    chance = ties**2 + (1 - ties) ** 2 / 2
    kappa = (agreed - chance) / (1 - chance) if ties < 1 else math.nan
    check(
        found.n_comparisons == len(compared) and same(found.agreed, agreed),
        found,
        agreed,
        rows,
        ranks,
        who,
    )
    check(same(found.kappa, kappa, 1e-9), found, kappa, rows, ranks, who)
    found = call(metrics.disagreements, y, **options, legal=True)
    opposed = sum(a[4] * b[4] < 0 for a, b in both)
    check(
        (found.n_disagreeing, found.n_comparisons) == (opposed, len(both)),
        found,
        opposed,
        len(both),
        y,
    )
    found = call(metrics.agreement_ceiling, y, **options, legal=True)
    balance, decided = {}, sum(s[4] != 0 for s in said)
    for s in said:
        balance[s[0], s[2], s[3]] = balance.get((s[0], s[2], s[3]), 0) + s[4]
    expected = sum(map(abs, balance.values())) / decided if decided else math.nan
    check(
        same(found.ceiling, expected) and not found.reached > found.ceiling + 1e-12,
        found,
        expected,
        y,
    )
    votes = {}
    for s in said:
        votes.setdefault((s[0], s[2], s[3]), {}).setdefault(who[s[1]], []).append(s[4])
    sides = [[sign(sum(v)) for v in by.values() if sum(v)] for by in votes.values()]
    sides = [v for v in sides if len(v) > 1]
    found = call(
        metrics.annotator_ceiling, y, annotators=[who[row[1]] for row in rows], **options,
        legal=bool(sides),
    )  # fmt: skip
    if sides:
        agreed = mean(float(a == b) for v in sides for a, b in combinations(v, 2))
        check(
            (found.n_pairs, found.n_judgements) == (len(sides), sum(map(len, sides)))
            and same(found.agreed, agreed) and 0 <= found.annotator <= found.ceiling + 1e-9,
            found, sides, y,
        )  # fmt: skip


@target(weight=4)
def spoiled_systems(draw):
    """What is no table of scores, no count, no ranking must be refused."""
    _, _, X, y = ranked_rows(draw)
    human, metric = score_tables(draw)
    bad = draw.one([draw.spoiled(list(human[0])), human[:, :0], human[0], human[None],
                    np.full(human.shape, "x"), np.full(human.shape, math.inf), human + 1j,
                    {"a": 1}, "x", None, -1])  # fmt: skip
    options = dict(
        [draw.one([("random_state", draw.option([0])[0]), ("n_permutations", draw.option([9])[0])])]
    )
    call(*draw.one([
        lambda: (metrics.soft_pairwise_accuracy, human, bad),
        lambda: (metrics.soft_pairwise_accuracy, bad, bad),
        lambda: (pairwise_p_values, bad),
        lambda: (metrics.system_agreement, bad, bad),
        lambda: (metrics.system_agreement, {"a": 1, "b": 2}, bad),
        lambda: (metrics.system_agreement_interval, human, bad),
        lambda: (metrics.system_agreement_interval, win_counts(X, y), bad),
        lambda: (system_permutation_test, human[0], {"A": human, "B": bad}),
        lambda: (system_permutation_test, bad, {"A": human, "B": metric}),
        lambda: (system_permutation_test, human[0], bad),
        lambda: (metrics.system_scores, bad, bad),
        lambda: (score_table, bad, [1, 2], [1, 2]), lambda: (score_table, [1.0, 2],
        bad, [1, 2]),
        lambda: (metrics.system_scores, [1.0, 2], bad), lambda: (win_counts, X, bad),
        lambda: (win_counts, bad, y), lambda: (metrics.trueskill_scores, X, bad),
        lambda: (metrics.annotator_agreement, bad, bad), lambda: (metrics.annotator_agreement, y,
        bad),
        lambda: (metrics.disagreements, bad), lambda: (metrics.agreement_ceiling, y.astype(str)),
        lambda: (metrics.annotator_ceiling, bad),
    ])())  # fmt: skip
    call(metrics.soft_pairwise_accuracy, human, metric, **options)
