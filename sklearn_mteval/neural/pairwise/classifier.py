"""PairwiseNN: the pairwise neural network as a scikit-learn classifier of pairs."""

import warnings

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_mteval.neural.encoders.options import TextEncoder
from sklearn_mteval.neural.pairwise.architecture import connections, initial_weights, n_parameters
from sklearn_mteval.neural.pairwise.checks import LOSSES, check_parameters, signs_of
from sklearn_mteval.neural.pairwise.columns import Blocks, find_blocks, is_numeric
from sklearn_mteval.neural.pairwise.fitting import Reader, held_out_tau, make_solver, text_encoder
from sklearn_mteval.neural.pairwise.held_out import hold_out
from sklearn_mteval.neural.pairwise.inputs import check_references
from sklearn_mteval.neural.pairwise.prediction import odds, odds_of_table, warn_of_references
from sklearn_mteval.neural.pairwise.training import train
from sklearn_mteval.neural.pairwise.weights import check_weights, pack_tensors, unpack_tensors

__all__ = ["PairwiseNN"]

_ANOTHER_NETWORK = (
    "Training cannot go on (warm_start, partial_fit) with another architecture, hidden_units, "
    "symmetric, encoder or blocks: fit a new network."
)


class PairwiseNN(ClassifierMixin, BaseEstimator):
    """Decide which of two translations is better with a small neural network.

    Groups of tanh units look at the embeddings of both translations, and of each translation
    and the reference; similarity features (BLEU and the like) skip the hidden layer and go
    straight to the sigmoid output. It is trained with Adagrad on mini-batches; the epoch with the
    best Kendall's tau on held-out segments is kept.

    Parameters
    ----------
    hidden_units : int, default=4
        H, units in each of the groups h12, h1r and h2r.
    architecture : {"pairwise", "fully-connected", "single-layer"}, default="pairwise"
        H units for each pair of embeddings; 3 H units that see all of them; or no hidden layer,
        which is logistic regression.
    loss : {"logistic", "kendall", "logistic+kendall"}, default="logistic"
        Likelihood; a smooth Kendall's tau; the first and then, from its best epoch, the second.
    gamma, beta : float, default=100.0
        γ and β of the Kendall cost sig(−γ s Δ) + exp(−β Δ² / 2): steepness of the step, and of
        the penalty on ties (0: none; the larger, the narrower and steeper).
    symmetric : bool, default=False
        Make the log-odds antisymmetric by construction, as the difference of both directions:
        those of (t2, t1) are those of (t1, t2) with the opposite sign, but for rounding. The
        papers' network learns this only nearly.
    encoder : None, {"average", "cnn", "lstm", "bilstm"} or TextEncoder, default=None
        Encode the columns of texts ``hypothesis`` and ``reference`` on the fly.
    blocks : dict or None, default=None
        Roles of the columns, where names do not tell them: "hypothesis", "reference" (embeddings)
        and "similarity", each a regular expression, a list of names, or positions among the
        features of *one* translation. By default ``…hypothesis_emb0`` and
        ``…reference_emb0`` are embeddings and all others are similarity features; the columns
        of a plain array, which have no names, are all taken as the hypothesis's embedding.
    max_epochs : int, default=200
        Epochs of each objective at most.
    patience : int or None, default=20
        Epochs without a higher tau after which training stops; None never stops early.
    batch_size : int, default=30
        Pairs of a mini-batch.
    lr : float, default=0.01
        Adagrad's learning rate.
    l2 : float, default=1e-4
        L2 penalty of weights (not of biases): half its product with the sum of their squares
        is added to the mean cost.
    validation_fraction : float or None, default=0.1
        Share of the *segments* that are held out for early stopping, read from the index level
        ``segment``; 0 or None: none, the last epoch is kept.
    validation_segments : array-like or None, default=None
        Labels of the segments to hold out, instead of a share chosen at random.
    solver : {"auto", "torch", "numba"}, default="auto"
        "torch" trains through skorch, on any device and with any encoder; "numba" takes the same
        steps with compiled gradients, twenty times faster, but trains no encoders and only on
        the CPU. They agree but for rounding. "auto" takes "numba" where it can.
    device : str, default="cpu"
        Where torch computes in training: "cpu", "cuda", "cuda:1", ….
    n_threads : int or None, default=1
        Threads of torch in training; more seldom help, and hurt where cores are busy. None
        leaves torch's own setting.
    warm_start : bool, default=False
        Whether ``fit`` goes on from the last fit's weights and optimiser.
    random_state : int, RandomState or None, default=None
        Seeds the start, the order of pairs, the held-out segments and dropout.
    verbose : int, default=0
        Whether to show a progress bar.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; the second means that t1 is better.
    history_ : list of dict
        For each epoch ``epoch``, ``objective``, ``loss`` (mean cost of the training pairs),
        ``tau`` (of the held-out segments, strict; None without) and ``seconds``.
    best_epoch_ : int
        The epoch that was kept, counted from 1.
    weights_ : dict of ndarray
        ``weight`` (inputs × hidden units; last column: skip arcs to the output), ``bias`` (of
        hidden units; last: of the output), ``output_weight`` (of hidden units) and an
        encoder's.
    n_parameters_ : int
        Trained numbers: connections, a bias and an output weight for each hidden unit, the
        output's bias (which cancels out, and is left at 0, where ``symmetric``), an encoder's.
    blocks_ : dict
        Positions of each role among the features of one translation.
    validation_segments_ : list
        Labels of the segments held out; training that goes on holds them out again.
    n_validation_pairs_ : int
        Pairs held out, or given to stop early by, each direction counted.
    solver_ : {"torch", "numba"}
        What trained.
    n_features_in_ : int
        Columns of the pair table.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where it has names.

    See Also
    --------
    TextEncoder : Options of encoding on the fly.
    RankRecomposer : Gives it every pair of comparable translations in both directions.

    Notes
    -----
    Scale features to [−1, 1] first, ``MinMaxScaler(feature_range=(-1, 1))``, as the papers do.
    Computation is in single precision while training; predictions are in the precision of the
    table. Memory: one float32 copy of the columns in use.

    Rows are used as they come: give both directions of each pair, as ``RankRecomposer`` does.

    References
    ----------
    Guzmán, Joty, Màrquez and Nakov 2015, sections 3, 4 and 6; 2017, sections 3 to 6.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_mteval import PairwiseNN
    >>> rng = np.random.RandomState(0)
    >>> X = rng.uniform(-1, 1, (200, 2 * 5))  # t1: 2 embedding, 2 reference, 1 similarity; t2
    >>> X[:, 7:9] = X[:, 2:4]
    >>> y = X[:, 4] > X[:, 9]
    >>> blocks = {"hypothesis": [0, 1], "reference": [2, 3]}
    >>> net = PairwiseNN(blocks=blocks, lr=0.1, validation_fraction=None, random_state=0)
    >>> net.fit(X, y).score(X, y) > 0.9
    True
    """

    # Tells RankRecomposer to keep the names of columns through a pipeline that ends here.
    reads_names = True

    def __init__(
        self,
        *,
        hidden_units=4,
        architecture="pairwise",
        loss="logistic",
        gamma=100.0,
        beta=100.0,
        symmetric=False,
        encoder=None,
        blocks=None,
        max_epochs=200,
        patience=20,
        batch_size=30,
        lr=0.01,
        l2=1e-4,
        validation_fraction=0.1,
        validation_segments=None,
        solver="auto",
        device="cpu",
        n_threads=1,
        warm_start=False,
        random_state=None,
        verbose=0,
    ):
        self.hidden_units = hidden_units
        self.architecture = architecture
        self.loss = loss
        self.gamma = gamma
        self.beta = beta
        self.symmetric = symmetric
        self.encoder = encoder
        self.blocks = blocks
        self.max_epochs = max_epochs
        self.patience = patience
        self.batch_size = batch_size
        self.lr = lr
        self.l2 = l2
        self.validation_fraction = validation_fraction
        self.validation_segments = validation_segments
        self.solver = solver
        self.device = device
        self.n_threads = n_threads
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y, *, segments=None, validation=None):
        """Train on a pair table.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, 2 * n_features)
            First half of the columns t1, second half t2. Segments to hold out are read from the
            index level ``segment``.
        y : array-like of shape (n_pairs,)
            Two labels; the larger means that t1 is better.
        segments : array-like of shape (n_pairs,), optional
            Segment of each row, for a table without an index.
        validation : tuple of (X, y), optional
            Pairs to stop early by, instead of held-out segments.

        Returns
        -------
        PairwiseNN
            The classifier itself.

        Raises
        ------
        ValueError
            For NaN, a single class, blocks that do not fit, parameters out of range.
        """
        fresh = not (self.warm_start and hasattr(self, "weights_"))
        return self._fit(X, y, fresh, segments=segments, validation=validation)

    def partial_fit(self, X, y, classes=None):
        """Train for one more epoch on all rows, with nothing held out.

        With "logistic+kendall", the first call takes the first cost and all others the second.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, 2 * n_features)
            As in fit.
        y : array-like of shape (n_pairs,)
            As in fit; after the first call one label may be missing.
        classes : array-like of shape (2,), optional
            Both labels, for a first call whose y has only one.

        Returns
        -------
        PairwiseNN
            The classifier itself.
        """
        return self._fit(X, y, not hasattr(self, "weights_"), classes=classes, one_epoch=True)

    def decision_function(self, X):
        """Compute the log-odds that t1 is better.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, 2 * n_features)
            A pair table.

        Returns
        -------
        ndarray of shape (n_pairs,)
            Positive where the second of ``classes_``, t1 is better, is decided.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False, texts=self._n_encoded > 0)
        blocks = Blocks(**self.blocks_)
        if not self._n_encoded:
            return odds_of_table(
                np.asarray(X), blocks, self.weights_, self._symmetric, self._reference_scale
            )
        reader = Reader(blocks, self._encoder, self._vocabulary)
        warn_of_references(X, blocks)
        rows = reader.rows(X, reader.module(self.weights_), np.float64)
        return odds(rows, self.weights_, blocks.shape(self._n_encoded), self._symmetric)

    def predict_proba(self, X):
        """Compute the probability of each class.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, 2 * n_features)
            A pair table.

        Returns
        -------
        ndarray of shape (n_pairs, 2), float64
            Columns as in ``classes_``: t2 is better, t1 is better.
        """
        odds = self.decision_function(X).astype(np.float64)
        return np.column_stack([expit(-odds), expit(odds)])

    def predict(self, X):
        """Decide which translation is better.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_pairs, 2 * n_features)
            A pair table.

        Returns
        -------
        ndarray of shape (n_pairs,)
            Labels from ``classes_``.
        """
        decided = (self.decision_function(X) > 0).astype(np.int64)
        return self.classes_[decided]

    def _fit(self, X, y, fresh, *, segments=None, validation=None, classes=None, one_epoch=False):
        """Prepare, train, keep what training came to."""
        check_parameters(self)
        encoder = text_encoder(self.encoder)
        rng = self._rng(fresh)
        seed = int(rng.randint(2**31))
        table = self._validated(X, reset=fresh)
        signs, classes = signs_of(y, table, classes if fresh else self.classes_)
        names = getattr(self, "feature_names_in_", None)
        names = None if names is None else list(names)
        blocks = find_blocks(table, names, self.blocks, encoder=encoder is not None)
        scale = check_references(table, blocks)
        held_out, before = None, [] if fresh else self.validation_segments_
        labels = before if one_epoch else []
        if validation is not None:
            if segments is not None or self.validation_segments is not None:
                raise ValueError("Give either validation, or segments to choose from, not both.")
            held_out = self._validation_set(validation, classes, blocks)
        elif not one_epoch:
            wanted = self.validation_fraction, self.validation_segments
            mask, labels = hold_out(X, len(table), segments, *wanted, before, rng)
            if labels:
                held_out = _rows(table, mask), signs[mask]
                table, signs = _rows(table, ~mask), signs[~mask]
                _check_both_classes(signs)
        history = [] if fresh else self.history_
        reader, module, tensors = self._start(table, blocks, encoder, fresh, rng, seed)
        shape = blocks.shape(0 if module is None else module.n_outputs)
        connected = connections(self.architecture, shape, self.hidden_units)
        self._check_connections(connected, blocks, fresh)
        if fresh:
            tensors |= initial_weights(connected, rng)
        solver = make_solver(self, reader, table, signs, tensors, shape, module)
        with solver.threads(self.n_threads):
            course = train(
                solver,
                _objectives(LOSSES[self.loss], fresh, one_epoch),
                max_epochs=1 if one_epoch else self.max_epochs,
                patience=None if one_epoch else self.patience,
                n_rows=len(signs),
                rng=rng,
                tau=held_out and held_out_tau(solver, reader, module, shape, *held_out),
                verbose=self.verbose,
                history=history,
                best_epoch=0 if fresh else self.best_epoch_,
            )
        self.classes_ = classes
        self.weights_, self._squares = _sort_out({**tensors, **course.state})
        self.history_, self.best_epoch_ = course.history, course.best_epoch
        self.blocks_, self.solver_ = blocks._asdict(), solver.name
        self.validation_segments_ = labels
        self._architecture = self.architecture
        self.n_validation_pairs_ = 0 if held_out is None else len(held_out[1])
        of_encoder = sum(
            values.size for name, values in course.state.items() if name.startswith("encoder.")
        )
        self.n_parameters_ = n_parameters(connected) + of_encoder - bool(self.symmetric)
        # What predictions need, as it was in fit.
        self._symmetric = bool(self.symmetric)
        self._encoder = None
        if encoder is not None:  # without the vectors: they are among the weights
            self._encoder = TextEncoder(**{**encoder.get_params(deep=False), "vectors": None})
        self._n_encoded = 0 if module is None else module.n_outputs
        self._vocabulary, self._reference_scale = reader.vocabulary, scale
        return self

    def _start(self, table, blocks, encoder, fresh, rng, seed):
        """Make what reads the table, the encoder, and the weights to go on from."""
        if not fresh and _design(encoder) != _design(self._encoder):
            raise ValueError(_ANOTHER_NETWORK)
        tensors = {} if fresh else {**self.weights_, **self._squares}
        reader = Reader(blocks, encoder, None if fresh else self._vocabulary)
        if encoder is None:
            return reader, None, tensors
        if fresh:
            tensors["encoder.initial"] = reader.learn_words(table, rng)
        return reader, reader.module(tensors, seed), tensors

    def _rng(self, fresh):
        """Seed the random numbers; of another epoch, if training goes on."""
        seed = self.random_state
        if not fresh and isinstance(seed, int | np.integer):
            seed = (int(seed) + len(self.history_)) % 2**32
        return check_random_state(seed)

    def _validated(self, X, *, reset, texts=False):
        """Check names, width and numbers of a pair table; keep columns of texts as they are."""
        if isinstance(X, pd.DataFrame) and (texts or not is_numeric(X).all()):
            validate_data(self, X, reset=reset, skip_check_array=True)
            if not len(X):
                raise ValueError("Found array with 0 sample(s): the pair table has no rows.")
            assert_all_finite(X.loc[:, is_numeric(X)].to_numpy(np.float64), input_name="X")
            return X
        if texts:
            raise ValueError(
                "The network was trained on columns of texts: expected a DataFrame with them, "
                f"found {type(X).__name__}."
            )
        # Predictions find NaN in their own result, which is faster.
        kinds = [np.float64, np.float32]
        return validate_data(self, X, reset=reset, dtype=kinds, ensure_all_finite=reset)

    def _validation_set(self, validation, classes, blocks):
        """Check the pairs that the caller gives to stop early by."""
        try:
            X, y = validation
        except (TypeError, ValueError):
            raise ValueError("validation must be a tuple (X, y).") from None
        if not hasattr(X, "__len__") or len(X) == 0:
            raise ValueError("The validation set is empty: zero segments to stop early by.")
        X = self._validated(X, reset=False, texts=blocks.hypothesis_text is not None)
        if not isinstance(X, pd.DataFrame):
            assert_all_finite(X, input_name="X of validation")
        check_references(X, blocks)
        return X, signs_of(y, X, classes)[0]

    def _check_connections(self, connected, blocks, fresh):
        """Raise where training cannot go on; warn where there is nothing for hidden units."""
        if not fresh and not (
            self._architecture == self.architecture
            and self._symmetric == bool(self.symmetric)
            and self.weights_["weight"].shape == connected.shape
            and all(np.array_equal(self.blocks_[role], at) for role, at in blocks._asdict().items())
        ):
            raise ValueError(_ANOTHER_NETWORK)
        if self.architecture != "single-layer" and connected.shape[1] == 1:
            warnings.warn(
                "The pair table has no embedding columns, so that the network has no hidden layer "
                "and is logistic regression. Embeddings are columns named …hypothesis_emb0 and "
                "…reference_emb0 (is set_output(transform='pandas') on, also within the "
                "classifier's pipeline?), or set blocks={'hypothesis': …, 'reference': …}, or "
                "architecture='single-layer'.",
                stacklevel=4,
            )

    def __getstate__(self):
        """Keep weights as safetensors: bytes that any tool reads and that run nothing."""
        state = dict(super().__getstate__())
        if "weights_" in state:
            # Without times, so that the same seed gives the same bytes.
            state["history_"] = [
                {name: value for name, value in epoch.items() if name != "seconds"}
                for epoch in self.history_
            ]
            state["_tensors"] = pack_tensors({**state.pop("weights_"), **state.pop("_squares")})
        return state

    def __setstate__(self, state):
        """Read the weights again."""
        state = dict(state)
        if "_tensors" in state:
            tensors = unpack_tensors(state.pop("_tensors"))
            state["weights_"], state["_squares"] = _sort_out(tensors)
            blocks = Blocks(**state["blocks_"])
            check_weights(state["weights_"], blocks.shape(state["_n_encoded"]).n_inputs)
            if state["_n_encoded"]:  # fails where the encoder's weights do not fit
                reader = Reader(blocks, state["_encoder"], state["_vocabulary"])
                reader.module(state["weights_"])
        super().__setstate__(state)

    def __sklearn_tags__(self):
        """Declare that there are two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _rows(X, mask):
    """Take some rows of a table."""
    return X.loc[mask] if isinstance(X, pd.DataFrame) else X[mask]


def _objectives(objectives, fresh, one_epoch):
    """Return what to minimise: a second objective is for what was trained before."""
    return objectives[:1] if fresh and one_epoch else objectives if fresh else objectives[-1:]


def _design(encoder):
    """Return the options of an encoder that its weights depend on."""
    names = ("kind", "fine_tuning", "n_units", "window", "pool", "lowercase")
    return None if encoder is None else [getattr(encoder, name) for name in names]


def _check_both_classes(signs):
    """Raise if one class went with the held-out segments."""
    if len(np.unique(signs)) == 1:
        raise ValueError(
            "Only one class is left to train on: all pairs of the other class are of held-out "
            "segments."
        )


def _sort_out(tensors):
    """Tell weights from the optimiser's sums of squares, both sorted by name."""
    weights, squares = {}, {}
    for name in sorted(tensors):
        (squares if name.startswith("squares.") else weights)[name] = tensors[name]
    return weights, squares
