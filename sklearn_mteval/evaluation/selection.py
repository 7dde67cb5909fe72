"""Which segments to judge, given metric scores of the systems' translations."""

import numbers
from collections.abc import Iterable

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_integer, check_one_of
from sklearn_mteval._helpers.order import table_order
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import check_candidates, group_codes
from sklearn_mteval.evaluation.option_values import SELECTIONS
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import expected
from sklearn_mteval.metrics.core.ratios import ratio

__all__ = ["select_segments"]

_MOST_SWEEPS = 100
_PART = 5000  # segments that are looked at for an exchange
_AT_ONCE = 1 << 15  # scores of a metric that are looked at together, what the cache holds


def select_segments(
    scores: pd.DataFrame, size: float = 0.5, *, method: str = "balanced",
    documents: pd.Series | None = None, judged: Iterable = (), random_state: Seed = 0
) -> pd.Index:  # fmt: skip
    """Choose segments to judge, so that their judgements say of the systems what all would say.

    Parameters
    ----------
    scores : DataFrame of shape (n_translations, n_metrics)
        Indexed by (segment, system), higher is better; NaN is missing. A metric counts by its
        standardised scores.
    size : float or int, default=0.5
        How many segments there are to be, those judged already included: a proportion of all,
        above 0 and below 1, or a number.
    method : {"balanced", "variance", "disagreement", "information", "random"}, default="balanced"
        "balanced": a random sample, improved by exchanging segments until the metrics score the
        systems on it as on all segments. The others take those segments in which the metrics'
        scores of the systems vary most, in which the metrics correlate least with each other, or
        which have the highest expected information of the Bradley-Terry model, the sum over pairs
        of systems of p (1 - p) by the metrics' p that one is better. They prefer some kind of
        segments, on which systems may rank otherwise than on all.
    documents : Series, optional
        Of each segment, its index, a label such as the document's. "balanced" and "random" take
        about the same proportion of each; segments of a document are alike.
    judged : iterable, default=()
        Labels of segments that are judged already.
    random_state : int, RandomState or None, default=0
        Seed of "balanced" and "random". Neither the order of rows nor names change the choice.

    Returns
    -------
    Index
        Labels of the segments to judge besides those judged. The most telling first; for "balanced"
        and "random", in the order of the labels.

    Raises
    ------
    CandidateError
        For scores that are no finite numbers, or not indexed so; documents that are missing.
    ValueError
        For a size that leaves nothing to choose, labels in ``judged`` that are no segments,
        "disagreement" of one metric.

    References
    ----------
    Deville and Tillé 2004, "Efficient balanced sampling"; Zouhar et al. 2025, "How to select
    datapoints for efficient human evaluation of NLG models?".

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.evaluation import select_segments
    >>> rows = pd.MultiIndex.from_product([range(1, 5), ["A", "B"]], names=["segment", "system"])
    >>> scores = pd.DataFrame({"chrf": [9, 1, 5, 5, 5, 5, 1, 9]}, index=rows)
    >>> sorted(select_segments(scores, method="variance"))
    [1, 4]
    >>> len(select_segments(scores))
    2
    """
    check_one_of("method", method, SELECTIONS)
    tables, segments = _tables(scores)
    # From here on segments and systems stand in the order of their content.
    order, systems = table_order(*tables)
    # In the memory of the tables a system's scores stand together: sums over systems are then sums
    # of columns, whatever part of them is added.
    standard = tables.reshape(len(tables), -1, len(order)).swapaxes(1, 2)
    for table, scores_there in zip(tables, standard, strict=True):
        scores_there[:] = _standardised(table[np.ix_(order, systems)])
    fixed = _judged(judged, segments)[order]
    n_more = _n_segments(size, len(segments)) - int(fixed.sum())
    if n_more < 1:
        raise ValueError(f"size {size!r} leaves nothing to choose: {int(fixed.sum())} are judged.")
    strata = group_codes(_strata(documents, segments)[order], len(segments))
    rng = check_random_state(random_state)
    if method in _CRITERIA:
        values = np.nan_to_num(_by_parts(_CRITERIA[method], standard), nan=-np.inf)
        values[fixed] = -np.inf
        return segments[order[np.argsort(-values, kind="stable")[:n_more]]]
    chosen = _sample(strata, fixed, n_more, rng)
    if method == "balanced":
        chosen = _balanced(_deviations(standard), strata, fixed, chosen)
    return segments[np.sort(order[chosen & ~fixed])]


def _tables(scores):
    """Return a table (n_segments, n_systems) for each metric, and the labels of segments."""
    if not isinstance(scores, pd.DataFrame) or not scores.shape[1]:
        raise CandidateError(
            "scores must be a DataFrame with a column for each metric, indexed by 'segment' and "
            f"'system', found {type(scores).__name__}."
        )
    check_candidates(scores)
    if len(scores.index.names) > 2:
        raise CandidateError(
            "scores must be indexed by 'segment' and 'system', one row for each translation; found "
            f"the levels {list(scores.index.names)}."
        )
    # A segment or system without scores is there all the same.
    (rows, row_of, segments), (columns, column_of, systems) = (
        _numbered(scores.index, level) for level in ("segment", "system")
    )
    tables = np.full((scores.shape[1], len(segments), len(systems)), np.nan)
    for first in range(0, len(scores), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        cells = row_of[rows[part]], column_of[columns[part]]
        for k, table in enumerate(tables):
            with expected(f"The scores of {scores.columns[k]!r} must be numbers"):
                values = as_numbers(scores.iloc[part, k])
            if np.isinf(values).any():
                row = first + int(np.isinf(values).argmax())
                name = scores.columns[k]
                raise CandidateError(f"The score of {name!r} is infinite in row {row}.")
            table[cells] = values
    return tables, segments


def _numbered(index, level):
    """Return codes of rows' labels in a level, the number of each code, and the sorted labels."""
    # Labels are hashed once each, not once for every row.
    codes = index.codes[index.names.index(level)]
    number = np.full(codes.max(initial=-1) + 1, -1)
    number[codes] = np.arange(len(codes))
    there = number >= 0
    labels = index[number[there]].get_level_values(level).rename(None)
    number[there], labels = pd.factorize(labels, sort=True)
    return codes, number, labels


def _standardised(table):
    """Return scores with mean 0 and standard deviation 1 of all translations."""
    missing = np.isnan(table)
    if missing.all():
        return table
    there = ~missing if missing.any() else ...
    table /= np.abs(table[there]).max() or 1  # squares of the largest numbers overflow
    table -= table[there].mean()
    deviation = np.sqrt(np.mean(table[there] ** 2))
    if deviation > 0:
        table /= deviation
    return table


def _judged(judged, segments):
    """Return a mask of the segments that are judged."""
    judged, mask = dict.fromkeys(judged), np.zeros(len(segments), dtype=bool)
    if judged:
        place = {label: k for k, label in enumerate(segments.tolist())}
        for label in judged:
            if label not in place:
                raise ValueError(f"judged has {label!r}, which is no segment of scores.")
            mask[place[label]] = True
    return mask


def _n_segments(size, n_segments):
    """Return how many segments there are to be."""
    if isinstance(size, numbers.Real) and not isinstance(size, numbers.Integral) and 0 < size < 1:
        return round(size * n_segments)
    check_integer("size (or a proportion above 0 and below 1)", size, minimum=1)
    if size > n_segments:
        raise ValueError(f"size is {size}, but there are only {n_segments} segments.")
    return int(size)


def _strata(documents, segments):
    """Number the documents of segments; all are one for None."""
    if documents is None:
        return np.zeros(len(segments), dtype=np.int64)
    if not isinstance(documents, pd.Series) or not documents.index.is_unique:
        raise CandidateError("documents must be a Series with one label for each segment.")
    rows = documents.index.get_indexer(segments)
    if (rows < 0).any():
        missing = segments[rows < 0].tolist()[0]
        raise CandidateError(f"documents has no entry of segment {missing!r}.")
    return group_codes(documents.iloc[rows], len(segments))


def _by_parts(function, standard):
    """Apply a function that looks at each segment alone to so many as the cache holds."""
    n_parts = -(-standard[0].size // _AT_ONCE)
    return np.concatenate([function(part) for part in np.array_split(standard, n_parts, axis=1)])


def _pairs(standard):
    """Yield for each pair of systems the mean difference of metrics by segment; NaN is missing."""
    scores = _mean(standard, 0)
    for first in range(scores.shape[1]):
        for second in range(first):
            yield scores[:, first] - scores[:, second]


def _mean(values, axis):
    """Average what is there; NaN where nothing is."""
    there = ~np.isnan(values)
    return ratio(np.where(there, values, 0.0).sum(axis=axis), there.sum(axis=axis))


def _variance(standard):
    """Return the mean over metrics of the variance of a segment's scores."""
    centred = standard - _mean(standard, 2)[:, :, None]
    return _mean(_mean(centred**2, 2), 0)


def _disagreement(standard):
    """Return minus the mean correlation of two metrics within a segment."""
    if len(standard) < 2:
        raise ValueError("method='disagreement' needs two metrics or more, found one.")
    found = []
    for first in range(len(standard)):
        for second in range(first):
            there = ~np.isnan(standard[first] + standard[second])
            a, b = (np.where(there, standard[k], np.nan) for k in (first, second))
            a, b = (v - _mean(v, 1)[:, None] for v in (a, b))
            scale = np.sqrt(_mean(a * a, 1) * _mean(b * b, 1))
            found.append(np.where(scale > 1e-12, ratio(_mean(a * b, 1), scale), 0.0))
    return -_mean(np.stack(found), 0)


def _information(standard):
    """Return the expected information of the Bradley-Terry model."""
    total = np.zeros(standard.shape[1])
    for difference in _pairs(standard):
        p = 1 / (1 + np.exp(-difference))
        total += np.nan_to_num(p * (1 - p))
    return total


def _deviations(standard):
    """Return what is to be balanced, (n_segments, n_systems + 1), the mean of each column zero.

    It is how far each system's scores are above the segment's mean, and how many systems have any.
    """

    def of_segments(part):
        scores = _mean(part, 0)
        there = ~np.isnan(scores)
        deviations = np.where(there, scores - _mean(scores, 1)[:, None], 0.0)
        return np.column_stack([deviations, there.mean(axis=1)])

    columns = _by_parts(of_segments, standard)
    columns -= columns.mean(axis=0)
    return columns


def _sample(strata, fixed, n_more, rng):
    """Draw a systematic sample of what is not fixed: nearly the same proportion of each stratum."""
    free = np.flatnonzero(~fixed)
    free = free[np.lexsort((rng.random_sample(len(free)), strata[free]))]
    steps = (np.arange(n_more) + rng.random_sample()) * (len(free) / n_more)
    chosen = np.zeros(len(strata), dtype=bool)
    chosen[free[np.minimum(steps.astype(np.int64), len(free) - 1)]] = True
    return chosen


def _balanced(deviations, strata, fixed, chosen):
    """Exchange chosen segments for others of their stratum while the sum of deviations shrinks."""
    chosen = chosen.copy()
    total = deviations[chosen | fixed].sum(axis=0)
    # An exchange leaves the number of chosen segments of a part as it is.
    (inside, into), (outside, out_of) = _sides(np.flatnonzero(~fixed), strata, chosen)
    for _ in range(_MOST_SWEEPS * max(1, len(strata) // (strata.max() + 1))):
        last_total, first, n_parts = total, 0, 1
        while first < len(into) - 1:
            # Most parts have nothing to exchange once the sum is small: the longer none had, the
            # more are looked at together, and those after the first that has are looked at again.
            end = np.searchsorted(into, into[first] + _PART, side="right") - 1
            end = max(first + 1, min(first + n_parts, end))
            leaving = inside[into[first] : into[end]]
            coming = outside[out_of[first] : out_of[end]]
            # The one that is missed least, then the one that takes its place best.
            without = total - deviations[leaving]
            gone = _least(np.square(without).sum(axis=1), into[first:end] - into[first])
            n_coming = np.diff(out_of[first : end + 1])
            with_another = np.repeat(without[gone], n_coming, axis=0) + deviations[coming]
            lengths = np.square(with_another).sum(axis=1)
            come = _least(lengths, out_of[first:end] - out_of[first])
            better = lengths[come] < np.square(total).sum() * (1 - 1e-9)
            if not better.any():
                first, n_parts = end, 2 * n_parts
                continue
            k = better.argmax()
            total = with_another[come[k]]
            leaving[gone[k]], coming[come[k]] = coming[come[k]], leaving[gone[k]]
            chosen[leaving[gone[k]]], chosen[coming[come[k]]] = True, False
            first, n_parts = first + k + 1, 1
            # Of equals the first is exchanged, in the order of segments.
            inside[into[first - 1] : into[first]].sort()
            outside[out_of[first - 1] : out_of[first]].sort()
        if total is last_total:
            break
    return chosen


def _sides(free, strata, chosen):
    """Return segments that are chosen, part by part, with where each part starts; then the others.

    Parts of large strata are each as good as the whole: the best of many thousands is hardly
    better, and looking at all for every exchange would take longer than in proportion to their
    number. A part in which all or none is chosen has nothing to exchange.
    """
    free = free[np.argsort(strata[free], kind="stable")]
    sizes = np.bincount(strata[free])
    n_parts = -(-sizes // _PART)
    place = np.arange(len(free)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    part = np.repeat(np.cumsum(n_parts) - n_parts, sizes) + place % np.repeat(n_parts, sizes)
    order = np.argsort(part, kind="stable")
    free, part = free[order], part[order]
    counts = [np.bincount(part[chosen[free] == side], minlength=n_parts.sum()) for side in (1, 0)]
    both = np.all(counts, axis=0)
    free = free[both[part]]
    return [
        (free[chosen[free] == side], np.append(0, np.cumsum(count[both])))
        for side, count in zip((1, 0), counts, strict=True)
    ]


def _least(values, starts):
    """Return the position of the first of the least values of each run."""
    lengths = np.diff(starts, append=len(values))
    least = np.flatnonzero(values == np.repeat(np.minimum.reduceat(values, starts), lengths))
    return least[np.searchsorted(least, starts)]


_CRITERIA = {
    "variance": _variance,
    "disagreement": _disagreement,
    "information": _information,
}
