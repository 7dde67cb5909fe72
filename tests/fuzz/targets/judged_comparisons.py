"""Judges of comparisons who guess, contradict or hardly judge, and the comparisons chosen next."""

import numpy as np
import pandas as pd

from fuzz import call, check, target
from fuzz.targets.leaderboards import battles
from sklearn_mteval.evaluation import audit_judges, leaderboard, select_comparisons
from sklearn_mteval.report import report_text


@target(weight=3)
def leaderboards_of_judges(draw):
    rows, index = battles(draw)
    y = np.array([row[3] for row in rows], dtype=float)
    names = draw.labels(draw.codes(len(rows) // 2, 5)) if draw.chance(0.1) else None
    if names is None:
        names = [f"judge {k}" for k in draw.rng.integers(draw.integer(1, 6), size=len(rows) // 2)]
    judges = np.repeat(np.array(names, dtype=object), 2)
    X = pd.DataFrame({"x": draw.numbers(len(rows), ["normal", "ties", "large"])}, index=index)
    options = {
        "judges": judges,
        "judge_model": draw.one(["discrimination", "discrimination", "alike"]),
        "covariates": draw.one([(), ("x",)]),
        "n_resamples": 20,
    }
    if draw.chance(0.3):
        options["judge_weights"] = {judges[0]: draw.option([0.5, 2.0])[0]}
    found = call(leaderboard, X, y, **options)
    of_judges = found.judges
    check(of_judges["comparisons"].sum() == found.counts["comparisons"], "a judge of each")
    check((of_judges["weight"] > 0).all(), "weights")
    check(not (found.table["sandwich_low"] > found.table["sandwich_high"]).any(), "bounds")
    if options["judge_model"] == "discrimination":
        value = of_judges["discrimination"]
        estimated = value[~np.isnan(value)]
        check(np.isfinite(estimated).all(), "finite", of_judges)
        check((of_judges["low"] <= value)[~np.isnan(value)].all(), "bounds of judges", of_judges)
        high = estimated[estimated > 0]
        check(not len(estimated) or len(high), "somebody discriminates", of_judges)
        audited = call(audit_judges, pd.Series(y, index=index), judges, scores=False)
        check(len(audited) == len(of_judges), "a row for each judge")
    if options["covariates"] == ():
        order = draw.rng.permutation(len(rows))
        shuffled = options | {"judges": judges[order]}
        again = call(leaderboard, X.iloc[order], y[order], **shuffled)
        scores = found.table["score"], again.table["score"].reindex(found.table.index)
        check(
            np.allclose(*scores, atol=1e-6, equal_nan=True),
            "the order of rows says nothing",
            *scores,
        )
    for form in ("text", "tsv", "json"):
        check(isinstance(call(report_text, found, form), str), form)


@target(weight=3)
def next_comparisons(draw):
    rows, index = battles(draw)
    y = np.array([row[3] for row in rows], dtype=float)
    X = pd.DataFrame(index=index)
    n = draw.integer(1, 12)
    options = {
        "goal": draw.one(["tiers", "intervals"]),
        "alpha": draw.option([0.05, 0.5])[0],
        "random_state": draw.integer(0, 3),
    }
    candidates = None
    if draw.chance():
        systems = index.unique("system")
        cells = pd.MultiIndex.from_product(
            [index.unique("segment"), systems], names=["segment", "system"]
        )
        kept = draw.rng.random(len(cells)) < draw.one([0.3, 0.9])
        candidates = pd.DataFrame(index=cells[kept])
        if draw.chance():
            candidates["hypothesis"] = [draw.one(["a", "b", "c"]) for _ in range(int(kept.sum()))]
    found = call(select_comparisons, X, y, n, candidates=candidates, **options)
    check(1 <= len(found) <= n, "at most as many as asked for")
    check((found["gain"] >= 0).all(), "gains", found)
    if candidates is None:
        check(len(found) == n, "as many as asked for")
        order = draw.rng.permutation(len(rows))
        again = call(select_comparisons, X.iloc[order], y[order], n, **options)
        check(np.allclose(again["gain"], found["gain"]), "the order of rows says nothing")
    else:
        for segment, one, other, _ in found.itertuples(index=False):
            there = (segment, one) in candidates.index and (segment, other) in candidates.index
            check(there, "of the candidates", found)
