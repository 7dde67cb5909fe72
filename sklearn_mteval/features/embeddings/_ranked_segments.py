"""Segments with their distinct candidates and how often annotators preferred one to another."""

from copy import copy
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval._helpers.pairs import pairs_within
from sklearn_mteval.candidates import check_ranks, check_texts, comparable_groups, segment_codes
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.base import number_within
from sklearn_mteval.segments import deal, joined
from sklearn_mteval.text.transformer import TextTransformer


class RankedTransformer(TextTransformer):
    """Base of transformers that are trained on rankings: of ``_learn(X, y, n_folds=0, ...)``."""

    def fit_transform(self, X: pd.DataFrame, y: ArrayLike, **fit_params: Any) -> Any:
        """Train on all segments; compute the columns of each by a model trained without it.

        The segments are dealt to ``cv`` parts, those that share a source or a reference together,
        and the columns of each are computed by a model that was trained on the others, since what
        is trained on them would rely on them too much else.

        Parameters
        ----------
        X, y : see fit
            The same.
        **fit_params : dict
            Other parameters of ``fit``, by name.

        Returns
        -------
        ndarray of shape (n_candidates, n_output_columns), float64
            As ``transform``, but cross-fitted, unless ``cv`` is None.

        Raises
        ------
        ValueError, ImportError
            As ``fit``; CandidateError also if there are too few segments for ``cv`` parts.
        """
        if self.cv is None:
            return self.fit(X, y, **fit_params)._transform(X)
        check_integer("cv", self.cv, minimum=2)
        return self._learn(X, y, **fit_params, n_folds=self.cv)

    def __sklearn_tags__(self):
        """Declare that there is no training without ranks."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class RankedSegment(NamedTuple):
    """The distinct candidates of a segment, (hypothesis, references), and its decided pairs.

    ``better`` and ``worse`` are positions in ``candidates``, ``rows`` those of the table; weights
    are square roots of how often the one was ranked above the other.
    """

    candidates: list
    better: np.ndarray
    worse: np.ndarray
    weights: np.ndarray
    rows: np.ndarray

    def texts(self):
        """List all texts."""
        return [
            text for hypothesis, references in self.candidates for text in (hypothesis, *references)
        ]


def ranked_segments(X, y, *, reference=True):
    """List the segments of a table and its ranks, sorted by content, with or without references."""
    ranks = check_ranks(y, X)
    groups = comparable_groups(X)
    segments = segment_codes(X)
    references = check_texts(X, "reference", several=True) if reference else [()] * len(X)
    candidates = list(zip(check_texts(X, "hypothesis"), references, strict=True))
    of_segment, number = number_within(segments.tolist(), candidates, order=sorted)

    order = np.argsort(groups, kind="stable")
    i, j = (order[at] for at in pairs_within(np.bincount(groups)))
    decided = (ranks[i] < ranks[j]) & (number[i] != number[j])
    pairs = np.column_stack([segments[i], number[i], number[j]])[decided]
    pairs, counts = np.unique(pairs, axis=0, return_counts=True)

    rows = pd.Series(np.arange(len(X))).groupby(segments).indices
    bounds = np.searchsorted(pairs[:, 0], np.arange(len(of_segment) + 1))
    found = []
    for segment, there in of_segment.items():
        part = slice(bounds[segment], bounds[segment + 1])
        # Numbers go on from segment to segment, positions begin with each.
        better, worse = (pairs[part, 1:] - min(there.values())).T
        weights = np.sqrt(counts[part])
        found.append(RankedSegment(list(there), better, worse, weights, rows[segment]))
    return sorted(found, key=_content)


def check_decided(examples):
    """Raise unless there is a decision in examples of segments, which have ``better``."""
    if not any(len(example.better) for example in examples):
        raise CandidateError(
            "Nothing to learn from: in no ranking do two different texts have different ranks."
        )


def _content(segment):
    """Return what a segment is sorted by: all that training sees of it."""
    _, *pairs, _ = segment
    return segment.candidates, [part.tolist() for part in pairs]


def units_of_segments(segments):
    """Number in the order of texts what must not be parted: segments that share a first text."""
    pairs = sorted((text, k) for k, segment in enumerate(segments) for text in _first(segment))
    texts = np.array([text for text, _ in pairs], dtype=object)
    rows = np.array([k for _, k in pairs], dtype=np.int64)
    units = np.empty(len(segments), dtype=np.int64)
    units[rows] = joined(rows, pd.factorize(texts)[0])
    return units


def folds_of(segments, n_folds):
    """Deal segments to folds, a number for each, those of one unit together."""
    units = units_of_segments(segments)
    return deal(np.arange(units.max(initial=-1) + 1), n_folds)[units] if n_folds else units


def cross_fitted(judge, X, segments, folds, seeds, train):
    """Return the columns of each fold by a copy of a transformer, trained on all others.

    ``train(copy, chosen, seed)`` trains it on the segments that are ``chosen``.
    """
    found = np.empty((len(X), len(judge._output_names())))
    for fold, seed in enumerate(seeds):
        scorer = copy(judge)
        train(scorer, folds != fold, seed)
        rows = np.concatenate([segment.rows for segment in compress(segments, folds == fold)])
        found[rows] = scorer._transform(X.iloc[rows])
    return found


def _first(segment):
    """Return what a segment shares with others: its first references, or its first translation."""
    found = {next(filter(None, references), "") for _, references in segment.candidates} - {""}
    return found or {segment.candidates[0][0]}
