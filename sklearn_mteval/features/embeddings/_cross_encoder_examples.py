"""What a cross-encoder learns from: readings of segments, their decisions and graded targets."""

from itertools import compress

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import check_columns, check_texts
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.embeddings._encoding import as_references, context_of, readable

_THREE = ("source", "reference", "hypothesis")
_HIGHEST = 500.0  # on a scale of logarithms; beyond it there may be no number


def _signed(function):
    """Make of a function of sizes one of numbers that keep their sign."""
    return lambda values: np.sign(values) * function(np.abs(values))


# How targets that are numbers are learnt, and what a number that is predicted means.
SCALES = {
    "linear": (np.copy, np.copy),
    "sqrt": (_signed(np.sqrt), _signed(np.square)),
    "log": (_signed(np.log1p), _signed(lambda sizes: np.expm1(np.minimum(sizes, _HIGHEST)))),
}


def contexts_of(columns):
    """Name the columns that are read next to the translation, the source first."""
    given = list(columns) if isinstance(columns, list | tuple) else []
    if len(given) == len(_THREE) and all(name in given for name in _THREE):
        return _THREE[:2]
    if len(given) == len(_THREE):
        raise ValueError(
            "columns must be 'hypothesis' and either 'reference' or 'source', or all three, found "
            f"{columns!r}."
        )
    return (context_of(columns),)


def together(X, contexts, optional=False):
    """Return a table whose ``reference`` has all that is read next to a translation.

    Of three texts this is the source, then each reference; one column may not be there if
    ``optional``.
    """
    if len(contexts) == 1:
        return as_references(X, ("hypothesis", *contexts))
    check_columns(X, ["hypothesis"])
    absent = [name for name in contexts if name not in X]
    if optional and len(absent) == 1:
        X = X.assign(**{absent[0]: ""})
    texts = check_texts(X, "source"), check_texts(X, "reference", several=True)
    cells = [[source, *references] for source, references in zip(*texts, strict=True)]
    return X.assign(reference=pd.Series(cells, X.index, dtype=object))


def reading(texts, hypothesis, n_contexts, k=0):
    """Return what is read of a translation: of three texts with the k-th of the references."""
    if n_contexts == 1:
        return readable(texts[k]), readable(hypothesis)
    return readable(texts[0]), readable(texts[1 + k]), readable(hypothesis)


def readings_of(texts, hypothesis, n_contexts):
    """List what is read of a translation with each of the references, or other contexts."""
    n = len(texts) - n_contexts + 1
    return [reading(texts, hypothesis, n_contexts, k) for k in range(n)]


def check_targets(targets, X):
    """Return names and values of the targets, shape (n_candidates, n_targets)."""
    if targets is None:
        return [], np.empty((len(X), 0))
    if not isinstance(targets, pd.DataFrame) or not targets.index.equals(X.index):
        raise CandidateError("targets must be a DataFrame with the index of X.")
    names = list(targets.columns)
    if not all(isinstance(name, str) for name in names) or len({*names, "score"}) <= len(names):
        raise CandidateError(f"targets must have distinct names other than 'score', found {names}.")
    try:
        values = targets.to_numpy(dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise CandidateError(
            f"targets must be numbers, or NaN where there is none: {error}"
        ) from None
    if np.isinf(values).any():
        raise CandidateError("targets must be finite, or NaN where there is none.")
    return names, values


def check_weights(weights, X):
    """Return the weight of each row, 1 where none are given; shape (n_candidates,)."""
    if weights is None:
        return np.ones(len(X))
    try:
        found = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CandidateError(f"sample_weight must be numbers: {error}") from None
    if found.shape != (len(X),) or not (np.isfinite(found) & (found > 0)).all():
        raise CandidateError(
            f"sample_weight must be {len(X)} numbers above 0, one for each row of X."
        )
    return found


def example_of(segment, rows, values, weights, n_contexts):
    """Make of a segment what is in a pair or has a target, the mean of those of equal rows."""
    from sklearn_mteval.features.embeddings._cross_encoder_training import Example

    number = {pair: k for k, pair in enumerate(segment.candidates)}
    at = [number[rows[row]] for row in segment.rows]
    known = ~np.isnan(values[segment.rows])
    totals, counts = np.zeros((2, len(number), values.shape[1]))
    np.add.at(totals, at, np.where(known, values[segment.rows], 0))
    np.add.at(counts, at, known)
    targets = np.where(counts, totals / np.maximum(counts, 1), np.nan)
    readings = [reading(texts, hypothesis, n_contexts) for hypothesis, texts in number]
    useful = ~np.isnan(targets).all(axis=1)
    useful[segment.better] = useful[segment.worse] = True
    place = np.cumsum(useful) - 1
    readings = list(compress(readings, useful))
    better, worse = place[segment.better], place[segment.worse]
    # Sorted: the order of rows changes no bit.
    weight = float(np.sort(weights[segment.rows]).mean())
    return Example(readings, better, worse, segment.weights, targets[useful], weight)
