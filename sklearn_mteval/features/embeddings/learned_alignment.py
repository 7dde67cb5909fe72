"""Token alignment that learns from rankings which directions and which tokens count."""

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from sklearn_mteval._helpers.extras import import_extra, torch_threads
from sklearn_mteval._helpers.options import (
    check_integer,
    check_number,
    check_one_of,
    check_proportion,
)
from sklearn_mteval._helpers.restored import is_array
from sklearn_mteval._helpers.types import PathLike, Seed
from sklearn_mteval.features.embeddings._competitors import competing_sets, mean_alignments
from sklearn_mteval.features.embeddings._encoder_models import TunedWeights, unit_rows
from sklearn_mteval.features.embeddings._encoding import as_references, context_of
from sklearn_mteval.features.embeddings._ranked_segments import (
    RankedTransformer,
    check_decided,
    cross_fitted,
    folds_of,
    ranked_segments,
)
from sklearn_mteval.features.embeddings._token_transformer import TokenTransformer, best_cosines

_PARTS = ("score", "precision", "recall", "cosine")
_AGAINST = {  # to what its columns' names begin with
    "both": ("", "competing_"),
    "competing": ("competing_",),
    "reference": ("",),
}
_TUNE = ("all", "projection", "top-layers")
_MEAN_SEGMENTS = 500  # whose competing columns are averaged: a tuned encoder reads them again
_LARGEST = 1e6  # of a coefficient or weight of tokens that is loaded


class LearnedTokenAlignment(RankedTransformer, TokenTransformer):
    """Token alignment that learns from rankings how much each token, and each direction, counts.

    The score is a P + b R + c cos: P and R are weighted means of each token's highest cosine with a
    token of the other text, cos the cosine of the weighted means of both texts' tokens. Learnt are
    a, b and c, a projection of the tokens' vectors, and a vector w from which a token h gets its
    weight softplus(w·h); on request also layers of the encoder.

    Parameters
    ----------
    encoder : path-like, str or callable
        As of :class:`TokenAlignment`.
    columns : list or tuple of str, default=("hypothesis", "reference")
        As of :class:`TokenAlignment`: with "source" the source takes the place of the reference in
        all that follows.
    against : {"reference", "competing", "both"}, default="reference"
        What a translation is aligned with. "reference": its references. "competing": the
        translations of its segment by competing systems; no reference is read. "both": both, and
        the sum of the two scores is what is trained.
    tune : {"projection", "top-layers", "all"}, default="projection"
        "projection": the encoder stays as it is, and each text is encoded once; "top-layers": its
        ``n_top_layers`` highest layers below ``layers`` are trained too; "all": all of it up to
        there. Not of a callable.
    n_top_layers : int, default=2
        Layers of "top-layers".
    layers : {"auto", "last"}, int or list of int, default="auto"
        As of :class:`TokenAlignment`, but that vectors of several layers are joined, not averaged.
    dtype : {"float32", "bfloat16", "float16", "auto"}, default="float32"
        As of :class:`TokenAlignment`; in training the projection is computed in it as well.
    n_dimensions : int, default=384
        Dimensions of the projected vectors, at most those of the joined ones.
    cv : int or None, default=3
        Parts of the segments in ``fit_transform``; see there. None: no cross-fitting.
    validation_fraction : float or None, default=0.1
        Proportion of the segments held out for early stopping. None: ``max_epochs`` epochs.
    max_epochs : int, default=10
        Epochs at most.
    patience : int, default=3
        Epochs without a lower loss of the held-out segments before training ends. Those weights
        are kept that had the lowest.
    learning_rate : float, default=0.0002
        Of the projection.
    encoder_learning_rate : float, default=0.00003
        Of the encoder's layers.
    random_state : int, RandomState or None, default=0
        Seed of what is held out and of the order of training.
    batch_size, device, n_threads, local_files_only, encoder_name, progress : see SentenceEncoder
        The same. Training runs on the same device, with as many threads.
    cache : path-like or None, default=None
        As of :class:`TokenAlignment`: 2 bytes for each dimension of each layer of a token.

    Attributes
    ----------
    projection_ : ndarray of shape (n_dimensions, n_inputs), float16
        The projection; n_inputs is the number of layers times their dimensions.
    token_weights_ : ndarray of shape (n_dimensions,), float32
        The vector w.
    coefficients_ : ndarray of shape (1, 3) or (2, 3), float64
        The coefficients a, b and c; with against="both" those of references, then of competitors.
    encoder_weights_ : dict
        Weights of the encoder that were trained, name → float16 array; empty with "projection".
    means_ : ndarray of shape (4,), float64
        Means of the competing columns over distinct training translations that have competitors,
        of 500 segments at most, 0 if none has: what a translation without competitors gets. Not
        with against="reference".
    losses_ : ndarray of shape (n_epochs + 1,), float64
        Mean loss of the held-out segments before training and after each epoch, lower is better;
        without held-out segments that of the training segments in each epoch, shape (n_epochs,).
    fingerprint_ : str or None
        SHA-256 of the model's files; ``encoder_name`` for a callable.
    layers_ : list of int
        The layers that are joined; empty for what the model gives at its end.

    See Also
    --------
    TokenAlignment : The same without training.

    Notes
    -----
    Columns, higher is better:

    ==========================================  ===================================================
    ``learnedalignment_score``                  a P + b R + c cos, on the scale of logits: a
                                                difference of d says that annotators prefer the one
                                                with odds of e^d. It alone is a metric.
    ``learnedalignment_precision``              P, in [−1, 1]
    ``learnedalignment_recall``                 R, in [−1, 1]
    ``learnedalignment_cosine``                 cos, in [−1, 1]
    ``learnedalignment_competing_score`` and    the same four of a translation and each competing
    so on                                       one in place of a reference, averaged over these
    ==========================================  ===================================================

    All four are 0 if a text has no token. Of several references the one with the highest score
    counts. With the source in its place the first four are called ``learnedalignment_source_score``
    and so on. **Other rows of a segment matter** to the competing columns: score all systems of a
    segment together, indexed by (segment, system). Competitors with equal texts are one; rows of a
    segment with other references do not compete.

    *Training.* The loss is logistic, log(1 + exp(−(s1 − s2))), of the scores of two different
    translations, the first ranked above the second in one ranking; each decision counts with the
    square root of how often it was made. AdamW, eight segments a batch. The projection starts as
    the principal directions of the tokens. Segments that share a reference are never parted.

    *Memory.* "projection" holds the tokens of all texts that are trained on, 2 bytes for each
    dimension of each layer: with four layers of MiniLM 80 KB for a sentence. Of a callable's tokens
    the first 1,024 of a text are trained on. n distinct translations of one segment that compete
    take 24 n² bytes besides their tokens, and time by n².

    What is learnt depends neither on the order of rows nor on names, to the bit on one machine with
    one thread of a processor. What is saved is what was trained, without the rest of the encoder.

    Training needs torch: ``pip install "sklearn-mteval[neural]"``; a model folder ``[encoders]``.

    References
    ----------
    Zhang et al. 2020, BERTScore, section 3; Rei et al. 2020, COMET, section 2.4 (training on
    rankings); Soricut, Bach and Wang 2012, "The SDL Language Weaver Systems in the WMT12 Quality
    Estimation Shared Task" (competing systems).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.features import LearnedTokenAlignment
    >>> X, y = load_sample(return_X_y=True)
    >>> def letters(texts):
    ...     return [np.eye(128)[[ord(c) % 128 for c in text]] for text in texts]
    >>> aligner = LearnedTokenAlignment(letters, n_dimensions=16, max_epochs=1).fit(X, y)
    >>> aligner.transform(X).shape
    (640, 4)
    """

    _joined = True
    _decisive = _PARTS.index("score")

    def __init__(
        self, encoder: PathLike | Callable, *, columns: Sequence[str] = ("hypothesis", "reference"),
        against: str = "reference", tune: str = "projection", n_top_layers: int = 2,
        layers: str | int | list[int] = "auto", dtype: str = "float32", n_dimensions: int = 384,
        cv: int | None = 3, validation_fraction: float | None = 0.1, max_epochs: int = 10,
        patience: int = 3, learning_rate: float = 0.0002, encoder_learning_rate: float = 0.00003,
        random_state: Seed = 0, batch_size: int = 16, device: str = "cpu", n_threads: int = 1,
        local_files_only: bool = True, cache: PathLike | None = None,
        encoder_name: str | None = None, progress: bool = False
    ):  # fmt: skip
        self.encoder = encoder
        self.columns = columns
        self.against = against
        self.tune = tune
        self.n_top_layers = n_top_layers
        self.layers = layers
        self.dtype = dtype
        self.n_dimensions = n_dimensions
        self.cv = cv
        self.validation_fraction = validation_fraction
        self.max_epochs = max_epochs
        self.patience = patience
        self.learning_rate = learning_rate
        self.encoder_learning_rate = encoder_learning_rate
        self.random_state = random_state
        self.batch_size = batch_size
        self.device = device
        self.n_threads = n_threads
        self.local_files_only = local_files_only
        self.cache = cache
        self.encoder_name = encoder_name
        self.progress = progress

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Train on all segments.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With the columns ``hypothesis`` and, if they are read, ``reference``, indexed by segment
            and system, and by ranking if a segment was ranked several times.
        y : array-like of shape (n_candidates,)
            Rank-like, lower is better, ties allowed.

        Returns
        -------
        LearnedTokenAlignment
            The transformer itself.

        Raises
        ------
        ValueError
            If a parameter has no such value, the model cannot be used, or training diverges; as
            CandidateError, if the table is none, or decides between no two texts.
        ImportError
            If torch or the libraries of a model folder are not installed.
        """
        self._learn(X, y)
        return self

    def _learn(self, X, y, *, n_folds=0):
        """Train on all segments; return each fold's columns by a copy trained on the others."""
        self._check_parameters()
        reference = self.against != "competing"
        columns = ("hypothesis", context_of(self.columns)) if reference else ("hypothesis",)
        self._remember_table(X, columns)
        X = as_references(X, self.columns) if reference else X
        segments = ranked_segments(X, y, reference=reference)
        folds = folds_of(segments, n_folds)
        import_extra("torch", "neural", "Training a token alignment")
        texts = sorted({text for segment in segments for text in segment.texts()})
        self._check_encoder(texts)
        model = super()._fitted_model()  # without weights of an earlier fit
        known = None
        if self.tune == "projection":
            with self._step(len(texts)) as step:
                known = self._encode(texts, model, step.advance)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=1 + n_folds)
        self._train(segments, model, known, seeds[0])
        if self.against != "reference":
            self._known = known
            try:
                some = segments[:: -(-len(segments) // _MEAN_SEGMENTS)]
                values, lone, _ = self._described(X.iloc[np.concatenate([s.rows for s in some])])
            finally:
                del self._known
            values = values[~lone, -len(_PARTS) :]
            self.means_ = values.mean(axis=0) if len(values) else np.zeros(len(_PARTS))

        def train(scorer, chosen, seed):
            scorer._train(compress(segments, chosen), model, known, seed)
            scorer._known = known

        return cross_fitted(self, X, segments, folds, seeds[1:], train)

    def _train(self, segments, model, known, seed):
        """Train on some segments, and keep what is learnt."""
        from sklearn_mteval.features.embeddings._alignment_training import train_alignment
        from sklearn_mteval.features.embeddings._encoder_tuning import FrozenTokens, TunedTokens

        segments = [segment for segment in segments if len(segment.weights)]
        check_decided(segments)
        if known is None:
            n_layers = None if self.tune == "all" else self.n_top_layers
            texts = sorted({text for segment in segments for text in segment.texts()})
            reader = TunedTokens(model, n_layers, texts, self.batch_size)
        else:
            reader = FrozenTokens(known, getattr(model, "device", self.device))
        half = getattr(model, "dtype", "float32") == "bfloat16"
        with torch_threads(self.n_threads), threadpool_limits(self.n_threads, user_api="blas"):
            learnt = train_alignment(segments, reader, self, seed, half=half)
        vars(self).update(learnt)

    def _check_parameters(self):
        check_one_of("against", self.against, _AGAINST)
        check_one_of("tune", self.tune, _TUNE)
        if self.tune != "projection" and callable(self.encoder):
            expected = "'projection' for a callable, which cannot be trained"
            raise ValueError(f"tune must be {expected}, found {self.tune!r}.")
        for name in ("n_top_layers", "n_dimensions", "max_epochs", "patience"):
            check_integer(name, getattr(self, name), minimum=1)
        for name in ("learning_rate", "encoder_learning_rate"):
            check_number(name, getattr(self, name), above=0)
        if self.validation_fraction is not None:
            check_proportion("validation_fraction", self.validation_fraction)

    def _is_whole(self):
        projection, weights = self.projection_, self.encoder_weights_
        shape = len(_AGAINST[self.against]), 3
        bounds = {"low": -_LARGEST, "high": _LARGEST}
        return (
            super()._is_whole()
            and projection.ndim == 2
            and min(projection.shape) > 0
            and is_array(projection, projection.shape, np.float16)
            and is_array(self.token_weights_, projection.shape[:1], np.float32, **bounds)
            and is_array(self.coefficients_, shape, **bounds)
            and type(weights) is dict
            and all(isinstance(name, str) for name in weights)
            and all(is_array(array, array.shape, np.float16) for array in weights.values())
            and is_array(self.losses_, self.losses_.shape)
            and (self.against == "reference" or is_array(self.means_, (len(_PARTS),), **bounds))
            and self.tune in _TUNE
        )

    def _fitted_model(self):
        model = super()._fitted_model()
        if self.encoder_weights_:
            model.weights = TunedWeights(self.encoder_weights_)
        return model

    def _encode(self, texts, *options):
        known = getattr(self, "_known", None)
        if known is None:
            return super()._encode(texts, *options)
        return {text: known[text] for text in texts}

    def _preparation(self):
        projection = self.projection_.astype(np.float32)
        token_weights = self.token_weights_

        def prepare(tokens):
            if not len(tokens):
                return None
            if tokens.shape[1] != projection.shape[1]:
                now, then = tokens.shape[1], projection.shape[1]
                raise ValueError(f"model gave {then} dimensions in fit, and now {now}.")
            vectors = unit_rows(tokens.astype(np.float32) @ projection.T)
            weights = np.logaddexp(0, vectors @ token_weights)
            return vectors, weights, unit_rows(weights[np.newaxis] @ vectors)[0]

        return prepare

    def _transform(self, X):
        if self.against == "reference":
            return super()._transform(X)
        X = as_references(X, self.columns) if self.against == "both" else X
        values, lone, rows = self._described(X)
        values[lone, -len(_PARTS) :] = self.means_
        return values[rows]

    def _described(self, X):
        """Compute the columns of distinct translations; which have no competitor; whose rows."""
        sets, rows = competing_sets(X, reference=self.against == "both")
        sizes = np.array([len(texts.hypotheses) for texts in sets], dtype=np.int64)
        return self._align(sets), np.repeat(sizes < 2, sizes), rows

    def _rows(self, part, held):
        blocks = [super()._rows(part, held)] if part.references else []
        if part.competing:
            parts = mean_alignments([held[text] for text in part.hypotheses])
            blocks.append(np.column_stack([parts @ self.coefficients_[-1], parts]))
        return np.hstack(blocks)

    def _compared(self, hypothesis, reference):
        if hypothesis is None or reference is None:
            return 0.0, 0.0, 0.0, 0.0
        (h, h_weights, h_mean), (r, r_weights, r_mean) = hypothesis, reference
        of_h, of_r = best_cosines(h, r)
        cosine = float(np.clip(h_mean @ r_mean, -1, 1))
        parts = _mean(of_h, h_weights), _mean(of_r, r_weights), cosine
        return float(self.coefficients_[0] @ parts), *parts

    def _output_names(self):
        prefixes = _AGAINST[self.against]
        parts = ((prefix or self._prefix(), part) for prefix in prefixes for part in _PARTS)
        return [f"learnedalignment_{prefix}{part}" for prefix, part in parts]


def _mean(values, weights):
    """Average with weights, all of which may be 0 where they come from a crafted file."""
    total = weights.sum(dtype=np.float64)
    return float((values * weights).sum(dtype=np.float64) / total) if total > 0 else 0.0
