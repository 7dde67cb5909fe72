"""How well models agree with annotators on segments that they have not seen, against BLEU."""

from collections import defaultdict
from copy import copy
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import check_ranks, comparable_groups, segment_labels
from sklearn_mteval.features import sentence_bleu
from sklearn_mteval.metrics import agreement_interval, kendall_tau, kendall_tau_counts


class Agreement(NamedTuple):
    """How well strengths agree with human ranks.

    Attributes
    ----------
    name : str
        What was measured.
    tau : float
        Kendall's tau, strict ("wmt12"), pooled over pairs, in [-1, 1].
    low, high : float
        Its 95 % interval by bootstrap over segments.
    ties : int
        Pairs that the human decides and the metric ties.
    pairs : int
        Pairs that the human decides.
    accuracy : float
        Proportion of the ordered pairs that the classifier decides as the human did; for a
        metric, of those that its score decides so.
    """

    name: str
    tau: float
    low: float
    high: float
    ties: int
    pairs: int
    accuracy: float


def measure_agreement(name, X, y, strengths, *, accuracy=None, segments=None):
    """Measure how well strengths agree with human ranks, as an ``Agreement`` with this name.

    ``accuracy`` is the classifier's own, by default that of the strengths; ``segments`` label what
    is resampled together.
    """
    ranks, groups = check_ranks(y, X), comparable_groups(X)
    counts = kendall_tau_counts(ranks, strengths, groups=groups)
    pairs = counts.concordant + counts.discordant + counts.tied_metric
    segments = segment_labels(X) if segments is None else segments
    low, high = agreement_interval(ranks, strengths, groups=groups, segments=segments)
    if accuracy is None:
        accuracy = counts.concordant / pairs if pairs else float("nan")
    tau = kendall_tau(ranks, strengths, groups=groups)
    return Agreement(name, tau, low, high, counts.tied_metric, pairs, accuracy)


def held_out_agreement(models: list[tuple], X: pd.DataFrame, y: pd.Series) -> list[Agreement]:
    """Compare BLEU with fitted pipelines under several recompositions, on held-out data.

    Parameters
    ----------
    models : list of (test, {name: (model, recompositions)})
        Row positions held out, and the pipelines trained without them: each ends in a
        RankRecomposer. The same names in every entry, the test sets disjoint.
    X, y : DataFrame and Series
        The data; rows in no test set are left out.

    Returns
    -------
    list of Agreement
        BLEU, then each model with each of its recompositions.
    """
    rows = np.concatenate([test for test, _ in models])
    strengths, correct = defaultdict(list), defaultdict(list)
    for test, named in models:
        for name, (model, recompositions) in named.items():
            features = model[:-1].transform(X.iloc[test])
            correct[name].append(pairs_decided_rightly(model[-1], features, y.iloc[test]))
            for recomposition in recompositions:
                ranker = copy(model[-1]).set_params(recomposition=recomposition)
                strengths[name, recomposition].append(ranker.decision_function(features))
    X, y = X.iloc[rows], y.iloc[rows]
    table = [measure_agreement("BLEU", X, y, sentence_bleu(X))]
    for label, parts in strengths.items():
        accuracy = float(np.concatenate(correct[label[0]]).mean())
        parts = np.concatenate(parts)
        table.append(measure_agreement(", ".join(label), X, y, parts, accuracy=accuracy))
    return table


def pairs_decided_rightly(ranker, features, y):
    """Tell of each ordered pair that the human decides whether the classifier agrees."""
    better = ranker.compare(features)["probability"]
    levels = features.index.names
    ranks = pd.Series(np.asarray(y), index=features.index)
    # Without the label of the other system, a pair's label is that of a row.
    first, second = (
        ranks.loc[better.index.droplevel(other).set_names(levels)].to_numpy()
        for other in ("system_2", "system_1")
    )
    decided = first != second
    return ((better.to_numpy() > 0.5) == (first < second))[decided]
