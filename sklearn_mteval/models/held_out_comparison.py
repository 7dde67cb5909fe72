"""A new model against ready-made ones, metrics and single features, on segments held out.

Also how it gains from more judgements: trained on parts, tested on the same segments.
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_random_state

from sklearn_mteval.candidates import check_ranks, comparable_groups
from sklearn_mteval.metrics import paired_bootstrap
from sklearn_mteval.models.agreement import measure_agreement
from sklearn_mteval.models.cards import READY_MADE
from sklearn_mteval.models.opening import open_model, recommended_model, with_source

_PROPORTIONS = (0.25, 0.5)
_SMALL, _DRAWS = 100, 3  # fewer segments than this vary much: several draws of them
_FEWEST = 2  # segments, or there is nothing to calibrate on


def compare_strengths(strengths, X, y, segments, *, accuracy=None):
    """Measure how well strengths by name agree with ranks, and the first against each other one.

    ``accuracy`` is that of the first, ``segments`` label what is resampled together.
    """
    table = pd.DataFrame(
        measure_agreement(
            name, X, y, values, segments=segments, accuracy=None if place else accuracy
        )
        for place, (name, values) in enumerate(strengths.items())
    ).set_index("name")
    table[["difference", "difference_low", "difference_high"]] = float("nan")
    if len(table) > 1:
        groups = comparable_groups(X)
        found = paired_bootstrap(check_ranks(y, X), strengths, groups=groups, segments=segments)
        for name, values in zip(
            ("difference", "difference_low", "difference_high"),
            (found.differences, found.low, found.high),
            strict=True,
        ):
            table.loc[table.index[1:], name] = values[0, 1:]
    return table


def ready_made_strengths(X, model):
    """Return the strengths of the ready-made model that would be taken, by name, if there is one.

    A model that reads no reference is compared with one that reads none.
    """
    if "reference" in X.columns and not reads_references(model, X):
        X = X.drop(columns="reference")
    try:
        name = recommended_model(X)
        ready = open_model(name)
    except (ImportError, ValueError):  # no references, and no encoder that could do without
        return {}
    return {name: ready.decision_function(with_source(X, name))}


def trained_on_any(name, campaigns):
    """Tell whether a ready-made model was trained on one of these campaigns, "wmt13 fr-en" say."""
    return name in READY_MADE and not set(READY_MADE[name].trained_on).isdisjoint(campaigns)


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

    Features are those of all segments. ``units`` number from 0 what is drawn together: a row,
    (n_rows, n_units), is drawn where all are that it is made of. ``whole`` are the strengths of the
    ranker that was trained on all.
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
    columns = ["tau", "low", "high", "difference", "difference_low", "difference_high"]
    found = compare_strengths(strengths, unseen, y_test, units_test)[columns]
    found = found.set_axis(pd.Index(sizes, name="segments"))
    grouped = found.groupby(level="segments")
    return grouped.mean().assign(draws=grouped.size())
