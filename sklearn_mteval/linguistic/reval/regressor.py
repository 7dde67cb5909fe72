"""ReValRegressor: how similar a translation is to its reference, by an LSTM or Tree-LSTM."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from sklearn_mteval._helpers.fitting import WholeFits
from sklearn_mteval._helpers.options import (
    check_boolean,
    check_integer,
    check_number,
    check_one_of,
    check_proportion,
)
from sklearn_mteval._helpers.restored import check_restored, refuse
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import check_columns, check_ranks
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.embeddings._word_vectors import with_plain_vectors
from sklearn_mteval.linguistic.reval.forests import (
    ENCODERS,
    read_pairs,
    scale_of,
    units_of_text_pairs,
    vectors_of,
)
from sklearn_mteval.linguistic.reval.solvers import CompiledSolver, pearson, predict_pairs
from sklearn_mteval.linguistic.reval.weights import (
    COMPOSITION,
    initial_weights,
    shapes_of,
    unpack_state,
    weights_and_squares,
)
from sklearn_mteval.neural.pairwise.epochs import seeded, train
from sklearn_mteval.neural.pairwise.held_out import units_held_out
from sklearn_mteval.neural.pairwise.saved_state import pack_state
from sklearn_mteval.text.transformer import ReadsTexts
from sklearn_mteval.text.vectors.word_vectors import load_word_vectors

_MOST = 10**6  # of what is counted; more is a slip


class ReValRegressor(WholeFits, ReadsTexts, RegressorMixin, BaseEstimator):
    """Predict how similar translations are to their references, on a scale from 1 to K.

    One network reads both texts; of the products and differences of what it says of them, a hidden
    layer makes a distribution over the scores 1 to K, whose mean is the prediction.

    Parameters
    ----------
    encoder : {"tree-lstm", "lstm"}, default="tree-lstm"
        Child-sum Tree-LSTM over dependency trees (the columns ``hypothesis_tree`` and
        ``reference_tree``, as ``Trees("dependency")`` makes them; what is not there is parsed), or
        an LSTM over words.
    vectors : path, mapping, KeyedVectors or WordVectors, default="english"
        Word vectors, which are not trained; as of
        :func:`~sklearn_mteval.text.load_word_vectors`.
    n_units : int, default=150
        Size of memory and hidden state of the encoder.
    hidden_units : int, default=50
        Units of the hidden layer.
    n_classes : int, default=5
        K, the highest score.
    output_gate : bool, default=False
        Whether the encoder has an output gate, h = o ⊙ tanh c, as Tai et al. have it; the
        paper's numbers of parameters are those without, h = tanh c.
    max_epochs : int, default=10
        Epochs at most.
    patience : int or None, default=None
        Epochs without a higher correlation after which training stops; None never stops early.
    batch_size : int, default=25
        Translations of a mini-batch.
    learning_rate : float, default=0.05
        Adagrad's learning rate.
    l2 : float, default=1e-4
        λ: half its product with the sum of all squared weights is added to the cost.
    validation_fraction : float or None, default=0.1
        Proportion of the segments that are held out to choose the best epoch by Pearson's
        correlation; None: none, the last epoch is kept.
    random_state : int, RandomState or None, default=0
        Seeds the start, the order of translations and the held-out segments.
    progress : bool, default=False
        Whether to show progress bars.

    Attributes
    ----------
    weights_ : dict of ndarray
        The weights by name: ``input``, ``hidden`` and ``forget`` of the encoder, ``similarity``
        and ``output`` of the layers above, each with its ``…_bias``; ``hidden`` and ``forget``
        share one.
    vectors_ : WordVectors
        The word vectors.
    vector_scale_ : float
        What they are multiplied with.
    encoder_ : {"tree-lstm", "lstm"}
        The encoder of the fit.
    history_ : list of dict
        For each epoch ``epoch``, ``objective``, ``loss`` (mean divergence of the training pairs,
        without the penalty), ``pearson`` (of the held-out segments, in [−1, 1], 0 where one side
        does not vary; None without) and ``seconds``.
    best_epoch_ : int
        The epoch that was kept, counted from 1; the latest of equal ones.
    validation_segments_ : list
        Numbers of the held-out segments, in the order of their content.
    n_validation_rows_ : int
        Rows of the table that were held out.
    n_parameters_ : int
        Trained numbers.
    n_composition_parameters_ : int
        Those of the encoder: 203,400 with 300-d words, memory 150 and no output gate.

    Notes
    -----
    Words are those of the Penn Treebank's tokeniser, looked up as written, then in lower case; an
    unknown one has the mean of its pieces or, without, numbers within ± 0.05 that its spelling
    decides. Vectors are scaled to a root mean square length of 5. Each of several references is a
    pair to train on, and the highest of the predictions counts.

    Rows that share the index level ``segment``, or a reference, are never parted. Neither the order
    of rows nor names change a bit. As in the published code, weights start uniform within ± 1 /
    √(inputs), and the L2 penalty takes in the biases.

    References
    ----------
    Gupta, Orăsan and van Genabith 2015; Tai, Socher and Manning 2015.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.neural import ReValRegressor
    >>> X = pd.DataFrame({
    ...     "hypothesis": ["A cat sleeps.", "The cat is asleep.", "Dog the barks."],
    ...     "reference": ["The cat sleeps.", "The cat sleeps.", "The dog barks."],
    ... })
    >>> reval = ReValRegressor(max_epochs=1, n_units=20, random_state=0).fit(X, [4.5, 4.0, 2.0])
    >>> reval.predict(X).shape
    (3,)
    """

    def __init__(
        self, *, encoder: str = "tree-lstm", vectors: Any = "english", n_units: int = 150,
        hidden_units: int = 50, n_classes: int = 5, output_gate: bool = False, max_epochs: int = 10,
        patience: int | None = None, batch_size: int = 25, learning_rate: float = 0.05,
        l2: float = 1e-4, validation_fraction: float | None = 0.1, random_state: Seed = 0,
        progress: bool = False
    ):  # fmt: skip
        self.encoder = encoder
        self.vectors = vectors
        self.n_units = n_units
        self.hidden_units = hidden_units
        self.n_classes = n_classes
        self.output_gate = output_gate
        self.max_epochs = max_epochs
        self.patience = patience
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.l2 = l2
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Train on translations with scores.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With the columns ``hypothesis`` and ``reference``, or those of their trees.
        y : array-like of shape (n_candidates,)
            Similarities in [1, K], higher is better.

        Returns
        -------
        ReValRegressor
            The regressor itself.

        Raises
        ------
        CandidateError
            If a column is missing or has a cell of another kind; if y is misaligned, NaN or outside
            of [1, K].
        ValueError
            If a parameter has no such value.
        """
        return self._fit(X, y, fresh=True, one_epoch=False)

    def partial_fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Train for one more epoch on all rows, with nothing held out.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            As in fit.
        y : array-like of shape (n_candidates,)
            As in fit.

        Returns
        -------
        ReValRegressor
            The regressor itself.
        """
        return self._fit(X, y, fresh=not hasattr(self, "weights_"), one_epoch=True)

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Predict how similar translations are to their references.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            As in fit; columns of trees need not be there if they were, nor the other way round.

        Returns
        -------
        ndarray of shape (n_candidates,), float64
            Scores in [1, K], higher is better.
        """
        check_is_fitted(self)
        pairs = read_pairs(X, self.encoder_, self.progress)
        vectors = vectors_of(pairs.forest, self.vectors_, self.vector_scale_)
        with threadpool_limits(1, user_api="blas"):
            found = predict_pairs(pairs.pairs, pairs.forest.arrays(), vectors, self.weights_)
        best = np.full(len(X), -np.inf)
        np.maximum.at(best, pairs.rows, found)
        return best

    def _fit(self, X, y, *, fresh, one_epoch):
        self._check_parameters()
        check_columns(X, ())
        targets = self._checked_targets(X, y)
        pairs = read_pairs(X, self.encoder, self.progress)
        word_vectors = load_word_vectors(self.vectors) if fresh else self.vectors_
        scale = scale_of(word_vectors)
        sizes = self.n_units, self.hidden_units, self.n_classes, self.output_gate
        shapes = shapes_of(word_vectors.matrix.shape[1], *sizes)
        rng = seeded(self.random_state, [] if fresh else self.history_)
        if fresh:
            tensors = initial_weights(shapes, rng)
        else:
            now = {name: values.shape for name, values in self.weights_.items()}
            if self.encoder != self.encoder_ or now != shapes:
                raise ValueError(
                    "Training cannot go on (partial_fit) with another encoder, n_units, "
                    "hidden_units, n_classes or output_gate: fit a new network."
                )
            tensors = {**self.weights_, **self._squares}
        targets = targets[pairs.rows]
        order = np.lexsort((targets, *pairs.pairs.T[::-1]))
        numbered, targets = pairs.pairs[order], targets[order]
        held_out, segments = np.zeros(len(order), dtype=bool), []
        if not one_epoch and self.validation_fraction is not None:
            units = units_of_text_pairs(X, pairs)[order]
            held_out = units_held_out(units, self.validation_fraction, rng)
            segments = pd.unique(units[held_out]).tolist()
        arrays = pairs.forest.arrays(), vectors_of(pairs.forest, word_vectors, scale)
        solver = CompiledSolver(
            numbered[~held_out],
            target_distributions(targets[~held_out], self.n_classes),
            *arrays,
            {name: tensors[name] for name in shapes},
            batch_size=self.batch_size,
            lr=self.learning_rate,
            l2=self.l2,
        )
        solver.restore(tensors)

        def correlation():
            predicted = predict_pairs(numbered[held_out], *arrays, solver.weights())
            return pearson(predicted, targets[held_out])

        with threadpool_limits(1, user_api="blas"):
            course = train(
                self, solver, ["similarity"], int(np.sum(~held_out)), rng, fresh=fresh,
                one_epoch=one_epoch, tau=correlation if segments else None, measure="pearson",
            )  # fmt: skip
        self.weights_, self._squares = weights_and_squares(course.state, shapes)
        self.vectors_, self.vector_scale_, self.encoder_ = word_vectors, scale, self.encoder
        self.history_, self.best_epoch_ = course.history, course.best_epoch
        self.validation_segments_ = segments
        self.n_validation_rows_ = len(np.unique(pairs.rows[order][held_out]))
        self.n_parameters_ = sum(values.size for values in self.weights_.values())
        self.n_composition_parameters_ = sum(self.weights_[name].size for name in COMPOSITION)
        self.n_features_in_ = X.shape[1]
        self.feature_names_in_ = np.asarray(X.columns, dtype=object)
        return self

    def _check_parameters(self):
        check_one_of("encoder", self.encoder, ENCODERS)
        check_boolean(output_gate=self.output_gate)
        for name in ("n_units", "hidden_units", "batch_size", "max_epochs"):
            check_integer(name, getattr(self, name), minimum=1, maximum=_MOST)
        check_integer("n_classes", self.n_classes, minimum=2, maximum=_MOST)
        if self.patience is not None:
            check_integer("patience", self.patience, minimum=1)
        check_number("learning_rate", self.learning_rate, above=0, maximum=_MOST)
        check_number("l2", self.l2, above=-np.finfo(float).tiny, maximum=_MOST)
        if self.validation_fraction is not None:
            check_proportion("validation_fraction", self.validation_fraction)

    def _checked_targets(self, X, y):
        """Return y as float64; CandidateError unless it fits X and lies in [1, K]."""
        targets = check_ranks(y, X)
        if not len(targets):
            raise CandidateError("The table has no rows to train on.")
        outside = np.flatnonzero((targets < 1) | (targets > self.n_classes))
        if len(outside):
            raise CandidateError(
                f"y must be similarities from 1 to n_classes={self.n_classes}, higher is better; "
                f"found {targets[outside[0]]:g} in row {outside[0]}, and {len(outside)} such "
                "row(s). Ranks become similarities with "
                "sklearn_mteval.datasets.similarity_from_rankings; scale other scores."
            )
        return targets

    def __getstate__(self):
        """Keep weights as bytes that any tool reads, and vectors without a path, once."""
        state = with_plain_vectors(super().__getstate__().copy())
        return pack_state(state) if "weights_" in state else state

    def __setstate__(self, state):
        """Read the weights again."""
        try:
            super().__setstate__(unpack_state(state) if "_tensors" in state else state)
        except (AttributeError, IndexError, KeyError, RecursionError, TypeError) as error:
            refuse(self, error)
        check_restored(self, lambda: "weights_" in vars(self) and self.encoder_ in ENCODERS)


def target_distributions(y, n_classes):
    """Spread scores over the two whole numbers next to them: p with rᵀp = y (2015, section 4)."""
    p = np.maximum(1 - np.abs(y[:, np.newaxis] - np.arange(1, n_classes + 1)), 0)
    return p.astype(np.float32)
