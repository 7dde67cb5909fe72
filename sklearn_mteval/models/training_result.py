"""What training returns: the model, how it compares on segments held out, which model to use."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from sklearn_mteval._helpers.shown import ShownTables

NEW = "new model"
FEATURE = "best feature: "
_ROUGH = 20  # segments held out: of fewer, intervals by bootstrap are too narrow


class Recommendation(NamedTuple):
    """What to use by its name in the comparison, and sentences that say why and how sure that is.

    ``worse``: the whole interval of the new model's difference from the best ready-made one is
    below 0.
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
    comparison : DataFrame of shape (n_compared, 11)
        Indexed by name: the new model, ready-made or saved ones (the best for such texts, the best
        without an encoder, the one that training began from), the feature that agrees best alone on
        the training part ("-": less of it is better), chrF and BLEU. ``kind`` is "new",
        "ready-made", "saved", "feature" or "metric". ``tau`` (strict, pairs pooled) has the 95 %
        interval ``low`` to ``high``, bootstrap over segments; ``difference`` is the new model's tau
        minus this one's, with an interval and a two-sided ``p`` on the same resamples. ``ties`` are
        pairs that annotators decide and the row ties, of ``pairs``; ``accuracy`` is the proportion
        decided rightly. ``seen``: trained on these judgements.
    train : ndarray
        Row positions of the training data.
    scores : dict
        The new model's tau and accuracy and the others' tau, for its signature.
    learning_curve : DataFrame
        Indexed by how many segments were trained on, the last row all of them: ``tau`` with ``low``
        and ``high`` on the same segments held out; ``difference`` is what all of them gain, with
        its interval. Means of ``draws`` of the segments.
    recommendation : Recommendation
        What to use, in words, too.
    n_train, n_held_out : int
        Segments, or documents, that were trained on, and held out.
    unit : {"segment", "document"}
        What was never parted, and what is counted.
    """

    model: Pipeline
    comparison: pd.DataFrame
    train: np.ndarray
    scores: dict[str, Any]
    learning_curve: pd.DataFrame
    recommendation: Recommendation
    n_train: int
    n_held_out: int
    unit: str = "segment"


def recommended_of(comparison, better, n_held_out, *, start=None, of=(), unit="segment"):
    """Choose what to use by a comparison: a ready-made model, the new one, or neither.

    The new one is chosen only where it is better than each ready-made model; whichever is chosen
    gives way to a metric or feature that is better. ``better`` tells of names (rows) whether they
    are better than others (columns); ``start`` is the model that training began from, ``of`` names
    the judgements, and ``unit`` what was held out.
    """
    fair, seen = comparison[~comparison["seen"]], comparison.index[comparison["seen"]]
    ready = fair[fair["kind"].isin(["ready-made", "saved"])]
    on, of = f"on {n_held_out} {unit}s held out", ", ".join(of)
    if not len(ready) and len(seen):
        return _learnt_from_others(seen, of)
    use, rival, said = NEW, None, "No ready-made model can be compared with"
    if len(ready):
        rival = _rival_among(ready, better)
        use = NEW if better.loc[NEW, rival.name] else rival.name
        said = _compared(rival, better, on)
    scope = f" for texts and systems like those of {of}" if use == NEW and of else ""
    sentences = [f"{said}: use {_named(use)}{scope}."]
    rest = fair[fair["kind"].isin(["feature", "metric"])]
    if len(rest) and not better.loc[use, (other := _best(rest)).name]:
        if better.loc[other.name, use]:
            use = other.name
            sentences = [f"{said}. {_compared(other, better, on)}: use neither, but {_named(use)}."]
        else:
            whose = "The new model" if use == NEW else use
            sentences.append(
                f"{whose} cannot be told to be better than {_named(other.name)}, however."
            )
    sentences.append(_of_unseen(rival, start))
    if n_held_out < _ROUGH:
        sentences.append(f"Intervals of {n_held_out} {unit}s are rough: hold more out.")
    worse = rival is not None and bool(better.loc[rival.name, NEW])
    return Recommendation(use, worse, " ".join(sentences))


def _learnt_from_others(seen, of):
    """Recommend a ready-made model where all have seen the judgements ``of``."""
    sentence = (
        f"{' and '.join(seen)} {'was' if len(seen) == 1 else 'were'} trained on these "
        f"judgements{of and f' of {of}'}, so that nothing held out can tell whether the new "
        f"model is better: use {seen[0]}, which has learnt from others, too."
    )
    return Recommendation(seen[0], False, sentence)


def _rival_among(ready, better):
    """Return the best ready-made model, or the one that the new model is least surely better than.

    The new model must be better than each.
    """
    best = _best(ready)
    return ready.loc[ready["difference_low"].idxmin()] if better.loc[NEW, best.name] else best


def _best(rows):
    """Return the row with the highest tau, of equal ones the first."""
    return rows.iloc[int(rows["tau"].to_numpy().argmax())]


def _compared(row, better, on):
    """Say whether the new model is better or worse than a row, or cannot be told apart."""
    points, low, high = 100 * row[["difference", "difference_low", "difference_high"]]
    p = f"p = {row['p']:.2g}".replace("= 0.", "= .")
    if not (better.loc[NEW, row.name] or better.loc[row.name, NEW]):
        found = f"difference {points:+.1f} tau [{low:.1f}, {high:.1f}], {p}"
        return f"The new model cannot be told apart from {_named(row.name)} {on} ({found})"
    what = "better" if better.loc[NEW, row.name] else "worse"
    low, high = sorted([abs(low), abs(high)])
    by = f"{abs(points):.1f} tau [{low:.1f}, {high:.1f}] ({p})"
    return f"The new model is {what} than {_named(row.name)} by {by} {on}"


def _of_unseen(rival, start):
    """Say what other texts than those of the judgements would show."""
    there = ""
    if start is not None:
        there = f"; there expect a model that starts from {start} to be about as good as that"
    elif rival is not None:
        there = f"; there a model of one campaign alone may well be worse than {rival.name}"
    return (
        "What was held out has the systems, annotators and kind of texts of the campaign trained "
        f"on: of another campaign, language pair or domain this comparison shows nothing{there}."
    )


def _named(name):
    """Name a row of the comparison within a sentence."""
    if name == NEW:
        return "the new model"
    feature = name.removeprefix(FEATURE)
    return name if feature == name else f"the feature {feature} alone"
