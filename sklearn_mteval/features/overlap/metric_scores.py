"""Scores of sentence-level metrics as features: BLEU, NIST, TER, METEOR, chrF, chrF++."""

from collections.abc import Mapping, Sequence

import numpy as np

from sklearn_mteval.features.base import work_on_pairs
from sklearn_mteval.features.overlap._nist_weights import NISTWeights
from sklearn_mteval.features.overlap.meteor import are_options
from sklearn_mteval.features.overlap.registry import METRICS
from sklearn_mteval.features.overlap.ter import ter_options, warn_of_ter
from sklearn_mteval.text.tokenizers import language_of, tokenizer_of
from sklearn_mteval.text.transformer import TextTransformer, check_names, text_cells


class MetricScores(TextTransformer):
    """Score of each candidate translation by each of several metrics, higher is better for all.

    Scores equal those of sacreBLEU (BLEU, chrF, chrF++, TER with the sign changed), of nltk
    (METEOR, on the same tokens) and of NIST's definition, whose weights are learnt in ``fit``.

    Parameters
    ----------
    metrics : list or tuple of str, default=("bleu", "nist", "ter", "meteor", "chrf", "chrf++")
        Which metrics, in the order of the output.
    options : mapping or None, default=None
        Options of single metrics, from a metric's name to a mapping from an option's name to
        its value, such as ``{"ter": {"normalized": True}, "meteor": {"wordnet": "auto"}}``:
        those of :class:`BLEUComp` (but ``max_ngram_order``), :class:`NISTScore`,
        :class:`TERComp`, :class:`METEORComp` and :class:`ChrFComp`, the last also with
        ``eps_smoothing``. chrF++ has ``word_order=2``.
    language : str or None, default=None
        Language of the translations, a code such as "zh", by which BLEU, NIST and METEOR have
        ``tokenize``, unless ``options`` name it: ``zh``, ``ja-mecab``, ``ko-mecab``; ``char`` where
        these are not installed and for Thai, Lao, Khmer, Burmese and Tibetan, else ``13a``. TER
        splits Chinese and Japanese characters. None: by the script of the references of ``fit``.
    n_jobs : int or None, default=None
        Processes; the result does not depend on it.

    Attributes
    ----------
    tokenizers_ : dict of str to str
        What each metric of words parts them by: sacreBLEU's names; of TER "tercom", with
        "-normalized" and "-asian" where it does that.
    options_ : dict
        From each metric to what its function is called with: its options, NIST's weights, the
        WordNet folder of METEOR (None: no synonym stage). A model that was fitted with a WordNet
        folder refuses to score where the folder is not there.

    Notes
    -----
    One output column for each metric, ``METRIC_score``, all finite, higher is better:
    ``bleu_score``, ``chrf_score`` and ``chrf++_score`` in [0, 100]; ``nist_score`` not negative;
    ``ter_score`` at most 0 (−100: as many edits as the reference has words); ``meteor_score`` in
    [0, 1].

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

    def __init__(
        self, metrics: Sequence[str] = tuple(METRICS), *, options: Mapping | None = None,
        language: str | None = None, n_jobs: int | None = None
    ):  # fmt: skip
        self.metrics = metrics
        self.options = options
        self.language = language
        self.n_jobs = n_jobs

    def _fit(self, X):
        options = _options_by_metric(self.metrics, self.options)
        self._remember_table(X)
        references = [text for cell in text_cells(X, "reference") for text in cell]
        language = language_of(references) if self.language is None else self.language
        if self.language is not None and not (isinstance(language, str) and language.isalpha()):
            raise ValueError(f"language must be a code such as 'zh', or None, found {language!r}.")
        self.options_ = {
            metric: METRICS[metric].prepare(references, _of_language(metric, language) | given)
            for metric, given in options.items()
        }
        if "ter" in self.options_:
            warn_of_ter(language, self.options_["ter"])

    @property
    def tokenizers_(self) -> dict[str, str]:
        """From each metric of words to what parts them."""
        found = {metric: _tokenizer(given) for metric, given in self.options_.items()}
        return {metric: name for metric, name in found.items() if name is not None}

    def _transform(self, X):
        return work_on_pairs(score_pairs, X, n_jobs=self.n_jobs, options=self.options_)

    def _is_whole(self):
        return (
            type(self.options_) is dict
            and self.options_
            and all(_are_options(metric, given) for metric, given in self.options_.items())
        )

    def _output_names(self):
        return [f"{metric}_score" for metric in self.options_]


def score_pairs(sets, *, options):
    """Score distinct pairs by each metric of ``MetricScores.options_``: a column for each."""
    columns = [METRICS[metric].scores(sets, **given) for metric, given in options.items()]
    return np.column_stack(columns)


def _are_options(metric, given):
    """Tell whether a metric can be called with what was loaded."""
    if metric == "nist":
        return given.keys() == {"weights"} and isinstance(given["weights"], NISTWeights)
    if metric == "meteor":
        return given.keys() == set(METRICS[metric].options()) and are_options(given)
    return METRICS[metric].prepare((), given) == given


def _of_language(metric, language):
    """Return the options of a metric that part words as a language needs it."""
    known = METRICS[metric].options()
    if "tokenize" in known:
        return {"tokenize": tokenizer_of(language)}
    return ter_options(language) if "asian_support" in known else {}


def _tokenizer(given):
    """Say by what a metric with these options parts words; None if it looks at none."""
    if "asian_support" in given:
        asian = given["normalized"] and given["asian_support"]
        return "tercom" + "-normalized" * given["normalized"] + "-asian" * asian
    return given["weights"].tokenize if "weights" in given else given.get("tokenize")


def _options_by_metric(metrics, options):
    """Return the options given for each metric, their names checked."""
    check_names("metrics", metrics, METRICS)
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
        known = METRICS[metric].options()
        unknown = [name for name in given if name not in known]
        if unknown:
            raise ValueError(f"{metric} has the options {known}, found {unknown[0]!r}.")
    return {metric: options.get(metric, {}) for metric in metrics}
