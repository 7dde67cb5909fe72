"""Decomposition into pairs, aggregation of rankings and folds, against loops."""

import numpy as np

from fuzz import call, check, target
from fuzz.targets.agreement import count, sign
from fuzz.targets.rankers import features_of
from fuzz.targets.systems import ranked_rows
from sklearn_mteval.pairwise import PairDifference, SegmentKFold, aggregate_rankings, decompose


@target(weight=4)
def pairs_and_aggregation(draw):
    rows, ranks, table, y = ranked_rows(draw)
    X = features_of(draw, rows, table.index)
    new_X, new_y = call(aggregate_rankings, X, y, legal=True)
    votes = {}
    for (a, x), (b, z) in (
        (s, t) for s in zip(rows, ranks, strict=True) for t in zip(rows, ranks, strict=True)
    ):
        if a[:2] == b[:2] and a[2] != b[2]:
            votes.setdefault((a[0], a[2]), {}).setdefault(b[2], []).append(sign(z - x))
    scores = {
        (row[0], row[2]): [sign(sum(v)) for v in votes.get((row[0], row[2]), {}).values()]
        for row in rows
    }
    scores = {key: sum(s) / max(len(s), 1) for key, s in scores.items()}
    expected = {
        key: 1 + sum(s > scores[key] for other, s in scores.items() if other[0] == key[0])
        for key in scores
    }
    check(
        sorted(new_y) == sorted(expected.values()) and len(new_X) == len(expected),
        new_y,
        expected,
        rows,
        ranks,
    )

    def levels(index):
        return zip(*map(index.get_level_values, ("segment", "system")), strict=True)

    names = {key: (row[0], row[2]) for key, row in zip(levels(table.index), rows, strict=True)}
    check(
        all(
            expected[names[key]] == value
            for key, value in zip(levels(new_y.index), new_y, strict=True)
        ),
        new_y,
        expected,
    )
    pairs, labels = call(decompose, X, y)
    counts = [
        count([(r, 0.0) for row, r in zip(rows, ranks, strict=True) if row[:2] == g])
        for g in {row[:2] for row in rows}
    ]
    check(
        len(pairs) == 2 * sum(c[2] for c in counts) and 2 * labels.sum() == len(labels),
        pairs,
        labels,
        counts,
    )
    difference = call(PairDifference().fit_transform, pairs, legal=X.dtypes.iloc[0].kind != "O")
    first, second = np.split(pairs.to_numpy(dtype=float), 2, axis=1)
    check(np.allclose(difference, first - second), difference)
    n_splits = draw.integer(2, 4)
    folds = call(
        lambda: list(SegmentKFold(n_splits, shuffle=draw.chance(), random_state=0).split(X))
    )
    segments = [row[0] for row in rows]
    check(sorted(k for _, test in folds for k in test) == list(range(len(X))), folds)
    check(
        all(
            not {segments[k] for k in train} & {segments[k] for k in test} for train, test in folds
        ),
        folds,
        segments,
    )
