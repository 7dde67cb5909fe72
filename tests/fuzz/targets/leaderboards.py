"""Leaderboards and the choice of segments, with systems that never lost, never met, always tied."""

import numpy as np
import pandas as pd

from fuzz import call, check, target
from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.report import report_text


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
    shared = [[bool({*one} & {*other}) for other in table["letters"]] for one in table["letters"]]
    check((np.array(shared) != found.paired.differ).all(), "who shares a letter", table)
    rates = found.win_rates.to_numpy()
    both = rates + rates.T
    check(np.allclose(both[~np.isnan(both)], 1), "one's win is the other's loss")
    order = draw.rng.permutation(len(rows))
    if options["covariates"] == ():
        again = call(leaderboard, X.iloc[order], y[order], **{**options, "n_resamples": 20})
        same = call(leaderboard, X, y, **{**options, "n_resamples": 20})
        check(again.table.equals(same.table), "the order of rows says nothing")
    for form in ("text", "tsv", "json", "markdown", "latex"):
        check(isinstance(call(report_text, found, form), str), form)


def _adjusted(cells):
    """Return systems' means over all segments; what is missing is what effects lead to expect."""
    segment, system = cells.index.codes
    n_segments, n_systems = map(len, cells.index.levels)
    design = np.hstack([np.eye(n_segments)[segment], np.eye(n_systems)[system]])
    effects = np.linalg.lstsq(design, cells.to_numpy(), rcond=None)[0]
    whole = effects[:n_segments, np.newaxis] + effects[n_segments:]
    whole[segment, system] = cells
    return whole.mean(axis=0)


@target(weight=3)
def leaderboards_of_means(draw):
    """Means and win rates of scores, with automatic judges, metrics, and samples of segments."""
    n_segments, n_systems = draw.integer(1, 10), draw.integer(1, 4)
    kinds = ["ties", "normal", "large", "close", "constant"]
    people, machine = (
        np.array(draw.numbers(n_segments * n_systems, kinds), dtype=float) for _ in range(2)
    )
    cells = np.arange(n_segments * n_systems)
    chosen = draw.rng.random(n_segments) < draw.one([0.5, 1.0])
    judged = chosen[cells // n_systems] & (draw.rng.random(len(cells)) < draw.one([0.7, 1.0]))
    by_machine = draw.rng.random(len(cells)) < 0.9 if draw.chance() else np.zeros(len(cells), bool)
    codes = np.concatenate([cells[judged], cells[by_machine]])
    tasks = np.concatenate([cells[judged] // n_systems, 1000 + cells[by_machine] // n_systems])
    rows = np.concatenate([codes, cells])
    segments = draw.levels([*(rows // n_systems), *range(n_segments)])
    systems = draw.levels(list(rows % n_systems))
    index = pd.MultiIndex.from_arrays(
        [segments[: len(codes)], tasks, systems[: len(codes)]],
        names=["segment", "ranking", "system"],
    )
    y = -np.concatenate([people[judged], machine[by_machine]])
    judges = np.where(tasks < 1000, "eve", "gpt").astype(object)
    given = {"by": draw.option(["mean", "win-rate"])[0], "n_resamples": 20}
    if draw.chance(0.7) and by_machine.any():
        names = [draw.one(["gpt", "gpt", "gpt", "eve", "x"])]
        given |= {"judges": judges, "automatic_judges": names}
    if draw.chance(0.3):
        both = [segments[len(codes) : len(rows)], systems[len(codes) :]]
        both = pd.MultiIndex.from_arrays(both, names=["segment", "system"])
        given["scores"] = pd.DataFrame({"m": draw.numbers(len(cells), kinds)}, both)
    if draw.chance(0.4):
        probability = draw.one([np.full(n_segments, 0.5), 1 - 0.9 * draw.rng.random(n_segments)])
        selection = {"chosen": chosen, "probability": probability}
        given["selection"] = pd.DataFrame(selection, pd.Index(segments[len(rows) :]))
    X = pd.DataFrame(index=index)
    found = call(leaderboard, X, y, **given)
    table = found.table
    for low, high in (("low", "high"), ("sandwich_low", "sandwich_high")):
        check(not (table[low] > table[high]).any(), "bounds in order", table)
    scores = table["score"].to_numpy()
    check(np.isfinite(scores).all(), "every system that people judged has a score", table)
    largest = np.abs(scores).max()
    check((np.diff(scores) <= 1e-8 * largest).all(), "the best first", table)
    places = np.arange(1, len(table) + 1)
    low, high = table["rank_low"], table["rank_high"]
    check(((low >= 1) & (low <= high) & (high <= places[-1])).all(), "ranks", table)
    if given["by"] == "mean" and len(given) == 2:
        cell = pd.Series(0 - y, index).groupby(level=["segment", "system"]).mean()
        means = pd.Series(_adjusted(cell), cell.index.levels[1])[table.index].to_numpy()
        check(
            np.allclose(means, scores, rtol=1e-8, atol=1e-8 * largest + 1e-300),
            "means",
            means,
            table,
        )
    order = draw.rng.permutation(len(y))
    moved = given | ({"judges": judges[order]} if "judges" in given else {})
    again = call(leaderboard, X.iloc[order], y[order], **moved)
    # Labels that have no order stand in any where scores are equal.
    again = again.table.reindex(table.index)
    same = again.equals(table)
    if isinstance(table.index[0], frozenset):  # nor have systems that are added up
        numbers = table.select_dtypes("number").columns
        same = np.allclose(again[numbers], table[numbers], rtol=1e-9, equal_nan=True)
    check(same, "the order of rows says nothing", table, again)
    for form in ("text", "json", "latex"):
        check(isinstance(call(report_text, found, form), str), form)
