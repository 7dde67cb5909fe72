"""Reports of duels: which of two systems is better, by how much, how sure, and where."""

import math

import numpy as np
import pandas as pd

from sklearn_mteval._version import __version__
from sklearn_mteval.metrics.core.units import FEW_CLUSTERS
from sklearn_mteval.models.duels import ALPHA
from sklearn_mteval.report.cells import interval, p_values, plain, records, signed, written
from sklearn_mteval.report.formats import Report, Table
from sklearn_mteval.report.pictures.histogram import difference_picture
from sklearn_mteval.report.short_names import short_names
from sklearn_mteval.report.summaries.pairs import p_value
from sklearn_mteval.report.summaries.phrases import (
    FEW_SEGMENTS,
    UNKNOWN_DOCUMENTS,
    counted,
    listed,
    name_of,
)

_MOST = 5  # segments that are named for each system
_BINS = 10  # of the histogram, on each side of 0
_WITHIN = 0.98  # of the differences lie within the bins but the outermost
_STEPS = (1, 2, 5, 10)
OF_ALL = ("difference", "low", "high", "p_value")


def answer_of_duel(found):
    """Say in one sentence which of both is better, by how much, how sure, in how many segments."""
    counts, sign = found.counts, -1 if found.difference < 0 else 1
    better, worse = _names(found)[::sign]
    more, fewer = (f"{counts[name]:,}" for name in ("better", "worse")[::sign])
    low, high = sorted((sign * found.low, sign * found.high))
    difference = f"{abs(found.difference):.4f} [{low:.4f}, {high:.4f}]"
    unit = " in mean rank" if found.by_rank else ""
    if math.isnan(found.p_value):
        start = (
            f"Which of {better} and {worse} is better cannot be tested: one segment or one "
            f"document is too little. The difference is {abs(found.difference):.4f}{unit}"
        )
    elif found.p_value <= ALPHA:
        start = f"{better} is better than {worse} by {difference}{unit} ({p_value(found.p_value)})"
    else:
        start = (
            f"{better} cannot be told apart from {worse}: the difference is {difference}{unit} "
            f"({p_value(found.p_value)})"
        )
    return (
        f"{start} on {counted(counts['segments'], 'segment')}; {better} is better in {more} of "
        f"them, {worse} in {fewer}, and in {counts['equal']:,} they are equal."
    )


def _names(found):
    """Name both by what differs."""
    return list(map(name_of, short_names([found.first, found.second])))


def summary_of_duel(found):
    """Say which is better, how often both say the same, and in which kinds one surely is."""
    sentences = [answer_of_duel(found)]
    same = found.counts["identical"]
    if same:
        sentences.append(
            f"Both have the same translation of {counted(same, 'segment')}: what differs between "
            "them is in the others."
        )
    table = found.themes
    for name, sign in zip(_names(found), (1, -1), strict=True):
        sure = (table["p_value"] <= ALPHA) & (sign * table["difference"] > 0)
        kinds = [label for label in table.index[sure] if not label[1].startswith("without ")]
        if kinds:
            sentences.append(
                f"{name} is better in segments {listed(map(_in_words, kinds))} "
                f"(p ≤ {ALPHA:g} for each, with Holm's correction for {len(table)} kinds)."
            )
    return sentences


def _in_words(label):
    """Write a kind of segments after "segments": "with numbers", "of 2-9 words"."""
    theme, kind = label
    return {"length": f"of {kind}", "domain": f"of the domain {kind}"}.get(theme, kind)


def picture_of_duel(found):
    """Draw the mean difference, and the differences of segments."""
    mean = found.difference, found.low, found.high
    bins = histogram(found.segments["difference"].to_numpy())
    return difference_picture(*_names(found), mean, bins, equal=found.counts["equal"])


def warnings_of_duel(found):
    """Warn of few segments or documents."""
    documents, segments = found.counts["documents"], found.counts["segments"]
    few = documents is not None and documents < FEW_CLUSTERS
    if not few and segments >= FEW_SEGMENTS:
        return []
    n = counted(documents, "document") if few else counted(segments, "segment")
    return [f"Both are compared on {n} only: the interval is wide, and little is sure."]


def report_of_duel(found):
    """Return the report of a duel."""
    names = _names(found)
    what = "mean rank, with its sign changed," if found.by_rank else "mean score"
    counts, confidence = found.counts, 100 * found.confidence
    documents = counts["documents"]
    notes = [
        f"difference: {what} of {names[0]} less that of {names[1]}, on the segments of both, with "
        f"its {confidence:g} % interval (Student's t of paired differences); above 0, {names[0]} "
        "is better.",
    ]
    if len(found.themes):
        notes += [
            "adds: what the segments of a kind add to the difference of all; within a theme it "
            "adds up.",
            f"p of a kind is corrected for {len(found.themes)} kinds by Holm's method: among many "
            "kinds one seems to differ by chance.",
        ]
    if documents is None:
        notes.append(f"{UNKNOWN_DOCUMENTS}.")
    else:
        notes.append(f"Intervals and tests are by document ({documents:,}).")
    tables = [_kinds(found)]
    tables += [
        _segments(f"Segments that speak most for {name}", part, names)
        for name, part in zip(names, most_different(found), strict=True)
        if len(part)
    ]
    return Report(tables, notes, _signature(found), _values(found), record_of_duel(found),
                  (answer_of_duel(found),))  # fmt: skip


def most_different(found, most=_MOST):
    """Return the segments that speak most for the first system, and most for the second."""
    table = found.segments
    first = table[table["difference"] > 0][:most]
    return first, table[table["difference"] < 0][::-1][:most]


def _values(found):
    """Make a row of all segments and of each kind."""
    of_all = {"segments": found.counts["segments"]} | {n: getattr(found, n) for n in OF_ALL}
    of_all["adds"] = found.difference
    table = found.themes.reset_index()
    everything = pd.DataFrame([{"theme": "all", "kind": "all segments"} | of_all])
    whole = pd.concat([everything, table]) if len(table) else everything
    return whole.set_index(["theme", "kind"])[[*of_all]]


def _kinds(found):
    """Return the table of all segments and each kind."""
    table = _values(found)
    columns = {
        "kind": [kind for _, kind in table.index],
        "segments": [f"{n:,}" for n in table["segments"]],
        "difference": signed(table["difference"]),
        "interval": list(map(interval, table["low"], table["high"])),
        "adds": signed(table["adds"]),
        "p": p_values(table["p_value"]),
    }
    title = f"{' less '.join(_names(found))}, by kind of segments"
    return Table.of_columns(title, columns, names="kind")


def _segments(title, table, names):
    """Return the table of some segments."""
    columns = {
        "segment": list(map(str, table.index)),
        **{
            name: [written(score, ".4f") for score in table[column]]
            for name, column in zip(names, ("first", "second"), strict=True)
        },
        "difference": signed(table["difference"]),
    }
    return Table.of_columns(title, columns, names="segment")


def _signature(found):
    """Say on one line how the numbers were made."""
    parts = {
        "duel": "ranks" if found.by_rank else "scores", "test": "paired-t",
        "clusters": "segments" if found.counts["documents"] is None else "documents",
        "interval": f"{found.confidence:g}", "sklearn_mteval": __version__,
    }  # fmt: skip
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def record_of_duel(found):
    """Return what JSON holds of a duel."""
    of_all = {name: plain(getattr(found, name)) for name in OF_ALL}
    width, counts = histogram(found.segments["difference"].to_numpy())
    return {
        "first": str(found.first), "second": str(found.second), **of_all,
        "confidence": found.confidence, "by_rank": found.by_rank, "counts": found.counts,
        "themes": records(found.themes.reset_index()),
        "histogram": {"width": width, "counts": counts},
        "segments": [
            {"segment": str(label)} | row
            for label, row in zip(found.segments.index, records(found.segments), strict=True)
        ],
    }  # fmt: skip


def histogram(differences):
    """Count differences other than 0 in bins of one width, as many below 0 as above: the width, and
    the counts from the lowest bin on; the outermost two have all that is further away.
    """
    size = np.abs(differences[differences != 0])
    if not len(size):
        return 1.0, [0] * (2 * _BINS)
    least = np.quantile(size, _WITHIN) / _BINS
    power = 10.0 ** math.floor(math.log10(least))
    width = next(step * power for step in _STEPS if step * power >= least)
    places = np.minimum(size // width, _BINS - 1).astype(int)
    below = differences[differences != 0] < 0
    counts = [np.bincount(places[side], minlength=_BINS) for side in (below, ~below)]
    return float(width), [*counts[0][::-1].tolist(), *counts[1].tolist()]
