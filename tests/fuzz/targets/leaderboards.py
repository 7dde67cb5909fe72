"""Leaderboards and the choice of segments, with systems that never lost, never met, always tied."""

import numpy as np
import pandas as pd

from fuzz import call, check, target
from sklearn_mteval.evaluation import leaderboard, select_segments
from sklearn_mteval.report import leaderboard_report


def battles(draw):
    """Draw comparisons: (segment, system, system, ranks), an index of their rows, ranks."""
    rows = []
    for ranking in range(draw.integer(1, 20)):
        one, other = draw.rng.permutation(draw.integer(2, 5))[:2]
        segment = draw.integer(0, 9) if draw.chance(0.8) else ranking
        ranks = draw.one([(1, 2), (2, 1), (1, 1), (1, 2)])
        rows += [(segment, ranking, int(k), r) for k, r in zip((one, other), ranks, strict=True)]
    levels = [draw.levels([row[k] for row in rows]) for k in range(3)]
    index = pd.MultiIndex.from_arrays(levels, names=["segment", "ranking", "system"])
    return rows, index


@target(weight=4)
def leaderboards(draw):
    rows, index = battles(draw)
    y = np.array([row[3] for row in rows], dtype=float)
    X = pd.DataFrame({"length": draw.numbers(len(rows), ["normal", "ties", "large"])}, index=index)
    tied = np.repeat(y[::2] == y[1::2], 2)
    both_bad = tied & np.repeat(draw.rng.random(len(y) // 2) < 0.3, 2)
    options = {
        "ties": draw.option(["half", "model"])[0],
        "covariates": draw.one([(), ("length",)]) if draw.chance() else (),
        "scale": draw.one(["log-odds", "elo"]),
        "n_resamples": draw.one([20, 100]),
        "alpha": draw.option([0.05, 0.5])[0],
    }
    found = call(leaderboard, X, y, both_bad=both_bad if draw.chance() else None, **options)
    table = found.table
    check(len(table) == len({row[2] for row in rows}), "a row for each system")
    check((table["wins"].sum() == table["losses"].sum()), "who wins, another loses")
    check(not (table["low"] > table["high"]).any(), "bounds in order", table)
    check(not (table["sandwich_low"] > table["sandwich_high"]).any(), "bounds in order", table)
    tiers = table["tier"].to_numpy()
    check(tiers[0] == 1 and set(np.diff(tiers)) <= {0, 1}, "tiers count from 1", tiers)
    rates = found.win_rates.to_numpy()
    both = rates + rates.T
    check(np.allclose(both[~np.isnan(both)], 1), "one's win is the other's loss")
    order = draw.rng.permutation(len(rows))
    if options["covariates"] == ():
        again = call(leaderboard, X.iloc[order], y[order], **{**options, "n_resamples": 20})
        same = call(leaderboard, X, y, **{**options, "n_resamples": 20})
        check(again.table.equals(same.table), "the order of rows says nothing")
    for form in ("text", "tsv", "json", "markdown", "latex"):
        check(isinstance(call(leaderboard_report, found, form), str), form)


@target(weight=3)
def choices_of_segments(draw):
    n_segments, n_systems = draw.integer(1, 12), draw.integer(1, 4)
    codes = [(s, k) for s in range(n_segments) for k in range(n_systems)]
    levels = [draw.levels([code[k] for code in codes]) for k in range(2)]
    index = pd.MultiIndex.from_arrays(levels, names=["segment", "system"])
    columns = {name: draw.numbers(len(codes), ["normal", "ties", "constant"]) for name in "ab"}
    scores = pd.DataFrame(columns, index=index)
    if draw.chance(0.2):
        scores.iloc[0, 0] = draw.one([np.nan, np.inf])
    labels = index.unique("segment")
    judged = [label for label in labels if draw.chance(0.2)]
    size = draw.one([0.5, 0.25, 1, 3, n_segments]) if draw.chance(0.9) else draw.one([0, -1, 2.5])
    methods = ["balanced", "variance", "disagreement", "information", "random"]
    method = draw.one(methods)
    found = call(select_segments, scores, size, method=method, judged=judged, random_state=0)
    check(found.is_unique and found.isin(labels).all(), "segments of the table", found)
    check(not found.isin(pd.Index(judged, dtype=object)).any(), "judged ones are judged")
    shuffled = scores.iloc[draw.rng.permutation(len(scores))]
    again = call(select_segments, shuffled, size, method=method, judged=judged, random_state=0)
    rows = scores.to_numpy().reshape(n_segments, -1)  # of equal segments any may be chosen
    content = {
        label: row.tobytes() for label, row in zip(levels[0][::n_systems], rows, strict=True)
    }
    first, second = (sorted(content[label] for label in labels) for labels in (found, again))
    check(first == second, "the order of rows says nothing", method, scores, size, found, again)
