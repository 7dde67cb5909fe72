"""Scores of each translation against those of other systems (2012 paper, section 3.4)."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.candidates import check_candidates, check_sources, check_texts
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.overlap.metric_scores import MetricScores
from sklearn_mteval.features.overlap.registry import METRICS
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.text.transformer import TextTransformer


class ContrastiveScore(TextTransformer):
    """How much each translation agrees with those of competing systems, by any metric.

    Competitors are the translations of the same segment by all other systems of the table.

    Parameters
    ----------
    metric : str, transformer or callable, default="chrf"
        - "bleu", "nist", "ter", "meteor", "chrf" or "chrf++", as in :class:`MetricScores`;
        - a transformer of tables with the columns ``hypothesis`` and ``reference``, a clone of
          which is fitted; all its columns are used;
        - a function: list of n hypotheses, list of n references → n scores. With
          ``references="all"`` each of the references is a tuple of texts.
    references : {"each", "all"}, default="each"
        "each": the mean of the scores against each competitor alone; "all": one score against all
        competitors together, as several references.
    options : mapping or None, default=None
        Options of a metric that is named, such as ``{"wordnet": "auto"}`` of "meteor"; see
        :class:`MetricScores`.
    n_jobs : int or None, default=None
        Processes for a metric that is named; the result does not depend on it.

    Attributes
    ----------
    metric_ : transformer or callable
        What scores the pairs: the fitted transformer, or the function as it was given.

    Notes
    -----
    The columns are the metric's with ``contrastive_`` before their names; a function's is
    ``contrastive_score``. Range and direction are the metric's.

    The index must have the levels ``segment`` and ``system``. **Other rows matter**: score all
    systems of a segment together; equal texts compete with each other. Where a segment has one
    system only, all columns are 0 (with "ter", 0 happens to be its best value). ``fit`` takes each
    distinct translation for a hypothesis and a reference.

    References
    ----------
    Avramidis 2012, section 3.4; Soricut, Bach and Wang 2012.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import ContrastiveScore
    >>> rows = pd.MultiIndex.from_product([[1], ["A", "B", "C"]], names=["segment", "system"])
    >>> X = pd.DataFrame({"hypothesis": ["the cat sat", "the cat sits", "dogs"]}, index=rows)
    >>> scores = ContrastiveScore().set_output(transform="pandas")
    >>> scores.fit_transform(X)["contrastive_chrf_score"].round(1).tolist()
    [33.0, 35.7, 3.0]
    """

    def __init__(
        self, metric: Any = "chrf", *, references: str = "each", options: Mapping | None = None,
        n_jobs: int | None = None
    ):  # fmt: skip
        self.metric = metric
        self.references = references
        self.options = options
        self.n_jobs = n_jobs

    def _fit(self, X):
        check_one_of("references", self.references, ("each", "all"))
        metric = self._make_metric()
        texts = list(dict.fromkeys(text for _, text in _translations(X)[0]))
        if hasattr(metric, "fit"):
            metric.fit(_table(texts, texts))
        self._remember_table(X, ("hypothesis",))
        self.metric_ = metric

    def _make_metric(self):
        """Check the metric and return what scores pairs, not fitted."""
        if isinstance(self.metric, str):
            check_one_of("metric", self.metric, METRICS)
            if self.options is not None and not isinstance(self.options, Mapping):
                raise ValueError(
                    "options must be None or a mapping from names to values, such as "
                    f"{{'wordnet': 'auto'}}, found {self.options!r}."
                )
            options = None if self.options is None else {self.metric: self.options}
            return MetricScores([self.metric], options=options, n_jobs=self.n_jobs)
        if not _scores_pairs(self.metric):
            raise ValueError(
                f"metric must be of {list(METRICS)}, a transformer (an instance) or a function, "
                f"found {self.metric!r}."
            )
        if self.options is not None:
            raise ValueError(
                f"options belong to a metric that is named, not to {self.metric!r}: give a "
                "transformer its own parameters."
            )
        return clone(self.metric) if hasattr(self.metric, "transform") else self.metric

    def _is_whole(self):
        return _scores_pairs(self.metric_)

    def _transform(self, X):
        translations, by_segment = _translations(X)
        row_of, distinct = numbered(translations)
        place = {key: row for row, key in enumerate(distinct)}
        pair_of, links = {}, []
        for key, references, weight in _questions(by_segment, self.references):
            pair = pair_of.setdefault((key[1], references), len(pair_of))
            links.append((place[key], pair, weight))
        rows, pairs, weights = np.array(links, dtype=np.int64).reshape(-1, 3).T
        total = np.bincount(rows, weights, minlength=len(distinct))
        scores = self._score(list(pair_of)).T
        sums = [np.bincount(rows, weights * of_pair[pairs], len(distinct)) for of_pair in scores]
        # 0 without competitors.
        return ratio(np.column_stack(sums), total[:, np.newaxis], 0.0)[row_of]

    def _score(self, pairs):
        """Score distinct pairs of a hypothesis and a reference, or a tuple of them."""
        n_columns = len(self._output_names())
        if not pairs:
            return np.zeros((0, n_columns))
        hypotheses, references = map(list, zip(*pairs, strict=True))
        if hasattr(self.metric_, "transform"):
            scores = self.metric_.transform(_table(hypotheses, references))
            shape = (len(pairs), n_columns)
        else:
            try:
                scores = self.metric_(hypotheses, references)
            except TypeError as error:
                raise TypeError(
                    f"metric, {self.metric_!r}, does not take lists of hypotheses and references: "
                    f"{error}"
                ) from error
            shape = (len(pairs),)
        try:
            scores = as_numbers(scores)
        except (TypeError, ValueError):
            scores = np.array(np.nan)
        if scores.shape != shape or not np.isfinite(scores).all():
            raise ValueError(
                f"metric must give finite numbers of shape {shape} for {len(pairs)} pairs, found "
                f"shape {scores.shape} with {(~np.isfinite(scores)).sum()} NaN or infinite."
            )
        return scores.reshape(len(pairs), n_columns)

    def _output_names(self):
        if hasattr(self.metric_, "transform"):
            return [f"contrastive_{name}" for name in self.metric_.get_feature_names_out()]
        return ["contrastive_score"]


def _scores_pairs(metric):
    """Tell whether something is a transformer or a function."""
    return not isinstance(metric, type) and (hasattr(metric, "transform") or callable(metric))


def _table(hypotheses, references):
    """Make the table that a metric reads."""
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)


def _translations(X):
    """Return (segment, text) of each row, and, by segment, the one text of each system."""
    check_candidates(X)
    if "source" in X.columns:
        check_sources(X)
    segments, systems = (X.index.get_level_values(level) for level in ("segment", "system"))
    texts = check_texts(X, "hypothesis")
    by_segment = {}
    for segment, system, text in zip(segments, systems, texts, strict=True):
        known = by_segment.setdefault(segment, {}).setdefault(system, text)
        if known != text:
            raise CandidateError(
                f"System {system!r} has two translations of segment {segment!r}: {known!r} and "
                f"{text!r}. Systems that differ need names that differ."
            )
    return list(zip(segments, texts, strict=True)), by_segment


def _questions(by_segment, references):
    """Yield what is to be scored: (segment, text), its reference(s), and how often they count."""
    for segment, text_of in by_segment.items():
        # Sorted, so that the sums below do not depend on the order of the rows.
        counts = Counter(sorted(text_of.values()))
        for text in counts:
            competitors = {other: n - (other == text) for other, n in counts.items()}
            if references == "all":
                together = tuple(Counter(competitors).elements())
                competitors = {together: bool(together)}
            yield from (((segment, text), other, n) for other, n in competitors.items() if n)
