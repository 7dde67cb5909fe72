"""An encoder that reads a translation together with its source, trained on judgements."""

from itertools import compress
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.extras import import_extra, torch_threads
from sklearn_mteval._helpers.options import check_integer, check_number, check_one_of
from sklearn_mteval._helpers.restored import is_array, is_count, is_dict_of, is_list_of, is_number
from sklearn_mteval._helpers.types import PathLike, Seed
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.base import work_on_pairs
from sklearn_mteval.features.embeddings._encoder_models import TunedWeights
from sklearn_mteval.features.embeddings._encoding import (
    EncodingTransformer,
    as_references,
    context_of,
    readable,
)
from sklearn_mteval.features.embeddings._ranked_segments import (
    cross_fitted,
    folds_of,
    ranked_segments,
)
from sklearn_mteval.features.embeddings._token_transformer import DTYPES

_LARGEST = 1e6  # of a weight that is loaded
_MOST_TARGETS = 1000


class CrossEncoder(EncodingTransformer):
    """Train an encoder that reads a translation together with its source, and scores it.

    Small adapters in the encoder's layers and a small network above them are trained on which of
    two translations of a segment is better, and on graded targets where there are some, such as
    direct assessments or whether a translation is free of errors.

    Parameters
    ----------
    encoder : path-like or str
        A folder with a sentence-transformers model, or a name on the Hugging Face hub.
    columns : list or tuple of str, default=("source", "hypothesis")
        What is read together: "hypothesis", with "source" or "reference".
    adapter_rank : int, default=16
        Columns of the thin matrices of an adapter.
    n_frozen_layers : int, default=3
        Lowest layers of the encoder that have no adapters.
    max_epochs : int, default=1
        Passes over the segments; in each, six translations of a segment at most, drawn at random.
    learning_rate : float, default=0.0007
        Of the adapters, after a tenth of the steps, 40 at most; from there it falls to nothing.
    cv : int or None, default=3
        Parts of the segments in ``fit_transform``; see there. None: no cross-fitting.
    dtype, batch_size, device, n_threads, local_files_only, progress : see TokenAlignment
        The same; training is in ``dtype`` as well.
    random_state : int, RandomState or None, default=0
        Seed of the adapters and of the order of training.

    Attributes
    ----------
    targets_ : list of str
        Names of the targets.
    scales_ : dict
        Of each target, mean and standard deviation of a number, None of a label (0 or 1).
    weights_ : dict
        What was trained, name → array.
    losses_ : ndarray of shape (n_parts,), float64
        Mean losses of tenths of the training, one after another.
    fingerprint_ : str
        SHA-256 of the model's files.

    See Also
    --------
    LearnedTokenAlignment : Texts encoded by themselves, then aligned.

    Notes
    -----
    Columns:

    ===========================  ==================================================================
    ``crossencoder_score``       higher is better, on the scale of logits: a difference of d says
                                 that judges prefer the one with odds of e^d
    ``crossencoder_TARGET``      of each target: of a number, what is expected, in its own units; of
                                 a label, the probability of 1, in [0, 1]
    ===========================  ==================================================================

    Of several references the one with the highest score counts. Texts that have more than 256
    tokens together are cut, the longer one first.

    *Training.* The loss of two translations of one segment that were ranked in one ranking is
    logistic, log(1 + exp(−(s1 − s2))); each decision counts with the square root of how often it
    was made. Added are Huber's loss of numbers, standardised, times 0.7, and the logistic loss of
    labels, times 0.3. AdamW, 64 translations a step. Adapters are of low rank (Hu et al. 2022),
    next to each linear layer. The judge above the encoder reads the means of both texts' tokens,
    their difference and product (as Rei et al. 2020), and has one hidden layer of 128.

    *Cost.* Some 60 pairs of sentences a second and core with 12 layers of 384 dimensions in
    bfloat16. Training is several times slower: to save memory it computes layers twice. It holds
    the texts, and what gradients need of 256 tokens at a time (on other devices of a batch): with
    multilingual-e5-small some 2 GB in all, for 2,000 rows as for 36,000. What is saved are the
    adapters and the network, 2 bytes a weight: 2.4 MB for such an encoder.

    What is learnt depends neither on the order of rows nor on names, to the bit on one machine with
    one thread of a processor. Training and use need ``pip install "sklearn-mteval[encoders]"``.

    References
    ----------
    Hu et al. 2022, LoRA; Rei et al. 2020, COMET, section 2; Ranasinghe, Orasan and Mitkov 2020,
    TransQuest, section 3 (source and translation read together).

    Examples
    --------
    >>> from sklearn_mteval.features import CrossEncoder
    >>> judge = CrossEncoder("multilingual-e5-small", adapter_rank=8)
    >>> judge.get_params()["columns"]
    ('source', 'hypothesis')
    """

    def __init__(
        self, encoder: PathLike, *, columns: list[str] | tuple[str, ...] = ("source", "hypothesis"),
        adapter_rank: int = 16, n_frozen_layers: int = 3, max_epochs: int = 1,
        learning_rate: float = 0.0007, cv: int | None = 3, dtype: str = "float32",
        batch_size: int = 16, device: str = "cpu", n_threads: int = 1,
        local_files_only: bool = True, random_state: Seed = 0, progress: bool = False
    ):  # fmt: skip
        self.encoder = encoder
        self.columns = columns
        self.adapter_rank = adapter_rank
        self.n_frozen_layers = n_frozen_layers
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.cv = cv
        self.dtype = dtype
        self.batch_size = batch_size
        self.device = device
        self.n_threads = n_threads
        self.local_files_only = local_files_only
        self.random_state = random_state
        self.progress = progress

    def fit(
        self, X: pd.DataFrame, y: ArrayLike, targets: pd.DataFrame | None = None
    ) -> Self:  # fmt: skip
        """Train on all segments.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With both columns that are read, indexed by segment and system, and by ranking if a
            segment was ranked several times. A segment may have one row only, if it has a target.
        y : array-like of shape (n_candidates,)
            Rank-like, lower is better, ties allowed.
        targets : DataFrame of shape (n_candidates, n_targets), optional
            Graded targets of the same rows, NaN where there is none. A column of 0 and 1 is a
            label, any other a number.

        Returns
        -------
        CrossEncoder
            The transformer itself.

        Raises
        ------
        ValueError
            If a parameter has no such value, the model cannot be used, or training diverges; as
            CandidateError, if the table is none, targets do not fit it, or nothing can be learnt.
        ImportError
            If the extra ``[encoders]`` is not installed.
        """
        self._learn(X, y, targets)
        return self

    def fit_transform(
        self, X: pd.DataFrame, y: ArrayLike, targets: pd.DataFrame | None = None
    ) -> Any:  # fmt: skip
        """Train on all segments; judge each with a model that was trained without it.

        The segments are dealt to ``cv`` parts, those that share a source together, and each is
        judged by a model that was trained on the others.

        Parameters
        ----------
        X, y, targets : see fit
            The same.

        Returns
        -------
        ndarray of shape (n_candidates, 1 + n_targets), float64
            As ``transform``, but cross-fitted, unless ``cv`` is None.

        Raises
        ------
        ValueError, ImportError
            As ``fit``; CandidateError also if there are too few segments for ``cv`` parts.
        """
        if self.cv is None:
            return self.fit(X, y, targets)._transform(X)
        check_integer("cv", self.cv, minimum=2)
        return self._learn(X, y, targets, self.cv)

    def _learn(self, X, y, targets, n_folds=0):
        """Train on all segments; return each fold's columns by a copy trained on the others."""
        examples, segments, labels = self._prepared(X, y, targets)
        folds = folds_of(segments, n_folds)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=1 + n_folds)
        self._train(examples, seeds[0], labels)

        def train(judge, chosen, seed):
            judge._train(compress(examples, chosen), seed, labels)

        return cross_fitted(self, X, segments, folds, seeds[1:], train)

    def _prepared(self, X, y, targets):
        """Check everything; return examples, their segments, and which targets are labels."""
        for name in ("adapter_rank", "max_epochs", "batch_size"):
            check_integer(name, getattr(self, name), minimum=1)
        check_integer("n_frozen_layers", self.n_frozen_layers, minimum=0)
        check_number("learning_rate", self.learning_rate, above=0)
        check_one_of("dtype", self.dtype, DTYPES)
        if callable(self.encoder):
            raise ValueError("encoder must be a folder or a name: a callable cannot be trained.")
        self._remember_table(X, (context_of(self.columns), "hypothesis"))
        table = as_references(X, self.columns)
        names, values = _check_targets(targets, X)
        segments = ranked_segments(table, y)
        texts = check_texts(table, "hypothesis"), check_texts(table, "reference", several=True)
        rows = list(zip(*texts, strict=True))
        found = [_example(segment, rows, values) for segment in segments]
        self.targets_ = names
        import_extra("torch", "encoders", "A cross-encoder")
        self.fingerprint_ = self._open_model().fingerprint
        # By all values, so that each fold takes a target for the same.
        labels = [bool(np.isin(v[~np.isnan(v)], (0, 1)).all()) for v in values.T]
        return found, segments, labels

    def _train(self, examples, seed, labels):
        """Train on some segments, and keep what is learnt."""
        from sklearn_mteval.features.embeddings._cross_encoder_training import (
            Scale,
            train_cross_encoder,
        )

        examples = [e for e in examples if len(e.better) or not np.isnan(e.targets).all()]
        if not any(len(example.better) for example in examples):
            raise CandidateError(
                "Nothing to learn from: in no ranking do two different texts have different ranks."
            )
        targets = np.concatenate([example.targets for example in examples])
        for name, column in zip(self.targets_, targets.T, strict=True):
            if np.isnan(column).all():
                raise CandidateError(f"targets: no row has a value of {name!r} to train on.")
        scales = [Scale.of(*each) for each in zip(targets.T, labels, strict=True)]
        model = self._open_model()
        with torch_threads(self.n_threads):
            weights, losses = train_cross_encoder(
                model.loaded(), examples, scales, self, seed, half=model.dtype == "bfloat16"
            )
        kept = [None if s.label else (s.mean, s.deviation) for s in scales]
        self.scales_ = dict(zip(self.targets_, kept, strict=True))
        self.weights_, self.losses_ = weights, losses

    def _transform(self, X):
        return work_on_pairs(self._judge, as_references(X, self.columns))

    def _judge(self, sets):
        """Judge the hypotheses of sets, each with the best of its sources or references."""
        from sklearn_mteval.features.embeddings._cross_encoder_network import trained_network

        model = self._fitted_model()
        owners = [(text, hyp) for texts, group in sets for hyp in group for text in texts]
        pairs = sorted({(readable(a), readable(b)) for a, b in owners})
        number = {pair: k for k, pair in enumerate(pairs)}
        with torch_threads(self.n_threads), self._step(len(pairs)) as step:
            network, reader = trained_network(
                model.folder, model.fingerprint, model.device, self.n_frozen_layers,
                TunedWeights(self.weights_), half=model.dtype == "bfloat16",
            )  # fmt: skip
            found = network.judge(reader, pairs, self.batch_size, step.advance)
        for column, scale in zip(found.T[1:], self.scales_.values(), strict=True):
            if scale is None:
                column[:] = 1 / (1 + np.exp(-np.clip(column, -500, 500)))
            else:
                column[:] = column * scale[1] + scale[0]
        rows = []
        for texts, group in sets:
            for hypothesis in group:
                some = found[[number[readable(text), readable(hypothesis)] for text in texts]]
                rows.append(some[some[:, 0].argmax()])
        return np.array(rows).reshape(-1, 1 + len(self.scales_))

    def _is_whole(self):
        scales = self.scales_
        return (
            super()._is_whole()
            and is_list_of(str, self.targets_, distinct=True)
            and len(self.targets_) <= _MOST_TARGETS
            and is_dict_of(scales, self.targets_, _is_scale)
            and list(scales) == self.targets_
            and _are_weights(self.weights_, 1 + len(scales))
            and is_array(self.losses_, self.losses_.shape)
            and is_count(self.n_frozen_layers, 0)
            and self.dtype in DTYPES
            and bool(context_of(self.columns))
        )  # fmt: skip

    def _output_names(self):
        return [f"crossencoder_{name}" for name in ("score", *self.targets_)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _are_weights(weights, n_outputs):
    """Tell whether these are the weights of a network of so many outputs, and of adapters."""
    from sklearn_mteval.features.embeddings._cross_encoder_network import HEAD

    if type(weights) is not dict or not all(isinstance(name, str) for name in weights):
        return False
    adapters = [array for name, array in weights.items() if name not in HEAD]
    return (
        all(
            is_array(array, array.shape, np.float32, low=-_LARGEST, high=_LARGEST)
            for array in map(weights.get, HEAD)
        )
        and all(is_array(array, array.shape, np.float16) for array in adapters)
        and weights["output.bias"].shape == (n_outputs,)
    )


def _is_scale(scale):
    """Tell whether this is None, or a mean and a standard deviation."""
    if scale is None:
        return True
    return type(scale) is tuple and len(scale) == 2 and all(map(is_number, scale)) and scale[1] > 0


def _check_targets(targets, X):
    """Return names and values of the targets, shape (n_candidates, n_targets)."""
    if targets is None:
        return [], np.empty((len(X), 0))
    if not isinstance(targets, pd.DataFrame) or not targets.index.equals(X.index):
        raise CandidateError("targets must be a DataFrame with the index of X.")
    names = list(targets.columns)
    if not all(isinstance(name, str) for name in names) or len({*names, "score"}) <= len(names):
        raise CandidateError(f"targets must have distinct names other than 'score', found {names}.")
    try:
        values = targets.to_numpy(dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CandidateError(
            f"targets must be numbers, or NaN where there is none: {error}"
        ) from None
    if np.isinf(values).any():
        raise CandidateError("targets must be finite, or NaN where there is none.")
    return names, values


def _example(segment, rows, values):
    """Make of a segment what is in a pair or has a target, the mean of those of equal rows."""
    from sklearn_mteval.features.embeddings._cross_encoder_training import Example

    number = {pair: k for k, pair in enumerate(segment.candidates)}
    at = [number[rows[row]] for row in segment.rows]
    known = ~np.isnan(values[segment.rows])
    totals, counts = np.zeros((2, len(number), values.shape[1]))
    np.add.at(totals, at, np.where(known, values[segment.rows], 0))
    np.add.at(counts, at, known)
    targets = np.where(counts, totals / np.maximum(counts, 1), np.nan)
    pairs = [(readable(texts[0]), readable(hypothesis)) for hypothesis, texts in number]
    useful = ~np.isnan(targets).all(axis=1)
    useful[segment.better] = useful[segment.worse] = True
    place = np.cumsum(useful) - 1
    pairs = list(compress(pairs, useful))
    better, worse = place[segment.better], place[segment.worse]
    return Example(pairs, better, worse, segment.weights, targets[useful])
