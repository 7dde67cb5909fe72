"""From single judgements, a score each, to a candidate table: what readers of such files share."""

from itertools import chain

import pandas as pd

from sklearn_mteval._helpers.error_spans import error_spans_of
from sklearn_mteval.candidates import TEXT_COLUMNS

_LEVELS = ["segment", "ranking", "system"]
_NAMES = {
    "judge": "judges",
    "document": "documents",
    "domain": "domains",
}  # of columns, as loaders return them


def candidates_of_scores(judged, label, *, average):
    """Make a candidate table of judgements: X, y, and by name what else is known, and counts.

    ``judged`` has a row for each judgement, in the order in which they were made: columns
    segment, system, judge, score (higher is better), texts and others. Returned rows are sorted.
    What one judge says of a segment is a ranking; who judges a translation again begins a further
    one. With ``average`` rows are translations, compared with all of their segment, and y is a mean
    over judgements; its errors are those that anyone marked.
    """
    translation = ["segment", "system"]
    again = judged.groupby(["judge", *translation], sort=False).cumcount()
    different = judged.drop_duplicates(["judge", *translation, "score"])
    contradicted = different.groupby(["judge", *translation], sort=False).size() > 1
    counts = {"n_repeated": int((again > 0).sum()), "n_contradictions": int(contradicted.sum())}
    if average:
        # Sorted, lest the last bit of a mean depend on the order of rows.
        groups = judged.sort_values("score", kind="stable").groupby(translation)
        means, sizes = groups["score"].mean(), groups.size()
        marked = groups["spans"].agg(lambda cells: sorted(chain.from_iterable(cells)))
        judged = judged.drop_duplicates(translation).set_index(translation).sort_index()
        y, others = means.loc[judged.index], {"n_judgements": sizes.loc[judged.index]}
        others["spans"] = marked.loc[judged.index].astype(object)
        for name in {"document", "domain"} & set(judged):
            others[_NAMES[name]] = judged[name].rename(_NAMES[name])
    else:
        rankings = [
            f"{label}:{judge}:{segment}" + f"#{k + 1}" * (k > 0)
            for judge, segment, k in zip(judged["judge"], judged["segment"], again, strict=True)
        ]
        judged = judged.assign(ranking=rankings).set_index(_LEVELS).sort_index()
        y, left = judged["score"], judged.columns.difference(["score", *TEXT_COLUMNS], sort=False)
        others = {_NAMES.get(name, name): judged[name] for name in left}
        others["judges"] = others["judges"].astype(object)
    X = judged[[name for name in TEXT_COLUMNS if name in judged]].astype(object)
    return X, pd.Series(0.0 - y.to_numpy(), X.index, name="score"), others | counts


def marked(at, span):
    """Make an ErrorSpan of (start, end, severity, category, place), or raise, naming the place."""
    try:
        return error_spans_of([span])[0]
    except ValueError as error:
        raise at.error(f"{error}.") from None
