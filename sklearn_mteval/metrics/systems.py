"""System level: one score for each system, and how well a metric's agree with people's.

On this level both sides are higher-is-better: change the sign of ranks and MQM penalties.
"""

import numpy as np
import pandas as pd

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics._judgements import check_one_of, warn_undefined

__all__ = [
    "SYSTEM_STATISTICS",
    "means_of_weights",
    "score_table",
    "system_agreement",
    "system_figure_of_scores",
    "system_figure_of_weights",
    "system_scores",
]

SYSTEM_STATISTICS = ("accuracy", "pearson", "spearman", "kendall")
_ROUNDING = 1e-12  # means that differ by less than this share of the largest are equal


def score_table(y_score, segments, systems, *, missing="error"):
    """Spread scores over a table of segments and systems.

    Parameters
    ----------
    y_score : array-like of shape (n_rows,)
        Scores of translations; higher is better.
    segments, systems : array-like or Index of length n_rows
        What each row is. Several rows of one translation (it was judged in several rankings, by
        several raters) become their mean.
    missing : {"error", "skip"}, default="error"
        What a NaN score does: raise, or leave its row out.

    Returns
    -------
    DataFrame of shape (n_segments, n_systems)
        NaN where a system has no score; labels sorted, also those without any score.

    Raises
    ------
    CandidateError
        For unequal lengths, labels that are missing, infinite scores, NaN unless skipped.

    Examples
    --------
    >>> from sklearn_mteval.metrics import score_table
    >>> score_table([1.0, 2.0, 4.0], [1, 1, 2], ["a", "b", "a"])
         a    b
    1  1.0  2.0
    2  4.0  NaN
    """
    scores, (segments, systems), labels = _checked_rows(
        y_score, missing, segments=segments, systems=systems
    )
    shape = tuple(map(len, labels))
    means = _means_of_groups(segments * shape[1] + systems, scores, shape[0] * shape[1])
    return pd.DataFrame(means.reshape(shape), index=labels[0], columns=labels[1])


def system_scores(y_score, systems, *, segments=None, missing="error"):
    """Score systems by the mean of their segments' scores.

    Parameters
    ----------
    y_score : array-like of shape (n_rows,)
        Scores of translations; higher is better.
    systems : array-like or Index of length n_rows
        The system of each row.
    segments : array-like or Index of length n_rows, optional
        The segment of each row. Given it, a translation that stands in several rows (it was
        judged in several rankings) counts once.
    missing : {"error", "skip"}, default="error"
        What a NaN score does: raise, or leave its row out.

    Returns
    -------
    Series of length n_systems
        Mean scores, labels sorted; NaN for a system without any score.

    Raises
    ------
    CandidateError
        See :func:`score_table`.

    Examples
    --------
    >>> from sklearn_mteval.metrics import system_scores
    >>> system_scores([1.0, 2.0, 4.0], ["a", "b", "a"]).to_dict()
    {'a': 2.5, 'b': 2.0}
    """
    if segments is not None:
        table = score_table(y_score, segments, systems, missing=missing)
        y_score, systems = table.to_numpy().ravel(), np.tile(table.columns, len(table))
        missing = "skip"
    scores, (systems,), (labels,) = _checked_rows(y_score, missing, systems=systems)
    return pd.Series(_means_of_groups(systems, scores, len(labels)), index=labels)


def system_agreement(human, metric, *, statistic="accuracy"):
    """Compute how well a metric's system scores agree with the human ones.

    Parameters
    ----------
    human, metric : Series or dict of system to score
        Both higher is better, for the same systems in any order.
    statistic : {"accuracy", "pearson", "spearman", "kendall"}, default="accuracy"
        "accuracy" is the share of pairs of systems that both order alike. Pairs that the human
        scores tie are left out; a pair that only the metric ties is wrong. "kendall" is tau-b.

    Returns
    -------
    float
        Higher is better. Accuracy in [0, 1], correlations in [-1, 1]; NaN, with a warning, if
        it is undefined (one system, constant scores).

    Raises
    ------
    CandidateError
        For different systems, a system that is named twice, scores that are not finite.

    References
    ----------
    Kocmi et al. 2021, "To Ship or Not to Ship", section 3 (accuracy).

    Examples
    --------
    >>> from sklearn_mteval.metrics import system_agreement
    >>> system_agreement({"a": 3, "b": 2, "c": 1}, {"c": 5, "a": 7, "b": 2})
    0.6666666666666666
    """
    check_one_of("statistic", statistic, SYSTEM_STATISTICS)
    human, metric = (
        _checked_scores(name, scores) for name, scores in (("human", human), ("metric", metric))
    )
    different = sorted(map(str, human.index.symmetric_difference(metric.index)))
    if different:
        raise CandidateError(
            f"human and metric must score the same systems; only one has {', '.join(different)}."
        )
    human, metric = human.to_numpy(), metric.loc[human.index].to_numpy()
    order = np.lexsort((metric, human))  # the last bits of sums must not depend on names
    value = float(system_figure_of_scores(statistic, human[order], metric[order]))
    if np.isnan(value):
        warn_undefined(
            f"The agreement of systems ({statistic})", "fewer than two systems, or constant scores"
        )
    return value


def system_figure_of_scores(statistic, human, metric):
    """Compute a figure of agreement for many sets of system scores at once.

    Scores that differ by less than 1e-12 of the largest are equal: means of the same numbers
    in another order are.

    Parameters
    ----------
    statistic : {"accuracy", "pearson", "spearman", "kendall"}
        See :func:`system_agreement`.
    human, metric : ndarray of shape (..., n_systems)
        Both higher is better; leading axes (draws, metrics) are broadcast.

    Returns
    -------
    ndarray of shape (...)
        Higher is better. NaN where undefined: one system, constant scores, a NaN among them.

    Raises
    ------
    CandidateError
        For infinite scores.
    """
    check_one_of("statistic", statistic, SYSTEM_STATISTICS)
    human, metric = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    if np.isinf(human).any() or np.isinf(metric).any():
        raise CandidateError("System scores must be finite, found infinity.")
    x, y = (_vectors(statistic, scores) for scores in (human, metric))
    products = np.einsum("...i,...i->...", x, y)
    if statistic == "accuracy":
        decided = np.einsum("...i,...i->...", np.abs(x), np.abs(y))
        pairs = np.abs(x).sum(axis=-1)
        top, bottom = (products + decided) / 2, np.where(np.isnan(decided), 0, pairs)
    else:
        lengths = [np.sqrt(np.einsum("...i,...i->...", v, v)) for v in (x, y)]
        top, bottom = products, lengths[0] * lengths[1]
    figures = np.divide(top, bottom, where=bottom > 0, out=np.full(np.shape(top), np.nan))
    return np.clip(figures, -1, 1)


def system_figure_of_weights(statistic, human, metric):
    """Return a figure of systems as a function of how often each segment is drawn.

    Parameters
    ----------
    statistic : str
        See :func:`system_agreement`.
    human, metric : ndarray of shape (n_segments, n_systems), or callable
        Scores of translations, higher is better, NaN where there is none, the same segments
        and systems in both; or, for other system scores than means, a callable from weights
        of shape (n_draws, n_segments) to system scores of shape (n_draws, n_systems).

    Returns
    -------
    callable
        From weights, an ndarray of shape (n_draws, n_segments), to an ndarray of shape
        (n_draws,): NaN for draws without any segment of some system.
    """
    check_one_of("statistic", statistic, SYSTEM_STATISTICS)
    sides = [side if callable(side) else means_of_weights(side) for side in (human, metric)]

    def figure(weights):
        return system_figure_of_scores(statistic, *(side(weights) for side in sides))

    return figure


def means_of_weights(table):
    """Return systems' mean scores as a function of how often each segment is drawn.

    Parameters
    ----------
    table : ndarray of shape (n_segments, n_systems)
        Scores; NaN is left out of a system's mean.

    Returns
    -------
    callable
        From weights of shape (n_draws, n_segments) to an ndarray of shape (n_draws,
        n_systems); NaN for systems without a segment in the draw.
    """
    table = np.asarray(table, dtype=np.float64)
    there = ~np.isnan(table)
    filled = np.where(there, table, 0.0)

    def means(weights):
        total, count = weights @ filled, weights @ there
        return np.divide(total, count, where=count > 0, out=np.full(total.shape, np.nan))

    return means


def _vectors(statistic, scores):
    """Return vectors whose cosine is the figure: centred scores or ranks, or signs of pairs."""
    largest = np.abs(scores).max(axis=-1, initial=0, keepdims=True)
    if statistic == "pearson":
        shifted = scores - scores[..., :1]
        equal = np.abs(shifted).max(axis=-1, initial=0, keepdims=True) <= _ROUNDING * largest
        return np.where(equal, 0, shifted - shifted.mean(axis=-1, keepdims=True))
    if statistic == "spearman":
        # A midrank is, but for a constant, half of how many are below less how many above.
        differences = scores[..., :, None] - scores[..., None, :]
        return _signs(differences, largest[..., None]).sum(axis=-1)
    first, second = np.triu_indices(scores.shape[-1], 1)
    return _signs(scores[..., first] - scores[..., second], largest)


def _signs(differences, largest):
    """Return the sign of differences, 0 for rounding; NaN stays."""
    return np.where(np.abs(differences) <= _ROUNDING * largest, 0, np.sign(differences))


def _means_of_groups(codes, values, n_groups):
    """Return the mean of each group, NaN without rows; no bit depends on the order of rows."""
    order = np.lexsort((values, codes))
    codes, values = codes[order], values[order]
    means = np.full(n_groups, np.nan)
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    if len(starts):
        sizes = np.diff(starts, append=len(codes))
        # Subtracting the first leaves the mean of equal numbers exact.
        lowest = values[starts]
        excess = np.add.reduceat(values - np.repeat(lowest, sizes), starts)
        means[codes[starts]] = lowest + excess / sizes
    return means


def _checked_rows(y_score, missing, **labels):
    """Return scores without missing ones, and for each kind of label codes and the labels."""
    check_one_of("missing", missing, ("error", "skip"))
    try:
        scores = np.asarray(y_score, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CandidateError(f"y_score must be numbers, higher is better: {error}") from None
    codes, uniques = [], []
    for name, values in labels.items():
        if scores.shape != (len(values),):
            raise CandidateError(
                f"y_score and {name} must be 1-D and equally long, found shape {scores.shape} "
                f"and {len(values)} labels."
            )
        both_series = isinstance(y_score, pd.Series) and isinstance(values, pd.Series)
        if both_series and not y_score.index.equals(values.index):
            raise CandidateError(
                f"y_score and {name} have different indices: use {name}.loc[y_score.index]."
            )
        numbers, unique = pd.factorize(pd.Index(values), sort=True)
        if (numbers < 0).any():
            raise CandidateError(f"Row {int((numbers < 0).argmax())} has no label in {name}.")
        codes.append(numbers)
        uniques.append(unique.rename(None))
    if np.isinf(scores).any():
        raise CandidateError(f"y_score is infinite in row {int(np.isinf(scores).argmax())}.")
    absent = np.isnan(scores)
    if absent.any() and missing == "error":
        raise CandidateError(
            f"y_score is missing (NaN) in {int(absent.sum())} of {len(absent)} rows, the first is "
            f"row {int(absent.argmax())}. Pass missing='skip' to leave such rows out."
        )
    there = ~absent
    return scores[there], [numbers[there] for numbers in codes], uniques


def _checked_scores(name, scores):
    """Return system scores as a Series of finite numbers with distinct labels."""
    try:
        scores = pd.Series(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CandidateError(f"{name} must be numbers, higher is better: {error}") from None
    twice = scores.index[scores.index.duplicated()]
    if len(twice):
        raise CandidateError(f"{name} has several scores for system {twice[0]!r}.")
    bad = scores.index[~np.isfinite(scores.to_numpy())]
    if len(bad):
        raise CandidateError(f"{name} has no finite score for system {bad[0]!r}.")
    return scores
