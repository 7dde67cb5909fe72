"""Marks where a translation is wrong, and tells whether it has no error, from a reader's states."""

from collections import defaultdict
from itertools import chain
from typing import Self

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from sklearn_mteval._helpers.extras import torch_threads
from sklearn_mteval._helpers.fitting import WholeFits
from sklearn_mteval._helpers.options import check_integer
from sklearn_mteval._helpers.restored import check_restored, is_count, is_number
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import check_candidates, check_texts
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.embeddings._annotated_words import lists_of, shares_of
from sklearn_mteval.features.embeddings._cross_encoder_examples import (
    contexts_of,
    readings_of,
    together,
)
from sklearn_mteval.features.embeddings._encoder_models import TunedWeights
from sklearn_mteval.features.embeddings._error_head import (
    are_arrays,
    best_threshold,
    calibrate,
    fit_together,
    judge_words,
    learn_words,
    spans_of,
    summary_of,
    weighted_logistic,
    word_logits,
)
from sklearn_mteval.features.embeddings.cross_encoder import CrossEncoder
from sklearn_mteval.segments import hold_out

_HELD_OUT = 0.25  # of sources


class ErrorMarker(WholeFits, BaseEstimator):
    """Mark errors in translations, with what a fitted CrossEncoder holds of each of their words.

    The reader's encoder and adapters stay as they are. A small network above learns, from what
    annotators marked, the probability that a word is in an error, and whether it is a major one.

    Parameters
    ----------
    reader : CrossEncoder
        Fitted. It reads the translation with its source, its reference or both, and clones of the
        marker share it, for it is never changed.
    max_words : int, default=300_000
        So many words at most are learnt from, drawn at random where there are more.
    random_state : int, RandomState or None, default=0
        Seed of the network, of that draw, and of what is held out.

    Attributes
    ----------
    threshold_ : float
        Probability from which a word is marked: that of the highest F of characters on sources
        that were held out.
    weights_ : dict
        What was learnt, name → array.
    reader_ : str
        SHA-256 of what the reader has learnt.

    See Also
    --------
    CrossEncoder : The reader.
    sklearn_mteval.metrics.span_agreement : Measures marks.

    Notes
    -----
    A word is described by the mean of its tokens' states in the reader's last layer; by how near
    the nearest token of the other texts is in four layers; by how much it adds to what the reader
    says of the translation (the slope of each output, times how far the word's state is from the
    mean); and by whether it occurs in these texts, its length and place. A network with one hidden
    layer of 32 learns the share of annotators who marked it. Probabilities are calibrated, the
    threshold is chosen, and the probability of no error is learnt (by logistic regression on the
    words' probabilities and on what the reader says), on a quarter of the sources, held out.

    What is beyond the 256 tokens that a reader of two texts reads (384 of three) is not marked, and
    a warning says so. Other rows change no bit of a result.

    *Cost.* One reading of each distinct translation, some 60 a second and core. ``fit`` holds, of
    384 dimensions, some 0.9 kB of each word of the quarter that is held out, and 3 kB of each of
    ``max_words``: 1.2 GB at most, and the held-out words.

    References
    ----------
    Guerreiro et al. 2024, xCOMET (marks and scores of one encoder); Platt 1999 (calibration).

    Examples
    --------
    >>> from sklearn_mteval.features import CrossEncoder, ErrorMarker
    >>> marker = ErrorMarker(CrossEncoder("multilingual-e5-small"))
    >>> marker.max_words
    300000
    """

    def __init__(
        self, reader: CrossEncoder | None, *, max_words: int = 300_000, random_state: Seed = 0
    ):
        self.reader = reader
        self.max_words = max_words
        self.random_state = random_state

    def fit(self, X: pd.DataFrame, marks: pd.Series) -> Self:
        """Learn from what annotators marked.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            A candidate table with the columns that the reader reads; of several references the
            first is read.
        marks : Series
            Errors of each translation: lists of ErrorSpan or of (start, end, severity), empty where
            nothing is wrong; neutral ones count as none, critical ones as major. It has the index
            levels of X and, where several annotators judged a translation, another one that tells
            them apart, as ``load_mqm(...).marks``. Of translations that X does not have it is left
            aside.

        Returns
        -------
        ErrorMarker
            The marker itself.

        Raises
        ------
        ValueError
            If the reader is none, or not fitted; as CandidateError, if the table is none, if a
            translation has no entry in ``marks``, or an error that does not fit, or if nothing can
            be learnt because nothing is marked, or everything.
        """
        check_integer("max_words", self.max_words, minimum=1)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        check_candidates(X)
        annotators = defaultdict(list)
        for options, lists in zip(self._readings(X), lists_of(X, marks), strict=True):
            annotators[options[0]] += lists
        readings = sorted(annotators)
        sources = sorted({texts[0] for texts in readings})
        if len(sources) < 2:
            raise CandidateError("Nothing to learn from: marks of two sources at least are needed.")
        held = {sources[k] for k in hold_out(np.arange(len(sources)), _HELD_OUT, rng)}
        learnt = [texts for texts in readings if texts[0] not in held]
        judged = [texts for texts in readings if texts[0] in held]
        rate = self.max_words / max(1, sum(len(texts[-1].split()) for texts in learnt))
        some, shares = [], []
        for k, words in self._read(learnt):
            drawn = rng.random(len(words.ranges)) < rate
            some.append(words.described()[drawn])
            shares.append(shares_of(words.ranges, annotators[learnt[k]])[drawn])
        marked = np.concatenate(shares)
        if not 0 < marked.sum() < len(marked):
            raise CandidateError(
                f"Nothing to learn from: of {len(marked)} words {marked.sum():.0f} are marked."
            )
        self.weights_ = learn_words(np.concatenate(some), marked, rng)
        del some
        self._settle([(words, annotators[judged[k]]) for k, words in self._read(judged)])
        self.reader_ = TunedWeights(self.reader.weights_).digest
        return self

    def _settle(self, judged):
        """Calibrate, and choose a threshold, on translations that nothing was learnt from."""
        judged = [(words, lists) for words, lists in judged if len(words.ranges)]
        if not judged:
            raise CandidateError(
                "Nothing to learn from: no translation of those held out has words."
            )
        logits = [word_logits(self.weights_, words.described()) for words, _ in judged]
        shares = np.concatenate([shares_of(words.ranges, lists) for words, lists in judged])
        calibrate(self.weights_, np.concatenate(logits), shares)
        logits = [word_logits(self.weights_, words.described()) for words, _ in judged]
        error = expit(np.concatenate(logits)[:, 0])
        lengths = np.concatenate([np.diff(words.ranges, axis=1)[:, 0] for words, _ in judged])
        self.threshold_ = best_threshold(error, shares, lengths)
        free = np.array([np.mean([not errors for errors in lists]) for _, lists in judged])
        rows = np.stack(
            [summary_of(of, w.judged) for of, (w, _) in zip(logits, judged, strict=True)]
        )
        coefficients, intercept = weighted_logistic(rows, free, 1 - free)
        self.weights_["free"] = coefficients.astype(np.float32)
        self.weights_["free_bias"] = np.array([intercept], np.float32)

    def mark(self, X: pd.DataFrame) -> pd.DataFrame:
        """Mark errors.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With the text columns of the reader; of several references that counts with which the
            reader's score is highest.

        Returns
        -------
        DataFrame of shape (n_errors, 4)
            A row for each error, in the order of the translations and of the text, with the labels
            of the translation as index: ``start`` and ``end``, characters of the hypothesis as it
            was given, counted from 0, the end excluded; ``severity``, "minor" or "major";
            ``probability``, that one of its words is in an error, on average of them, in [0, 1].

        Raises
        ------
        ValueError
            If the reader is not that of the fit, or its encoder is missing; as CandidateError, if a
            column is missing or has a cell that is no text.
        """
        return self.mark_and_judge(X)[0]

    def error_free(self, X: pd.DataFrame) -> pd.Series:
        """Return the probability that a translation has no error.

        Parameters
        ----------
        X : see mark
            The same.

        Returns
        -------
        Series of length n_candidates, float64
            In [0, 1], with the index of X. It is 0 of an empty translation, unless there is nothing
            to translate.

        Raises
        ------
        ValueError
            As ``mark``.
        """
        return self.mark_and_judge(X)[1]

    def mark_and_judge(self, X: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
        """Return what ``mark`` and ``error_free`` do, of one reading.

        Both are learnt apart: a translation may have marks, and be error-free with a probability
        above 0.5. ``score`` and the commands leave such marks out.

        Parameters
        ----------
        X : see mark
            The same.

        Returns
        -------
        tuple of DataFrame and Series
            Marks, and probabilities.

        Raises
        ------
        ValueError
            As ``mark``.
        """
        judged = self._judged(X)
        found = [spans_of(words, self.threshold_) for words in judged]
        rows = np.repeat(np.arange(len(X)), [len(spans) for spans in found])
        types = {"start": int, "end": int, "severity": object, "probability": float}
        marks = pd.DataFrame(chain.from_iterable(found), columns=list(types)).astype(types)
        free = [words.free for words in judged]
        return marks.set_axis(X.index[rows]), pd.Series(free, X.index, float, name="error_free")

    def _judged(self, X):
        """Judge the words of each translation."""
        check_is_fitted(self)
        rows = self._readings(X)
        if TunedWeights(self.reader.weights_).digest != self.reader_:
            raise ValueError(
                "reader: it is not that of the fit, or was fitted anew since. Fit the marker again."
            )
        distinct = sorted({texts for options in rows for texts in options})
        found = {}
        for k, words in self._read(distinct):
            blank, described = not any(t.strip() for t in distinct[k]), words.described()
            if not fit_together(self.weights_, described.shape[1], len(words.judged)):
                raise ValueError(
                    "The marker's weights do not fit what its reader says: fit the marker again."
                )
            judged = judge_words(self.weights_, words.ranges, described, words.judged, blank=blank)
            found[distinct[k]] = words.judged[0], judged
        return [max((found[texts] for texts in some), key=lambda one: one[0])[1] for some in rows]

    def _readings(self, X):
        """List of each translation what is read of it, with each of its references."""
        reader = self.reader
        if not isinstance(reader, CrossEncoder):
            raise ValueError(f"reader must be a fitted CrossEncoder, found {reader!r}.")
        check_is_fitted(reader, msg="reader must be fitted: ErrorMarker(reader.fit(X, y)).")
        contexts = contexts_of(reader.columns)
        table, n = together(X, contexts, bool(reader.text_dropout)), len(contexts)
        texts = check_texts(table, "hypothesis"), check_texts(table, "reference", several=True)
        return [readings_of(others, text, n) for text, others in zip(*texts, strict=True)]

    def _read(self, readings):
        """Yield the number and the words of each reading."""
        from sklearn_mteval.features.embeddings._word_states import WordReader

        reader = self.reader
        with (
            torch_threads(reader.n_threads),
            threadpool_limits(reader.n_threads, user_api="blas"),
            reader._step(len(readings)) as step,
        ):
            yield from WordReader(*reader._trained()).read(
                readings, reader.batch_size, step.advance
            )

    def __sklearn_clone__(self):
        """Share the reader, which a clone of it would have to learn again."""
        return type(self)(**self.get_params(deep=False))

    def __setstate__(self, state):
        """Check what may come from a stranger's file."""
        super().__setstate__(state)
        check_restored(self, self._is_whole)

    def _is_whole(self):
        return (
            is_number(self.threshold_, 0, 1)
            and are_arrays(self.weights_)
            and isinstance(self.reader_, str)
            and is_count(self.max_words, 1)
        )
