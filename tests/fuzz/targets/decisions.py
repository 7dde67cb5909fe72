"""Decision tables of few pairs, with scores that tie, overflow, underflow or are missing."""

import json
import math
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from fuzz import call, check, target
from sklearn_mteval.evaluation import decision_table
from sklearn_mteval.evaluation.decisions.files import read_decision_table
from sklearn_mteval.report import report_text

KINDS = ["ties", "normal", "large", "constant"]


def judged(draw):
    """Draw judgements of some translations, and scores of them."""
    n_segments, n_systems = draw.integer(1, 6), draw.integer(1, 10)
    rows = pd.MultiIndex.from_product(
        [range(n_segments), [f"s{k}" for k in range(n_systems)]], names=["segment", "system"]
    )
    rows = rows[draw.rng.random(len(rows)) < draw.one([0.6, 1, 1])]
    y = pd.Series(draw.numbers(len(rows), ["ranks", "ties", "large"]), index=rows)
    scores = draw.numbers(len(rows), KINDS)
    if draw.chance(0.1):
        scores = draw.sprinkled(scores, [math.nan, math.inf, 1e200, 1e-320], 0.3)
    return y, pd.Series(scores, index=rows, name="m")


@target(weight=3)
def decision_tables(draw):
    y, scores = judged(draw)
    options = {
        "level": draw.one(["system", "segment", "segment"] * 3 + ["both"]),
        "curve": draw.one([None, "logistic", "plateau"]),
        "ties": draw.one(["drop", "half"]),
        "factor": draw.one([1.0, 100, 1e-9]),
        "n_bins": draw.one([None, 1, 3]),
        "missing": draw.one(["error", "skip"]),
    }
    labels = [draw.one(["", "a", "b"]) for _ in range(6)]
    if draw.chance(0.5):
        options["documents"] = pd.Series(labels, range(6))
    if draw.chance(0.3):
        options["differences"] = draw.numbers(2, KINDS)
        options["agreements"] = [draw.one([0.5, 0.6, 0.99, 1])]
    found = call(decision_table, scores, y, **options)
    table, bins = found.table, found.bins
    check(((table["agreement"] >= 0) & (table["agreement"] <= 1)).all(), table)
    check(not (table["low"] > table["high"]).any(), "bounds in order", table)
    check((np.diff(found.needed["difference"].replace(math.inf, 1e300)) >= 0).all(), found.needed)
    check(not (found.needed["low"] > found.needed["high"]).any(), found.needed)
    check(bins["agreement"].between(0, 1).all() and bins["ties"].between(0, 1).all(), bins)
    check(bins["pairs"].sum() == found.counts["pairs"], bins, found.counts)
    check((bins["from"] <= bins["to"]).all() and (bins["from"] > 0).all(), bins)
    bounds = bins[["low", "high"]]
    check((bounds["low"] < bounds["high"]).all() and not bounds.isna().any(axis=None), bins)
    if options["level"] == "segment":
        there = scores.notna()
        verdicts = [
            (scores[a] * options["factor"] - scores[b] * options["factor"], y[b] - y[a])
            for _, rows in y[there].groupby("segment")
            for a, b in combinations(rows.index, 2)
        ]
        tied = sum(h == 0 for d, h in verdicts if d)
        check(found.counts["human_ties"] == tied, found.counts, verdicts)
        pairs = sum(d != 0 for d, _ in verdicts)
        check(found.counts["pairs"] == pairs - tied * (options["ties"] == "drop"), found.counts)
    order = draw.rng.permutation(len(y))
    again = call(decision_table, scores.iloc[order], y.iloc[order], **options)
    check(again.table.equals(table) and again.bins.equals(bins), "the order of rows says nothing")
    for form in ("text", "tsv", "json", "markdown", "latex"):
        check(isinstance(call(report_text, found, form), str), form)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "found.json"
        written = json.loads(report_text(found, "json"))
        if draw.chance(0.3):
            part = draw.one(list(written))
            written[part] = draw.one([None, 3, "x", [], {}, [{}], math.nan])
        path.write_text(json.dumps(written))
        read = call(read_decision_table, path)
    options |= {"fitted": read, "curve": None}
    options.pop("differences", None), options.pop("agreements", None)
    fitted = call(decision_table, scores, y, **options)
    check(fitted.curve == read.curve, fitted.curve)
    check(isinstance(call(report_text, fitted), str), "text")
