"""Probability of a translation and its source under n-gram models (2012 paper, section 3.4)."""

import os
from typing import Any

import numpy as np

from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval._helpers.restored import is_dict_of
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.linguistic.language_models.estimation import estimate
from sklearn_mteval.linguistic.language_models.file_model import FileModel
from sklearn_mteval.linguistic.language_models.model import NgramModel
from sklearn_mteval.linguistic.quality_estimation._sides import SIDES, SideTransformer
from sklearn_mteval.text.tokens import load_tokenizer

_NAMES = ("log_probability", "word_log_probability", "oov")


class LanguageModelScore(SideTransformer):
    """Log-probability under an n-gram language model, of translation and source.

    Parameters
    ----------
    language_model : path-like, model or None, default=None
        The target language's model: an ARPA file or a binary file of kenlm, read through kenlm
        (``pip install 'sklearn-mteval[lm]'``), or what
        :func:`~sklearn_mteval.text.estimate` returns.
    source_language_model : path-like, model or None, default=None
        The same for the source language.
    corpus : path-like, list or Series of str or None, default=None
        Instead of ``language_model``: text to estimate one from in ``fit``; a file
        (UTF-8, plain or gzip, a sentence in each line) or the sentences.
    source_corpus : path-like, list or Series of str or None, default=None
        The same for the source language.
    order : int, default=5
        Length of the longest n-grams, 1 to 6, where a model is estimated.
    tokenize : str, default="13a"
        A sacreBLEU tokeniser for texts and corpora; "none" for what is tokenised. A model in a
        file must have been made from text that was split so. An estimated model uses its own.
    lowercase : bool, default=True
        Whether to lowercase texts and corpora; likewise.
    features, ratios : see SurfaceCounts
        The same.

    Attributes
    ----------
    models_ : dict
        From "source" and "hypothesis" to their models, where they are needed.

    Notes
    -----
    Columns of the source, if it has a model, and of the translation (``source_…``,
    ``hypothesis_…``), all finite: ``log_probability`` (log10, at most 0, higher is likelier),
    ``word_log_probability`` (the same for each token and the end; higher is more fluent) and
    ``oov`` (unknown tokens; lower is better). Ratios are ``log_probability_ratio`` and so on, as in
    :class:`SurfaceCounts`. Words that look like markers (``<s>``) are unknown.

    Do not estimate a model from the references of the training segments: it would know their right
    answers. A saved score holds path and SHA-256 of a file, and refuses another one.

    References
    ----------
    Avramidis 2012, section 3.4 and Table 3; Chen and Goodman 1998; Heafield 2011 (kenlm).

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import LanguageModelScore
    >>> X = pd.DataFrame({"hypothesis": ["the cat sleeps", "cat the sleeps", "the bat sleeps"]})
    >>> corpus = ["The cat sleeps.", "The dog sleeps.", "The dog sees the cat."]
    >>> score = LanguageModelScore(corpus=corpus, order=3)
    >>> score.set_output(transform="pandas").fit_transform(X).round(2)
       hypothesis_log_probability  hypothesis_word_log_probability  hypothesis_oov
    0                       -3.09                            -0.77             0.0
    1                       -4.08                            -1.02             0.0
    2                       -4.33                            -1.08             1.0
    """

    def __init__(
        self, language_model: PathLike | NgramModel | None = None, *,
        source_language_model: PathLike | NgramModel | None = None, corpus: Any = None,
        source_corpus: Any = None, order: int = 5, tokenize: str = "13a", lowercase: bool = True,
        features: list[str] | None = None, ratios: bool = False
    ):  # fmt: skip
        self.language_model = language_model
        self.source_language_model = source_language_model
        self.corpus = corpus
        self.source_corpus = source_corpus
        self.order = order
        self.tokenize = tokenize
        self.lowercase = lowercase
        self.features = features
        self.ratios = ratios

    def _fit(self, X):
        load_tokenizer(self.tokenize)
        check_boolean(lowercase=self.lowercase)
        for (name, model), (corpus_name, corpus) in map(self._given, SIDES):
            if model is not None and corpus is not None:
                raise ValueError(f"Of {name} and {corpus_name}, one must be None.")
        if self.language_model is None and self.corpus is None:
            raise ValueError(
                "LanguageModelScore needs one of the target language: language_model= (a file, or "
                "an estimated NgramModel) or corpus= (text to estimate one from)."
            )
        self._remember_sides(X)
        self.models_ = {side: self._make(side) for side in self._needed(self._output_names())}
        self._learnt_from = {side: self._side_option("corpus", side)[1] for side in SIDES}

    def _is_whole(self):
        sides = self._needed(self._output_names())
        return is_dict_of(self.models_, sides, lambda m: isinstance(m, NgramModel | FileModel))

    def _given(self, side):
        """Return the options of a side, the model and the corpus, with their names."""
        return self._side_option("language_model", side), self._side_option("corpus", side)

    def _make(self, side):
        (name, model), (_, corpus) = self._given(side)
        options = {"tokenize": self.tokenize, "lowercase": self.lowercase}
        if corpus is not None:
            return estimate(corpus, order=self.order, **options)
        if isinstance(model, NgramModel):
            return model
        if isinstance(model, str | os.PathLike):
            return FileModel(model, **options)
        raise ValueError(
            f"{name} must be the path of an ARPA or kenlm file, an NgramModel or None, found "
            f"{model!r}."
        )

    def _sides(self):
        # No comparison by ==, which a Series answers with another.
        return tuple(s for s in SIDES if any(value is not None for _, value in self._given(s)))

    def _text_names(self):
        return _NAMES

    def _text_numbers(self, texts, column):
        log_probability, n_tokens, n_unknown = self.models_[column].score(texts)
        return np.column_stack([log_probability, log_probability / (n_tokens + 1), n_unknown])

    def __getstate__(self):
        state = super().__getstate__()
        learnt_from = state.pop("_learnt_from", {})
        for side in SIDES:
            (name, _), (corpus_name, corpus) = self._given(side)
            fitted = state.get("models_", {}).get(side)
            in_memory = corpus is not None and not isinstance(corpus, str | os.PathLike)
            if fitted is None or not in_memory or corpus is not learnt_from.get(side):
                continue
            names = "order", "tokenize", "lowercase"
            if all(getattr(fitted, option) == getattr(self, option) for option in names):
                # What was made of a million sentences says all about them.
                state[name], state[corpus_name] = fitted, None
        return state
