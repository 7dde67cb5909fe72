"""Two systems: which is better, by how much, how sure, and in which segments."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.options import check_proportion
from sklearn_mteval._helpers.order import table_order
from sklearn_mteval._helpers.shown import ShownTables
from sklearn_mteval.candidates import check_candidates, check_texts, group_codes
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.significance.multiple_comparisons import holm
from sklearn_mteval.metrics.system.paired import in_clusters, p_values_of, paired_means, pairs_of
from sklearn_mteval.metrics.system.tables import finite_scores, means_of_groups
from sklearn_mteval.models.ranking import rank_candidates
from sklearn_mteval.models.segment_kinds import segment_kinds
from sklearn_mteval.segments import document_codes, documents_of_segments

ALPHA = 0.05


@dataclass(frozen=True, repr=False)
class Duel(ShownTables):
    """Two systems compared, the first with the second.

    Attributes
    ----------
    first, second : label
        The systems.
    difference, low, high : float
        Mean score of the first less that of the second, on the segments of both, and the bounds of
        its interval: above 0 the first is better. Of a model without scores, it is the second's
        mean rank less the first's.
    p_value : float
        Two-sided, of the paired test; NaN of fewer than two segments or documents.
    counts : dict
        ``segments`` of both; in how many of them the first is ``better``, both are ``equal``, the
        first is ``worse``, and both have the same text, ``identical``; ``documents``, None where
        they are unknown.
    themes : DataFrame
        Indexed by ``theme`` and ``kind`` of segments: ``segments``, ``difference``, ``low``,
        ``high``, ``p_value`` (corrected for the number of kinds by Holm's method) and ``adds``:
        what these segments add to the difference of all.
    segments : DataFrame
        Indexed by segment, those first in which the first system is better by most: the scores
        ``first`` and ``second``, and their ``difference``.
    by_rank : bool
        Whether ranks are compared, of a model that has no scores.
    confidence : float
        Of the intervals.
    """

    first: object
    second: object
    difference: float
    low: float
    high: float
    p_value: float
    counts: dict
    themes: pd.DataFrame
    segments: pd.DataFrame
    by_rank: bool
    confidence: float


def duel(
    model: BaseEstimator | pd.DataFrame | pd.Series, X: pd.DataFrame, first: object,
    second: object, *, documents: ArrayLike | None = None, domains: ArrayLike | None = None,
    confidence: float = 0.95
) -> Duel:  # fmt: skip
    """Compare two systems: by how much one is better, how sure that is, and where.

    Parameters
    ----------
    model : fitted estimator, DataFrame or Series
        What scores the translations; or ranks or scores of X, as :func:`rank_candidates` and
        :func:`score_candidates` return them.
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table that has both systems; no others are read.
    first, second : label
        The systems.
    documents : array-like of shape (n_candidates,) or Series, optional
        The document of each row, or of each segment; see :func:`score_systems`.
    domains : array-like of shape (n_candidates,), optional
        The domain of each row, "" where it is unknown.
    confidence : float, default=0.95
        Of the intervals.

    Returns
    -------
    Duel
        The paired difference with its interval and test, as :func:`score_systems` has them, of all
        segments and of kinds of them: by length, numbers, names, negation, questions and domain of
        the reference, or the source where there is none.

    Raises
    ------
    CandidateError
        If X breaks the contract, has not both systems, or no segment with a score of both; if ranks
        or scores are of other rows.

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.models import duel, open_model
    >>> X, _ = load_sample(return_X_y=True)
    >>> found = duel(open_model("static-en"), X, "online", "rule")
    >>> round(found.difference, 2), found.counts["better"] > found.counts["worse"]
    (0.32, True)
    """
    check_proportion("confidence", confidence)
    check_candidates(X)
    systems = X.index.get_level_values("system")
    known = systems.unique().tolist()
    for name in (first, second):
        if name not in known:
            some = ", ".join(map(repr, known[:10])) + ", …" * (len(known) > 10)
            raise CandidateError(f"There is no system {name!r} in X, only {some}.")
    if first == second:
        raise CandidateError(f"A duel is of two systems, found {first!r} twice.")
    documents = documents_of_segments(documents, X)
    there = np.array([name in (first, second) for name in systems.tolist()])
    if not isinstance(model, pd.DataFrame | pd.Series):
        found = rank_candidates(model, X[there])
    elif model.index.equals(X.index):
        found = model[there]
    else:
        raise CandidateError("Ranks or scores must be of the rows of X, in their order.")
    domains = None if domains is None else np.asarray(domains, dtype=object)[there]
    given = {"documents": documents, "domains": domains, "confidence": confidence}
    return Duels(found, X[there], [first, second], **given).of(first, second)


class Duels:
    """Each two of some systems, compared on the same kinds of segments.

    ``found`` are ranks or scores of the rows of X, ``documents`` is a Series by segment or None,
    ``domains`` are labels of the rows.
    """

    def __init__(self, found, X, systems, *, documents=None, domains=None, confidence=0.95):
        self._place = {name: k for k, name in enumerate(systems)}
        self._confidence = confidence
        measure, self.by_rank = _measure_of(found)
        labels = X.index.get_level_values("segment")
        codes, n = group_codes(labels, len(X)), len(systems)
        columns = np.array([self._place.get(s, -1) for s in X.index.get_level_values("system")])
        cells, shape = codes * n + columns, (int(codes.max(initial=-1)) + 1, n)
        known = (columns >= 0) & ~np.isnan(measure)
        means = means_of_groups(cells[known], measure[known], shape[0] * n)
        self._scores = means.reshape(shape)
        texts = np.array(check_texts(X, "hypothesis"), dtype=object)
        self._texts = np.full(shape, -1)
        self._texts.ravel()[cells[known]] = pd.factorize(texts)[0][known]
        self._segments = labels[np.unique(codes, return_index=True)[1]]
        self._clusters = None
        if documents is not None:
            self._clusters = document_codes(documents.reindex(self._segments))
        kinds = segment_kinds(X, domains)
        self._kinds = kinds.columns
        self._compared = _compare(self._scores, kinds.to_numpy(), self._clusters, confidence)

    def of(self, first, second):
        """Return the Duel of two of the systems."""
        one, two = places = self._place[first], self._place[second]
        both = ~np.isnan(self._scores[:, places]).any(axis=1)
        if not both.any():
            raise CandidateError(f"No segment has a score of both {first!r} and {second!r}.")
        scores = self._scores[np.ix_(both, places)]
        texts = self._texts[np.ix_(both, places)]
        of_kinds = {name: values[:, one, two] for name, values in self._compared.items()}
        n, differences = int(both.sum()), scores[:, 0] - scores[:, 1]
        better, worse = int((differences > 0).sum()), int((differences < 0).sum())
        documents = self._clusters
        counts = {
            "segments": n, "better": better, "equal": n - better - worse, "worse": worse,
            "identical": int((texts[:, 0] == texts[:, 1]).sum()),
            "documents": None if documents is None else len(set(documents[both].tolist())),
        }  # fmt: skip
        segments = pd.DataFrame(
            {"first": scores[:, 0], "second": scores[:, 1], "difference": differences},
            self._segments[both],
        ).sort_values("difference", ascending=False, kind="stable")
        themes = pd.DataFrame({name: values[1:] for name, values in of_kinds.items()}, self._kinds)
        themes["p_value"] = holm(themes["p_value"])
        themes["adds"] = (themes["difference"] * themes["segments"] / n).fillna(0.0)
        of_all = [float(of_kinds[k][0]) for k in ("difference", "low", "high", "p_value")]
        more = segments, self.by_rank, self._confidence
        return Duel(first, second, *of_all, counts, themes, *more)


def _measure_of(found):
    """Return what is compared of ranks or scores, higher is better, and whether it is ranks."""
    if found.ndim == 1:
        return finite_scores(found), False
    scores = finite_scores(found["score"])
    if not np.isnan(scores).all():
        return scores, False
    ranks = -found["rank"].to_numpy(dtype=float)
    return np.where(found["strength"].isna(), np.nan, ranks), True  # blank everywhere


def _compare(scores, kinds, clusters, confidence):
    """Compare systems, row less column, on all segments and those of each kind, a column of
    ``kinds``; return arrays (1 + n_kinds, n_systems, n_systems), p-values being uncorrected.
    """
    rows, _ = table_order(scores)  # sums ask for an order
    if clusters is not None:
        rows, clusters = in_clusters(rows, [scores], clusters)
    found = {name: [] for name in ("segments", "difference", "low", "high", "p_value")}
    for mask in [np.ones(len(scores), dtype=bool), *kinds.T]:
        part = mask[rows]
        means = paired_means(scores[rows][part], None if clusters is None else clusters[part])
        moments = means.differences, means.variances, means.n_clusters
        pairs = pairs_of(None, *moments, confidence=confidence, alpha=ALPHA)
        degrees = means.n_clusters - 1
        p_values = p_values_of(means.differences, means.variances, degrees)
        counts = means.wins + means.wins.T + means.ties
        row = counts, means.differences, pairs.low, pairs.high, p_values
        for values, one in zip(found.values(), row, strict=True):
            values.append(one)
    return {name: np.array(values) for name, values in found.items()}
