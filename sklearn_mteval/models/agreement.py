"""How well models agree with annotators on segments that they have not seen, against others."""

import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_random_state

from sklearn_mteval.candidates import check_ranks, comparable_groups, segment_labels
from sklearn_mteval.metrics import (
    agreement_interval,
    kendall_tau,
    kendall_tau_counts,
    paired_bootstrap,
)
from sklearn_mteval.models.opening import open_model, recommended_model, with_source

_DIFFERENCES = ["difference", "difference_low", "difference_high", "p"]
_PROPORTIONS = (0.25, 0.5)
_SMALL, _DRAWS = 100, 3  # fewer segments than this vary much: several draws of them
_FEWEST = 2  # segments, or there is nothing to calibrate on


class Agreement(NamedTuple):
    """How well strengths agree with human ranks.

    ``tau`` is Kendall's, strict ("wmt12"), pooled over pairs, in [-1, 1], ``low`` to ``high`` its
    95 % interval by bootstrap over segments. ``pairs`` are those that the human decides, ``ties``
    those of them that the metric ties, ``accuracy`` the proportion decided as the human did.
    """

    name: str
    tau: float
    low: float
    high: float
    ties: int
    pairs: int
    accuracy: float


def measure_agreement(name, X, y, strengths, *, accuracy=None, segments=None):
    """Measure how well strengths agree with human ranks; ``segments`` are resampled together."""
    ranks, groups = check_ranks(y, X), comparable_groups(X)
    counts = kendall_tau_counts(ranks, strengths, groups=groups)
    pairs = counts.concordant + counts.discordant + counts.tied_metric
    segments = segment_labels(X) if segments is None else segments
    low, high = agreement_interval(ranks, strengths, groups=groups, documents=segments)
    if accuracy is None:
        accuracy = counts.concordant / pairs if pairs else float("nan")
    tau = kendall_tau(ranks, strengths, groups=groups)
    return Agreement(name, tau, low, high, counts.tied_metric, pairs, accuracy)


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


def compare_strengths(strengths, X, y, segments, *, accuracy=None):
    """Measure how well strengths by name agree with ranks, and the first against each other one.

    Returned are a table, and which (row) is better than which (column): the whole interval of
    their difference is above 0.
    """
    names = list(strengths)
    table = pd.DataFrame(
        measure_agreement(
            name, X, y, values, segments=segments, accuracy=None if place else accuracy
        )
        for place, (name, values) in enumerate(strengths.items())
    ).set_index("name")
    table[_DIFFERENCES] = float("nan")
    better = pd.DataFrame(False, names, names)
    if len(table) > 1:
        groups = comparable_groups(X)
        found = paired_bootstrap(check_ranks(y, X), strengths, groups=groups, documents=segments)
        # A bootstrap cannot tell p from 0 below 2 / n_resamples.
        p_values = np.maximum(found.p_values[0], 2 / found.n_resamples)
        values = [found.differences[0], found.low[0], found.high[0], p_values]
        table.iloc[1:, -4:] = np.stack(values, axis=1)[1:]
        better = pd.DataFrame(found.low > 0, names, names)
    return table, better


def ready_made_strengths(X, model):
    """Return the strengths of the ready-made models that would be taken, by name, if there are any.

    These are the best one, and the best one without an encoder. A model that reads no reference is
    compared with those that read none.
    """
    if "reference" in X.columns and not reads_references(model, X):
        X = X.drop(columns="reference")
    found = {}
    for encoders in (True, False):
        try:
            name = recommended_model(X, encoders=encoders)
            ready = open_model(name)
        except (ImportError, ValueError):  # no references, and no encoder that could do without
            continue
        if name not in found:
            found[name] = ready.decision_function(with_source(X, name))
    return found


def reads_references(model, X):
    """Tell whether X has references, and a fitted pipeline needs them."""
    if "reference" not in X.columns:
        return False
    try:
        with warnings.catch_warnings(action="ignore"):
            model[:-1].transform(X.iloc[:1].drop(columns="reference"))
    except ValueError:
        return True
    return False


def learning_curve(ranker, seen, y, units, unseen, y_test, units_test, whole, random_state):
    """Train a ranker on parts of what it has seen; a table as in ``TrainingResult``.

    ``units``, (n_rows, n_units), number what is drawn together: a row is drawn where all are that
    it is made of. ``whole`` are the strengths of the ranker that was trained on all.
    """
    rng = check_random_state(random_state)
    n_all = int(units.max()) + 1
    n_draws = _DRAWS if n_all < _SMALL else 1
    strengths, sizes = {"": whole}, [n_all]
    for proportion in _PROPORTIONS:
        size = round(proportion * n_all)
        for draw in range(n_draws if size >= _FEWEST else 0):
            rows = np.isin(units, rng.permutation(n_all)[:size]).all(axis=1)
            part = clone(ranker).set_params(standalone=False)
            try:
                part.fit(seen[rows], y[rows])
            except ValueError:  # all of the few may be tied, say
                continue
            strengths[f"{size} {draw}"] = part.decision_function(unseen)
            sizes.append(size)
    found, _ = compare_strengths(strengths, unseen, y_test, units_test)
    found = found[["tau", "low", "high", *_DIFFERENCES[:3]]]
    found = found.set_axis(pd.Index(sizes, name="segments"))
    grouped = found.groupby(level="segments")
    return grouped.mean().assign(draws=grouped.size())
