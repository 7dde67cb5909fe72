"""What leaderboards and tables of systems say, in words."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from sklearn_mteval.report.cells import percent
from sklearn_mteval.report.leaderboard import answer_of_leaderboard, number_of
from sklearn_mteval.report.leaderboard_notes import adjusted
from sklearn_mteval.report.scores import answer_of
from sklearn_mteval.report.short_names import short_names
from sklearn_mteval.report.summaries.phrases import (
    counted,
    few_segments,
    has,
    listed,
    name_of,
)

_SCORES = {"strength": "strength", "mean": "mean score", "win-rate": "win rate"}


def summary_of_leaderboard(found):
    """Say which system is better than which, by how much, and what was judged."""
    found = replace(found, table=_shortened(found.table), paired=_shortened_pairs(found.paired))
    table, options = found.table, found.options
    sentences = answer_of_leaderboard(found)
    best = table.index[table["score"] == table["score"].max()]
    if not len(best):
        return [*sentences, "No system has a score: there is nothing to compare.", _judged(found)]
    what = _SCORES[options["by"]]
    sentences.append(
        f"{listed(best)} {has(best, 'has', 'share')} the highest {what}, "
        f"{_value(found, table.iloc[0])}."
    )
    if found.tie_proportion is not None:
        sentences.append(
            f"Two equally strong systems tie in {percent(found.tie_proportion)} % of comparisons."
        )
    if found.automatic is not None:
        sentences.append(
            "Scores estimate what annotators would say of all translations, with the help of "
            f"{listed(found.automatic.index)}."
        )
    return [*sentences, _judged(found)]


def warnings_of_leaderboard(found):
    """Warn of few segments, unbounded scores, what is not judged, and judges who answer wrongly."""
    table, counts = found.table, found.counts
    warnings = few_segments(counts["segments"])
    for sign, did in ((1, "won"), (-1, "lost")):
        names = table.index[np.isinf(table["score"]) & (np.sign(table["score"]) == sign)]
        if len(names):
            warnings.append(
                f"{listed(names)} {did} all comparisons with the rest, so that the score is "
                "infinite and its interval has one bound only."
            )
    missing = table.index[table["score"].isna()]
    if len(missing):
        warnings.append(f"{listed(missing)} {has(missing)} no score: nothing to compare with.")
    if counts.get("not_judged"):
        warnings.append(
            f"{counted(counts['not_judged'], 'chosen segment')} "
            f"{'is' if counts['not_judged'] == 1 else 'are'} not judged: scores are right only if "
            "it is chance which ones."
        )
    warnings += adjusted(counts)
    if found.judges is not None and "discrimination" in found.judges:
        wrong = found.judges.index[found.judges["high"] < 0]
        if len(wrong):
            warnings.append(
                f"{listed(wrong)} {has(wrong, 'answers', 'answer')} the wrong way round, "
                "preferring the worse system more often than not."
            )
    return warnings


def summary_of_systems(found, kind, model=None):
    """Say which of Systems a model takes for the best, of "ranks" or of "scores"."""
    who = "The model" if model is None else name_of(model)
    found = found._replace(table=_shortened(found.table), pairs=_shortened_pairs(found.pairs))
    table = found.table
    sentences = answer_of(found)
    if table["score"].notna().any():
        sentences += _by_score(table)
    elif kind == "ranks":
        sentences += _by_mean_rank(table)
    else:
        sentences.append("No system has a score.")
    if "flagged" in table and table["flagged"].any():
        most = table.index[int(table["flagged"].argmax())]
        sentences.append(
            f"{name_of(most)} has most flags: {counted(int(table['flagged'].max()), 'segment')} "
            "with a contradiction in numbers, names or negation, or with untranslated words."
        )
    sentences.append(
        f"{who} { {'ranks': 'ranked', 'scores': 'scored'}[kind] } "
        f"{counted(len(table), 'system')} on {counted(int(table['segments'].max()), 'segment')}."
    )
    return sentences


def warnings_of_systems(table, found):
    """Warn of few segments, scores that are missing, and systems that have other segments."""
    segments = table["segments"]
    warnings = few_segments(int(segments.max())) if table["score"].notna().any() else []
    missing = table.index[table["score"].isna()]
    if len(missing) and (found == "scores" or len(missing) < len(table)):
        warnings.append(f"{listed(missing)} {has(missing)} no score.")
    unbounded = table.index[table["score"].notna() & table["low"].isna()]
    if len(unbounded):
        warnings.append(
            f"The score of {listed(unbounded)} has no interval, which needs two segments or more."
        )
    if segments.min() < segments.max():
        warnings.append(
            f"Systems have different numbers of segments, from {int(segments.min()):,} to "
            f"{int(segments.max()):,}, and each mean is of the system's own segments."
        )
    return warnings


def _shortened(table):
    """Name the systems of a table by what not all names share."""
    return table.set_axis(pd.Index(short_names(table.index), dtype=object))


def _shortened_pairs(pairs):
    """Name the systems of SystemPairs, which may be None, alike."""
    return pairs and pairs._replace(systems=pd.Index(short_names(pairs.systems), dtype=object))


def _judged(found):
    """Say what was judged, and how much."""
    counts, options = found.counts, found.options
    systems, segments = counted(counts["systems"], "system"), counted(counts["segments"], "segment")
    of = f" out of {counts['of_segments']:,}" if "of_segments" in counts else ""
    if options["by"] == "mean":
        translations = counted(counts["translations"], "translation")
        by = f"{counted(counts['judgements'], 'judgement')} of {translations} by {systems}"
        return f"This rests on {by}, of {segments}{of}."
    by = f"{counted(counts['comparisons'], 'comparison')} of {systems} on {segments}{of}"
    ties = f", of which {counts['ties']:,} {'is a tie' if counts['ties'] == 1 else 'are ties'}"
    return f"This rests on {by}{ties * bool(counts['ties'])}."


def _value(found, row):
    """Write a score with its interval, and on which scale it is."""
    options, number = found.options, number_of(found)
    scale = {
        "strength": {"elo": "in points", "log-odds": "in log-odds"}[options["scale"]],
        "mean": "on the scale of the judgements",
        "win-rate": "x 100",
    }[options["by"]]
    value, low, high = map(number, (row["score"], row["low"], row["high"]))
    return f"{value} [{low}, {high}] ({scale}, {100 * options['confidence']:g} % interval)"


def _by_score(table):
    """Say which system has the best score, and its interval."""
    highest = table["score"] == table["score"].max()
    best, row = table.index[highest], table[highest].iloc[0]
    value = f"{row['score']:+.4f}"
    if not math.isnan(row["low"]):
        value += f" [{row['low']:+.4f}, {row['high']:+.4f}]"
    which = "a mean score of" if len(table) == 1 else "the highest mean score,"
    return [f"{listed(best)} {has(best, 'has', 'share')} {which} {value}, on a scale from -1 to 1."]


def _by_mean_rank(table):
    """Say which system has the best mean rank."""
    lowest = table["mean_rank"] == table["mean_rank"].min()
    best, row = table.index[lowest], table[lowest].iloc[0]
    return [
        f"{listed(best)} {has(best, 'has', 'share')} the best mean rank, {row['mean_rank']:.3f}, "
        f"and {has(best, 'is', 'are')} ranked best in {row['best']:.1%} of the segments.",
        "The model gives no scores: it only tells how systems rank within a segment.",
    ]
