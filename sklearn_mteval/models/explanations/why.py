"""Why a model prefers one translation to another, as plain dicts, for many segments."""

import numpy as np

from sklearn_mteval.candidates import check_candidates, group_codes
from sklearn_mteval.models.explanations.explain import explain_segment
from sklearn_mteval.models.ranking import rank_candidates

_MOST_COLUMNS = 5
_MOST_WINDOWS = 3


def _why(model, X, pair):
    """Explain one pair."""
    found = explain_segment(model, X, pair)
    decision, probability = found.pairs.iloc[0].tolist()
    return {
        "first": str(pair[0]),
        "second": str(pair[1]),
        "decision": decision,
        "probability": None if np.isnan(probability) else probability,
        "differences": dict(zip(map(str, pair), found.differences.iloc[0], strict=True)),
        "families": _by_weight(found.families),
        "columns": _by_weight(found.columns)[:_MOST_COLUMNS],
        "windows": _by_weight(found.windows)[:_MOST_WINDOWS],
        "words": {str(name): found.words.loc[name].to_dict() for name in pair},
        "flags": {str(name): list(found.flags[name]) for name in pair},
    }


def _farthest(ranks):
    """Return the names of the best and the worst translation."""
    names = ranks.index.get_level_values("system")
    order = np.argsort(ranks["rank"].to_numpy(), kind="stable")
    return names[order[0]], names[order[-1]]


def _by_weight(table):
    """List the rows of one pair by the size of what they add, the largest first, if any."""
    table = table.droplevel(["first", "second"])
    table = table[table["value"] != 0].sort_values("value", key=lambda v: -v.abs(), kind="stable")
    return table.reset_index().to_dict("records")


def why_of_segments(model, X, n_segments, *, segments=None):
    """Explain up to ``n_segments``: a dict for each, and a reason if there is none, or "".

    ``segments`` are those to explain, the most wanted first; None: the first ones. Left out are
    those with one translation. A dict has, of the best and the worst one, ``first``, ``second``,
    ``decision`` and ``probability`` (None where decisions are no log-odds); ``differences``, by the
    system that they speak against; ``families``, up to five ``columns`` and three ``windows``,
    those that decided most first; and by system ``words`` (``missing``, ``own``) and ``flags``, all
    as of an ``Explanation``.
    """
    X, chosen = _chosen_segments(X, n_segments, segments)
    if not chosen:
        return {}, "No segment has two translations to compare."
    found, reason = {}, ""
    try:
        # Ranked all at once, which takes less time than one after the other.
        ranks = rank_candidates(model, X.iloc[np.concatenate(list(chosen.values()))])
        for segment, part in ranks.groupby(level="segment", sort=False):
            found[segment] = _why(model, X.iloc[chosen[segment]], _farthest(part))
    except (TypeError, ValueError) as error:
        reason = str(error)  # what cannot be explained is the model
    return found, reason


def _chosen_segments(X, n_segments, segments):
    """Return a table of each translation once, and the rows of the segments to explain."""
    check_candidates(X)
    others = [level for level in X.index.names if level not in ("segment", "system")]
    X = X.droplevel(others) if others else X
    X = X[~X.index.duplicated()]
    codes = group_codes(X.index.get_level_values("segment"), len(X))
    by_segment = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    of_segments = dict(zip(X.index.unique("segment"), by_segment, strict=True))
    several = [
        k for k in (of_segments if segments is None else segments) if len(of_segments[k]) > 1
    ]
    return X, {segment: of_segments[segment] for segment in several[:n_segments]}
