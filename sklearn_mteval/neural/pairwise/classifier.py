"""PairwiseNN: the pairwise neural network as a scikit-learn classifier of pairs."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.restored import refuse
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.neural.encoders.options import EncoderOptions, as_options
from sklearn_mteval.neural.pairwise import checks, prediction
from sklearn_mteval.neural.pairwise.architectures import (
    connections,
    initial_weights,
    n_parameters,
    without_squares,
)
from sklearn_mteval.neural.pairwise.column_roles import ColumnRoles
from sklearn_mteval.neural.pairwise.epochs import seeded, train
from sklearn_mteval.neural.pairwise.held_out import held_out_tau
from sklearn_mteval.neural.pairwise.losses import objectives_of
from sklearn_mteval.neural.pairwise.saved_state import pack_state, unpack_state
from sklearn_mteval.neural.pairwise.solvers import make_solver
from sklearn_mteval.neural.pairwise.table_reader import TableReader
from sklearn_mteval.neural.pairwise.training_data import training_data
from sklearn_mteval.pair_classifiers import LogOddsDecisions

_NEAR = 1e-2  # of a logit to 0: equal translations come nearer, in single precision, too


class PairwiseNN(LogOddsDecisions):
    """Decide which of two translations is better with a small neural network.

    Groups of tanh units look at the embeddings of both translations, and of each translation
    and the reference; similarity features (BLEU and the like) skip the hidden layer and go
    straight to the sigmoid output. It is trained with Adagrad on mini-batches; the epoch with the
    best Kendall's tau on held-out segments is kept.

    ==============  ===================================================================
    of              options
    ==============  ===================================================================
    the network     hidden_units, architecture, symmetric, encoder, column_roles
    its cost        loss, gamma, beta, l2
    training        max_epochs, batch_size, learning_rate, warm_start, random_state
    early stopping  patience, validation_fraction, validation_segments
    the computer    solver, device, n_threads, progress
    ==============  ===================================================================

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
    encoder : None, {"average", "cnn", "lstm", "bilstm"} or EncoderOptions, default=None
        Encode the columns of texts ``hypothesis`` and ``reference`` on the fly; needs torch, which
        comes with ``pip install "sklearn-mteval[neural]"``.
    column_roles : dict or None, default=None
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
    learning_rate : float, default=0.01
        Adagrad's learning rate.
    l2 : float, default=1e-4
        L2 penalty of weights (not of biases): half its product with the sum of their squares
        is added to the mean cost.
    validation_fraction : float or None, default=0.1
        Proportion of the *segments* that are held out for early stopping, read from the index level
        ``segment``, those of one reference together; 0 or None: none, the last epoch is kept.
    validation_segments : array-like or None, default=None
        Labels of the segments to hold out, instead of some chosen at random.
    solver : {"auto", "torch", "numba"}, default="auto"
        "torch" trains through skorch, on any device and with any encoder, and needs the extra
        ``[neural]``; "numba" takes the same steps with compiled gradients, twenty times faster,
        but trains no encoders and only on the CPU. They agree but for rounding. "auto" takes
        "numba" where it can.
    device : str, default="cpu"
        Where torch computes in training: "cpu", "cuda", "cuda:1", ….
    n_threads : int or None, default=1
        Threads of torch in training; more seldom help, and hurt where cores are busy. None
        leaves torch's own setting.
    warm_start : bool, default=False
        Whether ``fit`` goes on from the last fit's weights and optimiser.
    random_state : int, RandomState or None, default=0
        Seeds the start, the order of pairs, the held-out segments and dropout.
    progress : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; the second means that t1 is better.
    history_ : list of dict
        For each epoch:

        =============  ============================================================
        ``epoch``      its number, from 1
        ``objective``  the cost that is minimised, "logistic" or "kendall"
        ``loss``       mean cost of the training pairs, lower is better
        ``tau``        strict tau of the held-out segments, higher is better; None
                       without any
        ``seconds``    the time that it took
        =============  ============================================================
    best_epoch_ : int
        The epoch that was kept, counted from 1.
    weights_ : dict of ndarray
        An encoder's, and:

        =================  ========================================================
        ``weight``         (inputs, hidden units + 1); the last column holds the
                           skip arcs to the output
        ``bias``           (hidden units + 1,); the last is the output's
        ``output_weight``  (hidden units,)
        =================  ========================================================
    n_parameters_ : int
        Trained numbers: connections, a bias and an output weight for each hidden unit, the
        output's bias (which cancels out, and is left at 0, where ``symmetric``), an encoder's.
    column_roles_ : dict
        Positions of each role among the features of one translation.
    antisymmetric_ : bool
        Whether P(t1, t2) + P(t2, t1) = 1 but for rounding, as ``symmetric`` was in fit:
        RankRecomposer then asks about one direction of each pair only.
    validation_segments_ : list
        Labels of the segments held out; training that goes on holds them out again.
    n_validation_pairs_ : int
        Pairs held out, or given to stop early by, each direction counted.
    solver_ : {"torch", "numba"}
        What trained.
    n_features_in_, feature_names_in_ : int, ndarray of str
        Columns seen in fit, and their names, where they have names.

    See Also
    --------
    EncoderOptions : Options of encoding on the fly.
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
    >>> roles = {"hypothesis": [0, 1], "reference": [2, 3]}
    >>> net = PairwiseNN(column_roles=roles, learning_rate=0.1, validation_fraction=None)
    >>> net.fit(X, y).score(X, y) > 0.9
    True
    """

    reads_names = True

    def __init__(
        self, *, hidden_units: int = 4, architecture: str = "pairwise", loss: str = "logistic",
        gamma: float = 100.0, beta: float = 100.0, symmetric: bool = False,
        encoder: str | EncoderOptions | None = None, column_roles: dict | None = None,
        max_epochs: int = 200, patience: int | None = 20, batch_size: int = 30,
        learning_rate: float = 0.01, l2: float = 1e-4, validation_fraction: float | None = 0.1,
        validation_segments: ArrayLike | None = None, solver: str = "auto", device: str = "cpu",
        n_threads: int | None = 1, warm_start: bool = False, random_state: Seed = 0,
        progress: bool = False
    ):  # fmt: skip
        self.hidden_units = hidden_units
        self.architecture = architecture
        self.loss = loss
        self.gamma = gamma
        self.beta = beta
        self.symmetric = symmetric
        self.encoder = encoder
        self.column_roles = column_roles
        self.max_epochs = max_epochs
        self.patience = patience
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.l2 = l2
        self.validation_fraction = validation_fraction
        self.validation_segments = validation_segments
        self.solver = solver
        self.device = device
        self.n_threads = n_threads
        self.warm_start = warm_start
        self.random_state = random_state
        self.progress = progress

    def fit(
        self, X: ArrayLike, y: ArrayLike, *, segments: ArrayLike | None = None,
        validation: tuple[ArrayLike, ArrayLike] | None = None
    ) -> Self:  # fmt: skip
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
            For NaN, a single class, column_roles that do not fit, parameters out of range.
        ImportError
            If the encoder or the solver needs torch, and the extra ``[neural]`` is not installed.
        """
        fresh = not (self.warm_start and hasattr(self, "weights_"))
        return self._fit(X, y, fresh, False, segments=segments, validation=validation)

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
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
        return self._fit(X, y, not hasattr(self, "weights_"), True, classes=classes)

    def _log_odds_of(self, X):
        """Compute the logit that t1 is better."""
        X = checks.check_table(self, X, reset=False, texts=self._encoder is not None)
        roles = ColumnRoles(**self.column_roles_)
        if self._encoder is None:
            own = roles, self.weights_, self.antisymmetric_, self._reference_scale
            logits = prediction.logits_of_table(np.asarray(X), *own)
        else:
            prediction.warn_of_references(X, roles)
            reader = TableReader(roles, self._encoder, self._vocabulary)
            reader.build_encoder(self.weights_)
            rows = reader.rows(*reader.read(X, np.float64))
            logits = prediction.logits_of_rows(
                rows, self.weights_, reader.layout, self.antisymmetric_
            )
        if self.antisymmetric_:  # rounding must not decide between equal translations
            near = np.flatnonzero(np.abs(logits) < _NEAR)
            rows = X.iloc[near] if hasattr(X, "iloc") else X[near]
            first, second = np.hsplit(np.asarray(rows), 2)
            logits[near[(first == second).all(axis=1)]] = 0
        return logits

    def _fit(self, X, y, fresh, one_epoch, **given):
        """Prepare, train, keep what training came to."""
        checks.check_parameters(self)
        options = as_options(self.encoder)
        rng = seeded(self.random_state, [] if fresh else self.history_)
        seed = int(rng.randint(2**31))
        course = {"fresh": fresh, "one_epoch": one_epoch}
        data = training_data(self, X, y, rng, texts=options is not None, **course, **given)
        if not fresh:
            checks.check_encoder_goes_on(self._encoder, options)
        reader = TableReader(data.roles, options, None if fresh else self._vocabulary)
        tensors = {} if fresh else {**self.weights_, **self._squares}
        if options is not None:
            if fresh:
                tensors["encoder.initial"] = reader.learn_words(data.X, rng)
            reader.build_encoder(tensors, seed)
        connected = connections(self.architecture, reader.layout, self.hidden_units)
        if fresh:
            tensors |= initial_weights(connected, rng)
        else:
            checks.check_network_goes_on(self, connected, data.roles)
        checks.warn_without_hidden_units(self.architecture, connected)
        solver = make_solver(self, reader, data.X, data.signs, tensors)
        with solver.threads(self.n_threads):
            objectives = objectives_of(self.loss, **course)
            tau = data.held_out and held_out_tau(solver, reader, *data.held_out)
            trained = train(self, solver, objectives, len(data.signs), rng, **course, tau=tau)
        self.classes_, self.validation_segments_ = data.classes, data.segments
        self.weights_, self._squares = without_squares({**tensors, **trained.state})
        self.history_, self.best_epoch_ = trained.history, trained.best_epoch
        self.column_roles_, self.solver_ = data.roles._asdict(), solver.name
        self.n_validation_pairs_ = 0 if data.held_out is None else len(data.held_out[1])
        self.n_parameters_ = n_parameters(connected) + reader.n_trained - bool(self.symmetric)
        # What predictions need, as it was in fit.
        self._architecture, self.antisymmetric_ = self.architecture, bool(self.symmetric)
        self._encoder = None
        if options is not None:  # without the vectors: they are among the weights
            self._encoder = EncoderOptions(**{**options.get_params(deep=False), "vectors": None})
        self._vocabulary, self._reference_scale = reader.vocabulary, data.scale
        return self

    def __getstate__(self):
        """Keep weights as bytes that any tool reads and that run nothing."""
        state = super().__getstate__()
        return pack_state(state) if "weights_" in state else state

    def __setstate__(self, state):
        """Read the weights again."""
        try:
            super().__setstate__(unpack_state(state) if "_tensors" in state else state)
        except (AttributeError, KeyError, RecursionError, TypeError) as error:
            refuse(self, error)

    def _is_whole(self, n_features):
        """Tell whether what was loaded has weights; :func:`unpack_state` has checked the rest."""
        return "weights_" in vars(self)
