"""Between PairwiseNN and its solvers: rows to train on, encoders, the solver itself."""

import json

import numpy as np

from sklearn_mteval.neural.encoders.options import TextEncoder, build_vocabulary, in_vocabulary
from sklearn_mteval.neural.pairwise.architecture import both_directions
from sklearn_mteval.neural.pairwise.compiled_solver import CompiledSolver
from sklearn_mteval.neural.pairwise.inputs import assemble, block_widths, read_numbers, read_texts

__all__ = ["Reader", "held_out_tau", "make_solver", "text_encoder"]


def text_encoder(encoder):
    """Return the options of an encoder.

    Parameters
    ----------
    encoder : None, str or TextEncoder
        What the caller gave.

    Returns
    -------
    TextEncoder or None
        Checked.
    """
    if encoder is None:
        return None
    if isinstance(encoder, str):
        encoder = TextEncoder(encoder)
    if not isinstance(encoder, TextEncoder):
        raise ValueError(
            "PairwiseNN's encoder must be None, 'average', 'cnn', 'lstm', 'bilstm' or a "
            f"TextEncoder, found {encoder!r}."
        )
    encoder.check()
    return encoder


class Reader:
    """Read pair tables for one network: numbers, texts, encodings.

    Parameters
    ----------
    blocks : Blocks
        Roles of the columns.
    encoder : TextEncoder or None
        How texts are encoded.
    vocabulary : str or None
        Its words as a JSON list, once they are known.
    """

    def __init__(self, blocks, encoder, vocabulary=None):
        self.blocks, self.encoder, self.vocabulary = blocks, encoder, vocabulary
        self._learnt = None, None  # the training table and its texts, not to be read twice

    @property
    def fixed(self):
        """Tell whether the rows that the network reads stay the same in training.

        Returns
        -------
        bool
            True without an encoder, and for averages of frozen word vectors.
        """
        frozen = self.encoder is not None and not self.encoder.trained
        return self.encoder is None or (frozen and self.encoder.kind == "average")

    def texts(self, X):
        """Read the texts of a table as rows of the word vectors.

        Parameters
        ----------
        X : DataFrame of shape (n_pairs, 2 * n_features)
            A pair table.

        Returns
        -------
        Texts
            With ids in the vocabulary.
        """
        if self._learnt[0] is X:
            return self._learnt[1]
        texts, words = read_texts(X, self.blocks, self.encoder.lowercase)
        return in_vocabulary(texts, words, json.loads(self.vocabulary))

    def learn_words(self, X, rng):
        """Choose the vocabulary.

        Parameters
        ----------
        X : DataFrame of shape (n_pairs, 2 * n_features)
            The training pairs.
        rng : RandomState
            Draws vectors of words that have none.

        Returns
        -------
        ndarray of shape (n_words, n_dimensions), float32
            Word vectors to start from.
        """
        texts, words = read_texts(X, self.blocks, self.encoder.lowercase)
        vocabulary, initial = build_vocabulary(self.encoder, texts, words, rng)
        self.vocabulary = json.dumps(vocabulary)
        self._learnt = X, in_vocabulary(texts, words, vocabulary)
        return initial

    def module(self, tensors, seed=0):
        """Build the encoder's module.

        Parameters
        ----------
        tensors : dict of ndarray
            ``encoder.initial`` and, if it was trained before, its weights.
        seed : int, default=0
            Of a fresh start and of dropout.

        Returns
        -------
        WordEncoder
            On the CPU.

        Raises
        ------
        ValueError
            If weights are missing or of another shape.
        """
        import torch

        from sklearn_mteval.neural.encoders.word_encoder import WordEncoder

        options = self.encoder
        own = {
            name.removeprefix("encoder."): torch.from_numpy(values)
            for name, values in tensors.items()
            if name.startswith("encoder.")
        }
        n_words = 1 + len(json.loads(self.vocabulary))
        if "initial" not in own or own["initial"].ndim != 2 or len(own["initial"]) != n_words:
            raise ValueError("The word vectors do not fit the vocabulary.")
        module = WordEncoder(
            own["initial"],
            options.kind,
            trained=options.trained,
            n_units=options.n_units,
            window=options.window,
            pool=options.pool,
            dropout=options.dropout,
            rng=np.random.RandomState(seed),
        )
        fresh = own.keys() == {"initial"} and (options.trained or options.kind != "average")
        try:
            module.load_state_dict(own, strict=not fresh)
        except RuntimeError as error:
            raise ValueError(f"The encoder's weights do not fit it: {error}") from None
        return module

    def rows(self, X, module=None, dtype=np.float32):
        """Make the rows that the network reads.

        Parameters
        ----------
        X : DataFrame or ndarray of shape (n_pairs, 2 * n_features)
            A pair table.
        module : WordEncoder, optional
            Encodes the texts.
        dtype : dtype, default=float32
            Of the result.

        Returns
        -------
        ndarray of shape (n_pairs, n_inputs)
            ``[x_t1 | x_t2 | x_r | s_t1 | s_t2]``.
        """
        numbers = read_numbers(X, self.blocks, dtype)
        if self.encoder is None:
            return numbers
        from sklearn_mteval.neural.pairwise.torch_solver import encode_texts

        texts = self.texts(X)
        return assemble(numbers, self.blocks, texts.of_pair, encode_texts(module, texts))


def make_solver(net, reader, X, signs, tensors, shape, module=None):
    """Build what trains the network.

    Parameters
    ----------
    net : PairwiseNN
        Its parameters.
    reader : Reader
        Reads the table.
    X : DataFrame or ndarray of shape (n_pairs, 2 * n_features)
        The training pairs.
    signs : ndarray of shape (n_pairs,)
        +1 where t1 is better, −1 where t2 is.
    tensors : dict of ndarray
        Weights to start from and, to go on, the optimiser's sums of squares.
    shape : InputShape
        Sizes of the network's input.
    module : WordEncoder, optional
        The encoder.

    Returns
    -------
    CompiledSolver or TorchSolver
        At its start.
    """
    network = (net.architecture, shape, net.hidden_units)
    costs = (float(net.gamma), float(net.beta))
    if net.solver == "numba" or (net.solver == "auto" and net.device == "cpu" and reader.fixed):
        if not reader.fixed:
            raise ValueError(
                "solver='numba' trains no encoder: use solver='auto', or "
                "TextEncoder('average', fine_tuning='frozen')."
            )
        solver = CompiledSolver(
            reader.rows(X, module),
            signs,
            network,
            symmetric=net.symmetric,
            costs=costs,
            batch_size=net.batch_size,
            lr=net.lr,
            l2=net.l2,
        )
        solver.restore(tensors)
        return solver
    from sklearn_mteval.neural.pairwise.torch_network import EncodedPairs, PairNetwork
    from sklearn_mteval.neural.pairwise.torch_solver import Pairs, TorchSolver, check_device

    check_device(net.device)
    both = net.symmetric or net.loss != "logistic"
    penalties = (0.0, 0.0)
    if reader.fixed:
        network = PairNetwork(*network, both=both)
        pairs = Pairs(reader.rows(X, module), signs, net.batch_size, net.device)
    else:
        network = EncodedPairs(module, *network, both=both)
        pairs = Pairs(
            read_numbers(X, reader.blocks),
            signs,
            net.batch_size,
            net.device,
            texts=reader.texts(X),
            sizes=block_widths(reader.blocks),
            by_length=reader.encoder.kind != "average",
        )
        moderate = reader.encoder.fine_tuning == "moderate"
        penalties = (0.0, reader.encoder.distance_penalty) if moderate else (net.l2, 0.0)
    solver = TorchSolver(
        network,
        pairs,
        symmetric=net.symmetric,
        costs=costs,
        lr=net.lr,
        l2=net.l2,
        penalties=penalties,
        device=net.device,
    )
    solver.restore({**solver.state(), **tensors})
    return solver


def held_out_tau(solver, reader, module, shape, X, signs):
    """Prepare the Kendall's tau of held-out pairs.

    Parameters
    ----------
    solver : CompiledSolver or TorchSolver
        Whose present weights to use.
    reader : Reader
        Reads the table.
    module : WordEncoder or None
        The encoder.
    shape : InputShape
        Sizes of the network's input.
    X : DataFrame or ndarray of shape (n_pairs, 2 * n_features)
        Held-out pairs.
    signs : ndarray of shape (n_pairs,)
        +1 where t1 is better, −1 where t2 is.

    Returns
    -------
    callable
        Without arguments, to tau in [−1, 1]: concordant less discordant and tied, over all
        (2015 paper, eq. 5). A pair is concordant if f(t1, t2) − f(t2, t1) has the sign of
        the human's decision.
    """
    if reader.fixed:
        rows = reader.rows(X, module)
    else:
        numbers, texts = read_numbers(X, reader.blocks), reader.texts(X)

    def tau():
        """Compute tau of the present weights.

        Returns
        -------
        float
            In [-1, 1].
        """
        inputs = rows if reader.fixed else solver.rows(numbers, reader.blocks, texts)
        forth, back = both_directions(inputs, solver.weights(), shape)
        return float(np.mean(np.where(signs * (forth - back) > 0, 1.0, -1.0)))

    return tau
