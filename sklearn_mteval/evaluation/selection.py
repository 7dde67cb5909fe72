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
    order, systems = table_order(*tables)
    standard = np.stack([_standardised(table[order][:, systems]) for table in tables])
    labels = segments[order]
    fixed = _judged(judged, labels)
    n_more = _n_segments(size, len(labels)) - int(fixed.sum())
    if n_more < 1:
        raise ValueError(f"size {size!r} leaves nothing to choose: {int(fixed.sum())} are judged.")
    strata = _strata(documents, labels)
    rng = check_random_state(random_state)
    if method in _CRITERIA:
        values = np.where(fixed, -np.inf, np.nan_to_num(_CRITERIA[method](standard), nan=-np.inf))
        return labels[np.argsort(-values, kind="stable")[:n_more]]
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
    labels = [scores.index.get_level_values(level) for level in ("segment", "system")]
    # A segment or system without scores is there all the same.
    (rows, segments), (columns, systems) = (pd.factorize(level, sort=True) for level in labels)
    tables = np.full((scores.shape[1], len(segments), len(systems)), np.nan)
    for k, table in enumerate(tables):
        with expected(f"The scores of {scores.columns[k]!r} must be numbers"):
            values = as_numbers(scores.iloc[:, k])
        if np.isinf(values).any():
            row = int(np.isinf(values).argmax())
            raise CandidateError(f"The score of {scores.columns[k]!r} is infinite in row {row}.")
        table[rows, columns] = values
    return tables, segments


def _standardised(table):
    """Return scores with mean 0 and standard deviation 1 of all translations."""
    there = ~np.isnan(table)
    if not there.any():
        return table
    table = table / (np.abs(table[there]).max() or 1)  # squares of the largest numbers overflow
    centred = table - table[there].mean()
    deviation = np.sqrt(np.mean(centred[there] ** 2))
    return centred / deviation if deviation > 0 else centred


def _judged(judged, labels):
    """Return a mask of the segments that are judged."""
    judged, known = dict.fromkeys(judged), set(labels)
    for label in judged:
        if label not in known:
            raise ValueError(f"judged has {label!r}, which is no segment of scores.")
    return np.array([label in judged for label in labels])


def _n_segments(size, n_segments):
    """Return how many segments there are to be."""
    if isinstance(size, numbers.Real) and not isinstance(size, numbers.Integral) and 0 < size < 1:
        return round(size * n_segments)
    check_integer("size (or a proportion above 0 and below 1)", size, minimum=1)
    if size > n_segments:
        raise ValueError(f"size is {size}, but there are only {n_segments} segments.")
    return int(size)


def _strata(documents, labels):
    """Number the documents by their first segment, in the order of ``labels``; one for None."""
    if documents is None:
        return np.zeros(len(labels), dtype=np.int64)
    if not isinstance(documents, pd.Series) or not documents.index.is_unique:
        raise CandidateError("documents must be a Series with one label for each segment.")
    missing = labels[~labels.isin(documents.index)]
    if len(missing):
        raise CandidateError(f"documents has no entry of segment {missing.tolist()[0]!r}.")
    return group_codes(documents.loc[labels].to_numpy(), len(labels))


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
    scores = _mean(standard, 0)
    there = ~np.isnan(scores)
    deviations = np.where(there, scores - _mean(scores, 1)[:, None], 0.0)
    columns = np.column_stack([deviations, there.mean(axis=1)])
    return columns - columns.mean(axis=0)


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
    free = np.flatnonzero(~fixed)
    free = free[np.argsort(strata[free], kind="stable")]
    ends = np.cumsum(np.bincount(strata[free], minlength=strata.max() + 1))[:-1]
    # Parts of large strata, each as good as the whole: the best of many thousands is hardly better,
    # and looking at all for every exchange would take longer than in proportion to their number.
    of_strata = [
        rows[first::n_parts]
        for rows in np.split(free, ends)
        for n_parts in [-(-len(rows) // _PART)]
        for first in range(n_parts)
    ]
    for _ in range(_MOST_SWEEPS * max(1, len(strata) // (strata.max() + 1))):
        improved = False
        for rows in of_strata:
            inside, outside = rows[chosen[rows]], rows[~chosen[rows]]
            if not len(inside) or not len(outside):
                continue
            # The one that is missed least, then the one that takes its place best.
            without = total - deviations[inside]
            gone = np.square(without).sum(axis=1).argmin()
            with_another = without[gone] + deviations[outside]
            lengths = np.square(with_another).sum(axis=1)
            come = lengths.argmin()
            if lengths[come] < np.square(total).sum() * (1 - 1e-9):
                chosen[inside[gone]], chosen[outside[come]] = False, True
                total, improved = with_another[come], True
        if not improved:
            break
    return chosen


_CRITERIA = {
    "variance": _variance,
    "disagreement": _disagreement,
    "information": _information,
}
