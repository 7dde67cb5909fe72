"""Training in torch, through skorch. Imported on first use: torch is slow to load.

skorch's own data loader takes longer than this small network: here an epoch slices prepared
tensors instead, and a step does no more than it must. Everything else is skorch's: modules,
devices, optimiser, history, the loop over epochs.
"""

from contextlib import contextmanager

import numpy as np
import torch
from skorch import NeuralNet

from sklearn_mteval.neural.pairwise.inputs import assemble
from sklearn_mteval.neural.pairwise.losses import pair_costs

__all__ = ["PairNet", "Pairs", "TorchSolver", "check_device", "encode_texts"]

# Batches whose rows are sorted by length together, so that a batch pads little.
_BUCKET = 50


class Pairs(torch.utils.data.Dataset):
    """Training pairs as tensors on the device, cut into batches.

    Parameters
    ----------
    X : ndarray of shape (n_pairs, n_columns), float32
        Numbers: whole input rows or, with texts, what stands beside the encodings.
    signs : ndarray of shape (n_pairs,)
        +1 where t1 is better, −1 where t2 is.
    batch_size : int
        Pairs of a step.
    device : str
        Where the tensors lie.
    texts : Texts or None
        What is to be encoded.
    sizes : sequence of 4 int, optional
        Widths of the blocks of X beside the encodings.
    by_length : bool, default=False
        Whether a batch should hold texts of similar length.
    """

    def __init__(self, X, signs, batch_size, device, *, texts=None, sizes=None, by_length=False):
        self.X = torch.from_numpy(X).to(device)
        self.signs = torch.from_numpy(signs.astype(np.float32)).to(device)
        self.batch_size = batch_size
        self.order = np.arange(len(signs))
        self.texts = texts
        if texts is not None:
            self.sizes = sizes
            self.of_pair = torch.from_numpy(texts.of_pair).to(device)
            self.tokens = torch.from_numpy(texts.tokens).to(device)
            self.begins = torch.from_numpy(texts.bounds[:-1]).to(device)
            self.lengths = torch.from_numpy(np.diff(texts.bounds)).to(device)
            longest = np.diff(texts.bounds)[texts.of_pair].max(axis=1)
            self.longest = longest if by_length else None

    def __len__(self):
        """Count the pairs."""
        return len(self.signs)

    def batches(self):
        """Cut the pairs into batches, in the order that was set.

        Yields
        ------
        tuple
            Inputs of the module, signs.
        """
        for rows in self._cut():
            if self.texts is None:
                yield (self.X.index_select(0, rows),), self.signs.index_select(0, rows)
                continue
            numbers = self.X[rows].split(self.sizes, dim=1)
            distinct, texts = torch.unique(self.of_pair[rows], return_inverse=True)
            lengths = self.lengths[distinct]
            ends = torch.cumsum(lengths, 0)
            at = torch.arange(int(ends[-1]), device=ends.device)
            at += torch.repeat_interleave(self.begins[distinct] - ends + lengths, lengths)
            yield (numbers, self.tokens[at], lengths, texts), self.signs[rows]

    def _cut(self):
        """Return the rows of each batch."""
        order = torch.from_numpy(self.order).to(self.X.device)
        if self.texts is None or self.longest is None:
            return order.split(self.batch_size)
        batches = []
        bucket = _BUCKET * self.batch_size
        for some in np.split(self.order, range(bucket, len(self.order), bucket)):
            by_length = some[np.argsort(self.longest[some], kind="stable")]
            batches += torch.from_numpy(by_length).split(self.batch_size)
        # The order is random, so batches in the order of their first row's place are shuffled.
        place = np.empty(len(self.order), dtype=np.int64)
        place[self.order] = np.arange(len(self.order))
        batches.sort(key=lambda rows: place[rows[0]])
        return [rows.to(self.X.device) for rows in batches]


class PairNet(NeuralNet):
    """A net of skorch with batches that are sliced, and steps without callbacks."""

    def get_iterator(self, dataset, training=False):
        """Slice, do not load.

        Parameters
        ----------
        dataset : Pairs
            The training pairs.
        training : bool, default=False
            Not used.

        Returns
        -------
        iterable
            Of batches.
        """
        return dataset.batches()

    def initialize_optimizer(self, triggered_directly=None):
        """Build Adagrad: L2 on weights but not on biases, sparse steps for word vectors.

        Parameters
        ----------
        triggered_directly : None
            skorch's; not used.

        Returns
        -------
        PairNet
            The net itself.
        """
        groups = {"decayed": [], "free": [], "sparse": []}
        for name, parameter in self.module_.named_parameters():
            kind = "sparse" if name.endswith("change") else "free" if "bias" in name else "decayed"
            groups[kind].append(parameter)
        fused = torch.device(self.device).type == "cpu"
        dense = {"fused": True} if fused else {"foreach": True}
        parts = [
            {"params": groups["decayed"], "weight_decay": self.l2, **dense},
            {"params": groups["free"], "weight_decay": 0.0, **dense},
            {"params": groups["sparse"], "weight_decay": 0.0, "foreach": False, "fused": False},
        ]
        parts = [part for part in parts if part["params"]]
        self.optimizer_ = torch.optim.Adagrad(parts, lr=self.lr)
        self.trained = [parameter for group in groups.values() for parameter in group]
        return self

    def get_loss(self, y_pred, y_true, X=None, training=False):
        """Average the pairs' costs; add the penalty of word vectors.

        Parameters
        ----------
        y_pred : tuple
            Outputs of the network in one or both directions.
        y_true : Tensor of shape (n_pairs,)
            Signs.
        X, training : optional
            Not used.

        Returns
        -------
        cost : Tensor of shape ()
            Without the penalty.
        penalised : Tensor of shape ()
            With it.
        """
        cost = pair_costs(
            *y_pred,
            y_true,
            objective=self.objective,
            symmetric=self.symmetric,
            gamma=self.costs[0],
            beta=self.costs[1],
        ).mean()
        encoder = getattr(self.module_, "encoder", None)
        return cost, cost if encoder is None else cost + encoder.penalty(*self.penalties)

    def train_step(self, batch, **fit_params):
        """Take one step.

        Parameters
        ----------
        batch : tuple
            As :meth:`Pairs.batches` yields it.
        **fit_params : dict
            skorch's; not used.

        Returns
        -------
        Tensor of shape ()
            The batch's mean cost.
        """
        inputs, signs = batch
        for parameter in self.trained:  # zero_grad() does the same, and much besides
            parameter.grad = None
        cost, penalised = self.get_loss(self.module_(*inputs), signs)
        penalised.backward()
        self.optimizer_.step()
        return cost.detach()

    def run_single_epoch(self, iterator, training, prefix, step_fn, **fit_params):
        """Run all batches; note the mean cost of a pair.

        Parameters
        ----------
        iterator : iterable or None
            Of batches.
        training : bool
            Whether this is training.
        prefix : str
            Of the names in skorch's history.
        step_fn : callable
            What to do with a batch.
        **fit_params : dict
            skorch's; not used.
        """
        if iterator is None:
            return
        self._set_training(training)
        costs, sizes = [], []
        for batch in iterator:
            costs.append(step_fn(batch))
            sizes.append(len(batch[1]))
        cost = np.average(torch.stack(costs).cpu().numpy(), weights=sizes)
        self.history.record(f"{prefix}_loss", float(cost))


class TorchSolver:
    """Train a module with skorch.

    Parameters
    ----------
    module : Module
        A pair network, with or without an encoder.
    pairs : Pairs
        What to train on.
    symmetric : bool
        Whether the log-odds are antisymmetric by construction.
    costs : tuple of 2 float
        γ and β of the Kendall cost.
    lr, l2 : float
        Learning rate; L2 penalty.
    penalties : tuple of 2 float
        L2 and distance penalty of word vectors.
    device : str
        Where to compute.
    """

    name = "torch"

    def __init__(self, module, pairs, *, symmetric, costs, lr, l2, penalties, device):
        self._pairs = pairs
        self.net = PairNet(
            module,
            criterion=torch.nn.Identity,
            train_split=None,
            callbacks="disable",
            lr=lr,
            device=device,
            verbose=0,
        )
        self.net.l2, self.net.symmetric = l2, symmetric
        self.net.costs, self.net.penalties = costs, penalties
        self.net.objective = None
        self.net.initialize()

    def start(self, objective):
        """Begin to minimise an objective.

        Parameters
        ----------
        objective : {"logistic", "kendall"}
            The optimiser's memory stays (see CompiledSolver).
        """
        self.net.objective = objective

    def epoch(self, order):
        """Train on all rows once.

        Parameters
        ----------
        order : ndarray of shape (n_pairs,), int64
            In which order.

        Returns
        -------
        float
            Mean cost.
        """
        self._pairs.order = order
        unchecked = torch.sparse.check_sparse_tensor_invariants(enable=False)  # else it warns
        with torch.enable_grad(), unchecked:
            self.net.fit_loop(self._pairs, epochs=1)
        return self.net.history[-1]["train_loss"]

    def weights(self):
        """Return the network's present weights.

        Returns
        -------
        dict of ndarray
            Without an encoder's.
        """
        parameters = self.net.module_.named_parameters(recurse=False)
        return {name: values.detach().cpu().numpy() for name, values in parameters}

    def rows(self, numbers, blocks, texts):
        """Encode texts with the present weights.

        Parameters
        ----------
        numbers : ndarray of shape (n_pairs, n_numbers), float32
            What stands beside the encodings.
        blocks : Blocks
            Roles of its columns.
        texts : Texts
            What to encode.

        Returns
        -------
        ndarray of shape (n_pairs, n_inputs)
            Rows as the network reads them.
        """
        encoded = encode_texts(self.net.module_.encoder, texts)
        return assemble(numbers, blocks, texts.of_pair, encoded)

    @contextmanager
    def threads(self, n):
        """Let torch use so many threads for a while.

        Parameters
        ----------
        n : int or None
            How many; None leaves torch's own setting.

        Yields
        ------
        None
            Nothing.
        """
        before = torch.get_num_threads()
        torch.set_num_threads(n or before)
        try:
            yield
        finally:
            torch.set_num_threads(before)

    def state(self):
        """Return a copy of weights and sums of squares.

        Returns
        -------
        dict of ndarray
            Names of weights, and ``squares.NAME``.
        """
        state = {}
        for name, parameter in self.net.module_.named_parameters():
            state[name] = parameter.detach().cpu().numpy().copy()
            squares = self.net.optimizer_.state[parameter]["sum"]
            state[f"squares.{name}"] = squares.cpu().numpy().copy()
        return state

    def restore(self, state):
        """Go back to a state.

        Parameters
        ----------
        state : dict of ndarray
            What ``state`` returned; without squares, the optimiser starts afresh.
        """
        with torch.no_grad():
            for name, parameter in self.net.module_.named_parameters():
                parameter.copy_(torch.from_numpy(state[name]))
                squares = self.net.optimizer_.state[parameter]["sum"]
                saved = state.get(f"squares.{name}")
                squares.zero_() if saved is None else squares.copy_(torch.from_numpy(saved))


def encode_texts(encoder, texts, *, batch_size=256):
    """Encode every distinct text once, sorted by length.

    Parameters
    ----------
    encoder : WordEncoder
        The encoder, on its device.
    texts : Texts
        The texts.
    batch_size : int, default=256
        Texts at a time.

    Returns
    -------
    ndarray of shape (n_texts, n_outputs), float32
        Their vectors.
    """
    lengths = np.diff(texts.bounds)
    encoded = np.zeros((len(lengths), encoder.n_outputs), dtype=np.float32)
    device = encoder.initial.device
    encoder.eval()
    by_length = np.argsort(lengths, kind="stable")
    with torch.no_grad():
        for rows in np.split(by_length, range(batch_size, len(lengths), batch_size)):
            tokens = [texts.tokens[texts.bounds[row] : texts.bounds[row + 1]] for row in rows]
            encoded[rows] = (
                encoder(
                    torch.from_numpy(np.concatenate(tokens)).to(device),
                    torch.from_numpy(lengths[rows]).to(device),
                )
                .cpu()
                .numpy()
            )
    return encoded


def check_device(device):
    """Raise unless torch can compute there.

    Parameters
    ----------
    device : str
        A device of torch.

    Raises
    ------
    ValueError
        If there is no such device.
    """
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"PairwiseNN's device {device!r} cannot be used: {reason}") from None
