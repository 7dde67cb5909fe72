"""What training returns: the model, how it compares on segments held out, which model to use."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from sklearn_mteval._helpers.shown import ShownTables

NEW = "new model"
_FEW = 100  # segments to train on; the ready-made models have seen thousands
_ROUGH = 20  # segments held out: of fewer, intervals by bootstrap are too narrow


class Recommendation(NamedTuple):
    """The name of the model to use, and a sentence that says why and how sure that is.

    ``worse``: the whole interval of the new model's difference from a ready-made one is below 0.
    """

    use: str
    worse: bool
    sentence: str


@dataclass(frozen=True, repr=False)
class TrainingResult(ShownTables):
    """A trained model and what segments held out say of it.

    Attributes
    ----------
    model : Pipeline
        Trained on the segments that were not held out.
    comparison : DataFrame of shape (n_compared, 10)
        Indexed by name: the new model, ready-made or saved ones, the feature that agrees best alone
        on the training part ("-": less of it is better), chrF and BLEU. ``kind`` is "new",
        "ready-made", "saved", "feature" or "metric". ``tau`` (strict, pairs pooled) has the 95 %
        interval ``low`` to ``high``, bootstrap over segments; ``difference`` is the new model's tau
        minus this one's, with an interval on the same resamples. ``ties`` are pairs that annotators
        decide and the row ties, of ``pairs``; ``accuracy`` is the proportion decided rightly.
        ``seen``: trained on these judgements.
    train : ndarray
        Row positions of the training data.
    scores : dict
        The new model's tau and accuracy and the others' tau, for its signature.
    learning_curve : DataFrame
        Indexed by how many segments were trained on, the last row all of them: ``tau`` with ``low``
        and ``high`` on the same segments held out; ``difference`` is what all of them gain, with
        its interval. Means of ``draws`` of the segments.
    recommendation : Recommendation
        Which to use, as a sentence, too.
    n_train, n_held_out : int
        Segments that were trained on, and held out.
    """

    model: Pipeline
    comparison: pd.DataFrame
    train: np.ndarray
    scores: dict[str, Any]
    learning_curve: pd.DataFrame
    recommendation: Recommendation
    n_train: int
    n_held_out: int


def recommended_of(comparison, n_train, n_held_out, *, start=None):
    """Choose the model to use by a comparison; ``start`` is the one that training began from."""
    fair = comparison[~comparison["seen"]]
    ready = fair[fair["kind"].isin(["ready-made", "saved"])]
    on = f"on {n_held_out} segments held out"
    if not len(ready):
        return _without_ready_made(fair, comparison.index[comparison["seen"]], on)
    best = _best(ready)
    # What started from a ready-made model has seen all that this one has, and more.
    leans = start is not None and best["difference"] > 0
    use, what, sentence = _verdict(best, NEW if leans else best.name, on)
    if what == "apart" and leans:
        sentence += f", but it starts from {start} and has learnt from these judgements, too"
    elif what == "apart":
        lower = best["difference"] <= 0
        sentence += ", and its tau is no higher" if lower else ", which has seen more judgements"
    sentence += _ends(use)
    rest = fair[fair["kind"].isin(["feature", "metric"]) & fair["difference_low"].le(0)]
    if use == NEW and len(rest):
        sentence += f" It cannot be told to be better than {rest.index[0]}, however."
    if use != NEW and n_train < _FEW and start is None:
        sentence += (
            f" {n_train} segments to train on are few; training that starts from {best.name} needs "
            "fewer."
        )
    if n_held_out < _ROUGH:
        sentence += f" Intervals of {n_held_out} segments are rough: judge more, or hold more out."
    return Recommendation(use, what == "worse", sentence)


def _without_ready_made(fair, seen, on):
    """Choose between the new model and metrics and single features."""
    best = _best(fair[fair["kind"] != "new"])
    why = "No ready-made model can be compared with. "
    if len(seen):
        why = f"{seen[0]} was trained on these judgements: what it has here says nothing. "
    use, _, sentence = _verdict(best, NEW, on)
    return Recommendation(use, False, f"{why}{sentence}{_ends(use)}")


def _best(rows):
    """Return the row with the highest tau, of equal ones the first."""
    return rows.iloc[int(rows["tau"].to_numpy().argmax())]


def _verdict(row, undecided, on):
    """Return what to use, whether the new model is "better" than a row or "worse", and say so."""
    points, low, high = 100 * row[["difference", "difference_low", "difference_high"]]
    if not (low > 0 or high < 0):
        found = f"difference {points:+.1f} tau [{low:.1f}, {high:.1f}]"
        sentence = f"The new model cannot be told apart from {row.name} {on} ({found})"
        return undecided, "apart", sentence
    use, what = (NEW, "better") if low > 0 else (row.name, "worse")
    low, high = sorted([abs(low), abs(high)])
    by = f"{abs(points):.1f} tau [{low:.1f}, {high:.1f}]"
    return use, what, f"The new model is {what} than {row.name} by {by} {on}"


def _ends(use):
    """End a sentence with what to use."""
    return ": use it." if use == NEW else f": use {use}."
