"""Plots of hostile names and numbers: refused, or a safe SVG for a light and for a dark page."""

import math
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pandas as pd

from fuzz import call, check, target
from sklearn_mteval.models.score_counts import PROPORTIONS, ScoreCounts
from sklearn_mteval.plots import LeaderboardDisplay, LearningCurveDisplay, ScoreDistributionDisplay
from sklearn_mteval.plots.drawing import drawings

matplotlib.use("Agg")
KINDS = ["ties", "normal", "extreme", "constant", "large"]
SAFE = {"svg", "g", "path", "use", "defs", "clipPath", "rect"}


def numbers(draw, n):
    """Draw numbers, some of them strange."""
    values = draw.numbers(n, KINDS)
    return draw.sprinkled(values, [math.nan, math.inf, -0.0]) if draw.chance(0.3) else values


@target
def drawn_names(draw):
    n = draw.integer(1, 4)
    names = [
        draw.one([draw.text(), draw.text() * 2000, "\ud800", "-->"]) + str(k) for k in range(n)
    ]
    kind = draw.integer(0, 2)
    values = np.abs(numbers(draw, n)) if kind == 2 else numbers(draw, n)
    if kind == 0:
        display = call(LeaderboardDisplay, names, values, label=names[0])
    elif kind == 1:
        display = call(
            LearningCurveDisplay, [1], [0.5], references=dict(zip(names, values, strict=True))
        )
    else:
        quantiles = np.cumsum(np.abs(draw.numbers(5 * n, ["ties"])).reshape(n, 5), axis=1)
        display = call(ScoreDistributionDisplay, names, quantiles, label=names[-1], legal=True)
    modest = np.abs(np.nan_to_num(values, posinf=0, neginf=0)).max() < 1e9
    for text in call(drawings, display, legal=bool(modest)):
        root = ElementTree.fromstring(text.encode())
        kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
        check(kinds <= SAFE, names, kinds)


@target
def counted_scores(draw):
    n = draw.integer(1, 30)
    systems = [draw.one("ab") for _ in range(n)]
    values = numbers(draw, n)
    index = pd.MultiIndex.from_arrays([range(n), systems], names=["segment", "system"])
    scores, counts = pd.Series(values, index), ScoreCounts()
    cut = draw.integer(0, n)
    infinite = bool(np.isinf(values).any())
    for part in (scores.iloc[cut:], scores.iloc[:cut]):
        call(counts.add, part, legal=not infinite)
    check(not infinite, "an infinite score was counted")
    found = call(counts.quantiles, legal=True)
    for system, of_system in scores.groupby(level="system"):
        there = np.clip(of_system.dropna(), -3.4e38, 3.4e38)
        if there.empty:
            check(found.loc[system].isna().all(), found)
            continue
        expected = np.quantile(there, PROPORTIONS)
        error = np.abs(found.loc[system] - expected).max()
        check(error <= 2**-9 * np.abs(there).max() + 1e-40, scores, found, expected)
