"""Scores of sentence-level metrics as features: BLEU, NIST, TER, METEOR, chrF, chrF++.

"4metrics" of Guzmán et al. 2015 (section 4) and 2017 (section 5.3) are the first four. All
come from one pass over the distinct pairs of hypothesis and references.
"""

from collections.abc import Mapping
from inspect import signature

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval.features.base import TextTransformer, text_cells, work_on_pairs
from sklearn_mteval.features.overlap._nist_weights import fit_nist_weights
from sklearn_mteval.features.overlap.bleu import bleu_scores, check_bleu_options
from sklearn_mteval.features.overlap.chrf import check_chrf_options, chrf_scores
from sklearn_mteval.features.overlap.meteor import (
    check_meteor_options,
    meteor_counts,
    meteor_scores,
)
from sklearn_mteval.features.overlap.nist import check_nist_options, nist_scores
from sklearn_mteval.features.overlap.ter import ter_scores

__all__ = ["METRICS", "MetricScores"]

METRICS = ("bleu", "nist", "ter", "meteor", "chrf", "chrf++")

_SCORES = {
    "bleu": bleu_scores,
    "nist": nist_scores,
    "ter": ter_scores,
    "meteor": meteor_scores,
    "chrf": chrf_scores,
    "chrf++": chrf_scores,
}


class MetricScores(TextTransformer):
    """Score of each candidate translation by each of several metrics, higher is better for all.

    Each distinct pair of hypothesis and references is scored once. Scores equal those of
    sacreBLEU (BLEU, chrF, chrF++, TER with the sign changed), of nltk (METEOR, on the same
    tokens) and of NIST's definition, whose weights are learnt in ``fit``.

    Parameters
    ----------
    metrics : list or tuple of str, default=("bleu", "nist", "ter", "meteor", "chrf", "chrf++")
        Which metrics, in the order of the output.
    options : mapping or None, default=None
        Options of single metrics, from a metric's name to a mapping from an option's name to
        its value, such as ``{"ter": {"normalized": True}, "meteor": {"wordnet": None}}``:

        - "bleu": ``tokenize``, ``lowercase`` (:class:`BLEUComp`);
        - "nist": ``max_ngram_order``, ``tokenize``, ``lowercase`` (:class:`NISTScore`);
        - "ter": ``normalized``, ``no_punct``, ``asian_support``, ``case_sensitive``
          (:class:`TERComp`);
        - "meteor": ``alpha``, ``beta``, ``gamma``, ``tokenize``, ``lowercase``, ``wordnet``
          (:class:`METEORComp`);
        - "chrf", "chrf++": ``char_order``, ``word_order``, ``beta``, ``lowercase``,
          ``whitespace`` (:class:`ChrFComp`), ``eps_smoothing``. chrF++ has ``word_order=2``.
    n_jobs : int or None, default=None
        Processes; the result does not depend on it.

    Attributes
    ----------
    options_ : dict
        From each metric to what its function is called with: the options given, NIST's weights,
        and the WordNet folder that METEOR found (None: no synonym stage). A model that was
        fitted with a WordNet folder refuses to score where the folder is not there.
    n_features_in_ : int
        Columns of the table seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names.

    See Also
    --------
    BLEUComp, ChrFComp, TERComp, METEORComp, NISTScore : What the scores are made of.
    ScoreColumn : Scores that another tool wrote.

    Notes
    -----
    One output column for each metric, ``METRIC_score``, all finite, higher is better:
    ``bleu_score``, ``chrf_score`` and ``chrf++_score`` in [0, 100]; ``nist_score`` not negative;
    ``ter_score`` at most 0 (−100: as many edits as the reference has words); ``meteor_score`` in
    [0, 1].

    Only the columns ``hypothesis`` and ``reference`` are read; a cell of ``reference`` may be a
    list of several references.

    References
    ----------
    Papineni et al. 2002 (BLEU); Doddington 2002 (NIST); Snover et al. 2006 (TER); Banerjee and
    Lavie 2005 (METEOR); Popović 2015, 2017 (chrF, chrF++); Guzmán et al. 2015, 2017.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import MetricScores
    >>> X = pd.DataFrame({"hypothesis": ["a cat", "the dog"], "reference": ["the cat", "the dog"]})
    >>> scores = MetricScores(["bleu", "ter", "chrf"]).set_output(transform="pandas")
    >>> scores.fit_transform(X).round(1)
       bleu_score  ter_score  chrf_score
    0        50.0      -50.0        31.2
    1       100.0        0.0       100.0
    """

    def __init__(self, metrics=METRICS, *, options=None, n_jobs=None):
        self.metrics = metrics
        self.options = options
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Check the table and the options, and learn NIST's weights from the references.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With the columns ``hypothesis`` and ``reference``.
        y : None
            Ignored.

        Returns
        -------
        MetricScores
            The transformer itself.

        Raises
        ------
        ValueError
            If a metric or an option is not known or has no such value.
        """
        options = _options_by_metric(self.metrics, self.options)
        self._remember_table(X)
        references = [text for cell in text_cells(X, "reference") for text in cell]
        self.options_ = {
            metric: _prepare(metric, given, references) for metric, given in options.items()
        }
        return self

    def transform(self, X):
        """Compute the scores.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With the columns ``hypothesis`` and ``reference``.

        Returns
        -------
        ndarray of shape (n_candidates, len(metrics)), float64
            See Notes of the class; a DataFrame under ``set_output(transform="pandas")``.
        """
        check_is_fitted(self)
        return work_on_pairs(score_pairs, X, n_jobs=self.n_jobs, options=self.options_)

    def _output_names(self):
        return [f"{metric}_score" for metric in self.options_]


def score_pairs(sets, *, options):
    """Score distinct pairs by several metrics.

    Parameters
    ----------
    sets : list of (tuple of str, list of str)
        References and the hypotheses beside them, as of ``work_on_pairs``.
    options : dict
        As ``MetricScores.options_``.

    Returns
    -------
    ndarray of shape (n_pairs, len(options)), float64
        One column for each metric, higher is better.
    """
    return np.column_stack([_SCORES[metric](sets, **given) for metric, given in options.items()])


def _options_by_metric(metrics, options):
    """Return the options given for each metric, their names checked."""
    named = isinstance(metrics, list | tuple) and all(isinstance(m, str) for m in metrics)
    if not named or not metrics or len(set(metrics)) < len(metrics):
        raise ValueError(
            f"metrics must be a non-empty list or tuple of different names, found {metrics!r}."
        )
    for metric in metrics:
        if metric not in METRICS:
            raise ValueError(f"metrics must be of {list(METRICS)}, found {metric!r}.")
    options = {} if options is None else options
    if not isinstance(options, Mapping) or not all(
        isinstance(given, Mapping) for given in options.values()
    ):
        raise ValueError(
            "options must map metrics to mappings from options to values, such as "
            f"{{'ter': {{'normalized': True}}}}, found {options!r}."
        )
    for metric, given in options.items():
        if metric not in metrics:
            raise ValueError(f"options has {metric!r}, but the metrics are {list(metrics)}.")
        known = _known_options(metric)
        unknown = [name for name in given if name not in known]
        if unknown:
            raise ValueError(f"{metric} has the options {known}, found {unknown[0]!r}.")
    return {metric: options.get(metric, {}) for metric in metrics}


def _known_options(metric):
    """List the options of a metric."""
    function = {"nist": fit_nist_weights, "meteor": meteor_counts}.get(metric, _SCORES[metric])
    parameters = signature(function).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]


def _prepare(metric, options, references):
    """Check the values of options; return what the metric's function is called with."""
    if metric == "nist":
        check_nist_options(**options)
        return {"weights": fit_nist_weights(references, **options)}
    if metric == "meteor":
        return check_meteor_options(**options)
    if metric == "chrf++":
        options = {"word_order": 2, **options}
    check = {"bleu": check_bleu_options, "ter": check_boolean}.get(metric, check_chrf_options)
    check(**options)
    return dict(options)
