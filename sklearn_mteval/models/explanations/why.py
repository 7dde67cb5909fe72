"""Why a model prefers one translation to another, as plain dicts, for many segments."""

import numpy as np

from sklearn_mteval.candidates import check_candidates, group_codes
from sklearn_mteval.models.explanations.explain import explain_segment
from sklearn_mteval.models.ranking import rank_candidates

_MOST_COLUMNS = 5
_MOST_WINDOWS = 3


def why(model, X, pair=None):
    """Return why a model prefers one of two translations of a segment, and "", or None and why not.

    The pair is that of the best and the worst translation, unless it is given. The dict has
    ``first`` and ``second``; ``decision``, positive where the first is preferred; ``probability``
    (None where decisions are no log-odds); ``families``, those that decided first, each with
    ``family`` and the ``value`` that it adds; ``columns``, up to five of the same kind, with the
    values ``of_first`` and ``of_second``; ``windows``, up to three, with their texts, where texts
    are judged in windows; and for both translations, by system, ``words`` (``missing``, ``own``)
    and ``flags``.
    """
    try:
        if len(X) < 2:
            raise ValueError("There is one translation only, and nothing to compare it with.")
        return _why(model, X, _farthest(rank_candidates(model, X)) if pair is None else pair), ""
    except (TypeError, ValueError) as error:
        return None, str(error)


def _why(model, X, pair):
    """Explain one pair."""
    found = explain_segment(model, X, pair)
    decision, probability = found.pairs.iloc[0].tolist()
    return {
        "first": str(pair[0]),
        "second": str(pair[1]),
        "decision": decision,
        "probability": None if np.isnan(probability) else probability,
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


def why_of_segments(model, X, n_segments, *, pair=None, segments=None):
    """Explain up to ``n_segments``: a dict by segment of what :func:`why` returns, and a reason.

    ``segments`` are those to explain, the most wanted first; None: the first ones. Left out are
    those without a translation of the pair, or with one. The reason is why there is none, or "".
    """
    X, chosen = _chosen_segments(X, n_segments, pair, segments)
    if not chosen:
        return {}, "No segment has the two translations to compare."
    found, reason, pairs = {}, "", dict.fromkeys(chosen, pair)
    try:
        if pair is None:  # of all at once, which takes less time than one after the other
            ranks = rank_candidates(model, X.iloc[np.concatenate(list(chosen.values()))])
            by_segment = ranks.groupby(level="segment", sort=False)
            pairs = {segment: _farthest(part) for segment, part in by_segment}
        for segment, rows in chosen.items():
            found[segment] = _why(model, X.iloc[rows], pairs[segment])
    except (TypeError, ValueError) as error:
        reason = str(error)  # what cannot be explained is the model
    return found, reason


def _chosen_segments(X, n_segments, pair, segments):
    """Return a table of each translation once, and the rows of the segments to explain."""
    check_candidates(X)
    others = [level for level in X.index.names if level not in ("segment", "system")]
    X = X.droplevel(others) if others else X
    X = X[~X.index.duplicated()]
    codes = group_codes(X.index.get_level_values("segment"), len(X))
    by_segment = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    of_segments = dict(zip(X.index.unique("segment"), by_segment, strict=True))
    systems, chosen = X.index.get_level_values("system"), {}
    for segment in of_segments if segments is None else segments:
        rows = of_segments[segment]
        if len(chosen) < n_segments and len(rows) > 1 and set(pair or ()) <= set(systems[rows]):
            chosen[segment] = rows
    return X, chosen
